"""Rules that are simpler than the detectors, or were published, for a comparison on recordings."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import pandas as pd

from mprof.metrics import METRIC_NAMES
from testbed.judging import Verdict
from testbed.recorded import Recorded
from tests.benchmarks.tracebench import QUANTILE, distances, slow_peers

__all__ = ["PAPERS_RULE", "SIMPLER", "simpler_verdicts"]

PAPERS_RULE: Final = "papers' majority"

SIMPLER: Final = {
    "HDFS slow peers": (
        "HDFS's `OutlierDetector` on the nodes' medians of block writes, without its least number"
        " of nodes (10)"
    ),
    PAPERS_RULE: (
        "the median square-root Jensen-Shannon distance of the durations of a node's map attempts"
        f" to those of the others, above the {QUANTILE:.0%} quantile of the controls (a control by"
        " the other ones)"
    ),
    "MAD": "the mean of some metric is further from the median of the nodes than 3 x 1.4826 MAD",
    "slowest mean": "the node whose map attempts take longest on average, whatever it is",
    "random node": "a node by chance, drawn for each recording",
}
"""By name: what it does."""

_LEAST: Final = 5
_WRITE: Final = "HDFS_WRITE"
_DEVIATIONS: Final = 3 * 1.4826
_Rule = Callable[[Recorded], frozenset[str]]


def simpler_verdicts(every: Sequence[Recorded]) -> dict[str, dict[str, Verdict]]:
    """By rule and name of the recording, what the rule says."""
    rules: dict[str, _Rule] = {
        "HDFS slow peers": _hdfs,
        PAPERS_RULE: _majority(every),
        "MAD": _far_from_the_median,
        "slowest mean": _slowest_mean,
        "random node": _random,
    }
    return {
        name: {one.name: Verdict(rule(one), frozenset(one.slaves)) for one in every}
        for name, rule in rules.items()
    }


def _hdfs(one: Recorded) -> frozenset[str]:
    rows = one.tables["transfers"]
    return slow_peers(_samples(rows[rows["operation"] == _WRITE], one)).nodes


def _maps(one: Recorded) -> dict[str, np.ndarray]:
    rows = one.attempts[(one.attempts["kind"] == "map") & (one.attempts["state"] == "succeeded")]
    return _samples(rows.assign(seconds=rows["finished_s"] - rows["started_s"]), one)


def _samples(rows: pd.DataFrame, one: Recorded) -> dict[str, np.ndarray]:
    by_host = {str(host): each.to_numpy() for host, each in rows.groupby("host")["seconds"]}
    return {
        host: each for host, each in by_host.items() if host in one.slaves and len(each) >= _LEAST
    }


def _majority(every: Sequence[Recorded]) -> _Rule:
    known = {one.name: distances(_maps(one)) for one in every}
    controls = [one.name for one in every if one.fault is None]

    def named(one: Recorded) -> frozenset[str]:
        seen = [d for name in controls if name != one.name for d in known[name].values()]
        if not seen:
            return frozenset()
        bound = float(np.quantile(seen, QUANTILE))
        return frozenset(host for host, distance in known[one.name].items() if distance > bound)

    return named


def _far_from_the_median(one: Recorded) -> frozenset[str]:
    metrics = one.tables["metrics"]
    names = [name for name in METRIC_NAMES if metrics[name].notna().any()]
    means = metrics.groupby("host")[names].mean()
    away = (means - means.median()).abs()
    far = away > _DEVIATIONS * away.median()
    return frozenset(str(host) for host in means.index[far.any(axis=1)])


def _slowest_mean(one: Recorded) -> frozenset[str]:
    means = {host: float(each.mean()) for host, each in _maps(one).items()}
    return frozenset({max(means, key=lambda host: means[host])} if means else ())


def _random(one: Recorded) -> frozenset[str]:
    return frozenset({random.Random(one.name).choice(one.slaves)})
