"""The differences between nodes that are worth nothing, by metric, in its own unit.

A statistic of ranks or of standard deviations sees any steady difference, and a metric that hardly
moves has steady ones between any two machines: 201 processes here, 203 there.
"""

from __future__ import annotations

from typing import Final

from mprof.metrics import METRICS
from mprof.threshold import Threshold

__all__ = ["LEAST_DIFFERENCE"]

_TOO_SMALL: Final = "a smaller difference is what an idle node shows by itself"
_LEAST: Final = {
    "user": (2, _TOO_SMALL),
    "system": (2, _TOO_SMALL),
    "iowait": (2, _TOO_SMALL),
    "ctxt": (200, _TOO_SMALL),
    "runq_sz": (1, "a count of few tasks, which is right by chance to one"),
    "plist_sz": (50, "a JVM has about forty threads, and one more of them is no fault"),
    "ldavg_1": (
        0.75,
        "a mean of a minute, of which a window has two: healthy nodes were 0.8 apart",
    ),
    "eth_rxbyt": (20_000, _TOO_SMALL),
    "eth_txbyt": (20_000, _TOO_SMALL),
    "pgpgin": (100, _TOO_SMALL),
    "pgpgout": (100, _TOO_SMALL),
    "fault": (200, _TOO_SMALL),
    "bread": (200, _TOO_SMALL),
    "bwrtn": (200, _TOO_SMALL),
    "tcp_abort_on_data": (1, "single connections are aborted on healthy nodes too"),
    "rto_max": (50, "Linux starts at 200 ms and follows the round trip, which load changes"),
}
LEAST_DIFFERENCE: Final = {
    metric.name: Threshold(
        f"peers.least.{metric.name}",
        _LEAST[metric.name][0],
        metric.unit,
        _LEAST[metric.name][1],
    )
    for metric in METRICS
}
