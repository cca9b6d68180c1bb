"""Many jobs, and a node that one of them shows: what chance makes of so many comparisons.

A detector that compares each job by itself names a healthy node once in many jobs; a store has
thousands. So the chances that its looks give are read together, as Benjamini and Hochberg have it
("Controlling the false discovery rate", 1995): a node stays indicted in a look where, by the number
of looks, at most a small share of all that is indicted in them is so by chance. A node that many
jobs show stays; one that is shown by one job of thousands must differ all the more in it. Looks
that tell no chance are left as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mprof.peers.comparison import Look
from mprof.threshold import Threshold

__all__ = ["THRESHOLDS", "by_number_of_looks"]

MOST_BY_CHANCE: Final = Threshold(
    "suspects.most-by-chance", 0.01, "share of the nodes that are named in some look",
    "as many jobs as are compared, at most one of a hundred namings is by chance",
    most=1.0,
)  # fmt: skip

THRESHOLDS: Final = (MOST_BY_CHANCE,)


def by_number_of_looks(looks: Sequence[Look]) -> tuple[Look, ...]:
    """The looks, in which a node is not indicted that chance shows in one of so many of them.

    Each look of a detector, such as that of a job, names a healthy node once in many; of a thousand
    jobs some do. So its chances are read as Benjamini and Hochberg have it, over all looks of the
    detector at the same table; nothing changes where there is one look.
    """
    chances: dict[tuple[str, str], list[tuple[float, int, str]]] = {}
    count: Counter[tuple[str, str]] = Counter()
    for place, look in enumerate(looks):
        if any(node.chance is not None for node in look.comparison.nodes):
            key = (look.comparison.detector, look.of)
            count[key] += 1
            chances.setdefault(key, []).extend(
                (node.chance, place, node.host)
                for node in look.comparison.nodes
                if node.indicted and node.chance is not None
            )
    by_chance: dict[int, set[str]] = {}
    for of, found in chances.items():
        number = count[of]
        found.sort()
        kept = max(
            (rank for rank, (chance, _, _) in enumerate(found, start=1)
             if chance * number <= rank * MOST_BY_CHANCE.value),
            default=0,
        )  # fmt: skip
        for _, place, host in found[kept:] if number > 1 else ():
            by_chance.setdefault(place, set()).add(host)
    return tuple(
        _without(look, by_chance[place], count[look.comparison.detector, look.of])
        if place in by_chance
        else look
        for place, look in enumerate(looks)
    )


def _without(look: Look, hosts: set[str], number: int) -> Look:
    nodes = tuple(
        replace(
            node, indicted=None, score=min(node.score, 1.0),
            why_not=f"it differs, and of {number:,} comparisons one shows as much by chance",
        )
        if node.host in hosts
        else node
        for node in look.comparison.nodes
    )  # fmt: skip
    return replace(look, comparison=replace(look.comparison, nodes=nodes))
