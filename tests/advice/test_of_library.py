"""Advice where a library's own class is the mapper or reducer: its options."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders.evidence import CAPACITY, holder, key_of, map_attempt, reduce_attempt, with_growth

from mprof.advice import advise
from mprof.diagnosis import Advice, diagnose
from mprof.evidence import Distribution, Evidence, ExternalLoad, Group, GroupSizes, OpenedFile
from mprof.units import MIB

HBASE = "org.apache.hadoop.hbase.mapreduce."
BAYES = "org.apache.mahout.classifier.bayes.mapreduce.bayes.BayesClassifierMapper"


def advice(evidence: Evidence) -> tuple[Advice, ...]:
    """The cures; first aid has tests of its own."""
    every = advise(diagnose(evidence)).diagnosis.advice
    return tuple(one for one in every if not one.first_aid)


def row(reducer: str, **conf: str) -> Evidence:
    """A row of 100,000 cells, half of which hold 200 of 240 MB."""
    groups = GroupSizes(Group(31, 100_000, whole=True), Distribution.of([9] * 7), all_reducers=True)
    conf = {"mapreduce.job.reduce.class": reducer, **conf}
    return with_growth(
        reduce_attempt(groups=groups, conf=conf), "local TreeSet", 200 * MIB, lifecycle="group",
        unit="record_in_group", last_x=50_000,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("reducer", "name"),
    [("PutSortReducer", "putsortreducer.row.threshold"),
     ("TextSortReducer", "reducer.row.threshold")],
)  # fmt: skip
def test_a_row_is_written_before_it_fills_the_room_beside_everything_else(
    reducer: str, name: str
) -> None:
    (found,) = (one for one in advice(row(HBASE + reducer)) if one.property is not None)

    # the attempt has 40 MB beside the tree; half of the room is the tree's own
    room = 0.85 * CAPACITY - 40 * MIB
    assert found.property == name
    assert (found.old, found.new) == (str(1 << 30), str(int(0.5 * room / MIB) * MIB))


def test_a_row_is_not_told_to_be_another_key() -> None:
    hot = next(one for one in advice(row(HBASE + "PutSortReducer")) if one.cause == "hotspot_key")

    assert "composite key" not in hot.text
    assert "versions" in hot.text


def test_a_threshold_that_is_smaller_already_is_left_as_it_is() -> None:
    told = advice(row(HBASE + "PutSortReducer", **{"putsortreducer.row.threshold": "1048576"}))

    assert not [one for one in told if one.property is not None]


def test_another_reducer_is_told_what_anyones_is() -> None:
    told = advice(row("org.example.Rows"))

    assert not [one for one in told if one.property is not None]
    assert any("composite key" in one.text for one in told)


@pytest.mark.parametrize(("when", "heap"), [("setup", True), ("loading", False)])
def test_a_model_is_trained_without_rare_words_or_gets_its_heap_where_it_is_known(
    when: str, *, heap: bool
) -> None:
    one = replace(holder("this.weights", 130 * MIB), loaded_before_first_record=True)
    files = (OpenedFile("hdfs:/m"),)
    load = ExternalLoad(130 * MIB, (key_of("this.weights"),), when, files)  # type: ignore[arg-type]
    loading = {"place": "setup", "position": None} if when == "loading" else {}
    conf = {"mapred.mapper.class": BAYES}

    told = advice(map_attempt(holders=(one,), external=load, conf=conf, **loading))

    assert "--minDf 2" in told[0].text
    assert bool([one for one in told if one.property == "mapreduce.map.java.opts"]) == heap
