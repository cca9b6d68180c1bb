"""Leads of distribution functions against their plain twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import kernels as plain

from mprof.kernels.two_samples import largest_leads

SAMPLES = st.lists(st.integers(-3, 3).map(float), max_size=8)


def _padded(samples: list[list[float]]) -> np.ndarray:
    """Each sorted, with NaN behind it."""
    rows = np.full((len(samples), 9), np.nan, np.float32)
    for row, sample in zip(rows, samples, strict=True):
        row[: len(sample)] = sorted(sample)
    return rows


@given(st.lists(st.tuples(SAMPLES, SAMPLES), min_size=1, max_size=5))
@settings(max_examples=200, deadline=None)
def test_a_lead_is_the_largest_of_those_at_every_value(
    pairs: list[tuple[list[float], list[float]]],
) -> None:
    first, second = ([list(sample) for sample in side] for side in zip(*pairs, strict=True))
    counts = [np.array([len(each) for each in side]) for side in (first, second)]

    found = largest_leads(
        _padded(first), _padded(second), first_count=counts[0], second_count=counts[1]
    )

    assert plain.largest_leads(first, second) == found.tolist()
