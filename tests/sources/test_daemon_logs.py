"""Logs of DataNodes and NodeManagers, in the layouts and versions that are in use."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from builders.sources_read import read_source
from hypothesis import given, settings
from hypothesis import strategies as st

DATE = "2014-08-20 12:34:56,789"
AT_S = datetime.fromisoformat("2014-08-20T12:34:56.789+00:00").timestamp()
TRACE = f"{DATE} INFO org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace: "
ATTEMPT = "attempt_1408000000000_0007_m_000012_0"
BLOCK = "blk_1073741962_1138"


def _write(
    *,
    volume: str = "",
    label: str = "duration(ns)",
    pool: str = "BP-1-10.0.0.9-1:",
    ns: str = "250000000",
) -> str:
    return (
        f"src: /10.0.0.7:40312, dest: /10.0.0.8:50010, {volume}bytes: 134217728, op: HDFS_WRITE, "
        f"cliID: DFSClient_{ATTEMPT}_-93112_1, offset: 0, srvID: 6d4c7d1e-4f8a, "
        f"blockid: {pool}{BLOCK}, {label}: {ns}"
    )  # fmt: skip


def _log(folder: Path, *lines: str, name: str = "hadoop-hdfs-datanode-n8.example.org.log") -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_a_write_of_0_20_has_neither_offset_nor_duration(tmp_path: Path) -> None:
    told = _write(pool="").replace("offset: 0, ", "").split(", duration")[0]

    _, tables, losses = read_source(_log(tmp_path, TRACE + told))
    (row,) = tables["transfers"]

    assert (0, 134_217_728, BLOCK) == (losses.count, row["bytes"], row["block"])
    assert pytest.approx(AT_S, abs=1e-6) == row["started_s"]


@pytest.mark.parametrize("date", ["2014-08-20T12:34:56.789Z", "2014-08-20 12:34:56.789123Z"])
def test_a_time_may_say_that_it_is_of_utc(tmp_path: Path, date: str) -> None:
    line = (TRACE + _write()).replace(DATE, date)

    _, tables, losses = read_source(_log(tmp_path, line))

    assert (0, pytest.approx(AT_S - 0.25, abs=1e-3)) == (
        losses.count,
        tables["transfers"][0]["started_s"],
    )


@pytest.mark.parametrize(
    "words",
    [
        "is running beyond physical memory limits. Current usage: 1.1 GB of 1 GB",
        "is running 53747712B beyond the 'PHYSICAL' memory limit. Current usage: 1.1 GB of 1 GB",
        None,
    ],
)
def test_a_container_that_was_killed_for_its_memory_is_told_from_others(
    tmp_path: Path, words: str | None
) -> None:
    name = "container_1700000000000_0007_01_000011"
    package = "org.apache.hadoop.yarn.server.nodemanager.containermanager"
    moved = f"{DATE} INFO {package}.container.ContainerImpl: Container {name} transitioned from "
    lines = [f"{moved}SCHEDULED to RUNNING"]
    if words is not None:
        lines.append(
            f"{DATE} WARN {package}.monitor.ContainersMonitorImpl: "
            f"Container [pid=2477,containerID={name}] {words} physical memory used. Killing it."
        )
    lines += [f"{moved}RUNNING to KILLING", f"{moved}KILLING to DONE"]

    _, tables, losses = read_source(_log(tmp_path, *lines, name="yarn-yarn-nodemanager-n1.log"))
    (row,) = tables["attempts"]

    assert 0 == losses.count
    assert ("killed" if words is None else "killed for memory") == row["state"]
    assert (row["error"] is None) == (words is None)


@pytest.mark.parametrize(
    "told",
    [
        _write(label="duration", pool=""),  # 0.20, 1.x
        _write(),  # 2.9.2
        _write(volume="volume: /data/1, "),  # 3.4.3
        _write(volume="volume: , "),
    ],
)
def test_a_write_of_every_version_is_read(tmp_path: Path, told: str) -> None:
    kind, tables, losses = read_source(_log(tmp_path, TRACE + told))
    (row,) = tables["transfers"]

    assert ("DataNode log", 0) == (kind, losses.count)
    assert {
        "source": None, "host": "n8.example.org", "peer": "10.0.0.7", "operation": "HDFS_WRITE",
        "started_s": pytest.approx(AT_S - 0.25, abs=1e-6), "seconds": 0.25, "bytes": 134_217_728,
        "block": BLOCK, "attempt": ATTEMPT, "status": "ok",
    } == row  # fmt: skip


@pytest.mark.parametrize(
    "start",
    [
        "2014-08-20T12:34:56.789 INFO [DataXceiver] DataNode.clienttrace: ",
        f"{DATE} INFO  DataNode.clienttrace (BlockReceiver.java:finalizeBlock(1490)) - ",
        f"{DATE} DEBUG clienttrace: ",
    ],
)
def test_layouts_of_distributions_are_read(tmp_path: Path, start: str) -> None:
    _, tables, losses = read_source(_log(tmp_path, start + _write()))

    assert 0 == losses.count
    assert pytest.approx(AT_S - 0.25, abs=1e-6) == tables["transfers"][0]["started_s"]


def test_the_layout_of_the_console_has_no_milliseconds(tmp_path: Path) -> None:
    line = f"14/08/20 12:34:56 INFO datanode.DataNode.clienttrace: {_write()}"
    _, tables, _ = read_source(_log(tmp_path, line, name="console.txt"))

    assert pytest.approx(AT_S - 0.789 - 0.25, abs=1e-6) == tables["transfers"][0]["started_s"]


def test_a_read_is_of_the_node_that_sends(tmp_path: Path) -> None:
    read = _write().replace("HDFS_WRITE", "HDFS_READ")
    _, tables, _ = read_source(_log(tmp_path, TRACE + read, name="dn.log"))
    (row,) = tables["transfers"]

    # No file name and no first line tells the host: its own address does.
    assert ("10.0.0.7", "10.0.0.8") == (row["host"], row["peer"])


def test_the_host_is_told_by_the_first_lines_where_the_name_of_the_file_does_not(
    tmp_path: Path,
) -> None:
    first = ("STARTUP_MSG: Starting DataNode", "STARTUP_MSG:   host = n3.example.org/10.0.0.3")
    _, tables, _ = read_source(_log(tmp_path, *first, TRACE + _write(), name="dn.log"))

    assert "n3.example.org" == tables["transfers"][0]["host"]


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("hadoop-hdfs-datanode-a.b.log.1", "a.b"),
        ("hadoop-hdfs-datanode-a.b.log.2014-08-19", "a.b"),
        ("hadoop-cmf-hdfs-DATANODE-a.b.log.out", "a.b"),
        ("hadoop-root-datanode-my-node.out", "my-node"),
    ],
)
def test_rotated_logs_name_their_host(tmp_path: Path, name: str, host: str) -> None:
    _, tables, _ = read_source(_log(tmp_path, TRACE + _write(), name=name))
    assert host == tables["transfers"][0]["host"]


def test_short_circuit_requests_say_whether_they_succeeded(tmp_path: Path) -> None:
    both = "src: 127.0.0.1, dest: 127.0.0.1, op: REQUEST_SHORT_CIRCUIT_"
    fds = f"{both}FDS, blockid: 1073741962, srvID: 4f"
    memory = f"cliID: DFSClient_NONMAPREDUCE_1_1, {both}SHM, shmId: n/a, srvID: 4f, success: false"
    lines = [f"{TRACE}{fds}, success: {each}" for each in ("true", "false")]
    _, tables, losses = read_source(_log(tmp_path, *lines, TRACE + memory))

    assert ["ok", "failed"] == [row["status"] for row in tables["transfers"]]
    assert {"blk_1073741962"} == {row["block"] for row in tables["transfers"]}
    assert [None, None] == [row["seconds"] for row in tables["transfers"]]
    assert 0 == losses.count


def test_heartbeats_of_a_log_at_debug_have_their_round_trip(tmp_path: Path) -> None:
    call = f"{DATE} DEBUG org.apache.hadoop.ipc.ProtobufRpcEngine: Call: {{}} took 17ms"
    data = _log(tmp_path, TRACE + _write(), call.format("sendHeartbeat"))
    node = _log(
        tmp_path,
        call.format("nodeHeartbeat"),
        call.format("getApplicationReport"),
        name="yarn-yarn-nodemanager-n8.log",
    )

    for path, kind, host in (
        (data, "sendHeartbeat", "n8.example.org"), (node, "nodeHeartbeat", "n8"),
    ):  # fmt: skip
        _, tables, _ = read_source(path)
        assert [
            {"source": None, "host": host, "at_s": AT_S, "kind": kind, "round_trip_s": 0.017}
        ] == (tables["heartbeats"])


def test_what_is_damaged_is_counted_and_what_is_of_others_is_not(tmp_path: Path) -> None:
    lines = [
        TRACE + _write(),
        f"{DATE} INFO org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving {BLOCK}",
        "java.io.IOException: Connection reset by peer",
        TRACE + _write(ns="-7"),
        TRACE + _write(ns="9" * 30),
        TRACE + _write()[:60],
        (TRACE + _write()).replace("2014-08-20", "2014-02-31"),
        TRACE + _write(),
    ]
    _, tables, losses = read_source(_log(tmp_path, *lines))

    assert (2, 4) == (len(tables["transfers"]), losses.count)
    assert "duration" in str(losses.first) or "damaged" in str(losses.first)


def test_a_last_line_that_is_cut_off_within_a_number_gives_no_row(tmp_path: Path) -> None:
    path = _log(tmp_path, TRACE + _write(), TRACE + _write())
    path.write_bytes(path.read_bytes()[:-4])

    _, tables, losses = read_source(path)

    assert (1, 1) == (len(tables["transfers"]), losses.count)


NODE = "org.apache.hadoop.yarn.server.nodemanager.containermanager.container.ContainerImpl"


def _moves(container: str, *states: str, second: int = 0) -> list[str]:
    return [
        f"2014-08-20 12:34:{second + number:02},000 INFO {NODE}: Container {container}"
        f" transitioned from {before} to {after}"
        for number, (before, after) in enumerate(pairwise(states))
    ]


def test_containers_have_their_times_and_ends(tmp_path: Path) -> None:
    lines = [
        *_moves("container_e17_1408000000000_0007_01_000002", "NEW", "LOCALIZING", "LOCALIZED",
                "RUNNING", "EXITED_WITH_SUCCESS", "DONE"),
        *_moves("container_1408000000000_0007_01_000003", "NEW", "SCHEDULED", "RUNNING", "PAUSED",
                "RUNNING", "KILLING", "CONTAINER_CLEANEDUP_AFTER_KILL", "DONE"),
        *_moves("container_1408000000000_0007_01_000004", "SCHEDULED", "RUNNING",
                "EXITED_WITH_FAILURE", second=30),
        *_moves("container_1408000000000_0007_01_000005", "SCHEDULED", "RUNNING", second=40),
    ]  # fmt: skip
    kind, tables, losses = read_source(
        _log(tmp_path, *lines, name="yarn-yarn-nodemanager-n1.example.org.log")
    )
    start = datetime.fromisoformat("2014-08-20T12:34:00+00:00").timestamp()

    assert ("NodeManager log", 0) == (kind, losses.count)
    assert [
        ("000002", "succeeded", 2.0, 3.0), ("000003", "killed", 1.0, 4.0),
        ("000004", "failed", 30.0, 31.0), ("000005", "running", 40.0, None),
    ] == [
        (
            row["attempt"][-6:], row["state"], row["started_s"] - start,
            None if row["finished_s"] is None else row["finished_s"] - start,
        )
        for row in tables["attempts"]
    ]  # fmt: skip
    assert {("job_1408000000000_0007", "n1.example.org", None)} == {
        (row["job"], row["host"], row["kind"]) for row in tables["attempts"]
    }


@given(text=st.text(max_size=300), cut=st.integers(0, 250))
@settings(max_examples=150, deadline=None)
def test_any_text_in_a_log_is_a_row_a_loss_or_of_others_and_never_an_error(
    text: str, cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("log")
    told = TRACE + _write()
    moved = _moves("container_1408000000000_0007_01_000005", "SCHEDULED", "RUNNING")[0]
    for line, name in ((told, "x-datanode-a.log"), (moved, "x-nodemanager-a.log")):
        path = folder / name
        path.write_bytes(f"{line[:cut]}{text}{line[cut:]}\n{line}\n".encode("utf-8", "replace"))
        _, tables, _ = read_source(path)
        assert tables.get("transfers") or tables.get("attempts")
