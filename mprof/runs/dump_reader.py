"""Reads one heap dump in a process of its own: ``python -m mprof.runs.dump_reader``.

A ``Request`` comes in as JSON on stdin; its snapshot is written, or the process fails.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec

from mprof.engines import MAPREDUCE, UserClasses
from mprof.errors import MprofError
from mprof.objects import SnapshotPoint, read_objects
from mprof.runs.snapshots import save_snapshot

__all__ = ["Request", "main"]

# A tenth of a task's share of a core that both want. The lowest priority gets a seventieth, and
# was seen to read nothing for half a minute on a machine with six runnable processes a core.
_LOW_PRIORITY = 10


@dataclass(frozen=True, slots=True)
class Request:
    """What to read.

    Attributes:
        point: the moment that it shows.
        user_classes: names of the classes that the job's configuration names as its own.
    """

    dump: str
    snapshot: str
    point: SnapshotPoint
    user_classes: tuple[str, ...]


def main() -> int:
    """Read the dump; 0 where its snapshot was written."""
    os.nice(_LOW_PRIORITY)
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=Request)
    classes = UserClasses(MAPREDUCE, frozenset(request.user_classes))
    try:
        objects = read_objects(Path(request.dump), user_classes=classes, point=request.point)
    except (MprofError, OSError):
        return 1  # it is read again when the job has ended, and what is wrong with it is said then
    return 0 if save_snapshot(Path(request.snapshot), objects) else 1


if __name__ == "__main__":
    sys.exit(main())
