"""Nodes that were taken out of service: they end their work well, and are given no more.

A node that is decommissioned is silent from then on, as a dead one is. But it is given nothing new
first, while its peers are, and what it has in hand ends well; a node that dies leaves attempts that
were lost or never end. Where the work says so, and nothing was wrong with the node before, it is
not indicted. Where the ResourceManager was asked, its word counts, and nothing is taken off.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pandas as pd

from mprof.peers.comparison import Look, NodeStanding
from mprof.peers.detectors.repeated_alarms import FEWEST_NODES
from mprof.threshold import Threshold

if TYPE_CHECKING:
    from mprof.store import Tables

__all__ = ["THRESHOLDS", "drained_since", "without_drained"]

LEAST_BEGUN: Final = Threshold(
    "drained.least-begun", 3, "attempts that a peer begins",
    "while the node ends what it has: in that time chance gives none to one node in twenty, and of"
    " a node that was at work and dies some attempt is lost",
)  # fmt: skip
REACH: Final = Threshold(
    "drained.reach", 600, "s",
    "windows begin before what they show: one of bb-window at a sample in 15 s is 450 s long",
)  # fmt: skip

THRESHOLDS: Final = (LEAST_BEGUN, REACH)

_COLUMNS: Final = ("attempt", "host", "started_s", "finished_s", "state")
_WHY_NOT: Final = "its last work ended well and it was given no more: taken out of service?"


def without_drained(looks: Sequence[Look], tables: Tables) -> tuple[Look, ...]:
    """The looks, in which a node that was taken out of service is not indicted."""
    indicted = {host for look in looks for host in look.comparison.indicted}
    told = set(tables.read("node_states", columns=["host"])["host"]) if indicted else set()
    if not indicted - told:
        return tuple(looks)
    since_s = drained_since(tables.read("attempts", columns=[*_COLUMNS]), indicted - told)
    begins: dict[str, float] = {}
    for look in looks:
        for node in look.comparison.nodes:
            if node.indicted and node.host in since_s:
                at_s = -math.inf if node.since_s is None else node.since_s
                begins[node.host] = min(begins.get(node.host, math.inf), at_s)
    drained = {host for host, begin_s in begins.items() if begin_s >= since_s[host] - REACH.value}
    return tuple(_without(look, drained) for look in looks)


def drained_since(attempts: pd.DataFrame, hosts: Iterable[str]) -> dict[str, float]:
    """Of nodes that were given no more and ended well what they had: when they began the last.

    Args:
        attempts: of all nodes.
        hosts: that are asked about.
    """
    known = attempts.dropna(subset=["host", "started_s"])
    number = known["host"].nunique()
    if number < FEWEST_NODES.value:
        return {}
    found = {}
    for host, mine in known[known["host"].isin(list(hosts))].groupby("host"):
        last_s = float(mine["started_s"].max())
        in_hand = mine[~(mine["finished_s"] < last_s)]
        if in_hand["finished_s"].isna().any() or (in_hand["state"] != "succeeded").any():
            continue
        end_s = float(in_hand["finished_s"].max())
        begun = known.loc[known["host"] != host, "started_s"].between(last_s, end_s).sum()
        if begun >= LEAST_BEGUN.value * (number - 1):
            found[str(host)] = last_s
    return found


def _without(look: Look, drained: set[str]) -> Look:
    if not drained.intersection(look.comparison.indicted):
        return look
    nodes = tuple(
        _not_blamed(node) if node.indicted and node.host in drained else node
        for node in look.comparison.nodes
    )
    return replace(look, comparison=replace(look.comparison, nodes=nodes))


def _not_blamed(node: NodeStanding) -> NodeStanding:
    return replace(node, indicted=None, score=min(node.score, 1.0), why_not=_WHY_NOT)
