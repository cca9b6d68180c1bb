"""`wb-durations`: nodes on which the same work takes longer than on their peers.

Definition. Kahuna-WB and Blimey-WB compare, node with node, how the durations of a state (map,
reduce, reading and writing a block) are distributed, and indict a node that differs from most
others (Tan et al., "Kahuna", NOMS 2010; Pan et al., "Blind Men and the Elephant", HotCloud 2009).
Here a node stands for a state by a *low quantile* of its durations, and is indicted where it is of
the slower of two groups of nodes, that group is a minority, and the two are far apart.

Where it departs from the papers, and why:

- The papers' distance of whole distributions also indicts nodes that *wait* for a sick one (the
  other replicas of a pipeline, a reducer that copies from it). A sick node is slow always, a node
  that waits is slow only in such company: its fastest fifth is as fast as anyone's.
- The papers' majority rule takes the median distance to the others, which large minorities of sick
  nodes shift; two groups on one axis stay apart up to the half.
- Distances have no scale that carries over from one run to another, so that thresholds learnt on
  one run raise false alarms in the next; a ratio within the run has one.
- What differs, but without a slower minority, is withheld: there is no healthy majority.
- An interval that has not ended counts with the time it has run, once that is long among those
  that have: a hang never ends.
- A node that nothing was heard of while its peers were at work is indicted for its silence; that
  it should be there must come from outside.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.peers.comparison import Comparison, NodeStanding, Observation
from mprof.peers.groups_of_nodes import Split, differ, split
from mprof.threshold import Threshold

__all__ = ["DETECTOR", "DURATION_THRESHOLDS", "Durations", "compare_durations"]

DETECTOR: Final = "wb-durations"

LOW_QUANTILE = Threshold(
    "low quantile",
    0.20,
    "quantile of a node's durations",
    "with two sick nodes of five, a third of the pipelines of three replicas that a healthy node "
    "is in have no sick one: its fastest fifth is among them",
)

LEAST_INTERVALS = Threshold(
    "least intervals",
    5.0,
    "intervals a node and state",
    "the low quantile of fewer is their smallest, which chance decides",
)

SIGNIFICANCE = Threshold(
    "significance",
    0.001,
    "chance of calling nodes different that are alike",
    "one state of one run in a thousand; healthy nodes differ by more than chance allows too, so "
    "this alone indicts nobody",
)

LEAST_RATIO = Threshold(
    "least ratio",
    1.5,
    "times the durations of the faster group",
    "healthy nodes of one model differ by less than a third (13 controls of TraceBench); half as "
    "long again is what an owner of a job notices",
)

WITHHELD_RATIO = Threshold(
    "withheld ratio",
    1.25,
    "times the durations of the faster group",
    "where most nodes are sick the healthy ones wait for them, and the groups come closer; below "
    "it the nodes differ by what healthy ones do",
)

LARGEST_MINORITY = Threshold(
    "largest minority",
    0.45,
    "share of the nodes",
    "peers say what is normal as long as most of them are well; the room up to the half is for a "
    "node or two that were put into the wrong group",
)

SHARE_OF_WORK = Threshold(
    "share of the work",
    0.05,
    "share of the time that all nodes were at work",
    "what takes one part in twenty of the time slows nothing down; short operations are mixtures, "
    "such as connecting to the next node of a pipeline, which the last one has not",
)

HEARD_OF_NEARLY_ALL = Threshold(
    "heard of nearly all",
    0.05,
    "quantile of the intervals that a node has",
    "silence tells something where nearly every other node had as many intervals as are needed to "
    "compare it",
)

LONG_SINCE = Threshold(
    "long since",
    0.95,
    "quantile of the durations of intervals that ended",
    "what still runs after the time in which nineteen of twenty end is late, whenever it ends",
)

WINDOW_SECONDS = Threshold(
    "window",
    300.0,
    "s",
    "long enough for a node to end several tasks or writes; since when a node differs is told as "
    "exactly as this",
)

WINDOWS_IN_A_ROW = Threshold(
    "windows in a row",
    3.0,
    "windows",
    "a fault that came late is seen in windows only; in one or two, a node that waits for others "
    "may have had no work without them (4 of 1,350 healthy nodes of TraceBench with 2, none with "
    "3)",
)

DURATION_THRESHOLDS: Final = (
    LOW_QUANTILE, LEAST_INTERVALS, SIGNIFICANCE, LEAST_RATIO, WITHHELD_RATIO, LARGEST_MINORITY,
    SHARE_OF_WORK, HEARD_OF_NEARLY_ALL, LONG_SINCE, WINDOW_SECONDS, WINDOWS_IN_A_ROW,
)  # fmt: skip
"""Every free parameter of the detector."""

_SHORTEST_S: Final = 1e-6  # clocks give 0 for what is shorter than their tick
_LEAST_PEERS: Final = 3  # of two nodes nobody can say which is the odd one


@dataclass(frozen=True, slots=True)
class Durations:
    """What one state showed in one stretch of time.

    Attributes:
        state: its name.
        low: low quantile of each node with enough intervals, seconds.
        medians: their medians, seconds.
        groups: the two groups of these nodes; None where the nodes do not differ.
    """

    state: str
    low: pd.Series[float]
    medians: pd.Series[float]
    groups: Split | None

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
        return self.groups is not None and self.groups.share <= LARGEST_MINORITY.value

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


def compare_durations(intervals: pd.DataFrame, hosts: Iterable[str] = ()) -> Comparison:
    """Compare how long the same work takes on each node.

    Args:
        intervals: of one cluster, columns as in ``INTERVAL_COLUMNS``; a state is compared within
            its group only.
        hosts: nodes that should be there; those with intervals are added.
    """
    seen = set(intervals["host"])
    expected = sorted(set(hosts) | seen)
    if len(seen) < _LEAST_PEERS:
        return Comparison(DETECTOR, (), withheld=_too_few(len(seen), len(expected)))
    whole = _states(intervals)
    if not whole:
        why = f"no state has {LEAST_INTERVALS.value:.0f} intervals on {_LEAST_PEERS} nodes"
        return Comparison(DETECTOR, (), withheld=why)
    silent = _silent(intervals, expected)
    disputed = next((each for each in whole if each.is_withheld), None)
    if disputed is not None:
        assert disputed.groups is not None  # noqa: S101 - is_withheld said so
        return Comparison(
            DETECTOR,
            tuple(_of_silence(host) for host in silent),
            withheld=(
                f"no healthy majority: {disputed.state} takes {disputed.groups.ratio:.1f} times "
                f"as long on {disputed.groups.slow.sum()} of {len(disputed.low)} nodes as on the "
                "others"
            ),
        )
    alarms = _alarms(intervals)
    nodes = [
        _of_silence(host) if host in silent else _standing(host, whole, alarms.get(host, ()))
        for host in expected
    ]
    nodes.sort(key=lambda node: (not node.indicted, -node.score, node.host))
    return Comparison(DETECTOR, tuple(nodes), windows=_windows_of(intervals).nunique())


def _too_few(seen: int, expected: int) -> str:
    if seen == 0:
        return "nothing to compare: no intervals of any node"
    return f"nothing to compare: intervals of {seen} of {expected} nodes"


def _states(intervals: pd.DataFrame) -> tuple[Durations, ...]:
    """What each state showed, of those that take much of the time."""
    counted = _counted(intervals)
    by_state = counted.groupby(["group", "state"], sort=True)
    work = counted["seconds"].sum()
    found = []
    for (_, state), rows in by_state:
        if rows["seconds"].sum() < SHARE_OF_WORK.value * work:
            continue
        by_host = rows.groupby("host", sort=True)["seconds"]
        enough = by_host.size()[lambda sizes: sizes >= LEAST_INTERVALS.value].index
        if len(enough) < _LEAST_PEERS:
            continue
        samples: list[NDArray[np.float64]] = [by_host.get_group(host).to_numpy() for host in enough]
        low = pd.Series([np.quantile(each, LOW_QUANTILE.value) for each in samples], index=enough)
        medians = pd.Series([np.median(each) for each in samples], index=enough)
        groups = None
        if differ(samples, significance=SIGNIFICANCE.value):
            groups = split(np.asarray(low, dtype=np.float64))
        found.append(Durations(str(state), low, medians, groups))
    return tuple(found)


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


def _silent(intervals: pd.DataFrame, expected: list[str]) -> tuple[str, ...]:
    """Nodes without an interval, where nearly all others have enough of them."""
    counts = intervals.groupby("host").size()
    heard = float(counts.quantile(HEARD_OF_NEARLY_ALL.value))
    if heard < LEAST_INTERVALS.value:
        return ()
    return tuple(host for host in expected if host not in counts.index)


def _of_silence(host: str) -> NodeStanding:
    silence = Observation("intervals", 0.0, LEAST_INTERVALS.value, "at least")
    return NodeStanding(host, indicted=True, score=math.inf, observations=(silence,))


def _windows_of(intervals: pd.DataFrame) -> pd.Series[float]:
    first = intervals["started_s"].min()
    numbers: pd.Series[float] = (intervals["started_s"] - first) // WINDOW_SECONDS.value
    return numbers


def _alarms(intervals: pd.DataFrame) -> dict[str, tuple[float, ...]]:
    """Start of each window in which a node was in alarm."""
    found: dict[str, list[float]] = {}
    first = float(intervals["started_s"].min())
    for number, rows in intervals.groupby(_windows_of(intervals)):
        start = first + float(str(number)) * WINDOW_SECONDS.value
        for host in {host for state in _states(rows) for host in state.slow}:
            found.setdefault(host, []).append(start)
    return {host: tuple(starts) for host, starts in found.items()}


def _standing(host: str, whole: tuple[Durations, ...], alarms: tuple[float, ...]) -> NodeStanding:
    compared = [state for state in whole if host in state.low.index]
    if not compared:
        why = f"fewer than {LEAST_INTERVALS.value:.0f} intervals of any state"
        return NodeStanding(host, indicted=None, score=0.0, why_not=why)
    slow = [state for state in compared if host in state.slow]
    late = _in_a_row(alarms) >= WINDOWS_IN_A_ROW.value
    ratios = {state.state: _ratio(state, host) for state in compared}
    worst = max(ratios.values())
    observations = tuple(
        Observation(state.state, float(state.medians[host]), state.usual_median, "s")
        for state in sorted(slow, key=lambda each: (-ratios[each.state], each.state))
    )
    return NodeStanding(
        host,
        indicted=bool(slow) or late,
        score=worst / LEAST_RATIO.value,
        since_s=alarms[0] if alarms else None,
        observations=observations,
    )


def _ratio(state: Durations, host: str) -> float:
    usual = state.usual_low if state.has_minority else float(state.low.median())
    return float(state.low[host]) / usual


def _in_a_row(starts: tuple[float, ...]) -> int:
    """The most windows that follow each other."""
    longest = run = 1 if starts else 0
    for one, other in pairwise(starts):
        run = run + 1 if math.isclose(other - one, WINDOW_SECONDS.value) else 1
        longest = max(longest, run)
    return longest
