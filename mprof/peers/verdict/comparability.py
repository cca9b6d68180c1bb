"""Were these nodes comparable at all? The correlation of what they complete.

Kahuna (Tan, Pan, Marinelli, Kavulya, Gandhi and Narasimhan, NOMS 2010, section IV) asks whether
peers behave alike before it compares them. In the jobs of a user of the M45 cluster, the maps per
second of 89 % of the nodes had a Pearson correlation of at least 0.6 with those of *all* other
nodes of the job if it succeeded; if it was aborted, those of 43 % had. The paper takes the absolute
value; here, nodes that do the opposite of each other do not count as alike. The paper counts maps
that are being executed; here each map counts when it is completed. The length of the bins is ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.threshold import Threshold

__all__ = [
    "CORRELATED", "SHARE_IN_ABORTED", "SHARE_IN_SUCCESSFUL", "THRESHOLDS", "Comparability",
    "comparability",
]  # fmt: skip

SHARE_IN_SUCCESSFUL: Final = Threshold(
    "comparability.in-successful", 0.89, "of the nodes",
    "this share of the nodes in successful jobs correlates with all others (Kahuna, on M45)",
    most=1.0,
)  # fmt: skip
SHARE_IN_ABORTED: Final = Threshold(
    "comparability.in-aborted", 0.43, "of the nodes",
    "this share of the nodes in aborted jobs does (Kahuna, on M45)",
)  # fmt: skip

CORRELATED: Final = Threshold(
    "comparability.correlated", 0.6, "Pearson's correlation", "Kahuna's, section IV"
)
PER_BIN: Final = Threshold(
    "comparability.per-bin", 12, "completions of the median node and bin",
    "with fewer, chance alone decides: of ten simulated healthy nodes none correlates with all"
    " others at four, and each does at eight and more",
)  # fmt: skip
LEAST_BINS: Final = Threshold(
    "comparability.least-bins", 8, "bins",
    "with fewer, a correlation of 0.6 comes by chance in more than one of ten pairs",
)  # fmt: skip
SHORTEST: Final = Threshold(
    "comparability.shortest", 10, "s a bin", "completions are seen with heartbeats of a few seconds"
)

LONG_PAUSE: Final = Threshold(
    "comparability.long-pause", 20, "times the mean of the shorter pauses",
    "between completions: by chance alone one in millions is so long, so nothing was run then",
)  # fmt: skip
SHORTER: Final = Threshold(
    "comparability.shorter", 0.95, "of the pauses",
    "the mean of these is that of a busy time: pauses between jobs are fewer",
    most=1.0,
)  # fmt: skip

THRESHOLDS: Final = (
    SHARE_IN_SUCCESSFUL, SHARE_IN_ABORTED, CORRELATED, PER_BIN, LEAST_BINS, SHORTEST, LONG_PAUSE,
    SHORTER,
)  # fmt: skip

_FEWEST_NODES: Final = 2


@dataclass(frozen=True, slots=True)
class Comparability:
    """How alike nodes completed their maps over time.

    Attributes:
        nodes: that completed maps.
        correlated: those whose correlation with every other node is `CORRELATED` or more; None
            where it cannot be told.
        least: the median of the nodes' smallest correlations; NaN where it cannot be told.
        bins: in which completions were counted.
        bin_s: length of a bin, seconds.
        why_not: why it cannot be told, None where it can.
    """

    nodes: int
    correlated: int | None = None
    least: float = math.nan
    bins: int = 0
    bin_s: float = math.nan
    why_not: str | None = None

    @property
    def share(self) -> float:
        """Of the nodes, those that correlate with all others; NaN where it cannot be told."""
        return math.nan if self.correlated is None else self.correlated / self.nodes

    @property
    def in_words(self) -> str:
        """What the share says of a verdict that is withheld; "" where it cannot be told."""
        if self.correlated is None:
            return ""
        if self.share >= SHARE_IN_SUCCESSFUL.value:
            return "they worked in step nevertheless, so some are slower at the same work"
        if self.share <= SHARE_IN_ABORTED.value:
            return "they did not work in step, so they may have had different work"
        return "some of them did not work in step with the others"


def comparability(attempts: pd.DataFrame) -> Comparability:
    """Correlate the maps that every two nodes complete a second.

    Bins are as long as the median node needs for `PER_BIN` maps, and those in which no node
    completes any are left out: all nodes are alike in doing nothing.

    Args:
        attempts: rows of the store's table.
    """
    done = attempts[
        (attempts["kind"] == "map")
        & (attempts["state"] == "succeeded")
        & np.isfinite(attempts["finished_s"].astype(float))
        & attempts["host"].notna()
    ]
    counts = done.groupby("host").size()
    if len(counts) < _FEWEST_NODES:
        number = len(counts)
        nodes = f"{number} node{'s'[: number != 1]} only" if number else "no node"
        return Comparability(number, why_not=f"maps were completed on {nodes}")
    if counts.median() < PER_BIN.value * LEAST_BINS.value:
        return Comparability(
            len(counts),
            why_not=f"the median node completed {counts.median():.0f} maps, and"
            f" {PER_BIN.value * LEAST_BINS.value:.0f} are needed",
        )
    at_s = done["finished_s"].astype(float)
    # The time in which maps were completed, without the pauses between jobs.
    seconds = _busy_s(at_s)
    bin_s = max(SHORTEST.value, PER_BIN.value * seconds / float(counts.median()))
    rates = _rates(((at_s - at_s.min()) // bin_s).to_numpy(), done["host"])
    if len(rates) < LEAST_BINS.value:
        return Comparability(
            len(counts),
            why_not=f"maps were completed in {len(rates)} stretches of {bin_s:.0f} s, and"
            f" {LEAST_BINS.value:.0f} are needed",
        )
    matrix = rates.corr().to_numpy(copy=True)
    # A node that completes the same in every bin has no correlation: it is not as the others.
    matrix = np.nan_to_num(matrix, nan=0.0)
    np.fill_diagonal(matrix, np.inf)
    least = matrix.min(axis=1)
    return Comparability(
        nodes=len(counts),
        correlated=int((least >= CORRELATED.value).sum()),
        least=float(np.median(least)),
        bins=len(rates),
        bin_s=bin_s,
    )


def _rates(bins: NDArray[np.floating], host: pd.Series[str]) -> pd.DataFrame:
    """How many are completed: a row a bin in which any is, a column a host."""
    occur, row = np.unique(bins, return_inverse=True)
    node, hosts = pd.factorize(host)
    counts = np.bincount(row * len(hosts) + node, minlength=len(occur) * len(hosts))
    return pd.DataFrame(counts.reshape(len(occur), len(hosts)))


def _busy_s(at_s: pd.Series[float]) -> float:
    """The time over which these moments are spread, without rare long pauses between them."""
    gaps = np.diff(np.sort(at_s.to_numpy()))
    shorter = np.sort(gaps)[: max(1, int(SHORTER.value * len(gaps)))]
    usual = LONG_PAUSE.value * float(np.mean(shorter))
    return float(np.minimum(gaps, max(usual, SHORTEST.value)).sum())
