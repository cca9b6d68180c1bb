"""Columns of many objects read from their records; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.hprof.format import CLASS, CLASS_LINKS, INSTANCE, OBJECT_ARRAY
from mprof.hprof.scan.records import identifier_at, value_bytes
from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import integer, load_be16, load_be32, load_be64

__all__ = [
    "LATIN1",
    "UTF16_BIG",
    "UTF16_LITTLE",
    "Links",
    "Listed",
    "Texts",
    "count_filled",
    "count_references",
    "hash_contents",
    "list_references",
    "read_heads",
    "read_raw",
    "utf8_bytes",
    "write_utf8",
]

LATIN1 = 0
"""A byte a character."""
UTF16_LITTLE = 1
"""As bytes of a String, JDK 9 and later."""
UTF16_BIG = 2
"""As chars of a dump."""


@kernel
def read_heads(
    buffer: NDArray[np.uint8],
    width: int,
    positions: NDArray[np.int64],
    tags: NDArray[np.uint8],
    addresses: NDArray[np.int64],
    lengths: NDArray[np.int64],
    data: NDArray[np.int64],
) -> None:
    """Heads of the records at some positions; all 0 where the position is 0.

    Args:
        buffer: uint8, the dump.
        width: bytes of an identifier.
        positions: int64, where the records begin.
        tags: uint8, takes the kind of each.
        addresses: int64, takes the identifiers.
        lengths: int64, takes the elements of an array, the bytes of an instance's fields.
        data: int64, takes where those begin.
    """
    for row in range(positions.size):
        at = positions[row]
        if at == 0:
            tags[row] = 0
            addresses[row] = 0
            lengths[row] = 0
            data[row] = 0
            continue
        tag = buffer[at]
        tags[row] = tag
        addresses[row] = identifier_at(buffer, at + 1, width)
        if tag == INSTANCE:
            lengths[row] = load_be32(buffer, at + 5 + 2 * width)
            data[row] = at + 9 + 2 * width
        elif tag == CLASS:
            lengths[row] = 0
            data[row] = at + 5 + width
        else:
            lengths[row] = load_be32(buffer, at + 5 + width)
            data[row] = at + (9 + 2 * width if tag == OBJECT_ARRAY else 10 + width)


@kernel
def read_raw(
    buffer: NDArray[np.uint8], positions: NDArray[np.int64], size: int, values: NDArray[np.int64]
) -> None:
    """Values of 1, 2, 4 or 8 bytes as words without sign; 0 where the position is negative."""
    for row in range(positions.size):
        at = positions[row]
        if at < 0:
            values[row] = 0
        elif size == 8:
            values[row] = load_be64(buffer, at)
        elif size == 4:
            values[row] = load_be32(buffer, at)
        elif size == 2:
            values[row] = load_be16(buffer, at)
        else:
            values[row] = integer(buffer[at])


# --- references -----------------------------------------------------------------------------------


class Links(NamedTuple):
    """Where references lie in instances of each class, and what their fields are called.

    Attributes:
        starts: int64 by class number, one longer: where each class's fields begin.
        offsets: int32, byte offsets in an instance's fields.
        names: int32, the number of each field's name.
        static_starts: int64 by class number, one longer: where each class's statics begin.
        static_positions: int64, where the value of each static lies.
        static_names: int32, the number of each name.
        link_names: int32, the numbers of what a class refers to besides: superclass, loader,
            signers, protection domain.
    """

    starts: NDArray[np.int64]
    offsets: NDArray[np.int32]
    names: NDArray[np.int32]
    static_starts: NDArray[np.int64]
    static_positions: NDArray[np.int64]
    static_names: NDArray[np.int32]
    link_names: NDArray[np.int32]


class Listed(NamedTuple):
    """References of some objects, a row each; those of weak references too.

    Attributes:
        rows: int32, which of the objects refers.
        names: int32, the number of the field in `HeapColumns.field_names`; -1: an array's element.
        indices: int32, the index in the array; -1 for a field.
        targets: int64, identifiers.
    """

    rows: NDArray[np.int32]
    names: NDArray[np.int32]
    indices: NDArray[np.int32]
    targets: NDArray[np.int64]


@kernel
def count_references(
    tags: NDArray[np.uint8],
    numbers: NDArray[np.int32],
    lengths: NDArray[np.int64],
    links: Links,
    counts: NDArray[np.int64],
) -> None:
    """How many references each object has room for: an upper bound, since null is among them."""
    for row in range(tags.size):
        number = numbers[row]
        counts[row] = 0
        if tags[row] == INSTANCE and number >= 0:
            counts[row] = links.starts[number + 1] - links.starts[number]
        elif tags[row] == OBJECT_ARRAY:
            counts[row] = lengths[row]
        elif tags[row] == CLASS:
            counts[row] = CLASS_LINKS
            if number >= 0:
                counts[row] += links.static_starts[number + 1] - links.static_starts[number]


@kernel
def list_references(
    buffer: NDArray[np.uint8],
    width: int,
    tags: NDArray[np.uint8],
    numbers: NDArray[np.int32],
    lengths: NDArray[np.int64],
    data: NDArray[np.int64],
    links: Links,
    listed: Listed,
) -> int:
    """Lists the references of some objects that are not null; returns how many there are.

    Args:
        buffer: uint8, the dump.
        width: bytes of an identifier.
        tags: uint8, the objects' kinds.
        numbers: int32, their class numbers; of a class object, the number of what it represents.
        lengths: int64, elements of an array, bytes of an instance's fields.
        data: int64, where those begin.
        links: where references lie.
        listed: takes the references; long enough.
    """
    found = integer(0)
    for row in range(tags.size):
        number = numbers[row]
        if tags[row] == INSTANCE and number >= 0:
            for index in range(links.starts[number], links.starts[number + 1]):
                offset = links.offsets[index]
                if offset + width > lengths[row]:
                    continue
                target = identifier_at(buffer, data[row] + offset, width)
                if target != 0:
                    listed.rows[found] = row
                    listed.names[found] = links.names[index]
                    listed.indices[found] = -1
                    listed.targets[found] = target
                    found += 1
        elif tags[row] == OBJECT_ARRAY:
            for index in range(lengths[row]):
                target = identifier_at(buffer, data[row] + index * width, width)
                if target != 0:
                    listed.rows[found] = row
                    listed.names[found] = -1
                    listed.indices[found] = index
                    listed.targets[found] = target
                    found += 1
        elif tags[row] == CLASS:
            for index in range(CLASS_LINKS):
                target = identifier_at(buffer, data[row] + index * width, width)
                if target != 0 and index < links.link_names.size:
                    listed.rows[found] = row
                    listed.names[found] = links.link_names[index]
                    listed.indices[found] = -1
                    listed.targets[found] = target
                    found += 1
            if number >= 0:
                for index in range(links.static_starts[number], links.static_starts[number + 1]):
                    target = identifier_at(buffer, links.static_positions[index], width)
                    if target != 0:
                        listed.rows[found] = row
                        listed.names[found] = links.static_names[index]
                        listed.indices[found] = -1
                        listed.targets[found] = target
                        found += 1
    return found


# --- content of arrays ----------------------------------------------------------------------------


@kernel
def count_filled(
    buffer: NDArray[np.uint8],
    width: int,
    kinds: NDArray[np.uint8],
    lengths: NDArray[np.int64],
    data: NDArray[np.int64],
    filled: NDArray[np.int64],
) -> None:
    """Elements of arrays that are neither null nor 0.

    Args:
        buffer: uint8, the dump.
        width: bytes of an identifier.
        kinds: uint8, basic type of the elements; 0: no array.
        lengths: int64, elements.
        data: int64, where they begin.
        filled: int64, takes the counts; -1 where there is no array.
    """
    for row in range(kinds.size):
        kind = integer(kinds[row])
        filled[row] = -1
        if kind == 0:
            continue
        size = value_bytes(kind, width)
        count = integer(0)
        at = data[row]
        for _ in range(lengths[row]):
            if size == 1:
                count += buffer[at] != 0
            elif size == 2:
                count += load_be16(buffer, at) != 0
            elif size == 4:
                count += load_be32(buffer, at) != 0
            else:
                count += load_be64(buffer, at) != 0
            at += size
        filled[row] = count


_PRIME_1 = np.uint64(0x9E3779B185EBCA87)
_PRIME_2 = np.uint64(0xC2B2AE3D27D4EB4F)


@kernel
def hash_contents(
    buffer: NDArray[np.uint8],
    begins: NDArray[np.int64],
    sizes: NDArray[np.int64],
    seed: int,
    hashes: NDArray[np.int64],
) -> None:
    """A word for the bytes of each stretch: equal bytes have equal words.

    Words of unequal bytes differ but for accidents of 2**-64; those that others may have made on
    purpose are told by a comparison of the bytes, which the caller makes.

    Args:
        buffer: uint8, the dump.
        begins: int64, where each stretch begins.
        sizes: int64, its bytes.
        seed: what two calls of different kinds of content differ in.
        hashes: int64, takes the words.
    """
    for row in range(begins.size):
        at = begins[row]
        size = sizes[row]
        mixed = (np.uint64(seed) + np.uint64(size)) * _PRIME_1
        for _ in range(size >> 3):
            mixed = (mixed ^ np.uint64(load_be64(buffer, at))) * _PRIME_2
            mixed ^= mixed >> np.uint64(29)
            at += 8
        for _ in range(size & 7):
            mixed = (mixed ^ np.uint64(buffer[at])) * _PRIME_1
            mixed ^= mixed >> np.uint64(31)
            at += 1
        mixed = (mixed ^ (mixed >> np.uint64(33))) * _PRIME_1
        mixed ^= mixed >> np.uint64(32)
        hashes[row] = integer(mixed)


# --- text -----------------------------------------------------------------------------------------


class Texts(NamedTuple):
    """Texts in the dump.

    Attributes:
        begins: int64, where each begins; negative: there is none.
        units: int64, bytes of Latin-1, or 16-bit units.
        codings: uint8, LATIN1, UTF16_LITTLE or UTF16_BIG.
    """

    begins: NDArray[np.int64]
    units: NDArray[np.int64]
    codings: NDArray[np.uint8]


@kernel
def utf8_bytes(buffer: NDArray[np.uint8], texts: Texts, sizes: NDArray[np.int64]) -> None:
    """Bytes of each text in UTF-8, at most; exact but for pairs of surrogates, which take fewer."""
    for row in range(sizes.size):
        at = texts.begins[row]
        sizes[row] = 0
        if at < 0:
            continue
        size = integer(0)
        if texts.codings[row] == LATIN1:
            for index in range(texts.units[row]):
                size += 1 + (buffer[at + index] >> 7)
        else:
            high = 0 if texts.codings[row] == UTF16_BIG else 1
            for index in range(texts.units[row]):
                unit = (integer(buffer[at + 2 * index + high]) << 8) | integer(
                    buffer[at + 2 * index + 1 - high]
                )
                size += 1 if unit < 0x80 else (2 if unit < 0x800 else 3)
        sizes[row] = size


@kernel
def write_utf8(
    buffer: NDArray[np.uint8],
    texts: Texts,
    first: int,
    ends: NDArray[np.int64],
    written: NDArray[np.uint8],
) -> None:
    """Writes texts in UTF-8 one behind the other; half a pair of surrogates becomes U+FFFD.

    Args:
        buffer: uint8, the dump.
        texts: the texts.
        first: the first of them to be written.
        ends: int64, one longer than there are to be written: takes where each ends, from 0 on.
        written: uint8, takes the bytes; long enough.
    """
    out = integer(0)
    ends[0] = 0
    for number in range(ends.size - 1):
        row = first + number
        at = texts.begins[row]
        units = texts.units[row]
        if at >= 0 and texts.codings[row] == LATIN1:
            for index in range(units):
                unit = integer(buffer[at + index])
                if unit < 0x80:
                    written[out] = unit
                    out += 1
                else:
                    written[out] = 0xC0 | (unit >> 6)
                    written[out + 1] = 0x80 | (unit & 0x3F)
                    out += 2
        elif at >= 0:
            high = 0 if texts.codings[row] == UTF16_BIG else 1
            index = integer(0)
            while index < units:
                unit = (integer(buffer[at + 2 * index + high]) << 8) | integer(
                    buffer[at + 2 * index + 1 - high]
                )
                index += 1
                if 0xD800 <= unit < 0xE000:
                    low = integer(0)
                    if unit < 0xDC00 and index < units:
                        low = (integer(buffer[at + 2 * index + high]) << 8) | integer(
                            buffer[at + 2 * index + 1 - high]
                        )
                    if 0xDC00 <= low < 0xE000:
                        index += 1
                        point = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
                        written[out] = 0xF0 | (point >> 18)
                        written[out + 1] = 0x80 | ((point >> 12) & 0x3F)
                        written[out + 2] = 0x80 | ((point >> 6) & 0x3F)
                        written[out + 3] = 0x80 | (point & 0x3F)
                        out += 4
                        continue
                    unit = integer(0xFFFD)
                if unit < 0x80:
                    written[out] = unit
                    out += 1
                elif unit < 0x800:
                    written[out] = 0xC0 | (unit >> 6)
                    written[out + 1] = 0x80 | (unit & 0x3F)
                    out += 2
                else:
                    written[out] = 0xE0 | (unit >> 12)
                    written[out + 1] = 0x80 | ((unit >> 6) & 0x3F)
                    written[out + 2] = 0x80 | (unit & 0x3F)
                    out += 3
        ends[number + 1] = out
