"""Advised splits and reducers, tried on simulated tasks whose memory is known to the byte.

A simulated task has a constant part and something that grows with its input by a law. It dies at
the first unit of input for which its heap has no room. It leaves what a rerun leaves: sizes at
seven points, and the dump at its death. What is then advised is tried: the same task with a smaller
split, or a smaller partition, must come to its end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from builders.evidence import holder, key_of, map_attempt, reduce_attempt
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mprof.advice import advise
from mprof.advice.peaks import peaks_of
from mprof.diagnosis import Advice, diagnose
from mprof.evidence import Evidence, Holder, Memory, Partitions, Point, Progress, Series, Split
from mprof.patterns import find_patterns
from mprof.units import MIB

CAPACITY = 196 * MIB
SPLIT = "mapreduce.input.fileinputformat.split.maxsize"
REDUCES = "mapreduce.job.reduces"
SPLIT_BYTES = 53 * MIB


@dataclass(frozen=True)
class Task:
    """A task of known memory.

    Attributes:
        constant: bytes that do not grow.
        law: bytes that grow, by the share of the whole input taken in (which may pass 1).
        jump: bytes that the last enlargement before the death added, as a container's does.
    """

    constant: float
    law: Callable[[float], float]

    def live(self, share: float) -> float:
        return self.constant + self.law(share)

    def dies_at(self) -> float | None:
        """Share of the input at which there is no room; None where it finishes."""
        steps = 5000
        return next(
            (n / steps for n in range(1, steps + 1) if self.live(n / steps) > CAPACITY), None
        )

    def finishes(self, share: float) -> bool:
        """Whether it comes to the end of an input of that share."""
        return self.live(share) <= CAPACITY


def recorded(task: Task, at: float, *, records: int, skipped: float) -> tuple[Series, Holder]:
    """What a rerun leaves: seven points, the last some way before the death, and the death."""
    last = at * (1 - skipped)
    points = tuple(Point(records * last * n / 7, task.law(last * n / 7)) for n in range(8))
    held = min(task.law(at), CAPACITY - task.constant)
    key = key_of("this.kept")
    series = Series(key, "map", "record", points, "dump", at_death=Point(records * at, held))
    return series, holder("this.kept", round(held), key=key)


def map_evidence(task: Task, at: float, *, skipped: float = 0.0) -> Evidence:
    series, kept = recorded(task, at, records=100_000, skipped=skipped)
    live = round(min(task.live(at), CAPACITY))
    return map_attempt(
        memory=Memory(240 * MIB, CAPACITY, live, CAPACITY, 1024 * MIB),
        composition=replace(
            map_attempt().composition,  # type: ignore[arg-type,type-var]
            framework_bytes=0, user_bytes=kept.bytes, other_bytes=live - kept.bytes,
        ),
        progress=Progress(at, "bytes read of the split"),
        position=replace(map_attempt().position, record=round(100_000 * at)),  # type: ignore[type-var,arg-type]
        split=Split("hdfs:/in/part-0", 0, SPLIT_BYTES, splittable=True),
        series=(series,),
        holders=(kept,),
    )  # fmt: skip


def cures(evidence: Evidence) -> tuple[Advice, ...]:
    advice = advise(diagnose(evidence)).diagnosis.advice
    return tuple(one for one in advice if not one.first_aid)


def advised_share(evidence: Evidence) -> float | None:
    sizes = [int(one.new or 0) for one in cures(evidence) if one.property == SPLIT]
    return sizes[0] / SPLIT_BYTES if sizes else None


def powers(exponent: float, grown: float) -> Callable[[float], float]:
    return lambda share: grown * share**exponent


@settings(max_examples=150, deadline=None)
@given(
    constant=st.floats(0.05, 0.9),
    exponent=st.floats(0.45, 2.0),
    times=st.floats(1.05, 6.0),
    skipped=st.floats(0.0, 0.2),
)
def test_a_split_that_is_advised_does_not_die_again(
    constant: float, exponent: float, times: float, skipped: float
) -> None:
    room = CAPACITY * (1 - constant)
    task = Task(CAPACITY * constant, powers(exponent, room * times))
    at = task.dies_at()
    assume(at is not None)
    assert at is not None
    share = advised_share(map_evidence(task, at, skipped=skipped))
    assert share is None or task.finishes(share)


@settings(max_examples=100, deadline=None)
@given(constant=st.floats(0.05, 0.9), times=st.floats(1.05, 6.0), first=st.integers(4, 12))
def test_nor_where_what_grows_is_an_array_that_doubles(
    constant: float, times: float, first: int
) -> None:
    def doubling(share: float) -> float:
        # elements of 8 bytes; while it is enlarged, the old array stands beside the new one
        wanted, length = share * times * CAPACITY * (1 - constant), float(2**first * 1024)
        while length < wanted:
            length *= 2
        return length

    def while_enlarging(share: float) -> float:
        length = doubling(share)
        return length if share * times * CAPACITY * (1 - constant) < length * 0.75 else 1.5 * length

    task = Task(CAPACITY * constant, while_enlarging)
    at = task.dies_at()
    assume(at is not None)
    assert at is not None
    assume(at > 0.02)
    share = advised_share(map_evidence(Task(task.constant, doubling), at))
    assert share is None or task.finishes(share)


@settings(max_examples=150, deadline=None)
@given(
    constant=st.floats(0.05, 0.6),
    jump=st.floats(0.05, 0.4),
    before=st.floats(0.0, 0.1),
    at=st.floats(0.2, 0.9),
)
def test_nor_where_a_part_came_between_the_last_point_and_the_death(
    constant: float, jump: float, before: float, at: float
) -> None:
    # no point shows the jump: a curve alone knows nothing of it
    room = CAPACITY * (1 - constant)
    when = at * (1 - before)

    def law(share: float) -> float:
        return room * (1 - jump) * share / at * 1.0001 + (room * jump if share >= when else 0)

    task = Task(CAPACITY * constant, law)
    dead_at = task.dies_at()
    assume(dead_at is not None)
    assert dead_at is not None
    share = advised_share(map_evidence(task, dead_at, skipped=before + 0.02))
    assert share is None or task.finishes(share)


def test_what_had_died_at_27_mb_is_not_given_26() -> None:
    # 196 MB live at 27.0 of 53 MB, 60 of which do not grow; 40 came after the last point
    def law(share: float) -> float:
        return 96.1 * MIB * share * 53 / 27 + (40 * MIB if share > 24 / 53 else 0)

    task = Task(60 * MIB, law)
    at = task.dies_at()
    assert at == pytest.approx(27 / 53, abs=0.001)
    evidence = map_evidence(task, at, skipped=0.14)
    (found,) = (one for one in cures(evidence) if one.property == SPLIT)
    assert int(found.new or 0) < 20 * MIB
    assert "60 MB of which do not grow with the split" in found.text
    assert task.finishes(int(found.new or 0) / SPLIT_BYTES)


@settings(max_examples=60, deadline=None)
@given(constant=st.floats(0.05, 0.95), exponent=st.floats(0.45, 2.0), times=st.floats(1.05, 6.0))
def test_a_predicted_peak_is_never_below_what_was_live_at_that_input(
    constant: float, exponent: float, times: float
) -> None:
    task = Task(CAPACITY * constant, powers(exponent, CAPACITY * (1 - constant) * times))
    at = task.dies_at()
    assume(at is not None)
    assert at is not None
    evidence = map_evidence(task, at, skipped=0.1)
    for one in cures(evidence):
        if one.property == SPLIT:
            share = int(one.new or 0) / SPLIT_BYTES
            assert (one.predicted_peak_bytes or 0) >= min(task.live(share), CAPACITY) * 0.98


def test_no_split_is_advised_where_the_constant_part_alone_fills_the_heap() -> None:
    task = Task(0.91 * CAPACITY, powers(1.0, 0.09 * CAPACITY * 3))
    grown = Task(0.55 * CAPACITY, powers(1.0, 0.45 * CAPACITY * 40))
    for each in (task, grown):
        at = each.dies_at()
        assert at is not None
        evidence = map_evidence(each, at)
        told = [one for one in cures(evidence) if one.cause == "large_input_split"]
        assert [one.property for one in told] in ([], [None])


def reduce_evidence(task: Task, at: float, *, count: int, keys: int) -> Evidence:
    series, kept = recorded(task, at, records=100_000, skipped=0.0)
    live = round(min(task.live(at), CAPACITY))
    sizes = (64 * MIB,) * count
    key = key_of("this.kept")
    return reduce_attempt(
        memory=Memory(240 * MIB, CAPACITY, live, CAPACITY, 1024 * MIB),
        progress=Progress(at, "records of the merged input"),
        partitions=Partitions(0, bytes=sizes, records=(100_000,) * count,
                              keys=(keys // count,) * count),
        reducers=count,
        series=(replace(series, lifecycle="reduce", unit="group", holder=key),),
        holders=(replace(kept, lifecycle="reduce"),),
    )  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(
    constant=st.floats(0.05, 0.8), exponent=st.floats(0.5, 1.5), times=st.floats(1.05, 30.0),
    count=st.integers(2, 40),
)  # fmt: skip
def test_a_number_of_reducers_that_is_advised_does_and_is_at_most_ten_times_as_many(
    constant: float, exponent: float, times: float, count: int
) -> None:
    task = Task(CAPACITY * constant, powers(exponent, CAPACITY * (1 - constant) * times))
    at = task.dies_at()
    assume(at is not None)
    assert at is not None
    evidence = reduce_evidence(task, at, count=count, keys=10_000_000)
    for one in cures(evidence):
        if one.property == REDUCES:
            reducers = int(one.new or 0)
            assert count < reducers <= 10 * count
            assert task.finishes(count / reducers)


def test_there_are_no_more_reducers_than_keys() -> None:
    task = Task(20 * MIB, powers(1.0, 176 * MIB * 4))
    at = task.dies_at()
    assert at is not None
    few = [one for one in cures(reduce_evidence(task, at, count=4, keys=24))
           if one.cause == "improper_partition.few_reducers"]  # fmt: skip
    many = [one for one in cures(reduce_evidence(task, at, count=4, keys=10_000))
            if one.cause == "improper_partition.few_reducers"]  # fmt: skip
    none = [one for one in cures(reduce_evidence(task, at, count=4, keys=4))
            if one.cause == "improper_partition.few_reducers"]  # fmt: skip
    assert int(many[0].new or 0) > 4
    assert int(few[0].new or 0) <= 24
    assert [one.kind for one in none] == ["data"]
    assert "keys" in none[0].text


def of_few_steps(seed: int) -> tuple[Evidence, list[float], float] | None:
    """A map task that keeps 4 to 36 MB of each of 20 to 60 records, and its sizes at seven."""
    rng = np.random.default_rng([20, seed])
    least = rng.uniform(4, 12)
    steps = rng.uniform(least, least * rng.uniform(1.2, 3), int(rng.integers(20, 60))) * MIB
    constant, size = rng.uniform(0.1, 0.3) * CAPACITY, np.cumsum(steps)
    if constant + size[-1] <= CAPACITY:
        return None
    died = int(np.argmax(constant + size > CAPACITY)) + 1
    at = dict.fromkeys(round((died - 1) * n / 7) for n in range(1, 8))
    points = (Point(0, 0.0), *(Point(x, float(size[x - 1])) for x in at if x))
    key, held = key_of("this.kept"), float(size[died - 2])
    series = Series(key, "map", "record", points, "dump", at_death=Point(died, held))
    live = round(constant + held)
    evidence = map_attempt(
        memory=Memory(240 * MIB, CAPACITY, live, CAPACITY, 1024 * MIB),
        composition=replace(
            map_attempt().composition,  # type: ignore[arg-type,type-var]
            framework_bytes=0, user_bytes=round(held), other_bytes=live - round(held),
        ),
        progress=Progress(died / len(steps), "bytes read of the split"),
        position=replace(map_attempt().position, record=died),  # type: ignore[type-var,arg-type]
        split=Split("hdfs:/in/part-0", 0, SPLIT_BYTES, splittable=True),
        series=(series,),
        holders=(holder("this.kept", round(held), key=key),),
        map_buffer=None,
    )  # fmt: skip
    return evidence, steps.tolist(), constant


def test_a_peak_of_smaller_splits_is_that_of_the_largest_where_each_has_few_steps() -> None:
    # records of one size, so that a split has so many or one more, and keeps unlike much of each
    held, ratios = [], []
    for seed in range(120):
        drawn = of_few_steps(seed)
        told = advised_share(drawn[0]) if drawn is not None else None
        if drawn is None or told is None:
            continue
        evidence, steps, constant = drawn
        (found,) = (one for one in cures(evidence) if one.property == SPLIT)
        splits = (np.arange(len(steps)) / len(steps) / told).astype(int)
        largest = constant + max(np.bincount(splits, weights=steps))
        assert largest <= CAPACITY, seed
        held.append(largest <= (found.predicted_peak_bytes or 0))
        ratios.append((found.predicted_peak_bytes or 0) / largest)
    assert len(held) > 80
    assert np.mean(held) >= 0.95
    assert np.median(ratios) < 1.25


def test_how_far_parts_differ_is_of_each_object_beside_its_own_law() -> None:
    """Whatever the order in which the points of two objects were taken."""
    task = Task(constant=10 * MIB, law=lambda share: 300 * MIB * share)
    evidence = map_evidence(task, task.dies_at() or 1.0)
    key = key_of("this.beside")
    (series,) = evidence.series
    slow = [Point(one.x, one.size_bytes / 5) for one in series.points]
    death = series.at_death
    assert death is not None
    beside = replace(
        series, holder=key, points=tuple(slow), at_death=Point(death.x, death.size_bytes / 5)
    )
    more = (*evidence.held, holder("this.beside", round(death.size_bytes / 5), key=key))

    spreads = []
    for each in ((series, beside), (beside, series)):
        patterns = find_patterns(replace(evidence, series=each, holders=more))
        growing, memory = patterns.growth("map"), patterns.memory
        assert growing is not None
        assert memory is not None
        assert len(growing.laws) == 2
        spreads.append(peaks_of(memory, growing, each).spread_bytes)

    # both lie on their lines: what is left is the rounding
    assert max(spreads) < 1024
