"""The capture folder: what ``mprof run`` and ``mprof rerun`` leave behind.

Layout and meaning: ``docs/reference/capture.md``.
Runs are numbered and only ever added; nothing in a capture is written twice.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import msgspec

from mprof.advised import Intervention
from mprof.errors import EvidenceError, UsageError
from mprof.io.files import UnreadableError, is_there
from mprof.io.json import read_json
from mprof.version import __version__

__all__ = [
    "AttemptFolder",
    "Capture",
    "CapturedRun",
    "JobFolder",
    "Mode",
    "RunManifest",
    "create_capture",
    "default_capture_folder",
    "kept_capture",
    "open_capture",
    "reserve_manifest",
    "write_manifest",
]

FORMAT = 1
Mode = Literal["none", "watch", "profile", "verify"]


class _CaptureFile(msgspec.Struct, frozen=True):
    """``capture.json``."""

    format: int
    mprof: str


class RunManifest(msgspec.Struct, frozen=True):
    """``run.json``: what was run, how and why.

    Attributes:
        mode: mode of the tasks that the run is about; ``none`` for a job that mprof did not run.
        command: the user's command, secrets masked.
        job_ids: the jobs the driver started, in order of submission; each names a folder.
        exit_code: the driver's exit code; None if mprof did not run the driver.
        seconds: wall-clock seconds by stage (``run``, ``collect``).
        started_ms: epoch milliseconds just before the driver was started.
        driver_error: message of the OutOfMemoryError that the command itself died of; "" for none.
        local_job_ids: jobs that ran inside the driver, which mprof does not watch.
        advised: what was changed of the job on advice; None for the job as it is.
    """

    mode: Mode
    command: tuple[str, ...]
    job_ids: tuple[str, ...]
    exit_code: int | None
    seconds: dict[str, float]
    started_ms: int
    why: str
    driver_error: str = ""
    local_job_ids: tuple[str, ...] = ()
    advised: Intervention | None = None


_JOB_ID: Final = re.compile(r"job_\w{1,100}", re.ASCII)
"""It names a folder of the capture, and so must lead to no other place."""

_MANIFEST_BYTES: Final = 64 * 1024  # a command of 30,000 characters has room in it


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
        """The attempts whose files were fetched, in order of their ids."""
        return tuple(
            AttemptFolder(child.name, child) for child in self._listed() if self._is_own(child)
        )

    @property
    def losses(self) -> tuple[str, ...]:
        """What is no folder where one should be, or holds nothing, a sentence each."""
        attempts = self.path / "attempts"
        found = [
            f"{place.name} of {self.job_id} is not a folder, and cannot be read"
            if not place.is_dir()
            else f"{place.name} of {self.job_id} is reached by a link, and not read for attempts"
            for place in (self.path.parent, self.path, attempts, *self._listed())
            if is_there(place) and not self._is_own(place)
        ]
        if not found and not any(self.path.glob("*.*")) and not self._listed():
            found.append(f"there are no files of {self.job_id}")
        elif self._is_own(attempts) and not self._listed():
            found.append(f"there are no files of any attempt of {self.job_id}")
        return tuple(found)

    def _listed(self) -> tuple[Path, ...]:
        folder = self.path / "attempts"
        if not self._is_own(folder):
            return ()
        return tuple(sorted(each for each in folder.iterdir() if each.name.startswith("attempt_")))

    def _is_own(self, folder: Path) -> bool:
        """Whether what is written into it, or deleted, is the capture's: no link leads there."""
        way = (self.path.parent, self.path, self.path / "attempts", folder)
        return folder.is_dir() and not any(each.is_symlink() for each in way)


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
        """The finished runs, oldest first; a run that was interrupted is left out.

        Raises:
            EvidenceError: if a ``run.json`` cannot be read, or a link stands for a folder.
        """
        found = []
        for folder in sorted((self.path / "runs").glob("[0-9][0-9][0-9]")):
            for each in (folder.parent, folder):
                if each.is_symlink():
                    raise EvidenceError(
                        f"{each} is a link, and a capture has folders of its own only",
                        next_step="put the folder itself there, or delete the link",
                    )
            manifest = folder / "run.json"
            if is_there(manifest):
                found.append(CapturedRun(int(folder.name), folder, _read_manifest(manifest)))
        return tuple(found)

    @property
    def latest(self) -> CapturedRun:
        """The newest finished run.

        Raises:
            EvidenceError: if the capture holds no finished run.
        """
        runs = self.runs
        if not runs:
            raise EvidenceError(
                f"the capture {self.path} holds no finished run",
                next_step="run the job again: mprof run -o NEW_FOLDER -- hadoop jar ...",
            )
        return runs[-1]

    def new_run_folder(self) -> Path:
        """Create the folder of the next run; safe if another mprof does so too."""
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
    """Create a capture folder, readable by its owner only.

    A capture without a finished run (after a mistyped command, say) is used again.

    Raises:
        UsageError: if the folder exists and is not empty, or cannot be created.
    """
    try:
        if (path / "capture.json").is_file() and not Capture(path).runs:
            return open_capture(path)
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise UsageError(
                f"the capture folder {path} already exists and is not empty",
                next_step="name a new folder with -o, or add a run to it with mprof rerun",
            )
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.joinpath("capture.json").write_bytes(
            msgspec.json.encode(_CaptureFile(format=FORMAT, mprof=__version__))
        )
    except OSError as error:
        raise UsageError(
            f"the capture folder {path} cannot be written: {error.strerror}",
            next_step="name a folder that you may write to with -o",
        ) from error
    return Capture(path)


def default_capture_folder(name: str | None = None) -> Path:
    """A capture folder in the working folder, named after the job or else the time."""
    return Path(f"mprof-{name}" if name else time.strftime("mprof-capture-%Y%m%d-%H%M%S"))


def kept_capture(job_id: str) -> Capture | None:
    """The capture that an earlier ``mprof diagnose JOB`` made in its default folder, if any.

    None also where that one was broken off before it had a run: the job is fetched again.
    """
    folder = default_capture_folder(job_id)
    if not (folder / "capture.json").is_file():
        return None
    capture = open_capture(folder)
    return capture if capture.runs else None


def open_capture(path: Path) -> Capture:
    """Open an existing capture.

    Raises:
        EvidenceError: if the folder is not a capture, or its format is newer than this mprof.
    """
    head = path / "capture.json"
    try:
        content = read_json(head, _CaptureFile)
    except UnreadableError as error:
        if error.missing:
            raise EvidenceError(
                f"{path} is not a capture folder: it has no capture.json",
                next_step="name a folder that mprof run or mprof rerun wrote",
            ) from error
        raise EvidenceError(
            error.what, next_step="run the job again: mprof run -o NEW_FOLDER -- hadoop jar ..."
        ) from error
    if content.format > FORMAT:
        raise EvidenceError(
            f"{path} was written by mprof {content.mprof}, in a newer format than this mprof reads",
            next_step="update mprof",
        )
    return Capture(path)


def reserve_manifest(folder: Path) -> None:
    """Take the room of ``run.json`` on the disk, which what is fetched before it may fill."""
    _manifest_to_be(folder).write_bytes(bytes(_MANIFEST_BYTES))


def write_manifest(folder: Path, manifest: RunManifest) -> None:
    """Write ``run.json`` atomically; its presence is what marks a run as finished."""
    temporary = _manifest_to_be(folder)
    # Over what was reserved: on a full disk blocks that are given back may be gone at once.
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT, 0o644), "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(manifest), indent=1))
        file.truncate()
    temporary.replace(folder / "run.json")


def _manifest_to_be(folder: Path) -> Path:
    return folder / "run.json.new"


def _read_manifest(path: Path) -> RunManifest:
    next_step = "delete the folder of that run, or run the job again"
    try:
        manifest = read_json(path, RunManifest)
    except UnreadableError as error:
        raise EvidenceError(error.what, next_step=next_step) from error
    strange = next((each for each in manifest.job_ids if not _JOB_ID.fullmatch(each)), None)
    if strange is not None:
        raise EvidenceError(
            f"{path} cannot be read: {strange!r} is no id of a job", next_step=next_step
        )
    return manifest
