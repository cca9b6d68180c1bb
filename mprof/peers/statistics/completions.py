"""How many completions nodes have, and how many their peers have with as much work in hand.

Attempts are put into classes, of one job and kind each. At a moment, of a class, a node completes
``c`` attempts a second and holds ``o`` of them; all nodes complete ``C`` and hold ``O``. With as
much work as it has, it is expected to complete ``C o / O``. Sums over classes of ``c`` and of
``C o / O`` are what a log-rank test compares, so that work which takes long is not asked for as
many completions as work which does not, and a node that was given little is not asked for much.
An attempt that has run for several times as long as is usual in its class is no longer counted as
held: it is a large one, and who holds some of those is not asked for the completions of small ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import ndtr

__all__ = ["EFFECTIVE_WIDTH", "Completions", "smoothed"]

EFFECTIVE_WIDTH = 2 * math.sqrt(math.pi)
"""Kernel widths of a window with sharp ends whose count is as uncertain.

Of events that come by chance at a rate r, the smoothed rate has the variance r / (2 sqrt(pi) w),
where w is the standard deviation of the Gaussian kernel.
"""

_REACH = 7.0  # kernel widths, beyond which the kernel adds less than 1e-11
_AT_ONCE = 2048


@dataclass(frozen=True, slots=True)
class Completions:
    """Smoothed rates; a row a moment, a column a node.

    Attributes:
        own: completions a second.
        expected: completions a second that all nodes together would have with this node's work, of
            the classes that are counted.
        in_hand: attempts that the node holds.
    """

    own: NDArray[np.float64]
    expected: NDArray[np.float64]
    in_hand: NDArray[np.float64]


def smoothed(
    attempts: pd.DataFrame,
    hosts: tuple[str, ...],
    at_s: NDArray[np.float64],
    *,
    width_s: float,
    most_own: float,
    long_since: float,
) -> Completions:
    """Smooth completions and work in hand by a Gaussian kernel.

    Cost: attempts times the moments within reach of each; 0.2 s for 20,000 attempts of 60 s, 50
    nodes and 400 moments.

    Args:
        attempts: columns ``host``, ``group`` (the class), ``started_s``, ``until_s`` and
            ``completed``.
        hosts: the nodes.
        at_s: the moments, ascending.
        width_s: standard deviation of the kernel.
        most_own: share of a class's work in the hand of one node, above which its peers tell
            nothing of it there.
        long_since: times the median duration of a class, after which an attempt is not counted as
            held.
    """
    shape = (len(at_s), len(hosts))
    own, expected, in_hand = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    node = pd.Index(hosts).get_indexer(pd.Index(attempts["host"]))
    started_s, until_s = (attempts[name].to_numpy(np.float64) for name in ("started_s", "until_s"))
    completed = attempts["completed"].to_numpy(dtype=np.bool_)
    class_, classes = pd.factorize(attempts["group"], sort=True)
    order = np.lexsort((started_s, class_))
    bounds = np.searchsorted(class_[order], np.arange(len(classes) + 1)).tolist()
    for begin, end in pairwise(bounds):
        mine = order[begin:end]
        rate, held, first, last = _of_class(
            node[mine], started_s[mine], until_s[mine], completed[mine], at_s, nodes=len(hosts),
            width_s=width_s, long_since=long_since,
        )  # fmt: skip
        total = held.sum(axis=1, keepdims=True)
        share = np.divide(held, total, out=np.zeros_like(held), where=total > 0)
        counted = share <= most_own
        own[first:last] += np.where(counted, rate, 0)
        expected[first:last] += np.where(counted, rate.sum(axis=1, keepdims=True) * share, 0)
        in_hand[first:last] += held
    return Completions(own, expected, in_hand)


def _of_class(
    node: NDArray[np.intp], started: NDArray[np.float64], until: NDArray[np.float64],
    completed: NDArray[np.bool_], at_s: NDArray[np.float64], *, nodes: int, width_s: float,
    long_since: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int, int]:  # fmt: skip
    """Rates of completion and work in hand, and the first and last moment that they reach."""
    reach_s = _REACH * width_s
    took_s = (until - started)[completed]
    longest_s = long_since * float(np.median(took_s)) if len(took_s) else math.inf
    let_go = np.minimum(until, started + longest_s)
    first = int(np.searchsorted(at_s, started.min() - reach_s))
    last = int(np.searchsorted(at_s, until.max() + reach_s))
    rate, held = np.zeros((last - first, nodes)), np.zeros((last - first, nodes))
    for begin in range(0, len(node), _AT_ONCE):
        part = slice(begin, begin + _AT_ONCE)
        low = int(np.searchsorted(at_s, started[part].min() - reach_s))
        high = int(np.searchsorted(at_s, until[part].max() + reach_s))
        moments = at_s[low:high, None]
        count = len(node[part])
        to_node = csr_array((np.ones(count), (np.arange(count), node[part])), shape=(count, nodes))
        before_end = (until[part] - moments) / width_s
        density = np.exp(-(before_end**2) / 2) / (width_s * math.sqrt(2 * math.pi))
        where = slice(low - first, high - first)
        rate[where] += (density * completed[part]) @ to_node
        in_hand = ndtr((let_go[part] - moments) / width_s)
        held[where] += (in_hand - ndtr((started[part] - moments) / width_s)) @ to_node
    return rate, held, first, last
