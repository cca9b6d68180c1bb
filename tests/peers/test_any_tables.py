"""Whatever stands in the tables, nodes are compared, or it is said in one line why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders.stores import store_of
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import validate

from mprof.errors import EvidenceError
from mprof.metrics import METRIC_NAMES
from mprof.peers.findings import find_sick_nodes
from mprof.peers.live import Live
from mprof.report.nodes import render_json, render_text
from mprof.store import Scope
from mprof.threshold import thresholds_moved

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/reference/nodes.schema.json").read_text(encoding="utf-8")
)
BEGIN_S = 1.6e9

HOSTS = st.none() | st.sampled_from(["a", "b", "c", "d", "A.example.org", "10.0.0.1", ""])
# Clocks that jump, times that lack, in seconds since the begin or the epoch, and no times at all.
TIMES = (
    st.none()
    | st.integers(0, 3000).map(lambda each: BEGIN_S + each)
    | st.sampled_from([0.0, -1.0, 1e12, 4e18, float("nan"), float("inf"), -float("inf")])
)
FIGURES = st.none() | st.floats(0, 1e6) | st.sampled_from([0.0, -5.0, 1e300, float("inf")])
STATES = st.none() | st.sampled_from(["succeeded", "failed", "killed", "running", "odd"])
JOBS = st.none() | st.sampled_from(["job_1_1", "job_1_2"])
ATTEMPTS = st.fixed_dictionaries(
    {
        "job": JOBS, "attempt": st.none() | st.integers(0, 60).map(str), "host": HOSTS,
        "kind": st.none() | st.sampled_from(["map", "reduce", "setup", "odd"]),
        "rack": st.none() | st.sampled_from(["r1", "r2"]), "state": STATES,
        "started_s": TIMES, "shuffled_s": TIMES, "sorted_s": TIMES, "finished_s": TIMES,
    }
)  # fmt: skip
TRANSFERS = st.fixed_dictionaries(
    {
        "host": HOSTS, "peer": HOSTS, "started_s": TIMES, "seconds": FIGURES,
        "operation": st.none() | st.sampled_from(["HDFS_WRITE", "HDFS_READ", "writeBlock"]),
        "block": st.none() | st.sampled_from(["blk_1", "blk_2"]),
        "attempt": st.none() | st.integers(0, 60).map(str),
        "status": st.none() | st.sampled_from(["ok", "-", "failed"]),
    }
)  # fmt: skip
HEARTBEATS = st.fixed_dictionaries(
    {
        "host": HOSTS, "at_s": TIMES, "round_trip_s": FIGURES,
        "kind": st.none() | st.sampled_from(["sendHeartbeat", "nodeHeartbeat at the master"]),
    }
)  # fmt: skip
METRICS = st.fixed_dictionaries(
    {"host": HOSTS, "at_s": TIMES, **dict.fromkeys(METRIC_NAMES[:3], FIGURES)}
)
NODES = st.fixed_dictionaries({"host": HOSTS, "rack": st.none() | st.sampled_from(["r1", "r2"])})
HARDWARE = st.fixed_dictionaries(
    {"host": HOSTS, "what": st.none() | st.sampled_from(["processors", "memory"]),
     "amount": FIGURES}
)  # fmt: skip
TABLES = st.fixed_dictionaries(
    {
        "attempts": st.lists(ATTEMPTS, max_size=40), "transfers": st.lists(TRANSFERS, max_size=40),
        "heartbeats": st.lists(HEARTBEATS, max_size=40), "metrics": st.lists(METRICS, max_size=40),
        "nodes": st.lists(NODES, max_size=5), "hardware": st.lists(HARDWARE, max_size=8),
        "jobs": st.lists(
            st.fixed_dictionaries({"job": JOBS, "state": STATES, "finished_s": TIMES}), max_size=3
        ),
    }
)  # fmt: skip
LISTED = st.none() | st.dictionaries(st.sampled_from("abcd"), st.sampled_from("xy"), max_size=4)


@settings(max_examples=20, deadline=None)
@given(
    tables=TABLES, times=st.tuples(TIMES, TIMES), islands=LISTED,
    job=st.none() | st.sampled_from(["job_1_1", "job_1_9"]),
)  # fmt: skip
def test_nodes_are_compared_or_one_line_says_why_not(
    tables: dict[str, list[dict[str, Any]]],
    times: tuple[float | None, float | None],
    islands: dict[str, str] | None,
    job: str | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    store = store_of(tmp_path_factory.mktemp("any") / "store", **tables)

    try:
        found = find_sick_nodes(store, job=job, scope=Scope(*times), islands=islands)
    except EvidenceError as error:
        found, said = None, error
    if found is None:
        assert said.next_step
        assert "\n" not in str(said)
        return

    validate(json.loads(render_json(found)), SCHEMA)
    assert render_text(found)
    for look in found.looks:
        assert (
            (look.comparison.withheld is None)
            or not look.comparison.indicted
            or any(
                each.unit == "at least"
                for node in look.comparison.nodes
                if node.indicted
                for each in node.observations
            )
        )  # of a verdict that is withheld only silence is said


@settings(max_examples=8, deadline=None)
@given(tables=TABLES)
def test_a_store_of_anything_is_followed(
    tables: dict[str, list[dict[str, Any]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    live = Live(store_of(tmp_path_factory.mktemp("any") / "store", **tables))

    # Years that a clock has made are left out; more stretches of them would only take time.
    with thresholds_moved({"live.most-at-once": 2}):
        changes = [*live.advance(), *live.advance()]

    assert {change.what for change in changes} <= {"appears", "changes"}


@pytest.mark.parametrize("count", [1, 2])
def test_one_node_or_two_are_compared_with_nobody(count: int, tmp_path: Path) -> None:
    hosts = ["a", "b"][:count]
    attempts = [
        {"job": "job_1", "attempt": f"{host}-{number}", "kind": "map", "host": host,
         "started_s": BEGIN_S + 60 * number, "state": "succeeded",
         "finished_s": BEGIN_S + 60 * number + (300 if host == "a" else 30)}
        for host in hosts for number in range(20)
    ]  # fmt: skip
    metrics = [
        {"host": host, "at_s": BEGIN_S + second, "user": 90.0 if host == "a" else 5.0}
        for host in hosts for second in range(900)
    ]  # fmt: skip

    found = find_sick_nodes(store_of(tmp_path, attempts=attempts, metrics=metrics))

    assert found.suspects == ()
    assert all(look.comparison.withheld is not None for look in found.looks)
