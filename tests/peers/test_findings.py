"""All evidence of a store, each kind compared for itself."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders.commands import mprof
from builders.metric_nodes import Cluster, cpu_hog
from builders.stores import add
from jsonschema import validate

from mprof.errors import EvidenceError
from mprof.peers.detectors.registry import detectors_named
from mprof.peers.findings import find_sick_nodes, look_at_nodes, suspects
from mprof.report.nodes import render_text
from mprof.store import Store

ROOT = Path(__file__).parents[2]
NODES = [f"node-{number:02d}" for number in range(12)]
SICK = "node-07"


def attempts(job: str, *, sick: str | None, seed: int = 1) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    rows = []
    for host in NODES:
        for number in range(8):
            start = 1.6e9 + 60 * number
            seconds = rng.uniform(20, 40) * (5 if host == sick else 1)
            rows.append(
                {
                    "job": job, "attempt": f"attempt_{job}_{host}_{number}", "kind": "map",
                    "host": host, "started_s": start, "finished_s": start + seconds,
                    "state": "succeeded",
                }
            )  # fmt: skip
    return rows


def writes(*, sick: str | None) -> list[dict[str, Any]]:
    rng = np.random.default_rng(3)
    rows = []
    for host in NODES:
        for seconds in rng.lognormal(0, 0.3, 20) * (5 if host == sick else 1):
            row = {"host": host, "operation": "HDFS_WRITE", "started_s": 1.6e9, "status": "ok"}
            rows.append({**row, "seconds": float(seconds)})
    # a client is slow at what no node does
    for client, slow in (("client-1", 1), ("client-2", 1), ("client-3", 1), ("client-4", 9)):
        for seconds in rng.lognormal(5, 0.3, 20) * slow:
            row = {"host": client, "operation": "put", "started_s": 1.6e9, "status": "ok"}
            rows.append({**row, "seconds": float(seconds)})
    return rows


@pytest.mark.parametrize(("days", "told"), [(0.1, False), (10.0, True)])
def test_a_sick_half_may_be_faults_of_different_times_where_the_time_is_long(
    tmp_path: Path, days: float, told: bool
) -> None:
    made = Store(tmp_path / "days")
    half = set(NODES[:6])
    rows = [
        {
            **row,
            "started_s": row["started_s"] + number % 20 / 19 * days * 86_400,
            "seconds": row["seconds"] * (9 if row["host"] in half else 1),
        }
        for number, row in enumerate(writes(sick=None))
        if row["host"] in NODES
    ]
    odd = {**rows[0], "started_s": 3.0}  # a clock that said 1970
    add(made, "log", {"transfers": [odd, *rows]})

    text = render_text(find_sick_nodes(made))

    assert "no healthy majority" in text
    days_told = [float(each) for each in re.findall(r"([\d.]+) days were compared at once", text)]
    assert bool(days_told) == told
    assert all(0.8 * days <= each <= days for each in days_told)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "store")
    add(made, "well", {"attempts": attempts("job_1", sick=None)})
    add(made, "sick", {"attempts": attempts("job_2", sick=SICK, seed=2)})
    add(made, "hdfs", {"transfers": writes(sick=SICK)})
    add(made, "list", {"nodes": [{"host": host, "known_from": "workers"} for host in NODES]})
    return made


def ran(*words: object) -> subprocess.CompletedProcess[str]:
    return mprof("nodes", *words)


def test_a_node_is_named_once_with_all_that_shows_it(store: Store) -> None:
    (found,) = suspects(look_at_nodes(store))

    assert found.host == SICK
    assert {look.evidence for look, _ in found.looks} == {
        "attempts of job_2", "completed attempts of 2 jobs", "HDFS_WRITE in hdfs.log",
    }  # fmt: skip
    assert found.compared == 7
    assert found.since_s == 1.6e9


def test_a_job_is_looked_at_alone_where_it_is_named(store: Store) -> None:
    assert suspects(look_at_nodes(store, job="job_1")) == ()
    assert [one.host for one in suspects(look_at_nodes(store, job="job_2"))] == [SICK]
    with pytest.raises(EvidenceError, match="no attempts of job_9"):
        look_at_nodes(store, job="job_9")


def test_clients_are_no_nodes_where_the_nodes_are_known(store: Store, tmp_path: Path) -> None:
    unknown = Store(tmp_path / "unknown")
    add(unknown, "hdfs", {"transfers": writes(sick=SICK)})

    assert "client-4" not in {one.host for one in suspects(look_at_nodes(store))}
    assert {one.host for one in suspects(look_at_nodes(unknown))} == {SICK, "client-4"}


def test_a_node_that_small_jobs_show_together_is_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    rows = []
    for job in range(30):  # of which none has five tasks on three nodes
        usual_s = rng.uniform(10, 100)
        for task in range(12):
            host = NODES[(task + job) % len(NODES)]
            seconds = usual_s * rng.lognormal(0, 0.3) * (2.5 if host == SICK else 1)
            start = 1.6e9 + 200 * job
            rows.append(
                {"job": f"job_{job}", "attempt": f"attempt_{job}_{task}", "kind": "map",
                 "host": host, "started_s": start, "finished_s": start + seconds,
                 "state": "succeeded"}
            )  # fmt: skip
    made = Store(tmp_path / "small")
    add(made, "history", {"attempts": rows})

    looks = look_at_nodes(made, detectors=detectors_named("wb-durations"))

    named = {look.evidence: look.comparison.indicted for look in looks if look.comparison.indicted}
    assert named == {"attempts of 30 jobs together": (SICK,)}


def test_what_is_no_node_of_the_list_is_not_compared_by_its_metrics(tmp_path: Path) -> None:
    nodes = Cluster(nodes=6, seconds=900).table()
    other = Cluster(nodes=1, seconds=900, faults={0: cpu_hog}, seed=2).table()
    rows = pd.concat([nodes, other.assign(host="database")])
    listed = [{"host": host} for host in sorted(set(nodes["host"]))]
    without, with_list = Store(tmp_path / "without"), Store(tmp_path / "with")
    add(without, "metrics", {"metrics": rows.to_dict("records")})
    add(with_list, "metrics", {"metrics": rows.to_dict("records"), "nodes": listed})

    (found,) = (
        look for look in find_sick_nodes(with_list).looks if look.comparison.detector == "bb-window"
    )

    assert [one.host for one in find_sick_nodes(without).suspects] == ["database"]
    assert found.comparison.indicted == ()
    told = {node.host: node.why_not for node in found.comparison.nodes}
    assert "no list of nodes has it" in str(told["database"])


def test_logs_of_one_node_each_are_compared_with_each_other(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    rows = [row for row in writes(sick=SICK) if row["host"] in NODES]
    for host in NODES:
        add(store, f"log-of-{host}", {"transfers": [row for row in rows if row["host"] == host]})

    (look,) = look_at_nodes(store)

    assert look.evidence == "HDFS_WRITE in tests"
    assert look.comparison.indicted == (SICK,)


def test_the_same_attempts_in_two_files_count_once(store: Store, tmp_path: Path) -> None:
    once = look_at_nodes(store, job="job_2")
    add(store, "again", {"attempts": attempts("job_2", sick=SICK, seed=2)})

    assert look_at_nodes(store, job="job_2") == once


def test_an_empty_store_has_no_nodes(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="has no node"):
        look_at_nodes(Store(tmp_path / "new"))


def test_the_command_names_the_node_since_when_and_why(store: Store) -> None:
    done = ran(store.folder)

    assert done.returncode == 0
    first, _, _, suspect, *reasons = done.stdout.splitlines()
    assert first == "1 of 12 nodes differs from the others."
    since = "since 2020-09-13 12:26:40 UTC"
    assert suspect == f"  {SICK}  sure, compute and storage side  {since}"
    assert any("wb-durations (attempts of job_2, " in line for line in reasons)
    assert "like its peers in 4 other comparisons" in done.stdout


def test_the_json_object_has_every_comparison(store: Store) -> None:
    value = json.loads(ran(store.folder, "--json").stdout)

    assert [one["host"] for one in value["suspects"]] == [SICK]
    assert {one["evidence"] for one in value["comparisons"]} == {
        "attempts of job_1", "attempts of job_2", "attempts of 2 jobs together",
        "completed attempts of 2 jobs",
        "ends of attempts of 2 jobs", "HDFS_WRITE in hdfs.log", "how nodes fared with 2 jobs",
    }  # fmt: skip
    assert all(len(one["nodes"]) == len(NODES) for one in value["comparisons"])


def test_the_json_object_is_as_its_schema_says(store: Store, tmp_path: Path) -> None:
    schema = json.loads((ROOT / "docs/reference/nodes.schema.json").read_text())
    listed = tmp_path / "workers"
    listed.write_text("node-99\n")
    add(store, "few", {"attempts": attempts("job_3", sick=None)[:3]})

    value = json.loads(ran(store.folder, "--hosts", listed, "--json").stdout)

    validate(value, schema)
    assert any(one["withheld"] for one in value["comparisons"])
    assert any(one["score"] is None for one in value["suspects"])


def test_nodes_that_should_be_there_come_from_a_file(store: Store, tmp_path: Path) -> None:
    listed = tmp_path / "workers"
    listed.write_text("node-99  # new\n")

    done = ran(store.folder, "--hosts", listed)

    assert "  node-99  possible, storage side  since 2020-09-13 12:26:40 UTC\n" in done.stdout
    assert "0 intervals, where its peers have 20 or more" in done.stdout


def test_a_folder_of_something_else_is_one_line(tmp_path: Path) -> None:
    done = ran(tmp_path)

    assert done.returncode == 3
    assert "is no folder of tables" in done.stderr
    assert len(done.stderr.splitlines()) <= 3
