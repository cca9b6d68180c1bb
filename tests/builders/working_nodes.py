"""Attempts of jobs on simulated clusters: slots that take the next task as they become free."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

__all__ = ["BEGIN_S", "WorkingCluster"]

BEGIN_S = 1.6e9
_SPREAD = 0.35  # of the logarithm of durations: a factor of 1.4 either way


@dataclass
class WorkingCluster:
    """What runs on which nodes.

    Attributes:
        nodes: number of them, named ``node000`` and so on.
        slots: attempts that a node runs at a time; more per node in ``slots_of``.
        maps: tasks of the job, each of about ``map_s``.
        reduces: that start after the first tenth of the maps and take ten times as long.
        slower: node -> factor by which its attempts take longer.
        hung_at_s: node -> time after which nothing that it runs ends, nor is anything given to it.
        spread: of healthy nodes' speeds (standard deviation of the logarithm).
    """

    nodes: int = 10
    slots: int = 2
    maps: int = 600
    map_s: float = 30.0
    reduces: int = 0
    seed: int = 0
    slower: dict[int, float] = field(default_factory=dict)
    hung_at_s: dict[int, float] = field(default_factory=dict)
    slots_of: dict[int, int] = field(default_factory=dict)
    spread: float = 0.05
    job: str = "job_1_0001"
    begin_s: float = BEGIN_S

    def attempts(self) -> pd.DataFrame:
        """Rows as of the store's table."""
        rng = np.random.default_rng(self.seed)
        speed = np.exp(rng.normal(0, self.spread, self.nodes))
        for node, factor in self.slower.items():
            speed[node] *= factor
        free = [
            (0.0, float(rng.random()), node)
            for node in range(self.nodes)
            for _ in range(self.slots_of.get(node, self.slots))
        ]
        heapq.heapify(free)
        kinds = ["map"] * self.maps
        for number in range(self.reduces):
            kinds.insert(self.maps // 10 + number, "reduce")
        rows = []
        for number, kind in enumerate(kinds):
            now, _, node = heapq.heappop(free)
            seconds = rng.lognormal(np.log(self.map_s), _SPREAD) * speed[node]
            seconds *= 10 if kind == "reduce" else 1
            end = now + seconds
            hung = end > self.hung_at_s.get(node, np.inf)
            rows.append(
                {
                    "source": "a", "job": self.job, "attempt": f"attempt_{number:06d}_0",
                    "kind": kind, "host": f"node{node:03d}", "started_s": self.begin_s + now,
                    "finished_s": None if hung else self.begin_s + end,
                    "state": "running" if hung else "succeeded",
                }
            )  # fmt: skip
            if not hung:
                heapq.heappush(free, (end + 1.0 + rng.random(), float(rng.random()), node))
        return pd.DataFrame(rows)
