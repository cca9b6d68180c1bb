"""Scores of nodes: against brute force, and where a formula has no value."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mprof.peers.tables.job_scores import CHANCE, critical_robust_z, critical_z, score_nodes
from mprof.store import frame_of


def attempt(host: str, **what: Any) -> dict[str, Any]:
    """One that took ten seconds, read 100 bytes and wrote 50."""
    given_ = {"job": "job_1_0001", "kind": "map", "state": "succeeded", "started_s": 100.0,
              "finished_s": 110.0, "read_bytes": 100, "written_bytes": 50}  # fmt: skip
    return {**given_, "host": host, **what}


def scored(rows: list[dict[str, Any]]) -> pd.DataFrame:
    return score_nodes(frame_of("attempts", rows).to_pandas()).set_index("host")


def brute_force(rows: list[dict[str, Any]]) -> dict[tuple[str, str, str], dict[str, float]]:
    """The formulas of the paper with loops and the standard library."""
    cells: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for row in rows:
        cells.setdefault((row["job"], row["kind"], row["host"]), []).append(row)
    figures = {}
    for key, mine in cells.items():
        peers = [row for row in rows if (row["job"], row["kind"]) == key[:2]]
        failures = [r["finished_s"] - r["started_s"] for r in peers if r["state"] == "failed"]
        late = statistics.median(failures) if failures else math.nan
        states = [row["state"] for row in mine]
        survived = states.count("succeeded") + sum(
            row["state"] == "killed" and row["finished_s"] - row["started_s"] >= late
            for row in mine
        )
        counted = survived + states.count("failed")
        volumes = [row["read_bytes"] + row["written_bytes"] for row in mine
                   if row["read_bytes"] is not None]  # fmt: skip
        figures[key] = {
            "duration": statistics.fmean(r["finished_s"] - r["started_s"] for r in mine),
            "volume": float(sum(volumes)) if volumes else math.nan,
            "failures": states.count("failed") / counted if counted else math.nan,
        }
    scores: dict[tuple[str, str, str], dict[str, float]] = {}
    for key, mine_ in figures.items():
        z = {}
        for name, value in mine_.items():
            known = [
                other[name] for other_key, other in figures.items()
                if other_key[:2] == key[:2] and not math.isnan(other[name])
            ]  # fmt: skip
            alike = not known or max(known) - min(known) <= 1e-9 * max(map(abs, known))
            if math.isnan(value) or alike:
                z[name] = math.nan
            else:
                z[name] = (value - statistics.fmean(known)) / statistics.pstdev(known)
        factors = [abs(each) for each in z.values() if not math.isnan(each)]
        score = math.prod(factors) ** (1 / len(factors)) if factors else math.nan
        scores[key] = {**{f"z_{name}": each for name, each in z.items()}, "score": score}
    return scores


attempts = st.lists(
    st.builds(
        attempt,
        host=st.sampled_from([f"n{number}" for number in range(7)]),
        job=st.sampled_from(["job_1_0001", "job_1_0002"]),
        kind=st.sampled_from(["map", "reduce"]),
        state=st.sampled_from(["succeeded", "succeeded", "failed", "killed"]),
        finished_s=st.integers(101, 140).map(float),
        read_bytes=st.none() | st.integers(0, 1000),
    ),
    max_size=40,
)


@settings(max_examples=60, deadline=None)
@given(attempts)
def test_z_scores_and_their_geometric_mean_are_those_of_brute_force(
    rows: list[dict[str, Any]],
) -> None:
    for row in rows:
        row["written_bytes"] = 5 if row["read_bytes"] is not None else None
    expected = brute_force(rows)
    actual = score_nodes(frame_of("attempts", rows).to_pandas())

    assert len(expected) == len(actual)
    for row in actual.to_dict("records"):
        of_cell = expected[row["job"], row["kind"], row["host"]]
        for name in ("z_duration", "z_volume", "z_failures"):
            assert row[name] == pytest.approx(of_cell[name], abs=1e-9, nan_ok=True)
        if not math.isnan(of_cell["score"]):
            assert row["score"] == pytest.approx(of_cell["score"], abs=1e-9)


def test_counts_times_and_bytes_are_sums_over_the_attempts_of_a_node() -> None:
    rows = [
        attempt("a"),
        attempt("a", state="failed", started_s=110.0, finished_s=116.0),
        attempt("a", state="killed", started_s=116.0, finished_s=118.0, read_bytes=None),
        attempt("a", state="running", started_s=118.0, finished_s=None, read_bytes=None),
        attempt("b", kind="setup"),
    ]
    (row,) = score_nodes(frame_of("attempts", rows).to_pandas()).to_dict("records")

    assert [1, 1, 1, 1] == [row[each] for each in ("succeeded", "failed", "killed", "running")]
    assert (18.0, 6.0) == (row["seconds"], row["attempt_seconds"])
    assert (200.0, 200.0, 400.0) == (row["read_bytes"], row["written_bytes"], row["volume"])
    assert (0.5, 0.5) == (row["failure_ratio"], row["killed_ratio"])
    assert (100.0, 118.0) == (row["started_s"], row["finished_s"])


def test_without_failures_anywhere_the_root_is_taken_over_the_other_two_factors() -> None:
    rows = [attempt(f"n{i}", finished_s=110.0 + i, read_bytes=100 + i**2) for i in range(5)]
    nodes = scored(rows)

    assert nodes["z_failures"].isna().all()
    expected = (nodes["z_duration"].abs() * nodes["z_volume"].abs()) ** 0.5
    np.testing.assert_allclose(nodes["score"], expected)
    assert nodes.loc["n4", "score"] > 1


def test_a_node_without_peers_has_no_score() -> None:
    nodes = scored([attempt("alone"), attempt("alone", state="failed")])

    of_scores = ["z_duration", "z_volume", "z_failures", "robust_duration", "robust_volume",
                 "robust_failures", "score", "robust_score"]  # fmt: skip
    assert nodes.loc["alone", of_scores].isna().all()
    assert nodes.loc["alone", "nodes"] == 1


def test_nodes_that_are_alike_in_everything_score_nothing() -> None:
    thirds = [attempt(f"n{i}", finished_s=100.1 + i, started_s=100.0 + i) for i in range(3)]
    nodes = scored(thirds)  # durations that are equal but for rounding

    assert nodes["z_duration"].isna().all()
    assert (nodes["score"] == 0).all()


def test_what_no_attempt_tells_is_not_known_and_not_zero() -> None:
    failed = {"state": "failed", "read_bytes": None, "written_bytes": None}
    nodes = scored([attempt("a"), attempt("b", read_bytes=300), attempt("c", **failed)])

    assert math.isnan(nodes.loc["c", "volume"])
    assert math.isnan(nodes.loc["c", "z_volume"])
    assert nodes.loc["c", "score"] == pytest.approx(nodes.loc["c", "z_failures"])


def test_an_attempt_killed_before_failures_come_says_nothing_of_them() -> None:
    nodes = scored([
        attempt("a", state="failed", finished_s=120.0),
        attempt("b", state="killed", finished_s=105.0),
        attempt("c", state="killed", finished_s=150.0),
    ])  # fmt: skip

    assert nodes.loc["a", "failure_ratio"] == 1
    assert math.isnan(nodes.loc["b", "failure_ratio"])
    assert nodes.loc["c", "failure_ratio"] == 0


@pytest.mark.parametrize("nodes", [3, 4, 6, 10, 50])
def test_no_z_score_exceeds_the_root_of_one_less_than_the_nodes(nodes: int) -> None:
    rows = [attempt(f"n{i}", finished_s=110.0 + 1000 * (i == 0)) for i in range(nodes)]

    worst = scored(rows)["z_duration"].max()

    assert worst == pytest.approx(math.sqrt(nodes - 1))
    assert critical_z(nodes)[0] < worst  # the one that is off can be told, however few there are


def test_of_two_nodes_none_is_far() -> None:
    assert critical_z(2)[0] == math.inf
    assert critical_robust_z(2)[0] == math.inf


@pytest.mark.parametrize("nodes", [5, 8, 30, 200])
def test_nodes_that_are_alike_are_called_far_as_rarely_as_promised(nodes: int) -> None:
    rng = np.random.default_rng(nodes)
    clusters = 3000
    seconds = rng.lognormal(3, 0.3, (clusters, nodes))
    rows = pd.DataFrame({
        "job": np.repeat([f"job_1_{i:04d}" for i in range(clusters)], nodes),
        "host": np.tile([f"n{i:03d}" for i in range(nodes)], clusters),
        "kind": "map", "state": "succeeded", "started_s": 0.0, "finished_s": seconds.ravel(),
        "read_bytes": 1, "written_bytes": 1,
    })  # fmt: skip
    scores = score_nodes(rows)

    far = scores["robust_duration"].abs() > critical_robust_z(nodes)[0]
    rate = far.groupby(scores["job"]).any().mean()

    # Twice, for the approximation of the distribution of the median deviation.
    assert rate <= 2 * CHANCE.value + 3 * math.sqrt(CHANCE.value / clusters)


def test_several_bad_nodes_do_not_hide_each_other_from_the_robust_score() -> None:
    rows = [attempt(f"n{i:02d}", finished_s=110.0 + i % 3 + 300 * (i < 4)) for i in range(12)]
    nodes = scored(rows)

    assert (nodes["z_duration"] < critical_z(12)[0]).all()
    assert (nodes["robust_duration"][:4] > critical_robust_z(12)[0]).all()
    assert (nodes["robust_duration"][4:].abs() < critical_robust_z(12)[0]).all()


def test_one_failing_node_is_far_where_more_than_half_have_no_failures() -> None:
    rows = [attempt(f"n{i:02d}", state="failed" if i == 3 else "succeeded") for i in range(20)]
    nodes = scored(rows)

    assert nodes["robust_failures"].idxmax() == "n03"
    assert nodes.loc["n03", "robust_failures"] > critical_robust_z(20)[0]


def test_no_attempts_give_no_rows() -> None:
    assert score_nodes(frame_of("attempts", []).to_pandas()).empty
