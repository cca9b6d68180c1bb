"""A new file that is there whole or not at all, written by several threads, packed or plain."""

from __future__ import annotations

import contextlib
import os
import struct
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from mprof.errors import UsageError
from mprof.io.files import new_file
from mprof.kernels.cores import core_count

__all__ = ["NewFile", "Packer"]

_BLOCK: Final = 1 << 20
"""Plain bytes of a member, as HotSpot has it."""
_LEVEL: Final = 1
_WAITING: Final = 8  # blocks a core
_COMMENT_FLAG: Final = 0x10
_HEADER: Final = b"\x1f\x8b\x08%c\0\0\0\0\0\xff"


class NewFile:
    """The file; to be used in a ``with`` statement.

    Nothing stays of it unless the statement ends well; what stands there already is not touched.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open = contextlib.ExitStack()
        self._descriptor = -1
        self._size = 0

    def __enter__(self) -> Self:
        if os.path.lexists(self._path):
            raise _exists(self._path)
        with contextlib.ExitStack() as stack:
            try:
                beside = stack.enter_context(new_file(self._path))
            except FileNotFoundError as error:
                raise UsageError(
                    f"{self._path} cannot be written: its folder is not there",
                    next_step="make the folder, or write somewhere else",
                ) from error
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(self._path)) from error
            self._descriptor = os.open(beside, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            stack.callback(os.close, self._descriptor)
            self._open = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._named():
            self._open.__exit__(kind, error, trace)

    def write(self, piece: bytes | memoryview) -> None:
        """Append bytes."""
        self.write_at(piece, self._size)
        self._size += len(piece)

    def reserve(self, size: int) -> int:
        """Leave room that is written later; returns where it begins."""
        begin, self._size = self._size, self._size + size
        return begin

    def write_at(self, piece: bytes | memoryview, position: int) -> None:
        """Write bytes at a position; threads may do so at once."""
        rest = memoryview(piece)
        with self._named():
            while rest:
                count = os.pwrite(self._descriptor, rest, position)
                position += count
                rest = rest[count:]

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """Errors of the system name the file that was asked for."""
        try:
            yield
        except FileExistsError as error:
            raise _exists(self._path) from error
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from error


class Packer:
    """Packs what is written as gz, in blocks of their own as HotSpot does, on all cores.

    A reader can unpack the blocks at once: the comment of the first says how large they are.
    """

    def __init__(self, target: NewFile) -> None:
        self._target = target
        self._pool = ThreadPoolExecutor(core_count())
        self._waiting: deque[Future[bytes]] = deque()
        self._block = bytearray()
        self._is_first = True

    def write(self, piece: bytes | memoryview) -> None:
        """Append plain bytes."""
        rest = memoryview(piece)
        while rest:
            count = min(len(rest), _BLOCK - len(self._block))
            self._block += rest[:count]
            rest = rest[count:]
            if len(self._block) == _BLOCK:
                self._submit()

    def finish(self) -> None:
        """Write what is left."""
        if self._block or self._is_first:
            self._submit()
        while self._waiting:
            self._target.write(self._waiting.popleft().result())
        self.close()

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _submit(self) -> None:
        comment = b""
        if self._is_first:
            comment = f"HPROF BLOCKSIZE={_BLOCK}".encode() + b"\0"
            self._is_first = False
        self._waiting.append(self._pool.submit(_member, bytes(self._block), comment))
        self._block.clear()
        if len(self._waiting) > _WAITING * core_count():
            self._target.write(self._waiting.popleft().result())


def _member(plain: bytes, comment: bytes) -> bytes:
    engine = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15)
    packed = engine.compress(plain) + engine.flush()
    head = _HEADER % (_COMMENT_FLAG if comment else 0)
    return head + comment + packed + struct.pack("<II", zlib.crc32(plain), len(plain))


def _exists(path: Path) -> UsageError:
    return UsageError(f"{path} already exists", next_step="choose another file")
