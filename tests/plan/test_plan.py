"""Probe plans: points from positions, the file, the cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from builders.attempts import EventWriter
from builders.plan_files import parse_plan
from hypothesis import given
from hypothesis import strategies as st

from mprof.errors import UsageError
from mprof.history import AttemptHistory, JobHistory, TaskHistory
from mprof.objects import HeapObjects
from mprof.plan import ProbePlan, plan_profile, plan_verify, render_plan
from mprof.plan.make import spread
from mprof.plan.probe_plan import TaskPlan
from mprof.trace import Trace, read_trace

SAMPLE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "samples" / "mprof.plan"
JOB = "1700000000000_0001"
MAP = 3
COMBINE_IN_SPILL = {
    "phase": 3, "records_in": 9000, "combine_place": 1, "spill": 2, "combine_partition": 4,
    "combine_group": 263, "combine_record_in_group": 747_932,
    "combine_group_digest": 0xABC, "combine_record_digest": 0xDEF,
}  # fmt: skip


@dataclass(frozen=True)
class Recorded:
    """A run as ``mprof.job_run.JobRun``, of which plan knows the shape only."""

    traces: tuple[Trace, ...] = ()
    mode: str = "watch"
    history: JobHistory | None = None
    conf: None = None
    snapshots: Mapping[str, tuple[HeapObjects, ...]] = field(default_factory=dict)


def _failed(
    tmp_path: Path, side: str, index: int, slots: dict[str, int] | None, **failure: Any
) -> Trace:
    writer = EventWriter(f"attempt_{JOB}_{side}_{index:06d}_0", heap_max=512 << 20)
    if failure.pop("opened", None):
        writer.add("open", path="hdfs://h/model", length=70 << 20)
    writer.add(
        "failure",
        class_="java.lang.OutOfMemoryError",
        message="Java heap space",
        stack=["a.B.c(B.java:1)"],
        **failure,
    )
    return read_trace(writer.write(tmp_path, position=slots))


def _plan(trace: Trace, probes: int = 7) -> TaskPlan:
    plan = plan_profile([Recorded((trace,))], probes=probes)
    assert plan is not None
    (task,) = plan.tasks
    return task


def test_a_mapper_is_probed_before_the_first_at_equal_steps_and_before_the_last_record(
    tmp_path: Path,
) -> None:
    task = _plan(_failed(tmp_path, "m", 3, {"phase": MAP, "records_in": 9651}))

    assert task.task == "m_000003"
    assert task.before_record == (1, 1609, 3218, 4826, 6434, 8043, 9651)
    assert (task.dumps, task.points) == (7, 8)


def test_a_reducer_is_probed_over_its_groups_and_inside_the_last(tmp_path: Path) -> None:
    slots = {"phase": 9, "group": 16, "record_in_group": 779_551, "records_in": 800_000}

    task = _plan(_failed(tmp_path, "r", 1, slots))

    assert task.before_group == (1, 3, 6, 9, 11, 13)
    assert task.in_group == (16, (1, 129_926, 259_851, 389_776, 519_701, 649_626, 779_551))
    assert task.points == 14


def test_a_tiny_last_group_takes_few_points(tmp_path: Path) -> None:
    slots = {"phase": 9, "group": 1_000_000, "record_in_group": 3}

    assert _plan(_failed(tmp_path, "r", 1, slots)).in_group == (1_000_000, (1, 2, 3))


@pytest.mark.parametrize(("records", "points"), [(7, 3), (8, 7)])
def test_in_a_group_of_no_more_records_than_probes_three_points_are_enough(
    records: int, points: int, tmp_path: Path
) -> None:
    # the group's own probes come on top of those before other groups, and show no more than these
    slots = {"phase": 9, "group": 50, "record_in_group": records}

    found = _plan(_failed(tmp_path, "r", 1, slots)).in_group

    assert found is not None
    assert (found[0], len(found[1])) == (50, points)
    assert {found[1][0], found[1][-1]} == {1, records}


def test_a_combine_call_in_a_spill_is_addressed_by_spill_partition_and_group(
    tmp_path: Path,
) -> None:
    task = _plan(_failed(tmp_path, "m", 0, COMBINE_IN_SPILL))

    assert task.in_combine is not None
    assert task.in_combine[:3] == (2, 4, 263)
    assert task.in_combine[3][0] == 1
    assert task.in_combine[3][-1] == 747_932
    assert task.before_record == (1, 4501, 9000)


def test_a_combine_call_in_a_merge_is_addressed_by_the_digest_of_its_key(tmp_path: Path) -> None:
    slots = {**COMBINE_IN_SPILL, "combine_place": 3, "phase": 6}

    task = _plan(_failed(tmp_path, "r", 0, slots))

    assert task.in_combine is None
    assert task.in_combine_digest is not None
    assert task.in_combine_digest[0] == "0000000000000abc"
    assert task.points is not None
    assert task.points >= 2 * task.dumps


def test_set_up_is_probed_by_bytes_read(tmp_path: Path) -> None:
    with_file = _plan(_failed(tmp_path / "a", "m", 0, {"phase": 2}, opened=True))
    without = _plan(_failed(tmp_path / "b", "r", 0, {"phase": 8}))

    assert with_file.setup_bytes == (70 << 20) // 7
    assert without.setup_bytes == (512 << 20) // 4 // 7
    assert with_file.points == 7


@pytest.mark.parametrize("phase", [0, 1])
def test_a_task_that_never_read_a_record_is_dumped_at_its_death_only(
    phase: int, tmp_path: Path
) -> None:
    task = _plan(_failed(tmp_path, "m", 0, {"phase": phase}))

    assert (task.mode, task.dumps, task.points) == ("profile", 0, 1)


def test_the_shuffle_runs_no_user_code_and_takes_no_probes(tmp_path: Path) -> None:
    assert _plan(_failed(tmp_path, "r", 0, {"phase": 6, "combine_place": 0})).dumps == 0


@pytest.mark.parametrize(("side", "doubling"), [("m", "map"), ("r", "group")])
def test_without_a_position_the_ordinals_double(side: str, doubling: str, tmp_path: Path) -> None:
    task = _plan(_failed(tmp_path, side, 0, None))

    assert (task.doubling, task.points) == (doubling, 8)


def test_a_job_known_by_its_history_alone_is_profiled_by_doubling() -> None:
    def task(index: int, state: str) -> TaskHistory:
        attempt = AttemptHistory(f"attempt_{JOB}_m_{index:06d}_0", "map", 0, state)
        return TaskHistory(f"t{index}", "map", index, attempts=(attempt,))

    history = JobHistory("avro-json", f"job_{JOB}", tasks=(task(0, "SUCCEEDED"), task(5, "FAILED")))

    plan = plan_profile([Recorded(mode="none", history=history)])

    assert plan is not None
    assert [(each.task, each.doubling) for each in plan.tasks] == [("m_000005", "map")]


def test_a_few_failed_tasks_are_profiled_and_the_rest_watched(tmp_path: Path) -> None:
    slots = {"phase": MAP, "records_in": 100}
    traces = tuple(_failed(tmp_path, "m", index, slots) for index in (7, 2, 9, 4, 1))

    plan = plan_profile([Recorded(traces)])

    assert plan is not None
    assert [each.task for each in plan.tasks] == ["m_000001", "m_000002", "m_000004"]
    assert plan.default == "watch"


def test_nothing_is_planned_for_a_job_in_which_nothing_failed(tmp_path: Path) -> None:
    writer = EventWriter(f"attempt_{JOB}_m_000000_0").add("end", outcome="done")

    assert plan_profile([Recorded((read_trace(writer.write(tmp_path)),))]) is None
    assert plan_verify([Recorded((read_trace(writer.write(tmp_path)),))]) is None


def test_too_few_probes_are_refused() -> None:
    with pytest.raises(UsageError, match="too few"):
        plan_profile([], probes=2)


def test_the_newest_run_that_is_no_verification_is_the_one_planned_from(tmp_path: Path) -> None:
    old = _failed(tmp_path / "a", "m", 0, {"phase": MAP, "records_in": 100})
    new = _failed(tmp_path / "b", "m", 0, {"phase": MAP, "records_in": 200})
    verified = _failed(tmp_path / "c", "m", 0, {"phase": MAP, "records_in": 1})

    plan = plan_profile(
        [Recorded((old,)), Recorded((new,), "profile"), Recorded((verified,), "verify")]
    )

    assert plan is not None
    assert plan.tasks[0].before_record[-1] == 200


def test_the_record_in_flight_is_verified_by_ordinal_in_map(tmp_path: Path) -> None:
    plan = plan_verify([Recorded((_failed(tmp_path, "m", 3, {"phase": MAP, "records_in": 76}),))])

    assert plan is not None
    (task,) = plan.tasks
    assert (task.mode, task.verify_place, task.verify_record) == ("verify", "map", 76)
    assert task.verify_digest is None
    assert "never commits" in plan.summary


def test_the_record_in_flight_is_verified_by_digest_in_reduce_and_combine(tmp_path: Path) -> None:
    slots = {"phase": 9, "group": 2, "group_digest": 0xA, "record_digest": -1 & 0xFFF}
    reduce = plan_verify([Recorded((_failed(tmp_path, "r", 0, slots),))])
    combine = plan_verify([Recorded((_failed(tmp_path, "m", 0, COMBINE_IN_SPILL),))])

    assert reduce is not None
    assert combine is not None
    assert reduce.tasks[0].verify_digest == "0000000000000fff"
    assert reduce.tasks[0].verify_group == "000000000000000a"
    assert combine.tasks[0].verify_place == "combine"
    assert combine.tasks[0].verify_digest == "0000000000000def"


def _reducer(tmp_path: Path, index: int, *, groups: int, whole: bool) -> Trace:
    writer = EventWriter(f"attempt_{JOB}_r_{index:06d}_0")
    writer.add("groups", scope="reduce", count=groups, whole=whole)
    return read_trace(writer.write(tmp_path / str(index), position={"phase": 9}))


def test_reducers_that_were_not_read_to_their_end_count_beside_the_verified_one(
    tmp_path: Path,
) -> None:
    slots = {"phase": 9, "group": 1, "group_digest": 0xA, "record_digest": 0xB}
    failed = _failed(tmp_path, "r", 2, slots)
    killed, finished = (
        _reducer(tmp_path, 0, groups=3, whole=False),
        _reducer(tmp_path, 1, groups=5, whole=True),
    )
    later = _reducer(tmp_path, 3, groups=5, whole=True)  # killed in this run, read in another

    plan = plan_verify(
        [
            Recorded((later,)),
            Recorded((failed, killed, finished, _reducer(tmp_path, 3, groups=1, whole=False))),
        ]
    )

    assert plan is not None
    verified, counting = plan.tasks
    assert (verified.task, verified.counts_only, verified.verify_hold) == ("r_000002", False, 5)
    assert (counting.task, counting.counts_only, counting.mode) == ("r_000000", True, "verify")
    assert counting.verify_hold is not None
    assert counting.verify_hold > 5  # the one that verifies is to fail first
    assert "groups of r_000000 are counted" in plan.summary
    assert plan.cost.dumps == 3  # counting makes none


def test_nothing_counts_beside_a_verification_in_a_combiner_or_a_mapper(tmp_path: Path) -> None:
    mapper = _failed(tmp_path, "m", 3, {"phase": MAP, "records_in": 76})
    other = _reducer(tmp_path, 0, groups=0, whole=False)

    plan = plan_verify([Recorded((mapper, other))])

    assert plan is not None
    assert [(each.task, each.verify_hold) for each in plan.tasks] == [("m_000003", None)]


@pytest.mark.parametrize("slots", [{"phase": 6}, {"phase": 9, "group": 2}, {"phase": 1}])
def test_a_record_that_cannot_be_identified_again_is_not_verified(
    slots: dict[str, int], tmp_path: Path
) -> None:
    assert plan_verify([Recorded((_failed(tmp_path, "r", 0, slots),))]) is None


@given(st.integers(1, 10**6), st.integers(0, 10**9), st.integers(3, 20))
def test_points_rise_hold_both_ends_and_lie_evenly(first: int, more: int, points: int) -> None:
    found = spread(first, first + more, points)

    assert found[0] == first
    assert found[-1] == first + more
    assert len(found) == len(set(found)) == min(points, more + 1)
    steps = [b - a for a, b in pairwise(found)]
    assert not steps or max(steps) - min(steps) <= 1


def test_the_documented_sample_is_read_and_written_again() -> None:
    text = SAMPLE.read_text()

    plan = parse_plan(text)

    assert plan.tasks[0] == TaskPlan(
        "m_000003",
        "profile",
        before_record=(1, 1885, 3769, 5653, 7537, 9425, 9651),
        by_histogram=frozenset(("before_record", each) for each in (1885, 3769, 7537, 9425, 9651)),
        points=8,
        histograms=8,
    )
    assert (plan.tasks[0].probes, plan.tasks[0].dumps) == (7, 2)
    assert plan.job == {"mapreduce.job.map.class": "org.example.SecondStep$TokenMapper"}
    assert plan.tasks[2].verify_digest == "8123456789abcdef"
    assert (plan.tasks[2].counts_only, plan.tasks[3].counts_only) == (False, True)
    assert sorted(render_plan(plan).splitlines()) == sorted(text.split())


def test_every_member_survives_the_file() -> None:
    task = TaskPlan(
        "r_000001",
        "profile",
        before_record=(1, 2),
        before_group=(3,),
        by_histogram=frozenset({("before_record", 2), ("in_group", 5), ("in_combine_digest", 9)}),
        in_group=(16, (1, 5)),
        in_group_digest=("00ab", (2,)),
        in_combine=(0, 1, 2, (3, 4)),
        in_combine_digest=("00cd", (9,)),
        setup_bytes=5,
        doubling="group",
        points=7,
        histograms=6,
        probe="histogram",
        verify_record=1,
        verify_digest="00ef",
        verify_group="0012",
        verify_place="reduce",
        verify_hold=5,
    )

    assert parse_plan(render_plan(ProbePlan((task,)))).tasks == (task,)


def test_the_cost_is_said_before_the_run_and_grows_with_heap_and_points(tmp_path: Path) -> None:
    trace = _failed(tmp_path, "m", 0, {"phase": MAP, "records_in": 10_000})
    few, many = plan_profile([Recorded((trace,))], probes=3), plan_profile([Recorded((trace,))])

    assert few is not None
    assert many is not None
    assert (few.cost.dumps, many.cost.dumps) == (4, 8)
    assert few.cost.bytes < many.cost.bytes
    assert 5 < many.cost.seconds < 60
    assert "8 heap dumps" in many.summary


def test_a_run_that_failed_for_another_reason_is_not_planned_from_where_one_died_of_memory(
    tmp_path: Path,
) -> None:
    died = _failed(tmp_path / "a", "m", 0, {"phase": MAP, "records_in": 100})
    writer = EventWriter(f"attempt_{JOB}_m_000000_0").add(
        "failure", class_="java.io.IOException", message="no output folder"
    )
    other = read_trace(writer.write(tmp_path / "b", position={"phase": MAP, "records_in": 7}))

    plan = plan_profile([Recorded((died,)), Recorded((other,), "profile")])
    alone = plan_profile([Recorded((other,))])

    assert plan is not None
    assert alone is not None
    assert plan.tasks[0].before_record[-1] == 100
    assert alone.tasks[0].before_record[-1] == 7


def test_only_the_record_of_the_attempt_that_is_diagnosed_is_verified(tmp_path: Path) -> None:
    shuffling = _failed(tmp_path, "r", 0, {"phase": 6}, place="shuffle")
    mapping = _failed(tmp_path, "r", 1, {"phase": 9, "group": 2, "record_digest": 5})

    assert plan_verify([Recorded((shuffling, mapping))]) is None
    assert plan_verify([Recorded((mapping,))]) is not None


def test_tasks_that_were_killed_because_the_job_had_failed_are_not_profiled(tmp_path: Path) -> None:
    died = _failed(tmp_path, "m", 0, {"phase": MAP, "records_in": 100})
    folder = EventWriter(f"attempt_{JOB}_r_000000_0").write(tmp_path, position={"phase": 6})
    killed = read_trace(folder, diagnostics="Task KILL is received. Killing attempt!")

    plan = plan_profile([Recorded((killed, died))])

    assert plan is not None
    assert [each.task for each in plan.tasks] == ["m_000000"]


def test_the_cost_in_seconds_is_that_of_the_longest_task_and_in_bytes_that_of_all() -> None:
    short, long = TaskPlan("m_000000", "profile"), TaskPlan("m_000001", "profile", (1, 2, 3))

    both = ProbePlan((short, long), heap_bytes=100 << 20).cost
    alone = ProbePlan((long,), heap_bytes=100 << 20).cost

    assert both.seconds == alone.seconds
    assert both.bytes > alone.bytes
    assert (both.dumps, alone.dumps) == (5, 4)


def test_among_runs_that_failed_otherwise_the_newest_is_planned_from(tmp_path: Path) -> None:
    def other(folder: str, records: int) -> Trace:
        writer = EventWriter(f"attempt_{JOB}_m_000000_0").add(
            "failure", class_="java.io.IOException", message="no"
        )
        position = {"phase": MAP, "records_in": records}
        return read_trace(writer.write(tmp_path / folder, position=position))

    plan = plan_profile([Recorded((other("a", 7),)), Recorded((other("b", 9),))])

    assert plan is not None
    assert plan.tasks[0].before_record[-1] == 9


def test_probes_by_bytes_or_by_doubling_make_as_many_dumps_as_their_bound() -> None:
    assert TaskPlan("m_000000", "profile", setup_bytes=5, points=7).dumps == 7
    assert TaskPlan("m_000000", "profile", doubling="map", points=8).dumps == 8
    assert TaskPlan("m_000000", "verify", verify_record=5, points=3).dumps == 2


@pytest.mark.parametrize(("records", "profiled"), [(60, True), (40, False)])
def test_a_task_that_was_killed_beside_the_failed_one_may_die_first_next_time(
    tmp_path: Path, records: int, profiled: bool
) -> None:
    died = _failed(tmp_path, "m", 0, {"phase": MAP, "records_in": 100})
    folder = EventWriter(f"attempt_{JOB}_m_000001_0").write(
        tmp_path, position={"phase": MAP, "records_in": records}
    )
    killed = read_trace(folder, diagnostics="Task KILL is received. Killing attempt!")

    plan = plan_profile([Recorded((killed, died))])

    assert plan is not None
    names = [each.task for each in plan.tasks]
    assert names == (["m_000000", "m_000001"] if profiled else ["m_000000"])
    if profiled:
        assert plan.tasks[1].before_record[-1] == records


def _otherwise(folder: Path, index: int) -> Trace:
    writer = EventWriter(f"attempt_{JOB}_m_{index:06d}_0").add(
        "failure", class_="java.io.IOException", message="connection lost"
    )
    return read_trace(writer.write(folder, position={"phase": MAP, "records_in": 500}))


def _killed(folder: Path, side: str, index: int, slots: dict[str, int]) -> Trace:
    writer = EventWriter(f"attempt_{JOB}_{side}_{index:06d}_0")
    return read_trace(
        writer.write(folder, position=slots),
        diagnostics="Task KILL is received. Killing attempt!",
    )


def test_beside_a_death_of_memory_a_task_that_failed_otherwise_is_only_watched(
    tmp_path: Path,
) -> None:
    died = _failed(tmp_path, "m", 1, {"phase": MAP, "records_in": 100})

    plan = plan_profile([Recorded((_otherwise(tmp_path, 0), died))])

    assert plan is not None
    assert [each.task for each in plan.tasks] == ["m_000001"]


def test_of_a_job_that_failed_otherwise_the_killed_tasks_are_only_watched(tmp_path: Path) -> None:
    killed = _killed(tmp_path, "m", 1, {"phase": MAP, "records_in": 900})

    plan = plan_profile([Recorded((killed, _otherwise(tmp_path, 0)))])

    assert plan is not None
    assert [each.task for each in plan.tasks] == ["m_000000"]


def test_a_killed_reducer_is_no_rival_of_a_mapper_that_died(tmp_path: Path) -> None:
    died = _failed(tmp_path, "m", 0, {"phase": MAP, "records_in": 100})
    slots = {"phase": 9, "group": 3, "record_in_group": 80, "records_in": 90}

    plan = plan_profile([Recorded((_killed(tmp_path, "r", 0, slots), died))])

    assert plan is not None
    assert [each.task for each in plan.tasks] == ["m_000000"]


def test_set_up_that_reads_several_files_is_probed_over_all_of_them(tmp_path: Path) -> None:
    writer = EventWriter(f"attempt_{JOB}_m_000000_0", heap_max=512 << 20)
    for name in ("a", "b"):
        writer.add("open", path=f"hdfs://h/{name}", length=70 << 20)
    writer.add("failure", class_="java.lang.OutOfMemoryError", message="Java heap space")

    task = _plan(read_trace(writer.write(tmp_path, position={"phase": 2})))

    assert task.setup_bytes == 20 << 20
