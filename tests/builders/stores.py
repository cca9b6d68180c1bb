"""Stores of a few rows, put in as an import would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mprof.store import SourceNote, Store, frame_of

__all__ = ["add", "store_of"]


def add(store: Store, source: str, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """One more source."""
    with store.writing(source) as writer:
        for table, rows in tables.items():
            writer.write(table, frame_of(table, rows))
        writer.finish(SourceNote(source, f"/logs/{source}.log", "test", 1, writer.rows, 0, None))


def store_of(folder: Path, **tables: Sequence[Mapping[str, Any]]) -> Store:
    """A store with one source."""
    store = Store(folder)
    add(store, "all", tables)
    return store
