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
        samples: a row a sample, a column a metric, which lie together; NaN is not known.
    """

    hosts: tuple[str, ...]
    first_row: NDArray[np.int64]
    at_s: NDArray[np.float64]
    metrics: tuple[str, ...]
    samples: NDArray[np.float32]

    @property
    def intervals_s(self) -> NDArray[np.float64]:
        """Of each node the median time between two samples; NaN of a node that has one."""
        ends = zip(self.first_row[:-1], self.first_row[1:], strict=True)
        return np.array(
            [
                np.median(np.diff(self.at_s[begin:end])) if end - begin > 1 else np.nan
                for begin, end in ends
            ],
            dtype=np.float64,
        )


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
    host, names = _coded(frame["host"])
    usable = np.isfinite(at_s) & (host >= 0)
    rows = np.flatnonzero(usable)
    if not _is_sorted(host[rows], at_s[rows]):
        rows = rows[np.lexsort((at_s[rows], host[rows]))]
    host, at_s = host[rows], at_s[rows]
    new = np.ones(len(at_s), dtype=np.bool_)
    new[1:] = (host[1:] != host[:-1]) | (at_s[1:] != at_s[:-1])
    rows, at_s = rows[new], at_s[new]
    seen, host = np.unique(host[new], return_inverse=True)

    present = [name for name in METRIC_NAMES if name in frame.columns]
    samples = np.empty((len(rows), len(present)), dtype=np.float32, order="F")
    for column, name in enumerate(present):
        values = frame[name].to_numpy(dtype=np.float32, na_value=np.nan)
        np.take(values, rows, out=samples[:, column])
        samples[~np.isfinite(samples[:, column]), column] = np.nan
    collected = np.array(
        [not np.isnan(samples[:, each]).all() for each in range(len(present))], bool
    )
    metrics = tuple(name for name, there in zip(present, collected, strict=True) if there)
    return MetricTable(
        hosts=tuple(names[each] for each in seen),
        first_row=np.searchsorted(host, np.arange(len(seen) + 1)).astype(np.int64),
        at_s=at_s,
        metrics=metrics,
        samples=samples if collected.all() else np.asfortranarray(samples[:, collected]),
    )


def _coded(host: pd.Series[str]) -> tuple[NDArray[np.intp], list[str]]:
    """The number of each name among the sorted names, -1 of none; and these names.

    Not by ``factorize`` alone: it takes the order of categories for theirs.
    """
    codes, names = pd.factorize(host)
    given = [str(name) for name in names]
    every = sorted(set(given))
    place = {name: number for number, name in enumerate(every)}
    numbers = np.array([*(place[name] for name in given), -1], dtype=np.intp)
    return numbers[codes], every  # -1 takes the last


def _is_sorted(host: NDArray[np.intp], at_s: NDArray[np.float64]) -> bool:
    later = (host[1:] > host[:-1]) | ((host[1:] == host[:-1]) & (at_s[1:] >= at_s[:-1]))
    return bool(later.all())
