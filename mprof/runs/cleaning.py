"""What can be deleted: heap dumps of captures, and leftovers of mprof itself."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mprof.hadoop import cache_folder, running_cluster
from mprof.runs.capture import open_capture

__all__ = ["Cleaned", "clean"]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A file or folder that was, or would be, deleted."""

    path: Path
    size_bytes: int


def clean(captures: Sequence[Path], *, pretend: bool) -> tuple[Cleaned, ...]:
    """Delete the heap dumps of captures; without a capture, mprof's caches and leftovers.

    A capture keeps its events, positions, logs and snapshots, so its diagnosis stays the same.

    Args:
        captures: capture folders.
        pretend: delete nothing, only return what would be deleted.

    Raises:
        EvidenceError: if a folder is not a capture.
    """
    if captures:
        opened = [open_capture(path) for path in captures]
        doomed = [p for c in opened for p in sorted(c.path.rglob("*.hprof*")) if p.is_file()]
    else:
        doomed = _leftovers()
    cleaned = tuple(Cleaned(path, _size(path)) for path in doomed)
    if not pretend:
        for path in doomed:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
    return cleaned


def _leftovers() -> list[Path]:
    found = sorted(Path(tempfile.gettempdir()).glob("mprof-fault-*.txt"))
    cache = cache_folder()
    if running_cluster() is None and cache.is_dir():
        found.append(cache)
    return found


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(p.lstat().st_size for p in path.rglob("*") if p.is_file())
    return path.lstat().st_size
