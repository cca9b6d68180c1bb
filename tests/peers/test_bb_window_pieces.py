"""Stretches of windows, one after the other or at the same time, say what all windows say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from builders.metric_nodes import Cluster, cpu_hog, disk_hog
from builders.metric_stores import late, metric_rows, store_of, without_a_metric_at_first

from mprof.peers.comparison import Comparison
from mprof.peers.detectors import bb_window
from mprof.peers.detectors.bb_window import compare, compare_rows, looks
from mprof.peers.detectors.request import Asked
from mprof.pieces import LocalEngine
from mprof.store import Rows, Store
from mprof.threshold import thresholds_moved


@pytest.mark.parametrize("rows_at_once", [1, 2_000, 5_000, 10**9])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("change", [lambda table: table, late, without_a_metric_at_first])
def test_the_verdict_does_not_depend_on_how_windows_are_divided(
    rows_at_once: int,
    threads: int,
    change: Callable[[pd.DataFrame], pd.DataFrame],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = Cluster(nodes=8, seconds=1200, faults={3: cpu_hog, 6: disk_hog}, fault_from_s=400)
    table = change(cluster.table())
    for name in ("_MOST_ROWS", "_FEWEST_ROWS"):
        monkeypatch.setattr(bb_window, name, rows_at_once)

    whole = compare(table)
    found = compare_rows(metric_rows(store_of(tmp_path / "store", table)), LocalEngine(threads))

    gone = {"node002"} if change is late else set()
    assert {"node003", "node006"} | gone == set(whole.indicted)
    assert whole == found


def test_it_does_not_depend_on_the_files_either(tmp_path: Path) -> None:
    table = Cluster(nodes=6, seconds=600, faults={3: cpu_hog}).table()
    by_host = store_of(tmp_path / "by-host", table)
    shuffled = store_of(tmp_path / "one", table.sample(frac=1, random_state=2), by_host=False)

    assert compare(table) == compare_rows(metric_rows(by_host), LocalEngine())
    assert compare(table) == compare_rows(metric_rows(shuffled), LocalEngine())


def test_thresholds_that_were_moved_are_in_force_in_every_stretch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Cluster(nodes=6, seconds=900, faults={3: cpu_hog}).table()
    rows = metric_rows(store_of(tmp_path / "store", table))
    monkeypatch.setattr(bb_window, "_FEWEST_ROWS", 1)

    with thresholds_moved({"bb-window.alarm-above": 0.3}):
        assert compare(table) == compare_rows(rows, LocalEngine(2))
    with thresholds_moved({"bb-window.alarm-above": 1.0}):
        assert () == compare_rows(rows, LocalEngine(2)).indicted


def test_no_stretch_reads_much_more_than_its_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two hours of six nodes, in files whose row groups are an hour.
    table = Cluster(nodes=6, seconds=7200).table()
    rows = metric_rows(store_of(tmp_path / "store", table))
    monkeypatch.setattr(bb_window, "_FEWEST_ROWS", 1)
    monkeypatch.setattr(bb_window, "_MOST_ROWS", 3600)
    read: list[int] = []
    of_rows = Rows.read

    def spied(self: Rows) -> pd.DataFrame:
        frame = of_rows(self)
        if len(self.columns) > 2:
            read.append(len(frame))
        return frame

    monkeypatch.setattr(Rows, "read", spied)
    found = compare_rows(rows, LocalEngine(1))

    assert 8 <= len(read)
    # As many rows as were asked for, half as many again since the first and last hour of three are
    # not full, and those of the last window that reach beyond.
    assert max(read) <= 1.5 * 3600 + 6 * 125
    assert found.windows > 200


def test_a_clock_that_was_years_off_makes_no_stretches_of_those_years(tmp_path: Path) -> None:
    table = late(Cluster(nodes=5, seconds=900).table())
    rows = metric_rows(store_of(tmp_path / "store", table))
    survey = bb_window.survey_of(table)
    plan = bb_window._plan(survey, 0)

    assert len(bb_window._stretches(survey, plan, rows)) < 10


@pytest.mark.parametrize("nodes", [1, 2])
def test_too_few_nodes_are_withheld_from_a_store_too(nodes: int, tmp_path: Path) -> None:
    store = store_of(tmp_path / "store", Cluster(nodes=nodes, seconds=300).table())
    (look,) = looks(Asked(store))

    assert f"{nodes} of the 3 nodes" in str(look.comparison.withheld)


def test_a_store_without_metrics_is_not_looked_at(tmp_path: Path) -> None:
    assert [] == list(looks(Asked(Store(tmp_path / "store"))))


def test_one_sample_of_each_node_is_withheld(tmp_path: Path) -> None:
    table = Cluster(nodes=4, seconds=300).table().groupby("host").head(1)
    found: Comparison = compare_rows(
        metric_rows(store_of(tmp_path / "store", table)), LocalEngine()
    )

    assert "no metric was collected more than once" == found.withheld
