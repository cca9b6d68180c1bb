"""What a recorded job could not tell is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from builders.attempts import EventWriter

from mprof.hadoop import JobStatus
from mprof.hadoop.values import AttemptStatus
from mprof.runs.capture import JobFolder
from mprof.runs.load import load_job
from mprof.runs.observer import SilentObserver

JOB = "job_1700000000000_0001"
MAP = "attempt_1700000000000_0001_m_000000_0"


@pytest.mark.parametrize(
    ("armed", "message", "losses"),
    [
        (
            {"armed": False, "why": {"code": "disk_full", "percent": 80}},
            "Java heap space",
            (f"{MAP}: no heap dump at its death: the disk would be more than 80 % full",),
        ),
        (
            {"armed": False, "why": {"code": "error", "class": "armed.by.Nobody"}},
            "Java heap space",
            (f"{MAP}: no heap dump at its death: armed.by.Nobody",),
        ),
        ({"armed": True}, "Java heap space", ()),
        ({"armed": True, "path": "not armed"}, "Java heap space", ()),
        (None, "Java heap space", ()),
        ({"armed": False, "why": {"code": "disk_full", "percent": 80}}, "Metaspace", ()),
    ],
)
def test_why_no_dump_was_made_of_a_full_heap_is_a_loss(
    armed: dict[str, Any] | None, message: str, losses: tuple[str, ...], tmp_path: Path
) -> None:
    writer = EventWriter(MAP, oom_dump=armed)
    writer.add("failure", place="map", class_="java.lang.OutOfMemoryError", message=message)
    writer.write(tmp_path / "attempts")

    assert load_job(JobFolder(JOB, tmp_path), "watch", SilentObserver()).losses == losses


@pytest.mark.parametrize("uber", [True, False])
def test_tasks_inside_the_application_master_are_said_to_be_unwatched(
    uber: bool, tmp_path: Path
) -> None:
    job = JobStatus(
        JOB, "words", "FAILED", "me", "", None, None, None, has_history=False, uber=uber
    )
    (tmp_path / "job.json").write_bytes(msgspec.json.encode(job))

    losses = load_job(JobFolder(JOB, tmp_path), "watch", SilentObserver()).losses

    assert uber == any("uber mode" in loss and loss.startswith(JOB) for loss in losses)


def test_without_a_history_the_cluster_tells_of_attempts_that_left_no_file(tmp_path: Path) -> None:
    EventWriter(MAP).write(tmp_path / "attempts")
    other = MAP.replace("m_000000", "m_000001")
    attempts = tuple(
        AttemptStatus(
            name, "MAP", state, container_id=None, node=None, diagnostics=words, exit_code=None,
            run_time_ms=None,
        )
        for name, state, words in (
            (MAP, "SUCCEEDED", ""),
            (other, "TIPFAILED", "Error: Java heap space"),
            (MAP.replace("_0", "_1"), "KILLED", ""),
        )
    )  # fmt: skip
    job = JobStatus(
        JOB, "words", "FAILED", "me", "", None, None, None, has_history=False, uber=False,
        attempts=attempts,
    )  # fmt: skip
    (tmp_path / "job.json").write_bytes(msgspec.json.encode(job))

    traces = load_job(JobFolder(JOB, tmp_path), "watch", SilentObserver()).traces

    assert [(one.attempt_id, one.state, one.death.kind) for one in traces] == [
        (MAP, "SUCCEEDED", "none"),
        (other, "FAILED", "heap"),
    ]


@pytest.mark.parametrize("content", [b'{"job_id": "job_1', b'{"job_id": 7}', b'"\xff"', b""])
def test_a_broken_job_status_is_a_loss_that_names_its_file(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "job.json").write_bytes(content)

    run = load_job(JobFolder(JOB, tmp_path), "watch", SilentObserver())

    (loss,) = run.losses
    assert loss.startswith("job.json cannot be read: ")
    assert run.state is None


def test_a_job_whose_status_was_never_fetched_has_lost_nothing(tmp_path: Path) -> None:
    EventWriter(MAP).write(tmp_path / "attempts", files={"syslog": ""})

    assert load_job(JobFolder(JOB, tmp_path), "none", SilentObserver()).losses == ()
