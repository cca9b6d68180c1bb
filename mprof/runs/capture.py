"""The capture folder: what ``mprof run`` and ``mprof rerun`` leave behind.

Layout and meaning: ``docs/reference/capture.md``.
Runs are numbered and only ever added; nothing in a capture is written twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from mprof.errors import EvidenceError, UsageError
from mprof.version import __version__

__all__ = [
    "AttemptFolder",
    "Capture",
    "CapturedRun",
    "JobFolder",
    "Mode",
    "RunManifest",
    "create_capture",
    "mask_command",
    "open_capture",
    "write_manifest",
]

FORMAT = 1
Mode = Literal["none", "watch", "profile", "verify"]

_SECRET = re.compile(r"(?i)(password|secret|credential|token|access[._-]?key)[^=]*$")


class _CaptureFile(msgspec.Struct, frozen=True):
    """``capture.json``."""

    format: int
    mprof: str


class RunManifest(msgspec.Struct, frozen=True):
    """``run.json``: how one run came about.

    Attributes:
        mode: what the failed tasks were run in; ``none`` for a job that mprof did not run.
        command: the user's command, secrets masked.
        job_ids: the jobs the driver started, in order of submission.
        exit_code: the driver's exit code, or None where it was interrupted.
        seconds: wall seconds by stage (``submit``, ``collect``).
        started_ms: epoch milliseconds before the driver was started.
        why: the reason for the run, one sentence.
    """

    mode: Mode
    command: tuple[str, ...]
    job_ids: tuple[str, ...]
    exit_code: int | None
    seconds: dict[str, float]
    started_ms: int
    why: str


@dataclass(frozen=True, slots=True)
class AttemptFolder:
    """The files of one task attempt."""

    attempt_id: str
    path: Path


@dataclass(frozen=True, slots=True)
class JobFolder:
    """The files of one job within a run."""

    job_id: str
    path: Path

    @property
    def attempts(self) -> tuple[AttemptFolder, ...]:
        """The attempts whose files were brought, by id."""
        folder = self.path / "attempts"
        if not folder.is_dir():
            return ()
        return tuple(
            AttemptFolder(child.name, child)
            for child in sorted(folder.iterdir())
            if child.is_dir() and child.name.startswith("attempt_")
        )


@dataclass(frozen=True, slots=True)
class CapturedRun:
    """One numbered run of a capture."""

    number: int
    path: Path
    manifest: RunManifest

    @property
    def jobs(self) -> tuple[JobFolder, ...]:
        """The jobs of the run in order of submission."""
        return tuple(JobFolder(job, self.path / "jobs" / job) for job in self.manifest.job_ids)


@dataclass(frozen=True, slots=True)
class Capture:
    """A capture folder."""

    path: Path

    @property
    def runs(self) -> tuple[CapturedRun, ...]:
        """The finished runs, oldest first; a run that was cut short is left out."""
        found = []
        for folder in sorted((self.path / "runs").glob("[0-9][0-9][0-9]")):
            record = folder / "run.json"
            if record.is_file():
                found.append(CapturedRun(int(folder.name), folder, _read_manifest(record)))
        return tuple(found)

    @property
    def latest(self) -> CapturedRun:
        """The newest finished run.

        Raises:
            EvidenceError: if no run of this capture ever finished.
        """
        runs = self.runs
        if not runs:
            raise EvidenceError(
                f"the capture {self.path} holds no finished run",
                next_step="record one with: mprof run -o NEW_FOLDER -- hadoop jar ...",
            )
        return runs[-1]

    def new_run_folder(self) -> Path:
        """Make the folder of the next run; safe against a second mprof doing the same."""
        runs = self.path / "runs"
        runs.mkdir(exist_ok=True)
        number = 1 + max((int(p.name) for p in runs.iterdir() if p.name.isdigit()), default=0)
        while True:
            folder = runs / f"{number:03d}"
            try:
                folder.mkdir(mode=0o700)
            except FileExistsError:
                number += 1
                continue
            return folder


def create_capture(path: Path) -> Capture:
    """Make a new capture folder, readable by its owner only.

    A capture in which no run ever finished, because the command was mistyped say, is gone on with.

    Raises:
        UsageError: if the folder exists and holds something, or cannot be made.
    """
    try:
        if (path / "capture.json").is_file() and not Capture(path).runs:
            return open_capture(path)
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise UsageError(
                f"the capture folder {path} already exists and is not empty",
                next_step="give a new folder with -o, or add to this one with mprof rerun",
            )
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.joinpath("capture.json").write_bytes(
            msgspec.json.encode(_CaptureFile(format=FORMAT, mprof=__version__))
        )
    except OSError as error:
        raise UsageError(
            f"the capture folder {path} cannot be written: {error.strerror}",
            next_step="give a folder you may write to with -o",
        ) from error
    return Capture(path)


def open_capture(path: Path) -> Capture:
    """Open an existing capture.

    Raises:
        EvidenceError: if the folder is not a capture, or of a newer format.
    """
    head = path / "capture.json"
    if not head.is_file():
        raise EvidenceError(
            f"{path} is not a capture of mprof (no capture.json)",
            next_step="give the folder that mprof run -o wrote",
        )
    try:
        content = msgspec.json.decode(head.read_bytes(), type=_CaptureFile)
    except (msgspec.DecodeError, OSError) as error:
        raise EvidenceError(
            f"{head} cannot be read: {error}",
            next_step="record again with mprof run -o NEW_FOLDER -- hadoop jar ...",
        ) from error
    if content.format > FORMAT:
        raise EvidenceError(
            f"{path} was written by mprof {content.mprof}, whose format is newer than ours",
            next_step="update mprof",
        )
    return Capture(path)


def write_manifest(folder: Path, manifest: RunManifest) -> None:
    """Write ``run.json`` in one step, which is what makes a run finished."""
    temporary = folder / "run.json.new"
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1))
    temporary.replace(folder / "run.json")


def mask_command(command: Sequence[str]) -> tuple[str, ...]:
    """The command with the values of options that look like secrets replaced by stars.

    >>> mask_command(["hadoop", "jar", "x.jar", "-Ddb.password=abc", "in"])
    ('hadoop', 'jar', 'x.jar', '-Ddb.password=***', 'in')
    """
    masked = []
    for word in command:
        key, equals, _ = word.partition("=")
        masked.append(f"{key}=***" if equals and _SECRET.search(key) else word)
    return tuple(masked)


def _read_manifest(path: Path) -> RunManifest:
    try:
        return msgspec.json.decode(path.read_bytes(), type=RunManifest)
    except msgspec.DecodeError as error:
        raise EvidenceError(
            f"{path} cannot be read: {error}",
            next_step="remove that run's folder, or record again",
        ) from error
