"""Files of every kind, damaged in every way: rows, losses, and never an error."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mprof.sources import READERS, import_files, reader_of
from mprof.store import Store

HISTORY = (
    'Meta VERSION="1" .\n'
    'Job JOBID="job_201101010000_0001" JOBNAME="j" USER="u" SUBMIT_TIME="1293840000000" .\n'
    'MapAttempt TASK_TYPE="MAP" TASKID="task_201101010000_0001_m_000000" '
    'TASK_ATTEMPT_ID="attempt_201101010000_0001_m_000000_0" START_TIME="1293840003500" .\n'
)
TRANSFER = (
    "2014-08-20 12:34:56,789 INFO org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace: "
    "src: /10.0.0.7:40312, dest: /10.0.0.8:50010, bytes: 134217728, op: HDFS_WRITE, cliID: c, "
    "offset: 0, srvID: s, blockid: blk_1_2, duration: 7\n"
)
MOVED = (
    "2014-08-20 12:00:00,000 INFO org.apache.hadoop.yarn.server.nodemanager.x.ContainerImpl: "
    "Container container_1_0001_01_000002 transitioned from SCHEDULED to RUNNING\n"
)
ATTEMPT = {"attemptID": "a", "hostName": "/r/h", "result": "SUCCESS", "startTime": 10**12}
RACK = {"name": "r", "children": [{"name": "h"}]}
JOB = {"jobID": "job_1_1", "mapTasks": [{"taskType": "MAP", "attempts": [ATTEMPT]}]}
STAMP = {"date": "2026-03-01", "time": "10:00:00", "tz": "UTC"}
SAMPLES = [{"timestamp": STAMP, "queue": {"ldavg-1": 1.5}}] * 2
SERIES = {"metric": {"__name__": "node_load1", "instance": "n1:9"}, "values": [[1.7e9, "1.5"]]}
BEANS = [
    {"name": "java.lang:type=Runtime", "StartTime": 1_700_000_000_000, "Uptime": 5},
    {"name": "d", "tag.Hostname": "n4", "HeartbeatsNumOps": 20, "HeartbeatsAvgTime": 3.5},
]

SAMPLE = '{"host": "n", "at_s": 1700000000.5, "user": 3.5, "runq_sz": 2.0, "ldavg_1": 1.5}\n'
FILES = {
    "job history": ("j", HISTORY),
    "TraceBench recording": (
        "t.tsv", "host\top\tstart_ms\tend_ms\tstatus\n" + "datanode001\tw\t0.000\t2.500\tok\n" * 2,
    ),
    "TraceBench manifest": ("m.tsv", "file\tfault\trequest\tdatanodes_seen\na\tb\tw\t50\n"),
    "Rumen job trace": ("r.json", f"{json.dumps(JOB)}\n{json.dumps(JOB, indent=1)}\n"),
    "Rumen topology": ("y.json", json.dumps({"name": "<root>", "children": [RACK]})),
    "samples of mprof collect": ("c.jsonl", SAMPLE * 3),
    "sadf -j": (
        "s.json",
        json.dumps({"sysstat": {"hosts": [{"nodename": "n", "statistics": SAMPLES}]}}, indent=1),
    ),
    "Prometheus export": (
        "p.json",
        json.dumps({"status": "success", "data": {"resultType": "matrix", "result": [SERIES]}}),
    ),
    "Prometheus text": ("p.txt", 'node_load1{instance="n1:9100"} 1.5 1700000000.5\n' * 2),
    "/jmx dump": ("x.json", json.dumps({"beans": BEANS}, indent=2)),
    "DataNode log": ("d-datanode-n.log", TRANSFER * 2),
    "NodeManager log": ("d-nodemanager-n.log", MOVED * 2),
    "list of hosts": ("workers", "n1\nn2 n3 # more\n"),
}  # fmt: skip


def test_there_is_a_whole_file_of_every_kind(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, content in FILES.values():
        (folder / name).write_text(content)
    read = {one.kind: one for one in import_files([folder], Store(tmp_path / "store"))}

    assert {reader.kind for reader in READERS} == set(FILES) == set(read)
    assert {"imported"} == {one.outcome for one in read.values()}
    assert all(one.rows for one in read.values())
    # The history has no end of its job; all else is whole.
    assert {"job history"} == {str(kind) for kind, one in read.items() if one.unread}


def test_no_file_is_of_two_kinds(tmp_path: Path) -> None:
    for kind, (name, content) in FILES.items():
        path, head = tmp_path / name, content.encode()[:4096]
        kinds = [reader.kind for reader in READERS if reader.recognises(path, head)]
        assert [kind] == kinds
        first = reader_of(path, head)
        assert first is not None


@pytest.mark.parametrize("kind", sorted(FILES))
@given(
    at=st.integers(0, 2_000), removed=st.integers(0, 400), added=st.binary(max_size=40),
    packed=st.booleans(), behind=st.booleans(),
)  # fmt: skip
@example(at=0, removed=0, added=b"\x1f\x8b", packed=False, behind=False)
@example(at=10, removed=0, added=b"\0" * 40, packed=False, behind=True)
@settings(max_examples=60, deadline=None)
def test_damage_ends_in_rows_and_losses(
    kind: str, at: int, removed: int, added: bytes, packed: bool, behind: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:  # fmt: skip
    name, text = FILES[kind]
    whole = text.encode()
    at = len(whole) - at % len(whole) if behind else at % len(whole)
    damaged = whole[:at] + added + whole[at + removed :]
    if packed:  # the damage is to the packed bytes
        whole = gzip.compress(whole)
        at %= len(whole)
        damaged = whole[:at] + added + whole[at + removed % 60 :]
    folder = tmp_path_factory.mktemp("damage")
    (folder / name).write_bytes(damaged)

    store = Store(folder / "store")
    (one,) = import_files([folder / name], store)

    assert one.outcome in {"imported", "of no known kind", "unreadable"}
    assert (one.first_unread is None) == (one.outcome != "unreadable" and one.unread == 0)
    assert one.rows == sum(
        len(store.read(table)) for table in ("jobs", "attempts", "transfers", "heartbeats",
                                             "metrics", "nodes")
    )  # fmt: skip
