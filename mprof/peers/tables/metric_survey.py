"""What a table of metrics covers: which nodes, from when, how often, in which hours.

It is what the detectors must know of the whole table before they look at parts of it; it needs two
of its columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from mprof.peers.tables.metric_table import metric_table
from mprof.pieces import Engine
from mprof.store import Rows

__all__ = ["HOUR_S", "MetricSurvey", "survey_of", "survey_of_rows"]

HOUR_S: Final = 3600.0

_FAR: Final = 1e15
_ROWS_AT_ONCE: Final = 2_000_000
_SCHEMA: Final = pa.schema(
    {
        "host": pa.string(),
        "hour": pa.int64(),  # since the epoch
        "rows": pa.int64(),
        "first_s": pa.float64(),
        "interval_s": pa.float64(),  # of the host in this part of the table
    }
)


@dataclass(frozen=True, slots=True)
class MetricSurvey:
    """What a table of metrics covers.

    Attributes:
        hosts: names of the nodes, sorted.
        rows: number of samples.
        first_s: of each node, the time of its first sample.
        interval_s: between two samples of a node, the median; 0 if no node has two.
        hours: since the epoch, in which there are samples, ascending.
    """

    hosts: tuple[str, ...]
    rows: int
    first_s: NDArray[np.float64]
    interval_s: float
    hours: NDArray[np.int64]


def survey_of(metrics: pd.DataFrame) -> MetricSurvey:
    """Survey a table in memory."""
    return _together(_seen_in(metrics))


def survey_of_rows(engine: Engine, rows: Rows) -> MetricSurvey:
    """Survey rows of the table of a store, which it reads by themselves."""
    parts = rows.selecting("host", "at_s").batches(_ROWS_AT_ONCE)
    return _together(engine.frame(_seen_in_rows, parts, _SCHEMA))


def _seen_in_rows(rows: Rows) -> pd.DataFrame:
    return _seen_in(rows.read())


def _seen_in(metrics: pd.DataFrame) -> pd.DataFrame:
    """What a part of the table covers: a row a node and hour."""
    table = metric_table(metrics)
    node = np.repeat(np.arange(len(table.hosts)), np.diff(table.first_row))
    # A clock may say anything; what counts is that it is far away.
    hour = np.floor(np.clip(table.at_s / HOUR_S, -_FAR, _FAR)).astype(np.int64)
    new = np.append(True, (node[1:] != node[:-1]) | (hour[1:] != hour[:-1]))[: len(node)]
    begins = np.flatnonzero(new)
    hosts = np.array(table.hosts, dtype=object)
    return pd.DataFrame(
        {
            "host": hosts[node[begins]],
            "hour": hour[begins],
            "rows": np.diff(np.append(begins, len(node))),
            "first_s": table.at_s[begins],
            "interval_s": table.intervals_s[node[begins]],
        }
    )


def _together(seen: pd.DataFrame) -> MetricSurvey:
    """What all parts cover. A node's interval is the median of its parts' medians."""
    by_host = seen.groupby("host", sort=True)
    # One odd node does not set the interval.
    interval_s = float(by_host["interval_s"].median().median()) if len(seen) else np.nan
    return MetricSurvey(
        hosts=tuple(str(host) for host in by_host.groups),
        rows=int(seen["rows"].sum()),
        first_s=by_host["first_s"].min().to_numpy(dtype=np.float64),
        interval_s=0.0 if np.isnan(interval_s) else interval_s,
        hours=np.unique(seen["hour"].to_numpy(dtype=np.int64)),
    )
