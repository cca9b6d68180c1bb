"""What is emptied now and then: the value that is advised, tried on tasks known to the byte.

A simulated task keeps what comes with each record in a list, and empties it every so many records.
It dies at the first record for which there is no room. It leaves what a rerun leaves: sizes of the
list at some points, and the dump at its death. Then the same task empties it by what is advised.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from builders.evidence import holder, key_of, map_attempt, reduce_attempt

from mprof.advice import advise
from mprof.diagnosis import Advice, diagnose
from mprof.evidence import Evidence, Lifecycle, Memory, Partitions, Point, Progress, Series, Unit
from mprof.units import GIB, KIB, MIB

CAPACITY = 196 * MIB
SIZE = r"([0-9.]+) (KB|MB|GB)"
BYTES = {"KB": KIB, "MB": MIB, "GB": GIB}
OF: dict[Lifecycle, tuple[str, Unit]] = {
    "map": ("large_accumulated_results.map", "record"),
    "reduce": ("large_accumulated_results.reduce", "record"),
    "group": ("large_accumulated_results.group", "record_in_group"),
}


@dataclass(frozen=True)
class Task:
    """What it keeps of each record, in bytes, and what stands beside that."""

    records: Sequence[float]
    constant: float

    def held(
        self, *, most_elements: float = 1e18, most_bytes: float = 1e18
    ) -> list[tuple[float, int]]:
        """Bytes and elements of the list as each record is worked on, until it dies or ends."""
        found, size, length = [], 0.0, 0
        for each in self.records:
            size, length = size + each, length + 1
            found.append((size, length))
            if self.constant + size > CAPACITY:
                break
            if length >= most_elements or size >= most_bytes:
                size, length = 0.0, 0
        return found

    def finishes(self, held: list[tuple[float, int]]) -> bool:
        return len(held) == len(self.records) and self.constant + held[-1][0] <= CAPACITY


def evidence_of(task: Task, held: list[tuple[float, int]], lifecycle: Lifecycle) -> Evidence:
    died, (size, length) = len(held), held[-1]
    at = [round((died - 1) * n / 7) for n in range(1, 8)]
    points = (Point(0, 0.0), *(Point(x, held[x - 1][0]) for x in dict.fromkeys(at)))
    key, unit = key_of("this.kept"), OF[lifecycle][1]
    series = Series(key, lifecycle, unit, points, "dump", at_death=Point(died, size))
    kept = holder(
        "this.kept", round(size), lifecycle=lifecycle, class_name="java.util.ArrayList",
        length=length, key=key,
    )  # fmt: skip
    live = round(min(task.constant + size, CAPACITY))
    plain = map_attempt() if lifecycle == "map" else reduce_attempt()
    partitions = Partitions(0, bytes=(64 * MIB,) * 2, records=(len(task.records),) * 2)
    return replace(
        plain,
        memory=Memory(240 * MIB, CAPACITY, live, CAPACITY, 1024 * MIB),
        composition=replace(
            plain.composition,  # type: ignore[type-var,arg-type]
            framework_bytes=0, user_bytes=kept.bytes, other_bytes=live - kept.bytes,
        ),
        position=replace(plain.position, record=died, record_in_group=died),  # type: ignore[type-var,arg-type]
        progress=Progress(died / len(task.records), "records"),
        partitions=None if lifecycle == "map" else partitions,
        series=(series,),
        holders=(kept,),
    )  # fmt: skip


def advice(evidence: Evidence) -> tuple[Advice, ...]:
    return advise(diagnose(evidence)).diagnosis.advice


def in_bytes(text: str, pattern: str) -> float:
    said = re.search(pattern.format(SIZE), text)
    assert said is not None, text
    return float(said[1]) * BYTES[said[2]]


@pytest.mark.parametrize("lifecycle", OF)
def test_emptied_by_what_is_advised_the_task_comes_to_its_end(lifecycle: Lifecycle) -> None:
    # emptied every so many records, which fits until the records become larger
    tried = 0
    for seed in range(80):
        rng = np.random.default_rng([40, seed])
        constant, period = rng.uniform(0.1, 0.5), int(rng.integers(20, 60))
        room = CAPACITY * (1 - constant)
        records = rng.uniform(0.2, 1.0, 600) * rng.uniform(0.4, 0.9) * room / (0.6 * period)
        records[int(rng.integers(200, 500)) :] *= rng.uniform(1.5, 4.0)
        task = Task(records.tolist(), CAPACITY * constant)
        held = task.held(most_elements=period)
        if task.finishes(held):
            continue
        told = [one for one in advice(evidence_of(task, held, lifecycle)) if not one.first_aid]
        (mine,) = [one for one in told if one.cause == OF[lifecycle][0]]
        if "emptied now and then" not in mine.text:
            continue  # the points missed it
        tried += 1
        assert mine.text.startswith("Empty this.kept earlier")
        most_bytes = in_bytes(mine.text, "at {}")
        assert task.finishes(task.held(most_bytes=most_bytes)), seed
        elements = re.search(r"about ([0-9,]+) of the ([0-9,]+) elements", mine.text)
        assert elements is not None
        assert int(elements[2].replace(",", "")) == held[-1][1]
        many = int(elements[1].replace(",", ""))
        assert task.finishes(task.held(most_elements=many)), seed
    assert tried > 30


SAWTOOTH = Task([2 * MIB] * 200 + [3 * MIB] * 400, 30 * MIB)


@pytest.mark.parametrize("lifecycle", OF)
def test_nothing_is_advised_that_does_not_bring_less_of_it_together(lifecycle: Lifecycle) -> None:
    # 120 MB every 60 records, then 180 MB, of which 166 fit
    held = SAWTOOTH.held(most_elements=60)
    assert not SAWTOOTH.finishes(held)
    told = advice(evidence_of(SAWTOOTH, held, lifecycle))
    assert [one.property for one in told if one.kind == "setting" and not one.first_aid] == []
    text = next(one.text for one in told if one.cause == OF[lifecycle][0])
    for word in ("The whole input would need", "postpones", "Do not", "group's part"):
        assert word not in text
    (aid,) = [one.text for one in told if one.first_aid]
    assert "to the end" not in aid
    assert "instead of" not in aid


def test_what_is_kept_beside_it_is_told_apart() -> None:
    # an index that grows by 100 KB a record beside the list that is emptied
    held = SAWTOOTH.held(most_elements=60)
    evidence = evidence_of(SAWTOOTH, held, "map")
    (series,) = evidence.series
    (kept,) = evidence.holders  # type: ignore[misc]
    key = key_of("this.index")
    index = tuple(Point(one.x, one.x * 100 * KIB) for one in series.points)
    end = Point(len(held), len(held) * 100 * KIB)
    beside = holder("this.index", round(end.size_bytes), key=key)
    evidence = replace(
        evidence,
        series=(series, replace(series, holder=key, points=index, at_death=end)),
        holders=(kept, beside),
    )
    text = next(one.text for one in advice(evidence) if one.cause == OF["map"][0])
    assert "Do not keep this.index in memory" in text
    assert "Empty this.kept earlier" in text
    # what is beside the list at the death, the index included, is not the list's to fill
    rest = CAPACITY - held[-1][0]
    assert in_bytes(text, "at {}") <= 0.5 * (0.85 * CAPACITY - rest) * 1.01
