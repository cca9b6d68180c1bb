"""Of which kind the sickness of each node of a store is, by a learnt tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mprof.peers.look import Look, asked_of
from mprof.peers.synthesis.ten_values import statistics_of, vectors_of
from mprof.peers.synthesis.tree import Classified, SicknessTree, classified
from mprof.store import Store

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
    tree: SicknessTree, store: Store, looks: Sequence[Look], *, hosts: Iterable[str] = ()
) -> tuple[Sickness, ...]:
    """What a tree says of every node of a store, in the order of their names.

    Args:
        tree: learnt of whole recordings, so that it says nothing of a single job.
        store: with the tables.
        looks: at the whole store, with the thresholds that were in force when the tree was learnt.
        hosts: nodes that should be there, beside those of the table ``nodes``.
    """
    statistics = statistics_of(asked_of(store, hosts=hosts), looks)
    vectors = vectors_of(statistics, others=tree.others)
    return tuple(
        Sickness(str(host), classified(tree, values))
        for host, values in zip(vectors.index, vectors.to_numpy().tolist(), strict=True)
    )
