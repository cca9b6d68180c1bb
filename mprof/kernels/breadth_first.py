"""Shortest paths from a list of starting vertices, by a search that goes only as far as is asked.

The graph is that of :mod:`mprof.kernels.depth_first`: a row of targets for each vertex, the last
one stored as its complement; ``starts`` says where each row begins, 0 for an empty one.

Of each vertex that is met the queue says which one led to it, and a bit that it was met: so a
search that ends soon has touched little memory, and one that is resumed goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mprof.kernels._compile import inlined, kernel
from mprof.kernels._intrinsics import integer, prefetch

__all__ = ["BreadthFirst", "bits_of"]

_FAR, _NEAR = 32, 16  # places in the queue: the start is prefetched, then the row, then its targets


@inlined
def _has(bits: NDArray[np.uint64], vertex: int) -> bool:
    return bool((bits[vertex >> 6] >> np.uint64(vertex & 63)) & np.uint64(1) != np.uint64(0))


@kernel
def _set(bits: NDArray[np.uint64], vertices: NDArray[np.int64]) -> None:
    for vertex in vertices:
        bits[vertex >> 6] |= np.uint64(1) << np.uint64(vertex & 63)


@kernel
def _follow(
    starts: NDArray[Any],
    targets: NDArray[np.int32],
    seen: NDArray[np.uint64],
    wanted: NDArray[np.uint64],
    queue: NDArray[np.int32],
    before: NDArray[np.int32],
    done: int,
    found: int,
    left: int,
) -> tuple[int, int, int]:
    """Follows the queue from place ``done`` on, until all wanted vertices are met or to its end.

    Returns:
        How many in the queue are done, how many are in it, and how many wanted ones are left.
    """
    while done < found and left > 0:
        if done + _FAR < found:
            prefetch(starts, queue[done + _FAR])
        if done + _NEAR < found:
            start = integer(starts[queue[done + _NEAR]])
            if start > 0:
                prefetch(targets, start)
        if done + _NEAR // 2 < found:
            start = integer(starts[queue[done + _NEAR // 2]])
            if start > 0:
                for ahead in range(start, start + 4):
                    target = integer(targets[ahead])
                    prefetch(seen, max(target, ~target) >> 6)
                    if target < 0:
                        break
        at = integer(starts[queue[done]])
        while at > 0:
            target = integer(targets[at])
            at += 1
            if target < 0:
                target = ~target
                at = integer(0)
            if not _has(seen, target):
                seen[target >> 6] |= np.uint64(1) << np.uint64(target & 63)
                queue[found] = target
                before[found] = done
                found += 1
                left -= integer(_has(wanted, target))
        done += 1
    return done, found, left


@kernel
def _places(
    queue: NDArray[np.int32], count: int, wanted: NDArray[np.uint64], places: NDArray[np.int64]
) -> int:
    """Where the wanted vertices stand in the queue; returns how many do."""
    known = integer(0)
    for place in range(count):
        if _has(wanted, integer(queue[place])):
            places[known] = place
            known += 1
    return known


def bits_of(flags: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """A bit for each vertex, 64 in a word."""
    words = np.zeros(flags.size // 64 + 1, np.uint64)
    packed = np.packbits(flags, bitorder="little")
    words.view(np.uint8)[: packed.size] = packed
    return words


class BreadthFirst:
    """A search of shortest paths that is resumed whenever further vertices are asked for.

    Time linear in the edges of what is met; memory 2 bits a vertex, and 8 bytes for each that is
    met. Largest input tried: 25 million vertices.

    Args:
        starts: int32 or int64, one per vertex.
        targets: int32, the rows; position 0 belongs to no row.
        seen: of :func:`bits_of`: vertices that no path leads through; changed. None for none.
        empty: where memory is taken from, as of ``numpy.empty``.
    """

    def __init__(
        self,
        starts: NDArray[Any],
        targets: NDArray[np.int32],
        seen: NDArray[np.uint64] | None = None,
        empty: Callable[[int, DTypeLike], NDArray[Any]] = np.empty,
    ) -> None:
        self._starts, self._targets = starts, targets
        words = starts.size // 64 + 1
        self._seen = np.zeros(words, np.uint64) if seen is None else seen
        self._wanted = np.zeros(words, np.uint64)
        self._queue, self._before = empty(starts.size, np.int32), empty(starts.size, np.int32)
        self._done = self._found = 0

    def begin(self, vertices: Sequence[int], before: Sequence[int]) -> None:
        """Puts vertices into the queue, each with the one before it on its path.

        Args:
            vertices: in order of precedence; what was met before is left as it is.
            before: one of ``vertices`` each; -1, or any other one, for none.
        """
        new: dict[int, int] = {}
        for vertex, above in zip(vertices, before, strict=True):
            if not self._is_seen(vertex):
                new.setdefault(vertex, above)
        places = dict(zip(new, range(self._found, self._found + len(new)), strict=True))
        added = slice(self._found, self._found + len(new))
        self._queue[added] = list(new)
        self._before[added] = [places.get(above, -1) for above in new.values()]
        self._found = added.stop
        _set(self._seen, np.array(list(new), np.int64))

    def _is_seen(self, vertex: int) -> bool:
        return bool((int(self._seen[vertex >> 6]) >> (vertex & 63)) & 1)

    def search(self, vertices: Sequence[int]) -> bool:
        """Searches until all of these are met that are not closed; returns whether they are."""
        left = {vertex for vertex in vertices if not self._is_seen(vertex)}
        _set(self._wanted, np.array(list(left), np.int64))
        missed = self._follow(len(left))
        self._wanted[[vertex >> 6 for vertex in left]] = 0
        return missed == 0

    def search_all(self) -> None:
        """Searches all that can be met."""
        self._follow(1)  # nothing is wanted, so this one is never met

    def _follow(self, left: int) -> int:
        self._done, self._found, left = _follow(
            self._starts, self._targets, self._seen, self._wanted, self._queue, self._before,
            self._done, self._found, left,
        )  # fmt: skip
        return left

    def lines(self, vertices: Sequence[int]) -> list[list[int]]:
        """The vertices of a shortest path to each, its own last; empty if it was not met."""
        asked = np.unique(np.array(vertices, np.int64))
        _set(self._wanted, asked)
        places = np.empty(asked.size, np.int64)
        known = _places(self._queue, self._found, self._wanted, places)
        self._wanted[asked >> 6] = 0
        place_of = dict(zip(self._queue[places[:known]].tolist(), places.tolist(), strict=False))
        return [self._line(place_of.get(vertex, -1)) for vertex in vertices]

    def _line(self, place: int) -> list[int]:
        line = []
        while place >= 0:
            line.append(int(self._queue[place]))
            place = int(self._before[place])
        return line[::-1]
