"""Where a dump's bytes come from: a plain file, a gz of either kind, or the parts of a broken dump.

However it is stored, a dump becomes one uint8 array. A plain file is mapped, not read. Compressed
ones and parts are written to an unlinked temporary file that is mapped too, so their bytes cost
disk and page cache, never anonymous memory.
"""

from __future__ import annotations

import glob
import mmap
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mprof.errors import EvidenceError
from mprof.hprof.gz import inflate, is_gzip
from mprof.hprof.unpacked import Unpacked
from mprof.io.files import is_there, open_file
from mprof.io.memory import memory_room

__all__ = ["Source", "jumping", "open_source"]

_PIECE = 4 * 1024 * 1024
_PART = re.compile(r"^(?P<stem>.*)\.p(?P<number>\d+)$")


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The bytes of a dump.

    Attributes:
        content: uint8, all bytes that could be read.
        losses: what could not be read, one sentence each.
    """

    path: Path
    content: NDArray[np.uint8]
    losses: tuple[str, ...] = ()


def open_source(path: Path) -> Source:
    """Opens a dump.

    Raises:
        EvidenceError: if there is no such file, it may not be read, or it is empty.
    """
    try:
        if not is_there(path):
            parts = _parts_of(path)
            if parts:
                return _join(path, parts)
        if path.is_dir():
            raise EvidenceError(f"{path} is a folder", next_step="name the heap dump in it")
        with open_file(path) as file:
            head = file.read(4096)
            size = os.fstat(file.fileno()).st_size
            if not head:
                raise EvidenceError(
                    f"{path} is empty",
                    next_step="look for room on the disk the dump was written to, and dump again",
                )
            if is_gzip(head):
                return _inflate(path, _map(file.fileno(), size), head)
            parts = _parts_of(path)
            if parts and size < sum(part.stat().st_size for part in parts):
                return _join(path, [path, *parts])
            return Source(path, _map(file.fileno(), size))
    except (OSError, ValueError) as error:  # ValueError: it says that it is empty, as in /proc
        raise EvidenceError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or error}",
            next_step="check the name and the permissions",
        ) from error


@contextmanager
def jumping(content: NDArray[np.uint8]) -> Iterator[None]:
    """While heads of records are read and what lies between them is not.

    Else up to megabytes are read around each head, so all of a file that is not in memory yet.
    """
    mapping = getattr(content.base, "obj", None)
    if not isinstance(mapping, mmap.mmap):
        yield
        return
    mapping.madvise(mmap.MADV_RANDOM)
    try:
        yield
    finally:
        mapping.madvise(mmap.MADV_NORMAL)


def _map(descriptor: int, size: int) -> NDArray[np.uint8]:
    # All pages at once, where they fit: a page that is met for the first time costs a fault.
    room = memory_room()
    fits = room is not None and size < room.size_bytes // 2
    flags = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0) * fits
    mapping = mmap.mmap(descriptor, size, flags=flags, prot=mmap.PROT_READ)
    return np.frombuffer(mapping, np.uint8)


# --- parts ----------------------------------------------------------------------------------------


def _parts_of(path: Path) -> list[Path]:
    """The ``.p0 .p1 ...`` files that a parallel dump leaves if it dies before it merges them."""
    found = _PART.match(path.name)
    stem = found["stem"] if found else path.name
    if found and path.with_name(stem).exists():
        return []
    parts = [
        (int(match["number"]), other)
        for other in path.parent.glob(f"{glob.escape(stem)}.p*")
        if (match := _PART.match(other.name)) and match["stem"] == stem
    ]
    return [] if found and path.exists() else [other for _, other in sorted(parts)]


def _join(path: Path, files: list[Path]) -> Source:
    with Unpacked(path) as target:
        for part in files:
            with open_file(part) as file:
                while piece := file.read(_PIECE):
                    target.write(piece)
        names = ", ".join(part.name for part in files)
        if target.size == 0:
            raise EvidenceError(f"{path} is empty", next_step="dump again")
        return Source(
            path,
            _map(target.fileno(), target.size),
            (f"the dump was never merged; read from its parts {names}",),
        )


def _inflate(path: Path, packed: NDArray[np.uint8], head: bytes) -> Source:
    with Unpacked(path) as target:
        loss = inflate(packed, head, target)
        if target.size == 0:
            raise EvidenceError(
                f"{path} is a gz file that cannot be unpacked",
                next_step="dump again, or copy again",
            )
        return Source(path, _map(target.fileno(), target.size), (loss,) if loss else ())
