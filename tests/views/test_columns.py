"""Columns that a page carries: whole after inflating, sizes to a part in a thousand."""

from __future__ import annotations

import base64
import math
import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mprof.views.columns import MOST_LEVEL, NOT_KNOWN, level_of, packed, size_code


def test_columns_come_out_as_they_went_in() -> None:
    text = packed([([1, 70_000], "u4"), ([-3, 4], "i2"), ([7, 8], "u1")])
    stream = zlib.decompress(base64.b64decode(text))

    assert [1, 70_000] == np.frombuffer(stream[:8], "<u4").tolist()
    assert [-3, 4] == np.frombuffer(stream[8:12], "<i2").tolist()
    assert [7, 8] == np.frombuffer(stream[12:], "u1").tolist()


@given(st.floats(0.001, 2.0**53))
def test_a_size_is_kept_to_a_part_in_a_thousand(size: float) -> None:
    code = int(size_code([size])[0])

    assert math.isclose(2 ** ((code - 2) / 1024 - 10), size, rel_tol=1e-3)


def test_nothing_and_not_known_are_two_things() -> None:
    assert [1, 0] == size_code([0.0, math.nan]).tolist()


def test_the_critical_distance_is_one_unit_and_less_than_the_mean_is_none() -> None:
    levels = level_of([3.0, -8.0, 0.0, 1e9, math.nan], 3.0)

    assert [64, 0, 0, MOST_LEVEL, NOT_KNOWN] == levels.tolist()
