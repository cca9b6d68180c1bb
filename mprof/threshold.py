"""A number that decides: with its name, its unit and the reason for its value.

Nothing in the product compares a measurement with a bare number. A threshold says where its value
comes from; the page of every rule that it decides shows it, and `make sweep` moves it to see
between which values no recorded verdict changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["Threshold", "moved_thresholds", "thresholds_moved", "thresholds_read"]

_READ: ContextVar[set[str] | None] = ContextVar("thresholds read", default=None)
_MOVED: ContextVar[Mapping[str, float]] = ContextVar("moved thresholds", default={})  # noqa: B039


@dataclass(frozen=True, slots=True)
class Threshold:
    """One number that decides.

    Attributes:
        name: unique, as pages and tables print it.
        reason: where the value comes from: the paper, a specification, or why no other will do.
        most: the largest value that means anything, as 1 of a quantile.
    """

    name: str
    default: float
    unit: str
    reason: str
    most: float = math.inf

    def times(self, factor: float) -> float:
        """The default so many times as large; where that means nothing, what lacks is as much less.

        >>> Threshold("nearly all", 0.9, "share", "an example", most=1.0).times(1.25)
        0.92
        """
        if factor <= 1 or self.default * factor < self.most:
            return self.default * factor
        return self.most - (self.most - self.default) / factor

    @property
    def value(self) -> float:
        """The value in force: the default, except inside `thresholds_moved`."""
        read = _READ.get()
        if read is not None:
            read.add(self.name)
        return _MOVED.get().get(self.name, self.default)


@contextmanager
def thresholds_moved(values: Mapping[str, float]) -> Iterator[None]:
    """Run the block with other values of some thresholds, by name.

    >>> half = Threshold("half", 0.5, "share", "an example")
    >>> with thresholds_moved({"half": 0.6}):
    ...     half.value
    0.6
    >>> half.value
    0.5
    """
    token = _MOVED.set({**_MOVED.get(), **values})
    try:
        yield
    finally:
        _MOVED.reset(token)


@contextmanager
def thresholds_read() -> Iterator[set[str]]:
    """The names of the thresholds whose value the block reads: nothing else of it depends on them.

    >>> half = Threshold("half", 0.5, "share", "an example")
    >>> with thresholds_read() as read:
    ...     half.value
    0.5
    >>> read
    {'half'}
    """
    read: set[str] = set()
    token = _READ.set(read)
    try:
        yield read
    finally:
        _READ.reset(token)


def moved_thresholds() -> Mapping[str, float]:
    """The values that are not the defaults here, for a process that has to decide the same."""
    return _MOVED.get()
