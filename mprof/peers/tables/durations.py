"""How long a state takes on each node, and into which groups the nodes fall by it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from mprof.peers.statistics.groups_of_nodes import (
    Figures,
    Split,
    differ,
    few_are_larger,
    split,
)
from mprof.threshold import Threshold

__all__ = [
    "LEAST_INTERVALS",
    "LEAST_PEERS",
    "LEAST_RATIO",
    "THRESHOLDS_OF_STATES",
    "Durations",
    "states_of",
]

LOW_QUANTILE = Threshold(
    "wb-durations.low-quantile",
    0.20,
    "quantile of a node's durations",
    "with two sick nodes of five, a third of the pipelines of three replicas that a healthy node "
    "is in have no sick one: its fastest fifth is among them",
    most=1.0,
)

LEAST_INTERVALS = Threshold(
    "wb-durations.least-intervals",
    5.0,
    "intervals a node and state",
    "the low quantile of fewer is their smallest, which chance decides",
)

FEW_AND_LONG = Threshold(
    "wb-durations.few-and-long",
    3.0,
    "intervals a node and state",
    "a slow node is given less to do; where all of its intervals are longer than chance allows, so "
    "many are enough, and of two that can never be said",
)

SIGNIFICANCE = Threshold(
    "wb-durations.significance",
    0.001,
    "chance of calling nodes different that are alike",
    "one state of one run in a thousand; healthy nodes differ by more than chance allows too, so "
    "this alone indicts nobody",
    most=1.0,
)

LEAST_RATIO = Threshold(
    "wb-durations.least-ratio",
    1.4,
    "times the durations of the faster group",
    "healthy nodes of one model differ by less than a third (13 controls of TraceBench); of 132 "
    "nodes in 22 controls of the testbed none is named by 1.25 either",
)

WITHHELD_RATIO = Threshold(
    "wb-durations.withheld-ratio",
    1.25,
    "times the durations of the faster group",
    "where most nodes are sick the healthy ones wait for them, and the groups come closer; below "
    "it the nodes differ by what healthy ones do",
)

LARGEST_MINORITY = Threshold(
    "wb-durations.largest-minority",
    0.45,
    "share of the nodes",
    "peers say what is normal as long as most of them are well; the room up to the half is for a "
    "node or two that were put into the wrong group",
)

SHARE_OF_WORK = Threshold(
    "wb-durations.share-of-the-work",
    0.05,
    "share of the time that all nodes were at work",
    "what takes one part in twenty of the time slows nothing down; short operations are mixtures, "
    "such as connecting to the next node of a pipeline, which the last one has not",
)

LONG_SINCE = Threshold(
    "wb-durations.long-since",
    0.95,
    "quantile of the durations of intervals that ended",
    "what still runs after the time in which nineteen of twenty end is late, whenever it ends",
    most=1.0,
)

THRESHOLDS_OF_STATES: Final = (
    LOW_QUANTILE, LEAST_INTERVALS, FEW_AND_LONG, SIGNIFICANCE, LEAST_RATIO, WITHHELD_RATIO,
    LARGEST_MINORITY, SHARE_OF_WORK, LONG_SINCE,
)  # fmt: skip

LEAST_PEERS: Final = 3
"""Of two nodes nobody can say which is the odd one."""

_SHORTEST_S: Final = 1e-6  # clocks give 0 for what is shorter than their tick


@dataclass(frozen=True, slots=True)
class Durations:
    """What one state showed in one stretch of time.

    Attributes:
        state: its name.
        low: low quantile of each node with enough intervals, seconds.
        medians: their medians, seconds.
        groups: the two groups of these nodes; None where the nodes do not differ.
        shortest: of the nodes with too few intervals to be compared the shortest of them, seconds.
    """

    state: str
    low: pd.Series[float]
    medians: pd.Series[float]
    groups: Split | None
    shortest: pd.Series[float]

    @property
    def slow(self) -> tuple[str, ...]:
        """Nodes of a slower minority that is far from the others."""
        groups = self.groups
        if groups is None or not self.has_minority or groups.ratio < LEAST_RATIO.value:
            return ()
        far = self.low.to_numpy() >= LEAST_RATIO.value * self.usual_low
        return tuple(self.low.index[groups.slow & far])

    @property
    def has_minority(self) -> bool:
        """Whether the slower nodes are few enough to be the exception."""
        return self.groups is not None and self.slower <= LARGEST_MINORITY.value * self.nodes

    @property
    def slower(self) -> int:
        """The number of slower nodes: of the slower group, or with few intervals that are long."""
        return 0 if self.groups is None else int(self.groups.slow.sum()) + self._few_and_slow

    @property
    def nodes(self) -> int:
        """The number of nodes with any interval."""
        return len(self.low) + len(self.shortest)

    @property
    def _few_and_slow(self) -> int:
        return int((self.shortest >= LEAST_RATIO.value * self.usual_median).sum())

    @property
    def is_withheld(self) -> bool:
        """Whether the nodes fall into two groups, and the slower one is no minority."""
        groups = self.groups
        return (
            groups is not None and not self.has_minority and (groups.ratio >= WITHHELD_RATIO.value)
        )

    @property
    def usual_low(self) -> float:
        """Median of the low quantiles of the faster group."""
        groups = self.groups
        return float(self.low[~groups.slow].median()) if groups is not None else math.nan

    @property
    def usual_median(self) -> float:
        """Median of the medians of the faster group."""
        groups = self.groups
        return float(self.medians[~groups.slow].median()) if groups is not None else math.nan


def states_of(intervals: pd.DataFrame) -> tuple[Durations, ...]:
    """What each state showed, of those that take much of the time."""
    counted = _counted(intervals)
    by_state = counted.groupby(["group", "state"], sort=True)
    work = counted["seconds"].sum()
    found = []
    for (_, state), rows in by_state:
        if rows["seconds"].sum() < SHARE_OF_WORK.value * work:
            continue
        by_host = rows.groupby("host", sort=True)["seconds"]
        every = {str(host): seconds.to_numpy() for host, seconds in by_host}
        enough = {host for host, each in every.items() if len(each) >= LEAST_INTERVALS.value}
        if len(enough) < LEAST_PEERS:
            continue
        long = _few_and_long(every, enough)
        samples = {host: each for host, each in every.items() if host in enough | long}
        hosts = pd.Index(samples, name="host")
        figures = list(samples.values())
        low = pd.Series([np.quantile(each, LOW_QUANTILE.value) for each in figures], index=hosts)
        medians = pd.Series([np.median(each) for each in figures], index=hosts)
        groups = None
        if long or differ(figures, significance=SIGNIFICANCE.value):
            groups = split(np.asarray(low, dtype=np.float64))
        few = {host: each.min() for host, each in every.items() if host not in samples}
        shortest = pd.Series(few, dtype=float)
        found.append(Durations(str(state), low, medians, groups, shortest))
    return tuple(found)


def _few_and_long(every: dict[str, Figures], enough: set[str]) -> set[str]:
    """Nodes with few intervals, which are long: it may be why they are few.

    Args:
        every: the durations of each node.
        enough: nodes with enough intervals to be compared by a quantile.
    """
    usual = np.concatenate([every[host] for host in sorted(enough)])
    significance = SIGNIFICANCE.value / len(every)
    return {
        host
        for host, each in every.items()
        if FEW_AND_LONG.value <= len(each) < LEAST_INTERVALS.value
        and few_are_larger(each, usual, significance=significance)
    }


def _counted(intervals: pd.DataFrame) -> pd.DataFrame:
    """Intervals that ended, and those that have run for long without it."""
    known = intervals[intervals["seconds"].notna()]
    ended = known[known["ended"].astype(bool)]
    running = known[~known["ended"].astype(bool)]
    if not running.empty:
        usual = ended.groupby(["group", "state"])["seconds"].quantile(LONG_SINCE.value)
        late = [
            seconds > usual.get((group, state), math.inf)
            for group, state, seconds in zip(
                running["group"], running["state"], running["seconds"], strict=True
            )
        ]
        ended = pd.concat([ended, running[late]])
    return ended.assign(seconds=ended["seconds"].clip(lower=_SHORTEST_S))
