"""Distances that several workers sample, joined to those that one alone would have sampled.

Which worker takes which chunk is another one in each run, and each keeps the first samples of a
class that it meets. The first of all of them in the file are the same in every run: so are the
layout that is fitted to them, and the sizes of a heap.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mprof.heap._passes import SAMPLES, Gaps
from mprof.heap.layout import new_gaps

__all__ = ["Samples", "joined"]

_NONE = np.iinfo(np.int32).max  # of which chunk a place without a sample is: it comes last


class Samples:
    """What one worker samples, with the chunk that each sample is of.

    Attributes:
        gaps: the samples; the worker adds to them.
        class_chunks: int32, of the shape of ``gaps.class_gaps``: the number of the chunk.
        array_chunks: int32, of the shape of ``gaps.array_gaps``.
    """

    def __init__(self, classes: int) -> None:
        self.gaps = new_gaps(classes)
        self.class_chunks = np.full_like(self.gaps.class_gaps, _NONE)
        self.array_chunks = np.full_like(self.gaps.array_gaps, _NONE)
        self._class_seen = self.gaps.class_seen.copy()
        self._array_seen = self.gaps.array_seen.copy()

    def end_of_chunk(self, number: int) -> None:
        """Notes that what was added since the last call is of that chunk."""
        _note(number, self.class_chunks, self._class_seen, self.gaps.class_seen)
        _note(number, self.array_chunks, self._array_seen, self.gaps.array_seen)


def joined(every: Sequence[Samples]) -> Gaps:
    """The first samples of each class, and of each type and length of array, in the file.

    Args:
        every: of all workers, each of which took its chunks in the order of the file.
    """
    if len(every) == 1:
        return every[0].gaps
    return Gaps(
        *_first(
            [one.gaps.class_gaps for one in every],
            [one.class_chunks for one in every],
            [one.gaps.class_seen for one in every],
        ),
        *_first(
            [one.gaps.array_gaps for one in every],
            [one.array_chunks for one in every],
            [one.gaps.array_seen for one in every],
        ),
    )


def _note(
    number: int,
    chunks: NDArray[np.int32],
    before: NDArray[np.int32],
    seen: NDArray[np.int32],
) -> None:
    rows = np.nonzero(seen != before)
    places = np.arange(SAMPLES)
    is_new = (places >= before[rows][:, None]) & (places < seen[rows][:, None])
    chunks[rows] = np.where(is_new, np.int32(number), chunks[rows])
    before[rows] = seen[rows]


def _first(
    gaps: Sequence[NDArray[np.int32]],
    chunks: Sequence[NDArray[np.int32]],
    seen: Sequence[NDArray[np.int32]],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    # A chunk is of one worker, whose samples of it are in order: a stable sort leaves them so.
    order = np.argsort(np.concatenate(chunks, axis=-1), axis=-1, kind="stable")[..., :SAMPLES]
    first = np.take_along_axis(np.concatenate(gaps, axis=-1), order, axis=-1)
    return first, np.minimum(np.sum(seen, axis=0, dtype=np.int32), np.int32(SAMPLES))
