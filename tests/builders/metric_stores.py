"""Stores of metrics: a file a node, as `mprof collect` leaves them, or one file of all nodes."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from mprof.store import SourceNote, Store, frame_of


def store_of(folder: Path, metrics: pd.DataFrame, *, by_host: bool = True) -> Store:
    """A store with these rows."""
    store = Store(folder)
    parts = metrics.groupby("host") if by_host else [("all", metrics)]
    for name, rows in parts:
        with store.writing(f"source-{name}") as writer:
            columns = {column: rows[column].tolist() for column in rows}
            writer.write("metrics", frame_of("metrics", columns))
            writer.finish(SourceNote(f"source-{name}", "a file", "test", 1, len(rows), 0, None))
    return store
