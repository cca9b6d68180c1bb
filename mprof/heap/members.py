"""Elements of the JDK's plain collections (JDK 7 to 25), and containers told by their shape."""

from __future__ import annotations

from collections.abc import Iterator

from mprof.heap.containers import Objects

__all__ = ["is_table", "members_of"]

_MOST_MEMBERS = 100_000
_WRAPPED = ("m", "c", "list", "al", "map")
_COUNT_FIELDS = frozenset({
    "_set", "_size", "assigned", "capacity", "count", "distinct", "elementCount", "elementsCount",
    "free", "freeEntries", "hashSize", "keyMixer", "len", "length", "limit", "mask", "maxFill",
    "maxSize", "modCount", "n", "num", "numElements", "numEntries", "resizeAt", "shift", "size",
    "threshold", "top", "used",
})  # fmt: skip
_COLLECTIONS = frozenset(
    {"java.util.AbstractCollection", "java.util.AbstractMap", "java.util.Dictionary"}
)


def is_table(heap: Objects, node: int) -> bool:
    """Whether an object is a container by its shape: arrays and a count, nothing else large."""
    classes = [heap.class_name(each) for each in heap.reference_fields(node).values()]
    if not any(name.endswith("[]") for name in classes):
        return False
    if any(not _COLLECTIONS.isdisjoint((name, *heap.super_classes(name))) for name in classes):
        return False
    numbers = heap.fields(node)
    return any(type(numbers.get(name)) is int for name in _COUNT_FIELDS)


def members_of(heap: Objects, collection: int) -> list[int]:
    """Elements of a list or set, keys of a map; empty for what is none of those.

    Walks arrays (``elementData``, ``elements``, ``a``, ``array``), chains (``first``, ``item``,
    ``next``), search trees (``root``, ``key``, ``left``, ``right``) and hash tables (``table``),
    also inside the wrappers of ``Collections`` and of sets; at most 100,000 elements.
    """
    seen = {collection}
    while True:
        fields = heap.reference_fields(collection)
        for name in ("elementData", "elements", "a", "array"):
            if name in fields:
                return [node for node in heap.elements(fields[name]).tolist() if node >= 0]
        if "first" in fields:
            return list(_chain(heap, fields["first"]))
        if "root" in fields:
            return list(_tree(heap, fields["root"]))
        if "table" in fields:
            return list(_table(heap, fields["table"]))
        inner = next((fields[name] for name in _WRAPPED if name in fields), None)
        if inner is None or inner in seen:
            return []
        seen.add(inner)
        collection = inner


def _chain(heap: Objects, link: int | None) -> Iterator[int]:
    for _ in range(_MOST_MEMBERS):
        if link is None:
            return
        fields = heap.reference_fields(link)
        if "item" in fields:
            yield fields["item"]
        link = fields.get("next")


def _tree(heap: Objects, root: int) -> Iterator[int]:
    pending = [root]
    found = 0
    while pending and found < _MOST_MEMBERS:
        fields = heap.reference_fields(pending.pop())
        if "key" in fields:
            found += 1
            yield fields["key"]
        pending += [fields[side] for side in ("left", "right") if side in fields]


def _table(heap: Objects, table: int) -> Iterator[int]:
    found = 0
    for bucket in heap.elements(table).tolist():
        link: int | None = bucket if bucket >= 0 else None
        while link is not None and found < _MOST_MEMBERS:
            fields = heap.reference_fields(link)
            if "key" in fields:
                found += 1
                yield fields["key"]
            link = fields.get("next")
