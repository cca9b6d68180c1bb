"""Decaying histograms of profiles, compared in pairs: what Ganesha and Kahuna-BB have in common."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from mprof.peers.comparison import Comparison
from mprof.peers.detectors.repeated_alarms import FEWEST_NODES, too_few_nodes, withheld
from mprof.peers.profiles.labelled import Labelled
from mprof.peers.published.verdicts import Levels, majority_levels
from mprof.peers.statistics.histograms import jensen_shannon_distances, shares

__all__ = ["NO_PROFILES", "SADC_VECTOR", "profile_levels", "why_withheld"]

NO_PROFILES: Final = (
    "it has no profiles of healthy nodes; mprof calibrate learns them from control runs, and"
    " --calibration uses them"
)

SADC_VECTOR = (
    "user", "system", "iowait", "ctxt", "runq_sz", "plist_sz", "ldavg_1", "eth_rxbyt", "eth_txbyt",
    "pgpgin", "pgpgout", "fault", "bread", "bwrtn",
)  # fmt: skip
"""The fourteen metrics of Ganesha's table 1 and Kahuna's table II; Blimey has two more."""


def why_withheld(labelled: Labelled, detector: str) -> Comparison | None:
    """Why such labels are not compared; None where they are."""
    if labelled.missing:
        return withheld(detector, labelled.why_missing)
    if len(labelled.hosts) < FEWEST_NODES.value:
        return too_few_nodes(detector, len(labelled.hosts))
    if labelled.interval_s == 0 or not np.any(labelled.label >= 0):
        return withheld(detector, "no node was sampled more than once")
    return None


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
