"""Heartbeats of simulated clusters: round trips of a few milliseconds, now and then a pause."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

__all__ = ["HeartbeatCluster"]

BEGIN_S = 1.6e9


@dataclass
class HeartbeatCluster:
    """Heartbeats of one kind.

    Attributes:
        nodes: number of them, named ``node000`` and so on.
        delayed: node -> factor of its round trips from a third of the time on.
        stops_s: length of the stops of the master; none where 0.
        every_s: time between the begins of two stops, which begin at a third of the time.
        pauses: share of heartbeats that wait for a collection of garbage on the node.
    """

    nodes: int = 10
    seconds: float = 1800.0
    interval_s: float = 3.0
    usual_s: float = 0.005
    seed: int = 0
    delayed: dict[int, float] = field(default_factory=dict)
    stops_s: float = 0.0
    every_s: float = 90.0
    pauses: float = 0.005

    def table(self) -> pd.DataFrame:
        """Columns ``host``, ``at_s`` and ``round_trip_s``."""
        rng = np.random.default_rng(self.seed)
        parts = []
        for node in range(self.nodes):
            speed = np.exp(rng.normal(0, 0.2))
            now, sent, took = rng.uniform(0, self.interval_s), [], []
            while now < self.seconds:
                seconds = self.usual_s * speed * rng.lognormal(0, 0.6)
                if rng.random() < self.pauses:
                    seconds += rng.uniform(0.05, 0.5)
                if now > self.seconds / 3:
                    seconds *= self.delayed.get(node, 1.0)
                seconds += self._stopped_s(now)
                sent.append(now)
                took.append(seconds)
                now += max(self.interval_s, seconds)
            times = np.array(took)
            parts.append(pd.DataFrame({
                "host": f"node{node:03d}", "at_s": BEGIN_S + np.array(sent) + times,
                "round_trip_s": times,
            }))  # fmt: skip
        return pd.concat(parts, ignore_index=True)

    def _stopped_s(self, at_s: float) -> float:
        """How long the master still stops at a moment."""
        since = at_s - self.seconds / 3
        if not self.stops_s or since < 0:
            return 0.0
        return max(0.0, self.stops_s - since % self.every_s)
