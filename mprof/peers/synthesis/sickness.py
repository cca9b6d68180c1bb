"""Of which kind the sickness of each node is, by a learnt tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mprof.peers.comparison import Look
from mprof.peers.synthesis.ten_values import statistics_of, vectors_of
from mprof.peers.synthesis.tree import (
    FEWEST_EXPERIMENTS,
    HEALTHY,
    Classified,
    SicknessTree,
    classified,
)

__all__ = ["Sickness", "sicknesses"]


@dataclass(frozen=True, slots=True)
class Sickness:
    """What a tree says of a node.

    Attributes:
        host: its name.
        classified: the class, and the path to it.
    """

    host: str
    classified: Classified


def sicknesses(
    tree: SicknessTree, looks: Sequence[Look], *, hosts: Iterable[str] = ()
) -> tuple[Sickness, ...]:
    """What a tree says of every node, in the order of their names.

    Args:
        tree: learnt of whole recordings.
        looks: at a whole recording, with the thresholds that were in force when the tree was
            learnt.
        hosts: nodes that should be there; where none are known, those that were looked at.
    """
    vectors = vectors_of(statistics_of(looks, hosts), others=tree.others)
    return tuple(
        Sickness(str(host), _if_seen_often(classified(tree, values)))
        for host, values in zip(vectors.index, vectors.to_numpy().tolist(), strict=True)
    )


def _if_seen_often(found: Classified) -> Classified:
    """A class that was seen in too few runs is not named: it may be a chance of these runs."""
    if found.name in (None, HEALTHY) or found.experiments >= FEWEST_EXPERIMENTS.value:
        return found
    runs = f"{found.experiments} run{'s'[: found.experiments != 1]}"
    return replace(found, name=None, why_not=f"it is most like {found.name}, seen in {runs} only")
