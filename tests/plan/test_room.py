"""The container of a rerun holds the whole heap and what the process had beside it."""

from __future__ import annotations

from pathlib import Path

from builders.attempts import EventWriter

from mprof.history import JobConf
from mprof.job_run import JobRun
from mprof.plan import plan_room
from mprof.trace import read_trace
from mprof.units import MIB

JOB = "1700000000000_0001"


def run(
    folder: Path,
    used: str,
    limit: str,
    *,
    heap: int,
    seen: int | None = None,
    side: str = "m",
    conf: dict[str, str] | None = None,
    what: str = "PHYSICAL",
) -> JobRun:
    """A run whose task 3 was killed; ``heap`` and ``seen`` (of it in use) in MB."""
    writer = EventWriter(f"attempt_{JOB}_{side}_000003_0", heap_max=heap * MIB)
    if seen is not None:
        writer.add("process", resident=seen * MIB, heap_used=seen * MIB)
    words = (
        f"Container [pid=1] is running 5B beyond the '{what}' memory limit. Current usage: {used} "
        f"of {limit} physical memory used; 5 GB of 2 GB virtual memory used. Killing container."
    )
    trace = read_trace(writer.write(folder), diagnostics=words, state="FAILED")
    return JobRun(f"job_{JOB}", "watch", traces=(trace,), conf=JobConf(conf) if conf else None)


def test_a_heap_larger_than_its_container_gets_all_of_it_and_what_stood_beside_it(
    tmp_path: Path,
) -> None:
    # 100 MB beside the heap, and 128 MB to spare: 3,228 MB
    plan = plan_room([run(tmp_path, "1.0 GB", "1 GB", heap=3000, seen=924)])
    assert plan.map_mb == 3328
    assert plan.reduce_mb is None
    assert "3328 MB for each map task" in plan.summary
    assert "-Xmx and all other options as they were" in plan.summary


def test_what_grows_outside_the_heap_gets_twice_the_container_at_least(tmp_path: Path) -> None:
    plan = plan_room([run(tmp_path, "513 MB", "512 MB", heap=128, seen=20, side="r")])
    assert (plan.map_mb, plan.reduce_mb) == (None, 1024)


def test_what_was_not_measured_is_taken_to_be_the_heaps(tmp_path: Path) -> None:
    assert plan_room([run(tmp_path, "1 GB", "1 GB", heap=1800)]).map_mb == 2048


def test_room_that_an_earlier_rerun_had_the_next_run_has_too(tmp_path: Path) -> None:
    killed = run(tmp_path / "1", "1 GB", "1 GB", heap=800)
    given = {"mprof.container.headroom.mb": "32", "mprof.container.room.map.mb": "5120"}
    again = JobRun(f"job_{JOB}", "profile", conf=JobConf(given))
    assert plan_room([killed, again]).map_mb == 5120


def test_address_space_beyond_its_limit_gets_so_much_more(tmp_path: Path) -> None:
    # 5 of 2 GB: a container of 1 GB would have to be 2.5, and a quarter is spare
    plan = plan_room([run(tmp_path, "300 MB", "1 GB", heap=200, what="VIRTUAL")])
    assert plan.map_mb == 3200


def test_a_job_whose_containers_were_not_killed_keeps_them(tmp_path: Path) -> None:
    writer = EventWriter(f"attempt_{JOB}_m_000003_0", heap_max=200 * MIB)
    writer.add("failure", class_="java.lang.OutOfMemoryError", message="Java heap space")
    trace = read_trace(writer.write(tmp_path), state="FAILED")
    plan = plan_room([JobRun(f"job_{JOB}", "watch", traces=(trace,))])
    assert (plan.map_mb, plan.reduce_mb, plan.summary) == (None, None, "")
