"""What sets of objects reach that have much in common, as locals of neighbouring frames do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from mprof.heap.outgoing import Outgoing
from mprof.kernels.claim import reached_sizes

__all__ = ["reached_by_each"]


def reached_by_each(
    outgoing: Outgoing,
    *,
    prefix: NDArray[np.int64],
    owners: NDArray[np.int32],
    wanted: NDArray[np.bool_],
    sets: Iterable[frozenset[int]],
) -> Mapping[frozenset[int], int]:
    """What each set of nodes reaches over objects of wanted owners, in bytes.

    What neighbours in the order of ``sets`` have in common is followed once for all of them: a
    frame hands the container that it fills to the next one, and that again.

    Args:
        outgoing: the references of each node.
        prefix: int64, one longer than the nodes: bytes of all nodes before each one.
        owners: int32, the owner of each node, negative where it has none.
        wanted: bool, by owner.
        sets: of nodes of wanted owners.
    """

    def further(nodes: frozenset[int], seen: NDArray[np.bool_]) -> int:
        sources = np.array(sorted(nodes), np.int64)
        sizes = reached_sizes(
            *outgoing, prefix=prefix, owners=owners, wanted=wanted, sources=sources, seen=seen
        )
        return int(sizes.sum())

    reached = {frozenset[int](): 0}
    for common, neighbours in _neighbours(sets):
        unknown = neighbours - reached.keys()
        if not unknown:
            continue
        seen = np.zeros(owners.size, np.bool_)
        size = further(common, seen)
        for nodes in unknown:
            more = nodes - common
            reached[nodes] = size + (further(more, seen.copy()) if more else 0)
    return reached


def _neighbours(
    sets: Iterable[frozenset[int]],
) -> Iterator[tuple[frozenset[int], set[frozenset[int]]]]:
    """The sets that are not empty, cut where one has nothing in common with all before it.

    Yields:
        What neighbours have in common, and these.
    """
    common, neighbours = frozenset[int](), set[frozenset[int]]()
    for each in filter(None, sets):
        if neighbours and not common & each:
            yield common, neighbours
            common, neighbours = each, {each}
        else:
            common = common & each if neighbours else each
            neighbours.add(each)
    if neighbours:
        yield common, neighbours
