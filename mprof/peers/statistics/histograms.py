"""Histograms of labels that forget, and how far apart those of two nodes are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["distances_to", "jensen_shannon_distances", "shares"]


def shares(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each row divided by its sum; a row without counts stays 0."""
    total = counts.sum(axis=-1, keepdims=True)
    result = np.zeros_like(counts)
    np.divide(counts, total, out=result, where=total > 0)
    return result


def jensen_shannon_distances(distributions: NDArray[np.float64]) -> NDArray[np.float64]:
    """The square root of the Jensen-Shannon divergence of every two rows, to base 2.

    A metric from 0 to 1 (Endres and Schindelin, *A new metric for probability distributions*,
    2003). It is the entropy of the mean less the mean of the entropies.

    Cost: quadratic in rows; 20 ms and 30 MB for 400 rows of 8 bins.

    Args:
        distributions: a row each, which sums to 1.
    """
    own = _entropies(distributions)
    mixed = _entropies((distributions[:, None, :] + distributions[None, :, :]) / 2)
    divergences = mixed - (own[:, None] + own[None, :]) / 2
    # What is left of equal rows is rounding, of either sign.
    return np.asarray(np.sqrt(np.clip(divergences, 0, 1)), dtype=np.float64)


def distances_to(
    distributions: NDArray[np.float64], other: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The same distance of each row to one other distribution."""
    own = _entropies(distributions)
    divergences = _entropies((distributions + other) / 2) - (own + _entropies(other)) / 2
    return np.asarray(np.sqrt(np.clip(divergences, 0, 1)), dtype=np.float64)


def _entropies(distributions: NDArray[np.float64]) -> NDArray[np.float64]:
    logarithms = np.zeros_like(distributions)
    np.log2(distributions, out=logarithms, where=distributions > 0)
    return np.asarray(-(distributions * logarithms).sum(axis=-1), dtype=np.float64)
