"""All that the tables of a store say of its nodes: every detector on every kind of evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mprof.errors import EvidenceError
from mprof.peers.comparison import NodeStanding
from mprof.peers.detectors import DETECTORS
from mprof.peers.look import Asked, Look
from mprof.pieces import Engine, LocalEngine
from mprof.store import Store

__all__ = ["Suspect", "look_at_nodes", "suspects"]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A node that at least one detector indicts.

    Attributes:
        host: its name.
        looks: in which it is indicted, the most telling first.
        compared: number of looks in which it was compared.
    """

    host: str
    looks: tuple[tuple[Look, NodeStanding], ...]
    compared: int

    @property
    def since_s(self) -> float | None:
        """Start of the first window in which it differed; None where no window tells."""
        return min(
            (node.since_s for _, node in self.looks if node.since_s is not None), default=None
        )

    @property
    def score(self) -> float:
        """The largest of its scores."""
        return max(node.score for _, node in self.looks)


def look_at_nodes(
    store: Store,
    *,
    job: str | None = None,
    hosts: Iterable[str] = (),
    engine: Engine | None = None,
) -> tuple[Look, ...]:
    """Compare the nodes of a store with each other.

    Args:
        store: with the tables.
        job: compare attempts of this job only; all jobs, transfers and metrics where None.
        hosts: nodes that should be there, beside those of the table ``nodes``.
        engine: what compares pieces of the tables; this process where None.

    Raises:
        EvidenceError: if the store has no such job, or nothing of any node.
    """
    known = {*store.hosts_called(hosts), *store.read("nodes", columns=["host"])["host"].dropna()}
    asked = Asked(store, job, frozenset(known), engine or LocalEngine())
    looks = [look for detector in DETECTORS for look in detector.looks(asked)]
    if not looks:
        raise EvidenceError(
            f"{store.folder} has no attempts of {job}" if job else f"{store.folder} has no node",
            next_step="mprof import the job's history into it, or name another job",
        )
    return tuple(looks)


def suspects(looks: Iterable[Look]) -> tuple[Suspect, ...]:
    """The nodes that are indicted in any look, those with most looks and highest scores first."""
    by_host: dict[str, list[tuple[Look, NodeStanding]]] = {}
    compared: dict[str, int] = {}
    for look in looks:
        for node in look.comparison.nodes:
            compared[node.host] = compared.get(node.host, 0) + (node.indicted is not None)
            if node.indicted:
                by_host.setdefault(node.host, []).append((look, node))
    found = (
        Suspect(host, tuple(sorted(every, key=lambda one: -one[1].score)), compared[host])
        for host, every in by_host.items()
    )
    return tuple(sorted(found, key=lambda one: (-len(one.looks), -one.score, one.host)))
