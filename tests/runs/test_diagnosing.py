"""What ``diagnose`` says of what is no evidence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mprof.errors import EvidenceError
from mprof.hadoop import JobStatus
from mprof.runs import SilentObserver, diagnose, diagnosing
from mprof.runs.capture import RunManifest, create_capture, write_manifest

JOB = "job_1700000000000_0001"


def test_no_cluster_is_asked_for_a_job_that_ran_inside_the_command() -> None:
    with pytest.raises(EvidenceError, match="job_local7_0001 ran inside the command") as raised:
        diagnose(
            "job_local7_0001", embedded=True, conf_dir=None, capture=None, observer=SilentObserver()
        )

    assert "mapreduce.framework.name=yarn" in raised.value.next_step


def test_a_job_that_is_still_running_leaves_no_folder_that_would_be_read_instead_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Running:
        def job(self, job_id: str) -> JobStatus:
            return JobStatus(
                job_id, "n", "RUNNING", "u", "", 1, 1, None, has_history=False, uber=False
            )

    @contextmanager
    def connected(*_: object, **__: object) -> Iterator[Running]:
        yield Running()

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mprof.hadoop.connect", connected)

    for _ in range(2):
        with pytest.raises(EvidenceError, match="is still running"):
            diagnose(JOB, embedded=False, conf_dir=None, capture=None, observer=SilentObserver())

    assert list(tmp_path.iterdir()) == []


def test_a_capture_that_was_broken_off_before_it_had_a_run_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    capture = create_capture(Path(f"mprof-{JOB}"))
    folder = capture.new_run_folder()
    assert diagnosing.kept_capture(JOB) is None

    write_manifest(folder, RunManifest("none", (), (JOB,), None, {}, 1, ""))

    assert diagnosing.kept_capture(JOB) is not None
