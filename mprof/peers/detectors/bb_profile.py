"""`bb-profile`: nodes that show the profiles of healthy nodes for longer or shorter than peers do.

Definition. The black box of Ganesha (Pan, Tan, Kavulya, Gandhi and Narasimhan: *Ganesha: Black-Box
Diagnosis of MapReduce Systems*, section 4.1) and of Kahuna. Vectors of metrics of fault-free runs
are clustered by K-means into seven, and from there a mixture of seven Gaussians is learnt by
expectation maximisation, each as likely as any other: these are the profiles of healthy nodes.
Afterwards each vector of a node gets the label of the likeliest Gaussian, or of none. Each node has
a histogram of its labels, which forgets. Every two nodes are compared by the square root of the
Jensen-Shannon divergence of their histograms. A node that is far from more than half of the others
is in alarm, and one whose weighted number of alarms is large is indicted.

`mprof calibrate` learns the profiles from control runs, and `mprof nodes --calibration FILE` uses
them; without, this detector is not asked. The profiles are of a kind of machine and its workloads:
learn them anew where either changes.

What the paper leaves open, and what is done here:

- Metrics are standardised, and of rates the logarithm is taken first: else a Gaussian is of the
  bytes alone.
- A vector has no label of its own if it is further from each Gaussian than 999 of 1,000 vectors of
  the training that have that label. Metrics are not Gaussian, and so it is no quantile of
  chi-square.
- Where most of the nodes are in alarm, nobody is.
- A vector that lacks a metric of the profiles has no label; a node without labels is not compared.

It sees what keeps a node from working as its peers do (hogs of processor and disk, maps that hang).
It is blind to reducers that hang while mappers keep the node busy, as Ganesha is.

Every two nodes are compared, so that the cost grows with the square of their number. Measured on
one core, 600 s of 16 metrics at 1 Hz:

| nodes | processor seconds | largest memory (MB) |
|---|---|---|
| 50 | 0.07 | 194 |
| 100 | 0.14 | 215 |
| 200 | 0.32 | 236 |
| 400 | 1.06 | 275 |
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.metrics import METRIC_NAMES, METRICS
from mprof.peers.alarms import FEWEST_NODES, Rounds, comparison_of, withheld
from mprof.peers.comparison import Comparison, Observation
from mprof.peers.look import Asked, Look
from mprof.peers.profiles.model import ProfileModel, labels, rescaled
from mprof.peers.profiles.training import THRESHOLDS_OF_TRAINING
from mprof.peers.statistics.histograms import jensen_shannon_distances, shares
from mprof.peers.tables.metric_table import MetricTable, metric_table
from mprof.threshold import Threshold

__all__ = ["ALARM_ABOVE", "DETECTOR", "THRESHOLDS", "compare", "looks"]

DETECTOR: Final = "bb-profile"

HALF_LIFE: Final = Threshold(
    "bb-profile.half-life", 120, "s",
    "of a label in the histogram: as long as the window of Blimey; free in Ganesha",
)  # fmt: skip
FEWEST_SAMPLES: Final = Threshold(
    "bb-profile.fewest-samples", 30, "samples per half-life",
    "with fewer, one sample more or less is a difference; at one sample in 15 s the half-life grows"
    " to 450 s",
)  # fmt: skip
LEAST_WEIGHT: Final = Threshold(
    "bb-profile.least-weight", 20, "weighted number of samples",
    "half of what a half-life of the fewest samples comes to in the end (30 / ln 2)",
)  # fmt: skip
LATEST: Final = Threshold(
    "bb-profile.latest", 3, "samples missed",
    "a node that is silent keeps its histogram, while those of its peers move on",
)  # fmt: skip
STEP: Final = Threshold(
    "bb-profile.step", 10, "s between comparisons",
    "Ganesha compares every second; a histogram with a half-life of 120 s moves by 6 % in 10 s",
)  # fmt: skip
ALARM_ABOVE: Final = Threshold(
    "bb-profile.alarm-above", 0.4, "square root of the Jensen-Shannon divergence",
    "nine simulated fault-free runs on 6, 10 and 50 nodes came to 0.37, and runs with a hog to"
    " 0.98; `calibrate` replaces it by what control runs of the cluster ask for",
)  # fmt: skip
ALARM_HALF_LIFE: Final = Threshold(
    "bb-profile.alarm-half-life", 24, "comparisons",
    "an alarm weighs half after 240 s at 1 Hz, as in bb-window; free in Ganesha",
)  # fmt: skip
INDICTED_ABOVE: Final = Threshold(
    "bb-profile.indicted-above", 10, "weighted number of alarms",
    "twelve alarms in a row reach it, 110 s at 1 Hz; free in Ganesha",
)  # fmt: skip

THRESHOLDS: Final = (
    *THRESHOLDS_OF_TRAINING, FEWEST_NODES, HALF_LIFE, FEWEST_SAMPLES, LEAST_WEIGHT, LATEST, STEP,
    ALARM_ABOVE, ALARM_HALF_LIFE, INDICTED_ABOVE,
)  # fmt: skip
"""Every free parameter of the detector; what is the least difference of a metric stands beside."""

_UNITS: Final = {metric.name: metric.unit for metric in METRICS}
_MOST_SHOWN: Final = 3
_NO_PROFILES: Final = (
    "bb-profile was not asked: it has no profiles of healthy nodes; mprof calibrate learns them"
    " from control runs, and --calibration takes them"
)


@dataclass(frozen=True, slots=True)
class _Labelled:
    """Labels of all nodes, on one grid of time.

    Attributes:
        at_s: of each moment at which there is a label.
        label: a row a moment, a column a node; -1 where there is none.
    """

    at_s: NDArray[np.float64]
    label: NDArray[np.int64]


def looks(asked: Asked) -> Iterator[Look]:
    """Compare the metrics of the store's nodes by profiles, where there are some."""
    if asked.job is not None:
        return
    columns = ("host", "at_s", *METRIC_NAMES)
    rows = asked.store.rows("metrics", columns=columns, by="at_s", categories=["host"])
    if rows.is_empty:
        return
    found = (
        replace(withheld(DETECTOR, _NO_PROFILES), asked=False)
        if asked.profiles is None
        else compare(rows.read(), asked.profiles)
    )
    yield Look("profiles of the metrics of the operating system", found, of="metrics")


def compare(metrics: pd.DataFrame, model: ProfileModel) -> Comparison:
    """Say which nodes differ from their peers in the time that they spend in each profile.

    A node is in alarm while it is further than `ALARM_ABOVE` from more than half of the others.

    Args:
        metrics: columns ``host``, ``at_s`` and the metrics of `mprof.metrics.METRICS`.
        model: the profiles, of fault-free runs on nodes of the same kind.
    """
    table = metric_table(metrics)
    left_out = tuple(name for name in _UNITS if name not in model.metrics)
    if len(table.hosts) < FEWEST_NODES.value:
        return withheld(
            DETECTOR,
            f"{len(table.hosts)} of the {FEWEST_NODES.value:.0f} nodes that a comparison needs",
            left_out,
        )
    missing = [name for name in model.metrics if name not in table.metrics]
    if missing:
        return withheld(
            DETECTOR,
            f"the profiles were learnt with {', '.join(missing)}, of which nothing was collected",
            left_out,
        )
    if table.interval_s == 0:
        return withheld(DETECTOR, "no node was sampled more than once", left_out)
    samples = table.samples[:, [table.metrics.index(name) for name in model.metrics]]
    whole = ~np.isnan(samples).any(axis=1)
    label = np.full(len(samples), -1, dtype=np.int64)
    label[whole] = labels(model, samples[whole])
    half_life_s = max(HALF_LIFE.value, FEWEST_SAMPLES.value * table.interval_s)
    rounds = _rounds(_on_grid(table, label), len(model.cuts) + 1, table.interval_s, half_life_s)

    def observe(node: int, when: NDArray[np.bool_]) -> tuple[Observation, ...]:
        return _observations(
            table, samples, model, node=node, starts_s=rounds.start_s[when], length_s=half_life_s
        )

    return comparison_of(
        rounds,
        detector=DETECTOR,
        hosts=table.hosts,
        half_life=ALARM_HALF_LIFE.value,
        indicted_above=INDICTED_ABOVE.value,
        observe=observe,
        left_out=left_out,
    )


def _on_grid(table: MetricTable, label: NDArray[np.int64]) -> _Labelled:
    """Labels side by side: nodes sample at the same pace, but not at the same moment.

    Only moments with samples are there, so that a clock that was years off makes no years.
    """
    node = np.repeat(np.arange(len(table.hosts)), np.diff(table.first_row))
    ticks, place = np.unique(np.floor(table.at_s / table.interval_s), return_inverse=True)
    grid = np.full((len(ticks), len(table.hosts)), -1, dtype=np.int64)
    grid[place, node] = label
    return _Labelled(ticks * table.interval_s, grid)


def _rounds(labelled: _Labelled, bins: int, interval_s: float, half_life_s: float) -> Rounds:
    """Compare all nodes whenever a step has passed."""
    nodes = labelled.label.shape[1]
    counts = np.zeros((nodes, bins))
    latest_s = np.full(nodes, -np.inf)
    step_s = max(STEP.value, interval_s)
    steps = np.floor(labelled.at_s / step_s)
    last_of_step = np.append(steps[1:] != steps[:-1], True)
    start_s, seen, differs = [], [], []
    before_s = labelled.at_s[0] if len(steps) else 0.0
    for now_s, label, last in zip(labelled.at_s, labelled.label, last_of_step, strict=True):
        counts *= 0.5 ** ((now_s - before_s) / half_life_s)
        before_s = now_s
        there = np.flatnonzero(label >= 0)
        counts[there, label[there]] += 1
        latest_s[there] = now_s
        if not last:
            continue
        usable = counts.sum(axis=1) >= LEAST_WEIGHT.value
        usable &= now_s - latest_s <= LATEST.value * interval_s
        if usable.sum() < FEWEST_NODES.value:
            continue
        start_s.append(now_s - half_life_s)
        seen.append(usable)
        differs.append(_in_alarm(counts, usable))
    shape = (len(start_s), nodes)
    all_seen = np.array(seen, dtype=np.bool_).reshape(shape)
    all_differ = np.array(differs, dtype=np.bool_).reshape(shape)
    agree = all_differ.sum(axis=1) <= (all_seen.sum(axis=1) - 1) / 2
    return Rounds(np.array(start_s), all_seen, all_differ, np.asarray(agree, dtype=np.bool_))


def _in_alarm(counts: NDArray[np.float64], usable: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which nodes are far from more than half of the other usable ones."""
    far = jensen_shannon_distances(shares(counts[usable])) > ALARM_ABOVE.value
    alarm = np.zeros(len(usable), dtype=np.bool_)
    alarm[usable] = far.sum(axis=1) > (usable.sum() - 1) / 2
    return alarm


def _observations(
    table: MetricTable,
    samples: NDArray[np.float32],
    model: ProfileModel,
    *,
    node: int,
    starts_s: NDArray[np.float64],
    length_s: float,
) -> tuple[Observation, ...]:
    """The metrics whose means differ most while the node was in alarm, in the model's scale."""
    latest = np.searchsorted(starts_s, table.at_s, side="right") - 1
    during = (latest >= 0) & (table.at_s <= starts_s[np.maximum(latest, 0)] + length_s)
    mine = np.zeros(len(table.at_s), dtype=np.bool_)
    mine[table.first_row[node] : table.first_row[node + 1]] = True
    whole = ~np.isnan(samples).any(axis=1)
    own, peers = samples[during & whole & mine], samples[during & whole & ~mine]
    if not len(own) or not len(peers):
        return ()
    apart = (
        rescaled(own, model.leasts).mean(axis=0) - rescaled(peers, model.leasts).mean(axis=0)
    ) / model.scales
    return tuple(
        Observation(
            what=model.metrics[metric],
            own=float(own[:, metric].mean(dtype=np.float64)),
            peers=float(peers[:, metric].mean(dtype=np.float64)),
            unit=_UNITS[model.metrics[metric]],
        )
        for metric in np.argsort(-np.abs(apart), kind="stable")[:_MOST_SHOWN]
    )
