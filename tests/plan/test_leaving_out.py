"""The run without R_n: the task that died gets all its records but that one."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from builders.attempts import EventWriter
from builders.plan_files import parse_plan

from mprof.plan import plan_leave_out, render_plan
from mprof.trace import read_trace

JOB = "1700000000000_0001"


def died(tmp_path: Path, side: str, slots: dict[str, int]) -> list[SimpleNamespace]:
    writer = EventWriter(f"attempt_{JOB}_{side}_000003_0", heap_max=512 << 20)
    error = {"class_": "java.lang.OutOfMemoryError", "message": "Java heap space"}
    writer.add("failure", stack=["a.B.c(B.java:1)"], **error)
    trace = read_trace(writer.write(tmp_path, position=slots))
    return [SimpleNamespace(traces=(trace,), mode="watch", history=None, conf=None, snapshots={})]


def test_a_record_of_map_is_left_out_by_its_ordinal(tmp_path: Path) -> None:
    plan = plan_leave_out(died(tmp_path, "m", {"phase": 3, "records_in": 76}), "record")  # type: ignore[arg-type]
    assert plan is not None
    (task,) = plan.tasks
    # without a place a verify attempt hands over all of its input
    assert (task.task, task.mode, task.leave_out_record) == ("m_000003", "verify", 76)
    assert (task.verify_place, task.verify_record, task.dumps) == (None, None, 0)
    assert "never commits" in plan.summary
    assert parse_plan(render_plan(plan)).tasks == plan.tasks
    assert "m_000003.leave_out_record=76" in render_plan(plan).splitlines()


def test_records_whose_order_differs_from_run_to_run_are_not(tmp_path: Path) -> None:
    of_reduce = {"phase": 9, "group": 2, "group_digest": 0xA, "record_digest": 0xB}
    of_combine = {"phase": 3, "records_in": 9, "combine_place": 1, "combine_group": 2,
                  "combine_record_in_group": 3, "combine_group_digest": 0xABC,
                  "combine_record_digest": 0xDEF}  # fmt: skip
    assert plan_leave_out(died(tmp_path / "r", "r", of_reduce), "record") is None  # type: ignore[arg-type]
    assert plan_leave_out(died(tmp_path / "m", "m", of_combine), "record") is None  # type: ignore[arg-type]


def test_a_group_is_left_out_by_the_digest_of_its_key(tmp_path: Path) -> None:
    slots = {"phase": 9, "group": 2, "group_digest": 0xA, "record_digest": 0xB}
    plan = plan_leave_out(died(tmp_path / "r", "r", slots), "group")  # type: ignore[arg-type]
    assert plan is not None
    (task,) = plan.tasks
    assert (task.task, task.mode, task.leave_out_group) == ("r_000003", "verify", f"{0xA:016x}")
    assert parse_plan(render_plan(plan)).tasks == plan.tasks
    of_map = {"phase": 3, "records_in": 76}
    assert plan_leave_out(died(tmp_path / "m", "m", of_map), "group") is None  # type: ignore[arg-type]
