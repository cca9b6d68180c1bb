"""Synthesis: a decision tree of kinds of sickness, learnt from labelled runs.

Blimey (Pan, Tan, Kavulya, Gandhi and Narasimhan: *Blind Men and the Elephant: Piecing Together
Hadoop for Diagnosis*, sections V to VII) combines what five detectors say about a node, and about
the other nodes, into ten values, and learns a decision tree from runs with known faults. Its
classes are `none` and, for each fault, where it is: on this node, on another node, or on the
master.

- The ten values are scores of `bb-window`, of `wb-durations` for maps and for reduces, of `hb-rate`
  and of `hb-delay`: of the node, and the mean of the other nodes.
- scikit-learn learns the tree (CART; the paper uses R's rpart), and is not needed to apply it.
- A value that is not known is not taken for 0. If it was missing in training too, the tree says
  which way to go; if it never was, the tree cannot tell.
- How good the tree is, is measured with trees that were each learnt without the run in question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.errors import EvidenceError
from mprof.peers.recordings import MASTER, Recording
from mprof.peers.synthesis.confusion import CANNOT_TELL, Confusion
from mprof.peers.synthesis.ten_values import MOST, NAMES, Others, vectors_of
from mprof.peers.synthesis.tree import (
    FEWEST_EXPERIMENTS,
    SicknessTree,
    TreeNode,
    class_of,
    classified,
)
from mprof.threshold import Threshold

__all__ = [
    "THRESHOLDS",
    "Experiment",
    "experiment_of",
    "learn_tree",
    "leave_one_out",
]

LEAST_KNOWN: Final = Threshold(
    "synthesis.least-known", 0.5, "share of the runs",
    "if a statistic is mostly not known, knowing it shows how a run was recorded, and not what was"
    " wrong in it",
)  # fmt: skip
LEAST_LEAF: Final = Threshold(
    "synthesis.least-leaf", 2, "vectors", "nothing shows that a single vector will occur again"
)
PRUNED: Final = Threshold(
    "synthesis.pruned", 0.005, "Gini impurity that a branch takes away, over all vectors",
    "half of the complexity of 0.01 below which rpart, which the paper uses, splits nothing: of ten"
    " faults each has a tenth of the vectors",
)  # fmt: skip


THRESHOLDS: Final = (FEWEST_EXPERIMENTS, LEAST_KNOWN, LEAST_LEAF, PRUNED, MOST)
"""Every number of the synthesis."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """One labelled run.

    Attributes:
        name: of the recording.
        classes: of each node.
        statistics: of `mprof.peers.synthesis.ten_values.statistics_of`.
    """

    name: str
    classes: tuple[str, ...]
    statistics: pd.DataFrame


@dataclass(frozen=True, slots=True)
class _Vectors:
    """All vectors: a row each; class and number of the experiment of each."""

    table: NDArray[np.float64]
    classes: NDArray[np.str_]
    experiment: NDArray[np.int64]


def experiment_of(recording: Recording, statistics: pd.DataFrame) -> Experiment:
    """A recording as an experiment; one without a label counts as a run without a fault.

    Raises:
        EvidenceError: if the label names a node of which the recording knows nothing.
    """
    fault = recording.label.fault if recording.label else None
    node = recording.label.node if recording.label else None
    if node is not None and node != MASTER:
        node = recording.store.names_in_tables([node])[node]
    if fault is not None and node != MASTER and node not in statistics.index:
        raise EvidenceError(
            f"{recording.folder}: its label names the node {node}, which the recording does not"
            " know",
            next_step=f'correct label.json; "node": "{MASTER}" stands for the master',
        )
    classes = tuple(
        class_of(fault, master=node == MASTER, this=host == node) for host in statistics.index
    )
    return Experiment(recording.name, classes, statistics)


def learn_tree(
    experiments: Sequence[Experiment], *, others: Others = "all", seed: int = 0
) -> SicknessTree:
    """Learn a tree from labelled runs: CART, by scikit-learn.

    Args:
        experiments: runs with and without faults.
        others: whose mean the statistics of the others are.
        seed: which of two cuts that are as good is taken.

    Raises:
        EvidenceError: if there are no two classes to tell apart.
    """
    vectors = _vectors(experiments, others)
    classes = sorted(set(vectors.classes.tolist()))
    if len(classes) < 2:
        raise EvidenceError(
            "there are no two classes of nodes to tell apart",
            next_step="name runs with a fault with --faults",
        )
    runs = Counter(name for each in experiments for name in set(each.classes))
    left_out = _left_out(experiments)
    values = vectors.table.copy()
    values[:, [name in left_out for name in NAMES]] = 0.0  # of one value there is no cut
    values[:, np.isnan(values).all(axis=0)] = 0.0
    return SicknessTree(
        values=NAMES,
        others=others,
        classes=tuple(classes),
        experiments=tuple(runs[name] for name in classes),
        nodes=_nodes(values, np.searchsorted(classes, vectors.classes), len(classes), seed),
        left_out=left_out,
    )


def _nodes(
    values: NDArray[np.float64], classes: NDArray[np.intp], count: int, seed: int
) -> tuple[TreeNode, ...]:
    from sklearn.tree import DecisionTreeClassifier  # takes a second to load

    tree = (
        DecisionTreeClassifier(
            min_samples_leaf=int(LEAST_LEAF.value), ccp_alpha=PRUNED.value, random_state=seed
        )
        .fit(values, classes)
        .tree_
    )
    through = np.zeros((len(values), tree.node_count), dtype=np.bool_)
    through[:, 0] = True
    found = []
    # scikit-learn rounds values to single precision, and compares them with cuts of double.
    single = values.astype(np.float32).astype(np.float64)
    for number in range(tree.node_count):
        here = through[:, number]
        counts = tuple(np.bincount(classes[here], minlength=count).tolist())
        left, right = int(tree.children_left[number]), int(tree.children_right[number])
        if left < 0:
            found.append(TreeNode(counts))
            continue
        value, cut = int(tree.feature[number]), float(tree.threshold[number])
        missing_left = bool(tree.missing_go_to_left[number])
        missing = np.isnan(single[:, value])
        goes_left = np.where(missing, missing_left, single[:, value] <= cut)
        through[:, left], through[:, right] = here & goes_left, here & ~goes_left
        found.append(
            TreeNode(
                counts=counts,
                value=value,
                # scikit-learn splits off what is not known by a cut that is infinite.
                cut=cut if np.isfinite(cut) else None,
                left=left,
                right=right,
                missing_left=missing_left,
                missing=int((here & missing).sum()),
            )
        )
    return tuple(found)


def leave_one_out(
    experiments: Sequence[Experiment], *, others: Others = "all", seed: int = 0
) -> Confusion:
    """What trees say of each run that were learnt of all the others (leave one out).

    Args:
        experiments: runs with and without faults, two or more.
        others: as for `learn_tree`.
        seed: likewise.
    """
    from sklearn.model_selection import LeaveOneGroupOut

    vectors = _vectors(experiments, others)
    classes = tuple(sorted(set(vectors.classes.tolist())))
    said = np.full(len(vectors.table), CANNOT_TELL, dtype=object)
    splits = LeaveOneGroupOut().split(vectors.table, groups=vectors.experiment)
    for rest, left in splits:
        kept = sorted(set(vectors.experiment[rest].tolist()))
        try:
            tree = learn_tree([experiments[number] for number in kept], others=others, seed=seed)
        except EvidenceError:
            continue
        for place in left:
            said[place] = classified(tree, vectors.table[place].tolist()).name or CANNOT_TELL
    runs = Counter(name for each in experiments for name in set(each.classes))
    columns = (*classes, CANNOT_TELL)
    return Confusion(
        others=others,
        classes=classes,
        experiments=tuple(runs[name] for name in classes),
        matrix=tuple(
            tuple(int(((vectors.classes == one) & (said == other)).sum()) for other in columns)
            for one in classes
        ),
    )


def _vectors(experiments: Sequence[Experiment], others: Others) -> _Vectors:
    tables = [vectors_of(each.statistics, others=others) for each in experiments]
    return _Vectors(
        table=np.concatenate([table.to_numpy() for table in tables]),
        classes=np.array([name for each in experiments for name in each.classes], dtype=np.str_),
        experiment=np.repeat(np.arange(len(tables)), [len(table) for table in tables]),
    )


def _left_out(experiments: Sequence[Experiment]) -> tuple[str, ...]:
    """Values that were known of no node in too many runs."""
    known = np.array([each.statistics.notna().any(axis=0).to_numpy() for each in experiments])
    few = known.mean(axis=0) < LEAST_KNOWN.value
    return tuple(name for name, one in zip(NAMES, np.tile(few, 2), strict=True) if one)
