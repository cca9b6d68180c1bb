"""Sources whose rows another source has taken over: what makes a merge one step.

Files cannot be put in the place of others several at a time. So it is written down first which
sources a new one stands for; from the moment in which its note is there they do not count, whether
or not their files are still there.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import psutil

from mprof.remote.address import Place
from mprof.store.small_files import read_small, small_files, write_small

__all__ = ["REPLACES", "Replacement", "announce", "replacements", "runs"]

REPLACES: Final = ".replaces"
"""How the name of a file ends that says which sources one stands for."""


class _Announced(msgspec.Struct, frozen=True, omit_defaults=True):
    sources: tuple[str, ...]
    process: int
    machine: str = ""  # of the process; of the folder where there is none


@dataclass(frozen=True, slots=True)
class Replacement:
    """One source in the place of others.

    Attributes:
        path: of the file that says so.
        by: the new source; until its note is there, the others count.
        sources: the others.
        runs: the process that makes it still runs; of another machine that cannot be told, and is
            yes.
    """

    path: Place
    by: str
    sources: tuple[str, ...]
    runs: bool


def announce(folder: Place, *, by: str, sources: Sequence[str]) -> Replacement:
    """Write down which sources a new one stands for, before its note is there."""
    others = tuple(one for one in sources if one != by)
    if not isinstance(folder, Path):
        place = folder / "sources" / f"{by}{REPLACES}"
        told = _Announced(others, os.getpid(), platform.node())
        write_small(place, msgspec.json.encode(told))
        return Replacement(place, by, others, runs=True)
    path = folder / "sources" / f"{by}{REPLACES}"
    path.parent.mkdir(exist_ok=True)
    new = path.with_name(f".{by}-{os.getpid()}.new")  # it is whole, or is not there
    new.write_bytes(msgspec.json.encode(_Announced(others, os.getpid())))
    new.replace(path)
    return Replacement(path, by, others, runs=True)


def replacements(folder: Place) -> tuple[Replacement, ...]:
    """All that have not ended; hardly ever any."""
    found = []
    for path in small_files(folder / "sources", f"*{REPLACES}"):
        try:
            told = msgspec.json.decode(read_small(path), type=_Announced)
        except (OSError, msgspec.MsgspecError, ValueError):
            continue  # it has ended meanwhile, or is not ours
        elsewhere = told.machine not in ("", platform.node())
        by = path.name.removesuffix(REPLACES)
        found.append(Replacement(path, by, told.sources, elsewhere or runs(str(told.process))))
    return tuple(found)


def runs(number: str) -> bool:
    """Whether there is a process of that number."""
    try:
        return psutil.pid_exists(int(number))
    except (ValueError, OverflowError):
        return False
