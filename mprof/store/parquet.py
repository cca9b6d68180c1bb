"""Parquet files of a store, in a folder of this machine or at an address."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mprof.remote.address import Address, Place
from mprof.remote.systems import reading

__all__ = ["metadata_of", "opened_parquet", "read_parquet"]

_REMEMBERED: Final = 2048
"""Footers of files at addresses, which are never written anew: each is read in parts by several
detectors. 10 to 50 KB each."""


def read_parquet(
    file: Place, *, columns: Sequence[str] | None = None, rows: pc.Expression | None = None
) -> pa.Table:
    """The rows of a file for which something holds; all of them where None."""
    wanted = None if columns is None else list(columns)
    if isinstance(file, Path):
        return pq.read_table(file, columns=wanted, filters=rows)
    with reading(file) as opened:
        return pq.read_table(opened, columns=wanted, filters=rows)


def metadata_of(file: Place) -> pq.FileMetaData:
    """What stands in the footer of a file."""
    return pq.read_metadata(file) if isinstance(file, Path) else _footer(file)


@contextlib.contextmanager
def opened_parquet(file: Place, *, categories: Sequence[str] = ()) -> Iterator[pq.ParquetFile]:
    """A file whose row groups can be read."""
    if isinstance(file, Path):
        with pq.ParquetFile(file, read_dictionary=list(categories), pre_buffer=False) as local:
            yield local
        return
    with (
        reading(file) as opened,
        # Each read is two requests: what lies close together is read at once.
        pq.ParquetFile(
            opened, metadata=_footer(file), read_dictionary=list(categories), pre_buffer=True
        ) as remote,
    ):
        yield remote


@lru_cache(maxsize=_REMEMBERED)
def _footer(file: Address) -> pq.FileMetaData:
    with reading(file) as opened:
        return pq.read_metadata(opened)
