"""The few elements of long arrays that somebody asks for."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import kernel
from mprof.kernels._intrinsics import integer
from mprof.kernels.cores import on_all_cores

__all__ = ["differences_above", "where_both", "where_flagged"]


@kernel
def _where_both(
    first: NDArray[Any],
    one: int,
    second: NDArray[Any],
    other: int,
    start: int,
    end: int,
    found: NDArray[np.int64],
) -> int:
    """Writes those of a stretch, if there is room for any; returns how many there are."""
    count = integer(0)
    for at in range(start, end):
        if first[at] == one and second[at] == other:
            if found.size > 0:
                found[count] = at
            count += 1
    return count


def where_both(
    first: NDArray[Any], one: int, second: NDArray[Any], other: int
) -> NDArray[np.int64]:
    """Where two arrays have these two values, ascending.

    On all cores, time linear; memory 8 bytes for each that is found, where numpy takes 3 passes and
    as many bytes for each element.

    Args:
        first: integers.
        one: what is looked for there.
        second: integers, as many.
        other: what is looked for there.
    """
    return _found(
        lambda start, end, room: _where_both(first, one, second, other, start, end, room),
        first.size,
    )


@kernel
def _where_flagged(
    flags: NDArray[np.bool_],
    numbers: NDArray[np.int32],
    start: int,
    end: int,
    found: NDArray[np.int64],
) -> int:
    """Writes those of a stretch, if there is room for any; returns how many there are."""
    count = integer(0)
    for at in range(start, end):
        if numbers[at] >= 0 and flags[numbers[at]]:
            if found.size > 0:
                found[count] = at
            count += 1
    return count


def where_flagged(flags: NDArray[np.bool_], numbers: NDArray[np.int32]) -> NDArray[np.int64]:
    """Where the number is one that is flagged, ascending; negative numbers are not.

    Args:
        flags: bool, by number.
        numbers: int32.
    """
    return _found(
        lambda start, end, room: _where_flagged(flags, numbers, start, end, room), numbers.size
    )


@kernel
def _differences_above(
    sums: NDArray[np.int64], least: int, start: int, end: int, found: NDArray[np.int64]
) -> int:
    """Writes those of a stretch, if there is room for any; returns how many there are."""
    count = integer(0)
    for at in range(start, end):
        difference = sums[at + 1] - sums[at]
        if difference > least:
            if found.size > 0:
                found[count] = difference
            count += 1
    return count


def differences_above(sums: NDArray[np.int64], least: int) -> NDArray[np.int64]:
    """The differences between neighbours that are larger than ``least``, in order.

    Args:
        sums: int64.
        least: what they are larger than.
    """
    return _found(
        lambda start, end, room: _differences_above(sums, least, start, end, room), sums.size - 1
    )


def _found(find: Callable[[int, int, NDArray[np.int64]], int], size: int) -> NDArray[np.int64]:
    """What is found on all cores: counted first, where there is no room, and then written."""
    counts: dict[int, int] = {}

    def count(start: int, end: int) -> None:
        counts[start] = find(start, end, np.empty(0, np.int64))

    on_all_cores(count, size)
    starts = sorted(counts)
    places = list(accumulate((counts[start] for start in starts), initial=0))
    found = np.empty(places[-1], np.int64)
    begins = dict(zip(starts, places, strict=False))

    def write(start: int, end: int) -> None:
        if counts[start]:
            find(start, end, found[begins[start] : begins[start] + counts[start]])

    on_all_cores(write, size)
    return found
