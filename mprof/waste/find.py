"""All that a heap could do without, found in one go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mprof.heap.columns import HeapColumns
from mprof.hprof import scan
from mprof.waste._chains import Chained, ChainFields, longest_chains
from mprof.waste.copies import boxed_values, equal_arrays, equal_strings
from mprof.waste.loaders import class_loaders, classes_of_several
from mprof.waste.origins import Origins
from mprof.waste.shapes import CollectionPart, Flaw, collections_of
from mprof.waste.wasted import ChainRow, CollectionRow, Waste, ZeroRow

__all__ = ["find_waste"]

_ENTRIES: Final = (
    "java.util.HashMap$Node", "java.util.HashMap$Entry", "java.util.Hashtable$Entry",
    "java.util.WeakHashMap$Entry", "java.util.concurrent.ConcurrentHashMap$Node",
)  # fmt: skip
_TREE_HEAD: Final = "java.util.concurrent.ConcurrentHashMap$TreeBin"
_MANY: Final = 8  # HashMap.TREEIFY_THRESHOLD: so many in one slot are no accident
_AT_ONCE: Final = 131_072


def find_waste(
    path: Path, *, limit: int = 20, progress: Callable[[str, float], None] | None = None
) -> Waste:
    """Reads a dump and finds what it could do without.

    Raises:
        EvidenceError: if the file cannot be read or is no heap dump.
    """
    report = progress or (lambda _what, _share: None)
    columns = HeapColumns(path, paths=True, progress=progress)
    heap, origins = columns.heap, Origins(columns)
    report("looking for waste", 0.0)
    collections, backing, chains = _collections(columns, origins, limit=limit)
    report("looking for waste", 0.4)
    zeros, zero_rows = _zero_arrays(columns, origins, backing)
    strings, texts = equal_strings(columns, origins, limit=limit)
    report("looking for waste", 0.7)
    arrays = equal_arrays(columns, origins, zeros)
    boxes = boxed_values(columns, origins)
    loaders, several = class_loaders(columns), classes_of_several(columns)
    report("looking for waste", 1.0)
    return Waste(
        heap_bytes=heap.shallow_bytes,
        collections=collections,
        boxes=boxes,
        strings=strings,
        texts=texts,
        arrays=arrays,
        zeros=zero_rows,
        chains=chains,
        loaders=loaders,
        several=several[:limit],
        losses=heap.losses,
    )


def _collections(
    columns: HeapColumns, origins: Origins, *, limit: int
) -> tuple[tuple[CollectionRow, ...], NDArray[np.bool_], tuple[ChainRow, ...]]:
    """Rows by class and flaw; by node, whether it is the array of a collection; crowded maps."""
    flawed: list[tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]] = []
    backing = np.zeros(columns.nodes, bool)
    crowded: list[ChainRow] = []
    fields = _chain_fields(columns)
    for part in collections_of(columns):
        backing[part.arrays] = True
        bad = part.flaws != Flaw.none
        flawed.append((part.nodes[bad], part.flaws[bad], part.wasted[bad]))
        if part.shape.entries and part.shape.array:
            crowded += _crowded(columns, part, fields, origins)
    crowded.sort(key=lambda row: (-row.crowded, row.id))
    if not flawed:
        return (), backing, ()
    nodes, flaws, saved = (np.concatenate(each) for each in zip(*flawed, strict=True))
    keys = columns.numbers(nodes).astype(np.int64) * len(Flaw) + flaws
    rows = []
    for key in np.unique(keys).tolist():
        own = keys == key
        rows.append(
            CollectionRow(
                class_name=columns.classes.names[key // len(Flaw)],
                flaw=Flaw(key % len(Flaw)).name,  # type: ignore[arg-type]
                objects=int(own.sum()),
                saved_bytes=int(saved[own].sum()),
                origins=origins.of(nodes[own], saved[own]),
            )
        )
    rows.sort(key=lambda row: (-row.saved_bytes, row.class_name, row.flaw))
    return tuple(rows), backing, tuple(crowded[:limit])


def _chain_fields(columns: HeapColumns) -> ChainFields:
    nexts = np.full(len(columns.classes.names) + 1, -1, np.int64)
    hashes = nexts.copy()
    for name in _ENTRIES:
        own_next = columns.offsets("next", owner=name)
        own_hash = columns.offsets("hash", owner=name)
        both = (own_next >= 0) & (own_hash >= 0)
        nexts[both], hashes[both] = own_next[both], own_hash[both]
    head = columns.offsets("first", owner=_TREE_HEAD)
    nexts[head >= 0], hashes[head >= 0] = head[head >= 0], -1
    return ChainFields(nexts, hashes)


def _crowded(
    columns: HeapColumns, part: CollectionPart, fields: ChainFields, origins: Origins
) -> list[ChainRow]:
    """The maps of a part in which many keys have one hash."""
    asked = np.flatnonzero((part.lengths >= _MANY) & (part.arrays > 0))
    heads = columns.heads(part.arrays[asked])
    chained = Chained(*np.zeros((3, asked.size), np.int64))
    longest_chains(
        columns.graph.source, columns.graph.by_node, heads.lengths, heads.data, fields,
        part.lengths[asked] + 1, chained,
    )  # fmt: skip
    return [
        ChainRow(
            id=f"0x{columns.heap.address(node) & (1 << 64) - 1:x}",
            class_name=columns.heap.class_name(node),
            entries=int(part.lengths[asked[row]]),
            slots=int(heads.lengths[row]),
            longest=int(chained.longest[row]),
            equal=int(chained.equal[row]),
            crowded=int(chained.crowded[row]),
            origin=origins.name_of(node),
        )
        for row in np.flatnonzero(chained.equal >= _MANY).tolist()
        for node in [int(part.nodes[asked[row]])]
    ]


def _zero_arrays(
    columns: HeapColumns, origins: Origins, backing: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], tuple[ZeroRow, ...]]:
    """Nodes of arrays without content that are of no collection, and rows by class."""
    found = []
    for start in range(1, columns.nodes, _AT_ONCE):
        nodes = np.arange(start, min(columns.nodes, start + _AT_ONCE))
        heads = columns.heads(nodes)
        own = (heads.tags == scan.OBJECT_ARRAY) | (heads.tags == scan.PRIMITIVE_ARRAY)
        own &= (heads.lengths > 0) & ~backing[nodes]
        nodes, heads = nodes[own], heads.rows(own)
        found.append(nodes[columns.filled(nodes, heads) == 0])
    nodes = np.concatenate(found) if found else np.empty(0, np.int64)
    saved, numbers = columns.shallow(nodes), columns.numbers(nodes)
    rows = []
    for number in np.unique(numbers).tolist():
        own = numbers == number
        rows.append(
            ZeroRow(
                class_name=columns.classes.names[number] if number >= 0 else "?",
                objects=int(own.sum()),
                saved_bytes=int(saved[own].sum()),
                origins=origins.of(nodes[own], saved[own]),
            )
        )
    return nodes, tuple(sorted(rows, key=lambda row: (-row.saved_bytes, row.class_name)))
