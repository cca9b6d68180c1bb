"""Trees of sicknesses: learnt as scikit-learn learns them, applied without it."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from mprof.errors import EvidenceError
from mprof.peers.synthesis import sickness
from mprof.peers.synthesis.confusion import Confusion
from mprof.peers.synthesis.ten_values import NAMES, STATISTICS, vectors_of
from mprof.peers.synthesis.training import (
    LEAST_LEAF,
    PRUNED,
    Experiment,
    learn_tree,
    leave_one_out,
)
from mprof.peers.synthesis.tree import SicknessTree, TreeNode, class_of, classified

HOSTS = [f"n{number}" for number in range(6)]


def statistics(seed: int, *, sick: int | None = None, level: float = 3.0, gaps: float = 0.0,
               column: int = 0) -> pd.DataFrame:  # fmt: skip
    """Scores of six nodes, of which one may be sick in one of the five."""
    rng = np.random.default_rng(seed)
    values = rng.uniform(0, 0.9, (len(HOSTS), len(STATISTICS)))
    if sick is not None:
        values[sick, column] = level + rng.uniform(0, 0.5)
    values[rng.random(values.shape) < gaps] = math.nan
    return pd.DataFrame(values, index=pd.Index(HOSTS, name="host"), columns=list(STATISTICS))


def experiment(seed: int, fault: str | None = None, *, column: int = 0,
               gaps: float = 0.0) -> Experiment:  # fmt: skip
    sick = None if fault is None else seed % len(HOSTS)
    classes = tuple(
        class_of(fault, master=False, this=number == sick) for number in range(len(HOSTS))
    )
    table = statistics(seed, sick=sick, column=column, gaps=gaps)
    return Experiment(f"{fault}-{seed}", classes, table)


def runs(*, gaps: float = 0.0) -> list[Experiment]:
    return [
        *(experiment(seed, gaps=gaps) for seed in range(4)),
        *(experiment(seed, "hog", column=0, gaps=gaps) for seed in range(10, 14)),
        *(experiment(seed, "loss", column=4, gaps=gaps) for seed in range(20, 24)),
    ]


@given(
    st.integers(0, 10_000), st.sampled_from([0.0, 0.1, 0.4]), st.sampled_from(["all", "indicted"])
)
@settings(max_examples=40)
def test_a_tree_says_what_scikit_learns_own_tree_says(seed: int, gaps: float, others: str) -> None:
    every = [
        experiment(seed + number, fault, column=number % 5, gaps=gaps)
        for number, fault in enumerate([None, "a", "b", None, "a", "b", "c"])
    ]
    assert others in ("all", "indicted")
    tree = learn_tree(every, others=others)  # type: ignore[arg-type]
    table = pd.concat([vectors_of(each.statistics, others=others) for each in every])  # type: ignore[arg-type]
    names = [name for each in every for name in each.classes]
    theirs = DecisionTreeClassifier(
        min_samples_leaf=int(LEAST_LEAF.value), ccp_alpha=PRUNED.value, random_state=0
    ).fit(table.to_numpy(), names)
    new = vectors_of(statistics(seed + 99, sick=2, gaps=gaps), others=others)  # type: ignore[arg-type]

    for vectors in (table, new):
        ours = [classified(tree, row) for row in vectors.to_numpy().tolist()]
        expected = theirs.predict(vectors.to_numpy())
        told = [(one.name, name) for one, name in zip(ours, expected, strict=True) if one.name]
        assert [name for _, name in told] == [name for name, _ in told]
    assert all(classified(tree, row).name for row in table.to_numpy().tolist())


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.2, 0.7, 1.0]))
def test_the_ten_values_are_what_loops_over_nodes_give(seed: int, gaps: float) -> None:
    table = statistics(seed, sick=1, gaps=gaps)
    for others in ("all", "indicted"):
        found = vectors_of(table, others=others)  # type: ignore[arg-type]
        for host in HOSTS:
            for statistic in STATISTICS:
                rest = [
                    float(table.loc[other, statistic])
                    for other in HOSTS
                    if other != host and not math.isnan(table.loc[other, statistic])
                ]
                counted = rest if others == "all" else [each for each in rest if each > 1]
                expected = math.nan if not rest else sum(counted) / len(counted) if counted else 0.0
                own = float(found.loc[host, f"{statistic}, the node"])
                mean = float(found.loc[host, f"{statistic}, the others"])

                assert own == pytest.approx(float(table.loc[host, statistic]), nan_ok=True)
                assert expected == pytest.approx(mean, nan_ok=True)


def test_a_sick_node_is_told_from_its_neighbours() -> None:
    tree = learn_tree(runs())
    new = vectors_of(statistics(77, sick=3, column=4))
    said = [classified(tree, row).name for row in new.to_numpy().tolist()]

    assert ["loss: another node"] * 3 + ["loss: this node"] + ["loss: another node"] * 2 == said
    assert {"hog: this node": 4, "none": 4}.items() <= dict(
        zip(tree.classes, tree.experiments, strict=True)
    ).items()


def test_the_path_leads_to_the_leaf_and_says_so() -> None:
    tree = learn_tree(runs())
    found = classified(tree, vectors_of(statistics(5, sick=0)).to_numpy().tolist()[0])

    assert "hog: this node" == found.name
    assert found.is_sick
    assert (1.0, 4, 4) == (found.share, found.vectors, found.experiments)
    assert all((step.value > step.cut) == step.above for step in found.path if step.cut is not None)


@pytest.mark.parametrize(("count", "named"), [(2, None), (3, "hog: this node")])
def test_a_class_that_was_seen_in_too_few_runs_is_not_named(
    monkeypatch: pytest.MonkeyPatch, count: int, named: str | None
) -> None:
    faulty = [experiment(seed, "hog") for seed in range(10, 10 + count)]
    tree = learn_tree([*(experiment(seed) for seed in range(4)), *faulty])
    table = faulty[0].statistics
    monkeypatch.setattr(sickness, "statistics_of", lambda *_: table)

    told = {one.host: one.classified for one in sickness.sicknesses(tree, [])}

    sick = told[HOSTS[faulty[0].classes.index("hog: this node")]]
    assert named == sick.name
    if named is None:
        assert "it is most like hog: this node, seen in 2 runs only" == sick.why_not


def test_a_value_that_was_never_missing_in_training_is_no_way_to_go() -> None:
    tree = learn_tree(runs())
    found = classified(tree, [math.nan] * len(NAMES))

    assert found.name is None
    assert "is not known, and was in all runs" in str(found.why_not)


def test_a_statistic_that_most_runs_lack_decides_nothing() -> None:
    every = runs()
    for each in every[:8]:
        each.statistics["hb-delay"] = math.nan
    tree = learn_tree(every)

    assert ("hb-delay, the node", "hb-delay, the others") == tree.left_out
    used = {NAMES[node.value] for node in tree.nodes if node.value is not None}
    assert not used & set(tree.left_out)


def test_leaving_one_out_is_what_a_loop_over_the_runs_gives() -> None:
    every = runs(gaps=0.05)
    found = leave_one_out(every)
    said: Counter[tuple[str, str]] = Counter()
    for number, left in enumerate(every):
        tree = learn_tree([each for place, each in enumerate(every) if place != number])
        rows = vectors_of(left.statistics).to_numpy().tolist()
        for name, row in zip(left.classes, rows, strict=True):
            said[(name, classified(tree, row).name or "cannot tell")] += 1

    columns = (*found.classes, "cannot tell")
    assert [[said[(one, other)] for other in columns] for one in found.classes] == [
        list(row) for row in found.matrix
    ]
    assert found.all_right.total == len(every) * len(HOSTS)


def test_a_fault_of_a_single_run_is_never_recognised_without_it() -> None:
    once = experiment(50, "odd", column=2)
    found = leave_one_out([*runs(), once])
    odd = found.classes.index("odd: this node")

    assert 0 == found.right[odd].count
    assert 1 == found.experiments[odd]


def test_the_shares_count_what_the_matrix_says() -> None:
    found = Confusion(
        others="all",
        classes=("hog: another node", "hog: this node", "loss: this node", "none"),
        experiments=(2, 2, 1, 1),
        matrix=((8, 1, 0, 0, 1), (0, 1, 1, 0, 0), (0, 0, 0, 1, 0), (0, 0, 0, 6, 0)),
    )

    # of three sick nodes two are said to be sick, one of them of what it has
    assert (2, 3) == (found.found.count, found.found.total)
    assert (1, 3) == (found.named.count, found.named.total)
    assert (1, 16) == (found.blamed.count, found.blamed.total)
    assert (15, 19) == (found.all_right.count, found.all_right.total)


def test_without_a_second_class_there_is_no_tree() -> None:
    with pytest.raises(EvidenceError, match="no two classes"):
        learn_tree([experiment(1), experiment(2)])


def _tree(*nodes: TreeNode) -> SicknessTree:
    return SicknessTree(NAMES, "all", ("a: this node", "none"), (3, 3), nodes)


@pytest.mark.parametrize(
    "nodes",
    [
        (),
        (TreeNode((1, 2), value=0, cut=1.0, left=0, right=0),),  # leads back to itself
        (TreeNode((1, 2), value=0, cut=1.0, left=1, right=5), TreeNode((1, 1))),
        (TreeNode((1, 2), value=10, cut=1.0, left=1, right=2), TreeNode((1, 1)), TreeNode((1, 1))),
        (TreeNode((0, 0)),),
        (TreeNode((1,)),),
    ],
)
def test_a_tree_whose_parts_do_not_fit_is_refused(nodes: tuple[TreeNode, ...]) -> None:
    with pytest.raises(ValueError, match="its tree"):
        _tree(*nodes)
