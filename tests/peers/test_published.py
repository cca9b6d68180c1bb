"""The detectors of the papers, against the same written once more from the papers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from oracles import published_detectors as oracle

from mprof.peers.profiles.labelled import Labelled
from mprof.peers.profiles.profile_model import ProfileModel, labels
from mprof.peers.published import blimey_bb, blimey_hb, blimey_wb, ganesha, kahuna_bb, kahuna_wb
from mprof.peers.published.verdicts import majority_levels
from mprof.threshold import thresholds_moved

PROFILES = 4


def _labelled(seed: int, *, nodes: int = 7, moments: int = 250) -> Labelled:
    """Nodes that change their profiles together, and one that does so less and less."""
    rng = np.random.default_rng(seed)
    usual = rng.integers(PROFILES, size=moments // 20 + 1).repeat(20)[:moments]
    label = np.where(
        rng.random((moments, nodes)) < 0.7, usual[:, None],
        rng.integers(PROFILES, size=(moments, nodes)),
    ).astype(np.int8)  # fmt: skip
    other = rng.random(moments) < np.linspace(0, 0.9, moments)
    label[other, 2] = 3
    label[rng.random((moments, nodes)) < 0.02] = -1
    hosts = tuple(f"n{node}" for node in range(nodes))
    return Labelled(hosts, 1.0, 1e9 + np.arange(moments, dtype=float), label, ())


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("threshold", [0.2, 0.35, 0.5])
def test_ganesha_and_kahuna_indict_whom_the_papers_indict(seed: int, threshold: float) -> None:
    labelled = _labelled(seed)
    decay, moved = 0.5 ** (1 / 60), {
        "ganesha.half-life": 60, "ganesha.above": threshold, "kahuna-bb.half-life": 60,
        "kahuna-bb.above": threshold, "ganesha.alarm-half-life": 30, "ganesha.indicted-above": 20,
    }  # fmt: skip

    with thresholds_moved(moved):
        counted = ganesha.compare_labels(labelled, PROFILES - 1)
        once = kahuna_bb.compare_labels(labelled, PROFILES)

    def expected(**alarms: float) -> set[str]:
        found = oracle.indicted_by_profiles(
            labelled.label, decay=decay, warm_up=60, threshold=threshold, **alarms
        )
        return {f"n{node}" for node in found}

    assert expected() == set(once.indicted)
    assert expected(alarm_decay=0.5 ** (1 / 30), count_above=20) == set(counted.indicted)


def test_the_thresholds_of_the_last_test_tell_nodes_apart() -> None:
    with thresholds_moved({"ganesha.half-life": 60, "ganesha.above": 0.3}):
        assert ("n2",) == ganesha.compare_labels(_labelled(0), PROFILES - 1).indicted


@pytest.mark.parametrize("nodes", range(2, 9))
def test_a_majority_is_more_than_half_of_the_others(nodes: int) -> None:
    rng = np.random.default_rng(nodes)
    distances = rng.uniform(0, 1, (nodes, nodes))
    distances = distances + distances.T
    levels = majority_levels(distances)

    for node, level in enumerate(levels):
        others = np.delete(distances[node], node)
        for threshold in (level - 1e-9, level + 1e-9):
            # Ganesha, section 4.1, for n nodes
            expected = (others > threshold).sum() > (nodes - 1) / 2
            assert expected == (threshold < level)


def test_a_vector_has_the_label_of_the_best_gaussian_or_of_none() -> None:
    rng = np.random.default_rng(3)
    means = rng.normal(0, 3, (3, 2))
    covariances = np.array([np.eye(2), [[2, 0.5], [0.5, 1]], 0.3 * np.eye(2)])
    cuts = (4.0, 6.0, 3.0)
    model = ProfileModel(
        1, ("user", "ldavg_1"), (0.0, 0.0), (0.0, 0.0), (1.0, 1.0), tuple(map(tuple, means)),
        tuple(tuple(map(tuple, each)) for each in covariances), cuts, 100,
    )  # fmt: skip
    vectors = rng.normal(0, 4, (300, 2)).astype(np.float32)

    assert oracle.labels(vectors, means, covariances, cuts) == labels(model, vectors).tolist()
    assert (
        oracle.labels(vectors, means, covariances, None)
        == labels(kahuna_bb.without_unknown(model), vectors).tolist()
    )
    assert 0 < labels(model, vectors).tolist().count(3) < 300


def _durations(seed: int, *, slow: float = 2.5) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = 360
    host = rng.integers(6, size=rows)
    seconds = rng.lognormal(3, 0.3, rows) * np.where(host == 4, slow, 1.0)
    return pd.DataFrame(
        {"host": [f"n{one}" for one in host], "ended_s": 1e9 + rng.uniform(0, 7000, rows),
         "seconds": seconds}
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("threshold", [0.2, 0.4, 0.6, 0.8])
def test_kahuna_indicts_by_durations_whom_the_paper_indicts(seed: int, threshold: float) -> None:
    durations = _durations(seed)
    with thresholds_moved({"kahuna-wb.map-above": threshold}):
        found = kahuna_wb.compare_state(durations, "map")

    rows = list(durations.itertuples(index=False, name=None))
    expected = oracle.indicted_by_durations(rows, period_s=3600, threshold=threshold)

    assert expected == set(found.indicted)
    assert "n4" == found.nodes[0].host


def test_the_density_of_a_node_is_compared_with_the_sum_of_all() -> None:
    rng = np.random.default_rng(5)
    of_nodes = [rng.lognormal(3, 0.3, 12) * times for times in (1, 1, 1, 2)]
    # All end in one window, so that each node has one level.
    durations = pd.DataFrame(
        {"host": np.repeat(["a", "b", "c", "d"], 12), "ended_s": 1e9 + np.tile(np.arange(12.0), 4),
         "seconds": np.concatenate(of_nodes)}
    )  # fmt: skip
    every = np.concatenate(of_nodes)
    low, high = np.quantile(every, (0.25, 0.75))
    width_s = 0.9 * min(every.std(), (high - low) / 1.34) * 12**-0.2
    with thresholds_moved({"blimey-wb.indicted-above": 0.5}):
        found = blimey_wb.compare_state(durations, "map")

    expected = oracle.density_distances(of_nodes, width_s)
    level = {node.host: node.observations[0].own for node in found.nodes}
    assert expected == pytest.approx([level[host] for host in "abcd"], abs=0.005)


def test_a_density_that_differs_once_indicts_nobody_and_one_that_goes_on_does() -> None:
    rng = np.random.default_rng(6)
    times = np.tile(np.arange(0, 1200, 10.0), 5)
    host = np.repeat(np.arange(5), 120)
    seconds = rng.lognormal(3, 0.2, len(times))
    once, always = seconds.copy(), seconds.copy()
    once[(host == 1) & (times >= 300) & (times < 320)] *= 5
    always[(host == 1) & (times >= 300)] *= 3

    def indicted(durations: np.ndarray) -> tuple[str, ...]:
        frame = pd.DataFrame(
            {"host": [f"n{one}" for one in host], "ended_s": times, "seconds": durations}
        )
        with thresholds_moved({"blimey-wb.map-above": 0.45}):
            return blimey_wb.compare_state(frame, "map").indicted

    assert () == indicted(once)
    assert ("n1",) == indicted(always)


def test_the_last_vectors_of_a_node_are_compared_with_a_draw_from_its_peers() -> None:
    rng = np.random.default_rng(7)
    values = rng.normal(0, 1, (300, 5, 3)).astype(np.float32)
    values[150:, 3, 1] += 1.5
    found = blimey_bb.levels_of(values, first=40).reset_index(drop=True)

    drawn = np.empty_like(values)
    for place in range(300):
        random = np.random.default_rng(40 + place)
        other = random.integers(4, size=5)
        for node in range(5):
            drawn[place, node] = values[place, other[node] + (other[node] >= node)]
    assert {tick % 10 for tick in found["tick"]} == {9}
    for row in found.itertuples():
        last = row.tick - 40 + 1
        own, peers = (each[last - 120 : last, row.node] for each in (values, drawn))
        assert oracle.furthest_metric(own, peers) == pytest.approx(row.level)
    assert 3 == found.loc[found["level"].idxmax(), "node"]
    assert 19 * 5 == len(found)


def test_the_draw_does_not_depend_on_where_a_stretch_begins() -> None:
    values = np.random.default_rng(8).normal(0, 1, (400, 4, 2)).astype(np.float32)
    whole = blimey_bb.levels_of(values, first=-17)
    part = blimey_bb.levels_of(values[130:], first=113)

    both = whole.merge(part, on=["tick", "node"])
    assert len(part) == len(both) > 40
    assert both["level_x"].tolist() == both["level_y"].tolist()


def _beats(seed: int, *, slow: float = 0.0, drift: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    parts = []
    for node in range(5):
        at_s = 1e9 + np.arange(0, 300, 1.0) + rng.uniform(0, 0.3)
        delay = rng.gamma(2, 0.002, len(at_s)) + drift * (node - 2) * (at_s - 1e9) + 0.4 * node
        if node == 1 and slow:
            delay += np.where(rng.random(len(at_s)) < 0.3, slow, 0)
        parts.append(pd.DataFrame({"host": f"n{node}", "at_s": at_s, "round_trip_s": delay}))
    return pd.concat(parts)


def test_the_rate_of_each_node_is_compared_with_the_median() -> None:
    beats = _beats(1)
    beats = beats[~((beats["host"] == "n3") & (beats["at_s"] > 1e9 + 150))]
    found = blimey_hb.compare_rates(beats)

    first = beats["at_s"].min()
    moments = [first + (step + 0.5) * 10 for step in range(30)]
    by_host = {host: rows["at_s"].tolist() for host, rows in beats.groupby("host")}
    rates = np.array(
        [
            [oracle.rate(by_host[host], moment, 10.0) for host in sorted(by_host)]
            for moment in moments
        ]
    )
    expected = np.abs(rates - np.median(rates, axis=1)[:, None]).mean(axis=0)
    level = {node.host: node.observations[0].own for node in found.nodes}
    assert expected == pytest.approx([level[host] for host in sorted(by_host)], abs=1e-5)
    assert ("n3",) == found.indicted


def test_clocks_that_differ_and_drift_are_no_delay() -> None:
    apart = blimey_hb.compare_delays(_beats(2, drift=1e-3))
    sick = blimey_hb.compare_delays(_beats(2, drift=1e-3, slow=1.5))

    assert () == apart.indicted
    assert max(node.observations[0].own for node in apart.nodes) < 0.01
    assert ("n1",) == sick.indicted


def test_what_is_left_is_what_a_local_line_leaves() -> None:
    rng = np.random.default_rng(9)
    at_s = np.sort(rng.uniform(0, 600, 200))
    delay_s = 0.1 + 0.002 * at_s + rng.gamma(2, 0.01, 200)
    with thresholds_moved({"blimey-hb.reach": 120}):
        found = blimey_hb.residuals(at_s, delay_s)

    share = 120 / (at_s[-1] - at_s[0])
    expected = oracle.loess_residuals(at_s, delay_s, int(share * 200 + 1e-10))
    assert expected == pytest.approx(found, abs=2e-3)
    assert np.corrcoef(expected, found)[0, 1] > 0.999
