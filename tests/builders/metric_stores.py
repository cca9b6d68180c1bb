"""Stores of metrics: a file a node, as `mprof collect` leaves them, or one file of all nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from builders.metric_nodes import START_S

from mprof.metrics import METRIC_NAMES
from mprof.store import Rows, SourceNote, Store, frame_of


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


def metric_rows(store: Store) -> Rows:
    """All metrics of a store, to be read in parts."""
    columns = ("host", "at_s", *METRIC_NAMES)
    return store.rows("metrics", columns=columns, by="at_s", categories=["host"])


def late(table: pd.DataFrame) -> pd.DataFrame:
    """A node that comes late, one that goes early, one whose clock once said 1970."""
    gone = (table["host"] == "node002") & (table["at_s"] > START_S + 700)
    not_yet = (table["host"] == "node004") & (table["at_s"] < START_S + 200)
    table = table[~gone & ~not_yet].reset_index(drop=True)
    table.loc[table.index[table["host"] == "node001"][300], "at_s"] = 3.0
    return table


def without_a_metric_at_first(table: pd.DataFrame) -> pd.DataFrame:
    """Nothing of `iowait` is known in the first ten minutes."""
    table.loc[table["at_s"] < START_S + 600, "iowait"] = np.nan
    return table
