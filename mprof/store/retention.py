"""A store that does not grow for ever: rows that are too old go, and small sources become one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from mprof.remote.address import Place
from mprof.store.parquet import metadata_of, read_parquet
from mprof.store.replacement import announce, replacements
from mprof.store.row_groups import damaged
from mprof.store.schema import TABLES, as_described
from mprof.store.source_files import Revision, source_of
from mprof.store.store import SourceNote, Store

__all__ = ["drop_before", "end_replacements", "merged"]

_TIMES: Final = {
    "jobs": ("finished_s", "launched_s", "submitted_s"),
    "attempts": ("finished_s", "started_s"),
    "transfers": ("started_s",),
    "heartbeats": ("at_s",),
    "metrics": ("at_s",),
    "node_states": ("at_s",),
}
"""When a row was, by the first of these that it has; rows of other tables are of no time."""

_SLACK: Final = 0.1
"""Of what is kept: so much longer are rows kept in a source that has newer ones, so that it is not
written anew for each of them."""


def drop_before(store: Store, before_s: float, *, kept_s: float) -> tuple[str, ...]:
    """Take what is older out of a store; rows that have no time stay as long as their source does.

    Memory: one file of a source. A source of which no row with a time is left goes as a whole.

    Returns:
        Names of the sources that are gone.

    Raises:
        EvidenceError: if a file of the store is damaged.
    """
    end_replacements(store)
    gone = []
    sources = store.sources()
    files = {
        (source_of(file), table): file for table in _TIMES for file in store.files(table, sources)
    }
    for source in sources:
        spans = {}
        for table, columns in _TIMES.items():
            file = files.get((source, table))
            if file is not None and (span := _span(file, columns)) is not None:
                spans[table] = span
        if not spans:
            continue
        if max(last_s for _, last_s in spans.values()) < before_s:
            store.drop(source)
            gone.append(source)
            continue
        with store.revising(source) as revision:
            for table, (first_s, last_s) in spans.items():
                if last_s < before_s or first_s < before_s - _SLACK * kept_s:
                    _cut(revision, files[source, table], table, before_s)
    return tuple(gone)


def merged(store: Store, sources: Sequence[str], *, path: str, kind: str) -> str:
    """Make one source of several; the rows stay what they are.

    They change hands in one moment, that in which the note of the one is there: whoever reads the
    store before has the rows by the several, after it by the one, also where this was killed.

    Returns:
        The name of the one.

    Raises:
        EvidenceError: if a file of the store is damaged.
    """
    end_replacements(store)
    name = hashlib.sha256("\n".join(sorted(sources)).encode()).hexdigest()[:16]
    with store.writing(name) as writer:
        for table in TABLES:
            if table in {"sources", "names"}:
                continue
            parts = [_read(file, TABLES[table]) for file in store.files(table, sources)]
            if parts:
                writer.write(table, pa.concat_tables(parts))
        note = SourceNote(name, path, kind, 0, writer.rows, 0, None)
        replacement = announce(store.folder, by=name, sources=sources)
        writer.finish(note)
    store.end_replacement(replacement)
    return name


def end_replacements(store: Store) -> None:
    """Take out what merges that were killed have left; those that still run are left alone."""
    for each in replacements(store.folder):
        if not each.runs:
            store.end_replacement(each)
        elif not isinstance(store.folder, Path) and store.has(each.by):
            store.end_replacement(each)  # of whatever machine: it counts already


def _span(file: Place, columns: Sequence[str]) -> tuple[float, float] | None:
    """The first and the last time of a file's rows, by what Parquet keeps beside them."""
    try:
        metadata = metadata_of(file)
    except (pa.ArrowException, OSError) as error:
        raise damaged(file, error) from error
    places = {metadata.schema.column(at).path: at for at in range(metadata.num_columns)}
    lows, highs = [], []
    for group in range(metadata.num_row_groups):
        for column in columns:
            place = places.get(column)
            known = None if place is None else metadata.row_group(group).column(place).statistics
            if known is not None and known.has_min_max:
                lows.append(known.min)
                highs.append(known.max)
    return (min(lows), max(highs)) if lows else None


def _cut(revision: Revision, file: Place, table: str, before_s: float) -> None:
    rows = _read(file, TABLES[table])
    at_s = pc.coalesce(*(rows[column] for column in _TIMES[table]))
    kept = rows.filter(pc.fill_null(pc.greater_equal(at_s, before_s), True))
    if kept.num_rows < rows.num_rows:
        revision.replace(table, kept)


def _read(file: Place, schema: pa.Schema) -> pa.Table:
    try:
        return as_described(read_parquet(file), schema)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damaged(file, error) from error
