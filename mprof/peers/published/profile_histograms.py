"""Decaying histograms of profiles, compared in pairs: what Ganesha and Kahuna-BB have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.peers.profiles.labelled import Labelled
from mprof.peers.published.verdicts import Levels, majority_levels
from mprof.peers.statistics.histograms import jensen_shannon_distances, shares

__all__ = ["SADC_VECTOR", "profile_levels"]

SADC_VECTOR = (
    "user", "system", "iowait", "ctxt", "runq_sz", "plist_sz", "ldavg_1", "eth_rxbyt", "eth_txbyt",
    "pgpgin", "pgpgout", "fault", "bread", "bwrtn",
)  # fmt: skip
"""The fourteen metrics of Ganesha's table 1 and Kahuna's table II; Blimey has two more."""


def profile_levels(labelled: Labelled, *, profiles: int, half_life_s: float) -> Levels:
    """How far the histogram of each node is from those of a majority, at each sample.

    A node is compared once its samples fill one half-life: a histogram of fewer is mostly of the
    last label. A sample that lacks leaves the histogram of its node as it is.

    Cost: every two nodes at every sample, quadratic in the nodes; 1,800 samples of 50 nodes take
    2 s of one core, a day of 700 nodes two hours.

    Args:
        labelled: the labels of all nodes.
        profiles: number of different labels.
        half_life_s: of a label in the histogram.
    """
    nodes = len(labelled.hosts)
    counts = np.zeros((nodes, profiles))
    seen_for = np.zeros(nodes)
    level = np.full((len(labelled.at_s), nodes), np.nan)
    decay = 0.5 ** (labelled.interval_s / half_life_s)
    least = half_life_s / labelled.interval_s
    for moment, label in enumerate(labelled.label):
        there = np.flatnonzero(label >= 0)
        counts[there] *= decay
        counts[there, label[there]] += 1
        seen_for[there] += 1
        level[moment] = _of_moment(counts, seen_for >= least)
    return Levels(
        hosts=labelled.hosts,
        start_s=labelled.at_s,
        level=level,
        what="distance of its histogram of profiles",
        unit="square root of the Jensen-Shannon divergence",
    )


def _of_moment(counts: NDArray[np.float64], usable: NDArray[np.bool_]) -> NDArray[np.float64]:
    found = np.full(len(counts), np.nan)
    found[usable] = majority_levels(jensen_shannon_distances(shares(counts[usable])))
    return found
