"""The dominator tree in rows: beside a plain twin, and what must be true of any rows."""

from __future__ import annotations

import random

import numpy as np
import pytest
from oracles import kernels as plain

from mprof.kernels.outline import Rows, outline


def _tree(seed: int, count: int, kinds: int) -> tuple[list[int], list[int], list[int]]:
    """Dominators in preorder, classes, weights."""
    chance = random.Random(seed)
    dominators, line = [0], [0]
    for vertex in range(1, count):
        # Long lines of descent, so that chains of one class come about.
        del line[max(1, len(line) - chance.choice([0, 0, 0, 1, 2, 5])) :]
        dominators.append(line[-1])
        line.append(vertex)
    classes = [-1, *(chance.choice([-1, *range(kinds), 0, 0]) for _ in range(count - 1))]
    return dominators, classes, [0, *(chance.randrange(0, 50) for _ in range(count - 1))]


def _rows(dominators: list[int], classes: list[int], weights: list[int], **limits: int) -> Rows:
    sizes = [1] * len(dominators)
    for vertex in range(len(dominators) - 1, 0, -1):
        sizes[dominators[vertex]] += sizes[vertex]
    return outline(
        np.array(dominators, np.int32), np.array(classes, np.int32), np.array(sizes, np.int32),
        np.concatenate(([0], np.cumsum(weights))).astype(np.int64), **limits,
    )  # fmt: skip


def _named(rows: Rows) -> dict[tuple[int, tuple[int, ...]], tuple[int, int, int, int]]:
    keys: list[tuple[int, tuple[int, ...]]] = []
    for vertex, parent, kind in zip(
        rows.vertices.tolist(), rows.parents.tolist(), rows.classes.tolist(), strict=True
    ):
        if vertex >= 0:
            keys.append((vertex, ()))
        else:
            top, below = keys[parent]
            keys.append((top, (*below, kind)))
    numbers = zip(*(each.tolist() for each in rows[3:]), strict=True)
    return dict(zip(keys, numbers, strict=True))


@pytest.mark.parametrize("least", [0, 40, 400, 10_000])
@pytest.mark.parametrize("seed", range(8))
def test_the_rows_are_those_of_the_plain_twin(seed: int, least: int) -> None:
    dominators, classes, weights = _tree(seed, 150, kinds=1 + seed % 5)

    rows = _rows(dominators, classes, weights, least=least)

    assert plain.outline(dominators, classes, weights, least=least) == _named(rows)
    assert rows.totals[0] == sum(weights)


def test_a_chain_of_one_class_has_eight_rows_and_one_more() -> None:
    # 0 -> 1 -> 2 -> ... -> 1000, all of class 5
    count = 1001
    rows = _rows(
        [0, *range(count - 1)], [-1] + [5] * (count - 1), [0] + [16] * (count - 1), least=0
    )

    assert [0, *range(1, 9), -1] == rows.vertices.tolist()
    assert count - 9 == rows.members[-1]


@pytest.mark.parametrize("most", [1, 2, 5, 20])
def test_where_there_are_too_many_rows_nothing_is_lost(most: int) -> None:
    dominators, classes, weights = _tree(3, 200, kinds=6)

    rows = _rows(dominators, classes, weights, least=30, most=most)

    assert rows.totals.size <= most
    assert sum(weights) == rows.totals[0] == rows.shallow.sum()
    assert 200 == rows.members.sum() == rows.below[0]
    assert (rows.parents[1:] < np.arange(1, rows.parents.size)).all()


def test_many_ways_back_to_the_same_rows_fill_no_table() -> None:
    """A chain of twenty classes, and below each link one object of every class above it."""
    dominators, classes = [0], [-1]

    def add(above: int, kind: int) -> int:
        dominators.append(above)
        classes.append(kind)
        return len(classes) - 1

    above = 0
    for kind in range(20):
        above = add(above, kind)
        for other in range(kind):
            add(above, other)
    weights = [0, *([8] * (len(classes) - 1))]

    rows = _rows(dominators, classes, weights, least=1 << 30, most=21)

    assert plain.outline(dominators, classes, weights, least=1 << 30) == _named(rows)
    assert 21 == rows.totals.size


def test_sums_beyond_32_bits_do_not_overflow() -> None:
    far = 1 << 33
    rows = _rows([0, 0, 1, 1], [-1, 2, 3, 3], [0, far, far, far], least=1 << 40)

    assert [3 * far, 3 * far, 2 * far] == rows.totals.tolist()
