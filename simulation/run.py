"""A simulated run as a recording: a store, and a label as the testbed writes it."""

from __future__ import annotations

import json
import math
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
_OF_OLDER = 0.6  # of the speed of the others
_AFTER_S = 10
_LONGEST_S = 1800
_STOP_S, _EVERY_S = 20.0, 25.0  # as the testbed stops its ResourceManager


@dataclass(frozen=True)
class Run:
    """One run.

    Attributes:
        nodes: 6 to 1,000.
        seed: of all that is drawn, and of the nodes that have the fault.
        fault: its name in `FAULTS`, or itself; None for a control.
        jobs: one after the other.
        maps_a_node: map tasks of a job, for each node.
        reduces_a_node: likewise; without reduces nothing is shuffled.
        fault_from_s: since the begin of the run.
        sick: number of nodes that have the fault.
        seconds: after which no job begins.
        spells: begin and end of each time with the fault, as shares of the seconds; where None, it
            is there from ``fault_from_s`` on.
        skew: standard deviation of the logarithm of the work of an attempt.
        rho: of the noise of metrics, from second to second.
        interval_s: between two samples of metrics.
        older: share of the nodes that are of an older generation, at 0.6 of the speed.
    """

    nodes: int = 6
    seed: int = 1
    fault: str | Fault | None = None
    jobs: int = 3
    maps_a_node: int = 12
    reduces_a_node: int = 6
    fault_from_s: float = 60.0
    sick: int = 1
    seconds: float = math.inf
    spells: tuple[tuple[float, float], ...] | None = None
    skew: float = 0.3
    rho: float = 0.0
    interval_s: int = 1
    older: float = 0.0

    @property
    def label(self) -> dict[str, Any]:
        """As the testbed writes it."""
        name = self.fault if isinstance(self.fault, str) or self.fault is None else "fault"
        return {"fault": name, "node": self.node, "workload": "simulated", "seed": self.seed}

    @property
    def node(self) -> str | None:
        """The first node that has the fault; ``master`` where it is the master's."""
        if self.fault is None:
            return None
        return "master" if self._fault.master else f"n{self._sick[0] + 1}"

    @property
    def sick_nodes(self) -> frozenset[str]:
        """All nodes that have the fault."""
        return frozenset(f"n{number + 1}" for number in self._sick)

    @property
    def spells_s(self) -> tuple[tuple[float, float], ...]:
        """Begin and end of each time with the fault, seconds since the begin of the run."""
        if self.spells is None:
            return ((self.fault_from_s, math.inf),)
        return tuple(
            (begin * self.seconds, end * self.seconds if end < 1 else math.inf)
            for begin, end in self.spells
        )

    @property
    def _fault(self) -> Fault:
        return FAULTS[self.fault] if isinstance(self.fault, str) else self.fault or Fault()

    @property
    def _sick(self) -> tuple[int, ...]:
        if self.fault is None or self._fault.master:
            return ()
        rng = np.random.default_rng([self.seed, 7])
        first = int(rng.integers(self.nodes))
        others = [int(one) for one in rng.permutation(self.nodes) if one != first]
        return (first, *others[: self.sick - 1])

    def record(self, folder: Path) -> Path:
        """Write the run as a recording: ``store/`` and ``label.json``."""
        fault = self._fault
        rng = np.random.default_rng(self.seed)
        speeds = np.exp(rng.normal(0, _SPREAD, (self.nodes, 3)))
        is_older = np.arange(self.nodes) < round(self.nodes * self.older)
        speeds[is_older] *= _OF_OLDER
        machines = Machines(
            speeds=speeds, sick=self._sick, fault=fault, spells=self.spells_s, skew=self.skew
        )
        stops: tuple[tuple[float, float], ...] = ()
        if fault.master:
            begins = np.arange(self.fault_from_s, _LONGEST_S, _EVERY_S)
            stops = tuple((float(begin), float(begin) + _STOP_S) for begin in begins)
        attempts = ran(
            machines, rng, jobs=self.jobs, maps=self.nodes * self.maps_a_node,
            reduces=self.nodes * self.reduces_a_node, slots=2, until_s=self.seconds, stops=stops,
        )  # fmt: skip
        last = max(each.finished_s for each in attempts if each.finished_s is not None)
        seconds = int(last) + _AFTER_S
        if math.isinf(self.seconds):
            seconds = min(_LONGEST_S, seconds)
        metrics = metrics_of(
            machines, attempts, seconds=seconds, begin_s=BEGIN_S, seed=self.seed,
            interval_s=self.interval_s, rho=self.rho,
        )  # fmt: skip
        heartbeats = heartbeats_of(
            machines, stops=stops, seconds=seconds, begin_s=BEGIN_S, seed=self.seed
        )
        tables = {
            "attempts": frame_of("attempts", list(map(_attempt, range(len(attempts)), attempts))),
            "transfers": frame_of("transfers", [row for each in attempts for row in _writes(each)]),
            "nodes": frame_of("nodes", [{"host": f"n{n + 1}", "known_from": "simulation"}
                                        for n in range(self.nodes)]),
            "hardware": frame_of("hardware", _hardware(is_older) if self.older else []),
            "metrics": frame_of("metrics", _columns(metrics)),
            "heartbeats": frame_of("heartbeats", _columns(heartbeats)),
        }  # fmt: skip
        _write(Store(folder / "store"), tables)
        (folder / "label.json").write_text(json.dumps(self.label))
        return folder


def _hardware(is_older: np.ndarray) -> list[dict[str, Any]]:
    return [
        {"host": f"n{node + 1}", "what": "processors", "amount": 8.0 if older else 16.0}
        for node, older in enumerate(is_older)
    ]


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
