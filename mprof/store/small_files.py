"""The small files of a store that are no tables: whole, or not there."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from mprof.io.files import replace_file
from mprof.remote.address import Place
from mprof.remote.systems import content_of, entries, put_whole, remove

__all__ = ["read_small", "remove_small", "small_files", "write_small"]


def small_files(folder: Place, pattern: str) -> list[Place]:
    """The files of a folder with such names, in their order."""
    if isinstance(folder, Path):
        return [*sorted(folder.glob(pattern))]
    return [folder / name for name in sorted(entries(folder)) if fnmatchcase(name, pattern)]


def read_small(file: Place) -> bytes:
    """What stands in it.

    Raises:
        OSError: if it cannot be read; FileNotFoundError if it is not there.
        EvidenceError: if it lies elsewhere, and cannot be read.
    """
    if isinstance(file, Path):
        return file.read_bytes()
    content = content_of(file)
    if content is None:
        raise FileNotFoundError(str(file))
    return content


def write_small(file: Place, content: bytes) -> None:
    """Write it.

    Raises:
        OSError: if it cannot be written.
        MprofError: if it lies elsewhere, and cannot be written.
    """
    if isinstance(file, Path):
        replace_file(file, content)
    else:
        put_whole(file, content)


def remove_small(file: Place) -> None:
    """Delete it, if it is there."""
    if isinstance(file, Path):
        file.unlink(missing_ok=True)
    else:
        remove(file)
