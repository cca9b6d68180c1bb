"""``bb-window``: the last two minutes of each node against a random draw from its peers.

The training-free black box of Blimey (Pan, Tan, Kavulya, Gandhi and Narasimhan: *Blind Men and the
Elephant: Piecing Together Hadoop for Diagnosis*, section IV). The paper gives the window, the draw
and the weighted count of alarms; the statistic and every threshold are ours.

Each node is compared with as many vectors of its peers as `DRAWN` says, whatever the number of
nodes, so the cost grows with the nodes and not with their pairs. Measured on one core, 600 s of 16
metrics at 1 Hz, 20 windows:

| nodes | processor seconds | largest memory (MB) |
|---|---|---|
| 50 | 0.29 | 81 |
| 100 | 0.59 | 95 |
| 200 | 1.12 | 120 |
| 400 | 1.96 | 169 |
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.metrics import METRICS
from mprof.peers.alarms import FEWEST_NODES, Rounds, comparison_of, withheld
from mprof.peers.comparison import Comparison, Observation
from mprof.peers.least_difference import LEAST_DIFFERENCE
from mprof.peers.look import Asked, Look
from mprof.peers.metric_table import MetricTable, metric_table
from mprof.peers.two_sample import distances_beyond
from mprof.threshold import Threshold

__all__ = ["ALARM_ABOVE", "DETECTOR", "THRESHOLDS", "compare", "looks"]

DETECTOR: Final = "bb-window"

WINDOW: Final = Threshold(
    "bb-window.window", 120, "s", "Blimey keeps the last 120 vectors, one a second"
)
FEWEST_SAMPLES: Final = Threshold(
    "bb-window.fewest-samples", 30, "samples",
    "with fewer, chance alone puts one of 16 metrics above the alarm's distance of 0.5 in more than"
    " one of 1,000 windows; at one sample in 15 s the window grows to 450 s",
)  # fmt: skip
LEAST_FILLED: Final = Threshold(
    "bb-window.least-filled", 0.5, "share of the window",
    "what was seen of a node must be most of what its peers are drawn from",
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
    "for more than half of the time the node shows what its peers do not; `calibrate` replaces it"
    " by what control runs of the cluster ask for",
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
TOLERATED: Final = Threshold(
    "bb-window.tolerated", 0.1, "share of the 95th percentile of the peers",
    "nodes of one kind differ by some per cent all the time, and ranks see any difference",
)  # fmt: skip

THRESHOLDS: Final = (
    FEWEST_NODES, WINDOW, FEWEST_SAMPLES, LEAST_FILLED, STEPS, DRAWN, ALARM_ABOVE, APART_ABOVE,
    HALF_LIFE, INDICTED_ABOVE, TOLERATED,
)  # fmt: skip
"""Every free parameter of the detector; what is the least difference of a metric stands beside."""

_UNITS: Final = {metric.name: metric.unit for metric in METRICS}
_UPPER: Final = 95  # percentile that stands for the size of a metric, as `TOLERATED` says
_MOST_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a window shows of each node; a row a node, a column a metric."""

    distance: NDArray[np.float64]
    own: NDArray[np.float64]
    peers: NDArray[np.float64]


def looks(asked: Asked) -> Iterator[Look]:
    """Compare the metrics of the store's nodes."""
    metrics = asked.store.read("metrics")
    if asked.job is None and not metrics.empty:
        yield Look("metrics of the operating system", compare(metrics), of="metrics")


def compare(metrics: pd.DataFrame, *, seed: int = 0) -> Comparison:
    """Say which nodes differ from their peers, and in which metrics.

    A node is in alarm in a window if one of its metrics is further from the draw than
    `ALARM_ABOVE`. The distance of a metric forgives what `TOLERATED` and the metric's least
    difference say.

    Cost: linear in nodes, metrics and time; about 10 microseconds for a second of one node.

    Args:
        metrics: columns ``host``, ``at_s`` and the metrics of `mprof.metrics.METRICS`.
        seed: of the draws; the same seed gives the same answer.
    """
    table = metric_table(metrics)
    if len(table.hosts) < FEWEST_NODES.value:
        return withheld(
            DETECTOR,
            f"{len(table.hosts)} of the {FEWEST_NODES.value:.0f} nodes that a comparison needs",
            table.left_out,
        )
    if not table.metrics or table.interval_s == 0:
        return withheld(DETECTOR, "no metric was collected more than once", table.left_out)
    length_s = max(WINDOW.value, FEWEST_SAMPLES.value * table.interval_s)
    starts_s = _starts(table, length_s)
    first, last = _rows(table, starts_s, length_s)
    least = max(FEWEST_SAMPLES.value, LEAST_FILLED.value * length_s / table.interval_s)
    # A clock that jumps back gives one window the samples of two; more would only cost memory.
    most = round(2 * length_s / table.interval_s)
    enough = (last - first) >= least
    chosen = np.flatnonzero(enough.sum(axis=1) >= FEWEST_NODES.value)
    generator = np.random.default_rng(seed)
    shape = (len(chosen), len(table.hosts), len(table.metrics))
    distance, own, peers = np.zeros(shape), np.full(shape, np.nan), np.full(shape, np.nan)
    for round_, window in enumerate(chosen):
        nodes = np.flatnonzero(enough[window])
        seen = _compare_window(
            table, first[window, nodes], last[window, nodes], most=most, generator=generator
        )
        distance[round_, nodes] = seen.distance
        own[round_, nodes] = seen.own
        peers[round_, nodes] = seen.peers
    seen_nodes = enough[chosen]
    largest = distance.max(axis=2)
    rounds = Rounds(
        start_s=starts_s[chosen],
        seen=seen_nodes,
        differs=largest > ALARM_ABOVE.value,
        agree=_agreeing(largest, seen_nodes),
    )

    def observe(node: int, when: NDArray[np.bool_]) -> tuple[Observation, ...]:
        far = distance[when, node].mean(axis=0)
        order = np.argsort(-far, kind="stable")[:_MOST_SHOWN]
        return tuple(
            Observation(
                what=table.metrics[metric],
                own=float(np.nanmean(own[when, node, metric])),
                peers=float(np.nanmean(peers[when, node, metric])),
                unit=_UNITS[table.metrics[metric]],
            )
            for metric in order
            if far[metric] > ALARM_ABOVE.value / 2
        )

    return comparison_of(
        rounds,
        detector=DETECTOR,
        hosts=table.hosts,
        half_life=HALF_LIFE.value,
        indicted_above=INDICTED_ABOVE.value,
        observe=observe,
        left_out=table.left_out,
    )


def _starts(table: MetricTable, length_s: float) -> NDArray[np.float64]:
    """Where windows start: counted from the first sample of the middle node, where samples are.

    A clock that was years off for a moment must not make a window for each minute of those years.
    """
    step_s = length_s / STEPS.value
    origin = float(np.median(table.at_s[table.first_row[:-1]]))
    steps = np.unique(np.floor((table.at_s - origin) / step_s))
    return np.asarray(origin + steps * step_s, dtype=np.float64)


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
    most: int,
    generator: np.random.Generator,
) -> _Seen:
    """Compare each of the nodes of one window, whose rows these are, with a draw from the rest."""
    count = len(first)
    lengths = last - first
    width = int(min(most, lengths.max()))
    places = np.arange(width)[None, :]
    # All rows of a node, or evenly spaced ones of a node that has too many.
    spread = (places * np.maximum(lengths, width)[:, None]) // width
    own_rows = first[:, None] + np.minimum(spread, lengths[:, None] - 1)
    padding = spread >= lengths[:, None]
    # Every peer is as likely as any other, however many samples it has.
    drawn = (count, int(DRAWN.value))
    peer = generator.integers(0, count - 1, size=drawn)
    peer += peer >= np.arange(count)[:, None]
    drawn_rows = first[peer] + (generator.random(drawn) * lengths[peer]).astype(np.int64)

    shape = (count, len(table.metrics))
    seen = _Seen(np.zeros(shape), np.full(shape, np.nan), np.full(shape, np.nan))
    for column, name in enumerate(table.metrics):
        values = table.samples[:, column]
        own = values[own_rows]
        own[padding] = np.nan
        others = values[drawn_rows]
        known = np.abs(others[~np.isnan(others)])
        if not len(known):
            continue
        size = float(np.percentile(known, _UPPER))
        tolerance = max(LEAST_DIFFERENCE[name].value, TOLERATED.value * size)
        samples = np.minimum((~np.isnan(own)).sum(axis=1), (~np.isnan(others)).sum(axis=1))
        usable = samples >= FEWEST_SAMPLES.value
        if not usable.any():
            continue
        seen.distance[usable, column] = distances_beyond(own[usable], others[usable], tolerance)
        seen.own[usable, column] = np.nanmean(own[usable], axis=1)
        seen.peers[usable, column] = np.nanmean(others[usable], axis=1)
    return seen


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
