"""How far the clocks of nodes are apart, by what several of them saw at the same moment.

- DataNodes that write a block through a pipeline end with it at the same moment: in all recordings
  of the testbed the lines that their logs have of one block are within 10 ms of each other.
- Nodes of a cluster work in step, since jobs have phases: what a node does at a time by its clock,
  and its peers do at another time by theirs, shows how far the clocks are apart.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.signal import correlate
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from mprof.threshold import Threshold

__all__ = ["THRESHOLDS", "ahead_by_activity", "ahead_by_blocks", "apart_by_blocks"]

APART: Final = Threshold(
    "clocks.apart", 60, "s",
    "less than this no comparison minds: a window of metrics is two minutes long; nodes with NTP"
    " are less than a second apart",
)  # fmt: skip
FEWEST_BLOCKS: Final = Threshold(
    "clocks.fewest-blocks", 3, "blocks that two nodes wrote together",
    "the median of three is right even if one of them was written twice",
)  # fmt: skip
ALIKE: Final = Threshold(
    "clocks.alike", 0.5, "correlation with the peers at another time",
    "that of 132 nodes in controls of the testbed with their peers at the same time is 0.52 to"
    " 0.94",
    most=1.0,
)  # fmt: skip
MORE_ALIKE: Final = Threshold(
    "clocks.more-alike", 0.2, "correlation at another time, beyond that at the same time",
    "sick nodes of the testbed are most like their peers at the same time: of 534 nodes one, which"
    " was down, is as much more like them at another",
    most=1.0,
)  # fmt: skip

LEAST_OVERLAP: Final = Threshold(
    "clocks.least-overlap", 0.5, "share of the shorter series",
    "of less, two phases of a job are alike by chance",
    most=1.0,
)  # fmt: skip

THRESHOLDS: Final = (APART, FEWEST_BLOCKS, ALIKE, MORE_ALIKE, LEAST_OVERLAP)

ACTIVITY: Final = ("user", "ctxt", "eth_rxbyt", "eth_txbyt", "pgpgin", "bwrtn")
"""Metrics that tell what a node does: its processor, its network and its disk."""

_AT_ONCE: Final = 3  # blocks, by the median of which a clock is told
_BIN_S: Final = 5.0
_MOST_BINS: Final = 50_000  # three days

Figures = NDArray[np.float64]


def ahead_by_blocks(transfers: pd.DataFrame) -> pd.Series[float]:
    """By how many seconds the clock of its node was ahead of most at each transfer; behind is < 0.

    A clock may be set in between, so that each time is told by the blocks that lie next to it. It
    is 0 where the clock is that of most nodes; where no clock is, nothing is known: all are 0.

    Args:
        transfers: with ``host``, ``operation``, ``block``, ``started_s`` and ``seconds``.
    """
    ahead_s = pd.Series(0.0, index=transfers.index)
    pairs = _pairs(transfers)
    known = _of_pairs(pairs)
    hosts = _writers(transfers)
    agreed = _that_agree(hosts, known[known.abs() < APART.value].index)
    if 2 * len(agreed) <= len(hosts):
        return ahead_s
    told = pairs[pairs["host_of_other"].isin(agreed)].groupby("row")["apart_s"].median()
    for of_host in transfers.groupby("host").groups.values():
        # In the order of the log, which is that of time whatever the clock says.
        own = told.reindex(of_host)
        usual = own.dropna().rolling(_AT_ONCE, center=True, min_periods=1).median()
        is_off = usual.abs() >= APART.value
        if is_off.sum() >= FEWEST_BLOCKS.value:
            ahead_s[of_host] = usual.where(is_off, 0.0).reindex(of_host).ffill().bfill()
    return ahead_s


def apart_by_blocks(transfers: pd.DataFrame) -> dict[str, tuple[float, int]]:
    """Where no clock is that of most nodes: how far that of each is from others, and of how many.

    Args:
        transfers: as of `ahead_by_blocks`.

    Returns:
        By host, the median of the seconds by which its clock and those of others are apart, and
        how many these are; without hosts whose clock is apart from none. Nothing where one clock
        is that of most.
    """
    known, hosts = _of_pairs(_pairs(transfers)), _writers(transfers)
    agreed = _that_agree(hosts, known[known.abs() < APART.value].index)
    if 2 * len(agreed) > len(hosts):
        return {}
    apart = known.abs()[known.abs() >= APART.value].groupby(level=0)
    return {
        str(host): (float(seconds), int(count))
        for host, seconds, count in zip(
            apart.median().index, apart.median(), apart.size(), strict=True
        )
    }


def _written(transfers: pd.DataFrame) -> pd.DataFrame:
    """When each node had written each block."""
    ended_s = transfers["started_s"] + transfers["seconds"].fillna(0)
    wrote = transfers["operation"].astype(str).str.contains("WRITE", case=False)
    rows = transfers.loc[wrote, ["host", "block"]].assign(end_s=ended_s).dropna()
    return rows.rename_axis("row").reset_index().drop_duplicates(["block", "host"], keep="last")


def _writers(transfers: pd.DataFrame) -> list[str]:
    return sorted(set(_written(transfers)["host"]))


def _pairs(transfers: pd.DataFrame) -> pd.DataFrame:
    """Each block with two nodes that wrote it, and by how much the one ended later."""
    rows = _written(transfers)
    pairs = rows.merge(rows, on="block", suffixes=("", "_of_other"))
    pairs = pairs[pairs["host"] != pairs["host_of_other"]]
    return pairs.assign(apart_s=pairs["end_s"] - pairs["end_s_of_other"])


def _of_pairs(pairs: pd.DataFrame) -> pd.Series[float]:
    """By how much the clocks of two nodes are apart, of those that wrote some blocks together."""
    of_pair = pairs.groupby(["host", "host_of_other"])["apart_s"]
    return of_pair.median()[of_pair.size() >= FEWEST_BLOCKS.value]


def _that_agree(hosts: list[str], pairs: pd.Index) -> set[str]:
    """The largest group of hosts that are linked by pairs."""
    number = {host: at for at, host in enumerate(hosts)}
    one, other = ([number[pair[side]] for pair in pairs] for side in (0, 1))
    links = coo_array((np.ones(len(one), bool), (one, other)), shape=(len(hosts), len(hosts)))
    groups = connected_components(links, directed=False)[1]
    largest = np.bincount(groups).argmax() if hosts else 0
    return {host for host, group in zip(hosts, groups, strict=True) if group == largest}


def ahead_by_activity(metrics: pd.DataFrame, host: str) -> float | None:
    """By how many seconds the clock of a node is ahead of those of its peers; None for not.

    Cost: transforms of Fourier over the time of the samples, six metrics; three days at most.

    Args:
        metrics: samples of the node and some peers: ``host``, ``at_s`` and those of `ACTIVITY`.
        host: the node.
    """
    metrics = metrics[metrics["host"].notna() & np.isfinite(metrics["at_s"].astype(float))]
    at_s = metrics["at_s"]
    number = np.floor((at_s - at_s.min()) / _BIN_S)
    if not 0 < number.max() < _MOST_BINS:
        return None
    amounts = metrics[list(ACTIVITY)].clip(lower=0)
    levels = pd.DataFrame(np.log1p(amounts), columns=amounts.columns, index=amounts.index)
    bins = levels.groupby([metrics["host"].astype(str), number.astype(int)]).mean()
    every = range(int(number.max()) + 1)
    if host not in bins.index.get_level_values(0):
        return None
    own = bins.loc[host].reindex(every)
    peers = bins.drop(index=host, level=0).groupby(level=1).median().reindex(every)
    of_metrics = np.stack([_alike(own[one].to_numpy(), peers[one].to_numpy()) for one in ACTIVITY])
    known = ~np.isnan(of_metrics)
    told = np.maximum(known.sum(axis=0), 1)
    alike = np.where(known.any(axis=0), np.where(known, of_metrics, 0.0).sum(axis=0) / told, np.nan)
    if np.isnan(alike).all():
        return None
    best, same = int(np.nanargmax(alike)), len(every) - 1
    ahead_s = (best - same) * _BIN_S
    now = 0.0 if math.isnan(alike[same]) else float(alike[same])
    is_far = abs(ahead_s) >= APART.value and alike[best] >= ALIKE.value
    return ahead_s if is_far and alike[best] - now >= MORE_ALIKE.value else None


def _alike(own: Figures, peers: Figures) -> Figures:
    """Pearson's correlation at each lag, from all earlier to all later; NaN with little overlap."""
    has_own, has_peers = ~np.isnan(own), ~np.isnan(peers)
    a, b = _centred(own, has_own), _centred(peers, has_peers)
    count = np.rint(_at_lags(has_own.astype(float), has_peers.astype(float)))
    least = LEAST_OVERLAP.value * min(has_own.sum(), has_peers.sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        sums = [_at_lags(*each) for each in ((a * a, has_peers), (has_own, b * b), (a, has_peers),
                                             (has_own, b), (a, b))]  # fmt: skip
        squares_a, squares_b, sum_a, sum_b, both = sums
        spread = (squares_a - sum_a**2 / count) * (squares_b - sum_b**2 / count)
        found = (both - sum_a * sum_b / count) / np.sqrt(np.where(spread > 0, spread, np.nan))
    return np.where(count >= max(least, 2), found, np.nan)


def _centred(values: Figures, known: NDArray[np.bool_]) -> Figures:
    middle = values[known].mean() if known.any() else 0.0
    return np.where(known, values - middle, 0.0)


def _at_lags(own: NDArray[np.float64 | np.bool_], peers: NDArray[np.float64 | np.bool_]) -> Figures:
    return np.asarray(
        correlate(own.astype(float), peers.astype(float), mode="full", method="fft"),
        dtype=np.float64,
    )
