from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from builders.reference_rows import columns, prefix_of
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import claim as oracle
from oracles import kernels as plain

from mprof.kernels.claim import (
    BLOCKED,
    FREE,
    Tree,
    block,
    claim,
    claim_ranges,
    move_dominated,
    move_ranges,
    reached_sizes,
    retained_by_class,
    sum_by_owner,
    sum_by_owner_and_class,
    unblock,
)

WIDTHS = st.sampled_from([np.int32, np.int64])


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[list[int]], list[int], list[int], list[int]]:
    count = draw(st.integers(1, 14))
    vertex = st.integers(0, count - 1)
    rows = [draw(st.lists(vertex, max_size=4)) for _ in range(count)]
    owners = [draw(st.sampled_from([FREE, FREE, FREE, BLOCKED])) for _ in range(count)]
    sources = draw(st.lists(vertex, max_size=6))
    labels = [draw(st.integers(1, 4)) for _ in sources]
    return rows, sources, labels, owners


@given(graphs(), WIDTHS)
@settings(max_examples=300, deadline=None)
def test_claims_are_those_of_the_plain_twin(graph, width):
    rows, sources, labels, owners = graph
    starts, targets = columns(rows, width)
    found = np.array(owners, np.int32)
    claim(
        starts,
        targets,
        sources=np.array(sources, np.int64),
        labels=np.array(labels, np.int32),
        owners=found,
    )
    assert oracle.claim(rows, sources, labels, owners) == found.tolist()


def in_preorder(
    rows: list[list[int]], extra: list[list[int]]
) -> tuple[list[int], list[list[int]], list[int]]:
    """What is reached from 0, numbered in preorder of its dominator tree.

    Args:
        rows: of the graph.
        extra: further edges, which the tree knows of.

    Returns:
        By number, the vertex, its row, and how many it dominates.
    """
    every = [own + others for own, others in zip(rows, extra, strict=True)]
    dominators = plain.immediate_dominators(every, 0)
    children: dict[int, list[int]] = {vertex: [] for vertex in dominators}
    for vertex, above in dominators.items():
        if vertex:
            children[above].append(vertex)

    def below(vertex: int) -> list[int]:
        return [vertex, *(each for child in children[vertex] for each in below(child))]

    order = below(0)
    number = {vertex: at for at, vertex in enumerate(order)}
    own = [[number[target] for target in rows[vertex]] for vertex in order]
    return order, own, [len(below(vertex)) for vertex in order]


@given(graphs(), st.lists(st.tuples(st.integers(0, 13), st.integers(0, 13)), max_size=4), WIDTHS)
@settings(max_examples=500, deadline=None)
def test_claims_are_the_same_where_the_dominator_tree_is_known(graph, further, width):
    rows, sources, labels, owners = graph
    rows = [[*row, vertex + 1] if vertex % 3 == 0 else row for vertex, row in enumerate(rows)]
    rows[-1] = rows[-1][:4]
    extra: list[list[int]] = [[] for _ in rows]
    for source, target in further:
        extra[source % len(rows)].append(target % len(rows))
    rows = [[target % len(rows) for target in row] for row in rows]
    order, rows, subtrees = in_preorder(rows, extra)
    apart = [at for at, vertex in enumerate(order) if extra[vertex]]
    sources = [each % len(rows) for each in sources]
    owners = owners[: len(rows)]
    starts, targets = columns(rows, width)
    found = np.array(owners, np.int32)
    claim(
        starts,
        targets,
        sources=np.array(sources, np.int64),
        labels=np.array(labels, np.int32),
        owners=found,
        tree=Tree(np.array(subtrees, np.int32), np.array(apart, np.int64), starts, targets),
    )
    assert oracle.claim(rows, sources, labels, owners) == found.tolist()


def test_what_a_long_range_refers_to_is_claimed() -> None:
    """So many vertices in a row that their references are read in order."""
    below = 9_000
    rows = [[1, below], [*range(2, below), below], *([] for _ in range(2, below)), [below + 1], []]
    rows[5], rows[77] = [1, below], [below + 1]
    subtrees = [below + 2, below - 1, *([1] * below)]
    starts, targets = columns(rows, np.int32)
    for before in ([], [(300, 3)], [(below, 2)]):
        owners = np.zeros(len(rows), np.int32)
        for vertex, owner in before:
            owners[vertex] = owner
        expected = oracle.claim(rows, [1], [1], owners.tolist())
        claim(
            starts,
            targets,
            sources=np.array([1], np.int64),
            labels=np.array([1], np.int32),
            owners=owners,
            tree=Tree(np.array(subtrees, np.int32), np.empty(0, np.int64), starts, targets),
        )
        assert expected == owners.tolist()


@given(graphs(), st.sets(st.integers(0, 4)), WIDTHS)
@settings(max_examples=300, deadline=None)
def test_reached_sizes_are_those_of_the_plain_twin(graph, wanted, width):
    rows, sources, labels, owners = graph
    owners = oracle.claim(rows, sources, labels, owners)
    weights = [1 << vertex for vertex in range(len(rows))]  # a sum tells which vertices it has
    starts, targets = columns(rows, width)
    found = reached_sizes(
        starts,
        targets,
        prefix=prefix_of(weights),
        owners=np.array(owners, np.int32),
        wanted=np.array([label in wanted for label in range(5)]),
        sources=np.array(sources, np.int64),
    )
    assert oracle.reached_sizes(rows, weights, owners, wanted, sources) == found.tolist()


NODES = st.lists(st.tuples(st.integers(0, 4), st.integers(BLOCKED, 3)), min_size=1, max_size=30)


SEVERAL_CORES = 2 * 65_536 + 7  # elements; fewer are not shared out


@pytest.mark.parametrize("least", [1, SEVERAL_CORES])
@given(nodes=NODES, first=st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_what_is_of_a_late_kind_is_blocked_and_all_else_free(least, nodes, first):
    size = max(least, len(nodes))
    kinds = np.resize(np.array([kind for kind, _ in nodes], np.uint8), size)
    owners = np.full(size, 9, np.int32)

    block(kinds, first, owners)

    expected = [BLOCKED if kind >= first else FREE for kind, _ in nodes]
    assert np.array_equal(owners, np.resize(expected, size))


@pytest.mark.parametrize("least", [1, SEVERAL_CORES])
@given(nodes=NODES, kind=st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_what_was_blocked_is_freed_but_one_kind(least, nodes, kind):
    size = max(least, len(nodes))
    kinds = np.resize(np.array([each for each, _ in nodes], np.uint8), size)
    owners = np.resize(np.array([owner for _, owner in nodes], np.int32), size)

    unblock(kinds, kind, owners)

    expected = [BLOCKED if each == kind else max(owner, FREE) for each, owner in nodes]
    assert np.array_equal(owners, np.resize(expected, size))


def test_in_ranges_a_kind_becomes_another_and_outside_it_stays():
    kinds = np.array([2, 2, 1, 2, 2, 0, 2], np.uint8)

    move_ranges(np.array([1, 4]), np.array([3, 6]), kinds, 2, 0)

    assert kinds.tolist() == [2, 0, 1, 2, 0, 0, 2]


def test_what_one_kind_dominates_becomes_another_kind() -> None:
    # 0 dominates all; 1 (kind 1) dominates 2 and 3, 4 (kind 1) nothing
    kinds = np.array([2, 1, 2, 0, 1, 2], np.uint8)

    move_dominated(np.array([6, 3, 2, 1, 1, 1], np.int32), kinds, 1, 2, 7)

    assert kinds.tolist() == [2, 1, 7, 0, 1, 2]


def test_what_was_seen_before_is_not_counted_again():
    # 0 → 2 ← 1, 2 → 3
    starts, targets = columns([[2], [2], [3], []])
    seen = np.zeros(4, np.bool_)

    def reached(source: int) -> int:
        sizes = reached_sizes(
            starts, targets, prefix=prefix_of([1, 10, 100, 1000]), owners=np.zeros(4, np.int32),
            wanted=np.array([True]), sources=np.array([source]), seen=seen,
        )  # fmt: skip
        return int(sizes.sum())

    assert [reached(2), reached(1), reached(0), reached(2)] == [1100, 10, 1, 0]
    assert seen.all()


def test_what_two_sources_share_is_counted_once_and_goes_to_the_first():
    # 0 → 2 ← 1, 2 → 3
    starts, targets = columns([[2], [2], [3], []])
    owners = np.zeros(4, np.int32)
    claim(
        starts,
        targets,
        sources=np.array([1, 0]),
        labels=np.array([7, 8], np.int32),
        owners=owners,
    )
    sums = sum_by_owner(owners, prefix_of([1, 10, 100, 1000]), 9)
    assert sums[0, 7] == 1110
    assert sums[0, 8] == 1
    assert sums[1].tolist() == [0, 0, 0, 0, 0, 0, 0, 3, 1]


def test_ranges_are_claimed_where_they_are_free() -> None:
    owners = np.array([FREE, FREE, BLOCKED, 3, FREE, FREE, FREE], np.int32)

    claim_ranges(np.array([1, 5]), np.array([4, 6]), label=7, owners=owners)

    assert owners.tolist() == [FREE, 7, BLOCKED, 3, FREE, 7, FREE]


def test_a_blocked_vertex_is_neither_claimed_nor_passed():
    # 0 → 1 (blocked) → 2
    starts, targets = columns([[1], [2], []])
    owners = np.array([FREE, BLOCKED, FREE], np.int32)
    claim(starts, targets, sources=np.array([0]), labels=np.array([1], np.int32), owners=owners)
    assert owners.tolist() == [1, BLOCKED, FREE]


@pytest.mark.parametrize("seed", range(5))
def test_sums_by_owner_are_those_of_the_plain_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    owners = rng.integers(BLOCKED, 6, 400).astype(np.int32)
    weights = rng.integers(0, 1 << 40, 400).tolist()
    sums = sum_by_owner(owners, prefix_of(weights), 6)
    assert sums.tolist() == oracle.sum_by_owner(owners.tolist(), weights, 6)


@pytest.mark.parametrize("seed", range(5))
def test_sums_by_owner_and_class_are_those_of_a_dictionary(seed: int) -> None:
    rng = np.random.default_rng(seed)
    owners = rng.integers(BLOCKED, 6, 400).astype(np.int32)
    classes = rng.integers(-1, 4, 400).astype(np.int32)
    rows = np.array([2, 0, 2, 1, 2, 2], np.int32)
    weights = rng.integers(0, 1 << 40, 400).tolist()
    expected: Counter[tuple[int, int]] = Counter()
    for owner, number, weight in zip(owners.tolist(), classes.tolist(), weights, strict=True):
        if owner != BLOCKED and number != -1:
            expected[int(rows[owner]), number] += weight

    sums = sum_by_owner_and_class(owners, classes, prefix_of(weights), rows=rows, shape=(3, 4))

    assert expected == {(row, number): int(sums[row, number]) for row, number in np.ndindex(3, 4)}


@pytest.mark.parametrize("size", [9, 200_000])
def test_what_one_owner_retains_by_class_counts_nested_ones_again(size: int) -> None:
    # a chain: each vertex dominates all behind it, and weighs 1
    owners = np.arange(size, dtype=np.int32) % 3
    classes = (np.arange(size, dtype=np.int32) % 4) - 1
    subtrees = np.arange(size, 0, -1, dtype=np.int32)

    found = retained_by_class(
        owners, 2, classes=classes, subtrees=subtrees, prefix=prefix_of([1] * size), count=3
    )

    expected = [
        [size - vertex for vertex in range(2, size, 3) if vertex % 4 == number + 1]
        for number in range(3)
    ]
    assert found.tolist() == [list(map(sum, expected)), list(map(len, expected))]
