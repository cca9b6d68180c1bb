"""Ten values of each node: what five detectors say of it, and of the others.

Blimey (Pan, Tan, Kavulya, Gandhi and Narasimhan: *Blind Men and the Elephant: Piecing Together
Hadoop for Diagnosis*, section V): of the black box, of the durations of maps and of reduces, of the
rate and of the delay of heartbeats, the statistic of the node itself and the mean of those of the
other nodes. The paper takes counts of alarms, differences and sums; here all five are the
detector's score, of which more than 1 indicts, so that the values of a tree can be read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, Literal

import numpy as np
import pandas as pd

from mprof.peers.comparison import Look
from mprof.peers.detectors import bb_window, hb_delay, hb_rate, wb_durations
from mprof.peers.tables.intervals import intervals_of_attempts
from mprof.threshold import Threshold

__all__ = [
    "DETECTORS_ASKED",
    "MOST",
    "NAMES",
    "STATISTICS",
    "Others",
    "statistics_of",
    "vectors_of",
]

MOST: Final = Threshold(
    "synthesis.most", 100, "times the threshold of the detector",
    "the score of a silent node has no limit, and a tree needs a number; no measured score came"
    " near this one",
)  # fmt: skip

_OF_MAPS: Final = "wb-durations of maps"
_OF_REDUCES: Final = "wb-durations of reduces"
STATISTICS: Final = (
    bb_window.DETECTOR, _OF_MAPS, _OF_REDUCES, hb_rate.DETECTOR, hb_delay.DETECTOR,
)  # fmt: skip
DETECTORS_ASKED: Final = frozenset(each.partition(" of ")[0] for each in STATISTICS)
"""Names of the detectors that give them."""

NAMES: Final = tuple(
    f"{each}, {whose}" for whose in ("the node", "the others") for each in STATISTICS
)
"""Of the ten values, in their order."""

Others = Literal["all", "indicted"]
"""Whose mean the statistic of the others is: all other nodes (the paper's section V), or those
other nodes that the detector indicts (its section VII)."""


def statistics_of(looks: Sequence[Look], hosts: Iterable[str] = ()) -> pd.DataFrame:
    """The five statistics of each node.

    Args:
        looks: what the detectors say of a whole recording.
        hosts: nodes that should be there; where none are known, those that were looked at.

    Returns:
        A row a node, with its name as the index; a column each of `STATISTICS`. NaN where the
        detector cannot tell, or was not asked for want of evidence.
    """
    should = frozenset(hosts) or frozenset(
        node.host for look in looks for node in look.comparison.nodes
    )
    by_detector = {
        name: [look for look in looks if look.comparison.detector == name]
        for name in (bb_window.DETECTOR, hb_rate.DETECTOR, hb_delay.DETECTOR)
    }
    of_attempts = [
        look
        for look in looks
        if look.comparison.detector == wb_durations.DETECTOR and look.of == "attempts"
    ]
    columns = {
        _OF_MAPS: _scores(_of_kind(of_attempts, "map", should), should),
        _OF_REDUCES: _scores(_of_kind(of_attempts, "reduce", should), should),
        **{name: _scores(every, should) for name, every in by_detector.items()},
    }
    return pd.DataFrame(
        {
            name: [min(columns[name].get(host, math.nan), MOST.value) for host in sorted(should)]
            for name in STATISTICS
        },
        index=pd.Index(sorted(should), name="host"),
        dtype=np.float64,
    )


def vectors_of(statistics: pd.DataFrame, *, others: Others = "all") -> pd.DataFrame:
    """The ten values of each node: its own statistics, and the mean of those of other nodes.

    What is not known stays so: the mean is of the nodes of which the statistic is known, and NaN
    where it is known of none. Of nodes of which it is known and none is indicted, the mean of the
    indicted is 0.

    Args:
        statistics: of `statistics_of`.
        others: whose mean the statistic of the others is.
    """
    own = statistics.to_numpy(dtype=np.float64)
    known = ~np.isnan(own)
    chosen = known if others == "all" else known & (np.nan_to_num(own) > 1)
    total = np.where(chosen, own, 0).sum(axis=0) - np.where(chosen, own, 0)
    count = chosen.sum(axis=0) - chosen
    there = known.sum(axis=0) - known
    mean = np.full(own.shape, np.nan)
    mean[there > 0] = 0.0
    np.divide(total, count, out=mean, where=count > 0)
    return pd.DataFrame(np.hstack((own, mean)), index=statistics.index, columns=list(NAMES))


def _of_kind(looks: Iterable[Look], kind: str, should: frozenset[str]) -> list[Look]:
    """The same comparisons, of the attempts of one kind only."""
    found = []
    for look in looks:
        attempts = look.read_rows()
        if attempts is None:
            continue
        seen = set(attempts["host"].dropna())
        intervals = intervals_of_attempts(attempts)
        of_kind = (intervals["state"] == "map") == (kind == "map")
        comparison = wb_durations.compare_durations(intervals[of_kind], seen & should or seen)
        found.append(replace(look, comparison=comparison))
    return found


def _scores(looks: Iterable[Look], should: frozenset[str]) -> dict[str, float]:
    """The largest score of each node of which any of these comparisons can tell."""
    found: dict[str, float] = {}
    for look in looks:
        told = {
            node.host: node.score for node in look.comparison.nodes if node.indicted is not None
        }
        master = look.comparison.master
        if master is not None and master.alarm is not None:
            # A master that is late is late for each of them, and none of them differs by it.
            late = master.rate / hb_delay.MOST.value
            for host in should.union(told):
                told[host] = max(told.get(host, 0.0), late)
        for host, score in told.items():
            found[host] = max(found.get(host, 0.0), score)
    return found
