"""`kahuna-wb`: Kahuna's white box as published: pairs of histograms of the durations of a state.

The paper: Tan, Pan, Kavulya, Marinelli, Gandhi and Narasimhan, *Kahuna: Problem Diagnosis for
MapReduce-Based Cloud Computing Environments*, NOMS 2010.

| step | what the paper says | section |
|---|---|---|
| states | Map, Reduce, ReduceCopy and ReduceMergeCopy; ReadBlock and WriteBlock | VI.A |
| histogram | of each state's durations on each node, for a given period of time | VI.A |
| distance | the square root of the Jensen-Shannon divergence, of every two nodes | VI.A |
| verdict | further than a threshold from a majority of the other nodes | VI.A |
| threshold | one for each workload and size of the cluster | VIII |

What it leaves open: the period (an hour, of all jobs together), the bins (of equal width over the
durations of all nodes in the period, as many as NumPy's rule "auto" takes: the larger number of
Sturges' and of Freedman's and Diaconis'), and the thresholds. Here a state has one threshold for
all workloads. The base of the logarithm is not given; here it is 2. No minimum number of durations
is given, so a node with a single one is compared, and differs from all that have others.

Only states that ended by themselves have a duration, as in SALSA, whose log analysis the paper
uses: a state that hangs has none.

According to the paper all states but Map are of little use ("a small number of states resulted in
higher sensitivity and hence higher FP rates"), and if packets are lost it also indicts healthy
nodes. [The papers](../papers.md) says which results were reproduced here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.peers.comparison import Comparison, Look
from mprof.peers.detectors.repeated_alarms import FEWEST_NODES, too_few_nodes
from mprof.peers.detectors.request import Asked
from mprof.peers.published.state_durations import BLOCKS, TASKS, durations_of
from mprof.peers.published.verdicts import Levels, majority_levels, verdict
from mprof.peers.statistics.histograms import jensen_shannon_distances, shares
from mprof.threshold import Threshold

__all__ = ["ABOVE", "DETECTOR", "THRESHOLDS", "compare_state", "looks"]

DETECTOR: Final = "kahuna-wb"

PERIOD: Final = Threshold(
    "kahuna-wb.period", 3600, "s", "of a histogram; free in the paper, whose runs took less"
)
_DISTANCE: Final = "square root of the Jensen-Shannon divergence"
_FREE: Final = (
    "indicts; the paper has one for each workload and size, and gives none. By it 3 % of the nodes"
    " of our testbed's controls are indicted; `calibrate` replaces it with a value from other"
    " control runs"
)
_NEVER: Final = (
    "indicts nobody, since nothing is further apart than 1: on our testbed, with few reduces a"
    " node, more than 3 % of the nodes of controls are as far; `calibrate` replaces it"
)
ABOVE: Final = {
    state: Threshold(
        f"{DETECTOR}.{state.replace(' ', '-')}-above", default, _DISTANCE,
        _FREE if default < 1 else _NEVER,
    )
    for state, default in {
        "map": 0.68, "reduce": 1, "reduce copy": 1, "reduce merge copy": 1, "read block": 0.34,
        "write block": 0.33,
    }.items()
}  # fmt: skip
"""By state."""

THRESHOLDS: Final = (FEWEST_NODES, PERIOD, *ABOVE.values())
"""Every parameter that the paper leaves open."""


def looks(asked: Asked) -> Iterator[Look]:
    """Compare the durations of each state."""
    for state, of, durations in durations_of(asked, (*TASKS, *BLOCKS)):
        yield Look(f"durations of {state}", compare_state(durations, state), of=of, kind=state)


def compare_state(durations: pd.DataFrame, state: str) -> Comparison:
    """Compare the durations of one state.

    Args:
        durations: columns as in `durations_of`.
        state: its name.
    """
    hosts = tuple(sorted(set(durations["host"])))
    if len(hosts) < FEWEST_NODES.value:
        return too_few_nodes(DETECTOR, len(hosts))
    first_s = float(durations["ended_s"].min())
    period = ((durations["ended_s"] - first_s) // PERIOD.value).to_numpy(dtype=np.int64)
    starts, levels = [], []
    for number in np.unique(period):
        counts = _histograms(durations[period == number], hosts)
        there = counts.sum(axis=1) > 0
        level = np.full(len(hosts), np.nan)
        if there.sum() >= FEWEST_NODES.value:
            level[there] = majority_levels(jensen_shannon_distances(shares(counts[there])))
        starts.append(first_s + float(number) * PERIOD.value)
        levels.append(level)
    found = Levels(
        hosts, np.array(starts), np.array(levels), what=f"distance of {state} durations",
        unit=_DISTANCE,
    )  # fmt: skip
    return verdict(found, detector=DETECTOR, threshold=ABOVE[state])


def _histograms(rows: pd.DataFrame, hosts: tuple[str, ...]) -> NDArray[np.float64]:
    """A row a node, a column a bin."""
    seconds = rows["seconds"].to_numpy(dtype=np.float64)
    edges = np.histogram_bin_edges(seconds, bins="auto")
    node = pd.Index(hosts).get_indexer(pd.Index(rows["host"]))
    bins = np.clip(np.searchsorted(edges, seconds, side="right") - 1, 0, len(edges) - 2)
    counts = np.zeros((len(hosts), len(edges) - 1))
    np.add.at(counts, (node, bins), 1)
    return counts
