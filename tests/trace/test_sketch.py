"""Sketches, compared with the values themselves."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable

import msgspec
import pytest
from builders.attempts import sketch as written
from hypothesis import given
from hypothesis import strategies as st

from mprof.trace import Sketch, merge_sketches
from mprof.trace.sketch import GAMMA

VALUES = st.lists(st.integers(min_value=0, max_value=10**12), min_size=1, max_size=200)


def _read(values: Iterable[float], gamma: float = GAMMA) -> Sketch:
    return msgspec.json.decode(msgspec.json.encode(written(values, gamma)), type=Sketch)


@given(VALUES)
def test_every_rank_is_at_most_one_per_cent_off(values: list[int]) -> None:
    sketch = _read(values)

    for rank, value in enumerate(sorted(values), start=1):
        assert sketch.at_rank(rank) == pytest.approx(value, rel=0.01, abs=1e-9)


@given(st.integers(min_value=0, max_value=10**12))
def test_the_sketch_of_one_value_is_what_the_agent_writes_of_it(value: int) -> None:
    assert Sketch.of(value) == _read([value])


@given(VALUES, VALUES)
def test_a_merged_sketch_is_the_sketch_of_all_values(left: list[int], right: list[int]) -> None:
    merged = merge_sketches([_read(left), _read(right)])

    assert merged is not None
    assert merged == _read(left + right)


def test_quartiles_follow_the_nist_definition() -> None:
    # NIST e-Handbook 7.2.6.2, the worked example: the 90th percentile of these 12 is 95.1981
    values = [95.1772, 95.1567, 95.1937, 95.1959, 95.1442, 95.0610, 95.1591, 95.1195, 95.1065,
              95.0925, 95.1990, 95.1682]  # fmt: skip
    fine = _read(values, gamma=1.0000001)

    assert fine.quantile(0.9) == pytest.approx(95.1981, abs=1e-4)


def test_quantiles_of_many_values_stay_within_the_error() -> None:
    rng = random.Random(7)
    values = [int(rng.paretovariate(0.7) * 10) for _ in range(20_000)]
    sketch = _read(values)

    for share in (0.01, 0.25, 0.5, 0.75, 0.99):
        exact = sorted(values)[math.floor(share * (len(values) + 1)) - 1]
        assert sketch.quantile(share) == pytest.approx(exact, rel=0.011)
    assert sketch.relative_error < 0.01


def test_an_empty_sketch_knows_nothing() -> None:
    assert _read([]).quantile(0.5) is None
    assert _read([]).mean is None
    assert merge_sketches([]) is None


def test_sketches_of_different_width_are_not_merged() -> None:
    with pytest.raises(ValueError, match="gamma"):
        merge_sketches([_read([1]), _read([1], gamma=1.1)])
