"""Questions about single objects and classes of a heap, and their answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mprof.errors import EvidenceError, UsageError
from mprof.heap.answers import TypedField, Value
from mprof.heap.browse.describe import frame_place, in_words, object_row
from mprof.heap.browse.values import (
    ClassAnswer,
    ClassGroup,
    DominatedAnswer,
    FieldRow,
    ObjectAnswer,
    ObjectRow,
    PathAnswer,
    PathRow,
    ReferrerRow,
)
from mprof.heap.heap import Heap
from mprof.heap.names import hex_id
from mprof.io.printable import one_line

__all__ = ["ask_class", "ask_dominated", "ask_object", "ask_path", "check_id", "node_of"]

_ID: Final = re.compile(r"(?:0[xX])?([0-9a-fA-F]{1,16})")
_FIRST_STEPS: Final = 40
_LAST_STEPS: Final = 20


def node_of(heap: Heap, identifier: str) -> int:
    """The node of an address that people have copied from somewhere.

    Raises:
        UsageError: if it is no address.
        EvidenceError: if no object of the dump has it, or none that a root reaches.
    """
    address = check_id(identifier)
    if heap.identifier_bytes == 8 and address >= 1 << 63:
        address -= 1 << 64
    node = heap.node_at(address)
    if node is None:
        which = "is an object that no root reaches" if heap.is_in_dump(address) else "is not there"
        raise EvidenceError(
            f"{hex_id(address)} {which} in {heap.path}",
            next_step="take an address that mprof heap prints of this dump; addresses change from "
            "dump to dump",
        )
    return node


def check_id(identifier: str) -> int:
    """The address that a text is, before a dump is read for it; of 64 bits, without a sign.

    Raises:
        UsageError: if it is none.
    """
    match = _ID.fullmatch(identifier.strip())
    if match is None:
        raise UsageError(
            f"{identifier!r} is no address of an object",
            next_step="copy one from mprof heap DUMP, such as 0x7f00c0a8",
        )
    return int(match[1], 16)


def ask_object(
    heap: Heap,
    node: int,
    *,
    rows: int,
    referrers: bool = True,
    path: Sequence[int] | None = None,
) -> ObjectAnswer:
    """All about one object.

    Args:
        heap: the heap, opened with paths.
        node: of an object, a frame or a thread.
        rows: of each table, at most.
        referrers: whether to look for what refers to it. The first time that inverts all
            references of the heap, which takes some seconds where it is large.
        path: the nodes of its path, where they are known.
    """
    fields, field_count = _fields(heap, node, rows)
    below = _below(heap, node)
    found = heap.referrers(node) if referrers else None
    above = heap.dominator(node)
    return ObjectAnswer(
        object=object_row(heap, node),
        fields=fields,
        field_count=field_count,
        referrers=None if found is None else _referrers(heap, node, found, rows),
        referrer_count=None if found is None else int(found.size),
        dominator=object_row(heap, above) if above else None,
        dominates=_rows(heap, _largest(heap, below, rows)),
        dominates_count=int(below.size),
        dominates_objects=_objects_below(heap, node),
        path=_path(heap, heap.path_nodes(node) if path is None else path),
    )


def ask_path(heap: Heap, node: int) -> PathAnswer:
    """A shortest path to a node; of a long one its two ends."""
    return PathAnswer(object=object_row(heap, node), path=_path(heap, heap.path_nodes(node)))


def ask_dominated(heap: Heap, node: int, *, rows: int) -> DominatedAnswer:
    """What a node keeps alive: the largest objects that it dominates directly, and all by class."""
    below = _below(heap, node)
    return DominatedAnswer(
        object=object_row(heap, node),
        dominates=_rows(heap, _largest(heap, below, rows)),
        dominates_count=int(below.size),
        dominates_objects=_objects_below(heap, node),
        classes=_by_class(heap, below, rows),
    )


def ask_class(heap: Heap, name: str, *, rows: int) -> ClassAnswer:
    """All about the classes of a name.

    Args:
        heap: the heap.
        name: in Java source form, as ``java.util.HashMap$Node[]``; the end of one alone where only
            one class ends so.
        rows: of each table, at most.

    Raises:
        EvidenceError: if the dump has no such class.
    """
    name = _full_name(heap, name)
    nodes = heap.instances(name)
    row = next((one for one in heap.class_histogram if one.name == name), None)
    objects = heap.class_objects(name)
    statics = heap.typed_fields(objects[0][0]) if objects else []
    retained = row.retained_bytes if row else 0
    return ClassAnswer(
        name=name,
        ids=tuple(hex_id(heap.address(node)) for node, _ in objects),
        loaders=tuple(loader for _, loader in objects),
        objects=row.objects if row else 0,
        shallow_bytes=row.shallow_bytes if row else 0,
        retained_bytes=retained,
        share=retained / max(1, heap.shallow_bytes),
        subclass_objects=int(heap.instances(name, subclasses=True).size - nodes.size)
        if heap.has_subclasses(name)
        else 0,
        super_classes=heap.super_classes(name),
        statics=tuple(_field(heap, one) for one in statics if not one.name.startswith("<")),
        instances=_rows(heap, _largest(heap, nodes, rows)),
    )


def _full_name(heap: Heap, name: str) -> str:
    names = set(heap.class_names())
    if name in names:
        return name
    shown = next((one for one in names if one_line(one) == name), None)
    if shown is not None:
        return shown
    ends = sorted(one for one in names if one.endswith((f".{name}", f"${name}")))
    if len(ends) == 1:
        return ends[0]
    if ends:
        raise EvidenceError(
            f"{len(ends)} classes of {heap.path} are called {name}",
            next_step=f"name one of them in full: {', '.join(ends[:5])}",
        )
    part = name.rpartition(".")[2].casefold()
    near = sorted(one for one in names if part and part in one.casefold())
    raise EvidenceError(
        f"there is no class {one_line(name)} in {heap.path}",
        next_step=f"similar names are {', '.join(near[:5])}"
        if near
        else "mprof heap DUMP --histogram lists those that have objects",
    )


# --- what the answers are made of -----------------------------------------------------------------


def _rows(heap: Heap, nodes: NDArray[np.int64]) -> tuple[ObjectRow, ...]:
    return tuple(object_row(heap, node) for node in nodes.tolist())


def _largest(heap: Heap, nodes: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Those that retain most, in that order; the others are not sorted."""
    sizes = heap.retained_all(nodes)
    if nodes.size > most:
        chosen = np.sort(np.argpartition(-sizes, most)[:most])
        nodes, sizes = nodes[chosen], sizes[chosen]
    return np.asarray(nodes[np.argsort(-sizes, kind="stable")], np.int64)


def _below(heap: Heap, node: int) -> NDArray[np.int64]:
    return heap.dominated_in_order(node)


def _objects_below(heap: Heap, node: int) -> int:
    return heap.objects_in(node + 1, node + heap.subtree(node))


def _by_class(heap: Heap, nodes: NDArray[np.int64], most: int) -> tuple[ClassGroup, ...]:
    names = heap.class_names()
    numbers = heap.class_numbers()[nodes]
    nodes, numbers = nodes[numbers >= 0], numbers[numbers >= 0]
    groups, inverse = np.unique(numbers, return_inverse=True)
    sums = np.zeros((3, groups.size), np.int64)
    np.add.at(sums[0], inverse, 1)
    np.add.at(sums[1], inverse, heap.prefix[nodes + 1] - heap.prefix[nodes])
    np.add.at(sums[2], inverse, heap.retained_all(nodes))
    found: dict[str, list[int]] = {}
    for number, row in zip(groups.tolist(), sums.T.tolist(), strict=True):  # loaders share names
        before = found.get(names[number], [0, 0, 0])
        found[names[number]] = [one + other for one, other in zip(before, row, strict=True)]
    ranked = sorted(found.items(), key=lambda item: (-item[1][2], item[0]))[:most]
    return tuple(
        ClassGroup(
            name=name, objects=count, shallow_bytes=bytes_, retained_bytes=kept,
            share=kept / max(1, heap.shallow_bytes),
        )
        for name, (count, bytes_, kept) in ranked
    )  # fmt: skip


def _fields(heap: Heap, node: int, most: int) -> tuple[tuple[FieldRow, ...], int]:
    length = heap.array_length(node)
    if length >= 0:
        return _elements(heap, node, min(most, length)), length
    rows = [_field(heap, one) for one in heap.typed_fields(node)]
    if not heap.is_object(node) or heap.threads_at(node):
        rows += [
            FieldRow(
                name=one.name, declared_by=None, type="",
                value=object_row(heap, one.target).says,
                object=object_row(heap, one.target),
            )
            for one in heap.references(node)[: most + len(rows)]
            if one.name in ("<local>", "<frame>", "<thread>")
        ]  # fmt: skip
    return tuple(rows[:most]), len(rows)


def _elements(heap: Heap, node: int, most: int) -> tuple[FieldRow, ...]:
    kind = heap.class_name(node).removesuffix("[]")
    if heap.identified_elements(node, 1):
        return tuple(
            _reference(heap, f"[{index}]", None, identifier, target)
            for index, (identifier, target) in enumerate(heap.identified_elements(node, most))
        )
    return tuple(
        FieldRow(
            name=f"[{index}]", declared_by=None, type=kind, object=None,
            value=_primitive(chr(value) if kind == "char" else value),
        )
        for index, value in enumerate(heap.primitive_array(node, most).tolist())
    )  # fmt: skip


def _field(heap: Heap, field: TypedField) -> FieldRow:
    if field.type == "object":
        return _reference(heap, field.name, field.owner, int(field.value or 0), field.target)
    return FieldRow(
        name=one_line(field.name), declared_by=field.owner, type=field.type,
        value=_primitive(field.value), object=None,
    )  # fmt: skip


def _reference(
    heap: Heap, name: str, owner: str | None, identifier: int, target: int | None
) -> FieldRow:
    if target is not None:
        value = object_row(heap, target).says
    else:
        value = f"{hex_id(identifier)}, which no root reaches" if identifier else "null"
    return FieldRow(
        name=one_line(name), declared_by=owner, type="object", value=value,
        object=None if target is None else object_row(heap, target),
    )  # fmt: skip


def _primitive(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return in_words(value).replace('"', "'") if isinstance(value, str) else str(value)


def _referrers(
    heap: Heap, node: int, nodes: NDArray[np.int64], most: int
) -> tuple[ReferrerRow, ...]:
    return tuple(
        ReferrerRow(
            by=one_line(heap.reference_name(each, node) or "?"), object=object_row(heap, each)
        )
        for each in _largest(heap, nodes[nodes > 0], most).tolist()
    )


def _path(heap: Heap, nodes: Sequence[int]) -> tuple[PathRow, ...]:
    pairs = list(pairwise(nodes))
    left_out = max(0, len(pairs) - _FIRST_STEPS - _LAST_STEPS)
    shown = pairs[:_FIRST_STEPS] + pairs[_FIRST_STEPS + left_out :]
    rows = []
    for at, (above, below) in enumerate(shown):
        step = heap.path_step(above, below)
        site = None
        if step.frame is not None:
            thread = heap.thread_of_frame[below].name
            site = f'thread "{one_line(thread)}": {frame_place(step.frame)}'
        rows.append(
            PathRow(
                by=one_line(step.via), site=site, object=object_row(heap, below),
                left_out=left_out if at == _FIRST_STEPS else 0,
            )
        )  # fmt: skip
    return tuple(rows)
