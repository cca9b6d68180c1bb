"""The collections of the JDK as columns: how many elements, room for how many, in which array.

One class, one row of `SHAPES`; its fields are those of JDK 6 to 25, and a class without them is
left out. A collection inside another one (the map of a set) is not a row of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from mprof.heap.columns import Heads, HeapColumns
from mprof.hprof.format import TYPE_CHAR, TYPE_INT, TYPE_OBJECT
from mprof.waste._chains import first_elements

__all__ = ["SHAPES", "CollectionPart", "Flaw", "Shape", "collections_of"]

_AT_ONCE: Final = 131_072
_PROPERTIES: Final = "java.util.Properties"
_SPARSE: Final = 0.25  # of the room; what grows by its own rule is a third full or more
_LOAD: Final = 0.75  # HashMap.DEFAULT_LOAD_FACTOR

Room = Callable[[NDArray[np.int64]], NDArray[np.int64]]
"""From elements to the slots of the array that holds them without waste."""


class Flaw(IntEnum):
    """What is wrong with a collection; each has one at most, the first that is true."""

    none = 0
    empty = 1
    """It has no element."""
    single = 2
    """It has one element; texts and streams of one are never this."""
    sparse = 3
    """Less than a quarter of its room is used."""
    oversized = 4
    """Its array is larger than its elements need."""


def _exactly(elements: NDArray[np.int64]) -> NDArray[np.int64]:
    return elements


def _one_more(elements: NDArray[np.int64]) -> NDArray[np.int64]:
    return elements + 1


def _at_load(elements: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(np.ceil(elements / _LOAD), np.int64)


def _power_of_two(elements: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.exp2(np.ceil(np.log2(np.maximum(1, _at_load(elements))))).astype(np.int64)


def _pairs(elements: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(2 * np.exp2(np.ceil(np.log2(np.maximum(1, 1.5 * elements)))), np.int64)


@dataclass(frozen=True, slots=True)
class Shape:
    """How a class holds its elements.

    Attributes:
        size: the field that counts its elements; "" for a ring, whose head and tail say it.
        array: the field that leads to its array; "" for linked collections.
        room: the slots that some elements need.
        inside: the field that leads to the map of a set; "" for others.
        slots: slots of the array an element takes: 2 where keys and values alternate.
        first: the field that leads to the first entry of a linked collection.
        entries: whether each element has an object of its own, as those of tables and links.
    """

    class_name: str
    kind: Literal["list", "map", "set", "queue", "text", "bytes"]
    size: str
    array: str
    room: Room = _exactly
    inside: str = ""
    slots: int = 1
    first: str = ""
    entries: bool = False


_HASH_MAP: Final = Shape("java.util.HashMap", "map", "size", "table", _power_of_two, entries=True)
_TREE_MAP: Final = Shape("java.util.TreeMap", "map", "size", "", first="root", entries=True)
SHAPES: Final = (
    Shape("java.util.ArrayList", "list", "size", "elementData"),
    Shape("java.util.Vector", "list", "elementCount", "elementData"),
    Shape("java.util.LinkedList", "list", "size", "", first="first", entries=True),
    Shape("java.util.ArrayDeque", "queue", "", "elements", _one_more),
    Shape("java.util.PriorityQueue", "queue", "size", "queue"),
    _HASH_MAP,
    Shape("java.util.Hashtable", "map", "count", "table", _at_load, entries=True),
    Shape("java.util.WeakHashMap", "map", "size", "table", _power_of_two, entries=True),
    Shape("java.util.IdentityHashMap", "map", "size", "table", _pairs, slots=2),
    Shape("java.util.concurrent.ConcurrentHashMap", "map", "baseCount", "table", _power_of_two,
          entries=True),
    _TREE_MAP,
    Shape("java.util.HashSet", "set", "size", "table", _power_of_two, inside="map", entries=True),
    Shape("java.util.TreeSet", "set", "size", "", inside="m", first="root", entries=True),
    Shape("java.lang.AbstractStringBuilder", "text", "count", "value"),
    Shape("java.io.ByteArrayOutputStream", "bytes", "count", "buf"),
)  # fmt: skip
_INNER: Final = {"map": _HASH_MAP.class_name, "m": _TREE_MAP.class_name}


@dataclass(frozen=True, slots=True, eq=False)
class CollectionPart:
    """Some collections of one shape, a row each.

    Attributes:
        shape: of all of them.
        nodes: int64, the collections.
        lengths: int64, elements, entries or characters.
        capacities: int64, for how many there is room, a map's by the slots of its table; -1: no
            array.
        arrays: int64, node of the array; 0: none.
        flaws: uint8, a `Flaw` each.
        wasted: int64, bytes that a right size would save: of an empty collection all of it, of one
            with one element all but an array of that, of others the part of the array that no
            element needs. The map inside a set, and an array that nothing else holds, are of it.
    """

    shape: Shape
    nodes: NDArray[np.int64]
    lengths: NDArray[np.int64]
    capacities: NDArray[np.int64]
    arrays: NDArray[np.int64]
    flaws: NDArray[np.uint8]
    wasted: NDArray[np.int64]

    @property
    def kind(self) -> str:
        """What they are."""
        return self.shape.kind


def collections_of(columns: HeapColumns) -> Iterator[CollectionPart]:
    """All reachable collections, shape by shape, in parts of bounded size.

    Time linear in collections; memory 8 bytes a set, and 100 for each collection of a part.
    """
    insides = [shape for shape in SHAPES if shape.inside]
    inner = np.unique(np.concatenate([_inner_maps(columns, shape) for shape in insides]))
    for shape in SHAPES:
        layout = _Fields.of(columns, shape)
        if layout is None:
            continue
        every = columns.of_classes(_numbers(columns, shape))
        if columns.graph.unreachable_nodes.size:
            every = every[~columns.is_unreachable[every]]
        if shape.kind == "map":
            every = np.setdiff1d(every, inner, assume_unique=True)
        for start in range(0, every.size, _AT_ONCE):
            yield _part(columns, shape, layout, every[start : start + _AT_ONCE])


def _numbers(columns: HeapColumns, shape: Shape) -> list[int]:
    """Class numbers of a shape. Properties have a map of their own since JDK 9."""
    chosen = columns.classes.subclasses(shape.class_name)
    if (columns.offsets("map", owner=_PROPERTIES) >= 0).any():
        chosen = chosen & ~columns.classes.subclasses(_PROPERTIES)
    return np.flatnonzero(chosen).tolist()


def _inner_maps(columns: HeapColumns, shape: Shape) -> NDArray[np.int64]:
    """The maps inside the sets of a shape."""
    offsets = columns.offsets(shape.inside, owner=shape.class_name, kind=TYPE_OBJECT)
    found = [np.empty(0, np.int64)]
    every = columns.of_classes(_numbers(columns, shape))
    for start in range(0, every.size, _AT_ONCE):
        nodes = every[start : start + _AT_ONCE]
        found.append(_targets(columns, nodes, offsets))
    nodes = np.concatenate(found)
    return nodes[nodes > 0]


def _targets(
    columns: HeapColumns, nodes: NDArray[np.int64], offsets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Nodes that a field of some nodes leads to; 0 where it leads nowhere."""
    words, _ = columns.raw(
        columns.heads(nodes), columns.numbers(nodes), offsets, columns.dump.identifier_bytes
    )
    return np.maximum(columns.nodes_at(words), 0)


@dataclass(frozen=True, slots=True, eq=False)
class _Fields:
    """Where the fields of a shape lie, by class number."""

    inside: NDArray[np.int64] | None
    size: NDArray[np.int64] | None
    wide: bool
    array: NDArray[np.int64] | None
    first: NDArray[np.int64] | None
    ring: tuple[NDArray[np.int64], NDArray[np.int64]] | None
    cells: NDArray[np.int64] | None
    coder: NDArray[np.int64] | None

    @classmethod
    def of(cls, columns: HeapColumns, shape: Shape) -> _Fields | None:
        """Those of a shape; None where the classes of the dump have other fields."""
        owner = _INNER[shape.inside] if shape.inside else shape.class_name

        def at(name: str, kind: int | None = None) -> NDArray[np.int64] | None:
            if not name:
                return None
            found = columns.offsets(name, owner=owner, kind=kind)
            return found if (found >= 0).any() else None

        inside = (
            columns.offsets(shape.inside, owner=shape.class_name, kind=TYPE_OBJECT)
            if shape.inside
            else None
        )
        head, tail = (None, None) if shape.size else (at("head", TYPE_INT), at("tail", TYPE_INT))
        ring = (head, tail) if head is not None and tail is not None else None
        wide = shape.size == "baseCount"
        fields = cls(
            inside=inside,
            size=at(shape.size, None if wide else TYPE_INT),
            wide=wide,
            array=at(shape.array, TYPE_OBJECT),
            first=at(shape.first, TYPE_OBJECT),
            ring=ring,
            cells=at("counterCells", TYPE_OBJECT) if wide else None,
            coder=at("coder") if shape.kind == "text" else None,
        )
        counted = fields.size is not None if shape.size else ring is not None
        stored = fields.array is not None if shape.array else fields.first is not None
        return fields if counted and stored else None


def _part(
    columns: HeapColumns, shape: Shape, fields: _Fields, nodes: NDArray[np.int64]
) -> CollectionPart:
    owners = nodes if fields.inside is None else _targets(columns, nodes, fields.inside)
    heads, numbers = columns.heads(owners), columns.numbers(owners)
    arrays = np.zeros(nodes.size, np.int64)
    if fields.array is not None:
        arrays = _targets(columns, owners, fields.array)
    inside = columns.heads(arrays)
    room = np.where(arrays > 0, inside.lengths, 0)
    lengths = _lengths(columns, fields, heads, numbers, room)
    slots = np.full(nodes.size, shape.slots)
    if fields.coder is not None:
        coder, _ = columns.raw(heads, numbers, fields.coder, 1)
        slots = np.where(coder == 1, 2, 1)
    known = lengths >= 0
    if fields.inside is not None:
        known &= owners > 0
    flaws, wasted = _judged(columns, shape, fields, nodes, owners, arrays, inside, lengths, slots)
    flaws[~known], wasted[~known] = Flaw.none, 0
    capacities = room // slots if fields.array is not None else np.full(nodes.size, -1)
    return CollectionPart(
        shape,
        nodes[known],
        lengths[known],
        capacities[known].astype(np.int64),
        arrays[known],
        flaws[known],
        wasted[known],
    )


def _lengths(
    columns: HeapColumns,
    fields: _Fields,
    heads: Heads,
    numbers: NDArray[np.int32],
    room: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Elements of each; -1 where the fields do not say it."""
    if fields.ring is not None:
        (head, _), (tail, known) = (columns.raw(heads, numbers, one, 4) for one in fields.ring)
        return np.where(known, np.where(room > 0, (tail - head) % np.maximum(room, 1), 0), -1)
    if fields.size is None:  # such a shape has been left out
        raise ValueError("the shape has neither a size nor a ring")
    words, known = columns.raw(heads, numbers, fields.size, 8 if fields.wide else 4)
    lengths = words if fields.wide else words.astype(np.uint32).view(np.int32).astype(np.int64)
    if fields.cells is not None:
        cells, _ = columns.raw(heads, numbers, fields.cells, columns.dump.identifier_bytes)
        for row in np.flatnonzero(cells).tolist():  # maps that threads have fought for
            lengths[row] += _in_cells(columns, int(cells[row]))
    lengths[~known] = -1
    return lengths


def _in_cells(columns: HeapColumns, address: int) -> int:
    heap = columns.heap
    node = heap.node_at(address)
    if node is None:
        return 0
    return sum(heap.number(cell, "value") or 0 for cell in heap.elements(node).tolist() if cell > 0)


def _judged(
    columns: HeapColumns,
    shape: Shape,
    fields: _Fields,
    nodes: NDArray[np.int64],
    owners: NDArray[np.int64],
    arrays: NDArray[np.int64],
    inside: Heads,
    lengths: NDArray[np.int64],
    slots: NDArray[np.int64],
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The flaw of each and the bytes that a right size would save."""
    sizes = columns.graph.size_model
    of_text = shape.kind in ("text", "bytes")
    own_array = (arrays > 0) & (columns.graph.dominators[arrays] == owners)
    array_bytes = np.where(own_array, columns.shallow(arrays), 0)
    kinds = columns.elements(arrays, inside)
    needed = shape.room(np.maximum(lengths, 0)) * (
        np.where(kinds == TYPE_CHAR, 1, slots) if of_text else 1
    )
    right = sizes.array_bases[kinds] + needed * sizes.array_widths[kinds]
    right = (right + sizes.alignment - 1) & -sizes.alignment
    too_much = np.maximum(0, array_bytes - right)

    flaws = np.zeros(nodes.size, np.uint8)
    wasted = np.zeros(nodes.size, np.int64)
    flaws[too_much > 0] = Flaw.oversized
    used = lengths * np.where(kinds == TYPE_CHAR, 1, slots)
    flaws[(too_much > 0) & (used < _SPARSE * inside.lengths)] = Flaw.sparse
    wasted = too_much
    whole = columns.shallow(nodes) + array_bytes
    if fields.inside is not None:
        own_map = columns.graph.dominators[owners] == nodes
        whole += np.where(own_map, columns.shallow(owners), 0)
    empty = lengths == 0
    flaws[empty] = Flaw.empty
    wasted[empty] = whole[empty]
    if of_text:
        return flaws, wasted
    single = np.flatnonzero(lengths == 1)
    structure = whole[single]
    if shape.entries:
        structure += _entry_bytes(columns, fields, owners[single], arrays[single])
    kept = 2 if shape.kind == "map" else 1
    base, width = sizes.array_bases[TYPE_OBJECT], sizes.array_widths[TYPE_OBJECT]
    replacement = (int(base + kept * width) + sizes.alignment - 1) & -sizes.alignment
    flaws[single] = Flaw.single
    wasted[single] = np.maximum(0, structure - replacement)
    return flaws, wasted


def _entry_bytes(
    columns: HeapColumns,
    fields: _Fields,
    owners: NDArray[np.int64],
    arrays: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Bytes of the one entry of some collections; 0 where it is not found."""
    if fields.first is not None:
        entries = _targets(columns, owners, fields.first)
    else:
        heads = columns.heads(arrays)
        words = np.zeros(arrays.size, np.int64)
        first_elements(
            columns.dump.buffer, columns.dump.identifier_bytes, heads.tags, heads.lengths,
            heads.data, words,
        )  # fmt: skip
        entries = np.maximum(columns.nodes_at(words), 0)
    return np.where(entries > 0, columns.shallow(entries), 0)
