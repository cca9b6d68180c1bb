"""Passes over the tables of maps and over who refers to whom; compiled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.heap._columns import Links
from mprof.heap._passes import Nodes
from mprof.hprof.format import CLASS, INSTANCE, OBJECT_ARRAY
from mprof.hprof.scan import Source
from mprof.hprof.scan.records import identifier_at
from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import integer, load_be32
from mprof.kernels.rank import rank_of

__all__ = [
    "ChainFields",
    "Chained",
    "find_fields",
    "find_owners",
    "first_elements",
    "longest_chains",
]


@kernel
def first_elements(
    buffer: NDArray[np.uint8],
    width: int,
    tags: NDArray[np.uint8],
    lengths: NDArray[np.int64],
    data: NDArray[np.int64],
    found: NDArray[np.int64],
) -> None:
    """The first element of each object array that is not null; 0 where there is none.

    Args:
        buffer: uint8, the dump.
        width: bytes of an identifier.
        tags: uint8, kinds of objects; others than object arrays have no element.
        lengths: int64, elements.
        data: int64, where they begin.
        found: int64, takes identifiers.
    """
    for row in range(tags.size):
        found[row] = 0
        if tags[row] != OBJECT_ARRAY:
            continue
        for index in range(lengths[row]):
            element = identifier_at(buffer, data[row] + index * width, width)
            if element != 0:
                found[row] = element
                break


class ChainFields(NamedTuple):
    """Where the fields of a table's entries lie.

    Attributes:
        nexts: int64 by class number, where an entry refers to the next one; -1: it is no entry.
        hashes: int64 by class number, where it keeps the hash of its key; -1: it is the head of a
            tree, not an entry.
    """

    nexts: NDArray[np.int64]
    hashes: NDArray[np.int64]


class Chained(NamedTuple):
    """The chains of some tables.

    Attributes:
        longest: int64, entries of the longest chain.
        equal: int64, of the chains in which the hash of one entry is that of the entry before, the
            most entries that have the same hash one behind the other.
        crowded: int64, entries that have the hash of the entry before them.
    """

    longest: NDArray[np.int64]
    equal: NDArray[np.int64]
    crowded: NDArray[np.int64]


@kernel
def longest_chains(
    source: Source,
    nodes: Nodes,
    lengths: NDArray[np.int64],
    data: NDArray[np.int64],
    fields: ChainFields,
    limits: NDArray[np.int64],
    chained: Chained,
) -> None:
    """Follows the chains of tables.

    Entries of a tree, as a long chain becomes, still refer to the next one.

    Args:
        source: what to read from.
        nodes: the nodes.
        lengths: int64, slots of each table.
        data: int64, where its slots begin.
        fields: where the fields of entries lie.
        limits: int64, how many entries a table may have: what goes round ends.
        chained: takes what is found.
    """
    buffer, width = source.buffer, source.width
    for row in range(lengths.size):
        longest = integer(0)
        equal = integer(0)
        crowded = integer(0)
        for index in range(lengths[row]):
            address = identifier_at(buffer, data[row] + index * width, width)
            length = integer(0)
            run = integer(0)
            before = integer(-1)
            while address != 0 and length < limits[row]:
                rank = rank_of(source.ranks, address)
                if rank < 0:
                    break
                node = nodes.by_rank[rank]
                if node < 0:
                    break
                number = nodes.classes[node]
                position = integer(nodes.positions[node])
                if number < 0 or fields.nexts[number] < 0 or buffer[position] != INSTANCE:
                    break
                begin = position + 9 + 2 * width
                size = load_be32(buffer, begin - 4)
                if max(fields.nexts[number] + width, fields.hashes[number] + 4) > size:
                    break
                if fields.hashes[number] >= 0:
                    value = integer(load_be32(buffer, begin + fields.hashes[number]))
                    length += 1
                    if value == before:
                        run += 1
                        crowded += 1
                    else:
                        run = integer(1)
                    before = value
                    equal = max(equal, run)
                address = identifier_at(buffer, begin + fields.nexts[number], width)
            longest = max(longest, length)
        chained.longest[row] = longest
        chained.equal[row] = equal
        chained.crowded[row] = crowded


@kernel
def find_fields(
    buffer: NDArray[np.uint8],
    width: int,
    tags: NDArray[np.uint8],
    numbers: NDArray[np.int32],
    lengths: NDArray[np.int64],
    data: NDArray[np.int64],
    links: Links,
    wanted: NDArray[np.int64],
    found: NDArray[np.int32],
) -> None:
    """By which field each object refers to another one.

    Args:
        buffer: uint8, the dump.
        width: bytes of an identifier.
        tags: uint8, kinds of the objects that refer.
        numbers: int32, their class numbers; of a class object, that of what it represents.
        lengths: int64, bytes of an instance's fields.
        data: int64, where those begin.
        links: where references lie.
        wanted: int64, identifiers of what they refer to.
        found: int32, takes the number of the first such field's name; -1 where there is none.
    """
    for row in range(tags.size):
        found[row] = -1
        number = numbers[row]
        if number < 0:
            continue
        if tags[row] == INSTANCE:
            for index in range(links.starts[number], links.starts[number + 1]):
                offset = links.offsets[index]
                if (
                    offset + width <= lengths[row]
                    and identifier_at(buffer, data[row] + offset, width) == wanted[row]
                ):
                    found[row] = links.names[index]
                    break
        elif tags[row] == CLASS:
            for index in range(links.static_starts[number], links.static_starts[number + 1]):
                if identifier_at(buffer, links.static_positions[index], width) == wanted[row]:
                    found[row] = links.static_names[index]
                    break


@kernel
def find_owners(
    dominators: NDArray[np.int32],
    classes: NDArray[np.int32],
    is_plumbing: NDArray[np.uint8],
    owners: NDArray[np.int32],
    below: NDArray[np.int32],
) -> None:
    """The nearest dominator of each node that is no plumbing, and the node below it on the way.

    Args:
        dominators: int32 by node, smaller than the node.
        classes: int32 by node, its class number, -1 where it is no object.
        is_plumbing: uint8 by class number.
        owners: int32 by node, takes the dominators; 0 where there is none.
        below: int32 by node, takes what of the way there is next to it.
    """
    owners[0] = 0
    below[0] = 0
    for node in range(1, dominators.size):
        above = dominators[node]
        number = classes[above]
        if above > 0 and number >= 0 and is_plumbing[number]:
            owners[node] = owners[above]
            below[node] = below[above]
        else:
            owners[node] = above
            below[node] = node
