"""Where the table of addresses stands for a heap that is spread over the address space."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from builders.hprof_builder import Builder, FrameSpec
from hypothesis import given, settings
from hypothesis import strategies as st

from mprof.heap import open_heap
from mprof.heap.ranking import rank_objects, regions_of
from mprof.hprof import read_dump
from mprof.kernels.rank import BLOCK, ranks_of

MEGABYTE = 1 << 20


@given(
    st.dictionaries(st.integers(0, 4000), st.integers(1, 300), min_size=1, max_size=60),
    st.integers(2, 5000),
)
@settings(max_examples=200, deadline=None)
def test_regions_fit_into_the_table_and_lie_apart(objects: dict[int, int], most: int) -> None:
    keys = sorted(objects)
    blocks, counts = np.array(keys, np.int64), np.array([objects[key] for key in keys], np.int64)
    starts, lengths = (part.tolist() for part in regions_of(blocks, counts, most))
    assert sum(lengths) + len(lengths) <= most
    taken = [set(range(a, a + n)) for a, n in zip(starts, lengths, strict=True)]
    assert len(set().union(*taken)) == sum(lengths)
    if keys[-1] - keys[0] + 2 <= most:
        assert ([keys[0]], [keys[-1] - keys[0] + 1]) == (starts, lengths)


@pytest.mark.parametrize(
    ("objects", "most", "expected"),
    [
        # small objects at one end, large ones at the other, as ZGC of JDK 17 has them
        ({0: 50_000, 1: 50_000, 2: 900, 24_000: 40, 24_001: 60}, 16_384, [(0, 3), (24_000, 2)]),
        # one large array at the other end is no region
        ({0: 50_000, 1: 50_000, 2: 900, 24_000: 1}, 16_384, [(0, 3)]),
        # the widest gap is cut, the other one is not
        ({0: 100, 50: 100, 900: 5000}, 500, [(900, 1), (0, 51)]),
        # to cut where one block is empty would save nothing
        ({0: 100, 2: 100, 4: 100}, 4, [(0, 3)]),
        # far too many: those with most objects
        ({100 * n: 100 + n for n in range(50)}, 6, [(4900, 1), (4800, 1), (4700, 1)]),
        # nothing that lies together at all
        ({100 * n: 1 for n in range(50)}, 6, [(0, 1)]),
    ],
)
def test_regions_are_where_the_objects_are(
    objects: dict[int, int], most: int, expected: list[tuple[int, int]]
) -> None:
    blocks, counts = np.array([*objects.items()], np.int64).T
    starts, lengths = regions_of(blocks, counts, most)
    assert expected == list(zip(starts.tolist(), lengths.tolist(), strict=True))


def test_a_heap_that_is_spread_out_has_the_same_numbers_as_one_that_is_not(
    tmp_path: Path,
) -> None:
    # main → array → chain of nodes, each at the other end of the heap than the one before it
    found = []
    for apart in (0, 48 * 1024 * MEGABYTE):
        builder = Builder(segment_bytes=5000)
        builder.class_("app.Node", fields={"next": "object", "n": "int"})
        before, addresses = 0, []
        for number in range(400):
            builder.continue_at(builder.base + MEGABYTE + number % 2 * apart + 24 * number)
            before = builder.instance("app.Node", next=before, n=number)
            addresses.append(before)
        builder.continue_at(0x5000_0000_0000_0000 if apart else builder.base + 3 * MEGABYTE)
        array = builder.array("app.Node", [before, addresses[200]])
        builder.thread("main", [FrameSpec("app.Main", "run", "Main.java", 9, [array])])
        path = tmp_path / f"{apart}.hprof"
        path.write_bytes(builder.build())
        ranks, count, duplicates = rank_objects(read_dump(path))
        known = ranks_of(ranks, np.array([*addresses, array], np.int64))
        assert (0, count) == (duplicates, len(builder.sizes))
        assert len(set(known.tolist())) == 401
        assert known.min() >= 0
        heap = open_heap(path)
        assert () == heap.losses
        nodes = [heap.node_at(one) for one in [*addresses, array]]
        found.append([(heap.shallow(node), heap.retained(node)) for node in nodes])
        if apart:
            assert ranks.regions.shape == (1, 3)
            assert 0x5000_0000_0000_0000 == ranks.outliers.min()  # the array, and the thread
            assert ranks.table.size == (2 + 2) * BLOCK
    near, far = found
    assert near == far


def test_addresses_that_occur_twice_are_counted_wherever_they_lie(tmp_path: Path) -> None:
    builder = Builder()
    builder.class_("app.Node", fields={"next": "object"})
    for first in (builder.base + MEGABYTE, builder.base + (48 << 30), 0x5000_0000_0000_0000):
        for number in range(40 if first < 1 << 60 else 3):
            for _ in range(1 + number % 2):
                builder.continue_at(first + 24 * number)
                builder.instance("app.Node")
    path = tmp_path / "twice.hprof"
    path.write_bytes(builder.build())
    ranks, count, duplicates = rank_objects(read_dump(path))
    assert (3, 1) == (ranks.outliers.size, len(ranks.regions))
    assert (len(builder.sizes), 20 + 20 + 1) == (count, duplicates)
