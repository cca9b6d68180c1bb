"""Imports that were started and have not ended: of what they were given, tables may lack a part.

A mark lies in the store's folder from the start of an import to its end, so that one which was
killed leaves it there. It goes when another import that is given the same, or more, ends: then all
of it is in the store, whatever becomes of the first one.
"""

from __future__ import annotations

import contextlib
import os
import platform
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import psutil

from mprof.remote.address import Place
from mprof.store.small_files import read_small, remove_small, small_files, write_small

__all__ = ["UnfinishedImport", "importing", "unfinished_imports"]

_MARKS: Final = "importing-*.json"
_MOST_NAMED: Final = 3
_SAME_S: Final = 1.0
"""Process numbers are given anew; when a process started is told to a hundredth of a second."""


@dataclass(frozen=True, slots=True)
class UnfinishedImport:
    """An import that has not ended.

    Attributes:
        what: the files and folders that it was given; empty where that is not known.
        started_at_s: seconds since the epoch.
        machine: that it runs on.
        process: its number there.
        process_started_s: when that process started.
    """

    what: tuple[str, ...] = ()
    started_at_s: float = 0.0
    machine: str = ""
    process: int = 0
    process_started_s: float = 0.0

    @property
    def is_running(self) -> bool:
        """Whether its process is there; of another machine that cannot be told, and is no."""
        if self.machine != platform.node():
            return False
        try:
            started_s = psutil.Process(self.process).create_time()
        except (psutil.Error, ValueError, OverflowError):
            return False
        return abs(started_s - self.process_started_s) <= _SAME_S

    @property
    def sentence(self) -> str:
        """What it means for who reads the tables, and what to do."""
        if not self.what:
            return "an import was broken off, and what it was given is not known: run it again"
        names = ", ".join(self.what[:_MOST_NAMED])
        if len(self.what) > _MOST_NAMED:
            names += f" and {len(self.what) - _MOST_NAMED:,} more"
        if self.is_running:
            return f"an import of {names} is still running: ask again when it has ended"
        if self.machine != platform.node():
            return (
                f"an import of {names} on {self.machine} has not ended: ask again when it has, or"
                " run it again"
            )
        return f"an import of {names} was broken off: run it again"


@contextlib.contextmanager
def importing(folder: Place, what: Sequence[Path | str]) -> Iterator[None]:
    """Mark a store while the block runs; the mark stays where the block does not reach its end.

    Args:
        folder: of the store.
        what: files and folders, and addresses of other file systems.
    """
    names = tuple(
        os.fsencode(one.resolve()).decode("utf-8", "replace") if isinstance(one, Path) else one
        for one in what
    )
    own = psutil.Process()
    started = UnfinishedImport(names, time.time(), platform.node(), own.pid, own.create_time())
    mark = folder / f"importing-{uuid.uuid4().hex}.json"
    with contextlib.suppress(OSError):  # a folder that takes no mark takes no rows, and says so
        write_small(mark, msgspec.json.encode(started))
    yield
    for path, each in _marks(folder):
        if path == mark or all(_is_within(theirs, names) for theirs in each.what):
            with contextlib.suppress(OSError):
                remove_small(path)


def unfinished_imports(folder: Place) -> tuple[UnfinishedImport, ...]:
    """The imports into a store that have not ended, in the order in which they started."""
    return tuple(sorted((each for _, each in _marks(folder)), key=lambda one: one.started_at_s))


def _is_within(name: str, others: tuple[str, ...]) -> bool:
    return any(name == other or name.startswith(f"{other.rstrip('/')}/") for other in others)


def _marks(folder: Place) -> Iterator[tuple[Place, UnfinishedImport]]:
    for path in small_files(folder, _MARKS):
        try:
            yield path, msgspec.json.decode(read_small(path), type=UnfinishedImport)
        except OSError:
            continue  # it has ended meanwhile
        except (msgspec.MsgspecError, ValueError):
            yield path, UnfinishedImport()  # of another version, or damaged
