"""`bb-profile`: nodes that show the profiles of healthy nodes for longer or shorter than peers do.

Definition. The black box of Ganesha (Pan, Tan, Kavulya, Gandhi and Narasimhan: *Ganesha: Black-Box
Diagnosis of MapReduce Systems*, section 4.1) and of Kahuna. Vectors of metrics of fault-free runs
are clustered by K-means into seven clusters, from which expectation maximisation learns a mixture
of seven Gaussians with equal priors: these are the profiles of healthy nodes. Afterwards each
vector of a node gets the label of the likeliest Gaussian, or no label. Each node has a histogram of
its labels, in which old labels decay. Every two nodes are compared by the square root of the
Jensen-Shannon divergence of their histograms. A node that is far from more than half of the others
is in alarm, and one whose weighted number of alarms is large is indicted.

`mprof calibrate` learns the profiles from control runs, and `mprof nodes --calibration FILE` uses
them; without profiles, this detector is not asked. The profiles describe a kind of machine and its
workloads: learn them again if either changes.

The paper leaves some points open; here they are decided so:

- Metrics are standardised, and rates are first replaced by their logarithm: otherwise the bytes
  alone would decide the Gaussian.
- A vector gets no label if it is further from each Gaussian than 999 of 1,000 vectors of the
  training that have that label. Metrics are not Gaussian, so no quantile of chi-square is used.
- If most of the nodes are in alarm, none of them counts as in alarm.
- A vector that lacks a metric of the profiles has no label; a node without labels is not compared.

It sees faults that keep a node from working as its peers do (hogs of processor and disk, maps that
hang). Like Ganesha, it is blind to reducers that hang while mappers keep the node busy.

Every two nodes are compared, so the cost grows with the square of their number. Measured on
one core, 600 s of 16 metrics at 1 Hz:

| nodes | processor seconds | largest memory (MB) |
|---|---|---|
| 50 | 0.09 | 247 |
| 100 | 0.17 | 272 |
| 200 | 0.40 | 300 |
| 400 | 1.39 | 355 |
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from mprof.metrics import METRIC_NAMES, METRICS
from mprof.peers.comparison import Comparison, Look, Observation
from mprof.peers.detectors.repeated_alarms import (
    FEWEST_NODES,
    Rounds,
    alarm_counts,
    comparison_of,
    too_few_nodes,
    withheld,
)
from mprof.peers.detectors.request import Asked
from mprof.peers.profiles.labelled import (
    ROWS_AT_ONCE,
    Labelled,
    labels_in_rows,
    samples_of_model,
)
from mprof.peers.profiles.profile_model import ProfileModel, rescaled
from mprof.peers.profiles.training import THRESHOLDS_OF_TRAINING
from mprof.peers.statistics.histograms import jensen_shannon_distances, shares
from mprof.peers.tables.metric_table import metric_table
from mprof.pieces import Engine
from mprof.store import Rows
from mprof.threshold import Threshold

__all__ = ["ALARM_ABOVE", "DETECTOR", "THRESHOLDS", "compare_rows", "looks"]

DETECTOR: Final = "bb-profile"

HALF_LIFE: Final = Threshold(
    "bb-profile.half-life", 120, "s",
    "of a label in the histogram: as long as the window of Blimey; free in Ganesha",
)  # fmt: skip
FEWEST_SAMPLES: Final = Threshold(
    "bb-profile.fewest-samples", 30, "samples per half-life",
    "with fewer, one sample more or less makes a difference; at one sample in 15 s the half-life"
    " grows to 450 s",
)  # fmt: skip
LEAST_WEIGHT: Final = Threshold(
    "bb-profile.least-weight", 20, "weighted number of samples",
    "half of the weight that the fewest samples of a half-life reach in the end (30 / ln 2)",
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
    " 0.98; `calibrate` replaces it with a value from control runs of the cluster",
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
    "bb-profile was not run: it has no profiles of healthy nodes; mprof calibrate learns them"
    " from control runs, and --calibration uses them"
)


_ROWS_AT_ONCE: Final = ROWS_AT_ONCE
_SUMS: Final = pa.schema(
    {
        "node": pa.int32(),
        "metric": pa.int16(),
        "own": pa.bool_(),
        "count": pa.int64(),
        "sum": pa.float64(),
        "rescaled": pa.float64(),
    }
)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What all parts of a comparison have in common.

    Attributes:
        hosts: names of the nodes, sorted.
        interval_s: between two samples of a node; 0 if no node has two.
        model: the profiles.
    """

    hosts: tuple[str, ...]
    interval_s: float
    model: ProfileModel

    @property
    def half_life_s(self) -> float:
        """Of a label in the histogram."""
        return max(HALF_LIFE.value, FEWEST_SAMPLES.value * self.interval_s)


@dataclass(frozen=True, slots=True)
class _Alarm:
    """When a node was in alarm that is indicted.

    Attributes:
        node: its number among the hosts.
        starts_s: of each stretch that a histogram looks back on, ascending.
        length_s: of each.
    """

    node: int
    starts_s: NDArray[np.float64]
    length_s: float


def looks(asked: Asked) -> Iterator[Look]:
    """Compare the metrics of the store's nodes by profiles, where there are some."""
    rows = asked.metrics(METRIC_NAMES)
    if rows is None:
        return
    found = (
        replace(withheld(DETECTOR, _NO_PROFILES), asked=False)
        if asked.profiles is None
        else compare_rows(rows, asked.profiles, asked.engine)
    )
    yield Look("profiles of the metrics of the operating system", found, of="metrics")


def compare_rows(rows: Rows, model: ProfileModel, engine: Engine) -> Comparison:
    """Say which nodes differ from their peers in the time that they spend in each profile.

    A node is in alarm while it is further than `ALARM_ABOVE` from more than half of the others.

    Memory: some parts, as many as the engine runs at a time, each of `_ROWS_AT_ONCE` rows; and 40
    bytes for each sample of a node.

    Args:
        rows: columns ``host``, ``at_s`` and the metrics of `mprof.metrics.METRICS`.
        model: the profiles, of fault-free runs on nodes of the same kind.
        engine: works on the parts.
    """
    labelled = labels_in_rows(rows, model, engine, at_once=_ROWS_AT_ONCE)
    plan = _Plan(labelled.hosts, labelled.interval_s, model)
    left_out = tuple(name for name in _UNITS if name not in model.metrics)
    if len(plan.hosts) < FEWEST_NODES.value:
        return too_few_nodes(DETECTOR, len(plan.hosts), left_out)
    if labelled.missing:
        return withheld(DETECTOR, labelled.why_missing, left_out)
    if plan.interval_s == 0:
        return withheld(DETECTOR, "no node was sampled more than once", left_out)
    rounds = _rounds(labelled, plan)
    alarms = _alarms(rounds, plan)
    told = _sums(rows, plan, alarms, engine) if alarms else pd.DataFrame({"node": []})

    def observe(node: int, _: NDArray[np.bool_]) -> tuple[Observation, ...]:
        return _observations(told[told["node"] == node], model)

    return comparison_of(
        rounds,
        detector=DETECTOR,
        hosts=plan.hosts,
        half_life=ALARM_HALF_LIFE.value,
        indicted_above=INDICTED_ABOVE.value,
        observe=observe,
        left_out=left_out,
    )


def _alarms(rounds: Rounds, plan: _Plan) -> tuple[_Alarm, ...]:
    """The alarms of the nodes that are indicted."""
    counted = rounds.seen & rounds.agree[:, None]
    alarms = rounds.differs & counted
    if not len(alarms):
        return ()
    numbers = alarm_counts(alarms, counted, ALARM_HALF_LIFE.value).max(axis=0)
    return tuple(
        _Alarm(int(node), rounds.start_s[alarms[:, node]], plan.half_life_s)
        for node in np.flatnonzero(numbers > INDICTED_ABOVE.value)
    )


def _rounds(labelled: Labelled, plan: _Plan) -> Rounds:
    """Compare all nodes whenever a step has passed."""
    nodes, interval_s, half_life_s = len(plan.hosts), plan.interval_s, plan.half_life_s
    counts = np.zeros((nodes, len(plan.model.cuts) + 1))
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


def _sums(rows: Rows, plan: _Plan, alarms: tuple[_Alarm, ...], engine: Engine) -> pd.DataFrame:
    """What the means of each node, and of its peers, in its alarm are made of."""
    first_s = min(alarm.starts_s[0] for alarm in alarms)
    last_s = max(alarm.starts_s[-1] + alarm.length_s for alarm in alarms)
    parts = rows.between(first_s, np.nextafter(last_s, np.inf)).batches(_ROWS_AT_ONCE)
    return engine.frame(partial(_sums_of_rows, plan, alarms), parts, _SUMS)


def _sums_of_rows(plan: _Plan, alarms: tuple[_Alarm, ...], rows: Rows) -> pd.DataFrame:
    """What a part of the table adds to them."""
    table = metric_table(rows.read())
    samples = samples_of_model(table, plan.model)
    whole = ~np.isnan(samples).any(axis=1)
    scaled = rescaled(samples, plan.model.leasts)
    node_of = np.searchsorted(plan.hosts, table.hosts)
    node = np.repeat(node_of, np.diff(table.first_row))
    found = []
    for alarm in alarms:
        latest = np.searchsorted(alarm.starts_s, table.at_s, side="right") - 1
        during = whole & (latest >= 0)
        during &= table.at_s <= alarm.starts_s[np.maximum(latest, 0)] + alarm.length_s
        for own in (True, False):
            chosen = during & ((node == alarm.node) == own)
            found.append(
                pd.DataFrame(
                    {
                        "node": alarm.node,
                        "metric": np.arange(samples.shape[1], dtype=np.int16),
                        "own": own,
                        "count": int(chosen.sum()),
                        "sum": samples[chosen].sum(axis=0, dtype=np.float64),
                        "rescaled": scaled[chosen].sum(axis=0),
                    }
                )
            )
    return pd.concat(found, ignore_index=True)


def _observations(sums: pd.DataFrame, model: ProfileModel) -> tuple[Observation, ...]:
    """The metrics whose means differ most while the node was in alarm, in the model's scale."""
    if sums.empty:
        return ()
    whole = sums.groupby(["own", "metric"])[["count", "sum", "rescaled"]].sum()
    if not whole["count"].all():
        return ()
    means = whole[["sum", "rescaled"]].div(whole["count"], axis=0)
    own, peers = means.loc[True], means.loc[False]
    apart = (own["rescaled"] - peers["rescaled"]).to_numpy(dtype=np.float64) / model.scales
    return tuple(
        Observation(
            what=model.metrics[metric],
            own=float(own["sum"].iloc[metric]),
            peers=float(peers["sum"].iloc[metric]),
            unit=_UNITS[model.metrics[metric]],
        )
        for metric in np.argsort(-np.abs(apart), kind="stable")[:_MOST_SHOWN]
    )
