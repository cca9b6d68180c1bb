"""What gzip files hold, as far as they can be read."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final

__all__ = ["GZIP", "unpacked"]

GZIP: Final = b"\x1f\x8b"
"""How a gzip file begins."""

_WINDOW: Final = 31  # zlib: a gzip header, and the largest window
_PIECE_BYTES: Final = 1 << 20


def unpacked(
    file: BinaryIO, lost: Callable[[str], None], *, piece_bytes: int = _PIECE_BYTES
) -> Iterator[bytes]:
    """The content of the members of a gzip file; of a damaged one what comes before the damage.

    Args:
        file: at its begin.
        lost: is told why the content ends before the file does.
        piece_bytes: most bytes that are read, or given, at once.
    """
    # Not by gzip.GzipFile: where a member breaks off, it drops what it has decompressed last.
    packed = b""
    member: Any = None
    while True:
        if not packed:
            packed = file.read(piece_bytes)
            if not packed:
                break
        if member is None:
            packed = packed.lstrip(b"\0")  # padding of tapes and blocks
            if not packed:
                continue
            member = zlib.decompressobj(_WINDOW)
        before = member.copy()
        try:
            piece = member.decompress(packed, piece_bytes)
        except zlib.error as error:
            yield from _up_to_the_damage(before, packed)
            lost(f"the compressed file is damaged from here on ({error})")
            return
        if piece:
            yield piece
        packed = member.unused_data if member.eof else member.unconsumed_tail
        if member.eof:
            member = None
    if member is not None:
        with contextlib.suppress(zlib.error):
            if rest := member.flush():
                yield rest
        lost("the compressed file is cut off")


def _up_to_the_damage(member: Any, packed: bytes) -> Iterator[bytes]:
    """What can be had of a piece that cannot be unpacked whole, of which zlib gives nothing."""
    for at in range(len(packed)):
        try:
            piece = member.decompress(packed[at : at + 1])
        except zlib.error:
            return
        if piece:
            yield piece
