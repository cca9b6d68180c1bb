"""Many jobs, and a node that one of them shows: what chance makes of so many comparisons.

A detector that compares each job by itself names a healthy node once in many jobs, and a store has
thousands. So the chances that the looks give for a node are judged together, by the procedure of
Simes ("An improved Bonferroni procedure", 1986), which is Benjamini and Hochberg's step for each
node by itself: a node stays indicted in the looks with its k smallest chances if these are small
for k of so many looks. A node that many jobs show stays indicted; a node that only one job of
thousands shows must differ much more in that job. Different nodes are not judged together: if three
were sick in all jobs, a fourth that a single job shows would pass as part of the small share that
may be wrong. Looks that give no chance are left as they are.
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
    "suspects.most-by-chance", 0.01, "chance that any node is named in some look",
    "however many jobs are compared, one of a hundred runs names a node by chance",
    most=1.0,
)  # fmt: skip

THRESHOLDS: Final = (MOST_BY_CHANCE,)


def by_number_of_looks(looks: Sequence[Look]) -> tuple[Look, ...]:
    """The looks, in which a node is not indicted that chance shows in one of so many of them.

    Each look of a detector, such as that of a job, names a healthy node once in many; of a thousand
    jobs some do. So the chances of a node are read together, over all looks of the detector at the
    same table; nothing changes where there is one look.
    """
    chances: dict[tuple[str, str, str], list[tuple[float, int]]] = {}
    count: Counter[tuple[str, str]] = Counter()
    for place, look in enumerate(looks):
        if any(node.chance is not None for node in look.comparison.nodes):
            key = (look.comparison.detector, look.of)
            count[key] += 1
            for node in look.comparison.nodes:
                if node.indicted and node.chance is not None:
                    chances.setdefault((*key, node.host), []).append((node.chance, place))
    by_chance: dict[int, set[str]] = {}
    for (detector, of, host), found in chances.items():
        number = count[detector, of]
        found.sort()
        kept = max(
            (rank for rank, (chance, _) in enumerate(found, start=1)
             if chance * number <= rank * MOST_BY_CHANCE.value),
            default=0,
        )  # fmt: skip
        for _, place in found[kept:] if number > 1 else ():
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
            why_not=f"it differs, but by chance one of {number:,} comparisons differs as much",
        )
        if node.host in hosts
        else node
        for node in look.comparison.nodes
    )  # fmt: skip
    return replace(look, comparison=replace(look.comparison, nodes=nodes))
