"""The correlation of what nodes complete, against a count by hand and SciPy's Pearson."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from builders.working_nodes import WorkingCluster
from scipy.stats import pearsonr

from mprof.peers.verdict.comparability import SHARE_IN_ABORTED, SHARE_IN_SUCCESSFUL, comparability

NODES = [f"node-{number}" for number in range(5)]


def maps(counts: dict[str, list[int]], *, bin_s: float = 100.0) -> pd.DataFrame:
    """So many maps of each node in each bin, the first at its very beginning."""
    rows = [
        {"kind": "map", "state": "succeeded", "host": host,
         "finished_s": 1e9 + bin_s * place + bin_s * number / count * 0.99}
        for host, every in counts.items()
        for place, count in enumerate(every)
        for number in range(count)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def work(rng: np.random.Generator, *, alike: bool) -> dict[str, list[int]]:
    common = rng.integers(4, 40, 30)
    return {
        host: (common + rng.integers(-2, 3, 30) if alike else rng.integers(4, 40, 30)).tolist()
        for host in NODES
    }


def test_nodes_that_work_in_step_are_all_comparable() -> None:
    found = comparability(maps(work(np.random.default_rng(1), alike=True)))

    assert (found.nodes, found.correlated, found.share) == (5, 5, 1.0)
    assert found.least > 0.9


def test_nodes_that_each_do_something_else_are_not() -> None:
    found = comparability(maps(work(np.random.default_rng(2), alike=False)))

    assert found.correlated == 0
    assert found.least < 0.3


@pytest.mark.parametrize("seed", range(4))
def test_the_share_is_that_of_every_two_nodes_by_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = work(rng, alike=True) | {NODES[0]: rng.integers(4, 40, 30).tolist()}
    rows = maps(counts)
    found = comparability(rows)

    at_s = rows["finished_s"].to_numpy()
    edges = at_s.min() + found.bin_s * np.arange(found.bins + 1)
    binned = {
        host: np.histogram(rows.loc[rows["host"] == host, "finished_s"], edges)[0] for host in NODES
    }
    least = dict.fromkeys(NODES, 1.0)
    for one, other in combinations(NODES, 2):
        value = pearsonr(binned[one], binned[other]).statistic
        least = least | {each: min(least[each], value) for each in (one, other)}

    assert found.correlated == sum(value >= 0.6 for value in least.values())
    assert found.least == pytest.approx(float(np.median(list(least.values()))))


def test_the_pause_between_two_jobs_makes_nobody_alike() -> None:
    rng = np.random.default_rng(3)
    first, second = maps(work(rng, alike=False)), maps(work(rng, alike=False))
    second["finished_s"] += 1e6

    found = comparability(pd.concat([first, second]))

    assert found.correlated == 0


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (maps({"only": [20] * 10}), "maps were completed on 1 node only"),
        (maps({"a": [3] * 10, "b": [3] * 10}), "the median node completed 30 maps"),
        (maps({"a": [200], "b": [200]}), None),
        (
            pd.DataFrame(columns=["kind", "state", "host", "finished_s"]),
            "maps were completed on no node",
        ),
    ],
)
def test_what_cannot_be_told_is_not_called_comparable(rows: pd.DataFrame, why: str | None) -> None:
    found = comparability(rows)

    if why is not None:
        assert found.correlated is None
        assert why in str(found.why_not)
        assert math.isnan(found.share)


def test_nodes_that_share_jobs_are_comparable_and_those_with_jobs_of_their_own_are_not() -> None:
    def jobs(*, shared: bool) -> pd.DataFrame:
        parts = []
        begin = 1.6e9
        for seed in range(8):
            one = WorkingCluster(seed=seed, maps=300 + 200 * (seed % 3))
            rows = one.attempts()
            rows[["started_s", "finished_s"]] += begin - 1.6e9
            begin = float(rows["finished_s"].max()) + 200
            if not shared:
                half = rows["host"].isin([f"node{number:03d}" for number in range(5)])
                rows = rows[half == bool(seed % 2)]
            parts.append(rows)
        return pd.concat(parts)

    assert comparability(jobs(shared=True)).share >= SHARE_IN_SUCCESSFUL.value
    assert comparability(jobs(shared=False)).share <= SHARE_IN_ABORTED.value
