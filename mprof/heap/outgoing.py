"""All references of a heap at once, from each node: for passes that follow them over and over."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mprof.heap._outgoing import number_targets
from mprof.kernels.cores import on_all_cores
from mprof.kernels.spare import Spare

__all__ = ["Outgoing", "outgoing_by_node"]


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
