"""``bb-window``: the last two minutes of each node against a random draw from its peers.

The training-free black box of Blimey (Pan, Tan, Kavulya, Gandhi and Narasimhan: *Blind Men and the
Elephant: Piecing Together Hadoop for Diagnosis*, section IV). The paper gives the window, the draw
and the weighted count of alarms; the statistic and every threshold are ours.

If a metric puts more nodes in alarm than can be sick, it moves too slowly for the window, and is
left out: neighbouring samples are almost equal, so 120 of them count as only a few. A node that is
no longer seen while most others are is indicted for its silence. If other nodes are in alarm at
times, a node must be in alarm for longer than chance would cause on any of them
(`mprof.peers.statistics.clumps`).

Each node is compared with as many vectors of its peers as `DRAWN` says, whatever the number of
nodes, so the cost grows with the nodes and not with their pairs. Windows are compared a stretch at
a time, on all cores or on Spark, and nothing depends on where the stretches are cut. Measured on
600 s of 16 metrics at 1 Hz, 20 windows:

| nodes | processor seconds |
|---|---|
| 50 | 0.09 |
| 100 | 0.15 |
| 200 | 0.24 |
| 400 | 0.50 |

docs/reference/peer-cost.md has the cost of a day of 700 nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from mprof.metrics import METRIC_NAMES, METRICS
from mprof.peers.comparison import Comparison, Look, Observation
from mprof.peers.detectors.repeated_alarms import (
    FEWEST_NODES,
    MOST_HEARD,
    MOST_INDICTED,
    Heard,
    Rounds,
    comparison_of,
    too_few_nodes,
    withheld,
)
from mprof.peers.detectors.request import Asked
from mprof.peers.statistics.least_difference import LEAST_DIFFERENCE
from mprof.peers.statistics.two_sample import distances_beyond
from mprof.peers.tables.metric_survey import HOUR_S, MetricSurvey, survey_of, survey_of_rows
from mprof.peers.tables.metric_table import MetricTable, metric_table
from mprof.pieces import Engine
from mprof.store import Rows
from mprof.threshold import Threshold

__all__ = ["ALARM_ABOVE", "DETECTOR", "THRESHOLDS", "compare", "compare_rows", "looks"]

DETECTOR: Final = "bb-window"

WINDOW: Final = Threshold(
    "bb-window.window", 120, "s", "Blimey keeps the last 120 vectors, one a second"
)
FEWEST_SAMPLES: Final = Threshold(
    "bb-window.fewest-samples", 25, "samples",
    "with fewer, chance alone puts one of 16 metrics above the alarm's distance of 0.5 in more than"
    " one of 1,000 windows",
)  # fmt: skip
SPARE: Final = Threshold(
    "bb-window.spare", 1.2, "times the fewest samples",
    "of 30 scrapes some fail even on a healthy node: at one in 15 s the window grows to 450 s",
)  # fmt: skip
LEAST_FILLED: Final = Threshold(
    "bb-window.least-filled", 0.5, "share of the window",
    "a node must have been seen for most of the time from which its peers are drawn",
)  # fmt: skip
STEPS: Final = Threshold(
    "bb-window.steps", 4, "windows per length of a window",
    "a window starts every 30 s: each sample is looked at four times, and a fault that lasts as"
    " long as a window fills at least one to three quarters",
)  # fmt: skip
DRAWN: Final = Threshold(
    "bb-window.drawn", 120, "vectors of peers", "as many as the node's own window holds at 1 Hz"
)
ALARM_ABOVE: Final = Threshold(
    "bb-window.alarm-above", 0.5, "Kolmogorov-Smirnov distance",
    "for more than half of the time the node shows values that its peers do not; `calibrate`"
    " replaces it with a value from control runs of the cluster",
)  # fmt: skip
APART_ABOVE: Final = Threshold(
    "bb-window.apart-above", 0.4, "median Kolmogorov-Smirnov distance of the nodes",
    "if 40 % of the nodes are sick the healthy ones are this far from a draw of all of them, and"
    " so is the half of the nodes that is nearest to its peers",
)  # fmt: skip
HALF_LIFE: Final = Threshold(
    "bb-window.half-life", 8, "windows",
    "an alarm weighs half after 240 s at 1 Hz, twice the window; free in the paper",
)  # fmt: skip
INDICTED_ABOVE: Final = Threshold(
    "bb-window.indicted-above", 3, "weighted number of alarms",
    "four alarms in a row reach it, which takes 210 s of samples at 1 Hz; free in the paper",
)  # fmt: skip
MOST_USUAL: Final = Threshold(
    "bb-window.most-usual", 0.01, "share of a node's windows",
    "a metric that puts more nodes in alarm than can be sick, more often than this, moves too"
    " slowly for the window: autoregressive noise with a correlation of 0.95 gives 0.002, with 0.97"
    " 0.015",
    most=1.0,
)  # fmt: skip
NEARLY_ALWAYS: Final = Threshold(
    "bb-window.nearly-always", 0.1, "share of the median node's windows",
    "a metric that is in alarm on most nodes for so long measures nothing; one that is so less"
    " often shows how often chance makes alarms, though it indicts no node",
    most=1.0,
)  # fmt: skip
SILENT: Final = Threshold(
    "bb-window.silent", 180, "s without samples",
    "a collector or a machine that is restarted is silent for a minute or two",
)  # fmt: skip
TOLERATED: Final = Threshold(
    "bb-window.tolerated", 0.1, "share of the 95th percentile of the peers",
    "nodes of one kind differ by some per cent all the time, and ranks see any difference",
)  # fmt: skip

THRESHOLDS: Final = (
    FEWEST_NODES, WINDOW, FEWEST_SAMPLES, SPARE, LEAST_FILLED, STEPS, DRAWN, ALARM_ABOVE,
    APART_ABOVE, HALF_LIFE, INDICTED_ABOVE, MOST_USUAL, NEARLY_ALWAYS, SILENT, MOST_HEARD,
    TOLERATED,
)  # fmt: skip
"""Every free parameter of the detector; what is the least difference of a metric stands beside."""

_NONE: Final = -1
_HEARD: Final = -2
_ROW: Final = np.dtype(
    [("window", "i8"), ("node", "i4"), ("metric", "i2"), ("distance", "f8"), ("own", "f8"),
     ("peers", "f8")]
)  # fmt: skip
_SCHEMA: Final = pa.schema((name, pa.from_numpy_dtype(_ROW[name])) for name in _ROW.names or ())
_FAR: Final = 1e15
_NUMBERS: Final = 1 << 64  # what a seed may be; windows before the first one have negative numbers
_MOST_ROWS: Final = 2_000_000
"""Of a stretch: 76 bytes each, 0.15 GB, and once more as they are put in order."""
_FEWEST_ROWS: Final = 250_000
_FEWEST_STRETCHES: Final = 8
"""So that every core has some; a stretch reads what the one before it has read last, once more."""
_UPPER: Final = 95  # percentile that stands for the size of a metric, as `TOLERATED` says
_MOST_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a window shows.

    Attributes:
        largest: of each node, the distance of the metric that is furthest.
        alarmed: places of the nodes in alarm.
        distance: of these, a row a node, a column a metric.
        own: likewise, their mean.
        peers: likewise, that of what was drawn.
    """

    largest: NDArray[np.float64]
    alarmed: NDArray[np.int64]
    distance: NDArray[np.float64]
    own: NDArray[np.float64]
    peers: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What every window of a comparison has in common.

    Attributes:
        hosts: names of the nodes, sorted.
        origin_s: the time of window 0, at which the middle node has its first sample.
        length_s: of a window.
        step_s: from the start of a window to that of the next.
        least: samples of a node in a window, with fewer of which it is not compared.
        most: samples that are looked at of a node in a window.
        seed: of the draws.
    """

    hosts: tuple[str, ...]
    origin_s: float
    length_s: float
    step_s: float
    least: float
    most: int
    seed: int


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Windows that follow each other.

    Attributes:
        first: number of the first of the windows.
        count: how many.
        rows: that they look at.
    """

    first: int
    count: int
    rows: Rows


def looks(asked: Asked) -> Iterator[Look]:
    """Compare the metrics of the store's nodes, stretch of windows by stretch of windows."""
    rows = asked.metrics(METRIC_NAMES)
    if rows is not None:
        found = compare_rows(rows, asked.engine).with_unseen(
            asked.strangers(), "no list of nodes has it, so that it is taken for none"
        )
        yield Look("metrics of the operating system", found, of="metrics")


def compare(metrics: pd.DataFrame, *, seed: int = 0) -> Comparison:
    """Say which nodes differ from their peers, and in which metrics.

    A node is in alarm in a window if one of its metrics is further from the draw than
    `ALARM_ABOVE`. The distance of a metric forgives what `TOLERATED` and the metric's least
    difference say.

    Cost: linear in nodes, metrics and time; 2 microseconds for a second of one node.

    Args:
        metrics: columns ``host``, ``at_s`` and the metrics of `mprof.metrics.METRICS`.
        seed: of the draws; the same seed gives the same answer.
    """
    survey = survey_of(metrics)
    plan = _plan(survey, seed)
    return _together(_compare_windows(metrics, plan), plan, survey)


def compare_rows(rows: Rows, engine: Engine, *, seed: int = 0) -> Comparison:
    """The same of rows of a store, of which a stretch at a time is in memory.

    Memory: some stretches, as many as the engine runs at a time, each of `_MOST_ROWS` rows; and 40
    bytes for each node and window.
    """
    survey = survey_of_rows(engine, rows)
    plan = _plan(survey, seed)
    stretches = _stretches(survey, plan, rows)
    return _together(engine.frame(partial(_of_stretch, plan), stretches, _SCHEMA), plan, survey)


def _plan(survey: MetricSurvey, seed: int) -> _Plan:
    interval_s = survey.interval_s or 1.0
    length_s = max(WINDOW.value, SPARE.value * FEWEST_SAMPLES.value * interval_s)
    return _Plan(
        hosts=survey.hosts,
        origin_s=float(np.median(survey.first_s)) if survey.hosts else 0.0,
        length_s=length_s,
        step_s=length_s / STEPS.value,
        least=max(FEWEST_SAMPLES.value, LEAST_FILLED.value * length_s / interval_s),
        # A clock that jumps back gives one window the samples of two; more would only cost memory.
        most=round(2 * length_s / interval_s),
        seed=seed,
    )


def _stretches(survey: MetricSurvey, plan: _Plan, rows: Rows) -> tuple[_Stretch, ...]:
    """All windows in stretches that fit into memory; none where no hour has samples.

    A clock that was years off for a moment must not make a window for each minute of those years.
    """
    per_step = survey.rows / max(1, len(survey.hours)) * plan.step_s / HOUR_S
    at_once = min(_MOST_ROWS, max(_FEWEST_ROWS, survey.rows // _FEWEST_STRETCHES))
    count = max(int(STEPS.value), int(at_once / max(per_step, 1)))
    ends = (survey.hours[:, None] + np.arange(2)) * HOUR_S - plan.origin_s
    low, high = np.floor(ends / plan.step_s / count).astype(np.int64).T
    numbers = {one for a, b in zip(low, high, strict=True) for one in range(a, b + 1)}
    found = []
    for first in (int(number) * count for number in sorted(numbers)):
        begin_s = plan.origin_s + first * plan.step_s
        end_s = begin_s + (count - 1) * plan.step_s + plan.length_s
        # Rounding may put a sample at the very begin or end on the other side of it.
        part = rows.between(begin_s - 1, end_s + 1)
        if part.groups:
            found.append(_Stretch(first, count, part))
    return tuple(found)


def _of_stretch(plan: _Plan, stretch: _Stretch) -> pd.DataFrame:
    rows = stretch.rows.read()
    return _compare_windows(rows, plan, first=stretch.first, count=stretch.count)


def _compare_windows(
    metrics: pd.DataFrame, plan: _Plan, *, first: int | None = None, count: int = 0
) -> pd.DataFrame:
    """Compare the nodes in some windows, or in all.

    What comes out of a window depends on nothing but the samples in it and its number, which seeds
    the draw.

    Args:
        metrics: with all samples of these windows; others do no harm.
        plan: of the comparison.
        first: number of the first window; all windows where None.
        count: how many windows.

    Returns:
        Rows of four kinds. ``metric`` -1: the largest distance of a node in a window. ``metric``
        -2: the node has samples from the start of the window to that of the next. ``node`` -1:
        anything was collected of a metric. Others: one metric of a node in alarm.
    """
    table = metric_table(metrics)
    steps = np.clip((table.at_s - plan.origin_s) / plan.step_s, -_FAR, _FAR)
    numbers = np.unique(np.floor(steps))
    if first is not None:
        numbers = numbers[(numbers >= first) & (numbers < first + count)]
    starts_s = np.asarray(plan.origin_s + numbers * plan.step_s, dtype=np.float64)
    begin, end = _rows(table, starts_s, plan.length_s)
    first_row, last_row = _rows(table, starts_s, plan.step_s)
    heard_in, heard = np.nonzero(last_row > first_row)
    enough = (end - begin) >= plan.least
    chosen = np.flatnonzero(enough.sum(axis=1) >= FEWEST_NODES.value)
    node_of = np.searchsorted(plan.hosts, table.hosts)
    metric_of = np.array([METRIC_NAMES.index(name) for name in table.metrics], dtype=np.int64)
    found = [
        _rows_of(len(metric_of), node=_NONE, metric=metric_of),
        _rows_of(len(heard), window=numbers[heard_in], node=node_of[heard], metric=_HEARD),
    ]
    for window in chosen:
        nodes = np.flatnonzero(enough[window])
        number = int(numbers[window])
        seen = _compare_window(
            table, begin[window, nodes], end[window, nodes], plan=plan, number=number
        )
        names, alarmed = node_of[nodes], node_of[nodes[seen.alarmed]]
        found.append(
            _rows_of(len(names), window=number, node=names, metric=_NONE, distance=seen.largest)
        )
        found.append(
            _rows_of(
                seen.distance.size, window=number, node=np.repeat(alarmed, len(metric_of)),
                metric=np.tile(metric_of, len(alarmed)), distance=seen.distance.ravel(),
                own=seen.own.ravel(), peers=seen.peers.ravel(),
            )
        )  # fmt: skip
    return pd.DataFrame(np.concatenate(found))


def _rows_of(count: int, **columns: Any) -> NDArray[np.void]:
    """So many rows of the results; what is not given is 0."""
    rows = np.zeros(count, dtype=_ROW)
    for name, values in columns.items():
        rows[name] = values
    return rows


def _together(found: pd.DataFrame, plan: _Plan, survey: MetricSurvey) -> Comparison:
    """The verdict on all nodes, from what all windows show."""
    of_metric = found["metric"] >= 0
    of_node = found["node"] != _NONE
    heard = _heard(found[found["metric"] == _HEARD], plan)
    collected = set(found.loc[~of_node, "metric"])
    left_out = tuple(name for place, name in enumerate(METRIC_NAMES) if place not in collected)
    if len(plan.hosts) < FEWEST_NODES.value:
        return too_few_nodes(DETECTOR, len(plan.hosts), left_out)
    if not collected or survey.interval_s == 0:
        return withheld(DETECTOR, "no metric was collected more than once", left_out)
    compared, in_alarm = found[found["metric"] == _NONE], found[of_metric & of_node]
    found_by_all = _verdict(compared, in_alarm, plan, left_out, heard)
    slow = _slow_metrics(
        in_alarm, compared, quantile=1 - MOST_INDICTED.value, most=MOST_USUAL.value
    )
    if found_by_all.withheld is not None or not slow:
        return found_by_all
    left_out += tuple(f"{METRIC_NAMES[one]} (moves too slowly)" for one in sorted(slow))
    # Of all metrics that move as slowly those are left in which, by chance, one node is in alarm.
    noise = _slow_metrics(in_alarm, compared, quantile=0.5, most=NEARLY_ALWAYS.value)
    return _verdict(
        compared, in_alarm[~in_alarm["metric"].isin(list(slow))], plan, left_out, heard,
        usual=in_alarm[~in_alarm["metric"].isin(list(noise))],
    )  # fmt: skip


def _heard(found: pd.DataFrame, plan: _Plan) -> Heard:
    windows, window = np.unique(found["window"], return_inverse=True)
    nodes = np.zeros((len(windows), len(plan.hosts)), dtype=np.bool_)
    nodes[window, found["node"]] = True
    return Heard(plan.origin_s + windows * plan.step_s, plan.step_s, nodes, SILENT.value)


def _verdict(
    compared: pd.DataFrame, in_alarm: pd.DataFrame, plan: _Plan, left_out: tuple[str, ...],
    heard: Heard, *, usual: pd.DataFrame | None = None,
) -> Comparison:  # fmt: skip
    """The verdict on all nodes, by the alarms of some metrics; chance is told by those of others.

    Args:
        compared: windows in which nodes were compared.
        in_alarm: metrics of nodes in windows in which any of them was in alarm.
        plan: of the comparison.
        left_out: metrics that were not compared.
        heard: when nodes have samples.
        usual: the same of the metrics that show how often chance makes alarms; where None, of all.
    """
    windows, window = np.unique(compared["window"], return_inverse=True)
    shape = (len(windows), len(plan.hosts))
    largest, seen = np.zeros(shape), np.zeros(shape, dtype=np.bool_)
    largest[window, compared["node"]] = compared["distance"]
    seen[window, compared["node"]] = True

    def alarms_of(rows: pd.DataFrame) -> NDArray[np.bool_]:
        alarms = np.zeros(shape, dtype=np.bool_)
        far = rows[rows["distance"] > ALARM_ABOVE.value]
        alarms[np.searchsorted(windows, far["window"]), far["node"]] = True
        return alarms

    rounds = Rounds(
        start_s=plan.origin_s + windows * plan.step_s,
        seen=seen,
        differs=alarms_of(in_alarm),
        agree=_agreeing(largest, seen),
    )

    def observe(node: int, when: NDArray[np.bool_]) -> tuple[Observation, ...]:
        rows = in_alarm[(in_alarm["node"] == node) & in_alarm["window"].isin(windows[when])]
        return _observations(rows, int(when.sum()))

    return comparison_of(
        rounds,
        detector=DETECTOR,
        hosts=plan.hosts,
        half_life=HALF_LIFE.value,
        indicted_above=INDICTED_ABOVE.value,
        observe=observe,
        left_out=left_out,
        heard=heard,
        alarms_of_others=True,
        usual=None if usual is None else alarms_of(usual),
    )


def _slow_metrics(
    found: pd.DataFrame, compared: pd.DataFrame, *, quantile: float, most: float
) -> set[int]:
    """The metrics by which nodes are far from their peers again and again though they are alike.

    What moves slowly does so on every node: neighbouring samples say the same, and a window holds
    few that count. Autoregressive noise with a correlation of 0.97 from second to second is in
    alarm in a tenth of the windows of each node, with 0.99 in a third.

    Args:
        found: the metrics of nodes in windows in which any of them was in alarm.
        compared: the windows in which each node was compared.
        quantile: of the nodes, by the share of their windows in which they are in alarm.
        most: share of the windows of that node, above which the metric is slow.
    """
    windows = compared.groupby("node").size()
    far = found[found["distance"] > ALARM_ABOVE.value].groupby(["metric", "node"]).size()
    slow = set()
    for metric in far.index.unique("metric"):
        shares = far[metric].reindex(windows.index, fill_value=0) / windows
        if shares.quantile(quantile) > most:
            slow.add(int(metric))
    return slow


def _observations(rows: pd.DataFrame, windows: int) -> tuple[Observation, ...]:
    """The metrics that differ most, of one node in the windows in which it was in alarm."""
    by_metric = rows.groupby("metric", sort=True)
    far = by_metric["distance"].sum() / windows
    shown = far[far > ALARM_ABOVE.value / 2].sort_values(ascending=False, kind="stable")
    own, peers = by_metric["own"].mean(), by_metric["peers"].mean()
    return tuple(
        Observation(
            METRIC_NAMES[metric], float(own[metric]), float(peers[metric]), METRICS[metric].unit
        )
        for metric in shown.index[:_MOST_SHOWN]
    )


def _rows(
    table: MetricTable, starts_s: NDArray[np.float64], length_s: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last row of each window (a row) and node (a column)."""
    shape = (len(starts_s), len(table.hosts))
    first, last = np.empty(shape, np.int64), np.empty(shape, np.int64)
    for node in range(len(table.hosts)):
        begin, end = table.first_row[node], table.first_row[node + 1]
        at_s = table.at_s[begin:end]
        first[:, node] = begin + np.searchsorted(at_s, starts_s)
        last[:, node] = begin + np.searchsorted(at_s, starts_s + length_s)
    return first, last


def _compare_window(
    table: MetricTable,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    *,
    plan: _Plan,
    number: int,
) -> _Seen:
    """Compare each of the nodes of one window, whose rows these are, with a draw from the rest."""
    count = len(first)
    lengths = last - first
    width = int(min(plan.most, lengths.max()))
    places = np.arange(width)[None, :]
    # All rows of a node, or evenly spaced ones of a node that has too many.
    spread = (places * np.maximum(lengths, width)[:, None]) // width
    own_rows = first[:, None] + np.minimum(spread, lengths[:, None] - 1)
    padding = spread >= lengths[:, None]
    # Seeded by the number, so that nothing depends on which windows were compared before. Every
    # peer is as likely as any other, however many samples it has.
    generator = np.random.default_rng((plan.seed, number % _NUMBERS))
    drawn = (count, int(DRAWN.value))
    peer = generator.integers(0, count - 1, size=drawn)
    peer += peer >= np.arange(count)[:, None]
    drawn_rows = first[peer] + (generator.random(drawn) * lengths[peer]).astype(np.int64)

    distance = np.zeros((count, len(table.metrics)))
    for column, name in enumerate(table.metrics):
        values = table.samples[:, column]
        own = values.take(own_rows)
        own[padding] = np.nan
        others = values.take(drawn_rows)
        known = np.abs(others[~np.isnan(others)])
        if not len(known):
            continue
        size = float(np.percentile(known, _UPPER))
        tolerance = max(LEAST_DIFFERENCE[name].value, TOLERATED.value * size)
        samples = np.minimum((~np.isnan(own)).sum(axis=1), (~np.isnan(others)).sum(axis=1))
        usable = samples >= FEWEST_SAMPLES.value
        distances = distances_beyond(own, others, tolerance)
        distance[usable, column] = distances[usable]
    largest = distance.max(axis=1, initial=0)
    alarmed = np.flatnonzero(largest > ALARM_ABOVE.value)
    own_of = [row[~none] for row, none in zip(own_rows[alarmed], padding[alarmed], strict=True)]
    return _Seen(
        largest,
        alarmed,
        distance[alarmed],
        _means(table, own_of),
        _means(table, drawn_rows[alarmed]),
    )


def _means(table: MetricTable, rows: Iterable[NDArray[np.int64]]) -> NDArray[np.float64]:
    """Of each node the mean of each metric over these rows; NaN where none is known."""
    found = [
        [
            float(known.mean(dtype=np.float64)) if len(known) else np.nan
            for column in range(len(table.metrics))
            for values in (table.samples[:, column].take(of_node),)
            for known in (values[~np.isnan(values)],)
        ]
        for of_node in rows
    ]
    return np.array(found, dtype=np.float64).reshape(-1, len(table.metrics))


def _agreeing(largest: NDArray[np.float64], seen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """In which windows a majority of the nodes is near to its peers."""
    alarmed = (largest > ALARM_ABOVE.value) & seen
    few = alarmed.sum(axis=1) <= (seen.sum(axis=1) - 1) / 2
    middle = np.array(
        [
            np.median(row[there]) if there.any() else 1
            for row, there in zip(largest, seen, strict=True)
        ]
    )
    return np.asarray(few & (middle <= APART_ABOVE.value), dtype=np.bool_)
