"""Alarms that come in clumps: how likely so many are, by what the other nodes of the run show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, poisson

__all__ = ["chance_of_clumps", "clump_lengths"]

_MOST_CLUMPS = 40


def clump_lengths(alarms: NDArray[np.bool_], together: int) -> tuple[int, ...]:
    """The alarms in each clump; those of one clump are at most so many rounds apart.

    >>> clump_lengths(np.array([True, False, True, False, False, False, True]), 2)
    (2, 1)
    """
    places = np.flatnonzero(alarms)
    if not len(places):
        return ()
    parts = np.split(places, np.flatnonzero(np.diff(places) > together) + 1)
    return tuple(len(part) for part in parts)


def chance_of_clumps(
    own: Sequence[int],
    others: Sequence[Sequence[int]],
    *,
    usual_length: float,
    quiet_nodes: float,
    quiet_length: float,
) -> float:
    """The chance that a node has so many alarms, or so many clumps of them, as the others do.

    Clumps come by chance, as often as on the others (Poisson); how many alarms one has is
    geometric, with the mean of theirs: a compound Poisson distribution. So what a clump holds
    counts as much as the clumps of this run say, and not as so many alarms of their own. The
    smaller of both chances, times two.

    Args:
        own: alarms in each clump of the node.
        others: those of each other node.
        usual_length: alarms of one more clump, so that a single short one makes no short mean.
        quiet_nodes: of healthy runs in which alarms are rare, the nodes of which one has a clump in
            such a time: how often chance makes one where no other node of this run was in alarm.
        quiet_length: alarms of a clump there.
    """
    lengths = [length for each in others for length in each]
    if not own or not others:
        return 1.0
    if lengths:
        rate = max(len(lengths) / len(others), 1 / (len(others) + quiet_nodes))
        mean = (sum(lengths) + usual_length) / (len(lengths) + 1)
    else:
        rate, mean = 1 / (len(others) + quiet_nodes), quiet_length
    number = np.arange(1, _MOST_CLUMPS + 1)
    # So many clumps hold ``sum(own)`` alarms or more if fewer of one alarm less than that end one.
    reach = binom.cdf(number - 1, sum(own) - 1, 1 / mean)
    of_alarms = float((poisson.pmf(number, rate) * reach).sum()) + float(
        poisson.sf(_MOST_CLUMPS, rate)
    )
    of_clumps = float(poisson.sf(len(own) - 1, rate))
    return min(1.0, 2 * min(of_alarms, of_clumps))
