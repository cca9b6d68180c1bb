"""Reads a file as `mprof import` does, without a store."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from mprof.sources import reader_of
from mprof.sources.reader import Losses, head_of

__all__ = ["read_source"]


def read_source(path: Path) -> tuple[str, dict[str, list[dict[str, object]]], Losses]:
    """Its kind, the rows of each table that is not empty, and what could not be read."""
    reader = reader_of(path, head_of(path))
    assert reader is not None, path
    losses = Losses()
    tables: dict[str, list[pa.Table]] = {}
    for table, part in reader.read(path, losses):
        assert table in reader.tables
        if part.num_rows:
            tables.setdefault(table, []).append(part)
    rows = {table: pa.concat_tables(parts).to_pylist() for table, parts in tables.items()}
    return reader.kind, rows, losses
