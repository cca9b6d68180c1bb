"""Nodes that nothing is heard of while their peers are at work: since when, and until when."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mprof.threshold import Threshold

__all__ = [
    "HEARD_OF_NEARLY_ALL", "LEAST_HEARD", "SHORTEST", "SILENCE_THRESHOLDS", "Silence", "silences",
]  # fmt: skip

LEAST_HEARD: Final = Threshold(
    "peers.least-heard", 5, "signs of life of a peer",
    "nearly every peer gave this many while the node was silent, which shows that there was work"
    " for all",
)  # fmt: skip
HEARD_OF_NEARLY_ALL: Final = Threshold(
    "peers.heard-of-nearly-all", 0.05, "quantile of the signs of life that peers give",
    "silence means something only if nearly every other node gives signs often",
    most=1.0,
)  # fmt: skip
SIGNIFICANCE: Final = Threshold(
    "peers.silent-by-chance", 0.01, "chance that any node of a run is silent for so long",
    "signs of life at random times leave such gaps in one of a hundred healthy runs",
    most=1.0,
)  # fmt: skip
SHORTEST: Final = Threshold(
    "peers.shortest-silence", 240, "s",
    "a daemon or a machine that is restarted is silent for two or three minutes, as each one is in"
    " turn when a cluster is upgraded; a node that is dead for five must be found",
)  # fmt: skip

SILENCE_THRESHOLDS: Final = (LEAST_HEARD, HEARD_OF_NEARLY_ALL, SIGNIFICANCE, SHORTEST)


@dataclass(frozen=True, slots=True)
class Silence:
    """A time in which nothing was heard of a node.

    Attributes:
        node: its number.
        begin_s: of its last sign of life; of a node that never gave any, the peers' first one.
        end_s: of the next one; where there is none, the last time at which peers were heard of.
        lasts: there is no next one.
        peers: signs of life that nearly every peer gave in that time.
        silent: nodes that were silent all that time, with this one.
        chance: that any node is silent for so long, by chance.
    """

    node: int
    begin_s: float
    end_s: float
    lasts: bool
    peers: float
    silent: int
    chance: float


def silences(
    node: NDArray[np.intp], at_s: NDArray[np.float64], until_s: NDArray[np.float64], *, nodes: int,
    listed: Collection[int] = (),
) -> tuple[Silence, ...]:  # fmt: skip
    """The times in which nodes are silent and nearly all others are not, in the order of nodes.

    A node that is heard of late is no silent one: it may have been added.

    Cost: a sort of the signs of life, and a pass over those in each time that may be a silence.

    Args:
        node: number of the node of each sign of life.
        at_s: of each of them.
        until_s: to which time the same sign shows that the node lived; NaN where it shows no more.
        nodes: number of the nodes that should be heard of.
        listed: those that should be heard of all the time; how much is to be expected of another
            one that gave few signs is not known.
    """
    known = np.isfinite(at_s)
    order = np.lexsort((at_s[known], node[known]))
    node, at_s = node[known][order], at_s[known][order]
    if not len(at_s):
        return ()
    until_s = np.fmax(until_s[known][order], at_s)
    every = np.bincount(node, minlength=nodes)
    # What begins in the same second is one sign: a write leaves several.
    second = np.floor(at_s - at_s.min())
    is_new = (np.diff(node, prepend=-1) != 0) | (np.diff(second, prepend=-1.0) != 0)
    first = np.flatnonzero(is_new)
    until_s = np.maximum.reduceat(until_s, first)
    of_first, begun_s = node[first], at_s[first]
    bounds = np.searchsorted(of_first, np.arange(nodes + 1))
    order = np.argsort(begun_s, kind="stable")
    node, at_s = of_first[order], begun_s[order]
    count = np.diff(bounds)
    last_s = float(at_s[-1])
    rate = len(at_s) / max((count > 0).sum(), 1) / max(last_s - at_s[0], 1.0)

    def is_long(gaps_s: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.asarray((gaps_s >= SHORTEST.value) & (gaps_s * rate >= LEAST_HEARD.value))

    nexts = np.append(begun_s[1:], math.inf)
    nexts[bounds[1:][count > 0] - 1] = math.inf
    # Whoever is silent is at least not heard of from the end of one sign to the next one.
    silent = np.union1d(
        of_first[is_long(np.minimum(nexts, last_s) - until_s)], np.flatnonzero(count == 0)
    )
    found = []
    for one in silent.tolist():
        if not count[one]:
            never = _never(one, every, at_s)
            found += [] if never is None else [never]
            continue
        if count[one] < LEAST_HEARD.value and one not in listed:
            continue
        mine = slice(bounds[one], bounds[one + 1])
        ends, upto = np.maximum.accumulate(until_s[mine]), nexts[mine]
        for place in np.flatnonzero(is_long(np.minimum(upto, last_s) - ends)).tolist():
            silence = _judged(one, float(ends[place]), float(upto[place]), node, at_s, count)
            found += [] if silence is None else [silence]
    return tuple(found)


def _never(one: int, every: NDArray[np.intp], at_s: NDArray[np.float64]) -> Silence | None:
    alive = every[every > 0]
    least = float(np.quantile(alive, HEARD_OF_NEARLY_ALL.value))
    if least < LEAST_HEARD.value:
        return None
    return Silence(
        one, float(at_s[0]), float(at_s[-1]), lasts=True, peers=math.floor(least),
        silent=int((every == 0).sum()), chance=min(1.0, len(every) * math.exp(-least)),
    )  # fmt: skip


def _judged(
    one: int, begin_s: float, end_s: float, node: NDArray[np.intp], at_s: NDArray[np.float64],
    count: NDArray[np.intp],
) -> Silence | None:  # fmt: skip
    first, last = np.searchsorted(at_s, (begin_s, end_s), side="right")
    heard = np.bincount(node[first:last], minlength=len(count))
    # Others may have fallen silent soon after: who lives is heard of in the second half, too.
    later = np.searchsorted(at_s, (begin_s + min(end_s, at_s[-1])) / 2)
    lives = np.bincount(node[max(first, later) : last], minlength=len(count)) > 0
    lives[one] = False  # what ends it
    alive = heard[lives]
    if not len(alive):
        return None
    least = float(np.quantile(alive, HEARD_OF_NEARLY_ALL.value))
    if least < LEAST_HEARD.value:
        return None
    usual = float(np.mean(alive))
    # Work comes in bursts: as many signs are one as counts vary more than single ones would.
    together = max(1.0, float(np.var(alive, ddof=1)) / usual) if len(alive) > 1 else 1.0
    outside = (count - heard)[lives]
    share = min(1.0, float(count[one]) / max(float(np.mean(outside)), 1.0))
    lasts = math.isinf(end_s)
    # A silence at the end is one of a node, one that ended may be any of its gaps.
    gaps = 1 if lasts else int(count[one])
    chance = len(count) * gaps * math.exp(-share * usual / together)
    if chance >= SIGNIFICANCE.value:
        return None
    return Silence(
        node=one,
        begin_s=begin_s,
        end_s=min(end_s, float(at_s[-1])),
        lasts=lasts,
        peers=math.floor(least),
        silent=int((~lives).sum()),
        chance=min(chance, 1.0),
    )
