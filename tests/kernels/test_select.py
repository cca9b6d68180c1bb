from __future__ import annotations

import numpy as np
import pytest
from builders.reference_rows import prefix_of

from mprof.kernels.select import differences_above, where_both, where_flagged

SIZES = [0, 1, 7, 300_000]  # the last one is for several cores


@pytest.mark.parametrize("size", SIZES)
def test_where_both_are_as_asked_is_what_a_list_comprehension_says(size: int) -> None:
    rng = np.random.default_rng(size)
    first = rng.integers(0, 4, size).astype(np.uint8)
    second = rng.integers(-1, 3, size).astype(np.int32)

    found = where_both(first, 2, second, -1)

    pairs = zip(first.tolist(), second.tolist(), strict=True)
    assert found.tolist() == [at for at, pair in enumerate(pairs) if pair == (2, -1)]


@pytest.mark.parametrize("size", SIZES)
def test_where_the_number_is_flagged_is_what_a_list_comprehension_says(size: int) -> None:
    numbers = np.random.default_rng(size).integers(-1, 4, size).astype(np.int32)

    found = where_flagged(np.array([False, True, False, True]), numbers)

    assert found.tolist() == [at for at, number in enumerate(numbers.tolist()) if number in (1, 3)]


def test_where_none_is_as_asked_nothing_is_found() -> None:
    assert where_both(np.zeros(5, np.uint8), 1, np.zeros(5, np.int32), 0).size == 0


@pytest.mark.parametrize("size", SIZES)
def test_differences_above_a_size_are_those_of_a_list_comprehension(size: int) -> None:
    sizes = np.random.default_rng(size).integers(0, 100, size).tolist()

    assert differences_above(prefix_of(sizes), 90).tolist() == [each for each in sizes if each > 90]
