"""Each job and attempt is in the tables once, by the row that tells the most of it."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from builders.stores import add

from mprof.peers.findings import find_sick_nodes
from mprof.store import Scope, ScopedStore, SourceNote, Store, frame_of

ATTEMPT = "attempt_1_0001_m_000001_0"
RUNNING: dict[str, Any] = {
    "job": "job_1_0001", "attempt": ATTEMPT, "kind": "map", "host": "n1", "started_s": 10.0,
    "state": "running",
}  # fmt: skip
SUCCEEDED = {**RUNNING, "state": "succeeded", "finished_s": 20.0}
WITH_COUNTERS = {**SUCCEEDED, "counters": "{}", "slices_ms": [1.0, 2.0]}
ITS_NODE_WAS_LOST = {**SUCCEEDED, "state": "failed", "finished_s": 90.0, "error": "fetch failures"}


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        ((RUNNING, SUCCEEDED), SUCCEEDED),
        ((SUCCEEDED, WITH_COUNTERS, RUNNING), WITH_COUNTERS),
        ((WITH_COUNTERS, ITS_NODE_WAS_LOST, RUNNING), ITS_NODE_WAS_LOST),
        ((SUCCEEDED, SUCCEEDED, SUCCEEDED), SUCCEEDED),
    ],
)
def test_the_row_that_tells_the_most_is_kept_whatever_the_order(
    tmp_path: Path, told: tuple[dict[str, Any], ...], kept: dict[str, Any]
) -> None:
    for number, order in enumerate(permutations(told)):
        store = Store(tmp_path / f"{number}")
        for name, row in zip("abc", order, strict=False):
            add(store, name, {"attempts": [row]})

        (row,) = store.read("attempts", columns=list(kept)).to_dict("records")
        rows = store.rows("attempts", columns=["state", "host"], by="job")

        assert kept == {name: _plain(value) for name, value in row.items()}
        assert [(kept["state"], "n1")] == [*rows.read().itertuples(index=False, name=None)]
        assert ["n1"] == [*rows.among(["job_1_0001"]).read()["host"]]


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def test_rows_that_differ_in_one_value_alone_are_chosen_by_their_values(tmp_path: Path) -> None:
    pairs = [
        ("host", "n1", "n2"), ("slices_ms", [1.0, 2.0], [1.0, 3.0]), ("read_bytes", 1, 2),
        ("error", "a", "b"), ("kind", "map", "reduce"),
    ]  # fmt: skip
    for name, one, other in pairs:
        kept = []
        for order in ((one, other), (other, one)):
            store = Store(tmp_path / f"{name}-{order.index(one)}")
            add(store, "a", {"attempts": [{**SUCCEEDED, name: order[0]}]})
            add(store, "b", {"attempts": [{**SUCCEEDED, name: order[1]}]})
            kept.append([_plain(value) for value in store.read("attempts")[name]])
        assert kept[0] == kept[1], name


def test_a_row_that_does_not_count_is_out_of_every_scope(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    add(store, "a", {"attempts": [{**RUNNING, "host": "n2"}]})
    add(store, "b", {"attempts": [SUCCEEDED]})

    after = ScopedStore(store, Scope(since_s=50.0))
    elsewhere = ScopedStore(store, Scope(hosts=frozenset({"n2"})))

    for part in (after, elsewhere):
        assert part.read("attempts").empty
        assert part.rows("attempts", columns=["job"], by="job").read().empty


def test_a_table_without_a_key_and_jobs_with_other_names_keep_all_rows(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    beat = {"host": "n1", "at_s": 1.0, "kind": "nodeHeartbeat", "round_trip_s": 0.1}
    add(store, "a", {"heartbeats": [beat, beat], "jobs": [{"job": "j"}, {"job": "i"}]})
    add(store, "b", {"heartbeats": [beat]})

    assert 3 == len(store.read("heartbeats"))
    assert ["j", "i"] == [*store.read("jobs")["job"]]


def test_what_a_new_source_tells_of_a_known_attempt_counts_at_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    add(store, "b", {"attempts": [RUNNING]})
    assert ["running"] == [*store.read("attempts")["state"]]

    add(store, "a", {"attempts": [SUCCEEDED]})
    assert ["succeeded"] == [*store.read("attempts")["state"]]

    store.drop("a")
    assert ["running"] == [*store.read("attempts")["state"]]


def test_the_histories_of_a_job_are_all_files_that_tell_of_it(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    for name, kind, job, exists in (
        ("whole", "job history", "j", True), ("cut", "job history", "j", True),
        ("gone", "job history", "j", False), ("trace", "Rumen trace", "j", True),
        ("other", "job history", "i", True),
    ):  # fmt: skip
        if exists:
            (tmp_path / name).write_text("")
        with store.writing(name) as writer:
            writer.write("jobs", frame_of("jobs", [{"job": job, "finished_s": 1.0}]))
            writer.finish(SourceNote(name, str(tmp_path / name), kind, 1, writer.rows, 0, None))

    assert (tmp_path / "cut", tmp_path / "whole") == store.job_histories(["j"])


@pytest.mark.parametrize("names", [("a-cut", "b-whole"), ("b-cut", "a-whole")])
def test_a_history_that_was_cut_indicts_nobody_beside_the_whole_one(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    def attempt(node: int, number: int) -> dict[str, Any]:
        start_s = 1.7e9 + 40.0 * number + node
        return {
            "job": "job_1_0001", "attempt": f"attempt_1_0001_m_{5 * number + node:06d}_0",
            "kind": "map", "host": f"n{node}", "started_s": start_s,
            "finished_s": start_s + 30.0 + (7 * number + 3 * node) % 5, "state": "succeeded",
        }  # fmt: skip

    whole = [attempt(node, number) for number in range(40) for node in range(5)]
    cut = [
        {**attempt(1, number), "finished_s": None, "state": "running"} for number in (10, 11, 12)
    ]
    alone, both = Store(tmp_path / "alone"), Store(tmp_path / "both")
    add(alone, "whole", {"attempts": whole})
    for name, rows in zip(names, (cut, whole), strict=True):
        add(both, name, {"attempts": rows})

    assert () == find_sick_nodes(alone).suspects
    assert () == find_sick_nodes(both).suspects


def test_rows_without_any_key_are_no_rows(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    add(store, "a", {"attempts": [{**RUNNING, "attempt": None}]})

    assert store.read("attempts").empty
