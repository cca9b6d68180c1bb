"""All cores that this process may use, in plain threads: kernels release the interpreter lock."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, TypeVar

from numpy.typing import NDArray

__all__ = ["beside", "core_count", "fill", "on_all_cores", "touch"]

T = TypeVar("T")

_POPULATE_WRITE = (
    23  # MADV_POPULATE_WRITE, Linux 5.14 and later; others refuse it, which does no harm
)
_PAGE = 4096
_AT_ONCE = 1 << 24  # bytes

_SMALLEST_PART = 1 << 16  # elements; below that a thread costs more than it saves


def core_count() -> int:
    """How many cores this process may use."""
    return max(1, len(os.sched_getaffinity(0)))


def on_all_cores(
    work: Callable[[int, int], None], count: int, *, smallest: int = _SMALLEST_PART
) -> None:
    """Calls ``work(start, end)`` for consecutive parts of ``range(count)``, one on each core.

    Args:
        work: what is called.
        count: how many elements there are.
        smallest: elements of a part; below that a thread costs more than it saves.
    """
    parts = max(1, min(core_count(), count // smallest))
    bounds = [count * part // parts for part in range(parts + 1)]
    if parts == 1:
        work(0, count)
        return
    with ThreadPoolExecutor(parts) as pool:
        for future in [pool.submit(work, start, end) for start, end in pairwise(bounds)]:
            future.result()


@contextmanager
def beside(work: Callable[[], T]) -> Iterator[Callable[[], T]]:
    """Something that is done on another core, where there is one; what is yielded has its result.

    Where numba is told to have one thread it is done when it is asked for: the code of kernels
    depends on the order in which they are compiled, and those of a wheel are always the same.
    """
    if core_count() == 1 or os.environ.get("NUMBA_NUM_THREADS") == "1":
        yield work
        return
    with ThreadPoolExecutor(1) as other_core:
        yield other_core.submit(work).result


def fill(array: NDArray[Any], value: int) -> None:
    """Sets all elements; of new memory each core has its own part found and cleared."""
    on_all_cores(lambda start, end: array[start:end].fill(value), array.size)


def touch(array: NDArray[Any]) -> None:
    """Has the system back a new array with memory; what other threads write meanwhile is kept.

    Finding and clearing memory takes a third of the time of a search that writes it once, and can
    be done ahead of it. No effect where the system cannot do it.
    """
    if not sys.platform.startswith("linux"):
        return
    begin = -(-array.ctypes.data // _PAGE) * _PAGE
    end = (array.ctypes.data + array.nbytes) // _PAGE * _PAGE
    advise = ctypes.CDLL(None).madvise
    for at in range(begin, end, _AT_ONCE):  # meanwhile no other thread gets a new array
        size = ctypes.c_size_t(min(_AT_ONCE, end - at))
        advise(ctypes.c_void_p(at), size, ctypes.c_int(_POPULATE_WRITE))
