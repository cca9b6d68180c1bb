"""Kahuna, Ganesha and Blimey written once more from their papers: plain loops, nothing shared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.spatial.distance import jensenshannon
from scipy.stats import ks_2samp, multivariate_normal


def labels(
    vectors: np.ndarray, means: np.ndarray, covariances: np.ndarray, cuts: Sequence[float] | None
) -> list[int]:
    """The best Gaussian of each vector; their number where it is beyond the cut of every one."""
    found = []
    for vector in vectors:
        density = [
            multivariate_normal(mean, covariance).logpdf(vector)
            for mean, covariance in zip(means, covariances, strict=True)
        ]
        far = cuts is not None and all(
            (vector - mean) @ np.linalg.inv(covariance) @ (vector - mean) > cut
            for mean, covariance, cut in zip(means, covariances, cuts, strict=True)
        )
        found.append(len(means) if far else int(np.argmax(density)))
    return found


def indicted_by_profiles(
    seen: np.ndarray,
    *,
    decay: float,
    warm_up: float,
    threshold: float,
    alarm_decay: float | None = None,
    count_above: float = 0.0,
) -> set[int]:
    """Nodes that Ganesha indicts, or Kahuna-BB where alarms are not counted.

    Args:
        seen: labels, a row a moment, a column a node; -1 is no sample.
        decay: of the counts of a histogram, a sample.
        warm_up: samples before a node is compared.
        threshold: of the distance.
        alarm_decay: of the number of alarms, a sample.
        count_above: of the number of alarms.
    """
    nodes = seen.shape[1]
    histograms: list[dict[int, float]] = [{} for _ in range(nodes)]
    samples, counts = [0] * nodes, [0.0] * nodes
    indicted = set()
    for moment in seen:
        for node, label in enumerate(moment.tolist()):
            if label < 0:
                continue
            mine = {one: count * decay for one, count in histograms[node].items()}
            mine[label] = mine.get(label, 0.0) + 1
            histograms[node] = mine
            samples[node] += 1
        compared = [node for node in range(nodes) if samples[node] >= warm_up]
        for node in compared:
            others = [other for other in compared if other != node]
            far = sum(_apart(histograms[node], histograms[other]) > threshold for other in others)
            is_alarm = bool(others) and far > (len(compared) - 1) / 2
            if alarm_decay is None:
                if is_alarm:
                    indicted.add(node)
                continue
            counts[node] = counts[node] * alarm_decay + is_alarm
            if counts[node] > count_above:
                indicted.add(node)
    return indicted


def _apart(one: Mapping[int, float], other: Mapping[int, float]) -> float:
    keys = sorted({*one, *other})
    return float(
        jensenshannon([one.get(k, 0) for k in keys], [other.get(k, 0) for k in keys], base=2)
    )


def indicted_by_durations(
    durations: Sequence[tuple[str, float, float]], *, period_s: float, threshold: float
) -> set[str]:
    """Nodes that Kahuna-WB indicts, of (host, end, duration) of one state."""
    first = min(end for _, end, _ in durations)
    periods: dict[int, list[tuple[str, float]]] = {}
    for host, end, seconds in durations:
        periods.setdefault(math.floor((end - first) / period_s), []).append((host, seconds))
    indicted = set()
    for rows in periods.values():
        edges = np.histogram_bin_edges([seconds for _, seconds in rows], bins="auto")
        hosts = sorted({host for host, _ in rows})
        counts = {
            host: np.histogram([s for h, s in rows if h == host], bins=edges)[0] for host in hosts
        }
        if len(hosts) < 3:
            continue
        for host in hosts:
            far = sum(
                jensenshannon(counts[host], counts[other], base=2) > threshold
                for other in hosts
                if other != host
            )
            if far > (len(hosts) - 1) / 2:
                indicted.add(host)
    return indicted


def density_distances(of_nodes: Sequence[np.ndarray], width_s: float) -> list[float]:
    """Of each node's durations: their density against the sum of all, as Blimey's white box."""
    longest = max(float(each.max()) for each in of_nodes)
    grid = np.linspace(0, longest + 4 * width_s, 4001)
    local = [sum(np.exp(-(((grid - one) / width_s) ** 2) / 2) for one in each) for each in of_nodes]
    whole = np.sum(local, axis=0)
    return [float(jensenshannon(each, whole, base=2)) for each in local]


def furthest_metric(own: np.ndarray, drawn: np.ndarray) -> float:
    """The largest two-sample distance of any metric: rows are samples, columns metrics."""
    return max(
        float(ks_2samp(own[:, metric], drawn[:, metric]).statistic)
        for metric in range(own.shape[1])
    )


def rate(at_s: Sequence[float], moment_s: float, width_s: float) -> float:
    """Events a second around a moment, by a Gaussian kernel."""
    return sum(math.exp(-(((each - moment_s) / width_s) ** 2) / 2) for each in at_s) / (
        width_s * math.sqrt(2 * math.pi)
    )


def loess_residuals(at_s: np.ndarray, delay_s: np.ndarray, neighbours: int) -> np.ndarray:
    """What a line through the nearest neighbours of each point, with tricube weights, leaves."""
    left = np.empty(len(at_s))
    for place, moment in enumerate(at_s):
        away = np.abs(at_s - moment)
        reach = np.sort(away)[neighbours - 1]
        weight = np.clip(1 - (away / reach) ** 3, 0, None) ** 3
        _slope, constant = np.polyfit(at_s - moment, delay_s, 1, w=np.sqrt(weight))
        left[place] = delay_s[place] - constant
    return left
