"""More than 2**31 references: rows that lie beyond what 32 bits can address.

The columns are holes of a sparse file; only the few pages with rows are ever there.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from oracles import claim as plain_claim
from oracles import kernels as plain
from oracles import passes as plain_passes

from mprof.heap import _passes
from mprof.heap.outgoing import outgoing_by_node
from mprof.kernels.breadth_first import BreadthFirst
from mprof.kernels.claim import BLOCKED, claim, reached_sizes
from mprof.kernels.depth_first import DepthFirst, Search
from mprof.kernels.dominators import immediate_dominators
from mprof.kernels.retained import dominators_of, flatten_tree
from mprof.kernels.spare import Spare

FAR = (1 << 31) + 1000
VERTICES = 300


@pytest.fixture
def far_edges(tmp_path: Path) -> np.ndarray:
    path = tmp_path / "edges"
    with path.open("wb") as file:
        file.truncate(4 * (FAR + 100_000))
    return np.memmap(path, np.int32, mode="r+")


def _graph(edges: np.ndarray, seed: int) -> tuple[list[list[int]], np.ndarray, int]:
    """Random rows, half of them before and half beyond 2**31; the last vertex is the root."""
    chance = random.Random(seed)
    rows = [
        [chance.randrange(VERTICES) for _ in range(chance.choice([0, 1, 2, 3]))]
        for _ in range(VERTICES)
    ]
    rows.append([chance.randrange(VERTICES) for _ in range(9)])
    slots = np.zeros(len(rows), np.int64)
    places = [1, FAR]
    for vertex, targets in enumerate(rows):
        if targets:
            side = vertex % 2 if vertex < VERTICES else 1
            slots[vertex] = places[side]
            edges[places[side] : places[side] + len(targets)] = [*targets[:-1], ~targets[-1]]
            places[side] += len(targets)
    return rows, slots, places[1]


@pytest.mark.parametrize("link_type", [np.int32, np.int64])
def test_dominators_over_rows_beyond_32_bits_are_those_of_the_plain_twin(
    far_edges: np.ndarray, link_type: type
) -> None:
    rows, slots, _ = _graph(far_edges, 3)
    root = len(rows) - 1
    start = int(slots[root])
    assert start > np.iinfo(np.int32).max
    search = Search(slots, far_edges, root, edge_count=10_000)
    parents, bounds, sources, links = search._result
    search._result = DepthFirst(parents, bounds.astype(link_type), sources, links.astype(link_type))
    search.follow(start)
    order, expected_parents = plain.depth_first(rows, root)
    assert expected_parents == search.result.parents.tolist()
    dominators = immediate_dominators(search.result)
    expected = plain.immediate_dominators(rows, root)
    assert expected == {vertex: order[dominators[n]] for n, vertex in enumerate(order)}

    places, sizes = flatten_tree(dominators)
    assert plain.flatten_tree(dominators.tolist()) == (
        places.tolist(), dominators_of(sizes).tolist(), sizes.tolist(),
    )  # fmt: skip
    nodes = _passes.number_nodes(slots, places)  # numbers in 64 bits become nodes in 32
    assert np.int32 == nodes.dtype
    assert {vertex: int(places[n]) for n, vertex in enumerate(order)} == {
        vertex: node for vertex, node in enumerate(nodes.tolist()) if node >= 0
    }


def test_paths_over_rows_beyond_32_bits_are_those_of_the_plain_twin(far_edges: np.ndarray) -> None:
    rows, slots, _ = _graph(far_edges, 4)
    starts = list(dict.fromkeys(rows[-1]))
    search = BreadthFirst(slots, far_edges)
    search.begin(starts, [-1] * len(starts))
    every = list(range(len(rows) - 1))
    search.search(every)

    root = len(rows) - 1
    before = [root if vertex in starts else -1 for vertex in range(len(rows))]
    parents = plain.shortest_paths(rows, starts, before)
    found = [line[-2:] for line in search.lines(every)]
    assert found == [
        [] if parents[v] < 0 else [v] if parents[v] == root else [parents[v], v] for v in every
    ]


def test_a_row_is_copied_beyond_32_bits_and_takes_further_targets(far_edges: np.ndarray) -> None:
    rows, slots, free = _graph(far_edges, 5)
    numbered = dict(enumerate(rows))
    more = np.array([7, 8, 9], np.int64)
    for source in (0, 1):
        rows[source] = plain_passes.append_row(numbered, source, more.tolist())
        free = _passes.append_row(slots, far_edges, source, more, free)
        assert free - len(rows[source]) == slots[source] > np.iinfo(np.int32).max
    marks = np.zeros(len(rows), np.uint8)
    _passes.mark_referenced(slots, far_edges, len(rows), marks)
    assert plain_passes.mark_referenced(dict(enumerate(rows))) == set(
        np.flatnonzero(marks).tolist()
    )


def test_retained_sizes_of_more_than_4_gib_are_sums_in_64_bits() -> None:
    # a chain of arrays of 2**31 elements of 8 bytes
    count = 10
    dominators = np.maximum(np.arange(count, dtype=np.int32) - 1, 0).astype(np.int32)
    _, sizes = flatten_tree(dominators)
    shallow = np.full(count, 8 << 31, np.int64)
    prefix = np.concatenate(([0], np.cumsum(shallow)))
    assert [(count - n) * (8 << 31) for n in range(count)] == [
        int(prefix[n + sizes[n]] - prefix[n]) for n in range(count)
    ]


def test_claims_over_rows_beyond_32_bits_are_those_of_the_plain_twin(
    far_edges: np.ndarray,
) -> None:
    rows, slots, _ = _graph(far_edges, 5)
    vertices = len(rows)
    nodes = np.array(random.Random(6).sample(range(vertices), vertices), np.int32)
    starts, targets = outgoing_by_node(slots, far_edges, nodes, vertices, Spare())
    by_node: list[list[int]] = [[] for _ in rows]
    for vertex, row in enumerate(rows):
        by_node[nodes[vertex]] = [int(nodes[target]) for target in row]
    owners = np.zeros(vertices, np.int32)
    owners[::7] = BLOCKED
    before = owners.tolist()
    sources, labels = [3, 150, 5], [1, 2, 3]

    claim(
        starts,
        targets,
        sources=np.array(sources, np.int64),
        labels=np.array(labels, np.int32),
        owners=owners,
    )

    assert owners.tolist() == plain_claim.claim(by_node, sources, labels, before)
    assert np.count_nonzero(owners > 0) > 50
    sizes = reached_sizes(
        starts,
        targets,
        prefix=np.concatenate(([0], np.cumsum(np.arange(vertices, dtype=np.int64)))),
        owners=owners,
        wanted=np.array([False, True, True, True]),
        sources=np.array(sources, np.int64),
    )
    assert sizes.tolist() == plain_claim.reached_sizes(
        by_node, list(range(vertices)), owners.tolist(), {1, 2, 3}, sources
    )
