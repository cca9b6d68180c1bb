"""History events of Hadoop 0.23 to 3: Avro-JSON and Avro-Binary, read by the schema in the file.

Line 1 names the encoding, line 2 is the schema, events follow until the end of the file; it is not
an Avro container file (``org.apache.hadoop.mapreduce.jobhistory.EventWriter``).
Binary is the default since Hadoop 3.0 (``mapreduce.jobhistory.jhist.format``).
The schema has changed several times, so any field may be absent.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import fastavro
import msgspec

from mprof.errors import EvidenceError
from mprof.history.avro_schema import LONGEST_SCHEMA, why_refused
from mprof.history.event import AVRO_BINARY, AVRO_JSON, HistoryEvent
from mprof.history.losses import Losses
from mprof.io.json import has_number_beyond_long

__all__ = ["AvroEvents", "read_avro_events"]

_COUNTERS: Final = "JhCounters"
_PRIMITIVES: Final = ("int", "long", "float", "double", "string", "boolean", "bytes", "null")
_NEXT_STEP: Final = "copy the .jhist file again, or diagnose from logs or a capture"


@dataclass(frozen=True, slots=True)
class AvroEvents:
    """The events of a file, and what could not be read."""

    encoding: str
    events: tuple[HistoryEvent, ...]
    losses: tuple[str, ...]


def read_avro_events(data: bytes, *, name: str) -> AvroEvents:
    """Decode the events of a whole file.

    Raises:
        EvidenceError: if the schema line is damaged: without it nothing can be read.
    """
    first, _, rest = data.partition(b"\n")
    schema_line, _, body = rest.partition(b"\n")
    encoding = first.strip().decode("ascii", "replace")
    schema, parsed, names = _schema(schema_line, name)
    if encoding == AVRO_BINARY:
        return _read_binary(body, parsed)
    return _read_json(body, schema, names)


_BAD_SCHEMA: Final = (
    fastavro.schema.SchemaParseException,
    fastavro.schema.UnknownType,
    ValueError,  # covers JSON and UnicodeDecodeError
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)


_Names = Mapping[str, dict[str, Any]]


def _schema(line: bytes, name: str) -> tuple[dict[str, Any], Any, _Names]:
    """The schema as written, for JSON, and as fastavro wants it, for binary; its named types."""
    try:
        schema = json.loads(line) if len(line) <= LONGEST_SCHEMA else None
    except (ValueError, RecursionError) as error:
        raise EvidenceError(
            f"the job history {name} is cut off or damaged in its second line, the schema",
            next_step=_NEXT_STEP,
        ) from error
    if schema is None:
        raise _refused(name, "it is too long")
    try:
        parsed = fastavro.parse_schema(json.loads(line))  # parse_schema modifies its argument
        why = why_refused(schema)
        if why is not None:
            raise _refused(name, why)
        return schema, parsed, _named_types(schema)
    except _BAD_SCHEMA as error:
        raise EvidenceError(
            f"the schema in the job history {name} is not an Avro schema", next_step=_NEXT_STEP
        ) from error


def _refused(name: str, why: str) -> EvidenceError:
    return EvidenceError(
        f"the schema in the job history {name} is none of Hadoop's: {why}", next_step=_NEXT_STEP
    )


_BAD_LINE: Final = (  # what is no JSON, or JSON of another shape
    ValueError,  # also msgspec's
    KeyError,
    TypeError,
    AttributeError,
    RecursionError,
)


def _read_json(body: bytes, schema: dict[str, Any], names: _Names) -> AvroEvents:
    events: list[HistoryEvent] = []
    losses = Losses()
    lines = io.BytesIO(body.rstrip())  # its lines end with \n alone, as those of Hadoop do
    for number, line in enumerate(lines, start=3):
        if not line.strip():
            continue  # Avro's encoder separates root values by an empty line
        try:
            raw = _decoded(line)
            events.append(_event(_plain(raw, schema, names)))
        except _BAD_LINE:
            cut_off = not line.endswith(b"\n")
            what = "the last line is cut off" if cut_off else f"line {number} is damaged"
            losses.add(f"history: {what}, its event is lost")
    return AvroEvents(AVRO_JSON, tuple(events), losses.told())


# What fastavro raises on bytes that are not such a record; it has no exception class for that.
_BAD_BYTES: Final = (
    EOFError,
    ValueError,  # covers UnicodeDecodeError
    IndexError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    MemoryError,
    RecursionError,
)


def _read_binary(body: bytes, parsed: Any) -> AvroEvents:
    stream = io.BytesIO(body)
    events: list[HistoryEvent] = []
    losses: list[str] = []
    while stream.tell() < len(body):
        start = stream.tell()
        try:
            record = fastavro.schemaless_reader(stream, parsed, None)
            events.append(_event(cast("dict[str, Any]", record)))
        except _BAD_BYTES:
            losses.append(
                f"history: {len(body) - start} bytes after {len(events)} events are cut off or"
                " damaged, their events are lost"
            )
            break
    return AvroEvents(AVRO_BINARY, tuple(events), tuple(losses))


def _decoded(line: bytes) -> Any:
    if has_number_beyond_long(line):
        raise ValueError("a number that is no Java long")
    return msgspec.json.decode(line)


def _event(record: dict[str, Any]) -> HistoryEvent:
    fields = record["event"]
    if not isinstance(fields, dict):
        raise TypeError(f"an event is a record, not {type(fields).__name__}")
    return HistoryEvent(type=str(record["type"]), fields=fields)


def _named_types(schema: Any) -> dict[str, dict[str, Any]]:
    """Every record and enum of the schema, by full and by short name."""
    found: dict[str, dict[str, Any]] = {}
    pending: list[tuple[Any, str]] = [(schema, "")]
    while pending:
        node, namespace = pending.pop()
        if isinstance(node, list):
            pending.extend((each, namespace) for each in node)
        elif isinstance(node, dict):
            namespace = node.get("namespace", namespace)
            # fastavro leaves unread what is no attribute of a type, such as the name of a string
            if isinstance(node.get("name"), str) and isinstance(node.get("type"), str):
                short = node["name"].rpartition(".")[2]
                found[short] = node
                found[f"{namespace}.{short}"] = node
            pending.extend((node[key], namespace) for key in ("items", "values") if key in node)
            pending.extend((each["type"], namespace) for each in node.get("fields", ()))
            if isinstance(node.get("type"), dict | list):
                pending.append((node["type"], namespace))
    return found


def _plain(value: Any, schema: Any, names: Mapping[str, dict[str, Any]]) -> Any:
    """A value of Avro's JSON encoding without its union tags (``{"string": "x"}`` -> ``"x"``).

    Some writers leave out the tag; a value without a known tag is returned unchanged.
    """
    if not isinstance(value, dict | list):
        return value
    if isinstance(schema, str):
        schema = names.get(schema, schema)
    if isinstance(schema, list):
        return _plain_union(value, schema, names)
    if not isinstance(schema, dict):
        return value
    kind = schema.get("type")
    if isinstance(kind, dict | list):
        return _plain(value, kind, names)
    if schema.get("name") == _COUNTERS:
        return value  # nine tenths of a file; none of Hadoop's schemas has a union in it
    if kind == "record" and isinstance(value, dict):
        types = {each["name"]: each["type"] for each in schema["fields"]}
        return {
            key: _plain(each, types[key], names) if key in types else each
            for key, each in value.items()
        }
    if kind == "array" and isinstance(value, list) and schema["items"] not in _PRIMITIVES:
        return [_plain(each, schema["items"], names) for each in value]
    if kind == "map" and isinstance(value, dict):
        return {key: _plain(each, schema["values"], names) for key, each in value.items()}
    return value


def _plain_union(value: Any, branches: list[Any], names: Mapping[str, dict[str, Any]]) -> Any:
    if not isinstance(value, dict) or len(value) != 1:
        fitting = [b for b in branches if isinstance(_resolved(b, names), dict)]
        untagged = isinstance(value, dict) and len(fitting) == 1
        return _plain(value, fitting[0], names) if untagged else value
    tag, inner = next(iter(value.items()))
    short = tag.rpartition(".")[2]
    for branch in branches:
        resolved = _resolved(branch, names)
        known = resolved.get("name", resolved.get("type")) if isinstance(resolved, dict) else branch
        if str(known).rpartition(".")[2] == short:
            return _plain(inner, resolved, names)
    return value


def _resolved(branch: Any, names: Mapping[str, dict[str, Any]]) -> Any:
    return names.get(branch, branch) if isinstance(branch, str) else branch
