"""What an object holds, by the shape of its fields: collections, buffers, texts, arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mprof.heap.answers import Container, Value

__all__ = ["MANY_LINKS", "SIZE_FIELDS", "Objects", "container_of", "text_of", "utf16_text"]

_SAMPLE = 64  # elements whose classes are looked at
_LATIN1 = 0  # String.LATIN1
_MOST_HOPS = 4  # wrappers around a collection
MANY_LINKS = 16
"""Of a few objects of one class that lead to each other the next one says more."""
_PRIMITIVES = frozenset({"boolean", "byte", "char", "double", "float", "int", "long", "short"})
_ATOMIC_ARRAY = "java.util.concurrent.atomic.AtomicReferenceArray"


class Objects(Protocol):
    """What a reader must know of the objects; :class:`mprof.heap.heap.Heap` has it."""

    def is_object(self, node: int) -> bool:
        """Whether the node is an object."""

    def class_name(self, node: int) -> str:
        """Class in Java source form."""

    def super_classes(self, class_name: str) -> tuple[str, ...]:
        """Names of the superclasses, nearest first."""

    def fields(self, node: int) -> dict[str, Value]:
        """Instance fields by name."""

    def reference_fields(self, node: int) -> dict[str, int]:
        """Those instance fields that refer to a node, by name."""

    def elements(self, node: int) -> NDArray[np.int64]:
        """Nodes of an object array's elements, -1 for null and for objects without a node."""

    def filled(self, node: int) -> int:
        """Elements of an array; of an object array those that are not null."""

    def first_elements(self, node: int, most: int) -> list[int]:
        """Nodes of the first elements of an object array that have one."""

    def primitive_array(self, node: int, most: int | None = None) -> NDArray[np.generic]:
        """Elements of a primitive array, or the first of them."""

    def array_length(self, node: int) -> int:
        """Elements of an array, -1 if the node is none."""

    def keeps(self, node: int, other: int) -> bool:
        """Whether a node keeps another one alive, or is that one."""

    def alike(self, node: int) -> int:
        """How many objects of its own class a node keeps alive, itself included."""


def text_of(heap: Objects, fields: Mapping[str, Value], most: int | None = None) -> str | None:
    """The text of a String, from its fields, whatever JDK wrote it; or its first characters.

    JDK 9 and later: bytes with a coder (0 is Latin-1, 1 is UTF-16 in the machine's byte order).
    Before: chars, in JDK 6 and early 7 a window of them.
    """
    value = fields.get("value")
    if not isinstance(value, int):
        return None
    start, count = fields.get("offset"), fields.get("count")
    is_window = isinstance(start, int) and isinstance(count, int)
    # In bytes it may be two a character.
    content = heap.primitive_array(value, None if most is None or is_window else 2 * most)
    if content.dtype.kind == "u":
        if isinstance(start, int) and isinstance(count, int):
            content = content[start : start + count]
        return utf16_text(content[:most])
    if fields.get("coder", _LATIN1) == _LATIN1:
        return content[:most].tobytes().decode("latin-1")
    raw = content.tobytes()
    return raw[: len(raw) & ~1].decode("utf-16-le", "replace")


def utf16_text(chars: NDArray[np.generic]) -> str:
    """Text of Java chars."""
    return chars.astype("<u2").tobytes().decode("utf-16-le", "replace")


def container_of(heap: Objects, node: int) -> Container | None:
    """What a node holds, None if it is no container."""
    if not heap.is_object(node):
        return None
    length = heap.array_length(node)
    if length >= 0:
        return Container("array", heap.filled(node), length, _element_class(heap, node), node)
    fields = heap.fields(node)
    if not fields:
        return None
    name = heap.class_name(node)
    for ancestor in (name, *heap.super_classes(name)):
        reader = _READERS.get(ancestor)
        if reader is not None:
            found = reader(heap, fields, 0)
            if found is not None:
                return found
    return _by_shape(heap, node, fields)


# --- readers, one for each shape ------------------------------------------------------------------

_Reader = Callable[[Objects, Mapping[str, Value], int], Container | None]


def _number(fields: Mapping[str, Value], *names: str) -> int | None:
    for name in names:
        value = fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _array(heap: Objects, fields: Mapping[str, Value], name: str) -> tuple[int | None, int]:
    """The node of an array in a field, and its length; 0 where the field is null."""
    node = _number(fields, name)
    if node is not None and heap.class_name(node) == _ATOMIC_ARRAY:
        node = _number(heap.fields(node), "array")
    return (node, max(0, heap.array_length(node))) if node is not None else (None, 0)


def _in_array(kind: str, size: str, array: str, *, slots: int = 1) -> _Reader:
    def read(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:  # noqa: ARG001
        length = _number(fields, size)
        if length is None or array not in fields:
            return None
        node, capacity = _array(heap, fields, array)
        element = _element_class(heap, node) if node is not None and length else ""
        return Container(kind, length, capacity // slots, element, node)

    return read


def _in_table(size: str, table: str) -> _Reader:
    """Hash tables: entries are chained from the slots of a table; the element is the value."""

    def read(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:  # noqa: ARG001
        length = _number(fields, size)
        if length is None or table not in fields:
            return None
        node, capacity = _array(heap, fields, table)
        values = []
        if node is not None and length:
            for entry in heap.first_elements(node, _SAMPLE):
                inside = heap.fields(entry)
                held = _number(inside, "valueReference")  # of a cache: may be weak or soft
                inside = inside if held is None else heap.fields(held)
                value = _number(inside, "value", "val", "_value", "referent")
                if value is not None:
                    values.append(value)
        return Container("map", length, capacity, _commonest(heap, values), node)

    return read


def _linked(kind: str, size: str, first: str) -> _Reader:
    def read(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:  # noqa: ARG001
        length = _number(fields, size)
        if length is None or first not in fields:
            return None
        entry = head = _number(fields, first)
        values = []
        for _ in range(_SAMPLE):
            if entry is None:
                break
            inside = heap.fields(entry)
            value = _number(inside, "item")
            if value is not None:
                values.append(value)
            entry = _number(inside, "next")
        return Container(kind, length, -1, _commonest(heap, values), head)

    return read


def _inside(field: str, *, kind: str = "") -> _Reader:
    """A view of, or a wrapper around, another container."""

    def read(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:
        node = _number(fields, field)
        if node is None or hops >= _MOST_HOPS:
            return None
        inner = _container_at(heap, node, hops + 1)
        if inner is None:
            return None
        element = inner.element_class
        if kind == "set":  # the values of a set's map are all the same
            element = _key_class(heap, node) or element
        return Container(kind or inner.kind, inner.length, inner.capacity, element, inner.backing)

    return read


def _container_at(heap: Objects, node: int, hops: int) -> Container | None:
    name = heap.class_name(node)
    for ancestor in (name, *heap.super_classes(name)):
        if ancestor in _READERS:
            return _READERS[ancestor](heap, heap.fields(node), hops)
    return container_of(heap, node) if heap.array_length(node) >= 0 else None


def _whole_array(array: str) -> _Reader:
    def read(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:  # noqa: ARG001
        node, length = _array(heap, fields, array)
        if node is None:
            return None
        return Container("list", length, length, _element_class(heap, node), node)

    return read


def _ring(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:  # noqa: ARG001
    head, tail = _number(fields, "head"), _number(fields, "tail")
    node, capacity = _array(heap, fields, "elements")
    if head is None or tail is None or not capacity or node is None:
        return None
    # Head and tail meet in an empty deque, and in a full one that is being enlarged.
    length = (tail - head) % capacity or heap.filled(node)
    return Container("queue", length, capacity, _element_class(heap, node), node)


def _segments(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:
    """Maps of segments with tables of their own: that of JDK 7, and the caches of Guava."""
    node, _ = _array(heap, fields, "segments")
    if node is None:
        return None
    parts = [
        part
        for segment in heap.elements(node).tolist()
        if segment >= 0
        and (part := _in_table("count", "table")(heap, heap.fields(segment), hops)) is not None
    ]
    element = next((part.element_class for part in parts if part.element_class), "")
    return Container(
        "map", sum(p.length for p in parts), sum(p.capacity for p in parts), element, node
    )


def _concurrent_map(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:
    if "baseCount" not in fields:  # JDK 7
        return _segments(heap, fields, hops)
    length = _counted(heap, fields, "baseCount", "counterCells")
    return _in_table("size", "table")(heap, {**fields, "size": length}, hops)


def _tree(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:  # noqa: ARG001
    length = _number(fields, "size")
    if length is None or "root" not in fields:
        return None
    root = _number(fields, "root")
    values: list[int] = []
    pending = [root] if root is not None else []
    while pending and len(values) < _SAMPLE:
        inside = heap.fields(pending.pop(0))
        value = _number(inside, "value")
        if value is not None:
            values.append(value)
        pending += [
            child for side in ("left", "right") if (child := _number(inside, side)) is not None
        ]
    return Container("map", length, -1, _commonest(heap, values), root)


def _text(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:  # noqa: ARG001
    node, room = _array(heap, fields, "value")
    if node is None:
        return None
    is_wide = heap.class_name(node) == "byte[]" and fields.get("coder", _LATIN1) != _LATIN1
    capacity = room // 2 if is_wide else room
    length = _number(fields, "count")
    element = "char" if is_wide or heap.class_name(node) == "char[]" else "byte"
    return Container("text", capacity if length is None else length, capacity, element, node)


def _blocking_queue(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:
    counter = _number(fields, "count")
    length = _number(heap.fields(counter), "value") if counter is not None else None
    return _linked("queue", "count", "head")(heap, {**fields, "count": length}, hops)


def _links(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:  # noqa: ARG001
    """Lists without a count: their links are counted, as far as one keeps the next ones alive.

    Whoever is at work at an end has a link there as a local, so that nothing but the thread keeps
    it and those behind it alive: the first links are followed one by one, and the last one is
    asked as well. So it may be a few too low. A link without an item is none.
    """
    head, tail = _number(fields, "head"), _number(fields, "tail")
    if head is None:
        return None
    items, length, behind, at = [], 0, False, head
    for _ in range(_SAMPLE):
        inside = heap.fields(at)
        item, following = _number(inside, "item"), _number(inside, "next")
        items += [] if item is None else [item]
        behind = behind or at == tail
        if following is None or following == at:  # a link that was taken out leads to itself
            return Container("queue", len(items), -1, _commonest(heap, items), head)
        length, at = len(items), following
    length += heap.alike(at)
    if tail is not None and not behind and not heap.keeps(at, tail):
        length += heap.alike(tail)
    return Container("queue", length, -1, _commonest(heap, items), head)


def _skip_list(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:  # noqa: ARG001
    """Of JDK 9 and later, which has a counter; the entries are the lowest level's."""
    at, counter = _number(fields, "head"), _number(fields, "adder")
    length = 0 if counter is None else _counted(heap, heap.fields(counter), "base", "cells")
    if at is None or not length:
        return None
    for _ in range(_SAMPLE):
        at = _number(heap.fields(at), "down") or at
    before = _number(heap.fields(at), "node")
    entry = first = None if before is None else _number(heap.fields(before), "next")
    values = []
    for _ in range(_SAMPLE):
        if entry is None:
            break
        inside = heap.fields(entry)
        value = _number(inside, "val")
        values += [] if value is None else [value]
        entry = _number(inside, "next")
    return Container("map", length, -1, _commonest(heap, values), first)


def _counted(heap: Objects, fields: Mapping[str, Value], base: str, cells: str) -> int:
    """What a counter in several cells comes to (``Striped64``, ``ConcurrentHashMap``)."""
    total, node = _number(fields, base) or 0, _array(heap, fields, cells)[0]
    for cell in [] if node is None else heap.elements(node).tolist():
        total += (_number(heap.fields(cell), "value") or 0) if cell >= 0 else 0
    return total


def _dependents(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:  # noqa: ARG001
    """What waits for a future that is not done: of a few it is no container, but a step."""
    first = at = _number(fields, "stack")
    waiting: list[int] = []
    while at is not None and len(waiting) < _SAMPLE:
        waiting.append(at)
        at = _number(heap.fields(at), "next")
    if first is None or len(waiting) < MANY_LINKS:
        return None
    length = len(waiting) + (0 if at is None else heap.alike(at))
    return Container("queue", length, -1, _commonest(heap, waiting), first)


def _spined(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:  # noqa: ARG001
    """What a stream gathers whose length is not known: chunks, each twice as long as the last."""
    last, room = _array(heap, fields, "curChunk")
    spine, chunks = _array(heap, fields, "spine")
    at, length = _number(fields, "spineIndex"), _number(fields, "elementIndex")
    before, _ = _array(heap, fields, "priorElementCount")
    if last is None or at is None or length is None:
        return None
    if spine is None or before is None or not chunks:
        return Container("list", length, room, _element_class(heap, last), last)
    length += int(heap.primitive_array(before, at + 1)[-1])
    return Container("list", length, -1, _element_class(heap, last), spine)


def _champ(kind: str) -> _Reader:
    """Hash tries of Scala 2.13: the root node counts all below; its content has them and nodes."""

    def read(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:  # noqa: ARG001
        root = _number(fields, "rootNode")
        length = _number(heap.fields(root), "size") if root is not None else None
        if root is None or length is None:
            return None
        values: list[int] = []
        pending = [root]
        while pending and len(values) < _SAMPLE:
            node = _number(heap.fields(pending.pop(0)), "content")
            inside = [] if node is None else heap.first_elements(node, 2 * _SAMPLE)
            nodes = [each for each in inside if heap.class_name(each).startswith(_SCALA_NODES)]
            own = [each for each in inside if each not in set(nodes)]
            values += own[1::2] if kind == "map" else own  # key, value, key, value, ..., nodes
            pending += nodes
        return Container(kind, length, -1, _commonest(heap, values), root)

    return read


def _arena(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:  # noqa: ARG001
    """An arena of Netty's pooled buffers: its chunks, in lists by how full they are."""
    lists = [node for name in _FULLNESS if (node := _number(fields, name)) is not None]
    chunks: list[int] = []
    for each in lists:
        at = _number(heap.fields(each), "head")
        while at is not None and len(chunks) < _MOST_CHUNKS:
            chunks.append(at)
            at = _number(heap.fields(at), "next")
    if not lists:
        return None
    return Container("list", len(chunks), -1, _commonest(heap, chunks), lists[0])


def _pages(heap: Objects, fields: Mapping[str, Value], hops: int) -> Container | None:  # noqa: ARG001
    """A tree of pages of H2's: an inner page counts what is below it, a leaf has its values."""
    node = _number(fields, "root")
    for name in ("value", "root"):  # AtomicReference.value, RootReference.root
        node = None if node is None else _number(heap.fields(node), name)
    if node is None:
        return None
    page, length = heap.fields(node), _number(heap.fields(node), "totalCount")
    for _ in range(_SAMPLE):  # down to the first leaf: PageReference.page
        children, _ = _array(heap, page, "children")
        below = [] if children is None else heap.first_elements(children, 1)
        inner = _number(heap.fields(below[0]), "page") if below else None
        if inner is None:
            break
        page = heap.fields(inner)
    values, count = _array(heap, page, "values")
    element = _element_class(heap, values) if values is not None else ""
    return Container("map", count if length is None else length, -1, element, node)


_FULLNESS = ("qInit", "q000", "q025", "q050", "q075", "q100")
_MOST_CHUNKS = 100_000  # of 4 MB and more each: a damaged list may go on in a circle
_SCALA_NODES = ("scala.collection.immutable.BitmapIndexed", "scala.collection.immutable.HashColl")
_READERS: dict[str, _Reader] = {
    "java.util.ArrayList": _in_array("list", "size", "elementData"),
    "java.util.Vector": _in_array("list", "elementCount", "elementData"),
    "java.util.Arrays$ArrayList": _whole_array("a"),
    "java.util.ImmutableCollections$ListN": _whole_array("elements"),
    "java.util.concurrent.CopyOnWriteArrayList": _whole_array("array"),
    "java.util.LinkedList": _linked("list", "size", "first"),
    "java.util.ArrayDeque": _ring,
    "java.util.PriorityQueue": _in_array("queue", "size", "queue"),
    "java.util.concurrent.PriorityBlockingQueue": _in_array("queue", "size", "queue"),
    "java.util.concurrent.ArrayBlockingQueue": _in_array("queue", "count", "items"),
    "java.util.concurrent.LinkedBlockingQueue": _blocking_queue,
    "java.util.concurrent.LinkedBlockingDeque": _linked("queue", "count", "first"),
    "java.util.concurrent.ConcurrentLinkedQueue": _links,
    "java.util.concurrent.ConcurrentLinkedDeque": _links,
    "java.util.concurrent.LinkedTransferQueue": _links,
    "java.util.concurrent.DelayQueue": _inside("q"),
    "java.util.stream.AbstractSpinedBuffer": _spined,
    "java.util.concurrent.CompletableFuture": _dependents,
    "java.util.HashMap": _in_table("size", "table"),
    "java.util.Hashtable": _in_table("count", "table"),
    "java.util.Properties": _inside("map"),  # of JDK 9 and later; before it is a Hashtable itself
    "java.util.WeakHashMap": _in_table("size", "table"),
    "java.util.IdentityHashMap": _in_array("map", "size", "table", slots=2),
    "java.util.ImmutableCollections$MapN": _in_array("map", "size", "table", slots=2),
    "java.util.ImmutableCollections$SetN": _in_array("set", "size", "elements"),
    "java.util.TreeMap": _tree,
    "java.util.EnumMap": _in_array("map", "size", "vals"),
    "java.util.concurrent.ConcurrentHashMap": _concurrent_map,
    "java.util.concurrent.ConcurrentSkipListMap": _skip_list,
    "java.util.concurrent.ConcurrentSkipListSet": _inside("m", kind="set"),
    "java.util.HashSet": _inside("map", kind="set"),
    "java.util.TreeSet": _inside("m", kind="set"),
    "java.util.concurrent.ConcurrentHashMap$KeySetView": _inside("map", kind="set"),
    "java.util.concurrent.CopyOnWriteArraySet": _inside("al", kind="set"),
    "java.util.Collections$SynchronizedCollection": _inside("c"),
    "java.util.Collections$UnmodifiableCollection": _inside("c"),
    "java.util.Collections$SynchronizedMap": _inside("m"),
    "java.util.Collections$UnmodifiableMap": _inside("m"),
    "java.util.Collections$SetFromMap": _inside("m", kind="set"),
    "com.github.benmanes.caffeine.cache.BoundedLocalCache": _inside("data"),
    "com.github.benmanes.caffeine.cache.UnboundedLocalCache": _inside("data"),
    "com.google.common.cache.LocalCache": _segments,
    "com.google.common.collect.MapMakerInternalMap": _segments,
    "io.netty.buffer.PoolArena": _arena,
    "org.h2.mvstore.MVMap": _pages,
    "scala.collection.mutable.HashMap": _in_table(
        "contentSize", "scala$collection$mutable$HashMap$$table"
    ),
    "scala.collection.mutable.LinkedHashMap": _in_table(
        "contentSize", "scala$collection$mutable$LinkedHashMap$$table"
    ),
    "scala.collection.mutable.ArrayBuffer": _in_array("list", "size0", "array"),
    "scala.collection.immutable.HashMap": _champ("map"),
    "scala.collection.immutable.HashSet": _champ("set"),
    "java.lang.String": _text,
    "java.lang.AbstractStringBuilder": _text,
    "java.io.ByteArrayOutputStream": _in_array("bytes", "count", "buf"),
}
SIZE_FIELDS = ("size", "count", "length", "_size", "elementsCount", "assigned", "used")
"""Names under which a collection of any library counts what it holds."""


def _by_shape(heap: Objects, node: int, fields: Mapping[str, Value]) -> Container | None:
    """Collections of libraries: one count beside one array, or arrays, that it fits into."""
    length = _number(fields, *SIZE_FIELDS)
    if length is None or length < 0:
        return None
    arrays = [
        (heap.array_length(target), target)
        for target in heap.reference_fields(node).values()
        if heap.array_length(target) >= 0
    ]
    if not arrays:
        return None
    # Beside the numbers that are its keys a table has its values in an array as long.
    capacity, _, backing = max(
        (size, heap.class_name(node).removesuffix("[]") not in _PRIMITIVES, node)
        for size, node in arrays
    )
    if length > capacity:
        return None
    return Container("array", length, capacity, _element_class(heap, backing), backing)


# --- element classes ------------------------------------------------------------------------------


def _element_class(heap: Objects, node: int) -> str:
    name = heap.class_name(node).removesuffix("[]")
    if not heap.array_length(node):
        return ""
    return _commonest(heap, heap.first_elements(node, _SAMPLE)) or name


def _key_class(heap: Objects, map_node: int) -> str:
    table = _number(heap.fields(map_node), "table", "root")
    if table is None:
        return ""
    sample = heap.first_elements(table, _SAMPLE) if heap.array_length(table) >= 0 else [table]
    keys = [key for entry in sample if (key := _number(heap.fields(entry), "key")) is not None]
    return _commonest(heap, keys)


def _commonest(heap: Objects, nodes: list[int]) -> str:
    names = Counter(heap.class_name(node) for node in nodes)
    return names.most_common(1)[0][0] if names else ""
