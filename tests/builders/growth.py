"""Whether reading takes time in proportion to what is read: two sizes, compared within one run."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["times_longer"]

Input = TypeVar("Input")

_LEAST_S = 0.02
_LONG_S = 2.0
_FEWEST_TRIES, _MOST_TRIES = 3, 9
_NEAR = 1.5  # times as long as linear, below which no more tries are needed


def times_longer(
    make: Callable[[int], Input], read: Callable[[Input], object], small: int, *, by: int = 4
) -> float:
    """How many times longer it takes to read ``by`` times as much: ``by`` where that is linear.

    The best of three, in CPU time of this thread: a busy machine makes no run shorter. It does make
    all three longer at times, by its caches, so what looks far from linear is tried up to nine
    times. What takes less than 20 ms is doubled until it takes as much, so that fixed costs do not
    hide the growth.

    Args:
        make: input of about so many characters; its time does not count.
        read: reads it.
        small: the size to begin with.
        by: the factor between the sizes.
    """
    gc.collect()
    gc.freeze()  # what other tests left is never looked at again: that takes a second a time
    while (took := _seconds(read, make(small))) < _LEAST_S:
        small *= 2
    less, more = make(small), make(small * by)
    longer = _seconds(read, more)
    if longer > _LONG_S:
        return longer / took
    for tries in range(2, _MOST_TRIES + 1):
        took, longer = min(took, _seconds(read, less)), min(longer, _seconds(read, more))
        if tries >= _FEWEST_TRIES and longer < _NEAR * by * took:
            break
    return longer / took


def _seconds(read: Callable[[Input], object], given: Input) -> float:
    gc.collect()
    began = time.thread_time()
    read(given)
    return time.thread_time() - began
