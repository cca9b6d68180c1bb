from __future__ import annotations

import numpy as np
from builders.reference_rows import columns, prefix_of
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import claim as oracle

from mprof.heap.outgoing import Outgoing
from mprof.objects import reach
from mprof.objects.reach import reached_by_each


@st.composite
def heaps(draw: st.DrawFn) -> tuple[list[list[int]], list[int], list[frozenset[int]]]:
    count = draw(st.integers(1, 12))
    node = st.integers(0, count - 1)
    rows = [draw(st.lists(node, max_size=3)) for _ in range(count)]
    owners = [draw(st.sampled_from([1, 1, 2, 0, -1])) for _ in range(count)]
    sets = draw(st.lists(st.frozensets(node, max_size=4), max_size=6))
    return rows, owners, sets


@given(heaps())
@settings(max_examples=300, deadline=None)
def test_each_set_reaches_what_it_reaches_alone(heap):
    rows, owners, sets = heap
    weights = [1 << node for node in range(len(rows))]  # a sum tells which nodes it has
    found = reached_by_each(
        Outgoing(*columns(rows)),
        prefix=prefix_of(weights),
        owners=np.array(owners, np.int32),
        wanted=np.array([False, True, True]),
        sets=sets,
    )
    alone = {
        nodes: sum(oracle.reached_sizes(rows, weights, owners, {1, 2}, sorted(nodes)))
        for nodes in [frozenset[int](), *sets]
    }
    assert dict(found) == alone


def test_what_frames_have_in_common_is_followed_once(monkeypatch):
    followed = []

    def noting(*outgoing, sources, **others):
        followed.append(sources.tolist())
        return reached_sizes(*outgoing, sources=sources, **others)

    reached_sizes = reach.reached_sizes
    monkeypatch.setattr(reach, "reached_sizes", noting)
    rows = [[1], [2], [], [], []]
    sets = [frozenset({3}), frozenset({0}), frozenset({0, 4}), frozenset({0}), frozenset({3})]
    found = reached_by_each(
        Outgoing(*columns(rows)),
        prefix=prefix_of([1, 10, 100, 1000, 10000]),
        owners=np.ones(5, np.int32),
        wanted=np.array([False, True]),
        sets=sets,
    )
    assert found[frozenset({0, 4})] == 10111
    assert sorted(followed) == [[0], [3], [4]]
