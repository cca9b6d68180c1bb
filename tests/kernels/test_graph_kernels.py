"""Depth-first numbers, dominators and flat trees against plain twins and networkx."""

from __future__ import annotations

import random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import kernels as plain

from mprof.kernels.breadth_first import BreadthFirst, bits_of
from mprof.kernels.depth_first import Search
from mprof.kernels.dominators import immediate_dominators
from mprof.kernels.retained import (
    children_of,
    dominators_of,
    flatten_tree,
    largest_child,
    retained_by_group,
)

FAR = np.iinfo(np.int32).max + 1000  # beyond what 32 bits hold


def _rows(rows: list[list[int]], *, slot_type: type = np.int32, shift: int = 0):
    """Slots and edges as the kernels take them; the last edge of a row is complemented."""
    slots = np.zeros(len(rows), slot_type)
    edges = [0]
    for vertex, targets in enumerate(rows):
        if targets:
            slots[vertex] = len(edges) + shift
            edges += [*targets[:-1], ~targets[-1]]
    return slots, np.array(edges, np.int32)


def _random_rows(seed: int, count: int) -> list[list[int]]:
    chance = random.Random(seed)
    rows = [
        [chance.randrange(count) for _ in range(chance.choice([0, 1, 1, 2, 3]))]
        for _ in range(count)
    ]
    roots = [chance.randrange(count) for _ in range(1 + count // 10)]
    return [*rows, roots]  # the last vertex is the root, which no edge leads to


def _search(rows: list[list[int]], slot_type: type = np.int32):
    slots, edges = _rows(rows, slot_type=slot_type)
    root = len(rows) - 1
    start = int(slots[root])
    search = Search(slots, edges, root, edge_count=edges.size)
    search.follow(start)
    return slots, search.result


@pytest.mark.parametrize("slot_type", [np.int32, np.int64])
@pytest.mark.parametrize("seed", range(30))
def test_numbers_and_dominators_are_those_of_the_plain_twins_and_of_networkx(
    seed: int, slot_type: type
) -> None:
    rows = _random_rows(seed, 3 + seed * 3)
    root = len(rows) - 1
    slots, search = _search(rows, slot_type)
    order, parents = plain.depth_first(rows, root)
    assert [~int(slots[vertex]) for vertex in order] == list(range(len(order)))
    assert parents == search.parents.tolist()
    unreached = set(range(len(rows))) - set(order)
    assert all(slots[vertex] >= 0 for vertex in unreached)

    dominators = immediate_dominators(search)
    found = {vertex: order[dominators[number]] for number, vertex in enumerate(order)}
    assert plain.immediate_dominators(rows, root) == found
    graph = nx.DiGraph((v, t) for v, targets in enumerate(rows) for t in targets)
    graph.add_node(root)
    by_networkx = nx.immediate_dominators(graph, root)
    assert {v: a for v, a in by_networkx.items() if v != root} == {
        v: a for v, a in found.items() if v != root
    }


@pytest.mark.parametrize("slot_type", [np.int32, np.int64])
@pytest.mark.parametrize("seed", range(30))
def test_paths_are_those_of_the_plain_twin_and_as_short_as_networkx_finds_them(
    seed: int, slot_type: type
) -> None:
    rows = _random_rows(seed, 3 + seed * 5)
    starts = list(dict.fromkeys(rows[-1]))  # the root's targets, first to last
    slots, edges = _rows(rows, slot_type=slot_type)
    search = BreadthFirst(slots, edges)
    search.begin(starts, [-1] * len(starts))
    some = random.Random(seed).sample(range(len(rows) - 1), min(4, len(rows) - 1))
    reached = search.search(some)  # and later on from there
    lines = dict(zip(some, search.lines(some), strict=True))
    every = list(range(len(rows) - 1))
    search.search_all()
    all_reached = search.search(every)
    lines_of_all = search.lines(every)

    root = len(rows) - 1
    before = [root if vertex in starts else -1 for vertex in range(len(rows))]
    parents = plain.shortest_paths(rows, starts, before)
    expected = [_line(parents, root, vertex) for vertex in every]
    assert lines_of_all == expected
    assert all(lines[vertex] == expected[vertex] for vertex in some)
    assert reached == all(expected[vertex] for vertex in some)
    assert all_reached == all(expected)
    graph = nx.DiGraph((v, t) for v, targets in enumerate(rows) for t in targets)
    lengths = nx.single_source_shortest_path_length(graph, len(rows) - 1)
    for vertex, line in enumerate(lines_of_all):
        assert lengths.get(vertex) == (len(line) if line else None)


def _line(parents: list[int], root: int, vertex: int) -> list[int]:
    line = []
    while vertex not in (root, -1):
        line.append(vertex)
        vertex = parents[vertex]
    return line[::-1] if vertex == root else []


def test_a_search_ends_at_what_is_asked_for_and_passes_nothing_that_is_closed() -> None:
    # 0 → 1 → 2 → 3, 0 → 4 → 3
    slots, edges = _rows([[1, 4], [2], [3], [], [3]], slot_type=np.int32)
    closed = np.array([False, False, False, False, True])
    search = BreadthFirst(slots, edges, bits_of(closed))
    search.begin([0], [-1])

    assert search.search([1])
    assert search.lines([1, 2]) == [[0, 1], []]
    assert search.search([3])
    assert search.lines([3]) == [[0, 1, 2, 3]]
    search.search([4])
    assert search.lines([4]) == [[]]


def test_a_chain_of_a_million_vertices_needs_no_deep_stack_of_calls() -> None:
    # root → 0 → 1 → ... , and every vertex also → 0
    count = 1_000_000
    slots = np.arange(1, 2 * count + 2, 2, dtype=np.int32)
    edges = np.zeros(2 * count + 2, np.int32)
    edges[1 : 2 * count - 1 : 2] = np.arange(1, count)
    edges[2 : 2 * count + 1 : 2] = ~0
    edges[2 * count - 1] = 0
    slots[count] = 2 * count + 1
    edges[2 * count + 1] = ~0
    search = Search(slots, edges, count, edge_count=edges.size)
    search.follow(2 * count + 1)
    dominators = immediate_dominators(search.result)
    assert np.array_equal(np.maximum(np.arange(count + 1) - 1, 0), dominators)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=40), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_a_flat_tree_puts_what_a_vertex_dominates_behind_it(
    raw: list[int], chance: random.Random
) -> None:
    dominators = [0] + [above % number for number, above in enumerate(raw, start=1)]
    places, sizes = flatten_tree(np.array(dominators, np.int32))
    flat = dominators_of(sizes)
    expected = plain.flatten_tree(dominators)
    assert expected == (places.tolist(), flat.tolist(), sizes.tolist())
    weights = [chance.randrange(1, 9) for _ in dominators]
    groups = [chance.randrange(-1, 4) for _ in dominators]
    prefix = np.concatenate(([0], np.cumsum(weights)))
    for vertex in range(len(dominators)):
        children = [v for v in range(1, len(dominators)) if flat[v] == vertex]
        kept = {v: sum(weights[v : v + int(sizes[v])]) for v in children}
        assert children_of(sizes, vertex).tolist() == children
        assert largest_child(sizes, prefix, vertex) == max(
            children, key=kept.__getitem__, default=0
        )
    found = retained_by_group(np.array(groups, np.int32), sizes, prefix, 4)
    assert plain.retained_by_group(groups, flat.tolist(), weights, 4) == tuple(
        part.tolist() for part in found
    )


def test_sums_of_sizes_beyond_32_bits_do_not_overflow() -> None:
    sizes = np.array([3, 2, 1], np.int32)
    prefix = np.array([0, 0, FAR, 2 * FAR], np.int64)
    found = retained_by_group(np.array([-1, 0, 1], np.int32), sizes, prefix, 2)
    assert [[1, 1], [FAR, FAR], [2 * FAR, FAR]] == [part.tolist() for part in found]
