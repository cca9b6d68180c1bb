"""Recordings of a simulated cluster as the files that real ones leave, told badly.

The truth is that of a `simulation.Run`. What is told badly: clocks of nodes that are ahead or
behind, nodes that have another name in each source, histories and logs that end too early. None of
that makes a node sick, and none of it makes a sick node well.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from mprof.metrics import METRIC_NAMES
from mprof.store import Store
from simulation.run import Run

__all__ = ["Told", "address", "plain"]

_TRACE = "INFO org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace"
_BLOCK = 67_108_864

Naming = Callable[[int], str]


def plain(node: int) -> str:
    """``n4``."""
    return f"n{node}"


def address(node: int) -> str:
    """The address of a node: its number is the last part."""
    return f"10.0.0.{node}"


@dataclass(frozen=True)
class Told:
    """How a run is told.

    Attributes:
        run: what happened. Nodes have the numbers 1, 2, ...
        in_history, in_metrics, in_logs, in_list: the name of a node in each source; None for a
            source that is not there.
        ahead_s: by node, how many seconds the clock of its metrics and logs is ahead, at a time.
        history_until: share of the characters of the last history that is there.
        until: by source (``metrics``, ``logs``) and node, the share of its lines that is there,
            from the begin; of a negative one, from the end.
        fails: nodes of which each attempt fails, and what it says.
        killed: every attempt is killed.
    """

    run: Run
    in_history: Naming | None = plain
    in_metrics: Naming | None = plain
    in_logs: Naming | None = plain
    in_list: Naming | None = None
    ahead_s: Mapping[int, Callable[[float], float]] = field(default_factory=dict)
    history_until: float = 1.0
    until: Mapping[tuple[str, int], float] = field(default_factory=dict)
    fails: frozenset[int] = frozenset()
    state: str | None = None

    def write(self, folder: Path) -> list[Path]:
        """The files, in folders by their source."""
        tables = Store.at(self.run.record(folder / "run") / "store")
        found = []
        if self.in_history is not None:
            found.append(self._histories(tables.read("attempts"), folder / "histories"))
        if self.in_metrics is not None:
            found.append(self._metrics(tables.read("metrics"), folder / "metrics"))
        if self.in_logs is not None:
            found.append(self._logs(tables.read("transfers"), folder / "logs"))
        if self.in_list is not None:
            lines = [self.in_list(node) for node in range(1, self.run.nodes + 1)]
            (folder / "workers").write_text("\n".join(lines) + "\n")
            found.append(folder / "workers")
        return found

    def _ahead(self, node: int, at_s: float) -> float:
        return self.ahead_s[node](at_s) if node in self.ahead_s else 0.0

    def _kept(self, source: str, node: int, lines: list[str]) -> list[str]:
        share = self.until.get((source, node), 1.0)
        count = round(abs(share) * len(lines))
        return lines[:count] if share >= 0 else lines[len(lines) - count :]

    def _histories(self, attempts: pd.DataFrame, folder: Path) -> Path:
        folder.mkdir(parents=True)
        assert self.in_history is not None
        jobs = sorted(set(attempts["job"]), key=lambda job: int(job.removeprefix("job_")))
        for job in jobs:
            rows = attempts[attempts["job"] == job]
            name = f"202609210000_{int(job.removeprefix('job_')):04d}"
            text = "".join(self._history(name, rows))
            if job == jobs[-1]:
                text = text[: round(len(text) * self.history_until)]
            (folder / f"job_{name}_ada_count").write_text(text)
        return folder

    def _history(self, name: str, rows: pd.DataFrame) -> Iterable[str]:
        assert self.in_history is not None
        job = f'Job JOBID="job_{name}"'
        begin_ms = round(1000 * rows["started_s"].min())
        events: list[tuple[int, str]] = []
        counts = {"map": 0, "reduce": 0}
        for row in rows.itertuples():
            kind = str(row.kind)
            task = f"{name}_{kind[0]}_{counts[kind]:06d}"
            counts[kind] += 1
            node = int(str(row.host).removeprefix("n"))
            host = self.in_history(node)
            bare = host.rpartition("/")[2]
            record = "MapAttempt" if kind == "map" else "ReduceAttempt"
            head = (
                f'{record} TASK_TYPE="{kind.upper()}" TASKID="task_{task}" '
                f'TASK_ATTEMPT_ID="attempt_{task}_0"'
            )
            started_ms = round(1000 * row.started_s)
            tracker = f"tracker_{bare}:localhost/127\\.0\\.0\\.1:45011"
            events.append(
                (started_ms, f'{head} START_TIME="{started_ms}" TRACKER_NAME="{tracker}" .\n')
            )
            if row.finished_s is None or not math.isfinite(row.finished_s):
                continue
            ended_ms = round(1000 * row.finished_s)
            state = self.state or ("failed" if node in self.fails else row.state)
            status = {"succeeded": "SUCCESS", "failed": "FAILED", "killed": "KILLED"}[state]
            more = ' ERROR="java\\.io\\.IOException: spill failed"' if state == "failed" else ""
            if kind == "reduce" and state == "succeeded" and pd.notna(row.sorted_s):
                more += (
                    f' SHUFFLE_FINISHED="{round(1000 * row.shuffled_s)}"'
                    f' SORT_FINISHED="{round(1000 * row.sorted_s)}"'
                )
            told = host if host.startswith("/") else f"/default-rack/{host}"
            end = f'{head} TASK_STATUS="{status}" FINISH_TIME="{ended_ms}"'
            events.append((ended_ms, f'{end} HOSTNAME="{told}"{more} .\n'))
        yield 'Meta VERSION="1" .\n'
        yield f'{job} JOBNAME="count" USER="ada" SUBMIT_TIME="{begin_ms - 2000}" .\n'
        yield (
            f'{job} LAUNCH_TIME="{begin_ms - 1000}" TOTAL_MAPS="{counts["map"]}"'
            f' TOTAL_REDUCES="{counts["reduce"]}" .\n'
        )
        events.sort()
        yield from (line for _, line in events)
        yield f'{job} FINISH_TIME="{events[-1][0] + 1000}" JOB_STATUS="SUCCESS" .\n'

    def _metrics(self, rows: pd.DataFrame, folder: Path) -> Path:
        folder.mkdir(parents=True)
        assert self.in_metrics is not None
        for host, of_host in rows.sort_values("at_s").groupby("host"):
            node = int(str(host).removeprefix("n"))
            lines = []
            for row in of_host[["at_s", *METRIC_NAMES]].to_dict("records"):
                at_s = row["at_s"] + self._ahead(node, row["at_s"])
                lines.append(json.dumps({"host": self.in_metrics(node), **row, "at_s": at_s}))
            kept = self._kept("metrics", node, lines)
            (folder / f"metrics-{node:02d}.jsonl").write_text("".join(f"{one}\n" for one in kept))
        return folder

    def _logs(self, rows: pd.DataFrame, folder: Path) -> Path:
        folder.mkdir(parents=True)
        assert self.in_logs is not None
        # The nodes of a pipeline write one block, in the same time.
        rows = rows.assign(block=rows.groupby(["started_s", "seconds"]).ngroup())
        for host, of_host in rows.sort_values("started_s").groupby("host"):
            node = int(str(host).removeprefix("n"))
            lines = []
            for number, row in enumerate(of_host.itertuples()):
                ended_s = row.started_s + row.seconds
                ended_s += self._ahead(node, ended_s)
                at = datetime.fromtimestamp(ended_s, UTC)
                lines.append(
                    f"{at:%Y-%m-%d %H:%M:%S},{at.microsecond // 1000:03d} {_TRACE}: src:"
                    f" /{address(1 + number % self.run.nodes)}:40312, dest: /{address(node)}:9866,"
                    f" bytes: {_BLOCK}, op: HDFS_WRITE, cliID: c, offset: 0, srvID: s{node},"
                    f" blockid: BP-1-10.0.0.100-1:blk_{row.block + 1}_1, duration(ns):"
                    f" {round(1e9 * row.seconds)}"
                )
            kept = self._kept("logs", node, lines)
            name = f"hadoop-hdfs-datanode-{self.in_logs(node)}.log"
            (folder / name).write_text("".join(f"{one}\n" for one in kept))
        return folder
