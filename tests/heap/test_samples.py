"""Samples of several workers, joined: whichever chunks each of them takes, they are the first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mprof.heap._passes import SAMPLES
from mprof.heap.samples import Samples, joined

CLASSES = 5
CHUNKS = st.lists(
    st.lists(st.tuples(st.integers(0, CLASSES - 1), st.integers(1, 1000)), max_size=120),
    max_size=12,
)


def added(samples: Samples, number: int, chunk: list[tuple[int, int]]) -> None:
    """What a pass over a chunk does: it keeps a class's first samples."""
    gaps = samples.gaps
    for of_class, gap in chunk:
        seen = gaps.class_seen[of_class]
        if seen < SAMPLES:
            gaps.class_gaps[of_class, seen] = gap
            gaps.class_seen[of_class] += 1
        length = gap % 3
        seen = gaps.array_seen[of_class, length]
        if seen < SAMPLES:
            gaps.array_gaps[of_class, length, seen] = gap
            gaps.array_seen[of_class, length] += 1
    samples.end_of_chunk(number)


@given(CHUNKS, st.data())
def test_they_are_those_of_one_worker_whoever_takes_which_chunk(
    chunks: list[list[tuple[int, int]]], data: st.DataObject
) -> None:
    alone = Samples(CLASSES)
    workers = [Samples(CLASSES) for _ in range(data.draw(st.integers(2, 3)))]
    for number, chunk in enumerate(chunks):
        added(alone, number, chunk)
        added(data.draw(st.sampled_from(workers)), number, chunk)

    for expected, found in zip(joined([alone]), joined(workers), strict=True):
        np.testing.assert_array_equal(expected, found)


@pytest.mark.parametrize("count", [SAMPLES - 1, SAMPLES, 3 * SAMPLES])
def test_no_more_than_the_first_are_kept(count: int) -> None:
    one, other = Samples(CLASSES), Samples(CLASSES)
    added(other, 1, [(2, 7)] * count)
    added(one, 0, [(2, 9)] * 3)
    found = joined([other, one])

    assert [9, 9, 9, *[7] * (SAMPLES - 3)][: min(SAMPLES, count + 3)] == [
        gap for gap in found.class_gaps[2].tolist() if gap
    ]
    assert min(SAMPLES, count + 3) == found.class_seen[2]
