"""A store that grows: each stretch of time is looked at once, and each job that has ended.

The current time is taken from the data, not from the clock of the machine that looks: it is the
median of the latest times of the nodes that still send data, which neither one clock that jumps nor
a dead node changes. A stretch is looked at once this time has passed its end. A node no longer
counts when a quarter of the nodes have advanced by two stretches since it last advanced, so that
the comparison goes on when most of the nodes are gone. It does not matter how far a clock is ahead
of the others, as long as that does not change.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from statistics import median_low
from typing import Final

import numpy as np
import pandas as pd

from mprof.peers.calibration.values import NOTHING_SET, Calibration
from mprof.peers.detectors.bb_window import FEWEST_SAMPLES, SPARE
from mprof.peers.findings import (
    NodeFindings,
    NothingComparedError,
    Suspect,
    find_sick_nodes,
)
from mprof.peers.verdict.changes import (
    Change,
    Standing,
    changes_between,
    suspects_of,
    updated,
)
from mprof.peers.verdict.reported import Reported, reported_nodes
from mprof.store import Scope, ScopedStore, Store
from mprof.threshold import Threshold

__all__ = ["THRESHOLDS", "Live", "stretch_for"]

STRETCH: Final = Threshold(
    "live.stretch", 600.0, "s",
    "two windows of wb-durations and five of bb-window: long enough for each detector to indict",
)  # fmt: skip
STEPS: Final = Threshold(
    "live.steps", 2, "stretches per length of a stretch",
    "a fault is looked at twice, and fills at least half of one stretch once it lasts as long",
)  # fmt: skip
SILENT: Final = Threshold(
    "live.silent", 2.0, "stretches that a quarter of the nodes have come further meanwhile",
    "data of a node is imported within a stretch; a node that is two stretches behind is gone, and"
    " the time need not wait for it",
)  # fmt: skip
MOST_AT_ONCE: Final = Threshold(
    "live.most-at-once", 288, "stretches",
    "the stretches of a day; older ones, as after a clock that jumped, are left out",
)  # fmt: skip

THERE: Final = Threshold(
    "live.there", 0.25, "share of the nodes",
    "a time counts as reached when this share of the nodes has reached it: fewer may be clocks that"
    " run ahead",
)  # fmt: skip
FEWEST_THERE: Final = Threshold("live.fewest-there", 2, "nodes", "the clock of one may be ahead")

WINDOWS: Final = Threshold(
    "live.windows", 3, "windows of bb-window",
    "four alarms in a row, a quarter of a window apart, take 1.75 windows; where samples come every"
    " 15 s a window is 450 s wide, and in a stretch of 600 s no node could be named",
)  # fmt: skip

THRESHOLDS: Final = (STRETCH, STEPS, WINDOWS, SILENT, MOST_AT_ONCE, THERE, FEWEST_THERE)


_STREAMS: Final = {
    "transfers": ("started_s",),
    "heartbeats": ("at_s",),
    "metrics": ("at_s",),
    "attempts": ("started_s", "finished_s"),
}
"""Tables that tell where the time stands, and their columns that hold it."""

_STATES_BACK_S: Final = 1800.0
"""How far back states of nodes are read: they are noted every ten minutes, and as they change."""

_ENDED: Final = frozenset({"succeeded", "failed", "killed"})


def stretch_for(step_s: float) -> float:
    """How long a stretch must be where metrics come in steps of so many seconds.

    >>> stretch_for(1.0), stretch_for(15.0)
    (600.0, 1350.0)
    """
    return max(STRETCH.value, WINDOWS.value * (SPARE.value * FEWEST_SAMPLES.value) * step_s)


class Live:
    """Follows a store.

    Memory: what is known of each node, and a name for each source and job; rows are read for one
    stretch or one job at a time.
    """

    def __init__(
        self,
        store: Store,
        *,
        hosts: frozenset[str] = frozenset(),
        islands: Mapping[str, str] | None = None,
        since_s: float | None = None,
        stretch_s: float | None = None,
        calibration: Calibration = NOTHING_SET,
    ) -> None:
        """Begin.

        Args:
            store: that grows.
            hosts: nodes that should be there.
            islands: the island of each host, as the user lists them.
            since_s: where to begin; where None, with the last stretch that is there already.
            stretch_s: length of a stretch; `STRETCH` where None.
            calibration: thresholds and profiles of the cluster's own runs.
        """
        self._store = store
        self._hosts = hosts
        self._islands = islands
        self._calibration = calibration
        self._stretch_s = STRETCH.value if stretch_s is None else stretch_s
        self._next_end_s = math.nan if since_s is None else since_s + self._stretch_s
        self._sources: frozenset[str] = frozenset()
        self._latest_s: dict[str, float] = {}
        self._offset_s: dict[str, float] = {}  # of a node's clock, when it was first heard of
        self._reached_s: float | None = None  # by clocks that were set by these offsets
        self._filled: set[int] = set()  # steps of time in which there are rows
        self._jobs: set[str] = set()
        self._standing: Standing = {}
        self._states_from: frozenset[str] = frozenset()
        self._reported: dict[str, Reported] = {}

    @property
    def suspects(self) -> tuple[Suspect, ...]:
        """The nodes that are suspected now, those with most looks and highest scores first."""
        found = (one for one in suspects_of(self._standing).values() if not self._is_out(one.host))
        return tuple(sorted(found, key=lambda one: (-len(one.looks), -one.score, one.host)))

    @property
    def compared(self) -> int:
        """Number of nodes that were compared so far."""
        return len(self._standing)

    @property
    def evidence_s(self) -> float | None:
        """Where the time of the data stands; None before there is any."""
        now_s = self._now_s()
        return None if math.isnan(now_s) else now_s

    @property
    def reported(self) -> tuple[Reported, ...]:
        """The nodes that the ResourceManager does not call well, as `report` found them."""
        return tuple(self._reported.values())

    def report(self) -> tuple[tuple[Reported, ...], tuple[Reported, ...]]:
        """Look at what the ResourceManager says; gives nodes of new states, and those well again.

        Since when a node is so is kept as long as it is.
        """
        sources = frozenset(self._store.sources())
        new, self._states_from = sources - self._states_from, sources
        read = [self._store.read("node_states", columns=["at_s"], source=one) for one in new]
        times = [rows["at_s"].max() for rows in read if rows["at_s"].notna().any()]
        if not times:  # what came says nothing of nodes
            return (), ()
        latest_s = max(times)
        before = self._reported
        since_s = latest_s - _STATES_BACK_S
        found = reported_nodes(ScopedStore(self._store, Scope(since_s=since_s)))
        self._reported = {one.host: _since_before(one, before.get(one.host)) for one in found}
        changed = (
            one for host, one in self._reported.items()
            if host not in before or before[host].state != one.state
        )  # fmt: skip
        well = (one for host, one in before.items() if host not in self._reported)
        return tuple(changed), tuple(well)

    def _is_out(self, host: str) -> bool:
        return host in self._reported and self._reported[host].is_taken_out

    def advance(self) -> Iterator[Change]:
        """Look at what has come since the last call, and say what has become of suspects."""
        sources = frozenset(self._store.sources())
        new = sorted(sources - self._sources)
        self._sources = sources
        ended = self._take_note(new)
        now_s = self._now_s()
        if math.isnan(self._next_end_s):
            self._next_end_s = now_s
        begin_s = self._next_end_s - self._stretch_s
        for job, end_s in ended:
            if math.isnan(begin_s) or end_s >= begin_s:
                yield from self._compare(Scope(), job=job, at_s=end_s)
        yield from self._stretches(now_s)

    def _now_s(self) -> float:
        """Where the time of the data stands; NaN before there is any."""
        if not self._latest_s:
            return math.nan
        middle_s = median_low(self._latest_s.values())
        now_s = middle_s if self._reached_s is None else self._reached_s
        for host, at_s in self._latest_s.items():
            self._offset_s.setdefault(host, at_s - now_s)
        come = {host: at_s - self._offset_s[host] for host, at_s in self._latest_s.items()}
        there = max(round(FEWEST_THERE.value), int(THERE.value * len(come)))
        self._reached_s = sorted(come.values())[max(0, len(come) - there)]
        silent_s = self._reached_s - SILENT.value * self._stretch_s
        return median_low(self._latest_s[host] for host, at_s in come.items() if at_s >= silent_s)

    def _stretches(self, now_s: float) -> Iterator[Change]:
        step_s = self._stretch_s / STEPS.value
        behind = (now_s - self._next_end_s) / step_s
        if behind > MOST_AT_ONCE.value:
            self._next_end_s += math.floor(behind - MOST_AT_ONCE.value) * step_s
        while self._next_end_s <= now_s:
            end_s = self._next_end_s
            self._next_end_s += step_s
            begin_s = end_s - self._stretch_s
            steps = range(math.floor(begin_s / step_s), math.ceil(end_s / step_s))
            if not self._filled.isdisjoint(steps):
                yield from self._compare(Scope(begin_s, end_s), at_s=end_s)
        if not math.isnan(self._next_end_s):
            past = math.floor((self._next_end_s - self._stretch_s) / step_s)
            self._filled = {step for step in self._filled if step >= past}

    def _compare(self, scope: Scope, *, job: str | None = None, at_s: float) -> Iterator[Change]:
        found = self._found(scope, job)
        if found is None:
            return
        after = updated(self._standing, found, of="time" if job is None else "job")
        yield from changes_between(self._standing, after, at_s=at_s)
        self._standing = after

    def _found(self, scope: Scope, job: str | None) -> NodeFindings | None:
        try:
            return find_sick_nodes(
                self._store,
                job=job,
                hosts=self._hosts,
                scope=scope,
                islands=self._islands,
                calibration=self._calibration,
            )
        except NothingComparedError:
            return None

    def _take_note(self, sources: list[str]) -> list[tuple[str, float]]:
        """Note how far each node has come; gives the jobs that have ended since, and when."""
        ended: dict[str, float] = {}
        for source in sources:
            for table, columns in _STREAMS.items():
                self._note_latest(table, columns, source)
            jobs = self._store.read(
                "jobs", columns=["job", "state", "finished_s"], source=source
            ).dropna()
            for job, state, end_s in jobs.itertuples(index=False, name=None):
                if state in _ENDED and job not in self._jobs:
                    ended[job] = float(end_s)
        self._jobs |= ended.keys()
        return sorted(ended.items(), key=lambda one: (one[1], one[0]))

    def _note_latest(self, table: str, columns: tuple[str, ...], source: str) -> None:
        wanted = ["host", *columns, *(("kind",) if table == "attempts" else ())]
        rows = self._store.read(table, columns=wanted, source=source)
        if table == "attempts":
            rows = rows[rows["kind"].isna()]  # histories tell of a time that is over
        if rows.empty:
            return
        moments = rows[list(columns)].to_numpy(dtype=np.float64)
        steps = np.floor(moments[np.isfinite(moments)] * (STEPS.value / self._stretch_s))
        self._filled.update(int(step) for step in np.unique(steps))
        latest: pd.Series[float] = rows.groupby("host")[list(columns)].max().max(axis=1)
        for host, at_s in latest[np.isfinite(latest)].items():
            name = str(host)
            self._latest_s[name] = max(self._latest_s.get(name, -math.inf), float(at_s))


def _since_before(now: Reported, before: Reported | None) -> Reported:
    if before is None or before.state != now.state or before.since_s is None:
        return now
    return replace(now, since_s=min(before.since_s, now.since_s or before.since_s))
