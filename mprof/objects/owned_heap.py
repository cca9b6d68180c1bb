"""A heap of which it is known who owns what: how much of a holder its objects reach and keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mprof.engines import ClassKind, stable_name
from mprof.heap import Heap
from mprof.kernels.breadth_first import BreadthFirst, bits_of
from mprof.kernels.claim import BLOCKED, reached_sizes
from mprof.objects.columns import Columns
from mprof.objects.contents import MOST_FEW, few_in
from mprof.objects.operators import Operators
from mprof.objects.ownership import Label, Ownership
from mprof.objects.thresholds import LEADS_ON
from mprof.objects.words import is_proxy

__all__ = ["MOST_LEVELS", "OwnedHeap"]

MOST_LEVELS = 32  # of the dominator tree, on the way to a container
_AT_ONCE = 1 << 20  # nodes


@dataclass(frozen=True, slots=True, eq=False)
class OwnedHeap:
    """What is asked about a holder, beside its label.

    Attributes:
        heap: the heap.
        columns: all of its nodes.
        ownership: who owns them.
        kind: whose a class is.
        operators: of a script or query in it.
        through_few: a container of a few objects, of which one has most of it, is passed: the
            container is the one inside.
    """

    heap: Heap
    columns: Columns
    ownership: Ownership
    kind: Callable[[str], ClassKind]
    operators: Operators
    through_few: bool

    def class_of(self, node: int) -> str:
        """The name of its class, the same in every run."""
        return stable_name(self.heap.class_name(node))

    def bytes_of(self, label: Label) -> int:
        """Bytes of a holder."""
        return int(self.ownership.bytes[label.number])

    def most_of(self, label: Label) -> float:
        """Bytes that are most of a holder."""
        return LEADS_ON.value * self.bytes_of(label)

    def is_of(self, node: int, label: Label) -> bool:
        """Whether a node is a holder's."""
        return bool(self.ownership.owners[node] == label.number)

    def is_plain_library_object(self, node: int) -> bool:
        """Whether it is an object of the JDK or of a library, and no container."""
        name = self.heap.class_name(node)
        theirs = self.kind(name) == "neutral" or is_proxy(name)
        return theirs and self.heap.container(node) is None

    def few_in(self, node: int) -> list[tuple[str, int]]:
        """What stands in a container of a few objects; empty of one of more."""
        return few_in(self.heap, node, through_all=self.through_few)

    def reached(
        self, nodes: list[int], label: Label, *, without: tuple[int, ...] = ()
    ) -> NDArray[np.int64]:
        """Bytes of the holder that each node reaches, no way leading through some others."""
        wanted = np.zeros(len(self.ownership.labels), np.bool_)
        wanted[label.number] = True
        owners, closed = self.ownership.owners, list(without)
        before = owners[closed].copy()
        owners[closed] = BLOCKED
        sizes = self._reached_in_order(nodes, wanted)
        if 2 < len(nodes) <= MOST_FEW and sizes.max() < self.most_of(label) <= sizes.sum():
            # No more than what those before left: one may reach what several others share.
            sizes = np.concatenate([self._reached_in_order([each], wanted) for each in nodes])
        owners[closed] = before
        return sizes

    def _reached_in_order(self, nodes: list[int], wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Bytes of wanted owners that each node reaches and none before it."""
        return reached_sizes(
            *self.columns.outgoing,
            prefix=self.columns.prefix,
            owners=self.ownership.owners,
            wanted=wanted,
            sources=np.array(nodes, np.int64),
        )

    def kept(self, node: int, label: Label) -> int:
        """Bytes of a holder that a node keeps alive."""
        prefix, owners, total = self.columns.prefix, self.ownership.owners, 0
        end = node + self.heap.subtree(node)
        for start in range(node, end, _AT_ONCE):
            stop = min(start + _AT_ONCE, end)
            sizes = np.diff(prefix[start : stop + 1])
            total += int(sizes[owners[start:stop] == label.number].sum())
        return total

    def shortest(self, first: int, last: int, label: Label) -> list[int]:
        """The nodes of a shortest way through what a holder holds; empty where there is none."""
        closed = self.ownership.owners != label.number
        closed[first] = False
        search = BreadthFirst(*self.columns.outgoing, bits_of(closed), self.heap.storage.scattered)
        search.begin([first], [-1])
        search.search([last])
        return search.lines([last])[0]
