"""Whole racks that differ: another kind of machine, or what the rack shares; peers cannot tell.

Machines of one rack were often bought together, and they share a switch and its power. If all nodes
of a rack differ from the rest, or if nodes fall into two groups and neither is the exception, no
verdict on racks is given; nodes are compared with those of their own rack instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from mprof.peers.comparison import Look
from mprof.peers.detectors.registry import Detector
from mprof.peers.detectors.repeated_alarms import FEWEST_NODES
from mprof.peers.detectors.request import Asked
from mprof.peers.verdict.islands import Islands
from mprof.store import Scope, ScopedStore, Store
from mprof.threshold import Threshold

__all__ = ["THRESHOLDS", "with_racks"]

WHOLE_RACK: Final = Threshold(
    "racks.whole", 0.8, "share of the compared nodes of a rack",
    "four of five: chance or a few sick nodes do not fill a rack; the rest allows for nodes with"
    " little data",
)  # fmt: skip

THRESHOLDS: Final = (WHOLE_RACK,)


def with_racks(
    detector: Detector, looks: Sequence[Look], *, store: Store, scope: Scope, asked: Asked,
    racks: Islands,
) -> Iterator[Look]:  # fmt: skip
    """The looks of a detector, and those within racks that take their place where racks differ.

    Only detectors that blame in one direction look within racks: of a rack whose most nodes are
    sick, one that blames whatever differs would name the healthy rest.

    Args:
        detector: whose looks these are.
        looks: at all nodes together.
        store: with the tables.
        scope: what was looked at.
        asked: of the detector.
        racks: of the nodes.
    """
    within: set[str] = set()
    settled: set[str] = set()
    for look in looks:
        whole = _whole_racks(look, racks)
        if look.comparison.disputed:
            within |= set(racks.names)
        elif whole:
            within |= set(whole)
            look = _not_blamed(look, racks, whole)
        else:
            settled.add(look.evidence)
        yield look
    if not detector.one_sided:
        return
    for name in racks.names:
        if name not in within:
            continue
        nodes = racks.nodes(name)
        part = replace(
            asked, store=ScopedStore(store, scope.within(nodes)), hosts=asked.hosts & nodes
        )
        if asked.hosts and not part.hosts:
            continue
        for look in detector.looks(part):
            if look.evidence not in settled:
                yield replace(look, island=name)


def _whole_racks(look: Look, racks: Islands) -> tuple[str, ...]:
    """The racks of which nearly all nodes are indicted, while those of others are not."""
    indicted = set(look.comparison.indicted)
    if not indicted:  # of thousands of jobs nearly all indict nobody
        return ()
    judged = {node.host for node in look.comparison.nodes if node.indicted is not None}
    found = []
    for name in racks.names:
        seen = racks.nodes(name) & judged
        if len(seen) >= FEWEST_NODES.value and len(seen & indicted) >= WHOLE_RACK.value * len(seen):
            found.append(name)
    return tuple(found) if len(found) < len(racks.names) else ()


def _not_blamed(look: Look, racks: Islands, whole: Sequence[str]) -> Look:
    of = {host: name for name in whole for host in racks.nodes(name)}
    nodes = tuple(
        replace(
            node,
            indicted=None,
            why_not=f"nearly all nodes of {of[node.host]} differ from those of other racks: another"
            " kind of machine, or what the rack shares",
        )
        if node.indicted and node.host in of
        else node
        for node in look.comparison.nodes
    )
    return replace(look, comparison=replace(look.comparison, nodes=nodes))
