"""Sets a detector's sensitivity by runs in which nothing was wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from mprof.errors import EvidenceError
from mprof.peers.comparison import Comparison
from mprof.threshold import Threshold, thresholds_moved

__all__ = ["Calibration", "calibrate"]

MOST_FALSE: Final = Threshold(
    "peers.most-false", 0.03, "share of the nodes of control runs",
    "Ganesha's and Blimey's: at most 3 % of the nodes of fault-free runs are indicted",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Calibration:
    """What control runs ask for.

    Attributes:
        thresholds: values by name, for `mprof.threshold.thresholds_moved`.
        rate: share of the nodes of the control runs that are indicted with them.
        held_out_rate: the same, where each run is judged by the value that the others ask for: what
            to expect of a new run. None with a single run.
        nodes: number of nodes that were judged, those of every run.
        withheld: number of control runs in which the verdict was withheld; they do not count.
    """

    thresholds: dict[str, float]
    rate: float
    held_out_rate: float | None
    nodes: int
    withheld: int


@dataclass(frozen=True, slots=True)
class _Counted:
    """Of one run with one value: nodes indicted and judged; none judged where it was withheld."""

    indicted: int
    judged: int


def calibrate(
    detector: Callable[[pd.DataFrame], Comparison],
    controls: Sequence[pd.DataFrame],
    *,
    threshold: Threshold,
    candidates: Sequence[float],
) -> Calibration:
    """The most sensitive value with which at most 3 % of the nodes of control runs are indicted.

    A run in which the verdict is withheld counts for nothing, so a value with which most of them
    are is not taken.

    Cost: each run is compared once for every candidate.

    Args:
        detector: from a table of metrics to a comparison.
        controls: tables of fault-free runs.
        threshold: the one to set; more of it indicts less.
        candidates: its values, from the most sensitive to the least.

    Raises:
        EvidenceError: if there is no control run, or no candidate is insensitive enough.
    """
    if not controls:
        raise EvidenceError(
            "there is no control run to calibrate with",
            next_step="collect metrics while nothing is wrong",
        )
    counted = [_count(detector, controls, threshold, value) for value in candidates]
    chosen = _chosen(counted, range(len(controls)))
    if chosen is None:
        raise EvidenceError(
            f"with every value of {threshold.name} more than {MOST_FALSE.value:.0%} of the nodes of"
            " the control runs are indicted, or most verdicts are withheld",
            next_step="see whether the nodes are of one kind and do the same work",
        )
    return Calibration(
        thresholds={threshold.name: float(candidates[chosen])},
        rate=_rate(counted[chosen]) or 0.0,
        held_out_rate=_held_out(counted),
        nodes=sum(run.judged for run in counted[chosen]),
        withheld=sum(run.judged == 0 for run in counted[chosen]),
    )


def _count(
    detector: Callable[[pd.DataFrame], Comparison],
    controls: Sequence[pd.DataFrame],
    threshold: Threshold,
    value: float,
) -> list[_Counted]:
    with thresholds_moved({threshold.name: value}):
        results = [detector(control) for control in controls]
    return [
        _Counted(
            indicted=len(result.indicted),
            judged=sum(node.indicted is not None for node in result.nodes),
        )
        for result in results
    ]


def _rate(runs: Sequence[_Counted]) -> float | None:
    judged = sum(run.judged for run in runs)
    return sum(run.indicted for run in runs) / judged if judged else None


def _chosen(counted: Sequence[Sequence[_Counted]], runs: Sequence[int]) -> int | None:
    """Number of the first candidate that these runs allow."""
    for number, results in enumerate(counted):
        chosen = [results[run] for run in runs]
        rate = _rate(chosen)
        silent = sum(run.judged == 0 for run in chosen)
        if rate is not None and rate <= MOST_FALSE.value and 2 * silent <= len(chosen):
            return number
    return None


def _held_out(counted: Sequence[Sequence[_Counted]]) -> float | None:
    """Each run with the value that all the others ask for; the last value where they have none."""
    count = len(counted[0])
    if count == 1:
        return None
    results = []
    for run in range(count):
        chosen = _chosen(counted, [other for other in range(count) if other != run])
        results.append(counted[-1 if chosen is None else chosen][run])
    return _rate(results)
