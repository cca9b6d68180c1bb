"""`hb-delay`: nodes whose heartbeats take longer than those of their peers, and slow masters.

Definition. Blimey (Pan, Tan, Kavulya, Gandhi and Narasimhan: *Blind Men and the Elephant: Piecing
Together Hadoop for Diagnosis*, section IV-C) subtracts the time at which the JobTracker logged a
heartbeat from the time at which the TaskTracker logged the answer, and removes the part that a
local linear regression on time explains, since these are two clocks. A node with a large mean of
the remainder is indicted.

Today a slave measures the round trip itself, by one clock, so no clocks need to be aligned: the RPC
client at level DEBUG (`Call: nodeHeartbeat took N ms`), `HeartbeatsAvgTime` of a DataNode, and the
time in which a daemon answers a request, which `mprof collect --ask` measures. So here a
node's figure is the mean round trip in a window without the longest one, compared with the median
of the nodes. It is the mean because the few heartbeats that wait are a sign of lost packets, which
the median would not show; the longest is left out because an occasional garbage collection is not
a sickness.

A daemon that stands still, because of a signal or a garbage collection, sends no heartbeat, and no
round trip shows it: when a NodeManager was stopped for 20 s in every 25 s, a call was under way in
one stop of eight. So for daemons that send heartbeats at a fixed pace, every second or every three,
the time since the previous heartbeat, beyond twice the usual, counts as a delay too. After a gap of
more than a window nobody can say whether the daemon stood still or its log is incomplete.

**The master.** This is the only detector that notices a master which stops: the mean round trips of
most nodes, including the longest, rise at once, each above what is usual for that node. It is
reported as an alarm of the master, with the share of nodes whose figures rose again and again;
Blimey gives 1.0 of 10 nodes and 0.73 of 50 for a JobTracker that hangs. Windows in which most nodes
rise count for no node. Other things that all nodes share, such as a switch or the name service,
look the same. A master that was as slow from the first heartbeat to the last cannot be
distinguished from one that has much to do. The cost of a call at the master (`... at the master`)
is compared with what is usual there.

A heartbeat that took longer than a window counts in each window in which it was under way. A node
without data is not compared: its log may be missing. An application that hangs shows nothing here,
since its node still sends heartbeats: `hb-rate` sees it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.peers.comparison import Comparison, Look, MasterStanding, Observation
from mprof.peers.detectors.repeated_alarms import (
    FEWEST_NODES,
    Rounds,
    alarm_counts,
    comparison_of,
    too_few_nodes,
    withheld,
)
from mprof.peers.detectors.request import Asked, looks_of_pieces
from mprof.store import Rows
from mprof.threshold import Threshold

__all__ = ["AT_THE_MASTER", "DETECTOR", "THRESHOLDS", "compare_delays", "looks"]

DETECTOR: Final = "hb-delay"

AT_THE_MASTER: Final = " at the master"
"""End of the kinds that say what a call costs at the master."""

WINDOW: Final = Threshold(
    "hb-delay.window", 60, "s", "twenty heartbeats of a DataNode, sixty of a NodeManager"
)
FEWEST_SAMPLES: Final = Threshold(
    "hb-delay.fewest-samples", 8, "heartbeats a window",
    "one heartbeat that waited is an eighth of the mean; if heartbeats are rarer, the window grows"
    " so that it holds twice as many",
)  # fmt: skip
OWN_PACE: Final = Threshold(
    "hb-delay.own-pace", 5, "s between two heartbeats",
    "DataNodes send one every three seconds, NodeManagers every second; values that are read less"
    " often, such as /jmx, are late because of their reader",
)  # fmt: skip
MISSED: Final = Threshold(
    "hb-delay.missed", 2, "times the usual time between two heartbeats",
    "a heartbeat that is one interval late is not yet a sign of a daemon that stands still",
)  # fmt: skip
LONGEST: Final = Threshold(
    "hb-delay.longest", 3600, "s",
    "if a heartbeat took longer, only the last hour counts: clients of RPC give up earlier, and a"
    " wrong number must not cover years",
)  # fmt: skip
ALARM_RATIO: Final = Threshold(
    "hb-delay.alarm-ratio", 3, "times the median of the nodes",
    "HDFS's own rule for slow peers (SlowNodeDetector, OutlierDetector)",
)  # fmt: skip
ALARM_DEVIATIONS: Final = Threshold(
    "hb-delay.deviations", 3, "standard deviations of the nodes (1.4826 MAD)",
    "HDFS's own rule for slow peers: if nodes differ anyway, as racks do, more is required",
)  # fmt: skip
FLOOR: Final = Threshold(
    "hb-delay.floor", 0.01, "s above the median of the nodes",
    "logs round to milliseconds, and a delay shorter than a turn of a disk delays no task",
)  # fmt: skip
RISE_RATIO: Final = Threshold(
    "hb-delay.rise-ratio", 3, "times what is usual for the node", "as between nodes"
)
RISE_FLOOR: Final = Threshold(
    "hb-delay.rise-floor", 0.1, "s above what is usual for the node",
    "residuals of Blimey's fault-free runs are mostly below 100 ms, and 1,500 ms after its master"
    " hangs",
)  # fmt: skip
MOST: Final = Threshold(
    "hb-delay.most", 0.5, "share of the nodes",
    "more than half of the nodes do not become sick at once: they have the master in common",
)  # fmt: skip
HALF_LIFE: Final = Threshold(
    "hb-delay.half-life", 8, "windows", "an alarm weighs half after eight minutes; free in Blimey"
)
INDICTED_ABOVE: Final = Threshold(
    "hb-delay.indicted-above", 2.5, "weighted number of alarms",
    "three windows in a row: one long garbage collection indicts no node",
)  # fmt: skip

LOW_QUANTILE: Final = Threshold(
    "hb-delay.low-quantile", 0.25, "quantile of the nodes' mean round trips",
    "it does not change even if up to three quarters of the nodes are late",
    most=1.0,
)  # fmt: skip

THRESHOLDS: Final = (
    WINDOW, FEWEST_SAMPLES, OWN_PACE, MISSED, LONGEST, ALARM_RATIO, ALARM_DEVIATIONS, FLOOR,
    LOW_QUANTILE, RISE_RATIO, RISE_FLOOR, MOST, HALF_LIFE, INDICTED_ABOVE,
)  # fmt: skip
"""Every free parameter of the detector."""

_COLUMNS: Final = ("host", "at_s", "kind", "round_trip_s")
_MAD_OF_NORMAL: Final = 1.4826  # standard deviations of a normal distribution in its MAD


@dataclass(frozen=True, slots=True)
class _Windows:
    """Mean round trips; a row a window, a column a node.

    Attributes:
        start_s: of each window.
        seen: whether there were enough heartbeats, or one was under way all the time.
        mean_s: NaN where there was none.
        rest_s: the mean without the longest, unless that was under way for more than a window.
        usual_s: of each node, the median of all its heartbeats.
    """

    start_s: NDArray[np.float64]
    seen: NDArray[np.bool_]
    mean_s: NDArray[np.float64]
    rest_s: NDArray[np.float64]
    usual_s: NDArray[np.float64]

    @property
    def rose(self) -> NDArray[np.bool_]:
        """Where the mean is far above what is usual for the node."""
        least = np.maximum(RISE_RATIO.value * self.usual_s, RISE_FLOOR.value + self.usual_s)
        return self.seen & (np.nan_to_num(self.mean_s) > least)


def looks(asked: Asked) -> Iterator[Look]:
    """Compare the heartbeats of each kind, which are a piece; they are of no job."""
    if asked.job is not None:
        return
    rows = asked.store.rows("heartbeats", columns=_COLUMNS, by="kind")
    kinds = sorted(map(str, rows.selecting("kind").read()["kind"].dropna().unique()))
    pieces = [rows.among([kind]) for kind in kinds]
    yield from looks_of_pieces(asked.engine, partial(_of_kind, asked.hosts), pieces)


def _of_kind(hosts: frozenset[str], rows: Rows) -> Iterator[Look]:
    for kind, of_kind in rows.read().groupby("kind", sort=True):
        name = str(kind)
        if name.endswith(AT_THE_MASTER):
            for host, own in of_kind.groupby("host", sort=True):
                yield Look(f"{name} {host}", compare_master(own), of="heartbeats")
        else:
            found = compare_delays(of_kind, hosts)
            yield Look(f"round trips of {name}", found, of="heartbeats", kind=name)


def compare_delays(heartbeats: pd.DataFrame, hosts: Iterable[str] = ()) -> Comparison:
    """Say whose heartbeats take longer than those of the peers, and whether those of most rose.

    Cost: one pass over the heartbeats; 0.1 s for a day of 50 nodes at one in three seconds.

    Args:
        heartbeats: of one kind, columns ``host``, ``at_s`` (when it was answered) and
            ``round_trip_s``.
        hosts: nodes that should be there; those with heartbeats are added.
    """
    rows = _with_silence(_usable(heartbeats))
    names = tuple(sorted(set(rows["host"])))
    if len(names) < FEWEST_NODES.value:
        return too_few_nodes(DETECTOR, len(names))
    windows = _windows(rows, names)
    enough = windows.seen.sum(axis=1) >= FEWEST_NODES.value
    rose = windows.rose
    all_at_once = enough & (rose.sum(axis=1) > MOST.value * windows.seen.sum(axis=1))
    master = _master(windows, rose, all_at_once)
    quiet = enough & ~all_at_once
    if enough.any() and quiet.sum() < INDICTED_ABOVE.value:
        why = (
            f"in {all_at_once.sum()} of {enough.sum()} windows most nodes had late answers at once,"
            " so that they cannot be compared"
        )
        return replace(withheld(DETECTOR, why), master=master)
    found = _compared(windows, names, quiet).with_unseen(hosts, "no heartbeat of it was seen")
    return replace(found, master=master)


def compare_master(heartbeats: pd.DataFrame) -> Comparison:
    """Say whether what a call costs at a master rises again and again; it has no peers.

    Args:
        heartbeats: of one kind and one master, columns as for ``compare_delays``.
    """
    rows = _usable(heartbeats)
    why = "a master has no peers: what is said of it is how it differs from what is usual"
    windows = _windows(rows, tuple(sorted(set(rows["host"]))))
    rose = windows.rose
    found = withheld(DETECTOR, why)
    return replace(
        found,
        windows=len(windows.start_s),
        master=_master(windows, rose, np.asarray(rose.any(axis=1))),
    )


def _usable(heartbeats: pd.DataFrame) -> pd.DataFrame:
    rows = heartbeats[["host", "at_s", "round_trip_s"]]
    rows = rows[rows["host"].notna() & np.isfinite(rows["at_s"].astype(float))]
    rows = rows[np.isfinite(rows["round_trip_s"].astype(float)) & (rows["round_trip_s"] >= 0)]
    return rows.sort_values(["host", "at_s"], kind="stable")


def _with_silence(rows: pd.DataFrame) -> pd.DataFrame:
    """The heartbeats, each as late as its answer, or as it was sent."""
    gap_s = rows.groupby("host")["at_s"].diff()
    usual_s = float(gap_s.groupby(rows["host"]).median().median())
    if not usual_s <= OWN_PACE.value:
        return rows
    silent_s = (gap_s - MISSED.value * usual_s).where(gap_s <= WINDOW.value)
    return rows.assign(round_trip_s=np.fmax(rows["round_trip_s"], silent_s))


def _windows(rows: pd.DataFrame, names: tuple[str, ...]) -> _Windows:
    interval_s = rows.groupby("host")["at_s"].diff().groupby(rows["host"]).median().median()
    interval_s = 0.0 if math.isnan(interval_s) else float(interval_s)
    length_s = max(WINDOW.value, 2 * FEWEST_SAMPLES.value * interval_s)
    node = pd.Index(names).get_indexer(pd.Index(rows["host"]))
    at_s = rows["at_s"].to_numpy(dtype=np.float64)
    seconds = rows["round_trip_s"].to_numpy(dtype=np.float64)
    own = pd.Series(seconds).groupby(node).median()
    first_s = float(at_s.min()) if len(at_s) else 0.0
    # What took longer than a window was under way in those before its end, too.
    under_way = np.minimum(seconds, LONGEST.value) // length_s
    under_way = np.minimum(under_way, (at_s - first_s) // length_s).astype(np.int64)
    back = _counted_up(under_way)
    waiting = np.repeat([False, True], [len(rows), len(back)])
    at_s = np.concatenate((at_s, np.repeat(at_s, under_way) - back * length_s))
    node = np.concatenate((node, np.repeat(node, under_way)))
    seconds = np.concatenate((seconds, np.repeat(seconds, under_way)))
    # Only windows with heartbeats, so that a clock that was years off makes no years.
    ticks, place = np.unique(np.floor((at_s - first_s) / length_s), return_inverse=True)
    shape = (len(ticks), len(names))
    count, total, waited, longest = (np.zeros(shape) for _ in range(4))
    np.add.at(count, (place, node), 1)
    np.add.at(total, (place, node), seconds)
    np.add.at(waited, (place, node), waiting)
    np.maximum.at(longest, (place, node), seconds)
    mean_s, rest_s = np.full(shape, np.nan), np.full(shape, np.nan)
    np.divide(total, count, out=mean_s, where=count > 0)
    np.divide(total - longest, count - 1, out=rest_s, where=(count > 1) & (waited == 0))
    return _Windows(
        start_s=first_s + ticks * length_s,
        seen=(count >= FEWEST_SAMPLES.value) | (waited > 0),
        mean_s=mean_s,
        rest_s=np.where(waited > 0, mean_s, rest_s),
        usual_s=own.reindex(range(len(names))).to_numpy(dtype=np.float64),
    )


def _counted_up(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """From 1 to each of these counts, one after the other.

    >>> _counted_up(np.array([2, 0, 3])).tolist()
    [1, 2, 1, 2, 3]
    """
    before = np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(np.arange(counts.sum()) - before + 1, dtype=np.int64)


def _master(
    windows: _Windows, rose: NDArray[np.bool_], all_at_once: NDArray[np.bool_]
) -> MasterStanding:
    """Whether the figures of most nodes rise again and again, at the same time."""
    together = rose & all_at_once[:, None]
    judged = windows.seen.sum(axis=0) >= INDICTED_ABOVE.value
    if not judged.any():
        return MasterStanding(None, math.nan, why_not="too few windows with enough heartbeats")
    counts = alarm_counts(together, windows.seen, HALF_LIFE.value).max(axis=0)
    rate = float((counts > INDICTED_ABOVE.value)[judged].mean())
    if not all_at_once.any():
        return MasterStanding(False, rate)
    late_s = float(np.nanmean(np.where(together, windows.mean_s, np.nan)))
    usual_s = float(np.nanmedian(windows.usual_s))
    return MasterStanding(
        alarm=rate > MOST.value,
        rate=rate,
        since_s=float(windows.start_s[all_at_once].min()),
        until_s=float(windows.start_s[all_at_once].max()),
        observations=(Observation("mean round trip", late_s, usual_s, "s"),),
    )


def _compared(windows: _Windows, names: tuple[str, ...], quiet: NDArray[np.bool_]) -> Comparison:
    seen, mean_s = windows.seen[quiet], windows.rest_s[quiet]
    known = np.where(seen, mean_s, np.nan)
    usual = np.nanmedian(known, axis=1, keepdims=True) if len(known) else known
    spread = np.nanmedian(np.abs(known - usual), axis=1, keepdims=True) if len(known) else known
    least = np.maximum(usual * ALARM_RATIO.value, usual + FLOOR.value)
    least = np.maximum(least, usual + ALARM_DEVIATIONS.value * _MAD_OF_NORMAL * spread)
    differs = seen & (np.nan_to_num(mean_s) > least)
    # Of halves that differ the median lies between, and neither is far from it.
    low = np.nanquantile(known, LOW_QUANTILE.value, axis=1, keepdims=True) if len(known) else known
    far = seen & (np.nan_to_num(mean_s) > np.maximum(low * ALARM_RATIO.value, low + FLOOR.value))
    rounds = Rounds(
        start_s=windows.start_s[quiet],
        seen=seen,
        differs=differs,
        agree=far.sum(axis=1) <= (seen.sum(axis=1) - 1) / 2,
    )

    def observe(node: int, when: NDArray[np.bool_]) -> tuple[Observation, ...]:
        own, peers = float(mean_s[when, node].mean()), float(usual[when].mean())
        return (Observation("mean delay", own, peers, "s"),)

    return comparison_of(
        rounds,
        detector=DETECTOR,
        hosts=names,
        half_life=HALF_LIFE.value,
        indicted_above=INDICTED_ABOVE.value,
        observe=observe,
    )
