"""`blimey-bb`: Blimey's black box as published: the last 120 vectors against a draw from peers.

The paper: Pan, Tan, Kavulya, Gandhi and Narasimhan, *Blind Men and the Elephant: Piecing Together
Hadoop for Diagnosis*.

| step | what the paper says | section |
|---|---|---|
| metrics | the sixteen of its table I, once a second | IV.B, table I |
| window | the 120 most recent vectors of the node | IV.C.1 |
| global distribution | approximated on each node by vectors of random peers | IV.C.1 |
| alarm | the node's vectors differ significantly from the approximation | IV.C.1 |
| verdict | an exponentially weighted number of alarms above a value | IV.C.1 |
| thresholds | so that at most 3 % of the nodes of control runs are indicted | VII.A.2 |

What it leaves open, or refers to a thesis that we could not read: how many vectors are drawn (as
many as the window holds: at each sample, that of one random peer), what *differs significantly*
means (the largest two-sample Kolmogorov-Smirnov distance of any metric is above a threshold), how
often nodes are compared (at every tenth sample), the weight of an alarm, and both thresholds. A
node is compared when nine tenths of its window are there.

[`bb-window`](bb-window.md) is our version of it: it tolerates small differences, leaves out metrics
that move slowly, and withholds its verdict if nodes do not agree.

According to the paper it is blind to reducers that hang (hang1152, hang2080), since maps keep the
node busy. [The papers](../papers.md) says which results were reproduced here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from mprof.metrics import METRIC_NAMES
from mprof.peers.comparison import Comparison, Look
from mprof.peers.detectors.repeated_alarms import FEWEST_NODES, too_few_nodes, withheld
from mprof.peers.detectors.request import Asked
from mprof.peers.published.verdicts import Levels, Repeated, verdict
from mprof.peers.statistics.two_sample import distances_beyond
from mprof.peers.tables.metric_survey import HOUR_S, MetricSurvey, survey_of_rows
from mprof.peers.tables.metric_table import metric_table
from mprof.pieces import Engine
from mprof.store import Rows
from mprof.threshold import Threshold

__all__ = ["ABOVE", "DETECTOR", "THRESHOLDS", "compare_rows", "levels_of", "looks"]

DETECTOR: Final = "blimey-bb"

WINDOW: Final = Threshold(
    "blimey-bb.window", 120, "samples", "the 120 most recent vectors (section IV.C.1)"
)
STEP: Final = Threshold(
    "blimey-bb.step", 10, "samples between comparisons",
    "free in the paper; two windows in a row have eleven twelfths of their samples in common",
)  # fmt: skip
LEAST_FILLED: Final = Threshold(
    "blimey-bb.least-filled", 0.9, "share of the window", "free in the paper", most=1.0
)
ABOVE: Final = Threshold(
    "blimey-bb.above", 0.98, "Kolmogorov-Smirnov distance of the furthest metric",
    "an alarm; free in the paper. By it 3 % of the nodes of our testbed's controls are indicted;"
    " `calibrate` replaces it with a value from other control runs",
)  # fmt: skip
HALF_LIFE: Final = Threshold(
    "blimey-bb.half-life", 12, "comparisons", "an alarm weighs half after a window; free there"
)
INDICTED_ABOVE: Final = Threshold(
    "blimey-bb.indicted-above", 4.5, "weighted number of alarms",
    "six alarms in a row come to 5.2, half a window; free in the paper",
)  # fmt: skip

THRESHOLDS: Final = (
    FEWEST_NODES, WINDOW, STEP, LEAST_FILLED, ABOVE, HALF_LIFE, INDICTED_ABOVE,
)  # fmt: skip
"""Every parameter that the paper leaves open, and its window."""

_SCHEMA: Final = pa.schema({"tick": pa.int64(), "node": pa.int32(), "level": pa.float64()})
_NUMBERS: Final = 1 << 63  # what a seed may be


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Comparisons that follow each other: from one tick to before another, and their samples."""

    first: int
    until: int
    rows: Rows


def looks(asked: Asked) -> Iterator[Look]:
    """Compare the metrics of the store's nodes."""
    rows = asked.metrics(METRIC_NAMES)
    if rows is not None:
        found = compare_rows(rows, asked.engine)
        yield Look("metrics of the operating system", found, of="metrics")


def compare_rows(rows: Rows, engine: Engine) -> Comparison:
    """Compare the nodes of a table, an hour at a time.

    Cost: linear in the nodes; ten minutes of 50 nodes at 1 Hz take a second of one core.
    """
    survey = survey_of_rows(engine, rows)
    if len(survey.hosts) < FEWEST_NODES.value:
        return too_few_nodes(DETECTOR, len(survey.hosts))
    if survey.interval_s == 0:
        return withheld(DETECTOR, "no node was sampled more than once")
    length = int(WINDOW.value)
    pieces = []
    for hour in survey.hours.tolist():
        first, until = (int(each * HOUR_S // survey.interval_s) for each in (hour, hour + 1))
        seen = rows.between((first - length) * survey.interval_s, until * survey.interval_s)
        pieces.append(_Stretch(first, until, seen))
    found = engine.frame(partial(_of_stretch, survey), pieces, _SCHEMA)
    ticks, place = np.unique(found["tick"].to_numpy(dtype=np.int64), return_inverse=True)
    level = np.full((len(ticks), len(survey.hosts)), np.nan)
    level[place, found["node"].to_numpy()] = found["level"].to_numpy()
    return verdict(
        Levels(
            survey.hosts, (ticks - length + 1) * survey.interval_s, level,
            what="distance of its furthest metric", unit="Kolmogorov-Smirnov distance",
        ),
        detector=DETECTOR,
        threshold=ABOVE,
        repeated=Repeated(HALF_LIFE.value, INDICTED_ABOVE.value),
    )  # fmt: skip


def _of_stretch(survey: MetricSurvey, stretch: _Stretch) -> pd.DataFrame:
    table = metric_table(stretch.rows.read())
    first = stretch.first - int(WINDOW.value)
    values = np.full(
        (stretch.until - first, len(survey.hosts), len(table.metrics)), np.nan, dtype=np.float32
    )
    tick = np.floor(table.at_s / survey.interval_s).astype(np.int64) - first
    inside = (tick >= 0) & (tick < len(values))
    node_of = np.searchsorted(survey.hosts, table.hosts)
    node = np.repeat(node_of, np.diff(table.first_row))
    values[tick[inside], node[inside]] = table.samples[inside]
    found = levels_of(values, first=first)
    return found[found["tick"] >= stretch.first]


def levels_of(values: NDArray[np.float32], *, first: int) -> pd.DataFrame:
    """How far each node's window is from what was drawn of its peers.

    Args:
        values: a plane a tick, a row a node, a column a metric; NaN is no sample.
        first: number of the first tick, by which the draw of each tick is seeded.

    Returns:
        ``tick`` of the last sample of each window, ``node`` and ``level``.
    """
    length, nodes = int(WINDOW.value), values.shape[1]
    drawn = np.empty_like(values)
    for place in range(len(values)):
        random = np.random.default_rng((first + place) % _NUMBERS)
        other = random.integers(nodes - 1, size=nodes)
        drawn[place] = values[place, other + (other >= np.arange(nodes))]
    found = []
    step = int(STEP.value)
    for last in range(length - 1 + (-first - length) % step, len(values), step):
        window = slice(last - length + 1, last + 1)
        own, peers = values[window], drawn[window]
        filled = (~np.isnan(own)).any(axis=2).mean(axis=0) >= LEAST_FILLED.value
        there = np.flatnonzero(filled)
        if len(there) < FEWEST_NODES.value:
            continue
        sets = [np.ascontiguousarray(each[:, there].reshape(length, -1).T) for each in (own, peers)]
        distance = distances_beyond(sets[0], sets[1], 0.0).reshape(len(there), -1)
        known = ~np.isnan(distance).all(axis=1)
        level = np.nanmax(distance[known], axis=1)
        found.append(pd.DataFrame({"tick": first + last, "node": there[known], "level": level}))
    columns = {"tick": np.int64, "node": np.int32, "level": np.float64}
    return pd.concat([pd.DataFrame(columns=list(columns)), *found]).astype(columns)
