"""Old captures leave the capture area, and nothing else does."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from mprof.errors import ClusterError, EvidenceError
from mprof.hadoop import Cluster, FileStatus
from mprof.runs.switch import expire

DAY = 86_400.0
JOB = "job_1700000000000_0007"
ATTEMPT = "attempt_1700000000000_0007_m_000003_0"


class LocalCluster:
    """A cluster whose file system is this machine's; ``running`` are its jobs."""

    def __init__(self, *running: str) -> None:
        self.running = frozenset(running)

    def live_jobs(self) -> frozenset[str]:
        return self.running

    def list(self, uri: str) -> tuple[FileStatus, ...]:
        return tuple(
            FileStatus(
                uri=str(p),
                is_folder=p.is_dir(),
                size_bytes=p.stat().st_size,
                modified_ms=int(p.stat().st_mtime * 1000),
                is_link=p.is_symlink(),
            )
            for p in sorted(Path(uri).iterdir())
        )

    def head(self, uri: str, most_bytes: int) -> bytes:
        return Path(uri).read_bytes()[:most_bytes]

    def delete_one(self, uri: str) -> None:
        try:
            if Path(uri).is_dir():
                Path(uri).rmdir()
            else:
                Path(uri).unlink()
        except OSError as error:
            raise ClusterError(str(error), next_step="") from error


@pytest.fixture
def area(tmp_path: Path) -> Path:
    """A capture area with one job, as the agent leaves it, ten days old."""
    folder = tmp_path / "area" / JOB / ATTEMPT
    folder.mkdir(parents=True)
    (folder / "events.jsonl").write_text('{"v":2,"t":1,"type":"attach"}\n')
    (folder / "position.bin").write_bytes(b"MPROFPOS" + bytes(504))
    (folder / f"oom-{ATTEMPT}.hprof").write_bytes(b"JAVA PROFILE 1.0.2\0" + bytes(981))
    (folder / ".events.jsonl.part").write_text("")
    for claim in (".attempt-4", ".dump-1"):
        (folder.parent / claim).touch()
    age(tmp_path / "area", days=10)
    return tmp_path / "area"


def age(folder: Path, *, days: float) -> None:
    then = time.time() - days * DAY
    for path in [*folder.rglob("*"), folder]:
        if not path.is_symlink():
            os.utime(path, (then, then))


def why_kept(area: Path, *running: str, days: float = 7, pretend: bool = False) -> list[str | None]:
    cluster = cast("Cluster", LocalCluster(*running))
    found = expire(cluster, str(area), older_than_seconds=days * DAY, pretend=pretend)
    return [one.kept for one in found]


def test_an_old_job_goes_with_all_that_the_agent_wrote(area: Path) -> None:
    cluster = cast("Cluster", LocalCluster())
    (one,) = expire(cluster, str(area), older_than_seconds=7 * DAY, pretend=False)

    assert (None, 30 + 512 + 1000) == (one.kept, one.size_bytes)
    assert [] == list(area.iterdir())


def test_a_dry_run_says_the_same_and_deletes_nothing(area: Path) -> None:
    assert [None] == why_kept(area, pretend=True)
    assert 8 == len(list(area.rglob("*")))


def test_a_running_job_and_a_young_one_stay(area: Path) -> None:
    assert ["the job is running"] == why_kept(area, JOB)
    os.utime(area / JOB / ATTEMPT / "position.bin")
    assert ["not old enough"] == why_kept(area)


def _note_beside(job: Path) -> Path:
    (job / "notes.txt").write_text("mine")
    return job / "notes.txt"


def _note_in_attempt(job: Path) -> Path:
    (job / ATTEMPT / "notes.txt").write_text("mine")
    return job / ATTEMPT / "notes.txt"


def _other_content(job: Path) -> Path:
    (job / ATTEMPT / "events.jsonl").write_text("my calendar")
    return job / ATTEMPT / "events.jsonl"


def _filled_claim(job: Path) -> Path:
    (job / ".dump-1").write_text("mine")
    return job / ".dump-1"


def _link_to_folder(job: Path) -> Path:
    other = job.parents[1] / "attempt_elsewhere"
    other.mkdir()
    (other / "events.jsonl").write_text('{"v":2,')
    link = job / "attempt_1700000000000_0007_m_000009_0"
    link.symlink_to(other)
    return link


def _link_to_events(job: Path) -> Path:
    other = job.parents[1] / "attempt_of_mine"
    other.mkdir()
    (job / ATTEMPT / "events.jsonl").rename(other / "events.jsonl")
    (job / ATTEMPT / "events.jsonl").symlink_to(other / "events.jsonl")
    return job / ATTEMPT / "events.jsonl"


def _folder_in_attempt(job: Path) -> Path:
    (job / ATTEMPT / "oom-attempt_1.hprof").mkdir()
    return job / ATTEMPT / "oom-attempt_1.hprof"


def _attempt_of_another_job(job: Path) -> Path:
    other = job / "attempt_1700000000000_0008_m_000003_0"
    other.mkdir()
    return other


@pytest.mark.parametrize(
    "put",
    [
        _note_beside,
        _note_in_attempt,
        _other_content,
        _filled_claim,
        _link_to_folder,
        _link_to_events,
        _folder_in_attempt,
        _attempt_of_another_job,
    ],
)
def test_a_job_folder_with_anything_else_in_it_stays_whole(
    area: Path, put: Callable[[Path], Path]
) -> None:
    foreign = put(area / JOB)
    age(area.parent, days=10)
    before = sorted(area.parent.rglob("*"))

    assert [f"{foreign} was not written by the agent"] == why_kept(area)
    assert before == sorted(area.parent.rglob("*"))


def test_what_is_no_job_is_left_alone(area: Path, tmp_path: Path) -> None:
    (tmp_path / JOB).mkdir()
    (area / "job_1700000000000_0009").symlink_to(tmp_path / JOB)
    (area / "results").mkdir()
    (area / "job_1700000000000_0010").write_text("a file")

    assert [None, *["not the folder of a job"] * 3] == why_kept(area)
    assert 3 == len(list(area.iterdir()))


def test_one_job_that_cannot_be_deleted_does_not_keep_the_others(area: Path) -> None:
    second = area / "job_1700000000000_0008"
    (second / "attempt_1700000000000_0008_r_000000_0").mkdir(parents=True)
    age(area, days=10)

    class Forbidding(LocalCluster):
        def delete_one(self, uri: str) -> None:
            if JOB in uri:
                raise EvidenceError("permission denied", next_step="")
            super().delete_one(uri)

    found = expire(cast("Cluster", Forbidding()), str(area), older_than_seconds=DAY, pretend=False)

    assert ["permission denied", None] == [one.kept for one in found]
    assert [area / JOB] == list(area.iterdir())
