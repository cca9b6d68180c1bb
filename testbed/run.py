"""One run: jobs one after the other, and a fault that comes while the first of them starts."""

from __future__ import annotations

import contextlib
import random
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from testbed.cluster import Cluster
from testbed.faults import BY_AGENT, FAULTS, OF_MASTER, OF_REDUCERS
from testbed.machine import Node
from testbed.recording import HISTORIES, begin, collecting, keep
from testbed.workloads import OUTPUT, WORKLOADS

__all__ = ["CONTROL", "Planned", "record"]

CONTROL: Final = "none"

_QUIET_S: Final = 5.0
_FAULT_AFTER_S: Final = 20.0
_RUN_S: Final = 250.0
"""A fault lasts longer than the 210 s that `bb-window` needs to indict a node."""

_SEVERAL_S: Final = 720.0
"""With several sick nodes there are ten slaves, and a map attempt takes 90 s there."""

_OF_REDUCERS_S: Final = 360.0
"""Reducers begin when four fifths of the maps have ended, which may take three minutes."""

_MOST_FAILED: Final = 4
"""A fault may make jobs fail, but each takes its time."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What is to be run.

    Attributes:
        fault: one of `FAULTS`, or `CONTROL`; several, one a sick node, with ``+`` between them.
        workload: one of `WORKLOADS`.
        seed: chooses the nodes.
        speculation: whether slow attempts are run a second time elsewhere.
    """

    fault: str
    workload: str
    seed: int
    speculation: bool

    @property
    def name(self) -> str:
        """Of its recording."""
        speculation = "-speculation" if self.speculation else ""
        return f"{self.fault}-{self.workload}-{self.seed}{speculation}"

    @property
    def seconds(self) -> float:
        """From the begin of the first job to the end of the last."""
        if OF_REDUCERS.intersection(self.faults):
            return _OF_REDUCERS_S
        return _SEVERAL_S if len(self.faults) > 1 else _RUN_S

    @property
    def faults(self) -> tuple[str, ...]:
        """One of each node that will be sick."""
        return () if self.fault == CONTROL else tuple(self.fault.split("+"))

    def sick(self, cluster: Cluster) -> list[tuple[Node, str]]:
        """The nodes that will be sick, each with its fault."""
        # Every word counts, so that not all faults of a seed come to the same node.
        draw = random.Random(f"{self.fault} {self.workload} {self.seed}")
        left = list(cluster.slaves)
        found = []
        for fault in self.faults:
            node = left.pop(draw.randrange(len(left)))
            found.append((cluster.master if fault in OF_MASTER else node, fault))
        return found


class _Jobs:
    """Jobs of a workload one after the other, in a thread, until they are told to end."""

    def __init__(self, cluster: Cluster, planned: Planned) -> None:
        self._cluster = cluster
        self._planned = planned
        self._over = threading.Event()
        self._running: tuple[str, subprocess.Popen[bytes]] | None = None
        self._thread = threading.Thread(target=self._work)
        self.done: list[dict[str, Any]] = []

    def __enter__(self) -> _Jobs:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Begin no other job, whatever happened."""
        self._over.set()

    def end(self) -> None:
        """Kill the job that is running, and wait."""
        self._over.set()
        if self._running is not None:
            self._cluster.end(*self._running)
        self._thread.join()

    def _work(self) -> None:
        start = WORKLOADS[self._planned.workload]
        settings = _settings(self._cluster, self._planned)
        while not self._over.is_set():
            name = f"{self._planned.workload}-{len(self.done)}-{time.monotonic_ns()}"
            began_s = time.time()
            client = start(self._cluster, name, settings)
            self._running = name, client
            code = client.wait()
            self.done.append(
                {
                    "name": f"{self._planned.workload}-{len(self.done)}",
                    "began_s": round(began_s, 3),
                    "seconds": round(time.time() - began_s, 3),
                    "code": code,
                    "killed": self._over.is_set(),
                }
            )


def record(cluster: Cluster, planned: Planned, folder: Path, *, runs_before: int) -> bool:
    """Run what is planned, and keep what it leaves behind.

    Args:
        cluster: whole, and without work.
        planned: what is to be run.
        folder: of the recording; new.
        runs_before: number of runs of this cluster since its start; the label tells it.

    Returns:
        Whether the cluster is whole again.
    """
    folder.mkdir(parents=True)
    begun = begin(cluster)
    sick = planned.sick(cluster)
    from_s = None
    cluster.limit()
    with collecting(cluster, folder):
        time.sleep(_QUIET_S)
        started_s = time.time()
        with contextlib.ExitStack() as stack:
            jobs = stack.enter_context(_Jobs(cluster, planned))
            time.sleep(_FAULT_AFTER_S)
            for node, fault in sick:
                stack.enter_context(FAULTS[fault](cluster, node))
                from_s = round(time.time(), 3)
            time.sleep(started_s + planned.seconds - time.time())
            ended_s = time.time()
            cluster.unlimit()
            # While the fault is there: what hangs is killed, and has not ended after all.
            jobs.end()
    is_clear = cluster.clear(OUTPUT)
    if sum(job["code"] != 0 and not job["killed"] for job in jobs.done) > _MOST_FAILED:
        raise RuntimeError(f"{planned.name}: jobs fail at once; see the logs of the master")
    label = {
        **asdict(planned),
        "fault": planned.fault if sick else None,
        "node": "+".join(node.name for node, _ in sick) or None,
        "started_s": round(started_s, 3),
        "fault_after_s": _FAULT_AFTER_S,
        "fault_from_s": from_s,
        "ended_s": round(ended_s, 3),
        "runs_before": runs_before,
        "jobs": jobs.done,
    }
    keep(cluster, folder, begun, label)
    return cluster.clear(f"{HISTORIES}/*") and is_clear


def _settings(cluster: Cluster, planned: Planned) -> Mapping[str, str | int]:
    speculation = str(planned.speculation).lower()
    return {
        "mapreduce.map.speculative": speculation,
        "mapreduce.reduce.speculative": speculation,
        **(cluster.with_agent() if BY_AGENT.intersection(planned.faults) else {}),
    }
