"""A table of metrics of many nodes, checked and sorted, as the detectors read it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.errors import EvidenceError
from mprof.metrics import METRIC_NAMES

__all__ = ["MetricTable", "metric_table"]


@dataclass(frozen=True, slots=True)
class MetricTable:
    """Samples of nodes, sorted by host and time.

    Attributes:
        hosts: names of the nodes, sorted.
        first_row: of each host, and the number of rows as the last element.
        at_s: time of each row, seconds since the epoch, by the clock of its node.
        metrics: those of which anything was collected, in the order of the columns.
        samples: a row a sample, a column a metric; NaN is not known.
        left_out: metrics of which nothing was collected.
        interval_s: between two samples of a node, the median; 0 if no node has two.
    """

    hosts: tuple[str, ...]
    first_row: NDArray[np.int64]
    at_s: NDArray[np.float64]
    metrics: tuple[str, ...]
    samples: NDArray[np.float32]
    left_out: tuple[str, ...]
    interval_s: float


def metric_table(frame: pd.DataFrame) -> MetricTable:
    """The rows of a data frame with the columns ``host``, ``at_s`` and those of `METRICS`.

    A metric that is no column counts as not collected. Rows without a host or a time are left out,
    and so are repetitions of a sample.

    Raises:
        EvidenceError: if there is no column ``host`` or ``at_s``.
    """
    missing = [name for name in ("host", "at_s") if name not in frame.columns]
    if missing:
        raise EvidenceError(
            f"the table of metrics has no column {missing[0]}",
            next_step="give rows as mprof collect writes them",
        )
    at_s = frame["at_s"].to_numpy(dtype=np.float64, na_value=np.nan)
    usable = np.isfinite(at_s) & frame["host"].notna().to_numpy()
    names, host = np.unique(
        frame["host"].to_numpy(dtype=object)[usable].astype(str), return_inverse=True
    )
    at_s = at_s[usable]
    order = np.lexsort((at_s, host))
    host, at_s = host[order], at_s[order]
    new = np.ones(len(at_s), dtype=np.bool_)
    new[1:] = (host[1:] != host[:-1]) | (at_s[1:] != at_s[:-1])
    rows = np.flatnonzero(usable)[order][new]
    host, at_s = host[new], at_s[new]

    present = [name for name in METRIC_NAMES if name in frame.columns]
    values = np.empty((len(rows), len(present)), dtype=np.float32)
    for column, name in enumerate(present):
        values[:, column] = frame[name].to_numpy(dtype=np.float32, na_value=np.nan)[rows]
    values[~np.isfinite(values)] = np.nan
    collected = (~np.isnan(values)).sum(axis=0) > 0
    metrics = tuple(name for name, there in zip(present, collected, strict=True) if there)
    return MetricTable(
        hosts=tuple(str(name) for name in names),
        first_row=np.searchsorted(host, np.arange(len(names) + 1)).astype(np.int64),
        at_s=at_s,
        metrics=metrics,
        samples=np.ascontiguousarray(values[:, collected]),
        left_out=tuple(name for name in METRIC_NAMES if name not in metrics),
        interval_s=_interval(host, at_s),
    )


def _interval(host: NDArray[np.intp], at_s: NDArray[np.float64]) -> float:
    """The median of the medians of the nodes, so that one odd node does not set it."""
    gaps = np.diff(at_s)[host[1:] == host[:-1]]
    of = host[1:][host[1:] == host[:-1]]
    if not len(gaps):
        return 0.0
    return float(pd.Series(gaps).groupby(of).median().median())
