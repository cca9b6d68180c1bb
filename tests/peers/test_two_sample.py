"""The Kolmogorov-Smirnov distance against scipy's, and what a tolerance forgives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp

from mprof.peers.statistics.two_sample import distances_beyond


@pytest.mark.parametrize("seed", range(20))
def test_without_a_tolerance_it_is_the_two_sample_statistic(seed: int) -> None:
    generator = np.random.default_rng(seed)
    sizes = generator.integers(1, 40, 2)
    # few distinct values, so that there are ties within and between the samples
    own = generator.integers(0, 9, (5, sizes[0])).astype(np.float32)
    others = generator.integers(1, 12, (5, sizes[1])).astype(np.float32)

    expected = [ks_2samp(a, b).statistic for a, b in zip(own, others, strict=True)]

    assert expected == pytest.approx(distances_beyond(own, others, 0))


@pytest.mark.parametrize("seed", range(10))
def test_with_a_tolerance_it_is_the_larger_of_two_shifted_one_sided_statistics(seed: int) -> None:
    generator = np.random.default_rng(seed)
    own = generator.integers(0, 9, (3, 21)).astype(np.float32)
    others = generator.integers(1, 12, (3, 30)).astype(np.float32)

    expected = [
        max(
            ks_2samp(a, b - 2, alternative="greater").statistic,
            ks_2samp(a - 2, b, alternative="less").statistic,
        )
        for a, b in zip(own, others, strict=True)
    ]

    assert expected == pytest.approx(distances_beyond(own, others, 2))


def test_what_is_no_sample_changes_nothing() -> None:
    generator = np.random.default_rng(3)
    own = generator.normal(size=(4, 30)).astype(np.float32)
    others = generator.normal(1, size=(4, 50)).astype(np.float32)
    with_gaps = np.full((4, 80), np.nan, dtype=np.float32)
    with_gaps[:, generator.permutation(80)[:30]] = own

    expected = distances_beyond(own, others, 0.1)

    assert expected == pytest.approx(distances_beyond(with_gaps, others, 0.1))


def test_an_empty_sample_has_no_distance() -> None:
    own = np.array([[np.nan, np.nan], [1, 2]], dtype=np.float32)
    others = np.array([[1], [3]], dtype=np.float32)

    assert [True, False] == list(np.isnan(distances_beyond(own, others, 0)))


def test_a_constant_offset_counts_only_beyond_the_tolerance() -> None:
    own = np.full((1, 30), 203, dtype=np.float32)
    others = np.full((1, 40), 201, dtype=np.float32)

    assert 1 == distances_beyond(own, others, 0)[0]
    assert 1 == distances_beyond(own, others, 1.5)[0]
    assert 1 == distances_beyond(others, own, 1.5)[0]
    assert 0 == distances_beyond(own, others, 2)[0]
    assert 0 == distances_beyond(others, own, 2)[0]
