"""Which attempts ran where and when: what a picture of the job shows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from mprof.triage.answer import Branch, Lane, LaneAttempt, Timeline
from mprof.triage.facts import JobFacts

__all__ = ["timeline_of"]

MOST_LANES: Final = 24
"""Nodes on one page; the others are counted."""
MOST_ATTEMPTS: Final = 4000
"""More than that no picture shows apart."""


@dataclass(frozen=True, slots=True)
class _Named:
    """What the branches name, in their order."""

    hosts: tuple[str, ...]
    attempts: frozenset[str]


def timeline_of(facts: JobFacts, branches: Collection[Branch]) -> Timeline | None:
    """The attempts of the nodes that findings name, then of the busiest; None without any time."""
    rows = facts.attempts
    rows = rows[rows["host"].notna() & rows["started_s"].notna()]
    if rows.empty:
        return None
    named = _named(branches)
    busy = rows.groupby("host")["seconds"].sum().sort_values(ascending=False, kind="stable")
    first = [host for host in named.hosts if host in busy.index]
    order = [*first, *(str(host) for host in busy.index if host not in first)][:MOST_LANES]
    began_s = float(rows["started_s"].min())
    shown = rows[rows["host"].isin(order)].head(MOST_ATTEMPTS)
    lanes = []
    for host in order:
        own = shown[shown["host"] == host]
        columns = (own[name] for name in ("attempt", "kind", "state", "started_s", "seconds"))
        lanes.append(
            Lane(
                host=host,
                marked=host in first,
                attempts=tuple(
                    LaneAttempt(
                        attempt=str(attempt),
                        is_map=kind == "map",
                        state=str(state),
                        start_s=float(start) - began_s,
                        seconds=float(seconds),
                        marked=attempt in named.attempts,
                    )
                    for attempt, kind, state, start, seconds in zip(*columns, strict=True)
                    if seconds == seconds  # NaN: no end is known
                ),
            )
        )
    return Timeline(
        seconds=max(facts.last_s - began_s, 0.0),
        lanes=tuple(lanes),
        hidden=len(busy) - len(order),
    )


def _named(branches: Collection[Branch]) -> _Named:
    findings = [each for branch in branches for each in branch.findings]
    of_nodes = [each for branch in branches if branch.name == "node" for each in branch.findings]
    hosts = tuple(dict.fromkeys(host for one in of_nodes for host in one.hosts))
    not_nodes = (one for one in findings if one not in of_nodes and one.id != "few_reducers")
    return _Named(hosts, frozenset(each for one in not_nodes for each in one.attempts))
