"""The sixteen operating system metrics of a node: names, units, and how each is counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["METRICS", "METRIC_NAMES", "Metric"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One column of a table of metrics.

    Attributes:
        name: of the column.
        unit: of its values.
        kind: ``share`` in per cent of all processors, ``level`` at the moment of the sample, or
            ``rate`` over the time since the sample before.
    """

    name: str
    unit: str
    kind: Literal["share", "level", "rate"]


METRICS: Final = (
    Metric("user", "%", "share"),
    Metric("system", "%", "share"),
    Metric("iowait", "%", "share"),
    Metric("ctxt", "context switches/s", "rate"),
    Metric("runq_sz", "tasks", "level"),
    Metric("plist_sz", "tasks", "level"),
    Metric("ldavg_1", "tasks", "level"),
    Metric("eth_rxbyt", "B/s", "rate"),
    Metric("eth_txbyt", "B/s", "rate"),
    Metric("pgpgin", "KB/s", "rate"),
    Metric("pgpgout", "KB/s", "rate"),
    Metric("fault", "page faults/s", "rate"),
    Metric("bread", "blocks of 512 B/s", "rate"),
    Metric("bwrtn", "blocks of 512 B/s", "rate"),
    Metric("tcp_abort_on_data", "connections/s", "rate"),
    Metric("rto_max", "ms", "level"),
)
"""The sadc vector of Ganesha and Kahuna (14 metrics) and the two of TCP that Blimey adds (table I).

The first fourteen are named after the fields of sar(1), and have its units.
"""

METRIC_NAMES: Final = tuple(metric.name for metric in METRICS)
