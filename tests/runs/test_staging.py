"""Files that agents copied beside the archive are fetched, and replace nothing."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from mprof.errors import ClusterError, EvidenceError
from mprof.hadoop import Cluster, FileStatus
from mprof.runs.agent_injection import AGENT_JAR, PATCHED_CLASSES, PLAN_FILE
from mprof.runs.staging import fetch_copies, staged_agent

ATTEMPT = "attempt_1700000000000_0007_m_000003_0"


class LocalFiles:
    """A cluster whose file system is this machine's."""

    def exists(self, uri: str) -> bool:
        return Path(uri).exists()

    def list(self, uri: str) -> tuple[FileStatus, ...]:
        return tuple(
            FileStatus(uri=str(p), is_folder=p.is_dir(), size_bytes=1, modified_ms=0)
            for p in sorted(Path(uri).iterdir())
        )

    def stage(self, files: Mapping[str, Path]) -> str:
        self.staged = {name: file.read_bytes() for name, file in files.items()}
        return "staged"

    def patch_classes(self, agent: Path, target: Path) -> int:
        assert agent.name == AGENT_JAR
        target.write_bytes(b"patched")
        return 36

    def unstage(self, uri: str) -> None:
        assert uri == "staged"
        self.staged = {}

    def fetch(self, uri: str, into: Path) -> Path:
        into.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(uri, into))


def _copies(folder: Path) -> str:
    attempt = folder / "staged" / "attempts" / ATTEMPT
    attempt.mkdir(parents=True)
    (attempt / "events.jsonl").write_text("copied")
    (attempt / "position.bin").write_text("copied")
    (attempt / ".oom.hprof.part").write_text("half")
    return str(folder / "staged" / "attempts")


def _no_loss(file: Path, error: Exception) -> None:
    raise AssertionError(f"{file} was lost: {error}")


def _never(text: str) -> None:
    raise AssertionError(text)


def test_copies_land_in_the_folder_of_their_job_and_attempt(tmp_path: Path) -> None:
    fetch_copies(cast("Cluster", LocalFiles()), _copies(tmp_path), tmp_path / "jobs", _no_loss)

    folder = tmp_path / "jobs" / "job_1700000000000_0007" / "attempts" / ATTEMPT
    assert ["events.jsonl", "position.bin"] == sorted(p.name for p in folder.iterdir())


def test_a_file_that_came_with_the_logs_is_not_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "jobs" / "job_1700000000000_0007" / "attempts" / ATTEMPT
    folder.mkdir(parents=True)
    (folder / "events.jsonl").write_text("from the logs")

    fetch_copies(cast("Cluster", LocalFiles()), _copies(tmp_path), tmp_path / "jobs", _no_loss)

    assert "from the logs" == (folder / "events.jsonl").read_text()
    assert "copied" == (folder / "position.bin").read_text()


def test_a_file_that_an_agent_is_replacing_costs_no_other(tmp_path: Path) -> None:
    class Replaced(LocalFiles):
        def fetch(self, uri: str, into: Path) -> Path:
            if uri.endswith("events.jsonl"):  # HDFS renames onto nothing but an empty place
                raise EvidenceError(f"{uri} does not exist", next_step="check it")
            return super().fetch(uri, into)

    lost: list[str] = []
    fetch_copies(
        cast("Cluster", Replaced()),
        _copies(tmp_path),
        tmp_path / "jobs",
        lambda file, error: lost.append(f"{file.name}: {error}"),
    )

    assert len(lost) == 1
    assert lost[0].startswith("events.jsonl: ")
    folder = tmp_path / "jobs" / "job_1700000000000_0007" / "attempts" / ATTEMPT
    assert [p.name for p in folder.iterdir()] == ["position.bin"]


def test_nothing_is_fetched_of_a_run_whose_agents_copied_nothing(tmp_path: Path) -> None:
    fetch_copies(
        cast("Cluster", LocalFiles()),
        str(tmp_path / "staged" / "attempts"),
        tmp_path / "jobs",
        _no_loss,
    )

    assert not (tmp_path / "jobs").exists()


def test_the_archive_goes_when_the_run_has_ended() -> None:
    files = LocalFiles()
    with staged_agent(cast("Cluster", files), "version=1", _never):
        assert list(files.staged) == ["mprof.zip"]

    assert {} == files.staged


def _packed(files: LocalFiles) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(files.staged["mprof.zip"])) as packed:
        return packed.namelist()


def test_the_archive_holds_agent_patched_classes_and_plan() -> None:
    files = LocalFiles()
    with staged_agent(cast("Cluster", files), "version=1", _never):
        assert _packed(files) == [AGENT_JAR, PATCHED_CLASSES, PLAN_FILE]


def test_a_run_goes_on_where_no_classes_can_be_patched() -> None:
    class Old(LocalFiles):
        def patch_classes(self, agent: Path, target: Path) -> int:
            raise ClusterError("no such method", next_step="look")

    files, said = Old(), []  # type: ignore[var-annotated]
    with staged_agent(cast("Cluster", files), None, said.append):
        assert _packed(files) == [AGENT_JAR]

    assert said == ["each task patches Hadoop's classes itself: no such method"]


def test_where_the_agent_has_no_patches_there_is_nothing_beside_its_jar() -> None:
    class Other(LocalFiles):
        def patch_classes(self, agent: Path, target: Path) -> int:
            return 0

    files = Other()
    with staged_agent(cast("Cluster", files), None, _never):
        assert _packed(files) == [AGENT_JAR]


def test_an_archive_that_cannot_be_deleted_is_said_and_costs_nothing() -> None:
    class Safe(LocalFiles):
        def unstage(self, uri: str) -> None:
            raise ClusterError(f"cannot delete {uri}: safe mode", next_step="wait")

    said: list[str] = []
    with staged_agent(cast("Cluster", Safe()), None, said.append):
        pass

    assert len(said) == 1
    assert said[0].startswith("staged is left on the cluster: ")
    assert "safe mode" in said[0]


def test_after_an_interruption_the_archive_stays_for_tasks_yet_to_start() -> None:
    files = LocalFiles()
    with pytest.raises(KeyboardInterrupt), staged_agent(cast("Cluster", files), None, _never):
        raise KeyboardInterrupt

    assert list(files.staged) == ["mprof.zip"]
