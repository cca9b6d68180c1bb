"""Rows in files: compressed, of bounded size, and readable up to the moment of a crash.

JSON lines through gzip, and not Parquet: a Parquet file has no rows before its footer is written,
so that a node that dies takes the file along, and this is a tool for nodes that die.
"""

from __future__ import annotations

import contextlib
import glob
import gzip
import json
import re
import shutil
import time
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final

from mprof.errors import UsageError
from mprof.units import MIB, format_bytes

__all__ = ["Recording"]

_FILE_BYTES: Final = 4 * MIB
"""About twelve hours at one row a second."""
_TOTAL_BYTES: Final = 64 * MIB
"""About eight days."""
_LEAST_FREE_BYTES: Final = 128 * MIB
"""What is left to the node: the collector must not be what fills its disk."""
_FLUSH_S: Final = 10.0
"""What a crash costs; with each row its own block, files were twice as large."""
_DIGITS: Final = 6
"""Of the number of a file."""
_SUFFIX: Final = ".jsonl.gz"
_STRANGE: Final = re.compile(r"[^A-Za-z0-9.-]")


class Recording:
    """The files of one node in a folder, the oldest of which are deleted.

    Args:
        folder: where they are; it is made if it is not there.
        host: name of the node, in each row and in the names of the files.
        what: the rows tell, the first word of the names of the files.
        file_bytes: of a file, after which the next is begun.
        total_bytes: of all files of this node in the folder.
        least_free_bytes: of the disk, below which nothing more is written.

    Raises:
        UsageError: if the folder cannot be made or written to.
    """

    def __init__(
        self,
        folder: Path,
        host: str,
        *,
        what: str = "metrics",
        file_bytes: int = _FILE_BYTES,
        total_bytes: int = _TOTAL_BYTES,
        least_free_bytes: int = _LEAST_FREE_BYTES,
    ) -> None:
        self._folder = folder
        self._host = host
        self._prefix = f"{what}-{_STRANGE.sub('_', host)}-"
        self._file_bytes = file_bytes
        self._total_bytes = total_bytes
        self._least_free_bytes = least_free_bytes
        self._file: BinaryIO | None = None
        self._packer: gzip.GzipFile | None = None
        self._flushed_s = 0.0
        self.rows = 0
        with self._told():
            folder.mkdir(parents=True, exist_ok=True)
            self._begin()

    def add(self, at_s: float, row: Mapping[str, float | str | None]) -> None:
        """Write one row.

        Raises:
            UsageError: if the disk is full, or all but full.
        """
        line = json.dumps({"host": self._host, "at_s": round(at_s, 3), **row})
        with self._told():
            if self._file is None or self._packer is None:
                self._begin()
            assert self._file is not None and self._packer is not None  # noqa: S101,PT018
            self._packer.write(line.encode() + b"\n")
            self.rows += 1
            now_s = time.monotonic()
            if now_s - self._flushed_s >= _FLUSH_S:
                self._flushed_s = now_s
                self._packer.flush(zlib.Z_SYNC_FLUSH)
                self._file.flush()
                self._check_room()
                if self._file.tell() >= self._file_bytes:
                    self._end()

    def close(self) -> None:
        """End the file that is being written.

        Raises:
            UsageError: if what was left could not be written.
        """
        with self._told():
            self._end()

    def _begin(self) -> None:
        self._check_room()
        self._delete_oldest()
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        # By number, since the clock may have been set back; the time is for people.
        last = max((file.name for file in self._files()), default=None)
        number = 1 + (int(last.removeprefix(self._prefix)[:_DIGITS]) if last else 0)
        while True:
            path = self._folder / f"{self._prefix}{number:0{_DIGITS}d}-{stamp}{_SUFFIX}"
            with contextlib.suppress(FileExistsError):  # of another collector of this node
                self._file = path.open("xb")
                break
            number += 1
        self._packer = gzip.GzipFile(filename="", mode="wb", fileobj=self._file, mtime=0)
        self._flushed_s = time.monotonic()

    def _end(self) -> None:
        file, packer = self._file, self._packer
        self._file = self._packer = None
        if file is None:
            return
        try:
            if packer is not None:
                packer.close()
        finally:
            file.close()

    def _check_room(self) -> None:
        free = shutil.disk_usage(self._folder).free
        if free < self._least_free_bytes:
            raise UsageError(
                f"collection ended: {self._folder} has {format_bytes(free)} left on its disk",
                next_step="make room on that disk, or write somewhere else",
            )

    def _delete_oldest(self) -> None:
        """Make room for one more file."""
        files = self._files()
        sizes = [file.stat().st_size for file in files]
        room = self._total_bytes - self._file_bytes
        for number, file in enumerate(files):
            if sum(sizes[number:]) > room:
                file.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        """Those of this node, the oldest first."""
        pattern = f"{glob.escape(self._prefix)}{_DIGITS * '[0-9]'}-*{_SUFFIX}"
        return sorted(self._folder.glob(pattern))

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Say what a disk does not take; what is written already stays readable."""
        try:
            yield
        except OSError as error:
            with contextlib.suppress(OSError):
                self._end()
            raise UsageError(
                f"collection ended: {self._folder} cannot be written to: {error.strerror}",
                next_step="make room on that disk, or write somewhere else",
            ) from error
        except UsageError:
            with contextlib.suppress(OSError):
                self._end()
            raise
