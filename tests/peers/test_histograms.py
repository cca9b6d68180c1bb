"""The distance of histograms, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from mprof.peers.statistics.histograms import jensen_shannon_distances, shares


@pytest.mark.parametrize("seed", range(10))
def test_the_distance_of_every_two_rows_is_scipys(seed: int) -> None:
    generator = np.random.default_rng(seed)
    counts = generator.gamma(0.5, size=(7, 8)) * (generator.random((7, 8)) < 0.7)
    counts[:, 0] += 0.01
    distributions = shares(counts)

    expected = [[jensenshannon(p, q, base=2) for q in distributions] for p in distributions]

    assert np.array(expected) == pytest.approx(jensen_shannon_distances(distributions), abs=1e-7)


def test_histograms_without_a_common_label_are_one_apart_and_equal_ones_nothing() -> None:
    distributions = np.array([[1.0, 0, 0], [0, 0.5, 0.5], [0, 0.5, 0.5]])

    assert [[0, 1, 1], [1, 0, 0], [1, 0, 0]] == jensen_shannon_distances(distributions).tolist()


def test_a_histogram_without_counts_has_no_shares() -> None:
    assert [[0, 0], [0.25, 0.75]] == shares(np.array([[0.0, 0], [1, 3]])).tolist()
