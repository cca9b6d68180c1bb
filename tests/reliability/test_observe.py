"""Evidence of drawn jobs: its parts agree with each other and with the model."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from builders.judged_tasks import external, kept, map_task, of_group, reduce_task, work

from mprof.evidence import Evidence, HolderKey, Unknown, Verification, known
from mprof.evidence.thresholds import LEAST_HOLDER
from mprof.units import MIB
from reliability.data_seen import sketched
from reliability.draw import draw
from reliability.model import End, Task, end_of
from reliability.observe import RUNS, observe

JOBS = range(120)
SEED = 77


@cache
def drawn(index: int) -> tuple[Task, End | None]:
    task = draw(SEED, index)
    return task, end_of(task)


@cache
def seen(index: int, run: str) -> Evidence:
    return observe(drawn(index)[0], run, (SEED, index))  # type: ignore[arg-type]


def of_deaths() -> list[int]:
    return [index for index in JOBS if drawn(index)[1] is not None]


@pytest.mark.parametrize("run", RUNS)
def test_the_composition_adds_up_to_what_was_live(run: str) -> None:
    for index in of_deaths():
        evidence = seen(index, run)
        parts = known(evidence.composition)
        if parts is None:  # no dump was made
            assert run == "watch"
            continue
        assert known(evidence.memory.live_bytes_at_death) == parts.total_bytes
        assert min(parts.other_bytes, parts.user_bytes, parts.framework_bytes) >= 0
        assert parts.shuffle_bytes <= parts.framework_bytes


def test_what_a_writer_a_reader_or_a_library_keeps_is_theirs() -> None:
    owners = set()
    for index in of_deaths():
        evidence = seen(index, "watch")
        composition, holders = known(evidence.composition), known(evidence.holders)
        if composition is None or holders is None:
            continue
        for owner in ("writer", "reader", "library"):
            mine = sum(one.bytes for one in holders if one.owner == owner)
            assert mine <= getattr(composition, f"{owner}_bytes") <= mine + 3 * LEAST_HOLDER.value
            owners |= {owner} if mine else set()
    assert owners >= {"writer", "library"}


@pytest.mark.parametrize("run", RUNS)
def test_holders_have_the_bytes_of_the_model(run: str) -> None:
    for index in of_deaths():
        (task, end), evidence = drawn(index), seen(index, run)
        assert end is not None
        held = {one.name: size for one, size in zip(task.consumers, end.held, strict=True)}
        for holder in known(evidence.holders) or ():
            if holder.owner != "record_in_flight":
                assert holder.bytes == pytest.approx(held[holder.key.fields[0]], abs=1)


@pytest.mark.parametrize("run", RUNS)
def test_holders_and_composition_agree(run: str) -> None:
    for index in of_deaths():
        evidence = seen(index, run)
        parts, holders = known(evidence.composition), known(evidence.holders)
        if parts is None or holders is None:
            assert parts is None
            assert holders is None
            continue
        user = sum(one.bytes for one in holders if one.owner == "user")
        outside = sum(one.bytes for one in holders if one.owner == "external")
        assert user <= parts.user_bytes + len(holders)
        assert outside == parts.external_bytes


@pytest.mark.parametrize("run", ["rerun", "verified"])
def test_series_end_at_the_holders_of_the_death(run: str) -> None:
    for index in of_deaths():
        evidence = seen(index, run)
        sizes = {one.key: one.bytes for one in known(evidence.holders) or ()}
        for series in evidence.series:
            assert series.at_death is not None
            assert all(point.x < series.at_death.x for point in series.points)
            if series.holder in sizes:
                assert series.at_death.size_bytes == sizes[series.holder]


@pytest.mark.parametrize("run", RUNS)
def test_points_are_before_the_death_and_in_the_heap(run: str) -> None:
    for index in of_deaths():
        task, evidence = drawn(index)[0], seen(index, run)
        for series in evidence.series:
            xs = [point.x for point in series.points]
            assert xs == sorted(xs)
            assert all(0 <= point.size_bytes <= 1.06 * task.usable for point in series.points)


@pytest.mark.parametrize("index", JOBS)
def test_the_first_run_and_the_rerun_see_the_same_death(index: int) -> None:
    watch, rerun = seen(index, "watch"), seen(index, "rerun")

    assert watch.death.kind == rerun.death.kind
    assert watch.position == rerun.position
    assert watch.memory == rerun.memory


def test_the_first_run_has_no_probes() -> None:
    for index in of_deaths():
        evidence = seen(index, "watch")
        assert all(series.source == "passive" for series in evidence.series)
        assert isinstance(evidence.record_growth, Unknown)
        assert isinstance(evidence.verification, Unknown)
        assert evidence.probes is None


def test_growth_and_probes_tell_the_same() -> None:
    for index in of_deaths():
        evidence = seen(index, "rerun")
        growth = known(evidence.record_growth)
        if growth is None or evidence.composition is None:
            continue
        parts = known(evidence.composition)
        assert parts is not None
        assert growth.last_records == 1
        assert growth.last_bytes <= (parts.user_bytes + parts.external_bytes) * 1.02 + MIB


def test_minor_collections_never_leave_less_than_is_live() -> None:
    # an even line: 1 MB a record; what is live at x is at least base, buffer and x MB
    task = map_task(kept(1000), in_flight=0.0)
    for index in range(30):
        for series in observe(task, "watch", (1, index)).series:
            for point in series.points:
                assert point.size_bytes >= (20 + point.x) * MIB - 1


def test_a_sketch_is_right_to_a_percent() -> None:
    values = np.random.default_rng(1).lognormal(5, 2, 3000)

    told = sketched(values)

    assert told.count == len(values)
    for quantile in (0.1, 0.5, 0.9):
        assert told.quantile(quantile) == pytest.approx(np.quantile(values, quantile), rel=0.025)


def verified_many(task: Task) -> list[Verification]:
    found = [observe(task, "verified", (9, i)).verification for i in range(60)]
    return [each for each in found if isinstance(each, Verification) and each.met]


def test_a_record_that_fills_the_heap_dies_alone_in_the_same_room() -> None:
    task = map_task(kept(48 / 0.92), work(1), spikes={920: 200.0})

    same = [one for one in verified_many(task) if one.same_room]

    assert same
    assert all(one.died for one in same)


def test_a_record_that_fits_into_an_empty_heap_survives_there_and_leaves_nothing() -> None:
    # 150 MB of temporary objects beside 100 MB that the mapper had kept by then
    task = map_task(kept(100 / 0.92), work(1), spikes={919: 150.0})

    other = [one for one in verified_many(task) if not one.same_room]

    assert other
    for one in other:
        assert not one.died
        grown = known(one.growth_bytes)
        assert grown is None or grown < 2 * MIB


def test_a_jump_of_an_array_is_not_of_the_record_alone() -> None:
    task = map_task(kept(400, "doubling", 1000), in_flight=0.0)

    assert not any(one.died for one in verified_many(task))


def test_a_model_is_external_once_a_probe_has_seen_it_before_the_first_record() -> None:
    task = map_task(external(170), kept(100))

    watch, rerun = observe(task, "watch", (2, 3)), observe(task, "rerun", (2, 3))

    key = HolderKey("field", "com.example.Job", fields=("model",))
    assert {one.owner for one in known(watch.holders) or () if one.key == key} == {"user"}
    load = known(rerun.external)
    assert load is not None
    assert (load.when, load.holders, load.bytes) == ("setup", (key,), 170 * MIB)


def test_groups_are_those_of_the_model() -> None:
    task = reduce_task(of_group(0.5), groups=[20, 30, 500, 7], others=[20] * 50)

    evidence = observe(task, "watch", (3, 1))

    groups, position = known(evidence.groups), known(evidence.position)
    assert position is not None
    assert groups is not None
    assert position.group == 3
    assert groups.current is not None
    assert groups.current.records == position.record_in_group == 460  # 230 MB, and R_n itself
    assert groups.whole is None or groups.whole.records == 500
    assert groups.largest == groups.current


def test_what_a_group_adds_it_adds_at_once() -> None:
    # a model record stands for 100 of the job: within a group nothing grows that groups make grow
    task = reduce_task(
        kept(300, level="reduce", by="groups", at=30), of_group(0.5), groups=[20] * 30, grain=100
    )

    evidence = observe(task, "rerun", (5, 1))

    inside = [s for s in evidence.series if s.unit == "record_in_group" and s.source == "dump"]
    of_groups = next(s for s in inside if s.lifecycle == "reduce")
    sizes = [point.size_bytes for point in of_groups.points if point.x > 0]
    assert sizes
    assert max(sizes) <= 1.1 * min(sizes)
