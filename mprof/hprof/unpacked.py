"""A temporary file for the plain bytes of a dump that is packed or in parts.

It is unlinked, so that nothing stays of it, and there are two ends to what is written: the room on
its disk, and where what comes has long been no heap dump. A few kilobytes of gz can unpack to any
number of zeros, and a dump of a heap full of empty arrays honestly packs as well, so that the ratio
tells nothing.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from mprof.errors import EvidenceError
from mprof.hprof.format import HEAP_DUMP, RECORD_HEADER, TOP_LEVEL
from mprof.units import MIB, format_bytes

__all__ = ["Unpacked"]

_KEPT_FREE_BYTES: Final = 64 * MIB
"""Of the temporary folder: other programs write there too."""

_BETWEEN_CHECKS: Final = 64 * MIB

_MOST_STRANGE_BYTES: Final = 256 * MIB
"""How much is unpacked after the last record that the format allows: damage in a dump, whose end
the scan of its records looks for, is far shorter; only damage to a length can hide more."""

_MAGIC: Final = b"JAVA PROFILE 1.0."
_LONGEST_HEADER: Final = 64
_AFTER_TEXT: Final = 12  # the bytes of an identifier, and the time


class Unpacked:
    """The file; to be used in a ``with`` statement.

    Attributes:
        size: bytes written so far.
        loss: why writing was given up, one sentence; empty where it was not.
    """

    def __init__(self, path: Path) -> None:
        self.size = 0
        self.loss = ""
        self._path = path
        self._head = b""  # bytes of a record head, or of the dump's, that are not all there yet
        self._next_record = -1  # -1: the header of the dump has not been seen
        self._strange_since: int | None = None
        self._unbounded = False
        self._checked = -_BETWEEN_CHECKS
        try:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 closed by `__exit__`
        except OSError as error:
            raise self._no_room(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()  # what is mapped of it stays

    def fileno(self) -> int:
        """The descriptor, to map the file by."""
        return self._file.fileno()

    def write(self, piece: bytes) -> bool:
        """Append bytes; False where no more should come, for which `loss` says why.

        Raises:
            EvidenceError: if they do not fit.
        """
        if self.loss:
            return False
        try:
            self._check_room()
            rest = memoryview(piece)
            while rest:  # a disk that is nearly full takes a part
                rest = rest[os.write(self.fileno(), rest) :]
        except OSError as error:
            raise self._no_room(error) from error
        self._follow(piece)
        self.size += len(piece)
        if self._strange_since is not None:
            strange = self.size - self._strange_since
            if strange > _MOST_STRANGE_BYTES:
                self.loss = (
                    f"from byte {self._strange_since:,} of the dump on it holds no records; it was "
                    f"unpacked up to byte {self.size:,}"
                )
        return not self.loss

    def _check_room(self) -> None:
        if self.size - self._checked < _BETWEEN_CHECKS:
            return
        self._checked = self.size
        disk = os.fstatvfs(self.fileno())
        free = disk.f_bavail * disk.f_frsize
        if free < min(_KEPT_FREE_BYTES, disk.f_blocks * disk.f_frsize // 10) + _BETWEEN_CHECKS // 2:
            raise self._no_room(None)

    def _follow(self, piece: bytes) -> None:
        """Go from record to record, as far as the piece reaches; `size` is still that before it."""
        if self._strange_since is not None or self._unbounded:
            return
        end = self.size + len(piece)
        if self._next_record < 0:
            self._head = (self._head + piece)[:_LONGEST_HEADER]
            stop = self._head.find(b"\0")
            if not self._head.startswith(_MAGIC[: len(self._head)]) or (
                stop < 0 and len(self._head) == _LONGEST_HEADER
            ):
                self._strange_since = 0
                return
            if stop < 0:
                return
            self._next_record, self._head = stop + 1 + _AFTER_TEXT, b""
        while self._next_record < end:
            at = max(0, self._next_record - self.size)
            self._head += piece[at : at + RECORD_HEADER - len(self._head)]
            if len(self._head) < RECORD_HEADER:
                return  # the rest of it comes with the next piece
            tag, length = self._head[0], int.from_bytes(self._head[5:9], "big")
            if tag not in TOP_LEVEL:
                self._strange_since = self._next_record
                return
            # Before there were segments, the length of a large dump did not fit into four bytes.
            self._unbounded = tag == HEAP_DUMP
            if self._unbounded:
                return
            self._next_record += RECORD_HEADER + length
            self._head = b""

    def _no_room(self, error: OSError | None) -> EvidenceError:
        reason = "there is too little room" if error is None else (error.strerror or str(error))
        return EvidenceError(
            f"{self._path} cannot be unpacked into {_folder()} ({format_bytes(self.size)} were): "
            f"{reason}",
            next_step="set TMPDIR to a folder with room for the whole dump, or unpack it yourself",
        )


def _folder() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:
        return "a temporary folder"
