"""Where the control groups of a process are, of version 1, of version 2 and of both at once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["GroupFolder", "group_folders"]

_ESCAPED: Final = re.compile(r"\\([0-7]{3})")


class GroupFolder(NamedTuple):
    """The folder of a group; ``kind`` is ``cgroup`` or ``cgroup2``."""

    kind: str
    folder: Path
    mount: Path


def group_folders(
    groups: bytes, mounts: bytes, system: Path = Path("/")
) -> tuple[GroupFolder, ...]:
    """The groups of a process, one of each hierarchy.

    Args:
        groups: its ``/proc/PID/cgroup``.
        mounts: its ``/proc/PID/mountinfo``.
        system: the root of the file system with ``proc`` in it.
    """
    found = []
    places = [words for line in _lines(groups) if len(words := line.split(":", 2)) == 3]
    for line in _lines(mounts):
        before, _, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ")
        if kind[0] not in ("cgroup", "cgroup2") or len(fields) < 5 or len(kind) < 3:
            continue
        root, mount = _plain(fields[3]), system / _plain(fields[4]).lstrip("/")
        options = set(kind[2].split(","))
        for _, names, place in places:
            own = set(names.split(",")) if names else set()
            if (kind[0] == "cgroup2") == (not own) and own <= options:
                found.append(GroupFolder(kind[0], _folder(mount, root, place), mount))
    return tuple(dict.fromkeys(found))


def _folder(mount: Path, root: str, place: str) -> Path:
    """Where a group is seen below a mount, which may show a part of the hierarchy only."""
    folder = mount / place.removeprefix(root.rstrip("/")).strip("/")
    # In a container the path may be one of the machine, which is not to be seen.
    return folder if ".." not in folder.parts and folder.is_dir() else mount


def _lines(text: bytes) -> list[str]:
    return text.decode("utf-8", "surrogateescape").splitlines()


def _plain(text: str) -> str:
    """A path of mountinfo, with spaces and the like as octal numbers."""
    return _ESCAPED.sub(lambda code: chr(int(code[1], 8)), text)
