"""From alarms to a verdict: a single alarm is a suspicion, and only repeated ones indict a node.

Ganesha and Blimey both keep an exponentially weighted count of the alarms of each node, and indict
the node whose count passes a threshold. What they do not have is a verdict that is withheld.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mprof.peers.comparison import Comparison, NodeStanding, Observation
from mprof.threshold import Threshold

__all__ = [
    "FEWEST_NODES", "MOST_INDICTED", "Rounds", "alarm_counts", "comparison_of", "too_few_nodes",
    "withheld",
]  # fmt: skip

FEWEST_NODES: Final = Threshold(
    "peers.fewest-nodes", 3, "nodes",
    "of two nodes that differ, neither has a majority on its side",
)  # fmt: skip

MOST_INDICTED: Final = Threshold(
    "peers.most-indicted", 0.25, "share of the nodes",
    "peers alone cannot tell a sick 40 % from a sick 60 %: a part as large as this that differs is"
    " as likely the healthy one, or another kind of machine; one node may always be indicted",
)  # fmt: skip

MOST_INCOMPARABLE: Final = Threshold(
    "peers.most-incomparable", 0.5, "share of the comparisons",
    "nodes that mostly have no majority that agrees were not doing the same work",
)  # fmt: skip

LEAST_SEEN: Final = Threshold(
    "peers.least-seen", 0.8, "share of the comparisons",
    "of a node that was silent for longer, the time that was seen says nothing of the rest",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rounds:
    """Nodes compared again and again; a row a round, a column a node.

    Attributes:
        start_s: start of the time that each round looks at, seconds since the epoch.
        seen: enough was seen of the node to compare it.
        differs: the node is in alarm.
        agree: whether the nodes of a round have a majority to differ from; a round without one
            counts for nobody.
    """

    start_s: NDArray[np.float64]
    seen: NDArray[np.bool_]
    differs: NDArray[np.bool_]
    agree: NDArray[np.bool_]


def withheld(
    detector: str, why: str, left_out: tuple[str, ...] = (), *, disputed: bool = False
) -> Comparison:
    """A verdict on no node."""
    return Comparison(detector, (), withheld=why, left_out=left_out, disputed=disputed)


def too_few_nodes(
    detector: str, number: int, left_out: tuple[str, ...] = (), *, that: str = ""
) -> Comparison:
    """No verdict, since so few nodes can be compared.

    Args:
        detector: its name.
        number: of nodes.
        left_out: metrics that were not compared.
        that: what they do, with a space before it, where nodes alone would not say it.
    """
    need = f"{FEWEST_NODES.value:.0f} nodes that a comparison needs"
    return withheld(detector, f"{number} of the {need}{that}", left_out)


def alarm_counts(
    differs: NDArray[np.bool_], counts: NDArray[np.bool_], half_life: float
) -> NDArray[np.float64]:
    """The exponentially weighted number of alarms of each node after each round.

    Args:
        differs: a row a round, a column a node.
        counts: where the round counts for the node; elsewhere its number stays as it is.
        half_life: rounds after which an alarm weighs half.
    """
    decay = 0.5 ** (1 / half_life)
    number = np.zeros(differs.shape[1])
    numbers = np.empty(differs.shape)
    for round_ in range(len(differs)):
        new = number * decay + differs[round_]
        number = np.where(counts[round_], new, number)
        numbers[round_] = number
    return numbers


def comparison_of(
    rounds: Rounds,
    *,
    detector: str,
    hosts: tuple[str, ...],
    half_life: float,
    indicted_above: float,
    observe: Callable[[int, NDArray[np.bool_]], tuple[Observation, ...]],
    left_out: tuple[str, ...] = (),
) -> Comparison:
    """The verdict on all nodes, or why there is none.

    Args:
        rounds: of comparison, in the order of time.
        detector: its name.
        hosts: names of the nodes, as many as columns.
        half_life: of an alarm, in rounds.
        indicted_above: the weighted number of alarms that indicts.
        observe: what differs about a node, given its column and the rounds in which it did.
        left_out: metrics that were not compared.
    """
    if not len(rounds.start_s):
        return withheld(
            detector,
            f"fewer than {FEWEST_NODES.value:.0f} nodes were seen at the same time",
            left_out,
        )
    number = len(rounds.start_s)
    apart = int((~rounds.agree).sum())
    if apart > MOST_INCOMPARABLE.value * number:
        return withheld(
            detector,
            f"in {apart} of {number} comparisons there is no majority of nodes that agree: they do"
            " not do the same work, or most of them are sick",
            left_out,
        )
    counted = rounds.seen & rounds.agree[:, None]
    alarms = rounds.differs & counted
    scores = alarm_counts(alarms, counted, half_life).max(axis=0) / indicted_above
    indicted = scores > 1
    judged = np.flatnonzero(rounds.seen.any(axis=0))
    if indicted.sum() > max(1, MOST_INDICTED.value * len(judged)):
        return withheld(
            detector,
            f"{int(indicted.sum())} of {len(judged)} nodes differ from the others: these may as"
            " well be the sick ones, or another kind of machine",
            left_out,
            disputed=True,
        )
    nodes = []
    for column, host in enumerate(hosts):
        mine = alarms[:, column]
        seen = int(rounds.seen[:, column].sum())
        enough = seen >= LEAST_SEEN.value * number
        when_s = rounds.start_s[mine]
        nodes.append(
            NodeStanding(
                host=host,
                indicted=True if indicted[column] else (False if enough else None),
                score=float(scores[column]),
                since_s=float(when_s.min()) if len(when_s) else None,
                until_s=float(when_s.max()) if len(when_s) else None,
                observations=observe(column, mine) if mine.any() else (),
                alarms_s=tuple(rounds.start_s[mine].tolist()),
                why_not=None
                if enough or indicted[column]
                else f"enough of it was seen for {seen} of {number} comparisons only",
            )
        )
    nodes.sort(key=lambda node: (-node.score, node.host))
    return Comparison(detector, tuple(nodes), windows=number, left_out=left_out)
