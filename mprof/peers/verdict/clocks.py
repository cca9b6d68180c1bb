"""Nodes whose clocks are minutes off, distinguished from nodes that are sick.

What a node writes itself (its logs, its samples) has the times of its own clock. If that clock is
behind, the node seems to fall silent before the others; if it is ahead, the others seem to, and in
both cases it does something else than its peers do at the same time. So whenever a comparison by
such times names nodes, or finds that most are silent, it is asked whether clocks are apart, by what
shows it (`mprof.peers.tables.clocks`), and the nodes are compared again with their times moved. A
node that is then as its peers is not sick. Of one that still differs, since when it does is told by
the clock of the others.

Job histories have the times of the ApplicationMaster, and Prometheus its own: what they tell is not
moved.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from mprof.metrics import METRIC_NAMES
from mprof.peers.comparison import Clock, Look, NodeStanding
from mprof.peers.detectors import bb_window, wb_durations
from mprof.peers.detectors.request import Asked
from mprof.peers.tables.clocks import (
    THRESHOLDS,
    ahead_by_activity,
    ahead_by_blocks,
    apart_by_blocks,
)
from mprof.peers.tables.intervals import intervals_of_transfers
from mprof.store import Rows

__all__ = ["THRESHOLDS", "by_one_clock"]

_BLOCKS: Final = "the blocks that it wrote with others"
_ACTIVITY: Final = "what its metrics show, and those of its peers at another time"
_MOST_PEERS: Final = 20
_AROUND_S: Final = 7200.0
"""Before and after a suspect's alarms: more than most clocks are off, and phases of some jobs."""
_MOST_SUSPECTS: Final = 20
_MOST_ROWS: Final = 1_000_000


def by_one_clock(looks: Sequence[Look], asked: Asked) -> tuple[Look, ...]:
    """The looks, in which nodes are compared by one clock where theirs are known to be apart."""
    return tuple(
        _of_transfers(look, asked)
        if look.comparison.detector == wb_durations.DETECTOR and look.of == "transfers"
        else _of_metrics(look, asked)
        if look.comparison.detector == bb_window.DETECTOR
        else look
        for look in looks
    )


def _of_transfers(look: Look, asked: Asked) -> Look:
    silent = any(_is_silent(node) for node in look.comparison.nodes)
    rows = look.read_rows() if silent or look.comparison.disputed else None
    if rows is None and any(map(_is_open, look.comparison.nodes)):
        told = look.read_rows()
        return look if told is None else _with_clocks_apart(look, apart_by_blocks(told))
    if rows is None:
        return look
    ahead_s = ahead_by_blocks(rows)
    if not ahead_s.any():
        return _with_clocks_apart(look, apart_by_blocks(rows))
    moved = rows.assign(started_s=rows["started_s"] - ahead_s)
    intervals = intervals_of_transfers(moved).assign(group="all")
    # Those that it was compared with: all, those of its island, or those of its rack.
    hosts = {node.host for node in look.comparison.nodes}
    hosts |= asked.hosts if look.island is None else set()
    found = wb_durations.compare_durations(intervals, hosts)
    of_host = ahead_s[ahead_s != 0].groupby(rows["host"]).median()
    clocks = tuple(Clock(str(host), float(ahead), _BLOCKS) for host, ahead in of_host.items())
    return replace(look, comparison=replace(found, clocks=clocks))


def _with_clocks_apart(look: Look, apart: Mapping[str, tuple[float, int]]) -> Look:
    """Say of nodes that nothing is known of that their clocks may be why: none was moved."""
    nodes = tuple(
        node
        if not _is_open(node) or node.host not in apart
        else replace(node, why_not=f"{node.why_not or 'it differs'}; {_apart(*apart[node.host])}")
        for node in look.comparison.nodes
    )
    return replace(look, comparison=replace(look.comparison, nodes=nodes))


def _apart(seconds: float, count: int) -> str:
    others = "that of another node" if count == 1 else f"those of {count:,} others"
    return (
        f"{_BLOCKS} show that its clock and {others} are about {seconds:,.0f} s apart, and no clock"
        " is that of most nodes: set the clocks, and compare what is written then"
    )


def _is_open(node: NodeStanding) -> bool:
    """Whether it differs, and cannot be told from its peers."""
    return node.indicted is None and node.score > 1


def _is_silent(node: NodeStanding) -> bool:
    return any(spell.what == "silent" for spell in node.spells)


def _of_metrics(look: Look, asked: Asked) -> Look:
    """Each suspect by itself, against some peers: what the others show is not changed by it."""
    rows = asked.metrics(METRIC_NAMES)
    if rows is None:
        return look
    if look.comparison.disputed:
        # Which nodes an island has, a comparison that names none of them does not say.
        return _of_all_metrics(look, rows) if look.island is None else look
    named = [node for node in look.comparison.nodes if node.indicted]
    if not 0 < len(named) <= _MOST_SUSPECTS:
        return look
    hosts = [node.host for node in look.comparison.nodes if not node.indicted][:_MOST_PEERS]
    again = {node.host: _moved(node, hosts, rows) for node in named}
    clocks = tuple(clock for clock, _ in filter(None, again.values()))
    nodes = tuple(
        node if (found := again.get(node.host)) is None else found[1]
        for node in look.comparison.nodes
    )
    return replace(look, comparison=replace(look.comparison, nodes=nodes, clocks=clocks))


def _of_all_metrics(look: Look, rows: Rows) -> Look:
    """Where too many nodes differ to name any, all of them with the times of each moved."""
    if rows.count > _MOST_ROWS:
        return look
    metrics = rows.read()
    known = {host: ahead_by_activity(metrics, host) for host in sorted(set(metrics["host"]))}
    ahead_s = {str(host): seconds for host, seconds in known.items() if seconds is not None}
    if not ahead_s:
        return look
    off_s = metrics["host"].astype(str).map(ahead_s).fillna(0.0).astype(float)
    found = bb_window.compare(metrics.assign(at_s=metrics["at_s"] - off_s))
    if found.disputed:
        return look
    clocks = tuple(Clock(host, seconds, _ACTIVITY) for host, seconds in ahead_s.items())
    return replace(look, comparison=replace(found, clocks=clocks))


def _moved(node: NodeStanding, peers: list[str], rows: Rows) -> tuple[Clock, NodeStanding] | None:
    """The node by the clock of its peers; None where its clock is theirs, or not known."""
    begin_s = (node.since_s if node.since_s is not None else -math.inf) - _AROUND_S
    end_s = (node.until_s if node.until_s is not None else math.inf) + _AROUND_S
    metrics = rows.between(begin_s, end_s).of_hosts([node.host, *peers]).read()
    ahead_s = ahead_by_activity(metrics, node.host)
    if ahead_s is None:
        return None
    mine = metrics["host"] == node.host
    moved = metrics.assign(at_s=metrics["at_s"].where(~mine, metrics["at_s"] - ahead_s))
    found = next(
        (one for one in bb_window.compare(moved).nodes if one.host == node.host), None
    )  # fmt: skip
    if found is None or found.indicted is not False:
        return None  # to move it does not help, so that nothing shows that its clock is off
    return Clock(node.host, ahead_s, _ACTIVITY), found
