"""All that the tables of a store say of its nodes: every detector on every kind of evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from mprof.errors import EvidenceError
from mprof.peers import bb_window
from mprof.peers.comparison import Comparison, NodeStanding
from mprof.peers.intervals import intervals_of_attempts, intervals_of_transfers
from mprof.peers.wb_durations import compare_durations
from mprof.store import Store

__all__ = ["Look", "Suspect", "look_at_nodes", "suspects"]


@dataclass(frozen=True, slots=True)
class Look:
    """One comparison, and what it was made of.

    Attributes:
        evidence: in words: ``attempts of job_1_0001``, ``block transfers of FILE``.
        comparison: what the detector says.
    """

    evidence: str
    comparison: Comparison


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
    store: Store, *, job: str | None = None, hosts: Iterable[str] = ()
) -> tuple[Look, ...]:
    """Compare the nodes of a store with each other.

    Args:
        store: with the tables.
        job: compare attempts of this job only; all jobs, transfers and metrics where None.
        hosts: nodes that should be there, beside those of the table ``nodes``.

    Raises:
        EvidenceError: if the store has no such job, or nothing of any node.
    """
    expected = {*hosts, *store.read("nodes", columns=["host"])["host"].dropna()}
    looks = [*_of_attempts(store, job, expected)]
    if job is None:
        looks += (*_of_transfers(store, expected), *_of_metrics(store))
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


def _of_attempts(store: Store, job: str | None, expected: set[str]) -> Iterator[Look]:
    attempts = store.read("attempts")
    # The same job may have been imported from its history and from a trace.
    attempts = attempts.drop_duplicates(["job", "attempt"])
    if job is not None:
        attempts = attempts[attempts["job"] == job]
    for name, rows in attempts.groupby("job", sort=True):
        # A job uses the nodes that it is given: only those with an attempt of it are compared.
        seen = set(rows["host"].dropna())
        found = compare_durations(intervals_of_attempts(rows), seen & expected or seen)
        yield Look(f"attempts of {name}", found)


def _of_transfers(store: Store, expected: set[str]) -> Iterator[Look]:
    transfers = store.read("transfers")
    if transfers.empty:
        return
    paths = store.read("sources", columns=["source", "path"]).set_index("source")["path"]
    for source, rows in intervals_of_transfers(transfers).groupby("group", sort=True):
        name = str(paths.get(source, source)).rpartition("/")[2]
        for role in _roles(rows):
            if expected and not expected & set(role["host"]):
                continue  # clients, whose work is their own
            busiest = role.groupby("state")["seconds"].sum().idxmax()
            yield Look(f"{busiest} in {name}", compare_durations(role, expected))


def _roles(intervals: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """The intervals of nodes that do the same kinds of work, directly or through others.

    Clients and DataNodes have no operation in common: each is compared with its like. Where it is
    known which nodes there are, only they are compared.
    """
    host, hosts = pd.factorize(intervals["host"], sort=True)
    state, states = pd.factorize(intervals["state"], sort=True)
    size = len(hosts) + len(states)
    links = coo_array(([True] * len(host), (host, state + len(hosts))), shape=(size, size))
    _, role = connected_components(links, directed=False)
    for number in sorted(set(role[: len(hosts)].tolist())):
        yield intervals[role[host] == number]


def _of_metrics(store: Store) -> Iterator[Look]:
    metrics = store.read("metrics")
    if not metrics.empty:
        yield Look("metrics of the operating system", bb_window.compare(metrics))
