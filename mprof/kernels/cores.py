"""All cores that this process may use, in plain threads: kernels release the interpreter lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

__all__ = ["core_count", "on_all_cores"]

_SMALLEST_PART = 1 << 16  # elements; below that a thread costs more than it saves


def core_count() -> int:
    """How many cores this process may use."""
    return max(1, len(os.sched_getaffinity(0)))


def on_all_cores(work: Callable[[int, int], None], count: int) -> None:
    """Calls ``work(start, end)`` for consecutive parts of ``range(count)``, one on each core."""
    parts = max(1, min(core_count(), count // _SMALLEST_PART))
    bounds = [count * part // parts for part in range(parts + 1)]
    if parts == 1:
        work(0, count)
        return
    with ThreadPoolExecutor(parts) as pool:
        for future in [pool.submit(work, start, end) for start, end in pairwise(bounds)]:
            future.result()
