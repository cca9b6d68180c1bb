"""Do nodes differ, and do the slower ones stand apart? One figure a node, higher is slower."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

__all__ = ["Figures", "Split", "differ", "few_are_larger", "split"]

Figures = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Split:
    """The two groups of nodes that are each most alike.

    Attributes:
        slow: whether a node is of the slower group, in the order of the figures.
        ratio: how many times as large the figures of the slower group are.
    """

    slow: NDArray[np.bool_]
    ratio: float

    @property
    def share(self) -> float:
        """Share of the nodes that are of the slower group."""
        return float(self.slow.mean())


def differ(samples: list[Figures], *, significance: float) -> bool:
    """Whether some of these samples come from larger values than others, by Kruskal and Wallis.

    Args:
        samples: one a node, none empty.
        significance: chance of saying so of samples that are alike.
    """
    together = np.concatenate(samples)
    if len(samples) < 2 or np.all(together == together[0]):
        return False
    return bool(stats.kruskal(*samples).pvalue < significance)


def few_are_larger(sample: Figures, others: Figures, *, significance: float) -> bool:
    """Whether a few values are larger than others, exactly; a tied one counts as the smaller one.

    Where values are tied SciPy takes a normal distribution instead, by which three values are never
    larger than others, whatever they are.
    """
    strictly = np.nextafter(sample, -np.inf)
    test = stats.mannwhitneyu(strictly, others, alternative="greater", method="exact")
    return float(test.pvalue) < significance


def split(figures: Figures) -> Split:
    """Cut the nodes in two, so that the logarithms in each part differ least (2-means, exact).

    On one axis the best of all partitions cuts the sorted figures once, so every cut is tried.

    Args:
        figures: positive, at least two.
    """
    order = np.argsort(figures, kind="stable")
    logs = np.log(figures[order])
    count = np.arange(1, len(logs))
    left = np.cumsum(logs)[:-1]
    right = logs.sum() - left
    # The sum of squares within both parts is least where that between their means is largest.
    between = left**2 / count + right**2 / (len(logs) - count)
    cut = int(np.argmax(between)) + 1
    slow = np.zeros(len(logs), dtype=np.bool_)
    slow[order[cut:]] = True
    apart = max(0.0, float(logs[cut:].mean() - logs[:cut].mean()))  # rounding
    return Split(slow, float(np.exp(apart)))
