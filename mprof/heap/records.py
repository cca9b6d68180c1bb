"""One object's record, read again from the dump: fields, elements, text."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.hprof import Dump, scan
from mprof.hprof.format import (
    TYPE_BOOLEAN,
    TYPE_BYTE,
    TYPE_CHAR,
    TYPE_DOUBLE,
    TYPE_FLOAT,
    TYPE_INT,
    TYPE_LONG,
    TYPE_OBJECT,
    TYPE_SHORT,
)

__all__ = ["Record", "read_array", "read_record", "read_value"]

_CODES = {  # the same letters in struct and numpy
    TYPE_BOOLEAN: ">?",
    TYPE_CHAR: ">H",
    TYPE_FLOAT: ">f",
    TYPE_DOUBLE: ">d",
    TYPE_BYTE: ">b",
    TYPE_SHORT: ">h",
    TYPE_INT: ">i",
    TYPE_LONG: ">q",
}


class Record(NamedTuple):
    """The head of an object's record.

    Attributes:
        tag: ``scan.CLASS``, ``INSTANCE``, ``OBJECT_ARRAY`` or ``PRIMITIVE_ARRAY``.
        address: the object's identifier.
        class_identifier: of its class; the basic type of a primitive array.
        length: elements of an array, bytes of an instance's fields.
        data: where elements or fields begin.
    """

    tag: int
    address: int
    class_identifier: int
    length: int
    data: int


def _identifier(dump: Dump, position: int) -> int:
    raw = dump.buffer[position : position + dump.identifier_bytes].tobytes()
    value = int.from_bytes(raw, "big")
    return value - (1 << 64) if value >= 1 << 63 else value


def read_record(dump: Dump, position: int) -> Record:
    """The head of the record at a position."""
    width = dump.identifier_bytes
    tag = int(dump.buffer[position])
    address = _identifier(dump, position + 1)
    if tag == scan.INSTANCE:
        (length,) = struct.unpack_from(">I", dump.bytes, position + 5 + 2 * width)
        return Record(
            tag, address, _identifier(dump, position + 5 + width), length, position + 9 + 2 * width
        )
    if tag == scan.CLASS:
        return Record(tag, address, address, 0, position + 5 + width)
    (length,) = struct.unpack_from(">I", dump.bytes, position + 5 + width)
    if tag == scan.OBJECT_ARRAY:
        return Record(
            tag, address, _identifier(dump, position + 9 + width), length, position + 9 + 2 * width
        )
    return Record(
        tag, address, int(dump.buffer[position + 9 + width]), length, position + 10 + width
    )


def read_value(dump: Dump, kind: int, position: int) -> int | float | bool | str:
    """A value of a basic type; a reference as the identifier, a char as text."""
    if kind == TYPE_OBJECT:
        return _identifier(dump, position)
    (value,) = struct.unpack_from(_CODES[kind], dump.bytes, position)
    return chr(value) if kind == TYPE_CHAR else value


def read_array(dump: Dump, record: Record) -> NDArray[np.generic]:
    """The elements of an array as the dump has them: big-endian, references as identifiers."""
    if record.tag == scan.OBJECT_ARRAY:
        dtype = ">i8" if dump.identifier_bytes == 8 else ">u4"
    else:
        dtype = _CODES[record.class_identifier]
    size = np.dtype(dtype).itemsize * record.length
    return dump.buffer[record.data : record.data + size].view(dtype)
