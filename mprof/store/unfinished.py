"""Imports that were begun and have not ended: of what they were given, tables may lack a part.

A mark lies in the store's folder from the begin of an import to its end, so that one which was
killed leaves it there. It goes with the next import that is given the same, and ends.
"""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

__all__ = ["UnfinishedImport", "importing", "is_running", "unfinished_imports"]

_MARKS: Final = "importing-*.json"


@dataclass(frozen=True, slots=True)
class UnfinishedImport:
    """An import that has not ended.

    Attributes:
        what: the files and folders that it was given.
        begun_at_s: seconds since the epoch.
        process: its number.
        is_running: there is a process of that number on this machine.
    """

    what: tuple[str, ...]
    begun_at_s: float
    process: int
    is_running: bool = False

    @property
    def sentence(self) -> str:
        """What it means for who reads the tables, and what to do."""
        names = ", ".join(self.what)
        if not names:
            return "an import was broken off, and what it was given is not known: run it again"
        if self.is_running:
            return f"an import of {names} is still running: ask again when it has ended"
        return f"an import of {names} was broken off: run it again"


@contextlib.contextmanager
def importing(folder: Path, what: Sequence[Path]) -> Iterator[None]:
    """Mark a store while the block runs; the mark stays where the block does not reach its end.

    Args:
        folder: of the store.
        what: the files and folders that are taken in.
    """
    names = tuple(os.fsencode(path.absolute()).decode("utf-8", "replace") for path in what)
    mark = folder / f"importing-{os.getpid()}-{uuid.uuid4().hex[:8]}.json"
    begun = UnfinishedImport(names, time.time(), os.getpid())
    with contextlib.suppress(OSError):  # a folder that takes no mark takes no rows, and says so
        mark.write_bytes(msgspec.json.encode(begun))
    yield
    for path, each in _marks(folder):
        if path == mark or (not each.is_running and set(each.what) <= set(names)):
            with contextlib.suppress(OSError):
                path.unlink()


def unfinished_imports(folder: Path) -> tuple[UnfinishedImport, ...]:
    """The imports into a store that have not ended, in the order in which they began."""
    return tuple(sorted((each for _, each in _marks(folder)), key=lambda one: one.begun_at_s))


def _marks(folder: Path) -> Iterator[tuple[Path, UnfinishedImport]]:
    for path in sorted(folder.glob(_MARKS)):
        try:
            told = msgspec.json.decode(path.read_bytes(), type=UnfinishedImport)
        except OSError:
            continue  # it has ended meanwhile
        except (msgspec.MsgspecError, ValueError):
            told = UnfinishedImport((), 0.0, 0)  # killed before the mark was written
        yield path, replace(told, is_running=is_running(told.process))


def is_running(process: int) -> bool:
    """Whether there is a process of that number on this machine."""
    if process <= 0:
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
