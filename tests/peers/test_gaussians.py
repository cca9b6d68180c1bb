"""Expectation maximisation with equal priors, against scikit-learn and loops."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

from mprof.peers.statistics.gaussians import Gaussians, fitted, log_densities, squared_distances

FLOOR = 1e-3


def _blobs(seed: int, sizes: tuple[int, ...] = (300, 300, 300)) -> tuple[NDArray[np.float64], ...]:
    """Vectors around centres 4 apart, the centres, and the nearest centre of each vector."""
    generator = np.random.default_rng(seed)
    centres = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 1]])
    vectors = np.concatenate(
        [
            centre + generator.normal(size=(size, 3)) @ generator.normal(size=(3, 3)) * 0.7
            for centre, size in zip(centres, sizes, strict=True)
        ]
    )
    nearest = ((vectors[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    return vectors, centres, nearest


def _fit(seed: int, rounds: int, sizes: tuple[int, ...] = (300, 300, 300)) -> Gaussians:
    vectors, centres, nearest = _blobs(seed, sizes)
    return fitted(vectors, centres, nearest, floors=np.full(3, FLOOR), most_rounds=rounds, gain=0.0)


def test_densities_are_scipys() -> None:
    gaussians = _fit(1, 3)
    vectors, *_ = _blobs(2)

    expected = np.column_stack(
        [
            multivariate_normal(mean, covariance).logpdf(vectors)
            for mean, covariance in zip(gaussians.means, gaussians.covariances, strict=True)
        ]
    )

    assert expected == pytest.approx(log_densities(vectors, gaussians))


def test_distances_are_mahalanobis() -> None:
    gaussians = _fit(1, 3)
    vectors, *_ = _blobs(2)
    offset = vectors[5] - gaussians.means[1]

    expected = offset @ np.linalg.inv(gaussians.covariances[1]) @ offset

    assert expected == pytest.approx(squared_distances(vectors, gaussians)[0][5, 1])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.filterwarnings("ignore:Best performing initialization did not converge")
def test_a_round_is_that_of_scikit_learn_from_equal_weights(seed: int) -> None:
    # unequal sizes, so that learnt weights would show
    sizes = (500, 100, 40)
    vectors, *_ = _blobs(seed, sizes)
    start = _fit(seed, 0, sizes)
    theirs = GaussianMixture(
        3, weights_init=np.full(3, 1 / 3), means_init=start.means,
        precisions_init=np.linalg.inv(start.covariances), reg_covar=FLOOR, max_iter=1,
    ).fit(vectors)  # fmt: skip
    ours = _fit(seed, 1, sizes)

    assert theirs.means_ == pytest.approx(ours.means)
    assert theirs.covariances_ == pytest.approx(ours.covariances)


def _brute_force(
    vectors: NDArray[np.float64], start: Gaussians, rounds: int
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
    means, covariances = list(start.means), list(start.covariances)
    for _ in range(rounds):
        weights = []
        for vector in vectors:
            densities = [
                multivariate_normal(mean, covariance).pdf(vector)
                for mean, covariance in zip(means, covariances, strict=True)
            ]
            weights.append([density / sum(densities) for density in densities])
        for number in range(len(means)):
            total = sum(weight[number] for weight in weights)
            means[number] = (
                sum(weight[number] * v for weight, v in zip(weights, vectors, strict=True)) / total
            )
            spread = sum(
                weight[number] * np.outer(v - means[number], v - means[number])
                for weight, v in zip(weights, vectors, strict=True)
            )
            covariances[number] = spread / total + FLOOR * np.eye(3)
    return means, covariances


def test_several_rounds_keep_the_priors_equal() -> None:
    sizes = (60, 20, 8)
    vectors, *_ = _blobs(3, sizes)
    means, covariances = _brute_force(vectors, _fit(3, 0, sizes), 4)
    ours = _fit(3, 4, sizes)

    assert np.array(means) == pytest.approx(ours.means)
    assert np.array(covariances) == pytest.approx(ours.covariances)


def test_of_one_gaussian_it_is_the_mean_and_the_covariance() -> None:
    vectors, *_ = _blobs(4)
    one = fitted(
        vectors, vectors[:1], np.zeros(len(vectors), np.int64),
        floors=np.full(3, FLOOR), most_rounds=5, gain=0.0,
    )  # fmt: skip

    assert vectors.mean(axis=0) == pytest.approx(one.means[0])
    assert np.cov(vectors.T, bias=True) + FLOOR * np.eye(3) == pytest.approx(one.covariances[0])


def test_a_constant_column_and_a_cluster_without_vectors_are_no_error() -> None:
    vectors, centres, nearest = _blobs(5)
    vectors[:, 2] = 1.0
    nearest[nearest == 2] = 1
    found = fitted(vectors, centres, nearest, floors=np.full(3, FLOOR), most_rounds=20, gain=0.0)

    assert np.isfinite(found.means).all()
    assert (np.linalg.eigvalsh(found.covariances) > 0).all()
