"""All references of a heap at once, from each node: for passes that follow them over and over."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.heap._outgoing import copy_rows, count_targets, number_targets, starts_of
from mprof.heap.storage import Storage
from mprof.kernels.cores import fill, on_all_cores
from mprof.kernels.spare import Spare

__all__ = ["Outgoing", "outgoing_by_node", "rows_in_order", "starts_in_order"]


class Outgoing(NamedTuple):
    """References between objects; those of frames and of threads to frames are not among them.

    Rows as :mod:`mprof.kernels.depth_first` takes them; each target stands once in a row, unless
    others stand between. Weak and phantom references are left out.

    Attributes:
        starts: int32 or int64 by node: where its row begins in ``targets``, 0 for an empty one.
        targets: int32, the rows: nodes; the last one of a row is stored as its complement. What
            belongs to no row means nothing.
    """

    starts: NDArray[Any]
    targets: NDArray[np.int32]

    def anywhere(self, storage: Storage) -> Outgoing:
        """The same rows for a search, which reads them here and there."""
        return Outgoing(storage.read_anywhere(self.starts), storage.read_anywhere(self.targets))


def outgoing_by_node(
    slots: NDArray[Any],
    edges: NDArray[np.int32],
    nodes: NDArray[np.int32],
    count: int,
    spare: Spare,
) -> Outgoing:
    """Makes rows by node of the rows by vertex that the analysis searched; ``edges`` is changed.

    The rows stay where they are, in the order of the dump. Time linear in references, on all
    cores; memory 4 or 8 bytes a node.

    Args:
        slots: int32 or int64 by vertex, where its row begins in ``edges``, 0 for an empty one.
        edges: int32, the rows: vertices.
        nodes: int32 by vertex, -1 if it was not reached.
        count: how many nodes there are.
        spare: where memory is taken from; takes over that of ``slots``.
    """
    starts = spare.take(count, slots.dtype)
    on_all_cores(
        lambda first, last: number_targets(slots, edges, nodes, starts, first, last), slots.size
    )
    spare.give(slots)
    return Outgoing(starts, edges)


def starts_in_order(
    slots: NDArray[Any],
    edges: NDArray[np.int32],
    nodes: NDArray[np.int32],
    count: int,
    storage: Storage,
) -> tuple[NDArray[Any], int]:
    """As :func:`outgoing_by_node`, for rows that :func:`rows_in_order` will put in order.

    What a search reads together lies together then: for columns that do not fit into memory.

    Returns:
        Where the row of each node is to begin, 0 for an empty one; and where the rows end.
    """
    starts = storage.empty(count, slots.dtype)
    end = 1  # position 0 belongs to no row

    def write(rooms: list[NDArray[Any]], begin: int) -> None:
        nonlocal end
        lengths = rooms[0]
        fill(lengths, 0)
        on_all_cores(
            lambda first, last: count_targets(
                slots, edges, nodes, lengths, begin, int(begin == 0), first, last
            ),
            slots.size,
        )
        end = starts_of(lengths, end)

    storage.in_parts([starts], write)
    return starts, end


def rows_in_order(
    slots: NDArray[Any],
    edges: NDArray[np.int32],
    nodes: NDArray[np.int32],
    starts: NDArray[Any],
    end: int,
    storage: Storage,
) -> Outgoing:
    """Copies all rows into the order of nodes, those of some nodes after those of others.

    Args:
        slots: as of :func:`outgoing_by_node`.
        edges: int32, the rows, of nodes already.
        nodes: as of :func:`outgoing_by_node`.
        starts: of :func:`starts_in_order`.
        end: of the same.
        storage: where the columns lie.
    """
    targets = storage.empty(end, np.int32)
    targets[0] = 0
    bytes_each = starts.itemsize + -(-end * targets.itemsize // max(1, starts.size))

    def copy(begin: int, behind: int) -> None:
        low, high = _first_start(starts, begin, end), _first_start(starts, behind, end)
        own_starts = storage.scattered(behind - begin, starts.dtype)
        own_targets = storage.scattered(high - low, np.int32)
        np.copyto(own_starts, starts[begin:behind])
        on_all_cores(
            lambda first, last: copy_rows(
                slots, edges, nodes, own_starts, begin, own_targets, low, first, last
            ),
            slots.size,
        )
        np.copyto(targets[low:high], own_targets)

    for begin, behind in storage.parts(starts.size, bytes_each):
        copy(begin, behind)
    return Outgoing(starts, targets)


_AT_ONCE = 1 << 16


def _first_start(starts: NDArray[Any], node: int, total: int) -> int:
    """Where the first row of a node, or of one behind it, begins."""
    for first in range(node, starts.size, _AT_ONCE):
        found = starts[first : first + _AT_ONCE]
        found = found[found > 0]
        if found.size:
            return int(found[0])
    return total
