"""The tables of the store: their columns, types, units and meanings.

Times are seconds since 1970-01-01 UTC, in columns that end in ``_s``; a recording that has no date
counts from its first event. A value that a source does not give is null, never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from mprof.io.printable import encodable
from mprof.metrics import SAMPLED
from mprof.units import EARLIEST_S, LATEST_S

__all__ = [
    "NAMES_OF_HOSTS",
    "TABLES",
    "TABLES_DESCRIBED",
    "Column",
    "Table",
    "as_described",
    "frame_of",
    "needed_of",
    "plausible",
    "typed_as",
]

_TEXT: Final = pa.string()
_NUMBER: Final = pa.float64()
_SMALL_NUMBER: Final = pa.float32()
_COUNT: Final = pa.int64()
_NUMBERS: Final = pa.list_(_NUMBER)
_EPOCH: Final = "s since 1970 UTC"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        type: Arrow's type.
        unit: of a value; "" for texts and plain counts.
        needed: required; rows without a value in it are skipped.
    """

    name: str
    type: pa.DataType
    meaning: str
    unit: str = ""
    needed: bool = False

    @property
    def field(self) -> pa.Field:
        """As Arrow and Parquet keep it."""
        about = {"unit": self.unit} if self.unit else {}
        about |= {"needed": "true"} if self.needed else {}
        return pa.field(self.name, self.type, metadata=about or None)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the store.

    Attributes:
        row: what one row stands for.
        columns: behind ``source``, which all tables have.
    """

    name: str
    row: str
    columns: tuple[Column, ...]

    @property
    def times(self) -> tuple[str, ...]:
        """Its columns that hold a moment."""
        return tuple(each.name for each in self.columns if each.unit == _EPOCH)

    @property
    def schema(self) -> pa.Schema:
        """Its columns with their units, as Arrow and Parquet keep them."""
        source = Column("source", _TEXT, "")
        return pa.schema(each.field for each in (source, *self.columns))


def _at(name: str, meaning: str) -> Column:
    return Column(name, _NUMBER, meaning, _EPOCH)


NAMES_OF_HOSTS: Final = ("host", "peer")
"""Columns that hold names of hosts."""

_HOST: Final = Column("host", _TEXT, "its name, without its rack")
_RACK: Final = Column("rack", _TEXT, "the rack of the host")
_JOB: Final = Column("job", _TEXT, "id of the job", needed=True)

_JOBS: Final = Table(
    "jobs",
    "a job",
    (
        _JOB,
        Column("name", _TEXT, "its name"),
        Column("user", _TEXT, "user who submitted it"),
        _at("submitted_s", "when it was submitted"),
        _at("launched_s", "when it was launched"),
        _at("finished_s", "when it ended"),
        Column("state", _TEXT, "`succeeded`, `failed`, `killed`, `running` (no end is recorded)"),
        Column("maps", _COUNT, "map tasks"),
        Column("reduces", _COUNT, "reduce tasks"),
    ),
)
_ATTEMPTS: Final = Table(
    "attempts",
    "a task attempt; or a container from a NodeManager's log, which has no kind",
    (
        _JOB,
        Column("attempt", _TEXT, "id of the attempt, or of the container", needed=True),
        Column("kind", _TEXT, "`map`, `reduce`, `setup`, `cleanup`"),
        _HOST,
        _RACK,
        _at("started_s", "when it started"),
        _at("shuffled_s", "when the reducer had fetched its last map output"),
        _at("sorted_s", "when the reducer had merged the map outputs"),
        _at("finished_s", "when it ended"),
        Column(
            "state",
            _TEXT,
            "`succeeded`, `failed`, `killed`, `running` (no end is recorded); for a container also "
            "`killed for memory`",
        ),
        Column("error", _TEXT, "its diagnostics"),
        Column("read_bytes", _COUNT, "read from HDFS and local files", "B"),
        Column("written_bytes", _COUNT, "written to HDFS and local files", "B"),
        Column("counters", _TEXT, "its counters as a JSON object, as its source names them"),
        Column("slices_ms", _NUMBERS, "wall-clock time of each twelfth of its progress", "ms"),
    ),
)
_TRANSFERS: Final = Table(
    "transfers",
    "an HDFS operation on one host: a block, or part of one, read or written",
    (
        _HOST,
        Column("peer", _TEXT, "the other end, if known"),
        Column("operation", _TEXT, "as named in the source: `HDFS_WRITE`, `writeBlock`"),
        _at("started_s", "when it started"),
        Column("seconds", _NUMBER, "how long it took, by the host's clock", "s"),
        Column("bytes", _COUNT, "bytes transferred", "B"),
        Column("block", _TEXT, "id of the block"),
        Column("attempt", _TEXT, "the attempt that requested it"),
        Column("status", _TEXT, "`ok`, `-` if no result is recorded, or the failure"),
    ),
)
_HEARTBEATS: Final = Table(
    "heartbeats",
    "a heartbeat, or the mean of the heartbeats of a short interval",
    (
        _HOST,
        _at("at_s", "when it was answered"),
        Column("kind", _TEXT, "the call: `sendHeartbeat` of a DataNode, `nodeHeartbeat` of a "
               "NodeManager; `... at the master`: the time it took there"),
        Column("round_trip_s", _NUMBER, "from call to answer, by a single clock", "s"),
    ),
)  # fmt: skip

_HEARTBEAT_LINES: Final = Table(
    "heartbeat_lines",
    "a heartbeat as logged by one of its two sides, by that side's clock",
    (
        _HOST,
        _at("at_s", "when it was logged"),
        Column("side", _TEXT, "`node`: the answer arrived; `master`: the heartbeat arrived"),
        Column("number", _COUNT, "of the answer, known to both sides; each host has its own count"),
    ),
)

_METRICS: Final = Table(
    "metrics",
    "the metrics of a host at one time; rates are means since the previous row",
    (
        _HOST,
        _at("at_s", "the time"),
        *(Column(one.name, _SMALL_NUMBER, one.meaning, one.unit) for one in SAMPLED),
    ),
)
_NODES: Final = Table(
    "nodes",
    "a node that is expected in the cluster, whether or not any data from it exists",
    (_HOST, _RACK, Column("known_from", _TEXT, "the source that lists it")),
)
_NODE_STATES: Final = Table(
    "node_states",
    "a node as the ResourceManager reported it when queried",
    (
        _HOST,
        _at("at_s", "when the ResourceManager was queried"),
        Column("state", _TEXT, "YARN's state: `RUNNING`, `LOST`, `UNHEALTHY`, "
               "`DECOMMISSIONED`, ...", needed=True),
        _at("heard_s", "the node's last health report"),
        Column("report", _TEXT, "text of the health report; null if healthy"),
        Column("containers", _COUNT, "containers running on it"),
    ),
)  # fmt: skip
_HARDWARE: Final = Table(
    "hardware",
    "the hardware of a host, or what it offers to containers; no measurements",
    (
        _HOST,
        Column("what", _TEXT, "`processors`, `memory`, `YARN processors`, `YARN memory`"),
        Column("amount", _NUMBER, "number of processors, or bytes of memory"),
    ),
)
_NAMES: Final = Table(
    "names",
    "a name that a source uses for a host; `host` and `peer` in the other tables are read as the "
    "single name that the host has in all of them",
    (
        Column("name", _TEXT, "as written in the source", needed=True),
        Column("address", _TEXT, "the address of the host according to that source"),
    ),
)
_SOURCES: Final = Table(
    "sources",
    "a file whose rows are in the store; `source` is the start of the SHA-256 of its bytes",
    (
        Column("path", _TEXT, "where the file was"),
        Column("kind", _TEXT, "kind of file"),
        Column("bytes", _COUNT, "its size", "B"),
        Column("rows", _COUNT, "rows read from it, in all tables"),
        Column("unread", _COUNT, "parts of it that could not be read"),
        Column("first_unread", _TEXT, "the first of these parts, and why it could not be read"),
        Column("zone", _TEXT, "the time zone assumed for its times, if the file gives none"),
        _at("imported_at_s", "when it was imported"),
    ),
)

TABLES_DESCRIBED: Final = (
    _JOBS, _ATTEMPTS, _TRANSFERS, _HEARTBEATS, _HEARTBEAT_LINES, _METRICS, _NODES, _NODE_STATES,
    _HARDWARE, _NAMES, _SOURCES,
)  # fmt: skip
"""Every table, with what its columns mean."""

TABLES: Final[Mapping[str, pa.Schema]] = {table.name: table.schema for table in TABLES_DESCRIBED}
"""The schema of every table, by its name."""


def frame_of(
    table: str, rows: Iterable[Mapping[str, Any]] | Mapping[str, Sequence[Any]]
) -> pa.Table:
    """Rows, or columns, as an Arrow table with the columns of ``table``; what is not given is null.

    So is a number that is not finite, and a moment outside of the years 2 to 9998.

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
            field.name: plausible(_array(columns[field.name], field.type), field)
            if field.name in columns
            else pa.nulls(count, field.type)
            for field in schema
        },
        schema=schema,
    )


def plausible(values: pa.Array | pa.ChunkedArray, field: pa.Field) -> pa.Array | pa.ChunkedArray:
    """The same column of a table, with null for what can be neither a moment nor measured."""
    if not pa.types.is_floating(field.type):
        return values
    if (field.metadata or {}).get(b"unit") != _EPOCH.encode():
        can_be = pc.is_finite(values)  # nothing that is measured is infinite
    else:
        can_be = pc.and_(pc.greater(values, EARLIEST_S), pc.less(values, LATEST_S))
    if pc.all(can_be).as_py() is not False:
        return values
    return pc.if_else(can_be, values, pa.scalar(None, field.type))


def as_described(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Rows that somebody else may have written, with the types and the possible values of a table.

    Rows that are about nothing are left out.

    Raises:
        pa.ArrowInvalid: if the types cannot be had.
    """
    typed = typed_as(rows, schema)
    for name in needed_of(schema):
        if typed.column(name).null_count:
            typed = typed.filter(pc.is_valid(typed.column(name)))
    return typed


def typed_as(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """The same rows, each of them, with the types and the possible values of a table.

    Raises:
        pa.ArrowInvalid: if the types cannot be had.
    """
    typed = rows.cast(schema)
    for place, field in enumerate(schema):
        values = typed.column(place)
        possible = plausible(values, field)
        if possible is not values:
            typed = typed.set_column(place, field, possible)
    return typed


def needed_of(schema: pa.Schema) -> tuple[str, ...]:
    """Columns without a value in which a row is about nothing."""
    return tuple(field.name for field in schema if b"needed" in (field.metadata or {}))


def _array(values: Sequence[Any], type_: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, type=type_, from_pandas=True)  # NaN is missing, in text too
    except UnicodeEncodeError:
        # Half of a surrogate pair: JSON and names of files can hold what is no UTF-8.
        written_out = [None if each is None else encodable(each) for each in values]
        return pa.array(written_out, type=type_, from_pandas=True)
