"""How much memory this process may still take.

Limits of its control groups, of itself, and what the machine has. Sources: cgroup-v2.rst,
cgroup-v1/memory.rst and filesystems/proc.rst of the documentation of Linux, setrlimit(2). On other
systems nothing is known but the limits of setrlimit.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from mprof.io.control_groups import group_folders

__all__ = ["Room", "lies_in_memory", "memory_room"]

_KIB: Final = 1024

# limit, use, and in memory.stat what is cached of files, which makes room where it is needed
_FILES: Final = {
    "cgroup2": ("memory.max", "memory.current", ("inactive_file", "active_file")),
    "cgroup": (
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        ("total_inactive_file", "total_active_file"),
    ),
}
_IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
_OF_PROCESS: Final = (
    ("RLIMIT_AS", resource.RLIMIT_AS, "VmSize"),
    ("RLIMIT_DATA", resource.RLIMIT_DATA, "VmData"),
)


class Room(NamedTuple):
    """How many bytes may still be taken, and what says so."""

    size_bytes: int
    limit: str


def memory_room(system: Path = Path("/")) -> Room | None:
    """The tightest of all limits; None where none is known.

    Args:
        system: the root of the file system with ``proc`` in it.
    """
    own = system / "proc" / "self"
    rooms = [*_of_groups(system, own), *_of_process(own)]
    available = _numbers(system / "proc" / "meminfo").get("MemAvailable")
    if available is not None:
        rooms.append(Room(available * _KIB, "the memory of this machine"))
    return min(rooms, default=None)


def lies_in_memory(folder: Path, system: Path = Path("/")) -> bool:
    """Whether the files of a folder take memory instead of a disk (tmpfs); no where none can tell.

    Args:
        folder: that is there.
        system: the root of the file system with ``proc`` in it.
    """
    device = folder.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    for line in _lines(system / "proc" / "self" / "mountinfo"):
        before, _, after = line.partition(" - ")
        if number in before.split(" ")[2:3]:
            return after.split(" ")[0] in _IN_MEMORY
    return False


def _of_groups(system: Path, own: Path) -> Iterator[Room]:
    """What each control group of the process leaves it, those around it included."""
    for kind, folder, mount in group_folders(
        _content(own / "cgroup"), _content(own / "mountinfo"), system
    ):
        while True:
            yield from _of_group(folder, *_FILES[kind])
            if folder == mount:
                break
            folder = folder.parent


def _of_group(folder: Path, limit: str, use: str, cached: tuple[str, ...]) -> Iterator[Room]:
    most, used = _number(folder / limit), _number(folder / use)
    if most is not None and used is not None:
        counts = _numbers(folder / "memory.stat")
        free = most - used + sum(counts.get(name, 0) for name in cached)
        yield Room(max(0, free), f"{limit} of a control group")


def _of_process(own: Path) -> Iterator[Room]:
    used = _numbers(own / "status")
    for name, number, taken in _OF_PROCESS:
        most, _ = resource.getrlimit(number)
        if most != resource.RLIM_INFINITY:
            yield Room(max(0, most - used.get(taken, 0) * _KIB), name)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _lines(path: Path) -> list[str]:
    return _content(path).decode("utf-8", "surrogateescape").splitlines()


def _number(path: Path) -> int | None:
    """The number in a file; None where there is none, as of ``max``."""
    lines = _lines(path)
    return int(lines[0]) if lines and lines[0].isdecimal() else None


def _numbers(path: Path) -> dict[str, int]:
    """Lines of a name and a number, whatever unit follows."""
    found = {}
    for line in _lines(path):
        words = line.replace(":", " ").split()
        if len(words) > 1 and words[1].isdecimal():
            found[words[0]] = int(words[1])
    return found
