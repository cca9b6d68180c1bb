from __future__ import annotations

import numpy as np
import pytest

from mprof.kernels.spare import Spare
from mprof.kernels.translate import translated


@pytest.mark.parametrize("count", [0, 1, 1000, 300_000])
def test_each_number_becomes_what_the_table_says_of_it(count: int) -> None:
    chance = np.random.default_rng(count)
    table = chance.integers(0, 256, 51).astype(np.uint8)
    numbers = chance.integers(-1, 50, count).astype(np.int32)

    assert translated(table, numbers, Spare()).tolist() == [
        int(table[1 + n]) for n in numbers.tolist()
    ]
