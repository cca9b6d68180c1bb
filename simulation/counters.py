"""What the counters of each node show, second by second, given what runs on it."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy.signal import lfilter

from mprof.metrics import METRIC_NAMES
from simulation.work import Attempt, Machines

__all__ = ["heartbeats_of", "metrics_of"]

# user system iowait ctxt runq plist ldavg rx tx pgin pgout fault bread bwrtn abort rto
_IDLE = (2, 1, 0.3, 400, 0, 180, 0.1, 2e3, 2e3, 0, 40, 300, 0, 80, 0, 204)
_OF_ONE = {
    "map": (30, 5, 4, 2e3, 0.8, 40, 0.8, 3e5, 3e5, 9e3, 2e3, 5e3, 1.8e4, 4e3, 0, 0),
    "wait": (1, 0.5, 0.2, 200, 0, 40, 0.05, 1e4, 1e4, 0, 50, 100, 0, 100, 0, 0),
    "copy": (6, 6, 3, 4e3, 0.4, 40, 0.4, 8e6, 8e6, 2e3, 6e3, 2e3, 4e3, 1.2e4, 0, 4),
    "reduce": (20, 6, 6, 3e3, 0.8, 40, 0.8, 2e6, 4e6, 2e3, 1.2e4, 4e3, 4e3, 2.4e4, 0, 2),
    "hung": (0, 0, 0, 50, 0, 40, 0, 500, 500, 0, 0, 20, 0, 0, 0, 0),
}
_COLUMN = {name: place for place, name in enumerate(METRIC_NAMES)}
_PERCENT = [_COLUMN[name] for name in ("user", "system", "iowait")]
_STEADY = [_COLUMN[name] for name in ("plist_sz", "ldavg_1", "rto_max")]
_BY_PART = {
    0: ("user",), 1: ("pgpgin", "pgpgout", "bread", "bwrtn"), 2: ("eth_rxbyt", "eth_txbyt"),
}  # fmt: skip
_COPY_TAIL_S = 20.0
_PACKETS = 6  # of a heartbeat and its answer
_LOSS = 1e-5  # of a healthy network
_PAYLOAD_BYTES = 1448


def metrics_of(
    machines: Machines, attempts: Iterable[Attempt], *, seconds: int, begin_s: float, seed: int,
    interval_s: int = 1, rho: float = 0.0,
) -> pd.DataFrame:  # fmt: skip
    """Rows of the store's table ``metrics``.

    Args:
        machines: whose counters these are.
        attempts: what ran on them.
        seconds: how long.
        begin_s: since the epoch.
        seed: of the noise.
        interval_s: between two samples.
        rho: correlation of the noise of a second with that of the second before.
    """
    nodes = len(machines.speeds)
    busy = _busy(attempts, nodes, seconds)
    fault, several = machines.fault, len(machines.sick)
    frames = []
    for node in range(nodes):
        rng = np.random.default_rng([seed, node])
        own = sum(
            busy[kind][node, :seconds, None] * np.array(rates) for kind, rates in _OF_ONE.items()
        )
        ill = machines.is_sick(node, np.arange(seconds))
        for part, names in _BY_PART.items():
            factor = (fault.cpu, fault.disk, fault.net)[part]
            for name in names:
                own[ill, _COLUMN[name]] *= factor
        values = np.array(_IDLE) + own
        noise = _noise(rng, values.shape, 0.35, rho)
        noise[:, _PERCENT] = _noise(rng, (seconds, 3), 0.15, rho)
        noise[:, _STEADY] = _noise(rng, (seconds, 3), 0.01, rho)
        values *= rng.lognormal(0, 0.04, values.shape[1]) * noise
        values[:, _COLUMN["runq_sz"]] = rng.poisson(np.maximum(own[:, _COLUMN["runq_sz"]], 0))
        if ill.any():
            for name, more in fault.shows.items():
                values[ill, _COLUMN[name]] += more * rng.lognormal(0, 0.15, int(ill.sum()))
        values[:, _PERCENT] = np.clip(values[:, _PERCENT], 0, 98)
        frame = pd.DataFrame(values.astype(np.float32), columns=list(METRIC_NAMES))
        lost = np.full(seconds, _LOSS)
        if several:  # what is sent to the sick node is lost, too
            spell = machines.is_sick(machines.sick[0], np.arange(seconds))
            mine = 1.0 if node in machines.sick else several / max(nodes - 1, 1)
            lost[spell] += fault.loss * mine
        segments = np.maximum(values[:, _COLUMN["eth_txbyt"]], 0) / _PAYLOAD_BYTES
        frame["retrans"] = np.random.default_rng([seed, node, 1]).poisson(segments * lost)
        frame.insert(0, "at_s", begin_s + np.arange(seconds) + rng.uniform(0, 0.2))
        frame.insert(0, "host", f"n{node + 1}")
        kept = ~ill if fault.down else np.ones(seconds, dtype=bool)
        frames.append(frame[kept][::interval_s])
    return pd.concat(frames, ignore_index=True)


def _noise(
    rng: np.random.Generator, shape: tuple[int, ...], spread: float, rho: float
) -> np.ndarray:
    """Log-normal noise, AR(1) along the first axis."""
    steps = rng.normal(0, spread, shape)
    if rho:
        steps[1:] *= math.sqrt(1 - rho**2)
        steps = lfilter([1.0], [1.0, -rho], steps, axis=0)
    return np.exp(steps)


def _busy(attempts: Iterable[Attempt], nodes: int, seconds: int) -> dict[str, np.ndarray]:
    """How many attempts of a node are at what, each second."""
    steps = {kind: np.zeros((nodes, seconds + 1)) for kind in _OF_ONE}

    def add(kind: str, node: int, begin: float | None, end: float | None) -> None:
        if begin is None or end is None or begin >= end:
            return
        steps[kind][node, min(int(begin), seconds)] += 1
        steps[kind][node, min(int(end), seconds)] -= 1

    for each in attempts:
        end = each.finished_s
        hung = each.hung_from_s
        if hung is not None:
            add("hung", each.node, hung, end)
            end = hung
        if each.kind == "map":
            add("map", each.node, each.started_s, end)
            continue
        shuffled = each.shuffled_s if each.shuffled_s is not None else end
        if shuffled is None:
            continue
        shuffled = min(shuffled, end) if end is not None else shuffled
        copying = max(each.started_s, shuffled - _COPY_TAIL_S)
        add("wait", each.node, each.started_s, copying)
        add("copy", each.node, copying, shuffled)
        add("reduce", each.node, shuffled, end)
    return {kind: np.cumsum(each, axis=1) for kind, each in steps.items()}


def heartbeats_of(
    machines: Machines,
    *,
    seconds: int,
    begin_s: float,
    seed: int,
    stops: tuple[tuple[float, float], ...],
    interval_s: float = 3.0,
) -> pd.DataFrame:
    """Rows of the store's table ``heartbeats``: those of NodeManagers."""
    fault, frames = machines.fault, []
    for node in range(len(machines.speeds)):
        rng = np.random.default_rng([seed, node, 1])
        sent = np.arange(rng.uniform(0, interval_s), seconds, interval_s)
        took = 0.005 * rng.lognormal(0, 0.2) * rng.lognormal(0, 0.6, len(sent))
        took += np.where(rng.random(len(sent)) < 0.005, rng.uniform(0.05, 0.5, len(sent)), 0)
        if node in machines.sick:
            late = machines.is_sick(node, sent)
            took[late] /= fault.cpu
            # Each packet is sent again after 0.2 s, then twice that, until it arrives.
            lost = rng.geometric(1 - fault.loss, (len(sent), _PACKETS)) - 1
            again = (0.2 * (2.0 ** np.minimum(lost, 6) - 1)).sum(axis=1)
            took[late] += again[late]
            if fault.down:
                sent, took = sent[~late], took[~late]
        for begin, end in stops:
            inside = (sent >= begin) & (sent < end)
            took[inside] += end - sent[inside]
            # The next one is sent when this one was answered.
            kept = ~inside | (np.cumsum(inside) == 1)
            sent, took = sent[kept], took[kept]
        frames.append(
            pd.DataFrame(
                {
                    "host": f"n{node + 1}", "at_s": begin_s + sent + took,
                    "kind": "nodeHeartbeat", "round_trip_s": took,
                }
            )
        )  # fmt: skip
    return pd.concat(frames, ignore_index=True)
