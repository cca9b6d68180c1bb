"""Memory that is handed on is the smallest that fits, and nothing gets it twice."""

from __future__ import annotations

import numpy as np
import pytest

from mprof.kernels.cores import copy, fill
from mprof.kernels.spare import Spare


def test_the_smallest_memory_that_fits_is_taken_and_only_once() -> None:
    large, small = np.zeros((49, 2), np.int64), np.zeros(100, np.int32)
    spare = Spare()
    spare.give(large, small)
    first, second = spare.take(99, np.int32), spare.take(99, np.int32)
    third = spare.take(99, np.int32)
    assert [99] * 3 == [array.size for array in (first, second, third)]
    assert (True, False) == (np.shares_memory(first, small), np.shares_memory(first, large))
    assert (False, True) == (np.shares_memory(second, small), np.shares_memory(second, large))
    assert not np.shares_memory(third, first)
    assert not np.shares_memory(third, second)


def test_memory_of_twice_the_size_is_left_for_what_needs_it() -> None:
    spare = Spare()
    pairs = np.zeros((50, 2), np.int32)
    spare.give(pairs)
    assert not np.shares_memory(spare.take(50, np.int32), pairs)
    assert np.shares_memory(spare.take(50, np.int64), pairs)


def test_what_is_too_large_for_all_memory_gets_new() -> None:
    spare = Spare()
    given = np.zeros(10, np.int32)
    spare.give(given)
    taken = spare.take(6, np.int64)
    assert (6, np.int64) == (taken.size, taken.dtype)
    assert not np.shares_memory(taken, given)


@pytest.mark.parametrize("count", [0, 1, 1000, 200_001])
def test_arrays_are_filled_and_copied_whole(count: int) -> None:
    array = np.arange(count, dtype=np.int32)
    copied = copy(array)
    assert array.tolist() == copied.tolist()
    fill(array, -7)
    assert [-7] * count == array.tolist()
    assert list(range(count)) == copied.tolist()
