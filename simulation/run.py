"""A simulated run as a recording: a store, and a label as the testbed writes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from mprof.store import TABLES, SourceNote, Store, frame_of
from simulation.counters import heartbeats_of, metrics_of
from simulation.faults import FAULTS, Fault
from simulation.work import Attempt, Machines, ran

__all__ = ["Run"]

BEGIN_S = 1_790_000_000.0
_SPREAD = 0.04  # of healthy nodes' speeds: standard deviation of the logarithm
_AFTER_S = 10
_LONGEST_S = 1800
_STOP_S, _EVERY_S = 20.0, 25.0  # as the testbed stops its ResourceManager


@dataclass(frozen=True)
class Run:
    """One run.

    Attributes:
        nodes: 6 to 1,000.
        seed: of all that is drawn, and of the node that has the fault.
        fault: its name in `FAULTS`; None for a control.
        jobs: one after the other.
        maps_a_node: map tasks of a job, for each node.
        reduces_a_node: likewise; without reduces nothing is shuffled.
        fault_from_s: since the begin of the run.
    """

    nodes: int = 6
    seed: int = 1
    fault: str | None = None
    jobs: int = 3
    maps_a_node: int = 12
    reduces_a_node: int = 6
    fault_from_s: float = 60.0

    @property
    def label(self) -> dict[str, Any]:
        """As the testbed writes it."""
        return {"fault": self.fault, "node": self.node, "workload": "simulated", "seed": self.seed}

    @property
    def node(self) -> str | None:
        """The node that has the fault; ``master`` where it is the master's."""
        if self.fault is None:
            return None
        return "master" if FAULTS[self.fault].master else f"n{self._sick + 1}"

    @property
    def _sick(self) -> int:
        return int(np.random.default_rng([self.seed, 7]).integers(self.nodes))

    def record(self, folder: Path) -> Path:
        """Write the run as a recording: ``store/`` and ``label.json``."""
        fault = FAULTS[self.fault] if self.fault else Fault()
        on_a_node = self.fault is not None and not fault.master
        rng = np.random.default_rng(self.seed)
        machines = Machines(
            speeds=np.exp(rng.normal(0, _SPREAD, (self.nodes, 3))),
            sick=self._sick if on_a_node else -1,
            fault=fault,
            from_s=self.fault_from_s,
        )
        stops: tuple[tuple[float, float], ...] = ()
        if fault.master:
            begins = np.arange(self.fault_from_s, _LONGEST_S, _EVERY_S)
            stops = tuple((float(begin), float(begin) + _STOP_S) for begin in begins)
        attempts = ran(
            machines, rng, jobs=self.jobs, maps=self.nodes * self.maps_a_node,
            reduces=self.nodes * self.reduces_a_node, slots=2, stops=stops,
        )  # fmt: skip
        last = max(each.finished_s for each in attempts if each.finished_s is not None)
        seconds = min(_LONGEST_S, int(last) + _AFTER_S)
        metrics = metrics_of(machines, attempts, seconds=seconds, begin_s=BEGIN_S, seed=self.seed)
        heartbeats = heartbeats_of(
            machines, stops=stops, seconds=seconds, begin_s=BEGIN_S, seed=self.seed
        )
        tables = {
            "attempts": frame_of("attempts", list(map(_attempt, range(len(attempts)), attempts))),
            "transfers": frame_of("transfers", [row for each in attempts for row in _writes(each)]),
            "nodes": frame_of("nodes", [{"host": f"n{n + 1}", "known_from": "simulation"}
                                        for n in range(self.nodes)]),
            "metrics": frame_of("metrics", _columns(metrics)),
            "heartbeats": frame_of("heartbeats", _columns(heartbeats)),
        }  # fmt: skip
        _write(Store(folder / "store"), tables)
        (folder / "label.json").write_text(json.dumps(self.label))
        return folder


def _columns(frame: pd.DataFrame) -> dict[str, Any]:
    return {str(name): frame[name].to_numpy() for name in frame}


def _write(store: Store, tables: Mapping[str, pa.Table]) -> None:
    with store.writing("simulated") as writer:
        for name, table in tables.items():
            writer.write(name, table.cast(TABLES[name]))
        writer.finish(SourceNote("simulated", "simulated", "simulation", 0, writer.rows, 0, None))


def _at(seconds: float | None) -> float | None:
    return None if seconds is None else BEGIN_S + seconds


def _attempt(number: int, each: Attempt) -> dict[str, Any]:
    return {
        "job": f"job_{each.job + 1}", "attempt": f"attempt_{number:06d}", "kind": each.kind,
        "host": f"n{each.node + 1}", "started_s": _at(each.started_s),
        "shuffled_s": _at(each.shuffled_s), "sorted_s": _at(each.sorted_s),
        "finished_s": _at(each.finished_s), "state": each.state,
    }  # fmt: skip


def _writes(each: Attempt) -> list[dict[str, Any]]:
    """One write on each node of the pipeline: all of them take as long as the slowest."""
    if each.wrote_from_s is None or each.finished_s is None:
        return []
    return [
        {"host": f"n{node + 1}", "operation": "HDFS_WRITE", "started_s": _at(each.wrote_from_s),
         "seconds": each.finished_s - each.wrote_from_s, "status": "ok"}
        for node in each.pipeline
    ]  # fmt: skip
