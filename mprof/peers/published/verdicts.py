"""From levels to a verdict, as the papers do it: alarms above a threshold, counted or not."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from mprof.peers.comparison import Comparison, NodeStanding, Observation
from mprof.threshold import Threshold

__all__ = ["Levels", "Repeated", "majority_levels", "verdict"]


@dataclass(frozen=True, slots=True)
class Repeated:
    """An exponentially weighted number of alarms that indicts.

    Attributes:
        half_life: rounds after which an alarm weighs half.
        above: the number that must be passed.
    """

    half_life: float
    above: float


@dataclass(frozen=True, slots=True)
class Levels:
    """How far nodes are from their peers; a row a round, a column a node.

    Attributes:
        hosts: names of the nodes.
        start_s: begin of the time that each round looks at, seconds since the epoch.
        level: a round raises an alarm of a node if this is above the threshold; NaN where the node
            is not compared.
        what: the level is of, as an observation names it.
        unit: of the level.
    """

    hosts: tuple[str, ...]
    start_s: NDArray[np.float64]
    level: NDArray[np.float64]
    what: str
    unit: str


def majority_levels(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each node the smallest distance that it does not pass from a majority of the others.

    Ganesha, section 4.1: an alarm is raised if the "pairwise distance is more than a threshold
    value with more than (n-1)/2 slave nodes"; Kahuna, section VI: from "a majority of the other
    nodes", which is as many.

    Args:
        distances: of every two nodes, symmetric.
    """
    others = len(distances) - 1
    if others < 1:
        return np.full(len(distances), np.nan)
    apart = distances.copy()
    np.fill_diagonal(apart, -np.inf)
    majority = others // 2 + 1
    return np.asarray(-np.sort(-apart, axis=1)[:, majority - 1], dtype=np.float64)


def verdict(
    found: Levels, *, detector: str, threshold: Threshold, repeated: Repeated | None = None
) -> Comparison:
    """Indict the nodes whose alarms are enough: any one, or a weighted number of them.

    The score of a node is its level over the threshold: the largest threshold by which it would be
    indicted, as a multiple of that in force. Above 1 it is indicted.

    Args:
        found: in the order of time.
        detector: its name.
        threshold: above which a level is an alarm.
        repeated: what alarms must come to; None if the first indicts.
    """
    nodes = []
    for column, host in enumerate(found.hosts):
        mine = found.level[:, column]
        seen = ~np.isnan(mine)
        if not seen.any():
            nodes.append(NodeStanding(host, None, 0.0, why_not="too little was seen of it"))
            continue
        if repeated is not None and _number(np.ones(int(seen.sum())), repeated) <= repeated.above:
            why = f"{int(seen.sum())} comparisons are too few to indict it, whatever they show"
            nodes.append(NodeStanding(host, None, 0.0, why_not=why))
            continue
        level = _indicting(mine[seen], repeated)
        alarms = found.start_s[seen & (np.nan_to_num(mine, nan=-math.inf) > threshold.value)]
        nodes.append(
            NodeStanding(
                host=host,
                indicted=level > threshold.value,
                score=level / threshold.value,
                since_s=float(alarms[0]) if len(alarms) else None,
                until_s=float(alarms[-1]) if len(alarms) else None,
                observations=(Observation(found.what, level, threshold.value, found.unit),),
                alarms_s=tuple(alarms.tolist()),
            )
        )
    nodes.sort(key=lambda node: (-node.score, node.host))
    return Comparison(detector, tuple(nodes), windows=len(found.start_s))


def _indicting(levels: NDArray[np.float64], repeated: Repeated | None) -> float:
    """The level that a threshold must be below to indict the node."""
    if repeated is None:
        return float(levels.max())
    # The more alarms, the larger the number: the level is found by halving.
    candidates = np.unique(levels)
    low, high = 0, len(candidates)
    while high - low > 1:
        middle = (low + high) // 2
        alarms = (levels >= candidates[middle]).astype(np.float64)
        indicts = _number(alarms, repeated) > repeated.above
        low, high = (middle, high) if indicts else (low, middle)
    return float(candidates[low])


def _number(alarms: NDArray[np.float64], repeated: Repeated) -> float:
    """The largest weighted number that alarms, 1 or 0 a round, come to."""
    decay = 0.5 ** (1 / repeated.half_life)
    return float(lfilter([1.0], [1.0, -decay], alarms).max())
