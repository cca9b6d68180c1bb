"""What must hold of an Avro schema before bytes are decoded by it: a byte costs a bounded amount.

fastavro decodes in C. A type that holds itself ends the process there (each level is a call, and
null, as a field, takes no byte to stop at), and an array of what takes no bytes is as long as its
writer says. Neither can be caught, so both are refused here, before anything is decoded: no schema
of Hadoop, 0.23 to 3.4, has either.

With every value taking a byte or more, and no more than `_MOST_LEVELS` of them in each other, the
number of values is bounded by that of the bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["LONGEST_SCHEMA", "why_refused"]

LONGEST_SCHEMA: Final = 256 * 1024
"""Bytes of the longest schema that is read; those of Hadoop have 8,000."""

_MOST_TYPES: Final = 256  # Hadoop's have 22; fastavro goes through all of them for every event
_MOST_LEVELS: Final = 32  # Hadoop's have 10
_ONE_BYTE: Final = frozenset({"boolean", "int", "long", "float", "double", "bytes", "string"})
_RECORDS: Final = frozenset({"record", "error"})
_RECURSIVE: Final = "a type holds itself"
_EMPTY: Final = "values that take no bytes"
_DEEP: Final = f"types stand in each other more than {_MOST_LEVELS} deep"


class _RefusedError(Exception):
    """The schema must not be used."""


@dataclass(slots=True)
class _Types:
    """Named types: their levels once they are whole, None while they are being read."""

    levels: dict[str, int | None] = field(default_factory=dict)

    def begin(self, name: str) -> None:
        if name in self.levels or name in _ONE_BYTE or name == "null":
            raise _RefusedError(f"two types have the name {name[:80]!r}")
        if len(self.levels) >= _MOST_TYPES:
            raise _RefusedError(f"more than {_MOST_TYPES} types")
        self.levels[name] = None


def why_refused(schema: Any) -> str | None:
    """Why bytes must not be decoded by this schema; None where they may be.

    What is no Avro schema at all is left to fastavro, which says so.

    Types are told apart by their short names: two of one short name, which Hadoop has not, might be
    taken for each other.
    """
    if not isinstance(schema, dict) or schema.get("type") not in ("record", "error"):
        return "its events are no records"
    try:
        _levels(schema, _Types(), within=0)
    except _RefusedError as refused:
        return str(refused)
    return None


def _levels(node: Any, types: _Types, *, within: int) -> int:
    """How many types stand in each other there, of which each takes a byte or more."""
    if within > _MOST_LEVELS:
        raise _RefusedError(_DEEP)
    if isinstance(node, list):
        # The number of the branch takes a byte, so that null may be one.
        branches = (each for each in node if not _is_null(each))
        return 1 + max((_levels(each, types, within=within + 1) for each in branches), default=0)
    if isinstance(node, dict):
        return _levels_of_dict(node, types, within=within)
    if node == "null":
        raise _RefusedError(_EMPTY)
    short = str(node).rpartition(".")[2]
    if short not in types.levels:
        return 1
    levels = types.levels[short]
    if levels is None:
        raise _RefusedError(_RECURSIVE)
    if within + levels > _MOST_LEVELS:
        raise _RefusedError(_DEEP)
    return levels


def _levels_of_dict(node: dict[str, Any], types: _Types, *, within: int) -> int:
    # By these fastavro takes a schema for one that it has checked itself.
    if any(str(key).startswith("__") for key in node):
        raise _RefusedError("marks of a schema that is in use")
    if "logicalType" in node:
        raise _RefusedError("a logical type")  # decoding a long decimal takes quadratic time
    kind = node.get("type")
    if isinstance(kind, dict | list):
        return _levels(kind, types, within=within + 1)
    if kind in {"array", "map"}:
        item = node.get("items" if kind == "array" else "values")
        return 1 + _levels(item, types, within=within + 1)
    if kind in {"enum", "fixed", *_RECORDS}:
        return _levels_of_named(node, types, within=within)
    return _levels(kind, types, within=within)


def _levels_of_named(node: dict[str, Any], types: _Types, *, within: int) -> int:
    short = str(node.get("name")).rpartition(".")[2]
    types.begin(short)
    levels = 1
    if node["type"] == "fixed":
        size = node.get("size")
        if not isinstance(size, int) or size < 1:
            raise _RefusedError(_EMPTY)
    elif node["type"] in _RECORDS:
        fields = node.get("fields")
        if not isinstance(fields, list) or not fields:
            raise _RefusedError(_EMPTY)
        for each in fields:
            of_field = each.get("type") if isinstance(each, dict) else None
            levels = max(levels, 1 + _levels(of_field, types, within=within + 1))
    types.levels[short] = levels
    return levels


def _is_null(node: Any) -> bool:
    return node == "null" or (isinstance(node, dict) and node.get("type") == "null")
