"""Inflates a packed dump: by one stream, or the members that HotSpot wrote in parallel."""

from __future__ import annotations

import os
import re
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.unpacked import Unpacked

__all__ = ["inflate", "is_gzip"]

_GZIP_MAGIC = b"\x1f\x8b\x08"
_HOTSPOT_COMMENT = re.compile(rb"HPROF BLOCKSIZE=(\d+)")  # heapDumperCompression.cpp
_PIECE = 4 * 1024 * 1024


def is_gzip(head: bytes) -> bool:
    """Whether a file that begins like this is packed."""
    return head.startswith(_GZIP_MAGIC)


def inflate(packed: NDArray[np.uint8], head: bytes, target: Unpacked) -> str:
    """Unpacks a whole file.

    Args:
        packed: uint8, its bytes.
        head: its first bytes, 256 or more where there are as many.
        target: where the plain bytes go.

    Returns:
        What could not be unpacked, in a sentence; empty where nothing is missing.

    Raises:
        EvidenceError: if there is no room for the plain bytes.
    """
    comment = _HOTSPOT_COMMENT.search(head[:256])
    if comment and len(comment[1]) < 12 and 0 < int(comment[1]) <= 64 * _PIECE:
        return _inflate_members(packed, target, int(comment[1]))
    return _inflate_stream(packed, target)


def _inflate_stream(packed: NDArray[np.uint8], target: Unpacked) -> str:
    """One member after the other, in pieces of bounded size."""
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
            return f"the gz file is damaged; it was read up to byte {target.size:,} of the dump"
        if not target.write(piece):
            return target.loss
        pending = engine.unconsumed_tail
        if engine.eof:
            pending = engine.unused_data or packed[at : at + _PIECE].tobytes()
            if not engine.unused_data:
                at += _PIECE
            if not pending.startswith(_GZIP_MAGIC[: len(pending)]) or not pending:
                break
            engine = zlib.decompressobj(31)
    if not engine.eof:
        return f"the gz file is cut; it was read up to byte {target.size:,} of the dump"
    return ""


def _inflate_members(packed: NDArray[np.uint8], target: Unpacked, block: int) -> str:
    """Independent members of ``block`` plain bytes each, found by their headers.

    A gzip header may also occur by chance inside packed data. Each member therefore is inflated on
    its own and must end where the next one begins; a false header fails that test.
    """
    content = packed.tobytes() if packed.size < _PIECE else packed.data
    starts = _headers(packed)
    workers = max(1, len(os.sched_getaffinity(0)))
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
                    return _gz_loss(target.size)
                bounds = [*batch[1:], packed.size]
                results = pool.map(
                    lambda pair: _inflate_one(content, pair[0], block),
                    zip(batch, bounds, strict=False),
                )
                ready = dict(zip(batch, results, strict=True))
                position += len(batch)
            plain, end = ready.pop(at)
            if not target.write(plain):
                return target.loss
            if end <= at:
                return _gz_loss(target.size)
            at = end
    return ""


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
