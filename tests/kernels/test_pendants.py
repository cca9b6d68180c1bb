"""Vertices that hang on one edge, told from the core, and put back into the dominator tree."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from oracles import kernels as plain

from mprof.kernels import pendants
from mprof.kernels.depth_first import Search
from mprof.kernels.dominators import immediate_dominators
from mprof.kernels.retained import dominators_of, flatten_tree, renumber, subtree_sizes
from mprof.kernels.spare import Spare


def _heap(seed: int, heads: int) -> list[list[int]]:
    """A random graph in which most vertices hang on another one; the last vertex is the root."""
    chance = random.Random(seed)
    rows: list[list[int]] = [[] for _ in range(heads)]
    for vertex in range(heads):
        rows[vertex] += [chance.randrange(heads) for _ in range(chance.choice([0, 1, 1, 2]))]
        for _ in range(chance.choice([0, 1, 2, 5])):
            rows[vertex].append(len(rows))
            rows.append([])
            above = rows[-1]
            for _ in range(chance.choice([0, 0, 1, 3])):  # leaves of a leaf
                above.append(len(rows))
                rows.append([])
        chance.shuffle(rows[vertex])
    for _ in range(heads // 4):  # some leaves are shared after all, some refer to themselves
        rows[chance.randrange(len(rows))].append(chance.randrange(heads, len(rows)))
    order = list(range(len(rows)))
    chance.shuffle(order)
    mixed: list[list[int]] = [[] for _ in rows]
    for vertex, targets in enumerate(rows):
        mixed[order[vertex]] = [order[target] for target in targets]
    return [*mixed, [order[chance.randrange(heads)] for _ in range(1 + heads // 10)]]


def _arrays(rows: list[list[int]], slot_type: type = np.int32):
    slots, edges = np.zeros(len(rows), slot_type), [0]
    for vertex, targets in enumerate(rows):
        if targets:
            slots[vertex] = len(edges)
            edges += [*targets[:-1], ~targets[-1]]
    return slots, np.array(edges, np.int32)


def _core(rows: list[list[int]], kept: list[int]):
    slots, edges = _arrays(rows)
    entries = pendants.new_entries(slots.size)
    pendants.add_entries(entries, edges, 1, edges.size)
    return slots, edges, pendants.find_core(slots, edges, entries, np.array(kept, np.int64))


SEEDS = range(25)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_core_is_that_of_the_plain_twin_and_is_numbered_in_order(seed: int) -> None:
    rows = _heap(seed, 3 + 9 * seed)
    kept = [*rows[-1], len(rows) - 1]
    _, _, core = _core(rows, kept)

    expected = plain.find_core(rows, kept)

    numbers = pendants.core_numbers(core, np.arange(len(rows)))
    assert {vertex for vertex in range(len(rows)) if numbers[vertex] >= 0} == expected
    assert len(expected) == core.members
    assert len(expected) < len(rows)
    for number, vertex in enumerate(sorted(expected)):
        assert number == numbers[vertex]


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_of_the_core_are_the_rows_without_what_hangs(seed: int) -> None:
    rows = _heap(seed, 3 + 9 * seed)
    slots, edges, core = _core(rows, rows[-1])
    order = sorted(plain.find_core(rows, rows[-1]))
    number_of = {vertex: number for number, vertex in enumerate(order)}

    shape = pendants.Shape(slots, edges, core.table, slots, edges)
    own_slots, own_edges, weights, end = pendants.core_rows(shape, core, room=7)

    assert end + 7 == own_edges.size
    found = []
    for at in own_slots.tolist():
        row = []
        while at > 0:
            target = int(own_edges[at])
            row.append(max(target, ~target))
            at = 0 if target < 0 else at + 1
        found.append(row)
    assert [[number_of[t] for t in rows[v] if t in number_of] for v in order] == found
    hanging = [[t for t in rows[v] if t not in number_of] for v in order]
    assert [1 + sum(1 + len(rows[t]) for t in each) for each in hanging] == weights.tolist()


def _numbered_in_parts(
    shape: pendants.Shape,
    own_slots: np.ndarray,
    own_weights: np.ndarray,
    nearest: np.ndarray,
    weights: np.ndarray,
    places: np.ndarray,
    parts: int,
) -> tuple[list[int], list[int]]:
    """Nodes and sizes, the latter in stretches of their own, one after the other."""
    own_sizes = subtree_sizes(nearest, weights, Spare())
    total = int(own_sizes[0])
    nodes = np.full(shape.slots.size, -9, np.int32)
    sizes: list[int] = []
    for first, last in pairwise(total * part // parts for part in range(parts + 1)):
        room = np.full(last - first, -9, np.int32)
        renumber(own_sizes, places, room, first)
        pendants.number_vertices(
            shape, own_slots, own_weights,
            places=places, sizes=room, nodes=nodes, first=first,
        )  # fmt: skip
        sizes += room.tolist()
    return nodes.tolist(), sizes


@pytest.mark.parametrize("slot_type", [np.int32, np.int64])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_tree_with_what_hangs_is_the_dominator_tree_of_the_whole_graph(
    seed: int, slot_type: type
) -> None:
    rows = _heap(seed, 3 + 9 * seed)
    root = len(rows) - 1
    slots, edges, core = _core(rows, [*rows[-1], root])
    slots = slots.astype(slot_type)
    shape = pendants.Shape(slots, edges, core.table, slots, edges)
    own_slots, own_edges, own_weights, end = pendants.core_rows(shape, core, room=0)
    start = int(own_slots[-1])
    search = Search(own_slots, own_edges, core.members - 1, edge_count=end)
    search.follow(start)
    nearest = immediate_dominators(search.result)
    weights = np.empty(nearest.size, np.int32)
    pendants.weights_of(own_slots, own_weights, weights)
    places, sizes = flatten_tree(nearest, weights=weights)
    in_parts = _numbered_in_parts(shape, own_slots, own_weights, nearest, weights, places, 1 + seed)
    nodes = slots if slot_type is np.int32 else np.empty(slots.size, np.int32)
    pendants.number_vertices(
        shape, own_slots, own_weights,
        places=places, sizes=sizes, nodes=nodes,
    )  # fmt: skip
    assert in_parts == (nodes.tolist(), sizes.tolist())
    dominators = dominators_of(sizes)

    graph = nx.DiGraph((v, t) for v, targets in enumerate(rows) for t in targets)
    graph.add_node(root)
    nearest_of = nx.immediate_dominators(graph, root)
    reached = set(nx.descendants(graph, root)) | {root}
    assert reached == set(np.flatnonzero(nodes >= 0).tolist())
    assert sorted(nodes[nodes >= 0].tolist()) == list(range(len(reached)))
    assert nodes[root] == 0
    for vertex in reached - {root}:
        assert nodes[nearest_of[vertex]] == dominators[nodes[vertex]] < nodes[vertex]
    below = Counter[int]()
    for node in reversed(range(len(reached))):
        below[node] += 1
        if node:
            below[int(dominators[node])] += below[node]
        assert below[node] == sizes[node]
    assert all(  # a slice of the tree
        dominators[node] <= node - 1 < dominators[node] + sizes[dominators[node]]
        for node in range(1, len(reached))
    )


def test_every_vertex_of_a_whole_core_has_its_own_number() -> None:
    for vertices in (1, 63, 64, 65, 200):
        core = pendants.whole_core(vertices)
        assert core.members == vertices
        every = np.arange(vertices)
        assert every.tolist() == pendants.core_numbers(core, every).tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_what_threads_noted_apart_is_joined(seed: int) -> None:
    rows = _heap(seed, 3 + 9 * seed)
    _, edges = _arrays(rows)
    chance = random.Random(seed)
    cuts = sorted(chance.randrange(1, edges.size) for _ in range(3))
    parts = []
    for start, end in pairwise([1, *cuts, edges.size]):
        parts.append(pendants.new_entries(len(rows)))
        pendants.add_entries(parts[-1], edges, start, end)
    entries = pendants.joined_entries(parts)
    times = Counter(target for targets in rows for target in targets)
    words = np.unpackbits(entries.view(np.uint8), bitorder="little").reshape(-1, 2, 64)
    for least, bits in enumerate((words[:, 0].ravel(), words[:, 1].ravel()), start=1):
        assert {target for target, count in times.items() if count >= least} == set(
            np.flatnonzero(bits).tolist()
        )
