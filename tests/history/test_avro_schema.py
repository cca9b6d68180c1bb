"""Schemas by which a few bytes would cost any amount of memory and time, or the process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mprof.errors import EvidenceError
from mprof.history import parse_history
from mprof.history.avro_schema import LONGEST_SCHEMA, why_refused


def event(*types: Any) -> dict[str, Any]:
    """A schema in the shape of Hadoop's: a type, and a record with fields of these types."""
    fields = [{"name": f"f{number}", "type": each} for number, each in enumerate(types)]
    of_event = {"type": "record", "name": "X", "fields": fields}
    return record("Event", {"name": "type", "type": "string"}, {"name": "event", "type": of_event})


def record(name: str, *fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": list(fields)}


def within(levels: int, *, innermost: Any = "int") -> Any:
    """Arrays in each other."""
    made = innermost
    for _ in range(levels):
        made = {"type": "array", "items": made}
    return made


def chain(length: int) -> list[Any]:
    """Records of which each but the first holds the one before twice, by its name."""
    types: list[Any] = [record("R0", {"name": "a", "type": "int"})]
    for number in range(1, length):
        before = f"R{number - 1}"
        types.append(
            record(f"R{number}", {"name": "a", "type": before}, {"name": "b", "type": before})
        )
    return types


SELF = "a type holds itself"
EMPTY = "values that take no bytes"
DEEP = "types stand in each other more than 32 deep"
HOSTILE = {
    "itself": (record("Event", {"name": "e", "type": "Event"}), SELF),
    "itself in a union": (record("Event", {"name": "e", "type": ["null", "Event"]}), SELF),
    "itself in an array": (event(within(1, innermost="X")), SELF),
    "itself by its full name": (event({"type": "map", "values": "a.b.X"}), SELF),
    "each other": (
        event(record("A", {"name": "b", "type": record("B", {"name": "a", "type": ["A"]})})), SELF
    ),
    "nulls": (event(within(1, innermost="null")), EMPTY),
    "nulls as objects": (event(within(1, innermost={"type": "null"})), EMPTY),
    "null alone": (event("null"), EMPTY),
    "empty records": (event(within(1, innermost=record("E"))), EMPTY),
    "an empty event": (record("Event"), EMPTY),
    "fixed of 0": (event(within(1, innermost={"type": "fixed", "name": "F", "size": 0})), EMPTY),
    "fixed below 0": (event({"type": "fixed", "name": "F", "size": -1}), EMPTY),
    "deep arrays": (event(within(33)), DEEP),
    "deep records": (event(*chain(34)), DEEP),
    "two of one name": (event(record("X", {"name": "a", "type": "int"})), "two types"),
    "a name of Avro's": (event(record("int", {"name": "a", "type": "int"})), "two types"),
    "many types": (event(*chain(20), *({"type": "enum", "name": f"E{each}", "symbols": ["A"]}
                                       for each in range(250))), "more than 256 types"),
    "a decimal": (event({"type": "bytes", "logicalType": "decimal", "precision": 4}), "logical"),
    "marks of fastavro": ({**event("int"), "__fastavro_parsed": True}, "marks"),
    "no record": (["null", "int"], "no records"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_schema_that_lets_bytes_cost_more_than_themselves_is_refused(name: str) -> None:
    schema, why = HOSTILE[name]
    data = b"Avro-Binary\n" + json.dumps(schema).encode() + b"\n\x02a"

    told = why_refused(schema)
    assert told is not None
    assert why in told
    with pytest.raises(EvidenceError) as raised:
        parse_history(data, name="x")
    assert "schema" in raised.value.what


def test_what_hadoop_writes_is_not_refused() -> None:
    # Unions with null, records by their names, arrays in arrays, a map: all that its schemas have.
    several = event(["null", "string"], within(9), {"type": "map", "values": "long"}, *chain(9))

    assert why_refused(several) is None


def test_a_schema_may_be_long_but_not_of_any_length() -> None:
    # What stands in a doc is no type; the length alone is the fault.
    schema = {**event("int"), "doc": "x" * LONGEST_SCHEMA}

    with pytest.raises(EvidenceError, match="it is too long"):
        parse_history(b"Avro-Binary\n" + json.dumps(schema).encode() + b"\n\x02a\x02", name="x")


def test_an_import_names_the_file_and_goes_on(tmp_path: Path) -> None:
    # In a process of its own: where the schema is not refused, it ends by SIGSEGV.
    folder = tmp_path / "in"
    folder.mkdir()
    schema = json.dumps(HOSTILE["itself"][0]).encode()
    (folder / "a.jhist").write_bytes(b"Avro-Binary\n" + schema + b"\n\0")
    (folder / "workers").write_text("n1\nn2\n")

    done = subprocess.run(
        [sys.executable, "-m", "mprof", "import", str(folder), "--store", str(tmp_path / "store")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 3
    assert "a.jhist: not read: the schema in the job history a.jhist" in done.stdout
    assert "1 imported, 1 unreadable; 2 rows" in done.stdout
