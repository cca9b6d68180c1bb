"""Networks some of whose nodes lose packets, by a seed."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

__all__ = ["COLUMNS", "PAYLOAD", "START_S", "network"]

START_S = 1_760_000_000.0
PAYLOAD = 1448
COLUMNS = ("host", "at_s", "eth_txbyt", "retrans")


def network(
    nodes: int = 6,
    *,
    loss: dict[int, float] | None = None,
    seconds: int = 300,
    interval_s: float = 1.0,
    seed: int = 1,
    background: float = 2e-5,
    bytes_per_s: float = 3e5,
    busy: float = 0.3,
    from_s: float = 0.0,
) -> pd.DataFrame:
    """What each node sends to a partner of each second, and what is lost on the way.

    Args:
        nodes: of the network.
        loss: node -> the share of the packets that it loses, of those it sends and those it gets.
        seconds: of the run.
        interval_s: between two samples.
        seed: of the generator.
        background: loss of every path.
        bytes_per_s: that a busy node sends.
        busy: share of the time in which a node sends.
        from_s: when the loss begins.
    """
    rng = np.random.default_rng(seed)
    lost = np.zeros(nodes)
    for node, share in (loss or {}).items():
        lost[node] = share
    rows = []
    for second in range(seconds):
        for node in range(nodes):
            partner = int(rng.integers(0, nodes - 1))
            partner += partner >= node
            sent = rng.lognormal(math.log(bytes_per_s), 0.5) * (rng.random() < busy)
            arrives = 1 - background
            if second >= from_s:
                arrives *= (1 - lost[node]) * (1 - lost[partner])
            resent = rng.binomial(int(sent / PAYLOAD) + 1, 1 - arrives)
            rows.append((f"n{node}", second // interval_s, sent + 1500.0, float(resent)))
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    means = table.groupby(["host", "at_s"], as_index=False).mean()
    return means.assign(at_s=START_S + means["at_s"] * interval_s)
