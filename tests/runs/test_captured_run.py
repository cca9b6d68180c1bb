"""Runs whose command starts no job end in words; runs that fill the disk are runs all the same."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, NoReturn, cast

import pytest

from mprof.errors import ClusterError
from mprof.hadoop import (
    Cluster,
    ContainerRoom,
    FileStatus,
    JobStatus,
    Submission,
    TaggedApplication,
)
from mprof.runs.agent_injection import settings_in
from mprof.runs.capture import create_capture, open_capture
from mprof.runs.captured_run import RunRequest, capture_run, no_job_error
from mprof.runs.observer import SilentObserver


def submission(
    *,
    local: tuple[str, ...] = (),
    tail: tuple[str, ...] = (),
    memory_error: str | None = None,
    exit_code: int = 0,
) -> Submission:
    return Submission(
        exit_code=exit_code,
        job_ids=(),
        untagged_job_ids=(),
        local_job_ids=local,
        uber_job_ids=(),
        output_tail=tail,
        tag="mprof-1",
        memory_error=memory_error,
    )


@pytest.mark.parametrize(
    ("done", "what", "next_step"),
    [
        (
            submission(local=("job_local9_0001",)),
            "job_local9_0001 ran inside the command, not on the cluster",
            "-D mapreduce.framework.name=yarn, of Pig without -x local",
        ),
        (
            submission(local=("job_local9_0001",), exit_code=2),
            "not on the cluster; the command ended with exit code 2",
            "-D mapreduce.framework.name=yarn",
        ),
        (
            submission(local=("job_local9_0001",), memory_error="Java heap space", exit_code=1),
            "not on the cluster, and ran out of memory there (Java heap space)",
            "all tasks share the heap of HADOOP_CLIENT_OPTS",
        ),
        (
            submission(exit_code=-9),
            "the command was ended by a signal (SIGKILL) before it had started a job",
            "dmesg",
        ),
        (
            submission(tail=("FileAlreadyExistsException: Output directory out",)),
            "started no job",
            "its output folder exists",
        ),
        (
            submission(memory_error="Java heap space"),
            "the command itself ran out of memory (Java heap space) before it had started a job",
            "HADOOP_CLIENT_OPTS=-Xmx2g",
        ),
        (submission(), "exit code 0 and started no job", "read its output above"),
    ],
)
def test_why_there_was_no_job_on_the_cluster(done: Submission, what: str, next_step: str) -> None:
    error = no_job_error(done)

    assert what in error.what
    assert next_step in (error.next_step or "")


class ClusterWithAJob:
    """One job, which failed; its files are fetched onto a disk that is full by then."""

    is_embedded = True
    local_log_dirs = None
    job = JobStatus(
        job_id="job_1_0001", name="j", state="FAILED", user="u", diagnostics="", submit_time_ms=1,
        start_time_ms=1, finish_time_ms=2, has_history=True, uber=False,
    )  # fmt: skip

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def patch_classes(self, agent: Path, target: Path) -> int:
        return 0

    def stage(self, files: object) -> str:
        del files
        return "staged"

    def unstage(self, uri: str) -> None:
        del uri

    def exists(self, uri: str) -> bool:
        del uri
        return False

    def status(self, uri: str) -> FileStatus:
        return FileStatus(uri=uri, is_folder=False, size_bytes=1, modified_ms=1)

    def submit(self, *_: object, **__: object) -> Submission:
        return replace(submission(), job_ids=("job_1_0001",))

    def wait(self, *_: object) -> tuple[JobStatus, ...]:
        for name in ("write_bytes", "write_text"):
            self._monkeypatch.setattr(Path, name, _full)
        return (self.job,)

    fetch_history = fetch_attempt_files = lambda *_, **__: _full()


class ClusterWithCopies(ClusterWithAJob):
    """The same with what an agent copied; the gateway's words for a full disk are its own."""

    def exists(self, uri: str) -> bool:
        return uri.endswith("/attempts")

    def list(self, uri: str) -> tuple[FileStatus, ...]:
        name = "attempt_1_0001_m_000000_0"
        inside = uri.endswith(name)
        path = f"{uri}/events.jsonl" if inside else f"{uri}/{name}"
        return (FileStatus(uri=path, is_folder=not inside, size_bytes=1, modified_ms=0),)

    def fetch(self, uri: str, into: Path) -> Path:
        del uri
        into.mkdir(parents=True)
        return into

    def wait(self, *_: object) -> tuple[JobStatus, ...]:
        return (self.job,)

    def fetch_history(self, *_: object) -> None:
        pass

    def fetch_attempt_files(self, *_: object, **__: object) -> None:
        pass


def _refuse() -> NoReturn:
    raise ClusterError("java.io.IOException: No space left on device", next_step="make room")


def _full(*_: object, **__: object) -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_disk_that_is_full_when_files_are_fetched_leaves_a_finished_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = create_capture(tmp_path / "c")
    request = RunRequest(
        command=("hadoop", "jar", "x.jar"), mode="watch", plan=None, why="a test", settings={},
        room=ContainerRoom(0),
    )  # fmt: skip

    made = capture_run(
        cast("Cluster", ClusterWithAJob(monkeypatch)), capture, request, SilentObserver()
    )

    monkeypatch.undo()
    (run,) = open_capture(tmp_path / "c").runs
    assert run.manifest == made.manifest
    assert run.manifest.job_ids == ("job_1_0001",)


@pytest.mark.parametrize("follow", [True, False])
@pytest.mark.parametrize("embedded", [True, False])
def test_a_disk_of_ones_own_may_become_fuller_and_a_followed_job_copies_more_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedded: bool, follow: bool
) -> None:
    submitted: dict[str, str] = {}

    class Recording(ClusterWithCopies):
        is_embedded = embedded

        def submit(self, *_: object, **how: object) -> Submission:
            submitted.update(cast("dict[str, str]", how["overlay"]))
            return super().submit()

    request = RunRequest(
        command=("hadoop", "jar", "x.jar"), mode="watch", plan=None, why="a test", settings={},
        room=ContainerRoom(0), follow=follow,
    )  # fmt: skip

    capture_run(
        cast("Cluster", Recording(monkeypatch)),
        create_capture(tmp_path / "c"),
        request,
        SilentObserver(),
    )

    settings = settings_in(submitted["mapreduce.task.profile.map.params"])
    assert settings.get("disk.percent") == ("95" if embedded else None)
    assert ("capture" in settings) is not embedded
    # The name node is not asked more often than it has to be.
    assert settings.get("copy.seconds") == ("60" if follow and not embedded else None)


@pytest.mark.parametrize("fails", ["list", "fetch", "unstage"])
def test_what_the_cluster_refuses_once_the_job_has_ended_leaves_a_finished_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    class Refusing(ClusterWithCopies):
        pass

    setattr(Refusing, fails, lambda *_: _refuse())
    capture = create_capture(tmp_path / "c")
    request = RunRequest(
        command=("hadoop", "jar", "x.jar"), mode="watch", plan=None, why="a test", settings={},
        room=ContainerRoom(0),
    )  # fmt: skip

    capture_run(cast("Cluster", Refusing(monkeypatch)), capture, request, SilentObserver())

    (run,) = open_capture(tmp_path / "c").runs
    missing = run.jobs[0].path / "missing.txt"
    lost = missing.read_text() if missing.is_file() else ""
    assert (fails != "unstage") == ("No space left on device" in lost)


class InterruptedCluster(ClusterWithAJob):
    """A cluster whose job runs on when Ctrl-C ends the command."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, embedded: bool, stays: bool) -> None:
        super().__init__(monkeypatch)
        self.is_embedded = embedded
        self.stays = stays

    def submit(self, *_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    def tagged(self, tag: str) -> tuple[TaggedApplication, ...]:
        del tag
        return tuple(
            TaggedApplication(
                f"application_1_000{number}", f"job_1_000{number}", "MAPREDUCE", state
            )
            for number, state in ((1, "RUNNING"), (2, "SUCCEEDED"))
        )

    def command(self, name: str) -> str:
        return f"/c/bin/{name}" if self.is_embedded else name


@pytest.mark.parametrize(
    ("embedded", "stays", "words"),
    [
        (True, True, ("mprof diagnose --embedded job_1_0001", "/c/bin/yarn application -kill")),
        (False, True, ("mprof diagnose job_1_0001", ": yarn application -kill")),
        (True, False, ("ends here", "mprof cluster start")),
    ],
    ids=["embedded", "real", "embedded for this command"],
)
def test_after_ctrl_c_a_way_on_is_named(
    embedded: bool,
    stays: bool,
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Heard(SilentObserver):
        said: ClassVar[list[str]] = []

        def stage(self, text: str) -> None:
            self.said.append(text)

    cluster = InterruptedCluster(monkeypatch, embedded=embedded, stays=stays)
    request = RunRequest(
        command=("hadoop", "jar", "x.jar"), mode="watch", plan=None, why="a test", settings={},
        room=ContainerRoom(0),
    )  # fmt: skip

    with pytest.raises(KeyboardInterrupt):
        capture_run(cast("Cluster", cluster), create_capture(tmp_path / "c"), request, Heard())

    (said,) = [one for one in Heard.said if "job_1_" in one]
    assert all(word in said for word in ("job_1_0001", *words))
