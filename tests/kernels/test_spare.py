"""Memory that is handed on is the smallest that fits, and nothing gets it twice."""

from __future__ import annotations

import numpy as np
import pytest

from mprof.kernels.cores import fill
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


def test_what_is_left_of_a_block_is_for_others_and_neighbours_become_one_block_again() -> None:
    spare = Spare()
    block = np.zeros(3 * 64, np.uint8)
    spare.give(block)
    first, second, third = (spare.take(5, np.int64) for _ in range(3))
    assert all(np.shares_memory(each, block) for each in (first, second, third))
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(spare.take(64, np.uint8), block)

    spare.give(third, first)
    assert not np.shares_memory(spare.take(65, np.uint8), block)
    spare.give(second)
    assert np.shares_memory(spare.take(2 * 64 + 40, np.uint8), block)


def test_blocks_that_happen_to_be_neighbours_stay_apart() -> None:
    whole = np.zeros(256, np.uint8)
    halves = [np.frombuffer(memoryview(whole)[at : at + 128], np.uint8) for at in (0, 128)]
    spare = Spare()
    spare.give(*halves)
    assert not np.shares_memory(spare.take(256, np.uint8), whole)
    assert np.shares_memory(spare.take(128, np.uint8), whole)


def test_what_is_too_large_for_all_memory_gets_new() -> None:
    spare = Spare()
    given = np.zeros(10, np.int32)
    spare.give(given)
    taken = spare.take(6, np.int64)
    assert (6, np.int64) == (taken.size, taken.dtype)
    assert not np.shares_memory(taken, given)


@pytest.mark.parametrize("count", [0, 1, 1000, 200_001])
def test_arrays_are_filled_whole(count: int) -> None:
    array = np.arange(count, dtype=np.int32)
    fill(array, -7)
    assert [-7] * count == array.tolist()
