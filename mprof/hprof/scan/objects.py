"""The objects of a chunk as columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.format import INSTANCE, OBJECT_ARRAY, PRIMITIVE_ARRAY
from mprof.hprof.scan.records import (
    WIDTHS,
    identifier_at,
    is_object,
    prefetch_records,
    record_bytes,
)
from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import load_be32
from mprof.kernels.lookup import Lookup, find

__all__ = ["ClassNumbers", "Columns", "classify", "read_objects"]


class Columns(NamedTuple):
    """The objects of one chunk, in file order.

    Attributes:
        tags: uint8, CLASS, INSTANCE, OBJECT_ARRAY or PRIMITIVE_ARRAY.
        positions: int64, where the record begins.
        addresses: int64, the object's identifier.
        classes: int64, identifier of the class, or the basic type of a primitive array.
        lengths: int64, elements of an array, bytes of an instance's fields.
    """

    tags: NDArray[np.uint8]
    positions: NDArray[np.int64]
    addresses: NDArray[np.int64]
    classes: NDArray[np.int64]
    lengths: NDArray[np.int64]


class ClassNumbers(NamedTuple):
    """How classes are numbered.

    Attributes:
        lookup: the number of a class by its identifier.
        primitive: int32, the number of the array class of each basic type, -1 for no type.
        class_class: the number of java.lang.Class.
        unknown: the number that stands for all classes that are not in the dump.
    """

    lookup: Lookup
    primitive: NDArray[np.int32]
    class_class: int
    unknown: int


@inlined
def _read_header(
    buffer: NDArray[np.uint8], at: int, width: int, columns: Columns, row: int
) -> None:
    tag = buffer[at]
    columns.tags[row] = tag
    columns.positions[row] = at
    columns.addresses[row] = identifier_at(buffer, at + 1, width)
    if tag == INSTANCE:
        columns.classes[row] = identifier_at(buffer, at + 5 + width, width)
        columns.lengths[row] = load_be32(buffer, at + 5 + 2 * width)
    elif tag == OBJECT_ARRAY:
        columns.lengths[row] = load_be32(buffer, at + 5 + width)
        columns.classes[row] = identifier_at(buffer, at + 9 + width, width)
    elif tag == PRIMITIVE_ARRAY:
        columns.lengths[row] = load_be32(buffer, at + 5 + width)
        columns.classes[row] = buffer[at + 9 + width]
    else:
        columns.classes[row] = columns.addresses[row]
        columns.lengths[row] = 0


@kernel
def read_objects(
    buffer: NDArray[np.uint8], start: int, end: int, width: int, columns: Columns
) -> int:
    """Reads the objects of a chunk into columns; stops when those are full; returns how many."""
    at = start
    count = 0
    while at < end:
        prefetch_records(buffer, at)
        tag = buffer[at]
        head = at + 9 + 2 * width
        following = end
        if tag == INSTANCE and head <= end:
            following = head + load_be32(buffer, head - 4)
        elif tag == OBJECT_ARRAY and head <= end:
            following = head + load_be32(buffer, at + 5 + width) * width
        elif tag == PRIMITIVE_ARRAY and at + 10 + width <= end:
            element = WIDTHS[buffer[at + 9 + width]]
            following = at + 10 + width + load_be32(buffer, at + 5 + width) * element
        else:
            size = record_bytes(buffer, at, end, width)
            if size < 0:
                break  # the file changed meanwhile; what was read stays valid
            following = at + size
            if not is_object(tag):
                at = following
                continue
        if following > end or count == columns.tags.size:
            break
        if identifier_at(buffer, at + 1, width) != 0:
            _read_header(buffer, at, width, columns, count)
            count += 1
        at = following
    return count


@kernel
def classify(
    columns: Columns, count: int, classes: ClassNumbers, numbers: NDArray[np.int32]
) -> None:
    """The class number of each object, -1 if its class is not in the dump; of a class, its own."""
    previous = np.int64(0)
    number = -1
    for row in range(count):
        if columns.tags[row] == PRIMITIVE_ARRAY:
            numbers[row] = classes.primitive[columns.classes[row]]
        else:
            if columns.classes[row] != previous:
                previous = columns.classes[row]
                number = find(classes.lookup, previous)
            numbers[row] = number
