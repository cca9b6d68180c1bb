"""How each node fared with each job, against the other nodes of that job: Theia, section 3.1.

Maps and reduces are compared apart. What the paper leaves open, and how it is filled here:

- *Duration* is the mean time of an attempt on the node. The sum would not tell: in a job of several
  waves all nodes are busy throughout, and a slow one just does less.
- *Failure ratio* is failed / (failed + survived). The paper's failed / succeeded gives the same
  order of nodes, but has no value where nothing succeeded: in a job that one task has failed, all
  other attempts are killed. A killed attempt has survived if it ran for as long as the median
  failed attempt of the job.
- *A factor that is alike everywhere* (no failures, the usual case) has no standard deviation. It is
  left out of the geometric mean, and the root taken over the factors that are left.
- *Few nodes*: of ``n`` values, none is further than ``sqrt(n - 1)`` population standard deviations
  from their mean (Samuelson), 1.4 for three nodes. What is far depends on ``n``: `critical_z`.
- *Several bad nodes* hide each other by widening the standard deviation: beside each z-score stands
  a robust one, of median and median absolute deviation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import t as student

from mprof.threshold import Threshold

if TYPE_CHECKING:
    from pandas.core.groupby import SeriesGroupBy

__all__ = [
    "CHANCE",
    "LEAST_RATIO",
    "SCORE_COLUMNS",
    "critical_robust_z",
    "critical_z",
    "far_above",
    "score_nodes",
]

CHANCE: Final = Threshold(
    "wb-jobs.chance", 0.01, "chance that a node is called far where all are alike",
    "a month of a thousand jobs then has ten such nodes: few enough to look at, and a single one"
    " is never a verdict on a machine",
    most=1.0,
)  # fmt: skip

LEAST_RATIO: Final = Threshold(
    "wb-jobs.least-ratio", 1.5, "times the median of the nodes",
    "the owner of a job notices half as much again; a statistic alone would call a second in a"
    " minute far if all the others are equal",
)  # fmt: skip

SCORE_COLUMNS: Final = (
    "job", "kind", "host", "nodes", "succeeded", "failed", "killed", "running", "survived",
    "started_s", "finished_s", "seconds", "attempt_seconds", "read_bytes", "written_bytes",
    "volume", "failure_ratio", "killed_ratio", "z_duration", "z_volume", "z_failures",
    "robust_duration", "robust_volume", "robust_failures", "score", "robust_score",
)  # fmt: skip
"""Of `score_nodes`."""

_CELL: Final = ["job", "kind", "host"]
_JOB: Final = ["job", "kind"]
_STATES: Final = ("succeeded", "failed", "killed", "running")
_ALIKE: Final = 1e-9  # of the larger value: what rounding makes of equal ones
_SHORTEST_S: Final = 1e-3  # clocks of job histories have milliseconds

# Of a normal distribution: what makes the median, and the mean, of the absolute deviations an
# estimate of its standard deviation (Iglewicz and Hoaglin, How to Detect and Handle Outliers).
_OF_MEDIAN_DEVIATION: Final = 1.4826
_OF_MEAN_DEVIATION: Final = 1.2533
# How many values the median absolute deviation makes use of: its efficiency is 37 %.
_EFFICIENCY: Final = 0.37


def score_nodes(attempts: pd.DataFrame) -> pd.DataFrame:
    """A row for each job, kind of task and host that ran any of it.

    Cost: 2 s for a million attempts.

    Args:
        attempts: with the columns ``job``, ``kind``, ``host``, ``state``, ``started_s``,
            ``finished_s``, ``read_bytes`` and ``written_bytes`` of the store's table; other kinds
            than ``map`` and ``reduce`` are left out. Each attempt once.

    Returns:
        The columns `SCORE_COLUMNS`, in order of job, kind and host. ``nodes``: hosts of that job
        and kind. ``seconds``: sum over the attempts that ended; ``attempt_seconds``: their mean.
        ``survived``: attempts that succeeded, or were killed later than the median attempt failed.
        ``volume``: bytes read and written. ``failure_ratio``: share of failed attempts among these
        and those that survived, ``killed_ratio``: of killed ones among these and those that
        succeeded. ``z_*``: population z-scores over
        the nodes of the job. ``robust_*``: distances from the median in robust standard deviations,
        of the binary logarithms of durations and volumes, of failure ratios as they are. ``score``:
        geometric mean of the absolute z-scores (``robust_score`` of the robust ones), 0 where
        everything that is known is alike on all nodes. NaN is not known: a volume of which no
        attempt tells, a z-score where all values are alike, any score of a node without peers.
    """
    rows = attempts[attempts["kind"].isin(("map", "reduce")) & attempts["host"].notna()]
    cells = _summed(rows)
    # A number: cells are grouped a dozen times, and texts would be compared each time.
    of_job = cells.groupby(_JOB, sort=False).ngroup()
    cells["nodes"] = of_job.groupby(of_job, sort=False).transform("size")
    measured = {
        "duration": (cells["attempt_seconds"], np.log2(cells["attempt_seconds"].clip(_SHORTEST_S))),
        "volume": (cells["volume"], np.log2(1 + cells["volume"])),
        "failures": (cells["failure_ratio"], cells["failure_ratio"]),
    }
    for name, (plain, of_robust) in measured.items():
        cells[f"z_{name}"] = _z_scores(plain, of_job)
        cells[f"robust_{name}"] = _robust_z_scores(of_robust, of_job)
    compared = _any_compared([plain for plain, _ in measured.values()], of_job)
    for score, prefix in (("score", "z"), ("robust_score", "robust")):
        factors = cells[[f"{prefix}_{name}" for name in measured]].to_numpy()
        cells[score] = _geometric_mean(factors, compared)
    return cells[list(SCORE_COLUMNS)].reset_index(drop=True)


def critical_z(nodes: ArrayLike) -> NDArray[np.float64]:
    """The |z| that the most distant of ``nodes`` like values passes with the chance `CHANCE`.

    Grubbs's two-sided test for one outlier (NIST/SEMATECH e-Handbook, 1.3.5.17.1), for the
    population standard deviation. Infinite below three nodes: of two, both are as far.
    """

    def critical(m: NDArray[np.float64]) -> NDArray[np.float64]:
        quantile = student.isf(CHANCE.value / (2 * m), m - 2)
        of_grubbs: NDArray[np.float64] = np.sqrt(m - 1) * quantile / np.sqrt(m - 2 + quantile**2)
        return of_grubbs

    return _from_three_up(nodes, critical)


def critical_robust_z(nodes: ArrayLike) -> NDArray[np.float64]:
    """The same for a robust z-score.

    The median absolute deviation of ``n`` values is as uncertain as a standard deviation of 37 % of
    them: the score is nearly distributed as Student's t with that many degrees of freedom.
    """

    def critical(m: NDArray[np.float64]) -> NDArray[np.float64]:
        quantiles: NDArray[np.float64] = student.isf(CHANCE.value / (2 * m), _EFFICIENCY * (m - 1))
        return quantiles

    return _from_three_up(nodes, critical)


def _from_three_up(
    nodes: ArrayLike, critical: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """What is critical for each number of nodes, computed once for each that occurs."""
    numbers, where = np.unique(np.atleast_1d(np.asarray(nodes)), return_inverse=True)
    numbers = numbers.astype(np.float64)
    of_numbers = np.full(numbers.shape, np.inf)
    enough = numbers >= 3
    of_numbers[enough] = critical(numbers[enough])
    return of_numbers[where]


def far_above(scores: pd.DataFrame, what: str) -> pd.Series[bool]:
    """Where a node is far above its peers in ``duration``, ``volume`` or ``failures``.

    By the z-score, which sees one node among few, or by the robust one, which sees several.
    """
    nodes = scores["nodes"]
    far: pd.Series[bool] = (scores[f"z_{what}"] > critical_z(nodes)) | (
        scores[f"robust_{what}"] > critical_robust_z(nodes)
    )
    return far


def _summed(rows: pd.DataFrame) -> pd.DataFrame:
    """Counts, times and bytes of each job, kind and host."""
    seconds = (rows["finished_s"] - rows["started_s"]).clip(lower=0)
    failed = seconds.where(rows["state"] == "failed")
    usual = failed.groupby([rows[name] for name in _JOB]).transform("median")
    late = (rows["state"] == "killed") & (seconds >= usual)
    counted = rows[_CELL].assign(
        survived=(rows["state"] == "succeeded") | late,
        **{state: rows["state"] == state for state in _STATES},
        started_s=rows["started_s"],
        finished_s=rows["finished_s"],
        seconds=seconds,
        attempt_seconds=seconds,
        read_bytes=rows["read_bytes"].astype("float64"),
        written_bytes=rows["written_bytes"].astype("float64"),
        volume=rows["read_bytes"]
        .astype("float64")
        .add(rows["written_bytes"].astype("float64"), fill_value=0),
    )
    groups = counted.groupby(_CELL, sort=True)
    cells = groups[[*_STATES, "survived"]].sum()
    cells["started_s"] = groups["started_s"].min()
    cells["finished_s"] = groups["finished_s"].max()
    cells["attempt_seconds"] = groups["attempt_seconds"].mean()
    sums = ["seconds", "read_bytes", "written_bytes", "volume"]
    cells[sums] = groups[sums].sum(min_count=1)
    cells["failure_ratio"] = cells["failed"] / (cells["failed"] + cells["survived"])
    cells["killed_ratio"] = cells["killed"] / (cells["killed"] + cells["succeeded"])
    return cells.reset_index()


def _z_scores(values: pd.Series[float], of_job: pd.Series[int]) -> pd.Series[float]:
    groups = values.groupby(of_job, sort=False)
    deviation = groups.transform("std", ddof=0)
    return ((values - groups.transform("mean")) / deviation).where(_varies(groups))


def _robust_z_scores(values: pd.Series[float], of_job: pd.Series[int]) -> pd.Series[float]:
    distance = values - values.groupby(of_job, sort=False).transform("median")
    distances = distance.abs().groupby(of_job, sort=False)
    scale = _OF_MEDIAN_DEVIATION * distances.transform("median")
    # More than half of the values alike: what the others are off by, spread over all.
    mean = _OF_MEAN_DEVIATION * distances.transform("mean")
    least = _ALIKE * values.abs().groupby(of_job, sort=False).transform("max")
    scale = scale.where(scale > least, mean)
    return (distance / scale).where(_varies(values.groupby(of_job, sort=False)))


def _varies(groups: SeriesGroupBy[float, Any]) -> pd.Series[bool]:
    """Where the values of a job are not all alike; false where there is no second one."""
    most, least = groups.transform("max"), groups.transform("min")
    larger = np.maximum(most.abs(), least.abs())
    varies: pd.Series[bool] = (most - least) > _ALIKE * larger
    return varies


def _any_compared(values: list[pd.Series[float]], of_job: pd.Series[int]) -> NDArray[np.bool_]:
    """Whether a node and one of its peers have a known value in common."""
    compared = np.zeros(len(of_job), dtype=bool)
    for each in values:
        compared |= each.notna() & (each.groupby(of_job, sort=False).transform("count") > 1)
    return compared


def _geometric_mean(
    factors: NDArray[np.float64], compared: NDArray[np.bool_]
) -> NDArray[np.float64]:
    known = ~np.isnan(factors)
    number = known.sum(axis=1)
    product = np.where(known, np.abs(factors), 1.0).prod(axis=1)
    mean = product ** (1 / np.maximum(number, 1))
    return np.where(number > 0, mean, np.where(compared, 0.0, np.nan))
