"""A mixture of Gaussians, each as likely as any other before a vector is seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.special import logsumexp

__all__ = ["Gaussians", "fitted", "log_densities", "squared_distances"]


@dataclass(frozen=True, slots=True)
class Gaussians:
    """Of each Gaussian its mean (a row) and its covariance (a matrix)."""

    means: NDArray[np.float64]
    covariances: NDArray[np.float64]


def squared_distances(
    vectors: NDArray[np.float64], gaussians: Gaussians
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The squared Mahalanobis distances of vectors (rows) from Gaussians (columns).

    Returns:
        The distances, and half the logarithm of each Gaussian's determinant.
    """
    distances = np.empty((len(vectors), len(gaussians.means)))
    halves = np.empty(len(gaussians.means))
    for number, (mean, covariance) in enumerate(
        zip(gaussians.means, gaussians.covariances, strict=True)
    ):
        factor = cholesky(covariance, lower=True)
        solved = solve_triangular(factor, (vectors - mean).T, lower=True)
        distances[:, number] = np.einsum("ij,ij->j", solved, solved)
        halves[number] = np.log(np.diag(factor)).sum()
    return distances, halves


def log_densities(vectors: NDArray[np.float64], gaussians: Gaussians) -> NDArray[np.float64]:
    """The logarithms of the densities of Gaussians (columns) at vectors (rows)."""
    distances, halves = squared_distances(vectors, gaussians)
    constant = vectors.shape[1] * np.log(2 * np.pi)
    return np.asarray(-(constant + distances) / 2 - halves, dtype=np.float64)


def fitted(
    vectors: NDArray[np.float64],
    centres: NDArray[np.float64],
    nearest: NDArray[np.int64],
    *,
    floors: NDArray[np.float64],
    most_rounds: int,
    gain: float,
) -> Gaussians:
    """Expectation maximisation from clusters, with equal priors that are not learnt.

    scikit-learn's GaussianMixture learns the weights, and has no setting that keeps them; where
    they are learnt, the mixture says how often the training ran each workload, and not what a
    vector looks like.

    Args:
        vectors: one a row.
        centres: where to start.
        nearest: of each vector, the number of its centre.
        floors: added to the variance of each column: many metrics are always 0 in one of the
            clusters, and small differences are worth nothing.
        most_rounds: after which it ends in any case.
        gain: change of the mean logarithm of the likelihood below which it ends.
    """
    weights = (nearest[:, None] == np.arange(len(centres))).astype(np.float64)
    width = vectors.shape[1]
    start = Gaussians(centres.copy(), np.tile(np.eye(width), (len(centres), 1, 1)))
    gaussians = _maximised(vectors, weights, start, floors)
    before = -np.inf
    for _ in range(most_rounds):
        densities = log_densities(vectors, gaussians)
        together = logsumexp(densities, axis=1)
        likelihood = float(together.mean()) - np.log(len(centres))
        # The floors are no part of the likelihood, which therefore may fall a little on the way.
        if abs(likelihood - before) < gain:
            break
        before = likelihood
        gaussians = _maximised(vectors, np.exp(densities - together[:, None]), gaussians, floors)
    return gaussians


def _maximised(
    vectors: NDArray[np.float64],
    weights: NDArray[np.float64],
    before: Gaussians,
    floors: NDArray[np.float64],
) -> Gaussians:
    """The Gaussians that these weights of the vectors ask for; one without any stays."""
    means, covariances = before.means.copy(), before.covariances.copy()
    for number, total in enumerate(weights.sum(axis=0)):
        if total < 1:  # less than one vector
            continue
        share = weights[:, number] / total
        means[number] = share @ vectors
        centred = vectors - means[number]
        covariances[number] = (share[:, None] * centred).T @ centred
        covariances[number].flat[:: vectors.shape[1] + 1] += floors
    return Gaussians(means, covariances)
