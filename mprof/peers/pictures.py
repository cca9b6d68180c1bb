"""What a picture of a suspect shows: its durations and its metrics beside those of its peers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.peers.comparison import Look, NodeStanding
from mprof.peers.findings import NodeFindings, Suspect
from mprof.peers.tables.intervals import intervals_of_attempts, intervals_of_transfers
from mprof.store import Scope, ScopedStore, Store

__all__ = ["Alarms", "Band", "Pictures", "Spread", "Strip", "pictures_of"]

MOST_SUSPECTS: Final = 3
"""With pictures of their own; what differs about the next ones stands in words."""
MOST_ROWS: Final = 24
"""Nodes on one page."""
_AROUND_S: Final = 900.0  # what was usual before the alarm, and after it
_LONGEST_S: Final = 7200.0  # of a curve: a day of a large cluster does not fit into memory
_BINS: Final = 120
_QUANTILES: Final = (0.2, 0.5, 0.8)


@dataclass(frozen=True, slots=True)
class Spread:
    """How long something takes on one node.

    Attributes:
        host: the node.
        low: duration that a fifth stays below, s; the same for ``middle`` and ``high``, a half and
            four fifths.
        middle: s.
        high: s.
        count: durations.
        is_suspect: the node is named.
    """

    host: str
    low: float
    middle: float
    high: float
    count: int
    is_suspect: bool


@dataclass(frozen=True, slots=True)
class Strip:
    """How long one state takes on each node, the longest first.

    Attributes:
        state: its name.
        evidence: what was looked at.
        rows: a node each; every suspect is among them.
        hidden: nodes that are not.
    """

    state: str
    evidence: str
    rows: tuple[Spread, ...]
    hidden: int


@dataclass(frozen=True, slots=True)
class Band:
    """A metric of a node over time, and where most of its peers are.

    Attributes:
        host: the node.
        what: the metric.
        unit: of it.
        at_s: moments, s after the first; all that follows has one value for each, NaN is not known.
        own: of the node.
        low: that a quarter of the peers stays below; the same for ``high``, three quarters.
        high: of the peers.
        alarm_s: first and last moment of its alarms, s after the begin; None where none is known.
    """

    host: str
    what: str
    unit: str
    at_s: tuple[float, ...]
    own: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    alarm_s: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Alarms:
    """When a node was in alarm, by one comparison: from its first to its last.

    Attributes:
        host: the node.
        by: the detector, and what it looked at.
        since_s: start of the first window in alarm, seconds since the epoch.
        until_s: start of the last one.
    """

    host: str
    by: str
    since_s: float
    until_s: float


@dataclass(frozen=True, slots=True)
class Pictures:
    """Durations and metrics of the first suspects beside their peers', and all alarms."""

    strips: tuple[Strip, ...]
    bands: tuple[Band, ...]
    alarms: tuple[Alarms, ...]


def pictures_of(found: NodeFindings, store: Store, scope: Scope) -> Pictures:
    """Durations and metrics of the first suspects beside their peers', and all alarms.

    Reads two hours of a metric for each suspect at most.

    Args:
        found: what the tables say of the nodes.
        store: with the tables.
        scope: that was looked at.
    """
    named = frozenset(one.host for one in found.suspects)
    strips: dict[tuple[str, str], Strip] = {}
    bands: list[Band] = []
    for suspect in found.suspects[:MOST_SUSPECTS]:
        for strip in _strips(suspect, named):
            strips.setdefault((strip.evidence, strip.state), strip)
        bands += _bands(suspect, store, scope)
    return Pictures(
        strips=tuple(strips.values())[:MOST_SUSPECTS],
        bands=tuple(bands),
        alarms=tuple(_alarms(found)),
    )


def _alarms(found: NodeFindings) -> Iterator[Alarms]:
    for suspect in found.suspects[:MOST_ROWS]:
        for look, node in suspect.looks:
            if node.since_s is not None and math.isfinite(node.since_s):
                until_s = node.since_s if node.until_s is None else node.until_s
                by = f"{look.comparison.detector} ({look.evidence})"
                yield Alarms(suspect.host, by, node.since_s, until_s)


def _strips(suspect: Suspect, named: frozenset[str]) -> Iterator[Strip]:
    for look, node in suspect.looks:
        rows = look.read_rows() if node.observations else None
        if rows is None:
            continue
        intervals = (
            intervals_of_attempts(rows) if look.of == "attempts" else intervals_of_transfers(rows)
        )
        state = node.observations[0].what
        seconds = intervals[(intervals["state"] == state) & intervals["seconds"].notna()]
        if not seconds.empty:
            yield _strip(state, look, seconds, named)


def _strip(state: str, look: Look, intervals: pd.DataFrame, named: frozenset[str]) -> Strip:
    spreads = [
        _spread(str(host), rows.to_numpy(dtype=np.float64), is_suspect=host in named)
        for host, rows in intervals.groupby("host")["seconds"]
    ]
    # Every suspect, then the slowest of the others.
    chosen = sorted(spreads, key=lambda one: (not one.is_suspect, -one.middle))[:MOST_ROWS]
    rows = sorted(chosen, key=lambda one: -one.middle)
    return Strip(state, look.evidence, tuple(rows), hidden=len(spreads) - len(rows))


def _spread(host: str, seconds: NDArray[np.float64], *, is_suspect: bool) -> Spread:
    low, middle, high = (float(each) for each in np.quantile(seconds, _QUANTILES))
    return Spread(host, low, middle, high, count=len(seconds), is_suspect=is_suspect)


def _bands(suspect: Suspect, store: Store, scope: Scope) -> Iterator[Band]:
    """The metric, and the kind of heartbeats, in which the suspect differs most."""
    for table in ("metrics", "heartbeats"):
        told = next(((look, node) for look, node in suspect.looks if look.of == table), None)
        if told is not None and told[1].observations:
            band = _band(suspect.host, *told, store=store, scope=scope)
            if band is not None:
                yield band


def _band(host: str, look: Look, node: NodeStanding, *, store: Store, scope: Scope) -> Band | None:
    one = node.observations[0]
    column = one.what if look.of == "metrics" else "round_trip_s"
    columns = ["host", "at_s", column] + (["kind"] if look.of == "heartbeats" else [])
    rows = ScopedStore(store, _around(node, scope)).read(look.of, columns=columns)
    if look.kind is not None:
        rows = rows[rows["kind"] == look.kind]
    compared = {each.host for each in look.comparison.nodes}
    rows = rows[rows["host"].isin(compared) & rows[column].notna() & rows["at_s"].notna()]
    if rows.empty or host not in set(rows["host"]):
        return None
    begin_s = float(rows["at_s"].min())
    length_s = max((min(float(rows["at_s"].max()) - begin_s, _LONGEST_S)) / _BINS, 1.0)
    bins = ((rows["at_s"] - begin_s) // length_s).astype("int64")
    rows = rows.assign(bin=bins)[bins <= _BINS]
    means = rows.pivot_table(index="bin", columns="host", values=column, aggfunc="mean")
    means = means.reindex(range(int(means.index.max()) + 1)).astype("float64")
    peers = means.drop(columns=host)
    alarm = None
    if node.since_s is not None:
        until_s = node.since_s if node.until_s is None else node.until_s
        alarm = (node.since_s - begin_s, until_s - begin_s)
    return Band(
        host=host,
        what=one.what if look.of == "metrics" else look.evidence,
        unit=one.unit,
        at_s=tuple(float(each) * length_s for each in means.index),
        own=_values(means[host]),
        low=_values(peers.quantile(0.25, axis=1)),
        high=_values(peers.quantile(0.75, axis=1)),
        alarm_s=alarm,
    )


def _values(column: pd.Series[float]) -> tuple[float, ...]:
    return tuple(float(each) for each in column.to_numpy(dtype=np.float64))


def _around(node: NodeStanding, scope: Scope) -> Scope:
    """Two hours around the begin of its alarm at most, within what was looked at."""
    if node.since_s is None:
        return scope
    since_s = node.since_s - _AROUND_S
    ended_s = node.since_s if node.until_s is None else node.until_s
    until_s = min(ended_s + _AROUND_S, since_s + _LONGEST_S)
    return Scope(
        since_s=since_s if scope.since_s is None else max(since_s, scope.since_s),
        until_s=until_s if scope.until_s is None else min(until_s, scope.until_s),
        hosts=scope.hosts,
    )
