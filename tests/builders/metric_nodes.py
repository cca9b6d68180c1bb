"""Simulated nodes: all run the same phases, each with its own noise and its own small offsets.

Levels are rough figures of a small Hadoop worker; what matters is that phases differ, that nodes
enter them at slightly different times, and that a fault moves the metrics that it would move.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mprof.metrics import METRIC_NAMES

START_S = 1_760_000_000.0

# user system iowait ctxt runq plist ldavg rx tx pgin pgout fault bread bwrtn abort rto
PHASES = {
    "idle": (2, 1, 0.3, 400, 0, 180, 0.1, 2e3, 2e3, 0, 40, 300, 0, 80, 0, 204),
    "map-read": (35, 10, 12, 6e3, 2, 230, 1.8, 4e6, 2e6, 3e4, 2e3, 8e3, 6e4, 4e3, 0, 204),
    "map-sort": (75, 8, 3, 5e3, 3, 230, 2.6, 3e5, 3e5, 2e3, 1e4, 2e4, 4e3, 2e4, 0, 204),
    "shuffle": (20, 15, 8, 1.2e4, 1, 240, 1.4, 2e7, 2e7, 8e3, 1.5e4, 6e3, 1.6e4, 3e4, 0, 212),
    "reduce": (55, 12, 10, 7e3, 2, 235, 2.2, 6e6, 8e6, 4e3, 3e4, 1e4, 8e3, 6e4, 0, 208),
}
ORDER = ("idle", "map-read", "map-sort", "map-read", "map-sort", "shuffle", "reduce")
_COLUMN = {name: place for place, name in enumerate(METRIC_NAMES)}
_PERCENT = [_COLUMN["user"], _COLUMN["system"], _COLUMN["iowait"]]

Fault = Callable[[np.ndarray, np.random.Generator], None]


def cpu_hog(values: np.ndarray, generator: np.random.Generator) -> None:
    """A spinner that takes 70 % of the node's processors; the job gets the rest."""
    count = len(values)
    values[:, _COLUMN["user"]] = np.minimum(
        0.3 * values[:, _COLUMN["user"]] + 70, 98
    ) + generator.normal(0, 1, count)
    values[:, _COLUMN["system"]] *= 0.5
    values[:, _COLUMN["runq_sz"]] += 4
    values[:, _COLUMN["ldavg_1"]] += 4
    for name in ("eth_rxbyt", "eth_txbyt", "pgpgin", "pgpgout", "bread", "bwrtn"):
        values[:, _COLUMN[name]] *= 0.5


def disk_hog(values: np.ndarray, generator: np.random.Generator) -> None:
    """A sequential writer on the node's disk."""
    written = generator.lognormal(np.log(9e4), 0.2, len(values))
    values[:, _COLUMN["pgpgout"]] += written
    values[:, _COLUMN["bwrtn"]] += 2 * written
    values[:, _COLUMN["iowait"]] = np.minimum(values[:, _COLUMN["iowait"]] + 35, 95)
    values[:, _COLUMN["user"]] *= 0.7


@dataclass(frozen=True)
class Cluster:
    """A run: so many nodes, for so long, some of them at fault from a moment on."""

    nodes: int = 10
    seconds: int = 900
    interval_s: float = 1.0
    seed: int = 1
    faults: Mapping[int, Fault] | None = None
    fault_from_s: float = 120.0

    def table(self) -> pd.DataFrame:
        """One row a node and sample."""
        generator = np.random.default_rng(self.seed)
        schedule = _schedule(generator, self.seconds)
        frames = [
            self._node(number, schedule, np.random.default_rng([self.seed, number]))
            for number in range(self.nodes)
        ]
        return pd.concat(frames, ignore_index=True)

    def _node(
        self, number: int, schedule: np.ndarray, generator: np.random.Generator
    ) -> pd.DataFrame:
        at = np.arange(0, self.seconds, self.interval_s) + generator.uniform(0, 0.2)
        # tasks of a node start and end some seconds apart from those of its peers
        late = generator.normal(0, 4) + np.cumsum(generator.normal(0, 0.3, len(at)))
        second = np.clip((at + late).astype(int), 0, len(schedule) - 1)
        levels = np.array([PHASES[name] for name in ORDER])[schedule[second]]
        gain = generator.lognormal(0, 0.04, levels.shape[1])
        noise = generator.lognormal(0, 0.35, levels.shape)
        noise[:, _PERCENT] = generator.lognormal(0, 0.15, (len(at), 3))
        steady = [_COLUMN["plist_sz"], _COLUMN["ldavg_1"], _COLUMN["rto_max"]]
        noise[:, steady] = generator.lognormal(0, 0.01, (len(at), 3))
        values = levels * gain * noise
        values[:, _COLUMN["runq_sz"]] = generator.poisson(levels[:, _COLUMN["runq_sz"]])
        fault = (self.faults or {}).get(number)
        if fault is not None:
            sick = at >= self.fault_from_s
            part = values[sick]
            fault(part, generator)
            values[sick] = part
        values[:, _PERCENT] = np.clip(values[:, _PERCENT], 0, 100)
        frame = pd.DataFrame(values.astype(np.float32), columns=list(METRIC_NAMES))
        frame.insert(0, "at_s", START_S + at)
        frame.insert(0, "host", f"node{number:03d}")
        return frame


def _schedule(generator: np.random.Generator, seconds: int) -> np.ndarray:
    """The phase of every second: number into ``ORDER``."""
    phases: list[int] = []
    while len(phases) < seconds:
        for place in range(len(ORDER)):
            phases += [place] * int(generator.uniform(20, 70))
    return np.array(phases[:seconds])
