"""Parquet files of a store, in a folder of this machine or at an address."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mprof.remote.address import Address, Place
from mprof.remote.systems import reading

__all__ = ["metadata_of", "opened_parquet", "read_parquet"]

_FOOTERS: Final = 2048
"""Of files at addresses: each is read in parts by several detectors. 10 to 50 KB each."""

SMALL_BYTES: Final = 1 << 20
"""A file at an address that is no larger is read at once: its parts would take longer, a request
to the NameNode and one to a DataNode each."""

_KEPT_BYTES: Final = 64 << 20
"""Of small files, so that what several detectors read comes once."""


def read_parquet(
    file: Place, *, columns: Sequence[str] | None = None, rows: pc.Expression | None = None
) -> pa.Table:
    """The rows of a file for which something holds; all of them where None."""
    wanted = None if columns is None else list(columns)
    if isinstance(file, Path):
        return pq.read_table(file, columns=wanted, filters=rows)
    with _opened(file) as opened:
        return pq.read_table(opened, columns=wanted, filters=rows)


def metadata_of(file: Place) -> pq.FileMetaData:
    """What stands in the footer of a file."""
    if isinstance(file, Path):
        return pq.read_metadata(file)
    return _kept_footer(file) if _is_written_once(file) else _footer(file)


@contextlib.contextmanager
def opened_parquet(file: Place, *, categories: Sequence[str] = ()) -> Iterator[pq.ParquetFile]:
    """A file whose row groups can be read."""
    if isinstance(file, Path):
        with pq.ParquetFile(file, read_dictionary=list(categories), pre_buffer=False) as local:
            yield local
        return
    with (
        _opened(file) as opened,
        # Each read is two requests: what lies close together is read at once.
        pq.ParquetFile(
            opened, metadata=metadata_of(file), read_dictionary=list(categories), pre_buffer=True
        ) as remote,
    ):
        yield remote


class _Kept:
    """The content of small files, up to a size of all of them; the longest unused go first."""

    def __init__(self) -> None:
        self._files: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, file: Address) -> bytes | None:
        with self._lock:
            found = self._files.get(file.text)
            if found is not None:
                self._files.move_to_end(file.text)
            return found

    def keep(self, file: Address, content: bytes) -> None:
        with self._lock:
            if file.text not in self._files:
                self._files[file.text] = content
                self._bytes += len(content)
            while self._bytes > _KEPT_BYTES:
                _, gone = self._files.popitem(last=False)
                self._bytes -= len(gone)


_kept: Final = _Kept()


@contextlib.contextmanager
def _opened(file: Address) -> Iterator[Any]:
    content = _kept.get(file)
    if content is not None:
        yield pa.BufferReader(content)
        return
    with reading(file) as opened:
        if opened.size > SMALL_BYTES:
            yield opened
            return
        content = opened.read()
    if _is_written_once(file):
        _kept.keep(file, content)
    yield pa.BufferReader(content)


def _is_written_once(file: Address) -> bool:
    """Whether it has an edition in its name, and so never another content."""
    return file.name.count(".") > 1


def _footer(file: Address) -> pq.FileMetaData:
    with _opened(file) as opened:
        return pq.read_metadata(opened)


_kept_footer: Final = lru_cache(maxsize=_FOOTERS)(_footer)
