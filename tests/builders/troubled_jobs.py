"""Jobs with counters and diagnostics, and with whatever trouble is put into them.

Attempts of a job run one after the other in the slots of their nodes, as in Hadoop: a task that
fails is tried again on another node, and fails the job the fourth time. Nothing here is a
recording. Seeded: the same arguments give the same rows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from mprof.store import SourceNote, Store, frame_of

__all__ = [
    "APPLICATION_ERROR",
    "BEGIN_S",
    "DISK_FULL",
    "OUT_OF_MEMORY",
    "TroubledJob",
    "add_rows",
]

BEGIN_S = 1.7e9
OUT_OF_MEMORY = (
    "Error: java.lang.OutOfMemoryError: Java heap space\n"
    "\tat java.util.Arrays.copyOf(Arrays.java:3332)\n"
    "\tat shop.JoinReducer.reduce(JoinReducer.java:41)\n"
)
APPLICATION_ERROR = (
    'Error: java.lang.NumberFormatException: For input string: "n/a"\n'
    "\tat java.lang.Integer.parseInt(Integer.java:652)\n"
    "\tat shop.PriceMapper.map(PriceMapper.java:27)\n"
)
DISK_FULL = (
    "Error: java.io.IOException: No space left on device\n\tat java.io.FileOutputStream.x(F)\n"
)
_TASKS = "org.apache.hadoop.mapreduce.TaskCounter"
_BLOCK = 128 * 1024 * 1024
_RECORDS = 1_000_000

Kind = Literal["map", "reduce"]


@dataclass
class TroubledJob:
    """A job, and what is wrong with it.

    Attributes:
        slower: node -> how many times as long everything takes there.
        failing_nodes: node -> the diagnostics of every attempt on it.
        failing_tasks: (kind, number of the task) -> the diagnostics of each of its attempts.
        large_tasks: (kind, number of the task) -> how many times the data it has, and as long.
        data_only: large tasks take no longer.
        spills: how often a map writes each record of its output.
        collecting: share of their time that attempts collect garbage.
        duplicates: maps that have a second attempt, which is killed.
        until_s: what is known of it ends so long after its begin; None for all of it.
    """

    id: str = "job_1700000000_0001"
    user: str = "ada"
    nodes: int = 12
    maps: int = 120
    reduces: int = 36
    map_s: float = 40.0
    reduce_s: float = 60.0
    at_s: float = 0.0
    seed: int = 0
    slower: Mapping[int, float] = field(default_factory=dict)
    failing_nodes: Mapping[int, str | None] = field(default_factory=dict)
    failing_tasks: Mapping[tuple[Kind, int], str | None] = field(default_factory=dict)
    large_tasks: Mapping[tuple[Kind, int], float] = field(default_factory=dict)
    data_only: bool = False
    spills: float = 1.0
    collecting: float = 0.02
    duplicates: int = 0
    until_s: float | None = None

    def host(self, node: int) -> str:
        return f"node-{node:02d}"

    def attempt(self, kind: Kind, task: int, number: int = 0) -> str:
        return f"attempt_{self.id.removeprefix('job_')}_{kind[0]}_{task:06d}_{number}"

    def into(self, store: Store) -> Store:
        """Add its rows to a store."""
        rng = np.random.default_rng(self.seed)
        begin_s = BEGIN_S + self.at_s
        rows: list[dict[str, Any]] = []
        failed, end_s = False, begin_s
        for kind, tasks in (("map", self.maps), ("reduce", self.reduces)):
            if not failed:
                end_s, failed = self._phase(kind, tasks, end_s, rows, rng)
        job: dict[str, Any] = {
            "job": self.id, "name": "price report", "user": self.user, "submitted_s": begin_s,
            "launched_s": begin_s, "finished_s": end_s, "maps": self.maps, "reduces": self.reduces,
            "state": "failed" if failed else "succeeded",
        }  # fmt: skip
        if self.until_s is not None:
            rows = [_seen(row, begin_s + self.until_s) for row in rows]
            rows = [row for row in rows if row["started_s"] <= begin_s + self.until_s]
            job |= {"finished_s": None, "state": "running"}
        add_rows(store, self.id, {"jobs": [job], "attempts": rows})
        return store

    def _phase(
        self, kind: Kind, tasks: int, begin_s: float, rows: list[dict[str, Any]],
        rng: np.random.Generator,
    ) -> tuple[float, bool]:  # fmt: skip
        free = [begin_s + float(rng.uniform(0, 2)) for _ in range(self.nodes)]
        tried: dict[int, set[int]] = {}
        waiting = [(task, 0) for task in range(tasks)]
        while waiting:
            task, number = waiting.pop(0)
            others = [n for n in range(self.nodes) if n not in tried.get(task, set())]
            node = min(others or range(self.nodes), key=lambda each: free[each])
            row, ended_well = self._attempt(kind, task, number, node, free[node], rng)
            rows.append(row)
            free[node] = row["finished_s"]
            tried.setdefault(task, set()).add(node)
            if not ended_well and number == 3:
                return row["finished_s"], True
            if not ended_well:
                waiting.insert(0, (task, number + 1))
            elif kind == "map" and task < self.duplicates:
                rows.append({**row, "attempt": self.attempt(kind, task, 1), "state": "killed",
                             "host": self.host((node + 1) % self.nodes)})  # fmt: skip
        return max(free), False

    def _attempt(
        self, kind: Kind, task: int, number: int, node: int, start_s: float,
        rng: np.random.Generator,
    ) -> tuple[dict[str, Any], bool]:  # fmt: skip
        large = self.large_tasks.get((kind, task), 1.0)
        size = float(rng.lognormal(0, 0.1)) * large
        usual_s = self.map_s if kind == "map" else self.reduce_s
        longer = size / large if self.data_only else size
        seconds = usual_s * longer * float(rng.lognormal(0, 0.05)) * self.slower.get(node, 1.0)
        fails = (kind, task) in self.failing_tasks or node in self.failing_nodes
        seconds *= 0.5 if fails else 1.0
        row = {
            "job": self.id, "attempt": self.attempt(kind, task, number), "kind": kind,
            "host": self.host(node), "started_s": start_s, "finished_s": start_s + seconds,
            "state": "failed" if fails else "succeeded",
        }  # fmt: skip
        if fails:
            row["error"] = self.failing_tasks.get((kind, task), self.failing_nodes.get(node))
            return row, False
        if kind == "reduce":
            row |= {"shuffled_s": start_s + seconds / 3, "sorted_s": start_s + seconds / 2}
        row["counters"] = json.dumps({_TASKS: self._counters(kind, size, seconds)})
        row["read_bytes"] = int(size * _BLOCK)
        return row, True

    def _counters(self, kind: Kind, size: float, seconds: float) -> dict[str, int]:
        records = int(size * _RECORDS)
        common = {"GC_TIME_MILLIS": int(1000 * seconds * self.collecting)}
        if kind == "reduce":
            return common | {"REDUCE_INPUT_RECORDS": records, "SPILLED_RECORDS": records,
                             "REDUCE_SHUFFLE_BYTES": int(size * _BLOCK)}  # fmt: skip
        return common | {
            "MAP_INPUT_RECORDS": records, "MAP_OUTPUT_RECORDS": records,
            "MAP_OUTPUT_BYTES": int(size * _BLOCK), "SPILLED_RECORDS": int(records * self.spills),
        }  # fmt: skip


def _seen(row: dict[str, Any], until_s: float) -> dict[str, Any]:
    """The row as it is known at that moment."""
    if row["finished_s"] <= until_s:
        return row
    unknown = dict.fromkeys(("finished_s", "shuffled_s", "sorted_s", "counters", "error"))
    return {**row, **unknown, "state": "running"}


def add_rows(
    store: Store, source: str, tables: Mapping[str, Sequence[Mapping[str, Any]]], *,
    path: str | None = None, kind: str = "test",
) -> None:  # fmt: skip
    """Add rows to a store, as those of one source."""
    with store.writing(source) as writer:
        for table, rows in tables.items():
            writer.write(table, frame_of(table, rows))
        note = SourceNote(source, path or f"/logs/{source}", kind, 1, writer.rows, 0, None)
        writer.finish(note)
