"""The profiles of healthy nodes: a scale for each metric, and Gaussians in that scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mprof.metrics import METRIC_NAMES
from mprof.peers.statistics.gaussians import Gaussians, squared_distances

__all__ = ["ProfileModel", "labels", "rescaled"]

_PIECE: Final = 50_000
"""Vectors that are labelled at a time; 7 Gaussians of 16 metrics take 50 MB for them."""


@dataclass(frozen=True, slots=True)
class ProfileModel:
    """What `train` learns of fault-free runs.

    Attributes:
        format: of the file.
        metrics: that are compared, in the order of the vectors.
        leasts: of each metric that is a rate the difference that is worth nothing, 0 of others; see
            `rescaled`.
        centres: the mean of each metric, rescaled.
        scales: its standard deviation, likewise.
        means: of each Gaussian, in that scale.
        covariances: likewise.
        cuts: of each Gaussian, the squared Mahalanobis distance beyond which a vector is none of
            its own.
        vectors: number that it was learnt from.
        left_out: metrics that training knew too little of.
    """

    format: Literal[1]
    metrics: tuple[str, ...]
    leasts: tuple[float, ...]
    centres: tuple[float, ...]
    scales: tuple[float, ...]
    means: tuple[tuple[float, ...], ...]
    covariances: tuple[tuple[tuple[float, ...], ...], ...]
    cuts: tuple[float, ...]
    vectors: int
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        count, width = len(self.means), len(self.metrics)
        fits = (
            count > 0
            and width > 0
            and set(self.metrics) <= set(METRIC_NAMES)
            and len(self.leasts) == len(self.centres) == len(self.scales) == width
            and len(self.covariances) == len(self.cuts) == count
            and all(len(mean) == width for mean in self.means)
            and all(len(row) == width for each in self.covariances for row in each)
            and all(len(each) == width for each in self.covariances)
            and all(scale > 0 for scale in self.scales)
        )
        if not fits:
            raise ValueError("its parts do not fit together")
        try:
            np.linalg.cholesky(np.array(self.covariances))
        except np.linalg.LinAlgError:
            raise ValueError("one of its covariances is none") from None

    @property
    def gaussians(self) -> Gaussians:
        """The Gaussians as arrays."""
        return Gaussians(np.array(self.means), np.array(self.covariances))


def rescaled(samples: NDArray[np.float32], leasts: Sequence[float]) -> NDArray[np.float64]:
    """Samples with the logarithm of their rates: log(1 + x / least difference).

    Rates spread over decades, and so a Gaussian of bytes would be of its largest bursts only. Below
    the least difference that is worth anything the scale is linear, so that an idle node's one
    packet more or less is little.

    Args:
        samples: one a row.
        leasts: of each column the least difference; 0 where it stays as it is.
    """
    result = samples.astype(np.float64)
    for column, least in enumerate(leasts):
        if least > 0:
            result[:, column] = np.log1p(np.maximum(result[:, column], 0) / least)
    return result


def labels(model: ProfileModel, samples: NDArray[np.float32]) -> NDArray[np.int64]:
    """Of each sample the most likely Gaussian; their number where it is far from every one.

    Args:
        model: the profiles.
        samples: with the metrics of the model, a row each; none of them missing.
    """
    gaussians, cuts = model.gaussians, np.array(model.cuts)
    found = np.empty(len(samples), dtype=np.int64)
    for begin in range(0, len(samples), _PIECE):
        piece = slice(begin, begin + _PIECE)
        vectors = rescaled(samples[piece], model.leasts)
        vectors = (vectors - model.centres) / model.scales
        with threadpool_limits(limits=1):  # sums in another order end in other digits
            distances, halves = squared_distances(vectors, gaussians)
        likeliest = np.argmin(distances / 2 + halves, axis=1)
        found[piece] = np.where((distances > cuts).all(axis=1), len(cuts), likeliest)
    return found
