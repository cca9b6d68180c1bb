"""Where a dump's bytes come from: a plain file, a gz of either kind, or the parts of a broken dump.

However it is stored, a dump becomes one uint8 array. A plain file is mapped, not read. Compressed
ones and parts are written to an unlinked temporary file that is mapped too, so their bytes cost
disk and page cache, never anonymous memory.
"""

from __future__ import annotations

import mmap
import os
import re
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mprof.errors import EvidenceError

__all__ = ["Source", "open_source"]

_GZIP_MAGIC = b"\x1f\x8b\x08"
_HOTSPOT_COMMENT = re.compile(rb"HPROF BLOCKSIZE=(\d+)")  # heapDumperCompression.cpp
_PIECE = 4 * 1024 * 1024
_PART = re.compile(r"^(?P<stem>.*)\.p(?P<number>\d+)$")


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The bytes of a dump.

    Attributes:
        path: the file that was asked for.
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
        if not path.exists():
            parts = _parts_of(path)
            if parts:
                return _join(path, parts)
        if path.is_dir():
            raise EvidenceError(f"{path} is a folder", next_step="name the heap dump in it")
        with path.open("rb") as file:
            head = file.read(4096)
            size = os.fstat(file.fileno()).st_size
            if not head:
                raise EvidenceError(
                    f"{path} is empty",
                    next_step="look for room on the disk the dump was written to, and dump again",
                )
            if head.startswith(_GZIP_MAGIC):
                return _inflate(path, head)
            parts = _parts_of(path)
            if parts and size < sum(part.stat().st_size for part in parts):
                return _join(path, [path, *parts])
            return Source(path, _map(file.fileno(), size))
    except OSError as error:
        raise EvidenceError(
            f"{path} cannot be read: {error.strerror or error}",
            next_step="check the name and the permissions",
        ) from error


def _map(descriptor: int, size: int) -> NDArray[np.uint8]:
    flags = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0) * (size < _memory_bytes() // 2)
    mapping = mmap.mmap(descriptor, size, flags=flags, prot=mmap.PROT_READ)
    return np.frombuffer(mapping, np.uint8)


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


# --- parts ----------------------------------------------------------------------------------------


def _parts_of(path: Path) -> list[Path]:
    """The ``.p0 .p1 ...`` files that a parallel dump leaves if it dies before it merges them."""
    found = _PART.match(path.name)
    stem = found["stem"] if found else path.name
    if found and path.with_name(stem).exists():
        return []
    parts = [
        (int(match["number"]), other)
        for other in path.parent.glob(f"{_escape(stem)}.p*")
        if (match := _PART.match(other.name)) and match["stem"] == stem
    ]
    return [] if found and path.exists() else [other for _, other in sorted(parts)]


def _escape(name: str) -> str:
    return re.sub(r"([\[\]*?])", r"[\1]", name)


def _join(path: Path, files: list[Path]) -> Source:
    with tempfile.TemporaryFile() as target:
        size = 0
        for part in files:
            with part.open("rb") as file:
                while piece := file.read(_PIECE):
                    target.write(piece)
                    size += len(piece)
        target.flush()
        names = ", ".join(part.name for part in files)
        if size == 0:
            raise EvidenceError(f"{path} is empty", next_step="dump again")
        return Source(
            path,
            _map(target.fileno(), size),
            (f"the dump was never merged; read from its parts {names}",),
        )


# --- gz -------------------------------------------------------------------------------------------


def _inflate(path: Path, head: bytes) -> Source:
    """Inflates into a temporary file; members that HotSpot wrote are inflated in parallel."""
    with path.open("rb") as file, tempfile.TemporaryFile() as target:
        packed = _map(file.fileno(), os.fstat(file.fileno()).st_size)
        comment = _HOTSPOT_COMMENT.search(head[:256])
        loss = ""
        if comment and 0 < int(comment[1]) <= 64 * _PIECE:
            size, loss = _inflate_members(packed, target.fileno(), int(comment[1]))
        else:
            size, loss = _inflate_stream(packed, target.fileno())
        if size == 0:
            raise EvidenceError(
                f"{path} is a gz file that cannot be unpacked",
                next_step="dump again, or copy again",
            )
        return Source(path, _map(target.fileno(), size), (loss,) if loss else ())


def _inflate_stream(packed: NDArray[np.uint8], target: int) -> tuple[int, str]:
    """One member after the other, in pieces of bounded size."""
    written = 0
    at = 0
    engine = zlib.decompressobj(31)
    pending = b""
    while True:
        if not pending:
            if at >= packed.size:
                break
            pending = packed[at : at + _PIECE].tobytes()
            at += _PIECE
        try:
            piece = engine.decompress(pending, _PIECE)
        except zlib.error:
            return (
                written,
                f"the gz file is damaged; it was read up to byte {written:,} of the dump",
            )
        os.pwrite(target, piece, written)
        written += len(piece)
        pending = engine.unconsumed_tail
        if engine.eof:
            pending = engine.unused_data or packed[at : at + _PIECE].tobytes()
            if not engine.unused_data:
                at += _PIECE
            if not pending.startswith(_GZIP_MAGIC[: len(pending)]) or not pending:
                break
            engine = zlib.decompressobj(31)
    if not engine.eof:
        return written, f"the gz file is cut; it was read up to byte {written:,} of the dump"
    return written, ""


def _inflate_members(packed: NDArray[np.uint8], target: int, block: int) -> tuple[int, str]:
    """Independent members of ``block`` plain bytes each, found by their headers.

    A gzip header may also occur by chance inside packed data. Each member therefore is inflated on
    its own and must end where the next one begins; a false header fails that test.
    """
    content = packed.tobytes() if packed.size < _PIECE else packed.data
    starts = _headers(packed)
    workers = max(1, len(os.sched_getaffinity(0)))
    written = 0
    at = 0
    with ThreadPoolExecutor(workers) as pool:
        wave = 8 * workers
        ready: dict[int, tuple[bytes, int]] = {}
        position = 0
        while at < packed.size:
            if at not in ready:
                while position < len(starts) and starts[position] < at:
                    position += 1
                batch = starts[position : position + wave]
                if not batch or batch[0] != at:
                    return written, _gz_loss(written)
                bounds = [*batch[1:], packed.size]
                results = pool.map(
                    lambda pair: _inflate_one(content, pair[0], block),
                    zip(batch, bounds, strict=False),
                )
                ready = dict(zip(batch, results, strict=True))
                position += len(batch)
            plain, end = ready.pop(at)
            os.pwrite(target, plain, written)
            written += len(plain)
            if end <= at:
                return written, _gz_loss(written)
            at = end
    return written, ""


def _gz_loss(written: int) -> str:
    return f"the gz file is cut or damaged; it was read up to byte {written:,} of the dump"


def _inflate_one(content: bytes | memoryview, start: int, block: int) -> tuple[bytes, int]:
    """The plain bytes of one member and where it ends; the end is 0 if it is not whole."""
    engine = zlib.decompressobj(31)
    plain = b""
    at = start
    try:
        while not engine.eof and at < len(content) and len(plain) <= block:
            piece = content[at : at + block]
            at += len(piece)
            plain += engine.decompress(piece, 2 * block - len(plain))
            if engine.unconsumed_tail:
                break
    except zlib.error:
        return plain, 0
    return (plain, at - len(engine.unused_data)) if engine.eof else (plain, 0)


def _headers(packed: NDArray[np.uint8]) -> list[int]:
    """Every position where a member may begin."""
    found: list[int] = []
    step = 64 * _PIECE
    for start in range(0, packed.size, step):
        piece = packed[start : start + step + 3]
        hits = np.flatnonzero(piece == _GZIP_MAGIC[0])
        hits = hits[hits + 3 < piece.size]
        hits = hits[(piece[hits + 1] == _GZIP_MAGIC[1]) & (piece[hits + 2] == _GZIP_MAGIC[2])]
        found.extend((hits[hits < step] + start).tolist())
    return found
