"""Measurements that cost much, made no more often than their cost allows."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Final, Generic, TypeVar

__all__ = ["SlowMeasure"]

T = TypeVar("T")

_SHARE: Final = 0.003
"""Of one processor: the whole collector may take 0.01."""
_OLDEST_S: Final = 15.0
"""What is older is not known any more; Prometheus scrapes this often."""


class SlowMeasure(Generic[T]):
    """Something that costs much, measured no more often than its cost allows.

    A node with ten thousand connections, or as many threads, must not pay for being watched.
    """

    def __init__(self, measure: Callable[[], T | None], *, share: float = _SHARE) -> None:
        self._measure = measure
        self._share = share
        self._value: T | None = None
        self._measured_s = -_OLDEST_S
        self._next_s = 0.0

    def value(self) -> T | None:
        """The last measurement, if it is not too old."""
        now_s = time.monotonic()
        if now_s >= self._next_s:
            before = _processor_s()
            self._value = self._measure()
            self._measured_s = now_s
            self._next_s = now_s + (_processor_s() - before) / self._share
        return self._value if now_s - self._measured_s <= _OLDEST_S else None


def _processor_s() -> float:
    """What this process and its children have used."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )
