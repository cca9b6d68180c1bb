"""Ranks of addresses and look-ups against their plain twins."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import kernels as plain

from mprof.heap._passes import gaps_of
from mprof.kernels.lookup import build_lookup
from mprof.kernels.rank import (
    BLOCK,
    BLOCK_BITS,
    Blocks,
    Ranks,
    add_addresses,
    count_blocks,
    count_ranks,
    look_up,
    ranks_of,
)

BASE = 0x7_0000_0000


FAR = BASE + (47 << 30)
LOWER = BASE - (5 << 40)
SPAN = 12 << 21  # of each region: 12 blocks


def _ranks(addresses: list[int], *, outliers: list[int], shift: int = 3) -> Ranks:
    span = max(addresses) - BASE + 1
    table = np.zeros(2 * ((span >> shift) // 64 + 1), np.uint64)
    return _filled(
        Ranks(table, BASE, span, shift, 0, np.array(sorted(outliers), np.int64)),
        addresses,
        outliers,
    )


def _filled(ranks: Ranks, addresses: list[int], outliers: list[int]) -> Ranks:
    """The same with the bits of all addresses; checks what is said of those that have none."""
    blocks = np.zeros(ranks.table.size // BLOCK + 1, np.uint8)
    given = np.array([*outliers, *addresses, *outliers], np.int64)
    twice, left = add_addresses(ranks, given, given.size, blocks)
    assert plain.add_addresses(set(), addresses) == twice
    assert [*outliers, *outliers] == given[:left].tolist()
    return ranks._replace(inside=count_ranks(ranks.table, blocks))


@given(
    st.lists(st.integers(0, 3_000_000), min_size=1, max_size=200),
    st.lists(st.integers(1, 1000), max_size=4, unique=True),
)
@settings(max_examples=60, deadline=None)
def test_ranks_ascend_with_the_address_and_outliers_come_last(
    steps: list[int], far: list[int]
) -> None:
    inside = [BASE + 8 * step for step in steps]
    outliers = [(1 << 50) + one for one in far]
    ranks = _ranks(inside, outliers=outliers)
    asked = [*inside, *outliers, BASE + 4, BASE - 8, max(inside) + 8, 1 << 51, -5, 0]
    expected = plain.ranks_of([*inside, *outliers], asked)
    assert expected == ranks_of(ranks, np.array(asked, np.int64)).tolist()
    assert expected == list(map(look_up(ranks), asked))
    distinct = sorted(set(inside))
    assert [plain.next_address(inside, one, 4096) for one in distinct] == gaps_of(
        ranks, np.array(distinct, np.int64)
    ).tolist()


@given(
    st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.integers(0, SPAN // 8 - 1)), min_size=1,
             max_size=200),
    st.lists(st.integers(1, 1000), max_size=4, unique=True),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_ranks_of_regions_follow_those_of_the_window_and_no_distance_leaves_a_region(
    steps: list[tuple[int, int]], far: list[int]
) -> None:
    # in the table: the window, an empty block, the region above it, an empty block, that below it
    firsts = (BASE, FAR, LOWER)
    places = [number * (SPAN + (1 << BLOCK_BITS + 3)) for number in range(3)]
    rows = sorted((first, SPAN, place) for first, place in zip(firsts, places, strict=True))
    regions = np.array([row for row in rows if row[0] != BASE], np.int64)
    # both ends of a region, so that a distance from its last address would cross into the next
    pairs = [*steps, (0, SPAN // 8 - 1), (1, 0), (1, SPAN // 8 - 1), (2, 0)]
    outliers = [(1 << 55) + one for one in far]
    ranks = _filled(
        Ranks(np.zeros(3 * 13 * BLOCK, np.uint64), BASE, SPAN, 3, 0,
              np.array(sorted(outliers), np.int64), regions),
        [firsts[region] + 8 * step for region, step in pairs], outliers,
    )  # fmt: skip
    known = [firsts[region] + 8 * step for region, step in sorted(set(pairs))] + sorted(outliers)
    order = {address: rank for rank, address in enumerate(known)}
    asked = [*known, *(one + 4 for one in known), *(one + 8 for one in known), -8, 0, LOWER - 8]
    assert [order.get(one, -1) for one in asked] == ranks_of(
        ranks, np.array(asked, np.int64)
    ).tolist()
    near = known[: len(known) - len(outliers)]
    assert [plain.next_address(near, one, 4096) for one in near] == gaps_of(
        ranks, np.array(near, np.int64)
    ).tolist()


@given(
    st.lists(st.integers(-(1 << 22), 1 << 22), min_size=1, max_size=300),
    st.sampled_from([4, 16, 512]),
)
@settings(max_examples=60, deadline=None)
def test_addresses_are_counted_by_block_as_long_as_there_is_room(
    steps: list[int], slots: int
) -> None:
    addresses = [BASE + 8 * step for step in steps]
    low, bits = min(addresses), 14
    blocks = Blocks(np.zeros(slots, np.int64), np.zeros(slots, np.int64), np.zeros(1, np.int64))
    count_blocks(np.array(addresses, np.int64), len(addresses), low, bits, blocks)
    used = np.flatnonzero(blocks.counts)
    found = dict(zip(blocks.keys[used].tolist(), blocks.counts[used].tolist(), strict=True))
    assert plain.count_blocks(addresses, low, bits, most=slots // 2) == found


def test_threads_that_add_to_one_table_lose_no_address_and_count_each_repetition() -> None:
    # all threads add the same addresses, so nearly every word is contended
    inside = [BASE + 8 * step for step in range(0, 60_000, 3)]
    table = np.zeros(2 * (180_000 // 64 + 1), np.uint64)
    blocks = np.zeros(table.size // BLOCK + 1, np.uint8)
    ranks = Ranks(table, BASE, max(inside) - BASE + 1, 3, 0, np.empty(0, np.int64))
    addresses = np.array(inside, np.int64)
    with ThreadPoolExecutor(4) as pool:
        again = list(
            pool.map(
                lambda part: add_addresses(ranks, part, part.size, blocks)[0],
                [np.roll(addresses, 5000 * number) for number in range(8)],
            )
        )
    assert 7 * len(inside) == sum(again)
    assert len(inside) == count_ranks(table, blocks)
    assert list(range(len(inside))) == ranks_of(ranks, addresses).tolist()


@given(st.lists(st.integers(-(1 << 62), 1 << 62), max_size=60))
@settings(max_examples=40, deadline=None)
def test_a_look_up_finds_the_first_of_equal_keys(keys: list[int]) -> None:
    lookup = build_lookup(np.array(keys, np.int64))
    found = {
        key: int(lookup.values[np.flatnonzero((lookup.keys == key) & (lookup.values >= 0))[0]])
        for key in keys
    }
    assert {key: plain.find(keys, key) for key in keys} == found
    assert len(set(keys)) == int((lookup.values >= 0).sum())


@given(st.lists(st.integers(0, 400_000), min_size=1, max_size=300))
@settings(max_examples=40, deadline=None)
def test_counts_stand_beside_the_words_of_marked_blocks(steps: list[int]) -> None:
    addresses = [BASE + 8 * step for step in steps]
    table = _ranks(addresses, outliers=[]).table
    words = table.copy()
    words[1::2] = 0
    assert plain.count_ranks(words.tolist()) == table.tolist()
