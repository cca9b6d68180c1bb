"""Answers of a HistoryServer and a ResourceManager, of both Hadoop lines; and servers that fail.

The answers are those of Hadoop 3.4.3 to `tests/hadoop/test_rest.py`, fewer of them; Hadoop 2.10
writes them as its pages "MapReduce History Server REST API's" and "ResourceManager REST API's" say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from builders.hadoop_rest import node, replaying, resources

from mprof.errors import EvidenceError, UsageError
from mprof.peers.verdict.reported import reported_nodes
from mprof.sources import import_files
from mprof.sources.feeds import HistoryFeed, ResourceManagerFeed, taken_in
from mprof.sources.history_server import HISTORY_SERVER, jobs_of_history_server
from mprof.sources.resource_manager import RESOURCE_MANAGER, answers_of_resource_manager
from mprof.sources.server import Server
from mprof.store import Store

JOB = "job_1795506508590_0013"
MAP, REDUCE = "task_1795506508590_0013_m_000000", "task_1795506508590_0013_r_000000"
GROUP = "org.apache.hadoop.mapreduce.FileSystemCounter"
JOBS = "/ws/v1/history/mapreduce/jobs"
END_MS = 1795508442924

ABOUT = {"submitTime": 1795508235696, "startTime": 1795508241673, "finishTime": END_MS, "id": JOB,
         "name": "PigLatin:pig", "queue": "root.default", "user": "mprof", "state": "SUCCEEDED",
         "mapsTotal": 1, "mapsCompleted": 1, "reducesTotal": 1, "reducesCompleted": 1}  # fmt: skip
TASKS = [
    {"startTime": 1795508244120, "finishTime": 1795508433073, "id": MAP, "state": "SUCCEEDED",
     "type": "MAP", "successfulAttempt": f"{MAP.replace('task', 'attempt')}_1"},
    {"startTime": 1795508384994, "finishTime": 1795508416783, "id": REDUCE, "state": "SUCCEEDED",
     "type": "REDUCE", "successfulAttempt": f"{REDUCE.replace('task', 'attempt')}_0"},
]  # fmt: skip
ATTEMPTS: dict[str, list[dict[str, Any]]] = {
    MAP: [
        {"startTime": 1795508414098, "finishTime": 1795508433073, "progress": 100.0,
         "id": f"{MAP.replace('task', 'attempt')}_1", "rack": "/default-rack", "status": "map",
         "state": "SUCCEEDED", "nodeHttpAddress": "n6:8042", "diagnostics": "", "type": "MAP"},
        {"startTime": 1795508244120, "finishTime": 1795508263699, "progress": 100.0,
         "id": f"{MAP.replace('task', 'attempt')}_0", "rack": "/default-rack", "status": "map",
         "state": "FAILED", "nodeHttpAddress": "n1:8042", "diagnostics": "Too many fetch failures.",
         "type": "MAP"},
    ],
    REDUCE: [
        {"startTime": 1795508384994, "finishTime": 1795508416783, "progress": 100.0,
         "id": f"{REDUCE.replace('task', 'attempt')}_0", "rack": "/default-rack",
         "state": "SUCCEEDED", "nodeHttpAddress": "n3:8042", "type": "REDUCE",
         "shuffleFinishTime": 1795508414249, "mergeFinishTime": 1795508414743},
    ],
}  # fmt: skip
READ = {f"{MAP.replace('task', 'attempt')}_1": 770170, f"{REDUCE.replace('task', 'attempt')}_0": 7}


def history(line: int) -> dict[str, Any]:
    """Every path of a HistoryServer of that Hadoop line, and its answer."""
    answers: dict[str, Any] = {
        JOBS: {"jobs": {"job": [ABOUT]}},
        f"{JOBS}/{JOB}": {"job": {**ABOUT, "uberized": False, "diagnostics": ""}},
        f"{JOBS}/{JOB}/tasks": {"tasks": {"task": TASKS}},
    }
    for task, attempts in ATTEMPTS.items():
        told = [
            each if line == 3 else {
                **{name: value for name, value in each.items() if name != "status"},
                "type": "reduceTaskAttemptInfo" if each["type"] == "REDUCE" else "MAP",
            }
            for each in attempts
        ]  # fmt: skip
        answers[f"{JOBS}/{JOB}/tasks/{task}/attempts"] = {"taskAttempts": {"taskAttempt": told}}
        for each in attempts:
            count = READ.get(each["id"])
            counters = [{"name": "FILE_BYTES_READ", "value": count}]
            groups = [{"counterGroupName": GROUP, "counter": counters}] if count else None
            answers[f"{JOBS}/{JOB}/tasks/{task}/attempts/{each['id']}/counters"] = {
                "jobTaskAttemptCounters": {"id": each["id"], "taskAttemptCounterGroup": groups}
            }
    return answers


@pytest.fixture
def server() -> Iterator[Any]:
    with replaying() as made:
        yield made


def histories(server: Any, folder: Path, **more: Any) -> list[Path]:
    of = Server.at(HISTORY_SERVER, server.url, {})
    return list(jobs_of_history_server(of, since_s=0, until_s=2e9, folder=folder, **more))


def rows(paths: list[Path], folder: Path, table: str) -> list[dict[str, Any]]:
    store = Store(folder / "store")
    assert ["imported"] * len(paths) == [one.outcome for one in import_files(paths, store)]
    read = store.read(table).drop(columns="source").astype(object)
    return [
        {str(name): value for name, value in row.items() if value is not None and value == value}
        for row in read.where(read.notna(), None).to_dict("records")
    ]


@pytest.mark.parametrize("line", [2, 3])
def test_attempts_of_both_lines_become_rows(server: Any, tmp_path: Path, line: int) -> None:
    server.answers = history(line)
    attempts = rows(histories(server, tmp_path), tmp_path, "attempts")
    of_map = {"job": JOB, "kind": "map", "rack": "default-rack"}

    assert [
        {**of_map, "attempt": "attempt_1795506508590_0013_m_000000_0", "host": "n1",
         "started_s": 1795508244.12, "finished_s": 1795508263.699, "state": "failed",
         "error": "Too many fetch failures."},
        {**of_map, "attempt": "attempt_1795506508590_0013_m_000000_1", "host": "n6",
         "started_s": 1795508414.098, "finished_s": 1795508433.073, "state": "succeeded",
         "read_bytes": 770170, "counters": json.dumps({GROUP: {"FILE_BYTES_READ": 770170}})},
        {**of_map, "kind": "reduce", "attempt": "attempt_1795506508590_0013_r_000000_0",
         "host": "n3", "started_s": 1795508384.994, "shuffled_s": 1795508414.249,
         "sorted_s": 1795508414.743, "finished_s": 1795508416.783, "state": "succeeded",
         "read_bytes": 7, "counters": json.dumps({GROUP: {"FILE_BYTES_READ": 7}})},
    ] == attempts  # fmt: skip


@pytest.mark.parametrize("empty", [None, {}])
def test_a_time_without_jobs_gives_none(server: Any, tmp_path: Path, empty: Any) -> None:
    server.answers = {JOBS: {"jobs": empty}}

    assert [] == histories(server, tmp_path)


def test_a_job_that_cannot_be_had_costs_no_other(server: Any, tmp_path: Path) -> None:
    server.answers = history(3)
    other = {**ABOUT, "id": "job_1_0001", "finishTime": END_MS - 1}
    hostile = {**ABOUT, "id": "../../etc/passwd"}
    server.answers[JOBS] = {"jobs": {"job": [ABOUT, hostile, other, {"id": 7}]}}
    told: list[str] = []

    paths = histories(server, tmp_path, told=told.append)
    assert [f"{JOB}.rest.json"] == [path.name for path in paths]
    assert 1 == len(told)
    assert told[0].startswith("job_1_0001 is left out: ")
    assert "refuses (404)" in told[0]
    assert not [path for path in server.asked if "passwd" in path]


def test_a_job_is_asked_for_once(server: Any, tmp_path: Path) -> None:
    server.answers = history(3)
    feed = HistoryFeed(Server.at(HISTORY_SERVER, server.url, {}))
    again = HistoryFeed(Server.at(HISTORY_SERVER, server.url, {}))  # after a restart
    store, counts = tmp_path / "store", []
    for each, until_s in ((feed, 1795508500.0), (feed, 1795508530.0), (again, 1795508530.0)):
        before = len(server.asked)
        imported = list(taken_in([each], store, since_s=1795500000.0, until_s=until_s,
                                 told=pytest.fail))  # fmt: skip
        counts.append((len(imported), len(server.asked) - before))

    assert [(1, 8), (0, 1), (0, 1)] == counts
    begins = [parse_qs(urlsplit(path).query)["finishedTimeBegin"][0] for path in server.asked
              if "finishedTimeBegin" in path]  # fmt: skip
    assert ["1795500000000", "1795507900000", "1795500000000"] == begins


@pytest.mark.parametrize("line", [2, 3])
def test_nodes_of_both_lines_become_rows(server: Any, tmp_path: Path, line: int) -> None:
    nodes = [
        node("n1", "RUNNING"), node("n2", "LOST", usedMemoryMB=0, availMemoryMB=0),
        node("n3", "UNHEALTHY", healthReport="1/1 local-dirs are bad: /data"),
        node("n4", "DECOMMISSIONED"),
        node("n5", "LOST", port=1, lastHealthUpdate=1795890000000), node("n5", "RUNNING", port=2),
    ]  # fmt: skip
    server.answers = resources(nodes, line=line)
    of = Server.at(RESOURCE_MANAGER, server.url, {})
    path = tmp_path / "nodes.rest.json"
    path.write_bytes(answers_of_resource_manager(of, since_s=0.0, until_s=2e9, now_s=1795890240.5))
    states = rows([path], tmp_path, "node_states")
    store = Store.at(tmp_path / "store")

    assert {"host": "n3", "at_s": 1795890240.5, "state": "UNHEALTHY", "heard_s": 1795890237.073,
            "report": "1/1 local-dirs are bad: /data", "containers": 3} in states  # fmt: skip
    assert {"n1": "RUNNING", "n2": "LOST", "n3": "UNHEALTHY", "n4": "DECOMMISSIONED",
            "n5": "RUNNING"} == {one["host"]: one["state"] for one in states}  # fmt: skip
    assert ["n1", "n2", "n3", "n5"] == sorted(store.read("nodes")["host"])
    room = store.read("hardware").query("host == 'n1'")
    assert {8192 * 2**20, 8} == set(room["amount"])
    assert [("job_1_0007", "running")] == store.read("jobs")[["job", "state"]].apply(
        tuple, axis=1
    ).tolist()  # fmt: skip
    found = {one.host: (one.state, one.since_s, one.is_taken_out) for one in reported_nodes(store)}
    assert {"n2": ("LOST", 1795890237.073, False), "n3": ("UNHEALTHY", 1795890240.5, False),
            "n4": ("DECOMMISSIONED", 1795890240.5, True)} == found  # fmt: skip


def test_nodes_are_noted_when_something_has_become_of_one(server: Any, tmp_path: Path) -> None:
    feed = ResourceManagerFeed(Server.at(RESOURCE_MANAGER, server.url, {}))
    counts = []
    for at_s, state in ((0, "RUNNING"), (30, "RUNNING"), (60, "LOST"), (90, "LOST"), (700, "LOST")):
        heard_ms = 1795890237073 + 1000 * at_s
        server.answers = resources([node("n1", state, lastHealthUpdate=heard_ms)])
        taken = taken_in(
            [feed], tmp_path / "store", since_s=0.0, until_s=1795890240.0 + at_s, told=pytest.fail
        )
        counts.append(len(list(taken)))

    assert [1, 0, 1, 0, 1] == counts


NEGOTIATE = (401, b"", {"WWW-Authenticate": "Negotiate"})


@pytest.mark.parametrize(
    ("faults", "said", "next_step"),
    [
        ([NEGOTIATE], "asks for a login with Kerberos", "mprof import them"),
        ([(401, b"", {})], r"asks for a login \(401\)", "MPROF_HADOOP_HEADER"),
        ([(307, b"", {"Location": "http://other:1/"})], r"sends elsewhere \(307\)", "name the"),
        ([(200, b"<html>", {})], "its answer is none of a MapReduce HistoryServer", "address"),
        ([(200, b'{"apps": {}}', {})], "its answer is none of a MapReduce", "address"),
        ([(200, b'{"jobs":' + b"[" * 100_000, {})], "its answer is none of a MapReduce", "addr"),
        ([(503, b"", {})] * 3, r"refuses \(503\)", "log"),
    ],
)
def test_each_fault_is_one_error(
    server: Any, tmp_path: Path, faults: list[Any], said: str, next_step: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("mprof.sources.server.time.sleep", lambda _: None)
    server.answers, server.faults = history(3), list(faults)

    with pytest.raises(EvidenceError, match=said) as raised:
        histories(server, tmp_path)
    assert next_step in raised.value.next_step
    assert "\n" not in raised.value.what
    server.faults = []
    assert 1 == len(histories(server, tmp_path))


def test_what_is_over_in_a_moment_is_asked_again(
    server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("mprof.sources.server.time.sleep", pauses.append)
    server.answers, server.faults = history(3), [(503, b"", {}), (502, b"", {})]

    assert 1 == len(histories(server, tmp_path))
    assert [0.5, 2.0] == pauses


def test_the_resource_manager_that_stands_by_is_said_to(server: Any) -> None:
    text = b"This is standby RM. The redirect url is: http://other:8088/ws/v1/cluster/nodes\n"
    server.faults = [(200, text, {})]

    with pytest.raises(EvidenceError, match="it is the ResourceManager that stands by"):
        answers_of_resource_manager(
            Server.at(RESOURCE_MANAGER, server.url, {}), since_s=0.0, until_s=1.0, now_s=1.0
        )


def test_the_user_of_simple_authentication_is_sent_with_each_question(
    server: Any, tmp_path: Path
) -> None:
    server.answers = history(3)
    url = f"{server.url}/?user.name=hdfs"
    known = Server.at(HISTORY_SERVER, url, {})

    assert 1 == len(list(jobs_of_history_server(known, since_s=0, until_s=2e9, folder=tmp_path)))
    assert {"hdfs"} == {parse_qs(urlsplit(path).query)["user.name"][0] for path in server.asked}
    with pytest.raises(UsageError, match="no address of a MapReduce HistoryServer"):
        Server.at(HISTORY_SERVER, f"{server.url}/?limit=1", {})


def test_answers_that_are_damaged_cost_only_themselves(tmp_path: Path) -> None:
    whole = [history(3)[path] for path in history(3) if path != JOBS]
    lines = [json.dumps(each) for each in whole]
    lines.insert(2, json.dumps({"taskAttempts": {"taskAttempt": [7, {"id": []}, {"id": "x" * 9}]}}))
    lines.insert(4, '{"tasks": {"task": "none"}}')
    path = tmp_path / "answers.json"
    path.write_text("\n".join(lines))
    store = Store(tmp_path / "store")
    (imported,) = import_files([path], store)

    assert ("imported", "HistoryServer answers", 1) == (
        imported.outcome, imported.kind, imported.unread,
    )  # fmt: skip
    assert 3 == len(store.read("attempts"))
