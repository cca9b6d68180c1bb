"""A job that died and then finished: the report says how near its limit it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.attempts import EventWriter
from builders.keys import static_key
from builders.snapshots import MIB, holding, snapshot

from mprof.diagnosis import diagnose_runs
from mprof.job_run import JobRun
from mprof.trace import read_trace

JOBS = ("1700000000000_0001", "1700000000000_0002")
KEPT = static_key("com.x.Words", "INSTANCE", "seen")
OOM = {"class_": "java.lang.OutOfMemoryError", "message": "Java heap space", "thread": "main"}


def died(folder: Path) -> JobRun:
    name = f"attempt_{JOBS[0]}_m_000003_0"
    writer = EventWriter(name, heap_max=250 * MIB)
    writer.add("dump", file="oom.hprof", reason="oom")
    writer.add("failure", place="map", **OOM)
    held = [holding(KEPT, 160 * MIB)]
    death = snapshot("oom", held, at_death=True, framework=60 * MIB, other=20 * MIB)
    trace = read_trace(writer.write(folder, position={"phase": 3, "records_in": 90}))
    return JobRun(f"job_{JOBS[0]}", "watch", traces=(trace,), snapshots={name: (death,)})


def finished(
    folder: Path,
    live: int | None,
    *,
    state: str = "SUCCEEDED",
    index: int = 3,
    heap: int = 250 * MIB,
) -> JobRun:
    name = f"attempt_{JOBS[1]}_m_{index:06d}_0"
    writer = EventWriter(name, heap_max=heap, mode="profile")
    for size in () if live is None else (live // 2, live, live // 3):
        writer.add("memory", major=True, used_after=size, at={"phase": "map", "records_in": 9})
    writer.add("memory", major=False, used_after=249 * MIB, at={"phase": "map", "records_in": 99})
    writer.add("end", outcome="done")
    trace = read_trace(writer.write(folder, position={"phase": 12, "records_in": 100}))
    return JobRun(f"job_{JOBS[1]}", "profile", traces=(trace,), state=state)


@pytest.mark.parametrize(
    ("live", "said"),
    [
        (235 * MIB, "235 MB live of 250 MB (94%); 240 MB were live when it died: it is at its"),
        (100 * MIB, "100 MB live of 250 MB (40%); 240 MB were live when it died: what filled the"),
    ],
)
def test_how_full_it_was_where_it_succeeded_and_what_that_means(
    tmp_path: Path, live: int, said: str
) -> None:
    older, near = diagnose_runs([died(tmp_path / "1"), finished(tmp_path / "2", live)]).losses[-2:]

    assert older.startswith(f"the newest run, job_{JOBS[1]}, succeeded: this report is on job_")
    assert said in near


def test_a_larger_heap_is_the_reason_that_is_named(tmp_path: Path) -> None:
    again = finished(tmp_path / "2", 300 * MIB, heap=800 * MIB)

    near = diagnose_runs([died(tmp_path / "1"), again]).losses[-1]

    assert "300 MB live of 800 MB (38%)" in near
    assert near.endswith("it ran with other settings, its heap was 250 MB before")


def test_nothing_is_said_where_no_collection_or_another_task_says_it(tmp_path: Path) -> None:
    first = died(tmp_path / "1")
    for name, again in (
        ("2", finished(tmp_path / "2", None)),
        ("3", finished(tmp_path / "3", 235 * MIB, index=4)),
        ("4", finished(tmp_path / "4", 235 * MIB, state="KILLED")),
    ):
        assert not [one for one in diagnose_runs([first, again]).losses if "of 250 MB" in one], name
