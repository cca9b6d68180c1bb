"""What may go: heap dumps of captures, and leftovers of mprof itself."""

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
    """One thing that was (or would be) removed."""

    path: Path
    size_bytes: int


def clean(captures: Sequence[Path], *, pretend: bool) -> tuple[Cleaned, ...]:
    """Remove the heap dumps of captures, or without any the caches and leftovers of mprof.

    A capture keeps its events, positions, logs and snapshots, so its diagnosis stays the same.

    Args:
        captures: capture folders.
        pretend: only say what would go.

    Raises:
        EvidenceError: if a folder is no capture.
    """
    if captures:
        opened = [open_capture(path) for path in captures]
        going = [p for c in opened for p in sorted(c.path.rglob("*.hprof*")) if p.is_file()]
    else:
        going = _leftovers()
    cleaned = tuple(Cleaned(path, _size(path)) for path in going)
    if not pretend:
        for path in going:
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
