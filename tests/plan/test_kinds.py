"""Which probes are dumps and which are class histograms, and what they are expected to cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mprof.job_run import JobRun
from mprof.objects import ClassBytes, HeapObjects
from mprof.plan import ProbePlan, plan_profile
from mprof.plan.probe_plan import TaskPlan
from mprof.trace import Trace, read_trace
from tests.builders.attempts import EventWriter
from tests.builders.keys import field_key, record_key
from tests.builders.snapshots import MIB, holding, snapshot

HEAP = 1024 * MIB
RECORDS = 601
POINTS = (1, 101, 201, 301, 401, 501, 601)


def failed(folder: Path, *, seconds: float, live: tuple[tuple[int, int], ...] = ()) -> Trace:
    """A mapper that died at record 601 after so long; MB live at records as collections left."""
    writer = EventWriter("attempt_1_0001_m_000000_0", heap_max=HEAP)
    for record, size in live:
        at = {"phase": "map", "records_in": record}
        writer.add("memory", major=True, used_after=size * MIB, at=at)
    last = 1_700_000_000_001 + round(seconds * 1000)
    writer.add(
        "failure",
        t=last,
        class_="java.lang.OutOfMemoryError",
        message="Java heap space",
        stack=["com.example.Job.map(Job.java:1)"],
    )
    return read_trace(writer.write(folder, position={"phase": 3, "records_in": RECORDS}))


def death(live: int = 1000, *, record: int = 0, segments: int = 0) -> HeapObjects:
    """The heap at death: a map of so many MB, of which a record in flight and segments."""
    held = [holding(field_key("com.example.Job", "counts"), (live - record - segments) * MIB)]
    if record:
        flight = holding(record_key("value"), record * MIB, owner="record_in_flight")
        held.append(flight)
    parts = {"shuffle_merging": segments * MIB}
    heap = snapshot("oom", held, at_death=True, framework=segments * MIB, other=0, parts=parts)
    return replace(heap, classes=(ClassBytes("byte[]", live * MIB),))


def plan(trace: Trace, *heaps: HeapObjects, **how: int) -> ProbePlan:
    run = JobRun("job_1_0001", "watch", traces=(trace,), snapshots={trace.attempt_id or "": heaps})
    found = plan_profile([run], **how)
    assert found is not None
    return found


def dumped(found: ProbePlan) -> tuple[int, ...]:
    (task,) = found.tasks
    counted = {ordinal for _, ordinal in task.by_histogram}
    return tuple(each for each in task.before_record if each not in counted)


def test_a_short_task_with_a_large_heap_is_dumped_once_before_its_death(tmp_path: Path) -> None:
    found = plan(failed(tmp_path, seconds=20), death())

    assert found.tasks[0].before_record == POINTS
    assert dumped(found) == (1,)
    assert (found.cost.dumps, found.cost.histograms) == (2, 6)


def test_the_budget_goes_into_the_middle_then_the_last_then_all_others(tmp_path: Path) -> None:
    # Longer and longer tasks: at each step the dumps of the step before are among them
    seen = [
        dumped(plan(failed(tmp_path / str(n), seconds=n), death())) for n in (120, 160, 220, 1000)
    ]

    assert seen == [(1,), (1, 301), (1, 301, 601), POINTS]


@pytest.mark.parametrize("seconds", [120, 150, 200, 300])
def test_beyond_what_must_be_no_plan_costs_more_than_a_tenth_of_the_task(
    tmp_path: Path, seconds: int
) -> None:
    (cost,) = plan(failed(tmp_path, seconds=seconds), death()).expected

    assert cost.task_seconds == pytest.approx(seconds, abs=0.1)
    assert cost.seconds <= 0.10 * seconds


def test_the_cost_of_a_plan_is_the_sum_over_its_points(tmp_path: Path) -> None:
    # Live: 100 MB at record 1, 1000 MB at 601, straight between. 630 MB take 5.7 s, or 1.8 s.
    live = ((1, 100), (301, 550))
    found = plan(failed(tmp_path, seconds=20, live=live), death())

    (cost,) = found.expected
    expected = (100 * 5.7 + sum((250, 400, 550, 700, 850, 1000)) * 1.8) / 630
    assert cost.seconds == pytest.approx(expected, rel=0.01)
    assert cost.death_seconds == pytest.approx(1000 * 5.7 / 630, rel=0.01)
    assert cost.dump_bytes == pytest.approx(1100 * MIB, rel=0.01)
    assert f"the probes before the death {expected:.1f} s" in found.summary
    assert "the budget is 10 %" in found.summary


def test_a_histogram_that_the_failed_run_made_says_what_one_costs(tmp_path: Path) -> None:
    trace = failed(tmp_path, seconds=20, live=((1, 100), (301, 550)))
    writer = EventWriter("attempt_1_0001_m_000001_0")
    writer.add("histogram", reason="filling", seconds=0.5, total_bytes=500 * MIB, classes=[])
    other = read_trace(writer.write(tmp_path))
    run = JobRun(
        "job_1_0001", "watch", traces=(trace, other), snapshots={trace.attempt_id or "": (death(),)}
    )

    found = plan_profile([run])

    assert found is not None
    expected = 100 * 5.7 / 630 + sum((250, 400, 550, 700, 850, 1000)) / 1000
    assert found.expected[0].seconds == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("heaps", "why"),
    [
        ((), "no heap dump"),
        ((death(record=60),), "come and go"),
        ((death(segments=60),), "come and go"),
        ((replace(death(), classes=()),), "no heap dump"),
    ],
)
def test_without_a_dump_that_tells_what_stays_all_probes_are_dumps(
    tmp_path: Path, heaps: tuple[HeapObjects, ...], why: str
) -> None:
    found = plan(failed(tmp_path, seconds=20), *heaps)

    assert dumped(found) == POINTS
    assert why in found.expected[0].why
    assert found.expected[0].why in found.summary


def test_a_dump_that_came_after_the_memory_was_released_is_no_dump_of_the_death(
    tmp_path: Path,
) -> None:
    found = plan(failed(tmp_path, seconds=20, live=((600, 900),)), death(500))

    assert dumped(found) == POINTS
    assert "released" in found.summary


def test_while_data_is_loaded_all_probes_are_histograms(tmp_path: Path) -> None:
    writer = EventWriter("attempt_1_0001_m_000000_0", heap_max=HEAP)
    writer.add(
        "failure",
        class_="java.lang.OutOfMemoryError",
        message="Java heap space",
        stack=["com.example.Job.setup(Job.java:1)"],
    )
    trace = read_trace(writer.write(tmp_path, position={"phase": 2}))

    (task,) = plan(trace, death()).tasks

    assert (task.probe, task.probes, task.dumps, task.histograms) == ("histogram", 7, 0, 7)


def test_each_range_of_a_reducer_begins_with_a_dump(tmp_path: Path) -> None:
    writer = EventWriter("attempt_1_0001_r_000000_0", heap_max=HEAP)
    writer.add(
        "failure",
        class_="java.lang.OutOfMemoryError",
        message="Java heap space",
        stack=["com.example.Job.reduce(Job.java:1)"],
    )
    slots = {"phase": 9, "group": 16, "record_in_group": 700, "records_in": 900}
    trace = read_trace(writer.write(tmp_path, position=slots))
    heap = replace(death(), side="reduce", place="reduce")

    (task,) = plan(trace, heap).tasks

    assert isinstance(task, TaskPlan)
    counted = {name: [o for n, o in task.by_histogram if n == name] for name in task.lists}
    assert min(task.before_group) not in counted["before_group"]
    assert 1 not in counted["in_group"]
    assert task.dumps == 2
    assert task.points == task.probes + 1  # a dump stands in where memory is too short for a table
