"""The operating system metrics of a node: names, units, and how each is counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["METRICS", "METRIC_NAMES", "SAMPLED", "SAMPLED_NAMES", "Metric"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One column of a table of metrics.

    Attributes:
        kind: ``share`` in per cent of all processors, ``level`` at the moment of the sample, or
            ``rate`` over the time since the sample before.
    """

    name: str
    unit: str
    kind: Literal["share", "level", "rate"]
    meaning: str


METRICS: Final = (
    Metric("user", "%", "share", "time in user mode, of all processors"),
    Metric("system", "%", "share", "time in kernel mode, of all processors"),
    Metric("iowait", "%", "share", "idle time with input or output outstanding, of all processors"),
    Metric("ctxt", "context switches/s", "rate", "context switches"),
    Metric("runq_sz", "tasks", "level", "tasks that run or wait for a processor"),
    Metric("plist_sz", "tasks", "level", "tasks and threads"),
    Metric("ldavg_1", "tasks", "level", "load, damped over one minute"),
    Metric("eth_rxbyt", "B/s", "rate", "received over the network"),
    Metric("eth_txbyt", "B/s", "rate", "sent over the network"),
    Metric("pgpgin", "KB/s", "rate", "paged in from disk"),
    Metric("pgpgout", "KB/s", "rate", "paged out to disk"),
    Metric("fault", "page faults/s", "rate", "page faults, minor and major"),
    Metric("bread", "blocks of 512 B/s", "rate", "blocks of 512 bytes read from disks"),
    Metric("bwrtn", "blocks of 512 B/s", "rate", "blocks of 512 bytes written to disks"),
    Metric(
        "tcp_abort_on_data", "connections/s", "rate", "TCP connections aborted with data queued"
    ),
    Metric("rto_max", "ms", "level", "largest retransmission timeout of TCP"),
)
"""The sadc vector of Ganesha and Kahuna (14 metrics) and the two of TCP that Blimey adds (table I).

The first fourteen are named after the fields of sar(1), and have its units.
"""

METRIC_NAMES: Final = tuple(metric.name for metric in METRICS)

SAMPLED: Final = (
    *METRICS,
    Metric("retrans", "segments/s", "rate", "TCP segments that were sent again"),
)
"""All that is sampled: the metrics of the papers, and what `bb-loss` counts.

The last one is no part of a vector of metrics: on a healthy network it is 0 nearly always.
"""

SAMPLED_NAMES: Final = tuple(metric.name for metric in SAMPLED)
