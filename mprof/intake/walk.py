"""Whatever was named, taken apart: folders, archives and packed files, each content once.

Bounded in everything that others could make large: how deep archives lie in one another, how many
files they hold, how much comes out of them. A link is followed where it was named itself, and not
where it leads out of a folder. Nothing is written.
"""

from __future__ import annotations

import bz2
import io
import lzma
import os
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

from mprof.extras import how_to_install
from mprof.io.files import STANDARD_INPUT, UnreadableError, open_file
from mprof.io.gzip import GZIP, unpacked

__all__ = ["STANDARD_INPUT", "Item", "Lost", "walk"]

Lost = Callable[[str, str], None]
"""Is told the name of what could not be read, and why."""

HEAD_BYTES: Final = 1 << 16
_PIECE_BYTES: Final = 1 << 20
_MOST_DEPTH: Final = 4
_MOST_FILES: Final = 500_000
_MOST_UNPACKED: Final = 64 << 30  # of all that was packed; a week of logs of a large job
_MOST_NESTED: Final = 64 << 20  # of a zip archive inside another: it is held in memory
_BZIP2: Final = b"BZh"
_XZ: Final = b"\xfd7zXZ\x00"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_TAR_AT: Final = 257
_TAR: Final = b"ustar"
_BOMB: Final = (
    f"more than {_MOST_UNPACKED >> 30} GB came out of packed files: the rest was left out"
)


@dataclass(slots=True)
class Item:
    """A content, to be read once, before the next one is asked for.

    Attributes:
        name: what it was named, and its place in folders and archives below that.
        path: of the file, None where it is inside an archive or of standard input.
        place: by which it stands beside others: its folder, or the archive's inner one.
        hint: its whole path, which may hold the ids of what it is of.
        head: its first bytes, unpacked.
        packed: whether the file is packed, or an archive.
    """

    name: str
    path: Path | None
    place: str
    hint: str
    head: bytes
    packed: bool
    _rest: Iterator[bytes]

    def pieces(self) -> Iterator[bytes]:
        """All of it."""
        if self.head:
            yield self.head
        yield from self._rest

    def whole(self, limit_bytes: int) -> bytes | None:
        """All of it at once; None where it is larger."""
        pieces, size = [], 0
        for piece in self.pieces():
            size += len(piece)
            if size > limit_bytes:
                return None
            pieces.append(piece)
        return b"".join(pieces)


@dataclass(slots=True)
class _Walk:
    """What was read so far of all that was named."""

    lost: Lost
    files: int = 0
    unpacked: int = 0
    seen: set[tuple[int, int]] = field(default_factory=set)
    is_full: bool = False

    def counted(self, name: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The pieces, until too much came out of packed files."""
        iterator = iter(pieces)
        while True:
            try:
                piece = next(iterator)
            except StopIteration:
                return
            except (EOFError, OSError, zlib.error, lzma.LZMAError, ValueError) as error:
                self.lost(name, f"it is damaged or cut off from here on ({error})")
                return
            self.unpacked += len(piece)
            if self.unpacked > _MOST_UNPACKED:
                if not self.is_full:
                    self.lost(name, _BOMB)
                self.is_full = True
                return
            yield piece


def walk(
    what: Iterable[str], lost: Lost, *, folder: Callable[[Path], bool] = lambda _: False
) -> Iterator[Item]:
    """Every content at the places named, in order; what is there twice once.

    Args:
        what: files, folders, and ``-`` for standard input.
        lost: is told what could not be read.
        folder: is asked of each folder whether it was read as a whole, and is not to be entered.
    """
    state = _Walk(lost)
    for name in what:
        if name == STANDARD_INPUT:
            pieces = iter(partial(sys.stdin.buffer.read1, _PIECE_BYTES), b"")  # type: ignore[union-attr]
            yield from _content(state, pieces, "standard input", None, "", "", 0)
            continue
        path = Path(name)
        if path.is_dir():
            yield from _of_folder(state, path, folder)
        else:
            yield from _of_file(state, path, str(path))


def _of_folder(state: _Walk, root: Path, folder: Callable[[Path], bool]) -> Iterator[Item]:
    whole = root.resolve()

    def failed(error: OSError) -> None:
        state.lost(str(error.filename), error.strerror or str(error))

    for at, folders, files in os.walk(root, onerror=failed):
        if folder(Path(at)):
            folders.clear()
            continue
        folders.sort()
        for name in [*sorted(files), *folders]:
            path = Path(at, name)
            if path.is_symlink():
                if not _leads_into(path, whole):
                    state.lost(str(path), "it is a link that leads out of the folder")
            elif name in files:
                yield from _of_file(state, path, str(path))


def _leads_into(path: Path, root: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):
        return False


def _of_file(state: _Walk, path: Path, name: str) -> Iterator[Item]:
    state.files += 1
    if state.files > _MOST_FILES:
        if state.files == _MOST_FILES + 1:
            state.lost(name, f"there are more than {_MOST_FILES:,} files: the rest was left out")
        return
    try:
        with open_file(path) as file:
            status = os.fstat(file.fileno())
            if (status.st_dev, status.st_ino) in state.seen:
                return
            state.seen.add((status.st_dev, status.st_ino))
            hint = str(path.absolute())
            head = file.read(len(_ZIP[0]))
            file.seek(0)
            if head in _ZIP:
                yield from _of_zip(state, file, name, hint, 1)
                return
            pieces = iter(partial(file.read, _PIECE_BYTES), b"")
            yield from _content(state, pieces, name, path, str(path.parent), hint, 0)
    except UnreadableError as error:
        state.lost(name, error.reason)
    except OSError as error:
        state.lost(name, error.strerror or str(error))


def _content(
    state: _Walk,
    pieces: Iterator[bytes],
    name: str,
    path: Path | None,
    place: str,
    hint: str,
    depth: int,
) -> Iterator[Item]:
    """What a stream holds, unpacked as often as it is packed."""
    head, rest = _headed(pieces)
    packed = depth > 0
    for _ in range(_MOST_DEPTH):
        unpack = _unpacking(head)
        if unpack is None:
            break
        stream = _Chain(head, rest)
        head, rest = _headed(state.counted(name, unpack(stream, partial(state.lost, name))))
        packed = True
    if packed and state.is_full:
        return
    if head[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        yield from _of_tar(state, _Chain(head, rest), name, hint, depth + 1)
        return
    if head.startswith(_ZIP):
        content = Item(name, None, place, hint, head, packed, rest).whole(_MOST_NESTED)
        if content is None:
            state.lost(name, "a zip archive in another or on standard input: unpack it, name that")
        else:
            yield from _of_zip(state, io.BytesIO(content), name, hint, depth + 1)
        return
    yield Item(name, path, place, hint, head, packed, rest)


def _headed(pieces: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= HEAD_BYTES:
            break
    return head, pieces


class _Chain(io.RawIOBase):
    """A stream of pieces as a file to read."""

    def __init__(self, head: bytes, rest: Iterator[bytes]) -> None:
        super().__init__()
        self._held = head
        self._rest = rest

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1) -> bytes:
        """At most so many bytes; all of them where the stream has as many, as tarfile expects."""
        while size < 0 or len(self._held) < size:
            piece = next(self._rest, b"")
            if not piece:
                break
            self._held += piece
        given = self._held if size < 0 else self._held[:size]
        self._held = self._held[len(given) :]
        return given


def _unpacking(head: bytes) -> Callable[[Any, Callable[[str], None]], Iterator[bytes]] | None:
    if head.startswith(GZIP):
        return unpacked
    if head.startswith(_BZIP2):
        return lambda stream, _: _read(bz2.BZ2File(stream))
    if head.startswith(_XZ):
        return lambda stream, _: _read(lzma.LZMAFile(stream))
    if head.startswith(_ZSTD):
        return _of_zstd
    return None


def _of_zstd(stream: BinaryIO, lost: Callable[[str], None]) -> Iterator[bytes]:
    try:
        import pyarrow as pa  # here: few logs are packed so, and the base has none of it
    except ModuleNotFoundError:
        lost(f"it is packed by zstd, which needs pyarrow: {how_to_install('nodes')}")
        return iter(())
    return _read(pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd"))


def _read(file: Any) -> Iterator[bytes]:
    return iter(partial(file.read, _PIECE_BYTES), b"")


def _of_tar(state: _Walk, stream: _Chain, name: str, hint: str, depth: int) -> Iterator[Item]:
    if depth > _MOST_DEPTH:
        state.lost(name, f"archives lie more than {_MOST_DEPTH} deep in one another")
        return
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                inner = f"{name}/{member.name}"
                state.files += 1
                if state.files > _MOST_FILES or state.is_full:
                    state.lost(inner, "there is too much in this archive: the rest was left out")
                    return
                if not member.isreg():
                    continue  # folders, and links, which lead anywhere
                file = archive.extractfile(member)
                if file is None:
                    continue
                pieces = state.counted(inner, _read(file))
                place = str(PurePosixPath(inner).parent)
                inner_hint = f"{hint}/{member.name}"
                yield from _content(state, pieces, inner, None, place, inner_hint, depth)
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        state.lost(name, f"the archive is damaged or cut off ({error})")


def _of_zip(state: _Walk, file: BinaryIO, name: str, hint: str, depth: int) -> Iterator[Item]:
    if depth > _MOST_DEPTH:
        state.lost(name, f"archives lie more than {_MOST_DEPTH} deep in one another")
        return
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        state.lost(name, f"the archive is damaged or cut off ({error})")
        return
    with archive:
        for member in archive.infolist():
            inner = f"{name}/{member.filename}"
            state.files += 1
            if state.files > _MOST_FILES or state.is_full:
                state.lost(inner, "there is too much in this archive: the rest was left out")
                return
            if member.is_dir():
                continue
            try:
                opened = archive.open(member)
            except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError) as error:
                state.lost(inner, f"it cannot be unpacked ({error})")
                continue
            with opened:
                pieces = state.counted(inner, _read(opened))
                place = str(PurePosixPath(inner).parent)
                inner_hint = f"{hint}/{member.filename}"
                yield from _content(state, pieces, inner, None, place, inner_hint, depth)
