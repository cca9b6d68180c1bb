"""`blimey-hb`: Blimey's heartbeats as published: their rates, and the delay between two clocks.

The paper: Pan, Tan, Kavulya, Gandhi and Narasimhan, *Blind Men and the Elephant: Piecing Together
Hadoop for Diagnosis*. It has two algorithms, with a verdict each.

| step | what the paper says | section |
|---|---|---|
| heartbeats | of TaskTrackers with the JobTracker, from the logs of both | IV.B, VII.A |
| rate | the events, smoothed over time by a Gaussian kernel | IV.C.3 |
| its statistic | the difference between the rate of the node and the median rate | IV.C.3, V |
| delay | when the node logged the answer, less when the master logged the same heartbeat | IV.C.3 |
| the two clocks | a local linear regression of the delays on time is taken off | IV.C.3 |
| its statistic | a large average of what is left | IV.C.3 |
| thresholds | so that at most 3 % of the nodes of control runs are indicted | VII.A.2 |

What it leaves open: the width of the kernel (ten times the usual time between two heartbeats), how
the difference of the rates becomes one number (the mean of its size over time), the reach of the
regression (120 s, by tricube weights, as in Cleveland's loess), and both thresholds. What is left
of a regression is 0 on average, so the average is of its size.

The two clocks are compared where the logs of the JobTracker and of the TaskTrackers are there, at
level DEBUG (Hadoop 0.18 to 1). Of YARN the round trip of a NodeManager is regressed instead: it is
the same delay and the way to the master, by one clock.

On YARN the rate has lost its meaning: a TaskTracker sent a heartbeat when a task ended, a
NodeManager sends one a second whatever it does. [`hb-rate`](hb-rate.md) counts what ended instead,
and [`hb-delay`](hb-delay.md) compares round trips.

According to the paper the rate is blind to 5 % of lost packets, and the delay to applications that
hang. Only the delay notices a master which hangs: it then indicts most nodes.
[The papers](../papers.md) says which results were reproduced here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.peers.comparison import Comparison, Look
from mprof.peers.detectors.repeated_alarms import FEWEST_NODES, too_few_nodes
from mprof.peers.detectors.request import Asked
from mprof.peers.published.verdicts import Levels, verdict
from mprof.threshold import Threshold

__all__ = [
    "ABOVE", "DETECTOR", "THRESHOLDS", "compare_delays", "compare_rates", "looks", "residuals",
    "two_clock_delays",
]  # fmt: skip

DETECTOR: Final = "blimey-hb"

WIDTH: Final = Threshold(
    "blimey-hb.width", 10, "times the usual time between two heartbeats",
    "of the Gaussian kernel, its standard deviation; free in the paper",
)  # fmt: skip
REACH: Final = Threshold("blimey-hb.reach", 120, "s", "of the local regression; free in the paper")
FEWEST: Final = Threshold(
    "blimey-hb.fewest", 10, "heartbeats of a node", "a line through two points leaves nothing"
)
ABOVE: Final = {
    "rate": Threshold(
        "blimey-hb.rate-above", 0.025, "heartbeats a second from the median rate",
        "indicts; free in the paper. By it 3 % of the nodes of our testbed's controls are indicted;"
        " `calibrate` replaces it with a value from other control runs",
    ),
    "propagation": Threshold(
        "blimey-hb.propagation-above", 0.045, "s of mean residual delay",
        "indicts; free in the paper, where most residuals of fault-free nodes are below 100 ms"
        " (section IV.C.3). Else as above",
    ),
}  # fmt: skip
"""By algorithm."""

THRESHOLDS: Final = (FEWEST_NODES, WIDTH, REACH, FEWEST, *ABOVE.values())
"""Every parameter that the paper leaves open."""

_COLUMNS: Final = ("host", "at_s", "kind", "round_trip_s")
_OF_LINES: Final = ("host", "at_s", "side", "number")
_OF_NODE_MANAGERS: Final = "nodeHeartbeat"
_CLOCKS_APART: Final = "3600s"
"""Numbers of heartbeats come again, after a day or as a master is started anew."""
_REACH_OF_KERNEL: Final = 5.0


def looks(asked: Asked) -> Iterator[Look]:
    """Compare the heartbeats of the nodes' daemons, which are of no job."""
    if asked.job is not None:
        return
    rows = asked.store.rows("heartbeats", columns=_COLUMNS, by="kind")
    lines = asked.store.rows("heartbeat_lines", columns=_OF_LINES, by="at_s").read()
    received = lines[lines["side"] == "master"]
    found = {
        "NodeManagers": (beats := _in_order(rows.among([_OF_NODE_MANAGERS]).read()), beats),
        "TaskTrackers": (_in_order(received), _in_order(two_clock_delays(lines))),
    }
    for whose, (sent, delays) in found.items():
        if not sent.empty:
            yield Look(f"rates of {whose}", compare_rates(sent), of="heartbeats", kind="rate")
        if not delays.empty:
            yield Look(
                f"delays of {whose}", compare_delays(delays), of="heartbeats", kind="propagation"
            )


def _in_order(beats: pd.DataFrame) -> pd.DataFrame:
    known = beats["host"].notna() & np.isfinite(beats["at_s"].astype(float))
    return beats[known].sort_values(["host", "at_s"], kind="stable")


def two_clock_delays(lines: pd.DataFrame) -> pd.DataFrame:
    """When a node logged the answer of each heartbeat, less when the master logged the heartbeat.

    Args:
        lines: columns ``host``, ``at_s``, ``side`` and ``number``.

    Returns:
        ``host``, ``at_s`` by the clock of the node, and ``round_trip_s``, the delay by two clocks.
    """
    lines = lines.dropna(subset=["host", "at_s", "number"])
    if lines.empty:
        return pd.DataFrame({"host": [], "at_s": [], "round_trip_s": []})
    lines = lines.assign(moment=pd.to_datetime(lines["at_s"], unit="s"), received_s=lines["at_s"])
    lines = lines.sort_values("moment", kind="stable")
    both = pd.merge_asof(
        lines.loc[lines["side"] == "node", ["host", "number", "moment", "at_s"]],
        lines.loc[lines["side"] == "master", ["host", "number", "moment", "received_s"]],
        on="moment", by=["host", "number"], direction="nearest",
        tolerance=pd.Timedelta(_CLOCKS_APART),
    ).dropna(subset=["received_s"])  # fmt: skip
    return both.assign(round_trip_s=both["at_s"] - both["received_s"])[
        ["host", "at_s", "round_trip_s"]
    ]


def compare_rates(beats: pd.DataFrame) -> Comparison:
    """Compare how often nodes send heartbeats.

    Args:
        beats: columns ``host`` and ``at_s``, in the order of both.
    """
    hosts = tuple(sorted(set(beats["host"])))
    if len(hosts) < FEWEST_NODES.value:
        return too_few_nodes(DETECTOR, len(hosts))
    every = beats["at_s"].to_numpy(dtype=np.float64)
    gaps = beats.groupby("host")["at_s"].diff()
    usual_s = float(gaps.groupby(beats["host"]).median().median())
    width_s = WIDTH.value * (usual_s if usual_s > 0 else 1.0)
    # Only where there are heartbeats, so that a clock that was years off makes no years.
    steps = np.unique(np.floor((every - every.min()) / width_s))
    moments = every.min() + (steps + 0.5) * width_s
    rates = np.column_stack(
        [
            _rate(of_host["at_s"].to_numpy(dtype=np.float64), moments, width_s)
            for _, of_host in beats.groupby("host", sort=True)
        ]
    )
    apart = np.abs(rates - np.median(rates, axis=1, keepdims=True))
    return _on_average(hosts, apart, float(every.min()), "rate", "difference from the median rate")


def _rate(
    at_s: NDArray[np.float64], moments: NDArray[np.float64], width_s: float
) -> NDArray[np.float64]:
    """Events a second at each moment, smoothed."""
    reach_s = _REACH_OF_KERNEL * width_s
    first = np.searchsorted(at_s, moments - reach_s)
    last = np.searchsorted(at_s, moments + reach_s)
    return np.array(
        [
            np.exp(-(((at_s[begin:end] - moment) / width_s) ** 2) / 2).sum()
            for moment, begin, end in zip(moments, first, last, strict=True)
        ]
    ) / (width_s * math.sqrt(2 * math.pi))


def compare_delays(beats: pd.DataFrame) -> Comparison:
    """Compare what a local regression on time leaves of the delays.

    Args:
        beats: columns ``host``, ``at_s`` and ``round_trip_s``, the delay, by one clock or two.
    """
    known = beats[np.isfinite(beats["round_trip_s"].astype(float))]
    hosts = tuple(sorted(set(known["host"])))
    if len(hosts) < FEWEST_NODES.value:
        return too_few_nodes(DETECTOR, len(hosts), that=" with delays")
    average = np.full((1, len(hosts)), np.nan)
    for column, (_, rows) in enumerate(known.groupby("host", sort=True)):
        if len(rows) >= FEWEST.value:
            at_s = rows["at_s"].to_numpy(dtype=np.float64)
            left = residuals(at_s, rows["round_trip_s"].to_numpy(dtype=np.float64))
            average[0, column] = np.abs(left).mean()
    first_s = float(known["at_s"].min())
    return _on_average(hosts, average, first_s, "propagation", "mean residual delay")


def residuals(at_s: NDArray[np.float64], delay_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a local linear regression on time leaves, over `REACH`."""
    from statsmodels.nonparametric.smoothers_lowess import lowess  # half a second to load

    span_s = float(at_s[-1] - at_s[0])
    share = min(1.0, max(REACH.value / span_s if span_s > 0 else 1.0, 3 / len(at_s)))
    fitted = lowess(
        delay_s, at_s - at_s[0], frac=share, it=0, delta=REACH.value / 100, return_sorted=False
    )
    return np.asarray(delay_s - fitted, dtype=np.float64)


def _on_average(
    hosts: tuple[str, ...], sizes: NDArray[np.float64], begin_s: float, kind: str, what: str
) -> Comparison:
    """The verdict on the mean over time, which is one round."""
    threshold = ABOVE[kind]
    levels = Levels(hosts, np.array([begin_s]), sizes.mean(axis=0, keepdims=True), what,
                    threshold.unit)  # fmt: skip
    return verdict(levels, detector=DETECTOR, threshold=threshold)
