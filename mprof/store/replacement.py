"""Sources whose rows another source has taken over: what makes a merge one step.

Files cannot be put in the place of others several at a time. So it is written down first which
sources a new one stands for; from the moment in which its note is there they do not count, whether
or not their files are still there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import psutil

__all__ = ["Replacement", "announce", "replacements", "runs"]

_SUFFIX: Final = ".replaces"


class _Announced(msgspec.Struct, frozen=True):
    sources: tuple[str, ...]
    process: int


@dataclass(frozen=True, slots=True)
class Replacement:
    """One source in the place of others.

    Attributes:
        path: of the file that says so.
        by: the new source; until its note is there, the others count.
        sources: the others.
        runs: the process that makes it still runs.
    """

    path: Path
    by: str
    sources: tuple[str, ...]
    runs: bool


def announce(folder: Path, *, by: str, sources: Sequence[str]) -> Replacement:
    """Write down which sources a new one stands for, before its note is there."""
    path = folder / "sources" / f"{by}{_SUFFIX}"
    path.parent.mkdir(exist_ok=True)
    others = tuple(one for one in sources if one != by)
    new = path.with_name(f".{by}-{os.getpid()}.new")  # it is whole, or is not there
    new.write_bytes(msgspec.json.encode(_Announced(others, os.getpid())))
    new.replace(path)
    return Replacement(path, by, others, runs=True)


def replacements(folder: Path) -> tuple[Replacement, ...]:
    """All that have not ended; hardly ever any."""
    found = []
    for path in sorted((folder / "sources").glob(f"*{_SUFFIX}")):
        try:
            told = msgspec.json.decode(path.read_bytes(), type=_Announced)
        except (OSError, msgspec.MsgspecError, ValueError):
            continue  # it has ended meanwhile, or is not ours
        found.append(Replacement(path, path.stem, told.sources, runs(str(told.process))))
    return tuple(found)


def runs(number: str) -> bool:
    """Whether there is a process of that number."""
    try:
        return psutil.pid_exists(int(number))
    except (ValueError, OverflowError):
        return False
