"""A store with rows in every table, and the same as another program might have written it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from builders.troubled_jobs import APPLICATION_ERROR, BEGIN_S, OUT_OF_MEMORY, TroubledJob, add_rows

from mprof.store import TABLES, Store

__all__ = ["JOBS", "SICK", "full_store", "rewritten", "texts_of"]

SICK = 3
JOBS = ("job_1700000000_0001", "job_1700000000_0002")


def full_store(folder: Path, *, maps: int = 200) -> Store:
    """Two jobs with a slow node whose processor is busy, and a task that fails."""
    made = Store(folder)
    job = TroubledJob(
        id=JOBS[0], slower={SICK: 4}, maps=maps, failing_tasks={("reduce", 1): APPLICATION_ERROR}
    )
    job.into(made)
    TroubledJob(id=JOBS[1], user="bob", slower={SICK: 4}, at_s=4e3, maps=maps).into(made)
    hosts = [job.host(node) for node in range(job.nodes)]
    add_rows(made, "others", {
        "metrics": [
            {"host": host, "at_s": BEGIN_S + at, "user": 90.0 if n == SICK else 40.0 + at % 5,
             "retrans": 0.0}
            for n, host in enumerate(hosts) for at in range(0, 700, 2)
        ],
        "nodes": [
            {"host": host, "rack": f"rack{n % 2}", "known_from": "topology"}
            for n, host in enumerate(hosts)
        ],
        "transfers": [
            {"host": host, "peer": hosts[at % len(hosts)], "operation": "HDFS_WRITE",
             "started_s": BEGIN_S + at, "seconds": 2.0 if n == SICK else 0.5, "bytes": 1 << 20,
             "block": f"blk_{n}_{at}", "attempt": job.attempt("map", at % maps), "status": "ok"}
            for n, host in enumerate(hosts) for at in range(0, 300, 10)
        ],
        "heartbeats": [
            {"host": host, "at_s": BEGIN_S + at, "kind": "sendHeartbeat",
             "round_trip_s": 0.9 if n == SICK else 0.01}
            for n, host in enumerate(hosts) for at in range(0, 600, 3)
        ],
        "heartbeat_lines": [
            {"host": host, "at_s": BEGIN_S + at + (side == "master"), "side": side, "number": at}
            for host in hosts for at in range(0, 600, 30) for side in ("node", "master")
        ],
        "node_states": [
            {"host": host, "at_s": BEGIN_S + 600, "state": "UNHEALTHY" if n == SICK else "RUNNING",
             "heard_s": BEGIN_S + 500, "report": "1/1 local-dirs" if n == SICK else None,
             "containers": 3}
            for n, host in enumerate(hosts)
        ],
        "hardware": [
            {"host": host, "what": what, "amount": 8.0}
            for host in hosts for what in ("processors", "memory")
        ],
        "names": [
            {"name": host, "address": f"10.0.0.{n + 1}"} for n, host in enumerate(hosts)
        ],
    })  # fmt: skip
    # A history, no longer where it was, of the job that failed: of memory too.
    jobs = made.read("jobs")
    (whole,) = jobs[jobs["job"] == JOBS[0]].to_dict("records")
    died = {
        "job": JOBS[0], "attempt": job.attempt("reduce", 2, 3), "kind": "reduce", "host": hosts[0],
        "state": "failed", "error": OUT_OF_MEMORY, "started_s": BEGIN_S, "finished_s": BEGIN_S + 9,
    }  # fmt: skip
    del whole["source"]
    add_rows(made, "history", {"jobs": [whole], "attempts": [died]}, kind="job history")
    return made


def texts_of(table: str) -> tuple[str, ...]:
    """The columns of a table that hold texts."""
    return tuple(field.name for field in TABLES[table] if pa.types.is_string(field.type))


def rewritten(plain: Store, folder: Path, change: Callable[[str, pa.Table], pa.Table]) -> Store:
    """The store once each table of each file has gone through ``change``, told the table's name."""
    shutil.copytree(plain.folder, folder)
    for path in sorted(folder.glob("*/*.parquet")):
        pq.write_table(change(path.parent.name, pq.read_table(path)), path)
    return Store.at(folder)
