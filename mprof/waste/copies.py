"""Equal content that is there more than once: Strings, primitive arrays, boxed values."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.heap.columns import HeapColumns
from mprof.hprof import scan
from mprof.hprof.format import (
    TYPE_BOOLEAN,
    TYPE_BYTE,
    TYPE_CHAR,
    TYPE_DOUBLE,
    TYPE_FLOAT,
    TYPE_INT,
    TYPE_LONG,
    TYPE_SHORT,
)
from mprof.hprof.scan.records import WIDTHS
from mprof.waste.origins import Origins
from mprof.waste.wasted import BoxRow, CopyRow, TextRow

__all__ = ["boxed_values", "equal_arrays", "equal_strings"]

_BOXES: Final = {
    "java.lang.Boolean": TYPE_BOOLEAN,
    "java.lang.Byte": TYPE_BYTE,
    "java.lang.Character": TYPE_CHAR,
    "java.lang.Short": TYPE_SHORT,
    "java.lang.Integer": TYPE_INT,
    "java.lang.Long": TYPE_LONG,
    "java.lang.Float": TYPE_FLOAT,
    "java.lang.Double": TYPE_DOUBLE,
}
_CACHED: Final = {TYPE_BYTE, TYPE_SHORT, TYPE_INT, TYPE_LONG, TYPE_CHAR, TYPE_BOOLEAN}
_SHOWN: Final = 60  # characters of a text
_SEEDS: Final = (1, 2)


class _Groups(NamedTuple):
    """Rows in groups of equal keys.

    Attributes:
        order: int64, rows, group after group, in each the lowest row first.
        firsts: int64, where in ``order`` each group begins.
    """

    order: NDArray[np.int64]
    firsts: NDArray[np.int64]

    def is_first(self) -> NDArray[np.bool_]:
        """By place in ``order``: whether a group begins there."""
        flags = np.zeros(self.order.size, bool)
        flags[self.firsts] = True
        return flags


def _grouped(*keys: NDArray[np.int64]) -> _Groups:
    order = np.lexsort(keys[::-1])
    if not order.size:
        return _Groups(order, np.empty(0, np.int64))
    changes = np.zeros(order.size, bool)
    changes[0] = True
    for key in keys:
        in_order = key[order]
        changes[1:] |= in_order[1:] != in_order[:-1]
    return _Groups(order.astype(np.int64), np.flatnonzero(changes))


def _contents(
    columns: HeapColumns, arrays: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Kind and size of the content of primitive arrays, and two words for it, as keys."""
    heads = columns.heads(arrays)
    kinds = columns.elements(arrays, heads).astype(np.int64)
    sizes = heads.lengths * WIDTHS[kinds]
    one, two = (columns.hashes(heads.data, sizes, seed=seed) for seed in _SEEDS)
    return sizes * 16 + kinds, one, two


def equal_strings(
    columns: HeapColumns, origins: Origins, *, limit: int
) -> tuple[CopyRow | None, tuple[TextRow, ...]]:
    """Strings of equal text, as `mprof.heap.strings.duplicate_strings` counts them.

    Two texts are taken for equal where size, coding and two words of 64 bits of them are. Time n
    log n in Strings; memory 150 bytes a String.
    """
    nodes = columns.of_classes(columns.string_numbers)
    _, arrays = columns.text_arrays(columns.heads(nodes), columns.numbers(nodes))
    is_text = arrays > 0
    is_text[is_text] = columns.heads(arrays[is_text]).tags == scan.PRIMITIVE_ARRAY
    nodes, arrays = nodes[is_text], arrays[is_text]
    if not nodes.size:
        return None, ()
    sizes = columns.shallow(nodes)
    _, firsts = np.unique(arrays, return_index=True)
    sizes[firsts] += columns.shallow(arrays[firsts])
    groups = _grouped(*_contents(columns, arrays))
    ordered = sizes[groups.order]
    ordered[groups.firsts] = 0
    ends = np.append(groups.firsts[1:], groups.order.size)
    copies = ends - groups.firsts - 1
    saved = np.add.reduceat(ordered, groups.firsts)
    repeated = np.flatnonzero(copies > 0)
    first_nodes = nodes[groups.order[groups.firsts]]
    worst = repeated[np.lexsort((first_nodes[repeated], -saved[repeated]))][:limit]
    texts = tuple(
        TextRow(
            text=(columns.heap.string(int(first_nodes[group])) or "")[:_SHOWN],
            copies=int(copies[group]),
            saved_bytes=int(saved[group]),
        )
        for group in worst.tolist()
    )
    is_copy = ~groups.is_first()
    copied = nodes[groups.order[is_copy]]
    row = CopyRow(
        class_name="java.lang.String",
        copies=int(copies.sum()),
        distinct=int(repeated.size),
        saved_bytes=int(saved[repeated].sum()),
        origins=origins.of(copied, ordered[is_copy]),
    )
    return row, texts


def equal_arrays(
    columns: HeapColumns, origins: Origins, zeros: NDArray[np.int64]
) -> tuple[CopyRow, ...]:
    """Equal primitive arrays by class, without empty ones, those of Strings, and given ones.

    Args:
        columns: of the heap.
        origins: of its objects.
        zeros: int64, nodes of arrays that are left out.
    """
    numbers = np.unique(columns.classes.numbering.primitive)
    nodes = columns.of_classes(numbers[numbers >= 0].tolist())
    left_out = np.zeros(columns.nodes, bool)
    left_out[zeros] = True
    strings = columns.of_classes(columns.string_numbers)
    _, texts = columns.text_arrays(columns.heads(strings), columns.numbers(strings))
    left_out[np.maximum(texts, 0)] = True
    nodes = nodes[~left_out[nodes]]
    heads = columns.heads(nodes)
    nodes = nodes[(heads.lengths > 0) & (heads.tags == scan.PRIMITIVE_ARRAY)]
    groups = _grouped(*_contents(columns, nodes))
    is_copy = ~groups.is_first()
    group_of = np.cumsum(~is_copy)[is_copy]
    copied = nodes[groups.order[is_copy]]
    saved, of_class = columns.shallow(copied), columns.numbers(copied)
    rows = []
    for number in np.unique(of_class).tolist():
        own = of_class == number
        rows.append(
            CopyRow(
                class_name=columns.classes.names[number],
                copies=int(own.sum()),
                distinct=int(np.unique(group_of[own]).size),
                saved_bytes=int(saved[own].sum()),
                origins=origins.of(copied[own], saved[own]),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-row.saved_bytes, row.class_name)))


def boxed_values(columns: HeapColumns, origins: Origins) -> tuple[BoxRow, ...]:
    """Boxed values by class."""
    rows = []
    for name, kind in _BOXES.items():
        nodes = columns.of_classes(list(columns.classes.by_name.get(name, ())))
        offsets = columns.offsets("value", owner=name, kind=kind)
        heads, numbers = columns.heads(nodes), columns.numbers(nodes)
        values, known = columns.values(heads, numbers, offsets, kind)
        nodes, values = nodes[known], values[known]
        if not nodes.size:
            continue
        words = values.view(f"i{values.dtype.itemsize}").astype(np.int64)
        groups = _grouped(words)
        copied = nodes[groups.order[~groups.is_first()]]
        saved = columns.shallow(copied)
        small = (values <= 127) & ((values >= -128) if kind != TYPE_CHAR else True)  # type: ignore[operator]
        if kind == TYPE_BOOLEAN:
            small = np.ones(nodes.size, bool)
        rows.append(
            BoxRow(
                class_name=name,
                objects=int(nodes.size),
                shallow_bytes=int(columns.shallow(nodes).sum()),
                distinct=int(groups.firsts.size),
                cached=int(small.sum()) if kind in _CACHED else 0,
                saved_bytes=int(saved.sum()),
                origins=origins.of(copied, saved),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-row.saved_bytes, -row.objects, row.class_name)))
