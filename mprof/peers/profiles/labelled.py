"""Which profile each node shows at each moment, of a table that need not fit into memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mprof.peers.profiles.profile_model import ProfileModel, labels
from mprof.peers.tables.metric_survey import MetricSurvey, survey_of, survey_of_rows
from mprof.peers.tables.metric_table import MetricTable, metric_table
from mprof.pieces import Engine
from mprof.store import Rows

__all__ = ["ROWS_AT_ONCE", "Labelled", "labels_in", "labels_in_rows", "samples_of_model"]

ROWS_AT_ONCE: Final = 1_000_000
"""76 bytes each, and once more as they are put in order."""

_NONE: Final = -1
_FAR: Final = 1e15
_LABELS: Final = pa.schema({"node": pa.int32(), "tick": pa.int64(), "label": pa.int8()})
_NO_METRICS: Final = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Labelled:
    """Labels of all nodes, on one grid of time.

    Attributes:
        hosts: names of the nodes, sorted.
        interval_s: between two samples of a node; 0 if no node has two.
        at_s: of each moment at which there is a label, ascending.
        label: a row a moment, a column a node; -1 where there is none.
        missing: metrics of the profiles of which nothing was collected.
    """

    hosts: tuple[str, ...]
    interval_s: float
    at_s: NDArray[np.float64]
    label: NDArray[np.int8]
    missing: tuple[str, ...]

    @property
    def why_missing(self) -> str:
        """What nothing was collected of, in words."""
        names = ", ".join(self.missing)
        return f"the profiles were learnt with {names}, of which nothing was collected"


def labels_in(metrics: pd.DataFrame, model: ProfileModel) -> Labelled:
    """The labels of a table in memory.

    Args:
        metrics: columns ``host``, ``at_s`` and the metrics of `mprof.metrics.METRICS`.
        model: the profiles.
    """
    survey = survey_of(metrics)
    return _on_grid(_labels_of(metrics, survey, model), survey, model)


def labels_in_rows(
    rows: Rows, model: ProfileModel, engine: Engine, *, at_once: int = ROWS_AT_ONCE
) -> Labelled:
    """The same of rows of a store, of which a part at a time is in memory.

    Memory: some parts, as many as the engine runs at a time, each of ``at_once`` rows; and 40 bytes
    for each sample of a node.
    """
    survey = survey_of_rows(engine, rows)
    # Around all parts: it is a setting of the process, which threads would take from each other.
    with threadpool_limits(limits=1):
        parts = rows.batches(at_once)
        found = engine.frame(partial(_labels_of_rows, survey, model), parts, _LABELS)
    return _on_grid(found, survey, model)


def samples_of_model(table: MetricTable, model: ProfileModel) -> NDArray[np.float32]:
    """The samples of a table, with a column for each metric of the profiles."""
    samples = np.full((len(table.at_s), len(model.metrics)), np.nan, dtype=np.float32)
    for column, name in enumerate(model.metrics):
        if name in table.metrics:
            samples[:, column] = table.samples[:, table.metrics.index(name)]
    return samples


def _labels_of_rows(survey: MetricSurvey, model: ProfileModel, rows: Rows) -> pd.DataFrame:
    return _labels_of(rows.read(), survey, model)


def _labels_of(metrics: pd.DataFrame, survey: MetricSurvey, model: ProfileModel) -> pd.DataFrame:
    """Label the samples of a part of the table.

    Returns:
        Rows of two kinds. ``node`` -1: anything was collected of the metric of that number, among
        those of the profiles. Others: the label of a node's sample.
    """
    table = metric_table(metrics)
    samples = samples_of_model(table, model)
    whole = ~np.isnan(samples).any(axis=1)
    node_of = np.searchsorted(survey.hosts, table.hosts)
    node = np.repeat(node_of, np.diff(table.first_row))[whole]
    # Nodes sample at the same pace, but not at the same moment. A clock may say anything.
    ticks = np.clip(table.at_s[whole] / (survey.interval_s or 1.0), -_FAR, _FAR)
    collected = np.flatnonzero(~np.isnan(samples).all(axis=0)) if len(samples) else _NO_METRICS
    count = len(collected)
    return pd.DataFrame(
        {
            "node": np.append(np.full(count, _NONE), node).astype(np.int32),
            "tick": np.append(np.zeros(count), np.floor(ticks)).astype(np.int64),
            "label": np.append(collected, labels(model, samples[whole])).astype(np.int8),
        }
    )


def _on_grid(found: pd.DataFrame, survey: MetricSurvey, model: ProfileModel) -> Labelled:
    """Labels side by side.

    Only moments with samples are there, so that a clock that was years off makes no years.
    """
    of_node = found["node"].to_numpy() != _NONE
    collected = set(found.loc[~of_node, "label"])
    missing = tuple(name for place, name in enumerate(model.metrics) if place not in collected)
    tick = found["tick"].to_numpy()[of_node]
    ticks = np.unique(tick)
    grid = np.full((len(ticks), len(survey.hosts)), _NONE, dtype=np.int8)
    label = found["label"].to_numpy()[of_node]
    grid[np.searchsorted(ticks, tick), found["node"].to_numpy()[of_node]] = label
    return Labelled(survey.hosts, survey.interval_s, ticks * survey.interval_s, grid, missing)
