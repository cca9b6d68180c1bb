"""Parts of the metrics, one after the other or at the same time, say what the whole table says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders.comparisons import assert_same
from builders.metric_nodes import Cluster, cpu_hog, disk_hog
from builders.metric_stores import late, metric_rows, store_of, without_a_metric_at_first
from builders.rows_in_memory import RowsInMemory

from mprof.peers.comparison import Comparison
from mprof.peers.detectors import bb_profile
from mprof.peers.detectors.bb_profile import compare_rows
from mprof.peers.profiles.profile_model import ProfileModel
from mprof.peers.profiles.training import train
from mprof.pieces import LocalEngine
from mprof.store import Rows


def compare(table: pd.DataFrame, model: ProfileModel) -> Comparison:
    return compare_rows(RowsInMemory(table), model, LocalEngine(1))


@pytest.fixture(scope="module")
def model() -> ProfileModel:
    return train([Cluster(nodes=6, seed=seed, seconds=900).table() for seed in (101, 102, 103)])


def _without_a_metric(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(iowait=np.nan)


@pytest.mark.parametrize("rows_at_once", [1, 2_000, 10**9])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    "change", [lambda table: table, late, without_a_metric_at_first, _without_a_metric]
)
def test_the_verdict_does_not_depend_on_how_rows_are_divided(
    rows_at_once: int,
    threads: int,
    change: Callable[[pd.DataFrame], pd.DataFrame],
    model: ProfileModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = Cluster(nodes=8, seconds=1200, faults={3: cpu_hog, 6: disk_hog}, fault_from_s=400)
    table = change(cluster.table())
    monkeypatch.setattr(bb_profile, "_ROWS_AT_ONCE", rows_at_once)

    whole = compare(table, model)
    found = compare_rows(
        metric_rows(store_of(tmp_path / "store", table)), model, LocalEngine(threads)
    )

    if change is _without_a_metric:
        assert "iowait" in (whole.withheld or "")
    else:
        assert ("node003", "node006") == tuple(sorted(whole.indicted))
        assert all(node.observations for node in whole.nodes if node.indicted)
    assert_same(whole, found)


def test_it_does_not_depend_on_the_files_either(model: ProfileModel, tmp_path: Path) -> None:
    table = Cluster(nodes=6, seconds=600, faults={3: cpu_hog}).table()
    by_host = store_of(tmp_path / "by-host", table)
    shuffled = store_of(tmp_path / "one", table.sample(frac=1, random_state=2), by_host=False)

    for store in (by_host, shuffled):
        assert_same(compare(table, model), compare_rows(metric_rows(store), model, LocalEngine()))


def test_no_more_than_a_part_is_in_memory_at_a_time(
    model: ProfileModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Three hours of six nodes, in files whose row groups are an hour.
    table = Cluster(nodes=6, seconds=3 * 3600, interval_s=4.0, faults={3: cpu_hog}).table()
    rows = metric_rows(store_of(tmp_path / "store", table))
    monkeypatch.setattr(bb_profile, "_ROWS_AT_ONCE", 900)
    read: list[int] = []
    of_rows = Rows.read

    def spied(self: Rows) -> pd.DataFrame:
        frame = of_rows(self)
        if len(self.columns) > 2:
            read.append(len(frame))
        return frame

    monkeypatch.setattr(Rows, "read", spied)
    found = compare_rows(rows, model, LocalEngine(1))

    assert found.indicted == ("node003",)
    assert max(read) <= max(group.rows for group in rows.groups)
    assert max(read) < len(table) / 3
