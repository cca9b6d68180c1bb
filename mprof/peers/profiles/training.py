"""Learns the profiles of healthy nodes from fault-free runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mprof.errors import EvidenceError
from mprof.metrics import METRIC_NAMES, METRICS
from mprof.peers.profiles.profile_model import ProfileModel, rescaled
from mprof.peers.statistics.gaussians import fitted, log_densities, squared_distances
from mprof.peers.statistics.least_difference import LEAST_DIFFERENCE
from mprof.peers.tables.metric_table import metric_table
from mprof.threshold import Threshold

__all__ = ["FOLDS", "THRESHOLDS_OF_TRAINING", "train"]

PROFILES: Final = Threshold(
    "bb-profile.profiles", 7, "Gaussians", "Ganesha: the elbow of the mean squared error of K-means"
)
STARTS: Final = Threshold(
    "bb-profile.starts", 10, "runs of K-means",
    "several, of which that of least distortion is kept (Ganesha); free in number, and ten is"
    " usual",
)  # fmt: skip
MOST_VECTORS: Final = Threshold(
    "bb-profile.most-vectors", 50_000, "vectors",
    "7 covariances of 16 metrics have 952 numbers, and 50 vectors for each are enough; more would"
    " only take longer",
)  # fmt: skip
FEWEST_VECTORS: Final = Threshold(
    "bb-profile.fewest-vectors", 1000, "vectors",
    "fewer do not show the 99.9 % point of anything",
)  # fmt: skip
LEAST_KNOWN: Final = Threshold(
    "bb-profile.least-known", 0.9, "share of the vectors",
    "a vector with a gap cannot be compared, so that a metric with many costs all the others",
    most=1.0,
)  # fmt: skip
RATE_FLOOR: Final = Threshold(
    "bb-profile.rate-floor", 0.1, "natural logarithm of a rate",
    "nodes of one kind differ by some per cent all the time: see bb-window.tolerated",
)  # fmt: skip
UNKNOWN: Final = Threshold(
    "bb-profile.unknown", 0.999, "share of the Gaussian's training vectors",
    "metrics are not Gaussian, so that the point is found on the vectors, and not by chi-square",
    most=1.0,
)  # fmt: skip
MOST_ROUNDS: Final = Threshold(
    "bb-profile.most-rounds", 200, "rounds of expectation maximisation",
    "simulated runs needed 7 to 15; it only bounds the time",
)  # fmt: skip
LEAST_GAIN: Final = Threshold(
    "bb-profile.least-gain", 1e-4, "nats per vector",
    "what is left to gain moves no label",
)  # fmt: skip

FOLDS: Final = Threshold(
    "bb-profile.folds", 10, "parts of the control runs",
    "the runs of a part are judged by profiles of the other parts, so that no run is judged by"
    " profiles of its own; with up to ten runs, each is a part",
)  # fmt: skip

THRESHOLDS_OF_TRAINING: Final = (
    PROFILES, STARTS, MOST_VECTORS, FEWEST_VECTORS, LEAST_KNOWN, RATE_FLOOR, UNKNOWN, MOST_ROUNDS,
    LEAST_GAIN, FOLDS,
)  # fmt: skip
"""Every free parameter of the training."""

_KINDS: Final = {metric.name: metric.kind for metric in METRICS}


def train(
    runs: Sequence[pd.DataFrame], *, among: Collection[str] = METRIC_NAMES, seed: int = 0
) -> ProfileModel:
    """Learn the profiles of fault-free runs of several workloads.

    Cost: 10 nodes for 30 minutes at 1 Hz take 0.6 s of one core.

    Args:
        runs: tables with the columns ``host``, ``at_s`` and the metrics; nodes are pooled.
        among: the metrics that count.
        seed: of the starts of K-means, and of the draw where there are too many vectors.

    Raises:
        EvidenceError: if there are too few vectors.
    """
    tables = [metric_table(run) for run in runs]
    every = tuple(
        dict.fromkeys(name for table in tables for name in table.metrics if name in among)
    )
    pooled = np.concatenate(
        [
            np.column_stack(
                [
                    table.samples[:, table.metrics.index(name)]
                    if name in table.metrics
                    else np.full(len(table.at_s), np.nan, dtype=np.float32)
                    for name in every
                ]
            )
            for table in tables
            if every
        ]
        or [np.empty((0, 0), dtype=np.float32)]
    )
    known = (~np.isnan(pooled)).mean(axis=0) >= LEAST_KNOWN.value if len(pooled) else []
    metrics = tuple(name for name, enough in zip(every, known, strict=True) if enough)
    left_out = tuple(name for name in every if name not in metrics)
    samples = pooled[:, [every.index(name) for name in metrics]]
    samples = samples[~np.isnan(samples).any(axis=1)]
    if len(samples) < FEWEST_VECTORS.value or not metrics:
        raise EvidenceError(
            f"{len(samples)} vectors are too few to learn profiles from:"
            f" {FEWEST_VECTORS.value:.0f} are needed",
            next_step="collect metrics of more nodes or for longer, while nothing is wrong",
        )
    generator = np.random.default_rng(seed)
    if len(samples) > MOST_VECTORS.value:
        drawn = generator.choice(len(samples), int(MOST_VECTORS.value), replace=False)
        samples = samples[np.sort(drawn)]
    return _learnt(metrics, samples, left_out, seed)


def _learnt(
    metrics: tuple[str, ...], samples: NDArray[np.float32], left_out: tuple[str, ...], seed: int
) -> ProfileModel:
    from sklearn.cluster import KMeans  # takes a second to load, and to compare needs none of it

    leasts = tuple(
        LEAST_DIFFERENCE[name].value if _KINDS[name] == "rate" else 0.0 for name in metrics
    )
    vectors = rescaled(samples, leasts)
    centres = vectors.mean(axis=0)
    floors = np.array(
        [
            RATE_FLOOR.value if least > 0 else LEAST_DIFFERENCE[name].value
            for name, least in zip(metrics, leasts, strict=True)
        ]
    )
    scales = np.maximum(vectors.std(axis=0), floors)
    vectors = (vectors - centres) / scales
    count = min(int(PROFILES.value), len(np.unique(vectors, axis=0)))
    # One thread, since sums in another order end in other digits.
    with threadpool_limits(limits=1):
        clusters = KMeans(count, n_init=int(STARTS.value), random_state=seed).fit(vectors)
        gaussians = fitted(
            vectors,
            clusters.cluster_centers_,
            clusters.labels_.astype(np.int64),
            floors=(floors / scales) ** 2,
            most_rounds=int(MOST_ROUNDS.value),
            gain=LEAST_GAIN.value,
        )
        nearest = log_densities(vectors, gaussians).argmax(axis=1)
        distances, _ = squared_distances(vectors, gaussians)
    cuts = [
        float(np.quantile(distances[nearest == number, number], UNKNOWN.value))
        if (nearest == number).any()
        else 0.0
        for number in range(count)
    ]
    return ProfileModel(
        format=1,
        metrics=metrics,
        leasts=leasts,
        centres=tuple(centres.tolist()),
        scales=tuple(scales.tolist()),
        means=tuple(tuple(mean) for mean in gaussians.means.tolist()),
        covariances=tuple(
            tuple(tuple(row) for row in each) for each in gaussians.covariances.tolist()
        ),
        cuts=tuple(cuts),
        vectors=len(samples),
        left_out=left_out,
    )
