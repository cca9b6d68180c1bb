"""Each node against all the others: are its values larger, and in which stretch of them?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

__all__ = ["chance_of_larger", "chances_of_larger", "high_stretches", "visible_factors"]

Values = NDArray[np.float64]

_POINTS = 200  # of a distribution, at even steps of its quantiles
_FACTORS = np.geomspace(1.0, 64.0, 97)


def chances_of_larger(
    values: Values, node: NDArray[np.intp], *, among: NDArray[np.bool_], margin: float
) -> Values:
    """Of each node the chance that its values are not more than ``margin`` times the others'.

    Mann and Whitney's test, one-sided, of the node's values divided by the margin against those of
    all other nodes that are in ``among``; by the normal distribution, without a correction for
    ties, both of which err on the side of chance where values are few or tied.

    Cost: a sort of all values.

    Args:
        values: of all nodes.
        node: number of the node of each value.
        among: of each node, whether the others are compared with it.
        margin: by which nodes differ that are alike.

    Returns:
        A chance for each node; 1 where there is nothing to compare.
    """
    count = len(among)
    order = np.lexsort((values, node))
    values, node = values[order], node[order]
    reference = np.sort(values[among[node]])
    scaled = values / margin
    below = _below(reference, scaled)
    first = np.searchsorted(node, np.arange(count + 1))
    for one in np.flatnonzero(among):
        mine = slice(first[one], first[one + 1])
        below[mine] -= _below(values[mine], scaled[mine])
    own = np.diff(first).astype(np.float64)
    others = np.asarray(len(reference) - own * among, dtype=np.float64)
    chances = np.ones(count)
    known = (own > 0) & (others > 0)
    wins = np.bincount(node, weights=below, minlength=count)
    chances[known] = _chance(np.asarray(wins[known], np.float64), own[known], others[known])
    return chances


def chance_of_larger(own: Values, others: Values, *, margin: float) -> float:
    """The same of one node and all the others together; 1 where one of both is empty."""
    if not len(own) or not len(others):
        return 1.0
    wins = _below(np.sort(others), own / margin).sum()
    return float(_chance(wins, len(own), len(others)))


def _below(ordered: Values, values: Values) -> Values:
    """How many of the ordered values each value is larger than; an equal one counts half."""
    left = np.searchsorted(ordered, values, side="left")
    right = np.searchsorted(ordered, values, side="right")
    return np.asarray((left + right) / 2, dtype=np.float64)


def _chance(wins: Values, own: Values | float, others: Values | float) -> Values:
    deviation = np.sqrt(own * others * (own + others + 1) / 12)
    return np.asarray(ndtr(-(wins - own * others / 2 - 0.5) / deviation), dtype=np.float64)


def high_stretches(scores: Values) -> list[tuple[int, int]]:
    """The maximal stretches of a sequence whose sum no longer or shorter one exceeds.

    Ruzzo and Tompa, "A linear time algorithm for finding all maximal scoring subsequences", ISMB
    1999. Cost: linear in the length.

    >>> high_stretches(np.array([-1.0, 2, 1, -0.5, 1, -9, 3]))
    [(1, 5), (6, 7)]
    """
    total = 0.0
    found: list[tuple[int, int, float, float]] = []
    for place, score in enumerate(scores.tolist()):
        before, total = total, total + score
        if score <= 0:
            continue
        begin, low = place, before
        while True:
            at = len(found) - 1
            while at >= 0 and found[at][2] >= low:
                at -= 1
            if at < 0 or found[at][3] >= total:
                found.append((begin, place + 1, low, total))
                break
            begin, low = found[at][0], found[at][2]
            del found[at:]
    return [(begin, end) for begin, end, _, _ in found]


def visible_factors(
    usual: Values, own: NDArray[np.int64], *, others: int, margin: float, chance: float,
    power: float,
) -> Values:  # fmt: skip
    """The smallest factor that the test would see, by the number of values that a node has.

    A node's values are taken to be spread as those of all nodes are.

    Args:
        usual: values of nodes that are alike.
        own: numbers of values.
        others: number of values of the others.
        margin: of the test.
        chance: below which a node is taken for larger.
        power: share of the nodes with this factor that the test sees.

    Returns:
        A factor for each number; infinite where no factor would be seen.
    """
    logs = np.log(np.quantile(usual, (np.arange(_POINTS) + 0.5) / _POINTS))
    apart = np.sort((logs[:, None] - logs[None, :]).ravel())
    # Of all pairs, those of which the one is larger than the other if its node is slower.
    larger = 1 - np.searchsorted(apart, -np.log(_FACTORS / margin)) / len(apart)
    deviation = np.sqrt((own + others + 1) / (12.0 * np.maximum(own, 1) * max(others, 1)))
    needed = 0.5 + (ndtri(power) - ndtri(chance)) * deviation
    place = np.searchsorted(larger, needed)
    seen = (place < len(_FACTORS)) & (own > 0) & (needed < 1)
    return np.where(seen, _FACTORS[np.minimum(place, len(_FACTORS) - 1)], np.inf)
