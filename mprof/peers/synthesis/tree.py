"""A decision tree that says of which kind the sickness of a node is, and how it came to that.

Blimey (section VII) joins its five detectors by one: its inner nodes compare one of the ten values
of `mprof.peers.synthesis.ten_values` with a number, its leaves are a fault and whose it is. This
file applies a tree; `mprof.peers.synthesis.training` learns it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from mprof.peers.synthesis.ten_values import NAMES, Others
from mprof.threshold import Threshold

__all__ = [
    "FEWEST_EXPERIMENTS",
    "HEALTHY",
    "THE_MASTER",
    "THIS",
    "Classified",
    "SicknessTree",
    "Step",
    "TreeNode",
    "class_of",
    "classified",
]

FEWEST_EXPERIMENTS: Final = Threshold(
    "synthesis.fewest-experiments", 3, "runs of a class",
    "if one is left out, two that are alike must remain to learn it from; a node is never assigned"
    " to a class that was seen in fewer",
)  # fmt: skip

HEALTHY: Final = "none"
"""The class of every node of a run in which nothing was wrong."""

THIS: Final = "this node"
"""Behind the fault, in the class of the node that has it."""

THE_MASTER: Final = "the master"
_WHOSE: Final = (THE_MASTER, THIS, "another node")


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A comparison, or a leaf.

    Attributes:
        value: number of the value that is compared; None of a leaf.
        cut: values up to it go left; None where all that are known do.
        left: number of the node there.
        right: of the node for larger values.
        missing_left: where a value goes that is not known.
        missing: training vectors that came here, and whose value was not known.
        counts: training vectors that came here, of each class.
    """

    counts: tuple[int, ...]
    value: int | None = None
    cut: float | None = None
    left: int = 0
    right: int = 0
    missing_left: bool = False
    missing: int = 0


@dataclass(frozen=True, slots=True)
class SicknessTree:
    """A learnt tree.

    Attributes:
        values: names of what the vectors hold, in their order.
        others: whose mean the statistics of the others are.
        classes: in the order of the counts.
        experiments: of each class, the number of runs that it was learnt of.
        nodes: the root first; a node stands before those below it.
        left_out: values that were known in too few runs.
    """

    values: tuple[str, ...]
    others: Others
    classes: tuple[str, ...]
    experiments: tuple[int, ...]
    nodes: tuple[TreeNode, ...]
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.values != NAMES:
            raise ValueError("the values of its tree are not those of this version")
        if not self.nodes or not self.classes or len(self.experiments) != len(self.classes):
            raise ValueError("the parts of its tree do not fit together")
        for number, node in enumerate(self.nodes):
            fits = len(node.counts) == len(self.classes) and min(node.counts) >= 0
            if node.value is None:
                fits = fits and sum(node.counts) > 0
            else:
                below = number < node.left < len(self.nodes)
                below = below and number < node.right < len(self.nodes)
                fits = fits and below and 0 <= node.value < len(NAMES)
                fits = fits and (node.cut is None or math.isfinite(node.cut))
            if not fits:
                raise ValueError(f"node {number} of its tree does not fit to the others")


@dataclass(frozen=True, slots=True)
class Step:
    """One comparison on the way through a tree.

    Attributes:
        what: name of the value.
        value: of the node; NaN where it is not known.
        cut: what it was compared with; None where only whether it is known was asked.
        above: whether it is larger; None where it is not known, and the way of those was taken.
    """

    what: str
    value: float
    cut: float | None
    above: bool | None


@dataclass(frozen=True, slots=True)
class Classified:
    """What a tree says of a node.

    Attributes:
        name: the class; None where the tree cannot tell.
        share: of the training vectors of the leaf, those of the class.
        vectors: training vectors of the leaf.
        experiments: runs that the class was learnt of.
        path: the comparisons, from the root.
        why_not: why it cannot tell, None where it can.
    """

    name: str | None
    share: float
    vectors: int
    experiments: int
    path: tuple[Step, ...]
    why_not: str | None = None

    @property
    def is_sick(self) -> bool:
        """Whether it is this node that is said to be sick."""
        return self.name is not None and self.name.endswith(f": {THIS}")


def class_of(fault: str | None, *, master: bool, this: bool) -> str:
    """The class of a node in a run with a fault.

    >>> class_of("cpu-hog", master=False, this=True)
    'cpu-hog: this node'

    Args:
        fault: what is wrong in the run; None if nothing is.
        master: the fault is the master's.
        this: it is this node's.
    """
    return HEALTHY if fault is None else f"{fault}: {_WHOSE[0 if master else 1 if this else 2]}"


def classified(tree: SicknessTree, vector: Sequence[float]) -> Classified:
    """Go through a tree with the values of one node.

    A value that is not known takes the way that such values took in training. Where none was
    missing in training nothing says where it belongs, and the tree cannot tell.

    Args:
        tree: a learnt one.
        vector: the ten values; NaN where one is not known.
    """
    node = tree.nodes[0]
    path: list[Step] = []
    while node.value is not None:
        # In single precision, as scikit-learn had the values when it chose the cuts.
        value = float(np.float32(vector[node.value]))
        missing = math.isnan(value)
        above = node.cut is not None and value > node.cut
        path.append(Step(tree.values[node.value], value, node.cut, None if missing else above))
        if missing and not node.missing:
            why = f"{path[-1].what} is not known, and was in all runs that the tree was learnt from"
            return Classified(None, 0.0, sum(node.counts), 0, tuple(path), why_not=why)
        left = node.missing_left if missing else not above
        node = tree.nodes[node.left if left else node.right]
    best = max(range(len(tree.classes)), key=lambda number: node.counts[number])
    total = sum(node.counts)
    return Classified(
        name=tree.classes[best],
        share=node.counts[best] / total,
        vectors=total,
        experiments=tree.experiments[best],
        path=tuple(path),
    )
