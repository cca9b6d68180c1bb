"""Suspects that appear, change and recover, as one comparison follows another.

What a comparison does not say of a node leaves the node as it was: a suspect recovers where it is
compared again by the same means and is like its peers, and not where it is not seen any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from mprof.peers.comparison import Comparison, Look, NodeStanding
from mprof.peers.findings import NodeFindings, Suspect

__all__ = ["Change", "Means", "Standing", "changes_between", "suspects_of", "updated"]

Means = tuple[str, str, str]
"""How a node was compared: of a job or a time, the detector, and the kind of evidence."""

Standing = Mapping[str, Mapping[Means, tuple[tuple[Look, NodeStanding], ...]]]
"""Of each host what each means last said of it; an empty value: like its peers."""


@dataclass(frozen=True, slots=True)
class Change:
    """What has become of a suspect.

    Attributes:
        what: whether it is new, is suspected otherwise than before, or is no suspect any more.
        at_s: until when the evidence goes, seconds since 1970 UTC.
        suspect: as it is now; of one that has recovered as it was.
    """

    what: Literal["appears", "changes", "recovers"]
    at_s: float
    suspect: Suspect


def updated(before: Standing, found: NodeFindings, *, of: Literal["job", "time"]) -> Standing:
    """What is known of each host after one more comparison.

    Since when a node differs is kept as long as the same means go on indicting it.

    Args:
        before: what was known.
        found: by the comparison.
        of: what was compared: one job, or a stretch of time.
    """
    said: dict[str, dict[Means, list[tuple[Look, NodeStanding]]]] = {}
    for look in found.looks:
        means = (of, look.comparison.detector, look.kind or look.of)
        for node in look.comparison.nodes:
            if node.indicted is None:
                continue
            every = said.setdefault(node.host, {}).setdefault(means, [])
            if node.indicted:
                earlier = before.get(node.host, {}).get(means, ())
                every.append((_thin(look), _since_before(node, earlier)))
    after = {host: dict(means) for host, means in before.items()}
    for host, newly in said.items():
        after.setdefault(host, {}).update({each: tuple(every) for each, every in newly.items()})
    return after


def suspects_of(standing: Standing) -> dict[str, Suspect]:
    """The hosts that any means indicts."""
    return {
        host: Suspect(
            host,
            tuple(sorted(reasons, key=lambda one: -one[1].score)),
            sum(max(len(every), 1) for every in means.values()),
        )
        for host, means in standing.items()
        if (reasons := [one for every in _once(means).values() for one in every])
    }


def changes_between(before: Standing, after: Standing, *, at_s: float) -> tuple[Change, ...]:
    """What has become of the suspects, those that appear first.

    A suspect changes where another view shows it, another side of it, or it is surer or less sure.
    """
    old, new = suspects_of(before), suspects_of(after)
    appear = [Change("appears", at_s, new[host]) for host in sorted(new.keys() - old.keys())]
    change = [
        Change("changes", at_s, new[host])
        for host in sorted(new.keys() & old.keys())
        if _shown(new[host]) != _shown(old[host])
    ]
    recover = [Change("recovers", at_s, old[host]) for host in sorted(old.keys() - new.keys())]
    return (*appear, *change, *recover)


def _once(
    means: Mapping[Means, tuple[tuple[Look, NodeStanding], ...]],
) -> Mapping[Means, tuple[tuple[Look, NodeStanding], ...]]:
    """Without what a detector says of a job where it says the same of the time: it is one work."""
    return {
        (of, detector, kind): every
        for (of, detector, kind), every in means.items()
        if of == "time" or not means.get(("time", detector, kind))
    }


def _shown(suspect: Suspect) -> tuple[object, ...]:
    return suspect.confidence, suspect.sides, suspect.views


def _thin(look: Look) -> Look:
    """A look without its rows and the other nodes, so that memory does not grow with time."""
    return replace(look, comparison=Comparison(look.comparison.detector, ()), rows=None)


def _since_before(
    node: NodeStanding, earlier: tuple[tuple[Look, NodeStanding], ...]
) -> NodeStanding:
    known = [one.since_s for _, one in earlier if one.since_s is not None]
    if node.since_s is not None:
        known.append(node.since_s)
    return replace(node, since_s=min(known)) if known else node
