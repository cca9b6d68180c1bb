"""Class loaders: what each defines, and those that nothing but one reference keeps."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mprof.heap.answers import PathStep
from mprof.heap.columns import HeapColumns
from mprof.heap.summary import describe_path
from mprof.waste.wasted import LoaderRow, SeveralRow

__all__ = ["class_loaders", "classes_of_several"]

_OWN_OF_THE_JVM: Final = ("jdk.internal.", "sun.misc.Launcher$", "sun.reflect.", "java.lang.")
_BOOT: Final = "(boot loader)"
_AT_ONCE: Final = 131_072
_REFERENCES: Final = 1 << 20
_ENOUGH: Final = 2  # references to a loader: more than one
_MOST_FOLLOWED: Final = 1_000  # loaders whose references are counted


def class_loaders(columns: HeapColumns) -> tuple[LoaderRow, ...]:
    """All class loaders of the dump, the boot loader among them.

    Time: a pass over all references, if there is a loader besides those of the JVM.
    """
    classes, graph = columns.classes, columns.graph
    objects, shallow = _instances(columns)
    loaders = classes.loaders
    defined = np.arange(len(classes.names)) < classes.dumped
    addresses = np.unique(loaders[defined])
    of_kind = columns.of_classes(
        np.flatnonzero(classes.subclasses("java.lang.ClassLoader")).tolist()
    )
    addresses = np.union1d(addresses, columns.heads(of_kind).addresses)
    nodes = columns.nodes_at(addresses)
    names = [
        classes.names[graph.classes[node]]
        if node > 0
        else _BOOT
        if not address
        else "(not reachable)"
        for address, node in zip(addresses.tolist(), nodes.tolist(), strict=True)
    ]
    followed = [
        int(node) for node, name in zip(nodes.tolist(), names, strict=True)
        if node > 0 and not name.startswith(_OWN_OF_THE_JVM)
    ][:_MOST_FOLLOWED]  # fmt: skip
    tops = {node: _top_of_family(columns, node) for node in followed}
    single = _held_once(columns, set(tops.values()))
    rows = []
    for address, node, name in zip(addresses.tolist(), nodes.tolist(), names, strict=True):
        own = defined & (loaders == address)
        top = tops.get(node)
        rows.append(
            LoaderRow(
                id=f"0x{address & (1 << 64) - 1:x}" if address else None,
                class_name=name,
                name=_given_name(columns, node) if node > 0 else None,
                classes=int(own.sum()),
                objects=int(objects[own].sum()),
                shallow_bytes=int(shallow[own].sum()),
                retained_bytes=columns.heap.retained(node) if node > 0 else 0,
                held_by=_path(columns, top, single[top])
                if top is not None and top in single
                else None,
            )
        )
    return tuple(sorted(rows, key=lambda row: (-row.classes, -row.retained_bytes, row.id or "")))


def classes_of_several(columns: HeapColumns) -> tuple[SeveralRow, ...]:
    """Classes that several loaders define, by name; hidden classes are none of them."""
    classes = columns.classes
    objects, shallow = _instances(columns)
    rows = []
    for name, numbers in classes.by_name.items():
        own = [number for number in numbers if number < classes.dumped]
        loaders = {int(classes.loaders[number]) for number in own}
        if len(loaders) > 1 and "/0x" not in name and not name.endswith("[]"):
            rows.append(
                SeveralRow(
                    class_name=name,
                    loaders=len(loaders),
                    objects=int(objects[own].sum()),
                    shallow_bytes=int(shallow[own].sum()),
                )
            )
    return tuple(sorted(rows, key=lambda row: (-row.loaders, -row.shallow_bytes, row.class_name)))


def _instances(columns: HeapColumns) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Objects and bytes by class number."""
    numbers, prefix = columns.graph.classes, columns.graph.prefix
    count = len(columns.classes.names)
    known = numbers >= 0
    sizes = (prefix[1:] - prefix[:-1])[known]
    objects = np.bincount(numbers[known], minlength=count)
    shallow = np.bincount(numbers[known], weights=sizes, minlength=count)
    return objects.astype(np.int64), shallow.astype(np.int64)


def _given_name(columns: HeapColumns, node: int) -> str | None:
    heap = columns.heap
    target = heap.fields(node).get("java.lang.ClassLoader.name")
    return heap.string(target) if isinstance(target, int) else None


def _top_of_family(columns: HeapColumns, loader: int) -> int:
    """What of a loader, its classes and their instances all paths to it come through first."""
    classes, graph, heap = columns.classes, columns.graph, columns.heap
    address = heap.address(loader)
    top, above = loader, int(graph.dominators[loader])
    while above > 0 and graph.positions[above]:
        number = int(graph.classes[above])
        if heap.is_class(above):
            number = classes.number_of(heap.address(above))
        if number < 0 or int(classes.loaders[number]) != address:
            break
        top, above = above, int(graph.dominators[above])
    return top


def _path(columns: HeapColumns, top: int, holder: int) -> tuple[str, ...]:
    """The path to the one thing that refers to a node, and that reference.

    Shortest paths begin at classes too, whoever keeps them: one through what the node itself
    dominates says nothing.
    """
    heap = columns.heap
    end = top + heap.subtree(top)
    if not holder:
        return describe_path(heap, heap.path_from_root(top))
    above = heap.path_from_root(holder)
    if any(top <= step.node < end for step in above):
        above = ()
    via = next((one.name for one in heap.references(holder) if one.target == top), "?")
    return describe_path(heap, (*above, PathStep(top, heap.class_name(top), via)))


def _held_once(columns: HeapColumns, tops: set[int]) -> dict[int, int]:
    """Those nodes to which one thing refers, from outside of what each dominates, and that thing.

    The thing is a node, or 0 where the node is a root by itself.
    """
    if not tops:
        return {}
    graph = columns.graph
    sources: dict[int, list[int]] = defaultdict(list)
    for rank in graph.roots.globals.tolist():
        node = int(graph.nodes[rank])
        if node in tops:
            sources[node].append(0)
    for source, target in graph.roots.extra_edges:
        node, holder = int(graph.nodes[target]), int(graph.nodes[source])
        if node in tops and not node <= holder < node + int(graph.sizes[node]):
            sources[node].append(holder)
    wanted = np.zeros(columns.nodes + 1, bool)
    wanted[list(tops)] = True
    is_weak = columns.classes.subclasses("java.lang.ref.WeakReference")
    is_weak |= columns.classes.subclasses("java.lang.ref.PhantomReference")
    is_weak |= columns.classes.subclasses("java.lang.ref.FinalReference")
    referent = columns.field_names.index("referent") if "referent" in columns.field_names else -2
    for first in range(1, columns.nodes, _AT_ONCE):
        nodes = np.arange(first, min(columns.nodes, first + _AT_ONCE))
        heads, numbers = columns.heads(nodes), columns.numbers(nodes)
        start = 0
        while start < nodes.size:
            refs, taken = columns.references(
                heads.rows(slice(start, None)), numbers[start:], _REFERENCES
            )
            targets = columns.nodes_at(refs.targets)
            for row in np.flatnonzero(wanted[targets]).tolist():
                at = start + int(refs.rows[row])
                target, holder = int(targets[row]), int(nodes[at])
                weak = is_weak[numbers[at]] and refs.names[row] == referent
                inside = target <= holder < target + int(graph.sizes[target])
                if not weak and not inside and len(sources[target]) < _ENOUGH:
                    sources[target].append(holder)
            start += taken
    return {top: sources[top][0] for top in tops if len(sources[top]) == 1}
