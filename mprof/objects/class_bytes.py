"""What the classes of a heap take, and how much of that is each holder's.

A class histogram costs a third of a heap dump; it says what each class takes, and not who holds it.
Where the dumps around it say whose the bytes of a class are, it can be read.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from mprof.engines import stable_name
from mprof.heap import Heap
from mprof.kernels.claim import sum_by_owner_and_class
from mprof.objects.columns import Columns
from mprof.objects.heap_objects import ClassBytes
from mprof.objects.ownership import Label, Ownership
from mprof.objects.thresholds import CLASS_OF_A_HOLDER

__all__ = ["HeapClasses"]

_MOST_CLASSES = 100
"""Classes of the whole heap, the largest: as many as the agent writes of a class histogram."""

_MOST_HOLDER_CLASSES = 12
"""Classes of one holder, the largest: a container has its array, its entries, keys and values."""


class HeapClasses:
    """Sums of shallow sizes by class, of the whole heap and of some holders.

    One pass over the nodes; 8 bytes for each pair of a class and a holder.

    Args:
        heap: the heap.
        columns: all of its nodes.
        ownership: who owns them.
        labels: the holders.
    """

    def __init__(
        self, heap: Heap, columns: Columns, ownership: Ownership, labels: Iterable[Label]
    ) -> None:
        self._names = [stable_name(name) for name in heap.class_names()]
        numbers = [label.number for label in labels]
        self._row = {number: row for row, number in enumerate(numbers)}
        rows = np.full(len(ownership.labels), len(numbers), np.int32)  # all others in the last one
        rows[numbers] = np.arange(len(numbers))
        self._table = sum_by_owner_and_class(
            ownership.owners,
            heap.class_numbers(),
            columns.prefix,
            rows=rows,
            shape=(len(numbers) + 1, len(self._names)),
        )

    @property
    def of_heap(self) -> tuple[ClassBytes, ...]:
        """The classes that take most of the heap, largest first."""
        return self._listed(self._table.sum(axis=0), _MOST_CLASSES, 0.0)

    def of(self, label: Label) -> tuple[ClassBytes, ...]:
        """The classes that take most of a holder, largest first."""
        return self._listed(
            self._table[self._row[label.number]], _MOST_HOLDER_CLASSES, CLASS_OF_A_HOLDER.value
        )

    def _listed(
        self, sizes: NDArray[np.int64], most: int, least_share: float
    ) -> tuple[ClassBytes, ...]:
        by_name: dict[str, int] = {}
        for number in np.flatnonzero(sizes).tolist():  # classes of two loaders share a name
            name = self._names[number]
            by_name[name] = by_name.get(name, 0) + int(sizes[number])
        least = least_share * int(sizes.sum())
        ranked = sorted(by_name.items(), key=lambda each: (-each[1], each[0]))
        return tuple(ClassBytes(name, size) for name, size in ranked[:most] if size >= least)
