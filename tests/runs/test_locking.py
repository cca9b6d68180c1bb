"""One mprof at a time adds to a capture; a process that died holds nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mprof.errors import ClusterError, UsageError
from mprof.runs import rerun, run
from mprof.runs.capture import RunManifest, create_capture, write_manifest
from mprof.runs.locking import adding_to

_HOLDS = """
import sys
from pathlib import Path
from mprof.runs.capture import create_capture
from mprof.runs.locking import adding_to
with adding_to(create_capture(Path(sys.argv[1])), new=True):
    print("held", flush=True)
    sys.stdin.read()
"""


def _holder(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLDS, str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def _finished(path: Path) -> None:
    manifest = RunManifest("watch", ("hadoop",), ("job_1_0001",), 1, {}, 1, "a test")
    write_manifest(create_capture(path).new_run_folder(), manifest)


def test_two_runs_into_one_capture_are_one_run_and_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "capture"
    monkeypatch.setenv("PATH", "")  # so that the run that goes on finds no cluster
    with _holder(path) as holder:
        with pytest.raises(UsageError, match="another mprof is working on the capture"):
            run(["hadoop", "jar", "x.jar"], capture=path, embedded=False)
        assert not (path / "runs").exists()
        holder.communicate()

    with pytest.raises(ClusterError, match="the command hadoop was not found"):
        run(["hadoop", "jar", "x.jar"], capture=path, embedded=False)


def test_a_rerun_of_a_capture_at_work_is_refused_before_anything_starts(tmp_path: Path) -> None:
    path = tmp_path / "capture"
    with _holder(path) as holder:
        with pytest.raises(UsageError, match="another mprof is working on the capture"):
            rerun(str(path), ["hadoop", "jar", "x.jar"], embedded=False)
        holder.communicate()


def test_a_process_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "capture"
    with _holder(path) as holder:
        holder.kill()

    with adding_to(create_capture(path), new=True):
        pass


def test_a_run_that_another_has_finished_meanwhile_is_not_added_to_as_a_new_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "capture"
    capture = create_capture(path)
    _finished(path)

    with (
        pytest.raises(UsageError, match="has just finished a run in"),
        adding_to(capture, new=True),
    ):
        pytest.fail("it was not refused")
    with adding_to(capture, new=False):
        pass
