"""Histories of jobs on a simulated cluster, with problems of each kind put into them.

Nodes take the tasks of a job as their slots become free. Problems: an application fails wherever it
runs, a partition or split is much larger than the others, a machine is slow or fails what it runs,
from some time on. A job ends as in Hadoop: a task that fails four times ends it, and what still
runs then is killed; a node that fails three attempts of a job gets no more of it
(``mapreduce.job.maxtaskfailures.per.tracker``). Seeded: the same arguments give the same rows.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from mprof.store import Store, frame_of
from mprof.triage import Cluster
from tests.builders.troubled_jobs import add_rows

__all__ = ["BEGIN_S", "Job", "Machine", "SimulatedCluster", "store_of"]

BEGIN_S = 1.7e9
_SPREAD = 0.3  # of the logarithm of a task's time
_MOST_ATTEMPTS = 4
_MOST_FAILURES_A_NODE = 3
_BLOCK = 128 * 1024 * 1024


@dataclass(frozen=True)
class Job:
    """A job that is to be run.

    Attributes:
        user: whose.
        at_s: when it is submitted, after the begin.
        maps, reduces: tasks.
        map_s, reduce_s: median time of a task.
        fails: share of the attempts of that kind which the code lets fail.
        failing_task: number of the task that never succeeds, or -1.
        skewed: of the task that has ``times`` the data, and takes that much longer.
    """

    user: str
    at_s: float
    maps: int = 60
    reduces: int = 20
    map_s: float = 40.0
    reduce_s: float = 90.0
    fails: dict[Literal["map", "reduce"], float] = field(default_factory=dict)
    failing_task: dict[Literal["map", "reduce"], int] = field(default_factory=dict)
    skewed: dict[Literal["map", "reduce"], tuple[int, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Machine:
    """What is wrong with a node, from ``since_s`` until ``until_s`` after the begin."""

    slower: float = 1.0
    fails: float = 0.0
    since_s: float = 0.0
    until_s: float = float("inf")


@dataclass
class SimulatedCluster:
    """Nodes in racks, and what is wrong with some.

    Attributes:
        nodes: number of them, named ``node000`` and so on.
        nodes_a_rack: in the order of their numbers.
        slots: attempts that a node runs at a time.
        machines: node -> its problem.
        failure_rate: of healthy attempts on healthy nodes.
    """

    nodes: int = 20
    nodes_a_rack: int = 10
    slots: int = 2
    seed: int = 0
    machines: dict[int, Machine] = field(default_factory=dict)
    failure_rate: float = 0.002

    def run(self, jobs: list[Job]) -> Cluster:
        """Run the jobs, each with the whole cluster for itself.

        What one job does to the next is none of what is looked at.
        """
        rng = np.random.default_rng(self.seed)
        job_rows: list[dict[str, Any]] = []
        attempt_rows: list[dict[str, Any]] = []
        for number, job in enumerate(jobs, 1):
            name = f"job_{BEGIN_S:.0f}_{number:04d}"
            begin, state = job.at_s, "succeeded"
            for kind in ("map", "reduce"):
                rows, ended_s, failed = self._phase(name, job, kind, begin, rng)
                attempt_rows += rows
                begin = ended_s
                if failed:
                    state = "failed"
                    break
            job_rows.append(
                {
                    "job": name, "name": f"{job.user}-{number}", "user": job.user,
                    "submitted_s": BEGIN_S + job.at_s, "launched_s": BEGIN_S + job.at_s,
                    "finished_s": BEGIN_S + begin, "state": state,
                    "maps": job.maps, "reduces": job.reduces,
                }
            )  # fmt: skip
        hosts = [self.host(node) for node in range(self.nodes)]
        return Cluster(
            jobs=frame_of("jobs", job_rows).to_pandas(),
            attempts=frame_of("attempts", attempt_rows).to_pandas(),
            racks=pd.Series([self.rack(node) for node in range(self.nodes)], index=hosts),
            hosts=tuple(hosts),
        )

    def host(self, node: int) -> str:
        return f"node{node:03d}"

    def rack(self, node: int) -> str:
        return f"rack{node // self.nodes_a_rack:02d}"

    def _phase(
        self, name: str, job: Job, kind: Any, begin: float, rng: np.random.Generator
    ) -> tuple[list[dict[str, Any]], float, bool]:
        tasks = job.maps if kind == "map" else job.reduces
        median = job.map_s if kind == "map" else job.reduce_s
        sizes = _BLOCK * rng.lognormal(0, 0.15, tasks)
        large, times = job.skewed.get(kind, (-1, 1.0))
        if large >= 0:
            sizes[large] *= times
        free = [(begin, float(rng.random()), node)
                for node in range(self.nodes) for _ in range(self.slots)]  # fmt: skip
        heapq.heapify(free)
        waiting = [(begin, task, 0) for task in range(tasks)]  # from when on, task, attempt
        failed_of: Counter[int] = Counter()
        failed_on: Counter[int] = Counter()
        rows: list[dict[str, Any]] = []
        job_failed_s = float("inf")
        while waiting and free:
            at, _, node = heapq.heappop(free)
            if at >= job_failed_s:
                break
            if failed_on[node] >= _MOST_FAILURES_A_NODE:
                continue
            if waiting[0][0] > at:  # a task that failed, and is to be run again
                heapq.heappush(free, (waiting[0][0], float(rng.random()), node))
                continue
            _, task, attempt = heapq.heappop(waiting)
            machine = self.machines.get(node, Machine())
            sick = machine.since_s <= at < machine.until_s
            seconds = median * sizes[task] / _BLOCK * float(rng.lognormal(0, _SPREAD))
            seconds *= machine.slower if sick else 1.0
            chance = 1 - (1 - self.failure_rate) * (1 - job.fails.get(kind, 0.0)) * (
                1 - (machine.fails if sick else 0.0)
            )
            fails = rng.random() < chance or job.failing_task.get(kind, -1) == task
            share = float(rng.uniform(0.05, 0.9)) if fails else 1.0
            end = at + seconds * share
            data = int(sizes[task] * share)
            rows.append(
                {
                    "job": name, "kind": kind, "host": self.host(node), "rack": self.rack(node),
                    "attempt": f"attempt_{name[4:]}_{kind[0]}_{task:06d}_{attempt}",
                    "started_s": BEGIN_S + at, "finished_s": BEGIN_S + end,
                    "state": "failed" if fails else "succeeded",
                    "read_bytes": data, "written_bytes": data // 2,
                    "slices_ms": [1000 * (end - at) / 12] * 12,
                }
            )  # fmt: skip
            if fails:
                failed_of[task] += 1
                failed_on[node] += 1
                if failed_of[task] >= _MOST_ATTEMPTS:
                    job_failed_s = min(job_failed_s, end)
                else:
                    heapq.heappush(waiting, (end, task, attempt + 1))
            heapq.heappush(free, (end, float(rng.random()), node))
        if waiting and not free:  # every node has failed too much of it
            job_failed_s = min(job_failed_s, max(row["finished_s"] for row in rows) - BEGIN_S)
        return self._killed(rows, job_failed_s, begin)

    def _killed(
        self, rows: list[dict[str, Any]], job_failed_s: float, begin: float
    ) -> tuple[list[dict[str, Any]], float, bool]:
        if job_failed_s < float("inf"):
            cut = BEGIN_S + job_failed_s
            rows = [row for row in rows if row["started_s"] < cut]
            for row in rows:
                if row["finished_s"] > cut:
                    row |= {"finished_s": cut, "state": "killed", "slices_ms": None}
        ended = max((row["finished_s"] for row in rows), default=BEGIN_S + begin) - BEGIN_S
        return rows, ended, job_failed_s < float("inf")


def store_of(cluster: Cluster, folder: Path) -> Store:
    """A store with the jobs, the attempts and the racks of a cluster."""
    store = Store(folder)
    racks = [{"host": host, "rack": rack} for host, rack in cluster.racks.items()]
    tables = {
        "jobs": cluster.jobs.drop(columns="source", errors="ignore").to_dict("records"),
        "attempts": cluster.attempts.drop(columns="source", errors="ignore").to_dict("records"),
        "nodes": racks,
    }
    add_rows(store, "cluster", tables)
    return store
