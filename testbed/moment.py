"""A recording as it was at a moment: a store without what was written later."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa

from mprof.store import TABLES, SourceNote, Store
from testbed.recorded import Recorded

__all__ = ["as_it_was"]

_NOTES: Final = "sources"


def as_it_was(one: Recorded, at_s: float, folder: Path) -> Store:
    """The store that an import at that moment would have made.

    A job's history is written when the job has ended; until then the logs of the NodeManagers tell
    of its containers.

    Args:
        one: the recording.
        at_s: the moment, seconds since the epoch.
        folder: for the store; new.
    """
    written = {table: _written(one, table, at_s) for table in TABLES if table != _NOTES}
    store = Store(folder)
    notes = one.tables[_NOTES][["source", "path", "kind", "bytes"]]
    for source, path, kind, size in notes.itertuples(index=False):
        with store.writing(source) as writer:
            for table, rows in written.items():
                own = rows[rows["source"] == source]
                schema = TABLES[table]
                writer.write(table, pa.Table.from_pandas(own, schema, preserve_index=False))
            writer.finish(SourceNote(source, path, kind, int(size), writer.rows, 0, None))
    return store


def _written(one: Recorded, table: str, at_s: float) -> pd.DataFrame:
    rows = one.tables[table]
    if table == "attempts":
        return _attempts(rows, one.tables["jobs"], at_s)
    if table == "jobs":
        return rows[rows["finished_s"] <= at_s]
    if table == "transfers":
        return rows[rows["started_s"] + rows["seconds"].fillna(0) <= at_s]
    return rows[rows["at_s"] <= at_s] if "at_s" in rows.columns else rows


def _attempts(rows: pd.DataFrame, jobs: pd.DataFrame, at_s: float) -> pd.DataFrame:
    ended = set(jobs.loc[jobs["finished_s"] <= at_s, "job"])
    of_history = rows["kind"].notna()
    rows = rows[np.where(of_history, rows["job"].isin(ended), rows["started_s"] <= at_s)]
    later = rows["finished_s"] > at_s
    return rows.assign(
        finished_s=rows["finished_s"].mask(later), state=rows["state"].mask(later, "running")
    )
