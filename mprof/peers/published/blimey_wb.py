"""`blimey-wb`: Blimey's white box as published: densities of durations against the global one.

The paper: Pan, Tan, Kavulya, Gandhi and Narasimhan, *Blind Men and the Elephant: Piecing Together
Hadoop for Diagnosis*.

| step | what the paper says | section |
|---|---|---|
| states | Map and Reduce, the whole task; a verdict on each | IV.B, IV.C.2, VII.A |
| density | of each node, of the histogram of its durations, by a Gaussian kernel | IV.C.2 |
| global estimate | the sum of all local histograms | IV.C.2 |
| distance | of the density of each node to the global one, in each window of time | IV.C.2 |
| verdict | an exponentially weighted number of alarms above a threshold | IV.C.2 |
| thresholds | so that at most 3 % of the nodes of control runs are indicted | VII.A.2 |

What it leaves open: the window and its steps, the width of the kernel (Silverman's rule, of the
spread of all durations in the window and of the mean number of durations of a node), the distance
(the square root of the Jensen-Shannon divergence, as in Kahuna), the weight of an alarm, and both
thresholds. The node is part of the global estimate, as the text says. A task belongs to the windows
in which it ended; a node without one is not compared in that window.

According to the paper WB_Map sees maps that hang (hang1036) and WB_Reduce reducers that hang
(hang1152, hang2080), since hanging tasks are ended at last. [The papers](../papers.md) says which
results were reproduced here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from mprof.peers.comparison import Comparison, Look
from mprof.peers.detectors.repeated_alarms import FEWEST_NODES, too_few_nodes
from mprof.peers.detectors.request import Asked
from mprof.peers.published.state_durations import durations_of
from mprof.peers.published.verdicts import Levels, Repeated, verdict
from mprof.peers.statistics.histograms import distances_to, shares
from mprof.threshold import Threshold

__all__ = ["ABOVE", "DETECTOR", "THRESHOLDS", "compare_state", "looks"]

DETECTOR: Final = "blimey-wb"

WINDOW: Final = Threshold(
    "blimey-wb.window", 120, "s", "of time; free in the paper, as long as that of its black box"
)
STEPS: Final = Threshold(
    "blimey-wb.steps", 4, "windows per length of a window", "free in the paper"
)
BINS: Final = Threshold(
    "blimey-wb.bins", 512, "bins of the histograms",
    "free in the paper; narrower than the kernel, which smooths their boundaries",
)  # fmt: skip
_DISTANCE: Final = "square root of the Jensen-Shannon divergence"
_FREE: Final = (
    "an alarm; free in the paper. That of maps is such that 3 % of the nodes of our testbed's"
    " controls are indicted; `calibrate` replaces both with values from other control runs"
)
ABOVE: Final = {
    state: Threshold(f"{DETECTOR}.{state}-above", default, _DISTANCE, _FREE)
    for state, default in {"map": 0.49, "reduce": 0.49}.items()
}
"""By state."""
HALF_LIFE: Final = Threshold(
    "blimey-wb.half-life", 8, "windows", "an alarm weighs half after; free in the paper"
)
INDICTED_ABOVE: Final = Threshold(
    "blimey-wb.indicted-above", 2.5, "weighted number of alarms",
    "three alarms in a row come to 2.7; free in the paper",
)  # fmt: skip

THRESHOLDS: Final = (
    FEWEST_NODES, WINDOW, STEPS, BINS, *ABOVE.values(), HALF_LIFE, INDICTED_ABOVE,
)  # fmt: skip
"""Every parameter that the paper leaves open."""

_SILVERMAN: Final = 0.9  # Density Estimation for Statistics and Data Analysis (1986), 3.31
_IQR_OF_NORMAL: Final = 1.34
_REACH: Final = 4.0  # kernel widths beyond the longest duration


def looks(asked: Asked) -> Iterator[Look]:
    """Compare the durations of maps, and of reduces."""
    for state, of, durations in durations_of(asked, tuple(ABOVE)):
        yield Look(f"densities of {state}", compare_state(durations, state), of=of, kind=state)


def compare_state(durations: pd.DataFrame, state: str) -> Comparison:
    """Compare the durations of one state.

    Args:
        durations: columns as in `durations_of`.
        state: its name.
    """
    hosts = tuple(sorted(set(durations["host"])))
    if len(hosts) < FEWEST_NODES.value:
        return too_few_nodes(DETECTOR, len(hosts))
    rows = durations.sort_values("ended_s", kind="stable")
    ended_s = rows["ended_s"].to_numpy(dtype=np.float64)
    seconds = rows["seconds"].to_numpy(dtype=np.float64)
    node = pd.Index(hosts).get_indexer(pd.Index(rows["host"]))
    step_s = WINDOW.value / STEPS.value
    # Only where something ended, so that a clock that was years off makes no years.
    ends = np.unique(np.floor((ended_s - ended_s[0]) / step_s)) + 1
    starts_s = ended_s[0] + ends * step_s - WINDOW.value
    levels = np.full((len(starts_s), len(hosts)), np.nan)
    for window, start_s in enumerate(starts_s):
        part = slice(*np.searchsorted(ended_s, (start_s, start_s + WINDOW.value)))
        levels[window] = _of_window(seconds[part], node[part], len(hosts))
    found = Levels(hosts, starts_s, levels, what=f"distance of {state} density", unit=_DISTANCE)
    return verdict(
        found,
        detector=DETECTOR,
        threshold=ABOVE[state],
        repeated=Repeated(HALF_LIFE.value, INDICTED_ABOVE.value),
    )


def _of_window(
    seconds: NDArray[np.float64], node: NDArray[np.intp], nodes: int
) -> NDArray[np.float64]:
    """The distance of each node's density to the global one; NaN of a node without durations."""
    found = np.full(nodes, np.nan)
    there = np.bincount(node, minlength=nodes) > 0
    if there.sum() < FEWEST_NODES.value:
        return found
    width_s = _width_s(seconds, float(np.bincount(node)[there[: node.max() + 1]].mean()))
    bins = int(BINS.value)
    edges = np.linspace(0, float(seconds.max()) + _REACH * width_s, bins + 1)
    counts = np.zeros((nodes, bins))
    np.add.at(counts, (node, np.searchsorted(edges, seconds, side="right") - 1), 1)
    local = gaussian_filter1d(counts[there], width_s / edges[1], axis=1, mode="constant")
    found[there] = distances_to(shares(local), shares(local.sum(axis=0)))
    return found


def _width_s(seconds: NDArray[np.float64], of_a_node: float) -> float:
    """Silverman's rule of thumb; a duration that all tasks share has no spread."""
    low, high = np.quantile(seconds, (0.25, 0.75))
    spreads = [each for each in (seconds.std(), (high - low) / _IQR_OF_NORMAL) if each > 0]
    spread = min(spreads, default=max(float(seconds.max()), 1.0) / BINS.value)
    return float(_SILVERMAN * spread * of_a_node**-0.2)
