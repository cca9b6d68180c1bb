"""The tables of the store: their columns, types and units.

Times are seconds since 1970-01-01 UTC, in columns that end in ``_s``; a recording that has no date
counts from its first event. What a source does not say is missing (null), never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from mprof.metrics import METRIC_NAMES
from mprof.printable import encodable

__all__ = ["TABLES", "frame_of"]

_TEXT = pa.string()
_NUMBER = pa.float64()
_COUNT = pa.int64()


def _schema(**columns: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field("source", _TEXT), *(pa.field(*each) for each in columns.items())])


TABLES: Final[Mapping[str, pa.Schema]] = {
    "jobs": _schema(
        job=_TEXT, name=_TEXT, user=_TEXT, submitted_s=_NUMBER, launched_s=_NUMBER,
        finished_s=_NUMBER, state=_TEXT, maps=_COUNT, reduces=_COUNT,
    ),
    # kind: map, reduce, setup, cleanup; state: succeeded, failed, killed, running.
    # counters: a JSON object of groups; slices_ms: wall-clock time of each twelfth of the progress.
    "attempts": _schema(
        job=_TEXT, attempt=_TEXT, kind=_TEXT, host=_TEXT, rack=_TEXT, started_s=_NUMBER,
        shuffled_s=_NUMBER, sorted_s=_NUMBER, finished_s=_NUMBER, state=_TEXT, error=_TEXT,
        read_bytes=_COUNT, written_bytes=_COUNT, counters=_TEXT, slices_ms=pa.list_(_NUMBER),
    ),
    # host did it; peer is the other end where it is known.
    "transfers": _schema(
        host=_TEXT, peer=_TEXT, operation=_TEXT, started_s=_NUMBER, seconds=_NUMBER, bytes=_COUNT,
        block=_TEXT, attempt=_TEXT, status=_TEXT,
    ),
    "heartbeats": _schema(host=_TEXT, at_s=_NUMBER, kind=_TEXT, round_trip_s=_NUMBER),
    "metrics": _schema(
        host=_TEXT, at_s=_NUMBER, **dict.fromkeys(METRIC_NAMES, pa.float32())
    ),
    # nodes that should be there, whether or not anything was heard of them
    "nodes": _schema(host=_TEXT, rack=_TEXT, known_from=_TEXT),
    # where the rows are from; unread: parts of the file that could not be read
    "sources": _schema(
        path=_TEXT, kind=_TEXT, bytes=_COUNT, rows=_COUNT, unread=_COUNT, first_unread=_TEXT,
        imported_at_s=_NUMBER,
    ),
}  # fmt: skip


def frame_of(
    table: str, rows: Iterable[Mapping[str, Any]] | Mapping[str, Sequence[Any]]
) -> pa.Table:
    """Rows, or columns, as an Arrow table with the columns of ``table``; what is not given is null.

    Raises:
        KeyError: if a column is none of that table.
    """
    schema = TABLES[table]
    if isinstance(rows, Mapping):
        columns = dict(rows)
    else:
        listed = list(rows)
        names = {name for row in listed for name in row}
        columns = {name: [row.get(name) for row in listed] for name in names}
    unknown = set(columns) - set(schema.names)
    if unknown:
        raise KeyError(f"{table} has no column {min(unknown)}")
    count = len(next(iter(columns.values()), ()))
    return pa.table(
        {
            field.name: _array(columns[field.name], field.type)
            if field.name in columns
            else pa.nulls(count, field.type)
            for field in schema
        },
        schema=schema,
    )


def _array(values: Sequence[Any], type_: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, type=type_, from_pandas=True)  # NaN is missing, in text too
    except UnicodeEncodeError:
        # Half of a surrogate pair: JSON and names of files can hold what is no UTF-8.
        written_out = [None if each is None else encodable(each) for each in values]
        return pa.array(written_out, type=type_, from_pandas=True)
