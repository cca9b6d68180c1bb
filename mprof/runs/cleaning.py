"""What can be deleted: heap dumps of captures, and leftovers of mprof itself."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mprof.errors import UsageError
from mprof.hadoop import locked_if_free, running_cluster
from mprof.io.base_folders import cache_folder
from mprof.io.files import is_inside
from mprof.runs.capture import Capture, open_capture
from mprof.runs.locking import adding_to
from mprof.units import format_bytes

__all__ = ["Cleaned", "Deleted", "Kept", "clean"]

_DUMP: Final = re.compile(r"(?P<point>.+)\.hprof(?:\.gz)?(?:\.p[0-9]+)?", re.DOTALL)
"""A dump of an attempt, or a part of one that its JVM did not live to merge."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """A file or folder that was, or would be, deleted, and the bytes of it that are gone."""

    path: Path
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Kept:
    """A file or folder that stays, at least in part.

    Attributes:
        why: a clause.
    """

    path: Path
    why: str
    next_step: str

    def __str__(self) -> str:
        """The message a user reads."""
        return f"{self.path} is kept: {self.why}. Next step: {self.next_step}"


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What is gone, or would be, and what was to be looked at and stays."""

    deleted: tuple[Deleted, ...]
    kept: tuple[Kept, ...]


def clean(captures: Sequence[Path], *, pretend: bool) -> Cleaned:
    """Delete the heap dumps of captures; without a capture, mprof's caches and leftovers.

    A capture keeps its events, positions, logs and snapshots, and every dump of which it has no
    snapshot that this mprof reads, so its diagnosis stays the same.

    Raises:
        EvidenceError: if a folder is not a capture.
        UsageError: if another mprof is working on a capture; nothing was deleted then.
    """
    if captures:
        outcomes = _clean_captures(captures, pretend=pretend)
    else:
        outcomes = [*_clean_faults(pretend=pretend), *_clean_cache(pretend=pretend)]
    return Cleaned(
        deleted=tuple(each for each in outcomes if isinstance(each, Deleted)),
        kept=tuple(each for each in outcomes if isinstance(each, Kept)),
    )


def _clean_captures(paths: Sequence[Path], *, pretend: bool) -> list[Deleted | Kept]:
    opened = [open_capture(path) for path in paths]
    once = {capture.path.resolve(): capture for capture in opened}.values()
    outcomes: list[Deleted | Kept] = []
    with contextlib.ExitStack() as stack:
        for capture in () if pretend else once:
            _hold(stack, capture)
        for capture in once:
            for folder in sorted(capture.path.glob("runs/*/jobs/*/attempts/*")):
                if folder.is_dir() and is_inside(folder, capture.path):
                    outcomes += _clean_attempt(folder, capture, pretend=pretend)
    return outcomes


def _hold(stack: contextlib.ExitStack, capture: Capture) -> None:
    try:
        stack.enter_context(adding_to(capture, new=False))
    except UsageError as error:
        raise UsageError(error.what, next_step="wait until it has ended") from error


def _clean_attempt(folder: Path, capture: Capture, *, pretend: bool) -> Iterator[Deleted | Kept]:
    for dump in sorted(folder.iterdir()):
        name = _DUMP.fullmatch(dump.name)
        if name is None or not dump.is_file():
            continue
        from mprof.runs.snapshots import has_snapshot  # takes long to load, for what is rare

        if has_snapshot(dump, name["point"]):
            yield from _delete(dump, pretend=pretend)
        else:
            yield Kept(
                dump,
                "no snapshot of it can be read, so that a diagnosis needs the dump itself",
                f"mprof diagnose {capture.path} and clean again, or delete the dump by hand",
            )


def _clean_faults(*, pretend: bool) -> Iterator[Deleted | Kept]:
    for path in sorted(Path(tempfile.gettempdir()).glob("mprof-fault-*.txt")):
        status = path.lstat()
        # The folder is everybody's, and each user's faults are their own.
        if stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid():
            yield from _delete(path, pretend=pretend)


def _clean_cache(*, pretend: bool) -> Iterator[Deleted | Kept]:
    cache = cache_folder()
    if not cache.is_dir():
        return
    if cache.is_symlink():
        # What else is in that folder is not known here.
        yield Kept(cache, f"it is a link to {cache.resolve()}", "delete what is in there by hand")
        return
    with locked_if_free() as held:
        if not held:
            yield Kept(
                cache,
                "an embedded cluster is being started, joined or stopped",
                "wait until that is done, and clean again",
            )
        elif running_cluster() is not None:
            yield Kept(cache, "the embedded cluster is running", "stop it: mprof cluster stop")
        else:
            yield from _delete(cache, pretend=pretend)


def _delete(path: Path, *, pretend: bool) -> Iterator[Deleted | Kept]:
    before = _size(path)
    if pretend:
        yield Deleted(path, before)
    elif path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
        left = _size(path) if path.exists() else 0
        yield Deleted(path, before - left)
        if path.exists():
            yield Kept(
                path,
                f"{format_bytes(left)} of it cannot be deleted",
                "change the permissions of what is in there",
            )
    else:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            why = f"it cannot be deleted: {error.strerror}"
            yield Kept(path, why, "change the permissions of its folder")
        else:
            yield Deleted(path, before)


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(p.lstat().st_size for p in path.rglob("*") if p.is_file())
    return path.lstat().st_size
