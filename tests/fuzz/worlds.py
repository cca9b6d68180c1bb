"""Whole, small evidence of every kind that mprof reads, each in a folder of its own (a world)."""

from __future__ import annotations

import gzip
import io
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import fastavro
from builders.attempts import EventWriter
from builders.cluster_files import FILES
from builders.hprof_builder import Builder, FrameSpec, gzip_like_hotspot
from builders.stores import store_of

from mprof.store import TABLES

__all__ = ["READERS", "WHOLE_CAPTURE", "WORLDS", "Reader", "Verb", "build_worlds"]

CHECKOUT = Path(__file__).parents[2]
_CASE = CHECKOUT / "cases" / "in-mem-word-count"
WHOLE_CAPTURE = Path("cases", _CASE.name, "evidence")
"""A capture without heap dumps, in the world of cases."""

_ATTEMPT = "attempt_1700000000000_0001_m_000000_0"

Verb = tuple[str, ...]
"""The words of a command line; it runs in the folder of the world."""

_HEAP: tuple[Verb, ...] = (("heap", "{}", "--json"), ("heap", "{}"), ("heap", "{}", "--histogram"))
_WITH_STRINGS: Verb = ("heap", "{}", "--strings", "--top", "3")
_DIAGNOSE: tuple[Verb, ...] = (("diagnose", "{}", "--json"), ("diagnose", "{}"))
_CAPTURE: tuple[Verb, ...] = (
    ("diagnose", "capture", "--json"),
    ("diagnose", "capture"),
    ("report", "capture", "--json"),
    ("report", "capture", "--html", "out.html"),
)
_HEAD: tuple[Verb, ...] = (
    ("rerun", "capture", "--", "hadoop", "jar", "x.jar"),
    ("run", "-o", "capture", "--", "hadoop", "jar", "x.jar"),
    ("clean", "capture", "--dry-run"),
    ("clean", "capture"),
)
_FOLDER: tuple[Verb, ...] = (("diagnose", "logs", "--json"), ("diagnose", "logs"))
_CASES: tuple[Verb, ...] = (
    ("cases", "replay", "in-mem-word-count", "--cases", "cases"),
    ("cases", "replay", "--all", "--cases", "cases", "--json"),
    ("cases", "list", "--cases", "cases"),
    ("cases", "run", "no-such-case", "--cases", "cases"),
    ("cases", "verify", "no-such-case", "--cases", "cases"),
)
_DOCTOR: tuple[Verb, ...] = (
    ("doctor", "--config", "conf"),
    ("run", "--config", "conf", "-o", "new", "--", "hadoop", "jar", "x.jar"),
    ("diagnose", "job_1700000000000_0009", "--config", "conf"),
)
_IMPORT: tuple[Verb, ...] = (("import", "in", "--store", "made"),)
_STORE: tuple[Verb, ...] = (
    ("nodes", "store", "--json"),
    ("nodes", "store", "--html", "nodes.html"),
    ("triage", "job_1700000000000_0001", "--store", "store"),
    ("triage", "job_1700000000000_0001", "--store", "store", "--json"),
    ("view", "store", "-o", "pages"),
)
_ISLANDS: tuple[Verb, ...] = (("nodes", "store", "--islands", "islands"),)
_STATE: tuple[Verb, ...] = (
    ("cluster", "status"),
    ("doctor", "--embedded"),
    ("clean", "--dry-run"),
)


@dataclass(frozen=True, slots=True)
class Reader:
    """A file (or folder) that mprof reads, and the verbs that read it.

    Attributes:
        name: for reports.
        world: the world that holds it.
        path: in the folder of the world; ``{}`` in a verb stands for its name.
        verbs: the command lines.
        is_said: a verb that ends with 0 must say that it could not be read at all.
    """

    name: str
    world: str
    path: str
    verbs: tuple[Verb, ...]
    is_said: bool = True


_RUN = "capture/runs/001"
_JOB = f"{_RUN}/jobs/job_1795253923065_0001"
_OF = f"{_JOB}/attempts/attempt_1795253923065_0001_m_000000_0"
_SECOND = "capture/runs/002/jobs/job_1795253923065_0002"
_OF_SECOND = f"{_SECOND}/attempts/attempt_1795253923065_0002_m_000000_0"
_CASE_RUN = "cases/in-mem-word-count/evidence/runs/001"

READERS: tuple[Reader, ...] = (
    Reader("dump", "dump", "a.hprof", (*_HEAP, _WITH_STRINGS, *_DIAGNOSE)),
    Reader("dump gz", "dump", "b.hprof.gz", (*_HEAP[:2], _DIAGNOSE[0])),
    Reader("dump gz of HotSpot", "dump", "c.hprof.gz", (*_HEAP[:2], _DIAGNOSE[0])),
    Reader("part of a dump", "dump", "d.hprof.p0", (("heap", "d.hprof", "--json"),)),
    Reader("history json", "history", "json.jhist", _DIAGNOSE),
    Reader("history binary", "history", "binary.jhist", _DIAGNOSE),
    Reader("history text", "history", "text.jhist", _DIAGNOSE),
    Reader("history without suffix", "history", "job_1_0001_history", _DIAGNOSE[:1]),
    Reader("logs: events", "logs", "logs/events.jsonl", _FOLDER),
    Reader("logs: position", "logs", "logs/position.bin", _FOLDER),
    Reader("logs: syslog", "logs", "logs/syslog", _FOLDER),
    Reader("logs: stderr", "logs", "logs/stderr", _FOLDER),
    Reader("logs: stdout", "logs", "logs/stdout", _FOLDER),
    Reader("logs: gc", "logs", "logs/gc.log", _FOLDER),
    Reader("logs: dump", "logs", "logs/oom.hprof", _FOLDER),
    Reader("logs: folder", "logs", "logs", _FOLDER),
    Reader("capture", "capture", "capture", (*_CAPTURE, *_HEAD)),
    Reader("capture: capture.json", "capture", "capture/capture.json", (*_CAPTURE[:1], *_HEAD)),
    Reader("capture: runs", "capture", "capture/runs", (*_CAPTURE[:1], *_HEAD)),
    Reader("capture: run folder", "capture", _RUN, (*_CAPTURE[:1], *_HEAD[:2]), is_said=False),
    Reader("capture: run.json", "capture", f"{_RUN}/run.json", (*_CAPTURE[:2], *_HEAD)),
    Reader("capture: jobs", "capture", f"{_RUN}/jobs", _CAPTURE[:1]),
    Reader("capture: job folder", "capture", _JOB, _CAPTURE[:1]),
    Reader("capture: job.json", "capture", f"{_JOB}/job.json", _CAPTURE),
    Reader("capture: job.jhist", "capture", f"{_JOB}/job.jhist", _CAPTURE),
    Reader("capture: conf.xml", "capture", f"{_JOB}/conf.xml", _CAPTURE),
    Reader("capture: missing.txt", "capture", f"{_JOB}/missing.txt", _CAPTURE),
    Reader("capture: partition", "capture", f"{_JOB}/partition-file.json", _CAPTURE[:2]),
    Reader("capture: attempts", "capture", f"{_JOB}/attempts", _CAPTURE[:1]),
    Reader("capture: attempt", "capture", _OF, _CAPTURE[:2]),
    Reader("capture: events", "capture", f"{_OF}/events.jsonl", _CAPTURE),
    Reader("capture: position", "capture", f"{_OF}/position.bin", _CAPTURE[:2]),
    Reader("capture: syslog", "capture", f"{_OF}/syslog", _CAPTURE[:2]),
    Reader("capture: dump", "capture", f"{_OF}/oom-lone.hprof", (*_CAPTURE[:2], *_HEAD[2:])),
    Reader("capture: gz dump", "capture", f"{_OF_SECOND}/oom-x.hprof.gz", _CAPTURE[:1]),
    Reader(
        "capture: snapshot", "capture",
        f"{_OF_SECOND}/snapshot-oom-attempt_1795253923065_0002_m_000000_0.json", _CAPTURE,
    ),
    Reader(
        "capture: snapshot of a probe", "capture",
        f"{_OF_SECOND}/snapshot-probe-before_record-21678.json", _CAPTURE[:2],
    ),
    Reader("capture: second conf.xml", "capture", f"{_SECOND}/conf.xml", _CAPTURE[:1]),
    Reader("case.toml", "cases", "cases/in-mem-word-count/case.toml", _CASES),
    Reader(
        "case: expected", "cases", "cases/in-mem-word-count/expected/verdicts.json", _CASES[:2]
    ),
    Reader("case: run.json", "cases", f"{_CASE_RUN}/run.json", _CASES[:2]),
    Reader("mapred-site.xml", "conf", "conf/mapred-site.xml", _DOCTOR),
    Reader("yarn-site.xml", "conf", "conf/yarn-site.xml", _DOCTOR, is_said=False),
    *(
        Reader(f"import: {kind}", "clusters", f"in/{name}", _IMPORT, is_said=False)
        for kind, (name, _) in FILES.items()
    ),
    Reader("import: history json", "clusters", "in/json.jhist", _IMPORT, is_said=False),
    Reader("import: history binary", "clusters", "in/binary.jhist", _IMPORT, is_said=False),
    *(
        Reader(f"store: {table}", "store", f"store/{table}/all.parquet", _STORE, is_said=False)
        for table in TABLES
    ),
    Reader("list of islands", "store", "islands", _ISLANDS, is_said=False),
    Reader("state of the cluster", "state", "state/mprof/cluster.json", _STATE, is_said=False),
    Reader("users of the cluster", "state", "state/mprof/cluster-users", _STATE, is_said=False),
)  # fmt: skip


def build_worlds(into: Path) -> Mapping[str, Path]:
    """Every world by its name, built once; a run works on a copy."""
    folders = {}
    for name, build in WORLDS.items():
        folders[name] = into / name
        folders[name].mkdir(parents=True)
        build(folders[name])
    return folders


def _dumps(folder: Path) -> None:
    plain = a_dump()
    (folder / "a.hprof").write_bytes(plain)
    (folder / "b.hprof.gz").write_bytes(gzip.compress(plain, mtime=0))
    (folder / "c.hprof.gz").write_bytes(gzip_like_hotspot(plain, block=4096))
    (folder / "d.hprof.p0").write_bytes(plain[: len(plain) // 2])
    (folder / "d.hprof.p1").write_bytes(plain[len(plain) // 2 :])


def a_dump() -> bytes:
    """A task's heap that fills up in map(), with a thread, frames, strings and a static."""
    heap = Builder()
    heap.class_("java.util.HashMap", fields={"table": "object", "size": "int"})
    heap.class_("org.example.Mapper", fields={"counts": "object"})
    strings = [heap.string(f"word {number % 40}") for number in range(300)]
    words = heap.array("java.lang.Object", strings)
    heap.root(0x01, words)
    table = heap.instance("java.util.HashMap", table=words, size=300)
    mapper = heap.instance("org.example.Mapper", counts=table)
    heap.thread(
        "main",
        [
            FrameSpec("java.lang.OutOfMemoryError", "<init>", "OutOfMemoryError.java", 48),
            FrameSpec("org.example.Mapper", "map", "Mapper.java", 17, [mapper, words]),
            FrameSpec("org.apache.hadoop.mapreduce.Mapper", "run", "Mapper.java", 146, [mapper]),
            FrameSpec("org.apache.hadoop.mapred.MapTask", "run", "MapTask.java", 800),
            FrameSpec("org.apache.hadoop.mapred.YarnChild", "main", "YarnChild.java", 100),
        ],
    )
    return heap.build()


def _histories(folder: Path) -> None:
    binary = (_CASE / "evidence/runs/001/jobs/job_1795253923065_0001/job.jhist").read_bytes()
    (folder / "binary.jhist").write_bytes(binary)
    (folder / "job_1_0001_history").write_bytes(binary)
    _, schema_line, body = binary.split(b"\n", 2)
    schema, events = fastavro.parse_schema(json.loads(schema_line)), io.BytesIO(body)
    text = io.StringIO()
    while events.tell() < len(body):
        fastavro.json_writer(text, schema, [fastavro.schemaless_reader(events, schema, None)])
        text.write("\n")
    head = b"Avro-Json\n" + schema_line + b"\n"
    (folder / "json.jhist").write_bytes(head + text.getvalue().encode())
    (folder / "text.jhist").write_text(
        'Meta VERSION="1" .\n'
        'Job JOBID="job_200904211745_0002" JOBNAME="words" USER="me" SUBMIT_TIME="1240336843916" '
        'JOBCONF="hdfs://x/job\\.xml" .\n'
        'Job JOBID="job_200904211745_0002" LAUNCH_TIME="1240336844000" TOTAL_MAPS="1" '
        'TOTAL_REDUCES="0" JOB_STATUS="PREP" .\n'
        'Task TASKID="task_200904211745_0002_m_000000" TASK_TYPE="MAP" START_TIME="1240336845000" '
        'SPLITS="/default-rack/host" .\n'
        'MapAttempt TASK_TYPE="MAP" TASKID="task_200904211745_0002_m_000000" '
        'TASK_ATTEMPT_ID="attempt_200904211745_0002_m_000000_0" TASK_STATUS="FAILED" '
        'FINISH_TIME="1240336846000" HOSTNAME="host" '
        'ERROR="java\\.lang\\.OutOfMemoryError: Java heap space" .\n'
        'Task TASKID="task_200904211745_0002_m_000000" TASK_TYPE="MAP" TASK_STATUS="FAILED" '
        'FINISH_TIME="1240336847000" ERROR="" COUNTERS="{(g)(G)[(c)(C)(12)]}" .\n'
        'Job JOBID="job_200904211745_0002" FINISH_TIME="1240336848000" JOB_STATUS="FAILED" '
        'FINISHED_MAPS="0" FINISHED_REDUCES="0" .\n'
    )


_SYSLOG = (
    "2026-01-01 10:00:00,000 INFO [main] org.apache.hadoop.mapred.MapTask: Processing split: "
    "file:/in/words:0+67108864\n"
    "2026-01-01 10:00:09,000 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child "
    ": java.lang.OutOfMemoryError: Java heap space\n"
    "\tat java.util.HashMap.resize(HashMap.java:700)\n"
    "\tat org.example.Mapper.map(Mapper.java:17)\n"
    "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:146)\n\n"
)
_GC = (
    "[1.234s][info][gc] GC(0) Pause Young (Allocation Failure) 40M->20M(64M) 5.1ms\n"
    "[9.234s][info][gc] GC(1) Pause Full (Allocation Failure) 64M->63M(64M) 105.1ms\n"
)


def _logs(folder: Path) -> None:
    writer = EventWriter(_ATTEMPT, heap_max=64 << 20)
    writer.add("phase", phase="map", edge="begin")
    writer.add("memory", major=True, start=1, end=2, used_before=9 << 20, used_after=8 << 20)
    writer.add(
        "failure",
        place="map",
        class_="java.lang.OutOfMemoryError",
        message="Java heap space",
        stack=["org.example.Mapper.map(Mapper.java:17)"],
        thread="main",
    )
    made = writer.write(
        folder,
        position={"phase": 3, "records_in": 17, "bytes_in": 1700},
        files={"syslog": _SYSLOG, "stderr": "", "stdout": "", "gc.log": _GC},
    )
    (made / "oom.hprof").write_bytes(a_dump())
    made.rename(folder / "logs")


def _capture(folder: Path) -> None:
    target = folder / "capture"
    shutil.copytree(_CASE / "evidence", target)
    for number in (4336, 8672, 17342, 26013):
        (folder / _OF_SECOND / f"snapshot-probe-before_record-{number}.json").unlink()
    (folder / _OF / "oom-lone.hprof").write_bytes(a_dump())
    (folder / _OF_SECOND / "oom-x.hprof.gz").write_bytes(gzip.compress(a_dump(), mtime=0))
    (folder / _JOB / "missing.txt").write_text("the dump was too large to copy\n")
    (folder / _JOB / "partition-file.json").write_text('{"records": [10, 12]}')
    (folder / _JOB / "_partition.lst").write_bytes(b"SEQ\6")


def _cases(folder: Path) -> None:
    shutil.copytree(_CASE, folder / "cases" / _CASE.name)


def _conf(folder: Path) -> None:
    (folder / "conf").mkdir()
    for name in ("core", "mapred", "yarn"):
        (folder / "conf" / f"{name}-site.xml").write_text(
            '<?xml version="1.0"?>\n<configuration><property><name>mapreduce.map.memory.mb</name>'
            "<value>1024</value><final>true</final></property></configuration>\n"
        )


def _state(folder: Path) -> None:
    mprof = folder / "state" / "mprof"
    (mprof / "cluster-users").mkdir(parents=True)
    (mprof / "cluster.json").write_text(
        json.dumps(
            {
                "format": 2,
                "conf_dir": str(folder / "c"),
                "bin_dir": str(folder / "b"),
                "log_dirs": [str(folder / "l")],
                "pid": 2**22 + 7,  # above any process id of Linux: it is not running
                "gateway_port": 1,
                "gateway_token": "0" * 64,
                "version": "3.4.3",
                "work_dir": str(folder / "w"),
                "data_dir": str(folder / "d"),
                "stays": True,
                "private": True,
            }
        )
    )


def _clusters(folder: Path) -> None:
    _histories(folder)
    (folder / "in").mkdir()
    for name in ("json.jhist", "binary.jhist"):
        (folder / name).rename(folder / "in" / name)
    for name, content in FILES.values():
        (folder / "in" / name).write_text(content)


def _store(folder: Path) -> None:
    began_s, job, hosts = 1.7e9, "job_1700000000000_0001", [f"n{number}" for number in range(6)]
    attempts = [
        {
            "job": job, "attempt": f"attempt_1700000000000_0001_m_{number:06}_0", "kind": "map",
            "host": hosts[number % 6], "rack": "r", "started_s": began_s + number,
            "finished_s": began_s + number + 20 + number % 3, "state": "succeeded",
            "read_bytes": 10**7, "slices_ms": [100.0] * 12,
        }
        for number in range(60)
    ]  # fmt: skip
    transfers = [
        {
            "host": hosts[number % 6], "peer": hosts[number % 5], "operation": "HDFS_WRITE",
            "started_s": began_s + number, "seconds": 1 + number % 7 / 10, "bytes": 10**6,
            "block": f"blk_{number}", "status": "ok",
        }
        for number in range(200)
    ]  # fmt: skip
    metrics = [
        {"host": host, "at_s": began_s + second, "user": 30.0 + second % 5, "ctxt": 1e3 + second}
        for second in range(120)
        for host in hosts
    ]
    whole = {
        "job": job, "name": "words", "user": "me", "submitted_s": began_s - 5,
        "finished_s": began_s + 99, "state": "failed", "maps": 60, "reduces": 0,
    }  # fmt: skip
    heartbeats = [
        {"host": host, "at_s": began_s + second, "kind": "sendHeartbeat", "round_trip_s": 0.01}
        for second in range(0, 120, 3)
        for host in hosts
    ]
    lines = [
        {"host": host, "at_s": began_s + second, "number": second // 3, "side": side}
        for second in range(0, 120, 3)
        for host in hosts
        for side in ("node", "master")
    ]
    nodes = [{"host": host, "rack": f"r{number % 2}"} for number, host in enumerate(hosts)]
    states = [{"host": host, "at_s": began_s + 99, "state": "RUNNING"} for host in hosts]
    hardware = [{"host": host, "what": "processors", "amount": 8.0} for host in hosts]
    store_of(
        folder / "store", jobs=[whole], attempts=attempts, transfers=transfers, metrics=metrics,
        heartbeats=heartbeats, heartbeat_lines=lines, nodes=nodes, node_states=states,
        hardware=hardware,
    )  # fmt: skip
    absent = [table for table in TABLES if not (folder / "store" / table / "all.parquet").is_file()]
    assert not absent, f"no rows of {absent}: they would not be damaged"
    (folder / "islands").write_text("".join(f"{host}\t{host < 'n3'}\n" for host in hosts))


def _empty(folder: Path) -> None:
    del folder  # arguments alone are damaged there


WORLDS: Mapping[str, Callable[[Path], None]] = {
    "dump": _dumps,
    "history": _histories,
    "logs": _logs,
    "capture": _capture,
    "outputs": _capture,
    "cases": _cases,
    "conf": _conf,
    "state": _state,
    "clusters": _clusters,
    "store": _store,
    "empty": _empty,
}
