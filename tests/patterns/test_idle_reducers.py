"""Reducers that get nothing although there are keys for all of them: what more of them would do.

A simulated job has keys of two parts, parent and child, and sends by a hash of the parent or of
both. A reducer keeps as much of each key. What is true is tried: the same data with ten times as
many reducers, and what the reducer that had died gets of it then.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from zlib import crc32

import pytest
from builders.evidence import reduce_attempt, with_growth

from mprof.advice import advise
from mprof.diagnosis import diagnose
from mprof.evidence import Evidence, Group, GroupSizes, Partitions, Progress, Unknown
from mprof.patterns.partitions import idle_reducers
from mprof.rules import CannotTell, Fires
from mprof.units import MIB

FEW, UNEVEN = "improper_partition.few_reducers", "improper_partition.unbalanced"
OWN = "com.example.ByParent"


def sent(parents: int, children: int, reducers: int, *, by: str) -> list[int]:
    """Keys of each reducer: so many parents with so many children each."""
    count: Counter[int] = Counter()
    for parent in range(parents):
        for child in range(children):
            value = f"{parent}" if by == "parent" else f"{parent} {child}"
            count[crc32(value.encode()) % reducers] += 1
    return [count[n] for n in range(reducers)]


def job(keys: list[int], own: int, **conf: str) -> Evidence:
    """Reducer `own` died half-way, with 190 MB kept of as many keys as it had read."""
    sizes = tuple(10 * count for count in keys)
    partitions = Partitions(own, records=sizes, bytes=tuple(100 * one for one in sizes),
                            keys=tuple(keys), keys_in_one_map=tuple(keys),
                            largest_key_records=(10,) * len(keys),
                            largest_key_bytes=(1000,) * len(keys))  # fmt: skip
    missing = Unknown("sizes of the other groups", "rerun")
    group = Group(keys[own] // 2 + 1, 10, 1000, whole=True)
    evidence = reduce_attempt(
        partitions=partitions, reducers=len(keys), progress=Progress(0.5, "records"), conf=conf,
        groups=GroupSizes(group, missing, missing, all_reducers=False, largest=group),
    )  # fmt: skip
    return with_growth(evidence, "this.index", 190 * MIB, lifecycle="reduce", unit="group",
                       last_x=keys[own] // 2)  # fmt: skip


def smallest(keys: list[int]) -> int:
    """The reducer with the smallest partition that is not empty: it is not uneven."""
    return min((n for n, count in enumerate(keys) if count), key=lambda n: keys[n])


@pytest.mark.parametrize("reducers", [4, 8, 12, 30])
@pytest.mark.parametrize("parents", [2, 3, 5, 8])
def test_where_a_parent_key_leaves_reducers_idle_more_of_them_are_not_the_cure(
    parents: int, reducers: int
) -> None:
    keys = sent(parents, 400, reducers, by="parent")
    more = sent(parents, 400, 10 * reducers, by="parent")
    # the truth: a parent stays together however many reducers there are
    assert max(more) >= 400
    own = smallest(keys)
    diagnosed = diagnose(job(keys, own))
    assert idle_reducers(diagnosed.evidence.partitions) == keys.count(0)  # type: ignore[arg-type]
    if keys.count(0):
        verdict = diagnosed.diagnosis.verdicts[FEW]
        assert not isinstance(verdict, Fires)
    told = advise(diagnosed).diagnosis.advice
    assert not keys.count(0) or all(one.property != "mapreduce.job.reduces" for one in told)


def test_one_parent_each_and_one_reducer_idle_leaves_the_number_of_reducers_open() -> None:
    # 4 reducers with 800, 400, 400 and no keys of 4 parents: the third is no larger than the mean
    diagnosed = diagnose(job([800, 400, 400, 0], 2))
    verdict = diagnosed.diagnosis.verdicts[FEW]
    assert isinstance(verdict, CannotTell)
    assert verdict.run_that_would_tell == "none"
    assert "the partitioner divides" in verdict.missing


@pytest.mark.parametrize("reducers", [2, 4, 8, 30])
def test_where_the_whole_key_is_sent_by_more_reducers_are_advised_as_before(reducers: int) -> None:
    keys = sent(40, 200, reducers, by="both")
    own = keys.index(max(keys))
    assert max(sent(40, 200, 10 * reducers, by="both")) < keys[own] / 4  # the truth
    diagnosed = diagnose(job(keys, own))
    assert isinstance(diagnosed.diagnosis.verdicts[FEW], Fires)
    told = advise(diagnosed).diagnosis.advice
    assert any(one.property == "mapreduce.job.reduces" for one in told)


def test_few_keys_leave_reducers_idle_by_chance() -> None:
    # 8 keys over 8 reducers: a third of them gets nothing by an even hash
    keys = [2, 1, 0, 1, 2, 0, 1, 1]
    assert idle_reducers(Partitions(0, records=tuple(keys), keys_in_one_map=tuple(keys))) == 0
    unknown = Partitions(0, records=(5, 0))
    assert idle_reducers(unknown) == 0


def test_the_uneven_partition_of_a_parent_key_is_told_that_more_reducers_do_not_help() -> None:
    keys = [1200, 400, 0, 0, 400, 0, 0, 0]
    plain = job(keys, 0)
    (text,) = [one.text for one in advise(diagnose(plain)).diagnosis.advice if one.cause == UNEVEN]
    assert "5 of the 8 got nothing" in text
    verdict = diagnose(plain).diagnosis.verdicts[UNEVEN]
    assert isinstance(verdict, Fires)
    assert "half of the others or more got nothing" in verdict.sentence
    even = job([1200, 400, 380, 410, 400, 390, 400, 400], 0)
    assert all("got nothing" not in one.text for one in advise(diagnose(even)).diagnosis.advice)


def test_with_a_partitioner_of_its_own_the_number_of_reducers_is_at_most_likely() -> None:
    # each of two reducers got two parents; nothing but the partitioner's name says so
    keys = sent(40, 200, 4, by="both")
    own = keys.index(max(keys))
    plain = diagnose(job(keys, own))
    mine = diagnose(job(keys, own, **{"mapreduce.job.partitioner.class": OWN}))
    hadoops = {"mapreduce.job.partitioner.class": "org.apache.hadoop.mapreduce.lib.HashPartitioner"}
    same = diagnose(job(keys, own, **hadoops))
    said = [one.diagnosis.verdicts[FEW].confidence for one in (plain, mine, same)]  # type: ignore[union-attr]
    assert said[1] == "likely"
    assert said[0] == said[2]
    texts = [
        next(one.text for one in advise(each).diagnosis.advice if one.cause == FEW)
        for each in (plain, mine)
    ]
    assert [OWN in text for text in texts] == [False, True]
    assert replace(plain.evidence, conf={}) == replace(mine.evidence, conf={})
