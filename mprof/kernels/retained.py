"""The dominator tree flattened: what a vertex retains is a slice.

Vertices are renumbered in preorder of the dominator tree. The vertices that v dominates then are
``v .. v + sizes[v]``, its dominator is smaller than v, and its retained size is a difference of
two prefix sums of shallow sizes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import integer
from mprof.kernels.cores import fill, on_all_cores
from mprof.kernels.spare import Spare

__all__ = [
    "children_of",
    "dominators_of",
    "flatten_tree",
    "largest_child",
    "places_in_tree",
    "renumber",
    "retained_by_group",
    "subtree_sizes",
]


@kernel
def _subtree_sizes(dominators: NDArray[np.int32], sizes: NDArray[np.int32]) -> None:
    for vertex in range(dominators.size - 1, 0, -1):
        sizes[dominators[vertex]] += sizes[vertex]


@kernel
def _places(
    dominators: NDArray[np.int32],
    sizes: NDArray[np.int32],
    weights: NDArray[np.int32],
    places: NDArray[np.int32],
    following: NDArray[np.int32],
) -> None:
    places[0] = 0
    following[0] = weights[0]
    for vertex in range(1, dominators.size):
        above = dominators[vertex]
        place = following[above]
        following[above] = place + sizes[vertex]
        places[vertex] = place
        following[vertex] = place + weights[vertex]


@kernel
def _renumber(
    sizes: NDArray[np.int32],
    places: NDArray[np.int32],
    flat_sizes: NDArray[np.int32],
    first: int,
    start: int,
    end: int,
) -> None:
    for vertex in range(start, end):
        place = places[vertex] - first
        if 0 <= place < flat_sizes.size:
            flat_sizes[place] = sizes[vertex]


def subtree_sizes(
    dominators: NDArray[np.int32], weights: NDArray[np.int32], spare: Spare
) -> NDArray[np.int32]:
    """How many vertices each dominates, itself included, each counted with its weight."""
    sizes = spare.scattered(dominators.size, np.int32)
    on_all_cores(lambda start, end: np.copyto(sizes[start:end], weights[start:end]), sizes.size)
    _subtree_sizes(dominators, sizes)
    return sizes


def places_in_tree(
    dominators: NDArray[np.int32],
    sizes: NDArray[np.int32],
    weights: NDArray[np.int32],
    spare: Spare,
) -> NDArray[np.int32]:
    """The number of each vertex in preorder of the tree, where each takes ``weights`` numbers."""
    places = spare.scattered(dominators.size, np.int32)
    following = spare.scattered(dominators.size, np.int32)
    _places(dominators, sizes, weights, places, following)
    spare.give(following)
    return places


def renumber(
    sizes: NDArray[np.int32],
    places: NDArray[np.int32],
    flat_sizes: NDArray[np.int32],
    first: int = 0,
) -> None:
    """Writes sizes to their places, as far as these lie in a stretch that begins at ``first``."""
    on_all_cores(
        lambda start, end: _renumber(sizes, places, flat_sizes, first, start, end), sizes.size
    )


def flatten_tree(
    dominators: NDArray[np.int32],
    spare: Spare | None = None,
    weights: NDArray[np.int32] | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Renumbers vertices in preorder of their dominator tree.

    Time linear; memory 16 bytes a vertex besides the arguments, 4 of which stay, and 4 for each
    new number, which stay as well.
    Largest input tried: 73 million new numbers.

    Args:
        dominators: int32, ``dominators[v] < v``, the root being 0.
        spare: where memory is taken from and given back to.
        weights: int32, how many new numbers each vertex takes: its own, and right behind it those
            of others that only it dominates, which the caller fills in. One each without them.

    Returns:
        The new number of each old one, and by new number the number of vertices it dominates,
        itself included; see :func:`dominators_of`.
    """
    spare = spare or Spare()
    count = dominators.size
    if weights is None:
        weights = spare.take(count, np.int32)
        fill(weights, 1)
    sizes = subtree_sizes(dominators, weights, spare)
    flat_sizes = spare.take(int(sizes[0]), np.int32)
    # behind what stays: then what is free is in one piece
    places = places_in_tree(dominators, sizes, weights, spare)
    renumber(sizes, places, flat_sizes)
    spare.give(weights, sizes)
    return places, flat_sizes


@kernel
def _dominators_of(sizes: NDArray[np.int32], dominators: NDArray[np.int32]) -> None:
    dominators[0] = 0
    above = integer(0)
    for vertex in range(1, sizes.size):
        while vertex >= above + sizes[above]:
            above = integer(dominators[above])
        dominators[vertex] = above
        above = integer(vertex)


def dominators_of(sizes: NDArray[np.int32]) -> NDArray[np.int32]:
    """The immediate dominator of each vertex of a flat tree, 0 of the root.

    Time linear, memory 4 bytes a vertex.

    Args:
        sizes: int32, vertices dominated by each, itself included.
    """
    dominators = np.empty(sizes.size, np.int32)
    _dominators_of(sizes, dominators)
    return dominators


@kernel
def _children_of(sizes: NDArray[np.int32], vertex: int, children: NDArray[np.int64]) -> int:
    """Writes the children of a vertex, if there is room for any; returns how many there are."""
    count = integer(0)
    child = vertex + 1
    end = vertex + integer(sizes[vertex])
    while child < end:
        if children.size > 0:
            children[count] = child
        count += 1
        child += integer(sizes[child])
    return count


def children_of(sizes: NDArray[np.int32], vertex: int) -> NDArray[np.int64]:
    """The vertices whose immediate dominator a vertex is, ascending; time linear in their number.

    Args:
        sizes: int32, vertices dominated by each, itself included.
        vertex: the vertex.
    """
    children = np.empty(0, np.int64)
    children = np.empty(_children_of(sizes, vertex, children), np.int64)
    if children.size:
        _children_of(sizes, vertex, children)
    return children


@kernel
def largest_child(sizes: NDArray[np.int32], prefix: NDArray[np.int64], vertex: int) -> int:
    """Of these the one that retains most, the first of several; 0 if there is none.

    Args:
        sizes: int32, vertices dominated by each, itself included.
        prefix: int64, one longer, sums of shallow sizes before each vertex.
        vertex: the vertex.
    """
    largest = integer(0)
    most = integer(-1)
    child = vertex + 1
    end = vertex + integer(sizes[vertex])
    while child < end:
        following = child + integer(sizes[child])
        retained = integer(prefix[following] - prefix[child])
        if retained > most:
            most = retained
            largest = integer(child)
        child = following
    return largest


@kernel
def _retained_by_group(
    groups: NDArray[np.int32],
    sizes: NDArray[np.int32],
    prefix: NDArray[np.int64],
    far_prefix: NDArray[np.int64],
    members: NDArray[np.int64],
    shallow: NDArray[np.int64],
    retained: NDArray[np.int64],
    covered: NDArray[np.int64],
) -> None:
    for vertex in range(groups.size):
        group = groups[vertex]
        if group < 0:
            continue
        members[group] += 1
        shallow[group] += prefix[vertex + 1] - prefix[vertex]
        if vertex >= covered[group]:
            covered[group] = vertex + sizes[vertex]
            retained[group] += far_prefix[vertex + sizes[vertex]] - prefix[vertex]


def retained_by_group(
    groups: NDArray[np.int32],
    sizes: NDArray[np.int32],
    prefix: NDArray[np.int64],
    group_count: int,
    far_prefix: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Members, shallow size and retained size of each group.

    A group retains what its members retain that no other member dominates.

    Args:
        groups: int32, the group of each vertex in preorder of the dominator tree, -1 for none.
        sizes: int32, vertices dominated by each, itself included.
        prefix: int64, one longer, sums of shallow sizes before each vertex.
        group_count: number of groups.
        far_prefix: the same as ``prefix``, to be read here and there.

    Returns:
        int64 per group: members, shallow bytes, retained bytes.
    """
    members, shallow, retained, covered = np.zeros((4, group_count), np.int64)
    far_prefix = prefix if far_prefix is None else far_prefix
    _retained_by_group(groups, sizes, prefix, far_prefix, members, shallow, retained, covered)
    return members, shallow, retained
