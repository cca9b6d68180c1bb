"""How long a state takes on each node, on which it takes longer than on the rest, and when."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import false_discovery_control, rankdata

from mprof.peers.statistics.against_the_rest import (
    chance_of_larger,
    chances_of_larger,
    high_stretches,
    visible_factors,
)
from mprof.peers.statistics.groups_of_nodes import Figures, differ, few_are_larger, split
from mprof.peers.tables.intervals import NumberedIntervals, part_of_work
from mprof.threshold import Threshold

__all__ = [
    "LEAST_INTERVALS",
    "LEAST_PEERS",
    "LEAST_RATIO",
    "THRESHOLDS_OF_STATES",
    "Durations",
    "Stretch",
    "states_of",
]

LOW_QUANTILE = Threshold(
    "wb-durations.low-quantile",
    0.20,
    "quantile of a node's durations",
    "if two of five nodes are sick, a third of the pipelines of three replicas that a healthy node "
    "is in have no sick node: its fastest fifth is among them",
    most=1.0,
)

LEAST_INTERVALS = Threshold(
    "wb-durations.least-intervals",
    5.0,
    "intervals a node and state",
    "with fewer, the low quantile is the smallest value, which chance decides",
)

FEW_AND_LONG = Threshold(
    "wb-durations.few-and-long",
    3.0,
    "intervals a node and state",
    "a slow node is given less to do; three intervals are enough if all of them are longer than "
    "chance allows, which two can never show",
)

SIGNIFICANCE = Threshold(
    "wb-durations.significance",
    0.01,
    "chance of calling any node of a run slower by more than the margin",
    "divided by the number of nodes, states and stretches of time that are looked at; the margin "
    "covers the differences between healthy nodes",
    most=1.0,
)

MARGIN = Threshold(
    "wb-durations.margin",
    1.1,
    "times the durations of the others",
    "in the controls of TraceBench, of 1,800 node-states the one that differs most has a chance of "
    "0.01 with this margin; without a margin it has one in 100,000",
)

LEAST_RATIO = Threshold(
    "wb-durations.least-ratio",
    1.4,
    "times the low quantile of the other nodes",
    "healthy nodes of one model differ by less than a third (13 controls of TraceBench); of 132 "
    "nodes in 22 controls of the testbed none is named even with 1.25",
)

WITHHELD_RATIO = Threshold(
    "wb-durations.withheld-ratio",
    1.25,
    "times the durations of the faster group",
    "if most nodes are sick, the healthy ones wait for them, and the groups come closer; below "
    "this value nodes differ no more than healthy ones do",
)

LARGEST_MINORITY = Threshold(
    "wb-durations.largest-minority",
    0.45,
    "share of the nodes",
    "peers show what is normal as long as most of them are well; the distance to a half allows for "
    "a node or two that were put into the wrong group",
)

SHARE_OF_WORK = Threshold(
    "wb-durations.share-of-the-work",
    0.05,
    "share of the time that all attempts of a kind, or all operations, took",
    "a part of the work that takes one part in twenty of its time slows nothing down; short "
    "operations are mixtures, such as connecting to the next node of a pipeline, which the last "
    "node does not do",
)

LONG_SINCE = Threshold(
    "wb-durations.long-since",
    0.95,
    "quantile of the durations of intervals that ended",
    "an interval that still runs after the time in which nineteen of twenty end is late, whenever "
    "it ends",
    most=1.0,
)

DRIFT = Threshold(
    "wb-durations.drift",
    0.62,
    "mean rank among the peers, of 1",
    "between 0.5, the rank of a node like its peers, and 0.72, that of one 1.5 times slower: a "
    "stretch of time goes on as long as ranks are above this value",
    most=1.0,
)

FEW_ARE_LARGER = Threshold(
    "wb-durations.few-are-larger", 0.001, "chance that a node's few intervals are so long",
    "three intervals have no quantile that says how much longer they are", most=1.0,
)  # fmt: skip
OF_A_GROUP = Threshold(
    "wb-durations.of-a-group", 0.2, "chance of a node of a slower group",
    "the slowness of its group is far beyond chance, so a node of it must only not be the "
    "exception",
    most=1.0,
)  # fmt: skip
GROUPS_DIFFER = Threshold(
    "wb-durations.groups-differ", 0.001, "chance that so many different nodes are alike",
    "one state of one run in a thousand", most=1.0,
)  # fmt: skip
A_NODE_AND_BLOCK = Threshold(
    "wb-durations.a-node-and-block", 4, "intervals a node, within which ranks are taken",
    "short enough that a time in which everything is slow is slow for all of them",
)  # fmt: skip
FEWEST_A_BLOCK = Threshold(
    "wb-durations.fewest-a-block", 100, "intervals, within which ranks are taken",
    "a rank is then exact to one part in a hundred",
)  # fmt: skip
WORTH_A_TEST = Threshold(
    "wb-durations.worth-a-test", 4, "standard deviations of a mean rank",
    "below it no test of a stretch would pass, with as many comparisons as there are stretches",
)  # fmt: skip

THRESHOLDS_OF_STATES: Final = (
    LOW_QUANTILE, LEAST_INTERVALS, FEW_AND_LONG, SIGNIFICANCE, LEAST_RATIO, WITHHELD_RATIO,
    MARGIN, LARGEST_MINORITY, SHARE_OF_WORK, LONG_SINCE, DRIFT,
    FEW_ARE_LARGER, OF_A_GROUP, GROUPS_DIFFER, A_NODE_AND_BLOCK, FEWEST_A_BLOCK, WORTH_A_TEST,
)  # fmt: skip

LEAST_PEERS: Final = 3
"""Of two nodes nobody can say which is the odd one."""

_POWER: Final = 0.95
"""Of nodes that are as slow as is said to be visible, the share that is seen."""
_NEAR: Final = 0.1  # quantiles on both sides of the low one

_SHORTEST_S: Final = 1e-6  # clocks give 0 for what is shorter than their tick


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time in which a node was slow.

    Attributes:
        begin_s: of the first of its intervals.
        end_s: of the last of them.
        lasts: it began none that was as fast as usual later.
        own: median of its durations then, seconds.
        usual: that of the others, seconds.
        ratio: of the low quantiles.
    """

    begin_s: float
    end_s: float
    lasts: bool
    own: float
    usual: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Durations:
    """What one state showed.

    Attributes:
        state: its name.
        low: low quantile of each node with enough intervals, by its name, seconds.
        slow: nodes that are slower than the rest, and when.
        chances: of each of these, that chance made any node look so.
        visible: of each node, how many times slower it would have had to be to be seen in 19 of 20
            cases; infinite where no slowness would be.
        nodes: the number of nodes with any interval.
        slower: the number of nodes that are slow, or have few intervals and these are long.
        usual_low: median of the low quantiles of nodes that are not slow, seconds.
        apart: how many times as long it takes on the slower one of two groups of nodes, of which
            it is no minority; NaN where there are no such groups.
        in_slower_group: the number of nodes of that group.
    """

    state: str
    low: dict[str, float]
    slow: dict[str, tuple[Stretch, ...]]
    chances: dict[str, float]
    visible: dict[str, float]
    nodes: int
    slower: int
    usual_low: float
    apart: float = math.nan
    in_slower_group: int = 0

    @property
    def is_withheld(self) -> bool:
        """Whether nodes differ and the slower ones are no minority."""
        return self.slower > LARGEST_MINORITY.value * self.nodes or not math.isnan(self.apart)

    @property
    def why_withheld(self) -> str:
        """How many nodes are slower, and how much."""
        worst = [each.ratio for every in self.slow.values() for each in every]
        times = self.apart if not worst or not math.isnan(self.apart) else float(np.median(worst))
        number = max(self.slower, self.in_slower_group)
        if math.isnan(times):  # of few and long intervals no quantile is known
            return f"{self.state} takes longer on {number} of {self.nodes} nodes than on the others"
        return (
            f"{self.state} takes {times:.1f} times as long on {number} of {self.nodes} nodes as on"
            " the others"
        )


@dataclass(frozen=True, slots=True)
class _Sample:
    """The intervals of one state, in the order of their begins.

    Attributes:
        hosts: names of the nodes.
        node: number of the node of each interval.
        at_s: when it began.
        seconds: how long it took.
    """

    hosts: tuple[str, ...]
    node: NDArray[np.intp]
    at_s: NDArray[np.float64]
    seconds: NDArray[np.float64]

    @property
    def counts(self) -> NDArray[np.intp]:
        return np.bincount(self.node, minlength=len(self.hosts))

    def places(self) -> list[NDArray[np.intp]]:
        """The places of each node's intervals, in the order of time."""
        order = np.argsort(self.node, kind="stable")
        return np.split(order, np.cumsum(self.counts)[:-1])

    def of_each(self) -> list[Figures]:
        """The durations of each node, in the order of time."""
        return [self.seconds[places] for places in self.places()]


def states_of(intervals: NumberedIntervals) -> tuple[Durations, ...]:
    """What each state showed, of those that take much of the time."""
    kind, places, seconds = _counted(intervals)
    order = np.argsort(kind, kind="stable")
    kind, places, seconds = kind[order], places[order], seconds[order]
    occur, first = np.unique(kind, return_index=True)
    bounds = pairwise([*first.tolist(), len(kind)])
    every = [
        (intervals.kinds[one][1], slice(begin, end))
        for one, (begin, end) in zip(occur.tolist(), bounds, strict=True)
    ]
    large = [each for each, is_large in zip(every, _are_large(every, seconds), strict=True)
             if is_large]  # fmt: skip
    found = (
        _of_state(state, intervals, places[part], seconds[part], looks=len(large))
        for state, part in large
    )
    return tuple(each for each in found if each is not None)


def _are_large(states: list[tuple[str, slice]], seconds: Figures) -> list[bool]:
    """Of each state whether its part of the work is large; states may be the same part."""
    of_work: defaultdict[str, float] = defaultdict(float)
    of_part: defaultdict[tuple[str, str], float] = defaultdict(float)
    for state, places in states:
        part, took_s = part_of_work(state), float(seconds[places].sum())
        of_work[part[0]] += took_s
        of_part[part] += took_s
    parts = [part_of_work(state) for state, _ in states]
    return [of_part[part] >= SHARE_OF_WORK.value * of_work[part[0]] for part in parts]


def _of_state(
    state: str, intervals: NumberedIntervals, places: NDArray[np.intp], seconds: Figures, *,
    looks: int,
) -> Durations | None:  # fmt: skip
    host, started_s = intervals.host[places], intervals.started_s[places]
    heard = np.bincount(host, minlength=len(intervals.hosts))
    if (heard >= LEAST_INTERVALS.value).sum() < LEAST_PEERS:
        return None
    order = np.lexsort((seconds, host, started_s))
    hosts = np.flatnonzero(heard)
    sample = _Sample(
        tuple(intervals.hosts[one] for one in hosts.tolist()),
        np.searchsorted(hosts, host[order]),
        started_s[order],
        seconds[order],
    )
    node = sample.node
    counts = sample.counts
    enough = counts >= LEAST_INTERVALS.value
    each = sample.of_each()
    lows = np.array([np.quantile(one, LOW_QUANTILE.value) for one in each])
    long = _few_and_long(each, enough)
    significance = SIGNIFICANCE.value / looks
    groups = _two_groups(each, enough | long)
    slow, chances = _throughout(sample, lows, enough, long, groups, significance)
    stretches = _at_times(sample, ~slow, enough, significance)
    for one in stretches:
        chances[one] = stretches[one][1]
    usual = enough & ~slow
    usual_low = float(np.median(lows[usual])) if usual.any() else math.nan
    few = ~(enough | long)
    usual_s = sample.seconds[usual[node]]
    usual_median = float(np.median(usual_s)) if len(usual_s) else math.nan
    shortest = np.array([one.min() for one in each])
    few_and_slow = few & (shortest >= LEAST_RATIO.value * usual_median)
    named = {
        **{one: _whole_stretch(sample, one, usual_s) for one in np.flatnonzero(slow).tolist()},
        **{one: found for one, (found, _) in stretches.items()},
    }  # fmt: skip
    in_slower = 0 if groups is None else int(groups.slow.sum() + few_and_slow.sum())
    is_apart = groups is not None and groups.ratio >= WITHHELD_RATIO.value
    is_no_minority = is_apart and in_slower > LARGEST_MINORITY.value * len(hosts)
    visible = _visible(usual_s, counts, chance=significance / len(hosts))
    judged = np.flatnonzero(enough | long).tolist()
    return Durations(
        state=state,
        low={sample.hosts[one]: float(lows[one]) for one in judged},
        slow={sample.hosts[one]: found for one, found in named.items()},
        chances={sample.hosts[one]: chances[one] * looks for one in named},
        visible=dict(zip(sample.hosts, visible.tolist(), strict=True)),
        nodes=len(hosts),
        slower=len(named) + int(few_and_slow.sum()),
        usual_low=usual_low,
        apart=groups.ratio if groups is not None and is_no_minority else math.nan,
        in_slower_group=in_slower if is_no_minority else 0,
    )


def _visible(usual_s: Figures, counts: NDArray[np.intp], *, chance: float) -> Figures:
    """How many times slower a node with so many intervals must be to be seen, by both conditions.

    By the test of all its intervals, and by its low quantile, whose deviation is that of a quantile
    of as many values as the others have (of logarithms, by the slope between neighbouring ones).
    """
    if not len(usual_s):
        return np.full(len(counts), math.inf)
    near = np.clip(LOW_QUANTILE.value + np.array([-_NEAR, _NEAR]), 0.0, 1.0)
    slope = float(np.diff(np.log(np.quantile(usual_s, near)))[0] / np.diff(near)[0])
    share = LOW_QUANTILE.value * (1 - LOW_QUANTILE.value)
    spread = slope * np.sqrt(share / np.maximum(counts, 1))
    by_test = visible_factors(
        usual_s, counts, others=len(usual_s), margin=MARGIN.value, chance=chance, power=_POWER
    )
    return np.asarray(
        np.maximum(LEAST_RATIO.value * np.exp(ndtri(_POWER) * spread), by_test), dtype=np.float64
    )


def _throughout(
    sample: _Sample, lows: Figures, enough: NDArray[np.bool_], long: NDArray[np.bool_],
    groups: _Groups | None, significance: float,
) -> tuple[NDArray[np.bool_], dict[int, float]]:  # fmt: skip
    """The nodes that are slower than the rest over all the time, and the chance of each.

    Each is compared with all others; then those that were found are left out, and the others are
    compared anew, so that slow nodes do not hide each other. A node of a slower group that is
    far from the others as a whole needs less to be seen by itself.
    """
    of_group = np.zeros(len(lows), dtype=np.bool_) if groups is None else groups.minority
    slow = np.zeros(len(lows), dtype=np.bool_)
    found: dict[int, float] = {}
    while slow.sum() <= LARGEST_MINORITY.value * len(lows):
        usual = float(np.median(lows[enough & ~slow]))
        chances = false_discovery_control(
            chances_of_larger(sample.seconds, sample.node, among=~slow, margin=MARGIN.value)
        )
        far = ~slow & (lows >= LEAST_RATIO.value * usual)
        new = far & (
            long | (enough & (chances < np.where(of_group, OF_A_GROUP.value, significance)))
        )
        if not new.any() or not (enough & ~slow & ~new).any():
            break
        found |= {
            int(one): FEW_ARE_LARGER.value
            if long[one]
            else min(float(chances[one]), GROUPS_DIFFER.value if of_group[one] else 1.0)
            for one in np.flatnonzero(new)
        }
        slow |= new
    return slow, found


def _at_times(
    sample: _Sample, others: NDArray[np.bool_], enough: NDArray[np.bool_], significance: float
) -> dict[int, tuple[tuple[Stretch, ...], float]]:
    """The nodes that were slow in some stretches of the time, and the chance of each."""
    scores = _ranks(sample) - DRIFT.value
    found: dict[int, tuple[tuple[Stretch, ...], float]] = {}
    kept = np.flatnonzero(others[sample.node])
    at_s, seconds, node = sample.at_s[kept], sample.seconds[kept], sample.node[kept]
    of_each = sample.places()
    fewest, drift, worth = LEAST_INTERVALS.value, DRIFT.value, WORTH_A_TEST.value
    for one in np.flatnonzero(others & enough):
        mine = of_each[one]
        own = scores[mine]
        ways = len(mine) * (len(mine) + 1) / 2 * len(sample.hosts)
        told = []
        best = 1.0
        for begin, end in high_stretches(own):
            count = end - begin
            if count < fewest:
                continue
            mean = float(own[begin:end].mean()) + drift - 0.5
            if mean * math.sqrt(12 * count) < worth:
                continue
            places = mine[begin:end]
            first, last = np.searchsorted(
                at_s, (sample.at_s[places[0]], sample.at_s[places[-1]]), side="left"
            )
            around = slice(first, max(last, first + 1))
            peers = seconds[around][node[around] != one]
            chance = ways * chance_of_larger(sample.seconds[places], peers, margin=MARGIN.value)
            if chance >= significance:
                continue
            stretch = _stretch(sample, places, peers, lasts=end == len(mine))
            if stretch.ratio >= LEAST_RATIO.value:
                told.append(stretch)
                best = min(best, chance)
        if told:
            found[int(one)] = (tuple(told), best)
    return found


def _whole_stretch(sample: _Sample, one: int, usual: Figures) -> tuple[Stretch, ...]:
    """Since when, and until when, a node that is slow over all the time was so most of all."""
    mine = np.flatnonzero(sample.node == one)
    scores = _ranks(sample)[mine] - DRIFT.value
    stretches = high_stretches(scores) or [(0, len(mine))]
    begin, end = max(stretches, key=lambda part: float(scores[part[0] : part[1]].sum()))
    whole = _stretch(sample, mine, usual, lasts=end == len(mine))
    part = mine[begin:end]
    begin_s, end_s = float(sample.at_s[part[0]]), _end_s(sample, part[-1])
    return (replace(whole, begin_s=begin_s, end_s=end_s),)


def _end_s(sample: _Sample, place: int) -> float:
    return float(sample.at_s[place] + sample.seconds[place])


def _stretch(sample: _Sample, places: NDArray[np.intp], peers: Figures, *, lasts: bool) -> Stretch:
    own = sample.seconds[places]
    return Stretch(
        begin_s=float(sample.at_s[places[0]]),
        end_s=_end_s(sample, places[-1]),
        lasts=lasts,
        own=float(np.median(own)),
        usual=float(np.median(peers)),
        ratio=float(np.quantile(own, LOW_QUANTILE.value) / np.quantile(peers, LOW_QUANTILE.value)),
    )


def _ranks(sample: _Sample) -> Figures:
    """Of each interval its rank among those that began at about the same time, from 0 to 1."""
    size = int(max(A_NODE_AND_BLOCK.value * len(sample.hosts), FEWEST_A_BLOCK.value))
    blocks = np.array_split(sample.seconds, max(1, len(sample.seconds) // size))
    return np.concatenate([(rankdata(each) - 0.5) / len(each) for each in blocks])


@dataclass(frozen=True, slots=True)
class _Groups:
    """Two groups of nodes.

    Attributes:
        slow: of each node, whether it is of the slower one.
        ratio: how many times as long it takes on the slower one.
        minority: the nodes of the slower one of the two that all intervals make, where these are
            as far apart as a node must be from the others.
    """

    slow: NDArray[np.bool_]
    ratio: float
    minority: NDArray[np.bool_]


def _two_groups(each: list[Figures], judged: NDArray[np.bool_]) -> _Groups | None:
    """The two groups into which nodes fall; None if they do not differ.

    Any nodes fall into two groups by chance. How far these are apart is therefore told by other
    intervals, every second one, than those by which they were put there.
    """
    samples = [one for one, is_judged in zip(each, judged, strict=True) if is_judged]
    if not differ(samples, significance=GROUPS_DIFFER.value):
        return None
    twice = all(len(one) >= 2 * LEAST_INTERVALS.value for one in samples)
    put, told = (
        np.array([np.quantile(one[part] if twice else one, LOW_QUANTILE.value) for one in samples])
        for part in (slice(0, None, 2), slice(1, None, 2))
    )
    parts = split(put).slow
    slow = np.zeros(len(each), dtype=np.bool_)
    slow[np.flatnonzero(judged)[parts]] = True
    whole = split(np.array([np.quantile(one, LOW_QUANTILE.value) for one in samples]))
    minority = np.zeros(len(each), dtype=np.bool_)
    if whole.ratio >= LEAST_RATIO.value and whole.share <= LARGEST_MINORITY.value:
        minority[np.flatnonzero(judged)[whole.slow]] = True
    ratio = float(np.exp(np.log(told[parts]).mean() - np.log(told[~parts]).mean()))
    return _Groups(slow, ratio, minority)


def _few_and_long(each: list[Figures], enough: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Nodes with few intervals, which are long: it may be why they are few.

    Args:
        each: the durations of each node.
        enough: nodes with enough intervals to be compared by a quantile.
    """
    usual = np.concatenate([one for one, is_enough in zip(each, enough, strict=True) if is_enough])
    significance = FEW_ARE_LARGER.value / len(each)
    return np.array(
        [
            FEW_AND_LONG.value <= len(one) < LEAST_INTERVALS.value
            and few_are_larger(one, usual, significance=significance)
            for one in each
        ]
    )


def _counted(
    intervals: NumberedIntervals,
) -> tuple[NDArray[np.intp], NDArray[np.intp], Figures]:
    """Kind, place and seconds of intervals that ended, and of those that have run for long."""
    known = ~np.isnan(intervals.seconds) & (intervals.kind >= 0)
    ended = np.flatnonzero(known & intervals.ended)
    running = np.flatnonzero(known & ~intervals.ended)
    if len(running):
        usual = np.full(len(intervals.kinds), math.inf)
        for kind in np.unique(intervals.kind[running]).tolist():
            of_kind = intervals.seconds[ended[intervals.kind[ended] == kind]]
            if len(of_kind):
                usual[kind] = np.quantile(of_kind, LONG_SINCE.value)
        late = intervals.seconds[running] > usual[intervals.kind[running]]
        ended = np.concatenate((ended, running[late]))
    return intervals.kind[ended], ended, np.maximum(intervals.seconds[ended], _SHORTEST_S)
