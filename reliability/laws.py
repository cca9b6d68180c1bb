"""Growth laws: how much a consumer holds after it has taken in so much of its input.

Each law is a curve over t, the input taken in as a share of a reference (1 at the reference), and
is worth 1 there; a consumer multiplies it by its bytes. `after` is what is held once a record has
been worked on, `during` the most while it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["BOUNDED", "CONSTANT", "FLUSHED", "Curve", "Law", "LawName"]

Curve = NDArray[np.float64]
LawName = Literal[
    "linear", "power", "log", "n log n", "saturating", "cache", "flushed", "steps", "late",
    "doubling", "young", "old", "constant", "lazy", "blocks",
]  # fmt: skip

CONSTANT: Final = frozenset({"constant", "lazy"})
"""Laws of what is loaded once and never grows again."""
FLUSHED: Final = frozenset({"flushed", "young"})
"""Laws of what is emptied now and then."""
BOUNDED: Final = frozenset({"cache", "saturating", "log"})
"""Laws of what stops growing, or nearly."""

_ARRAY: Final = 0.4
"""Share of a container that its array takes, where it has been filled to the last slot."""


@dataclass(frozen=True, slots=True)
class Law:
    """One growth law.

    Attributes:
        name: which.
        k: its parameter: the exponent of a power, the steepness of a logarithm or a saturation,
            the share of the reference at which a cache is full, a late start begins or a lazy load
            happens, the period of a flush, of a hand-on or of a block, the number of steps, the
            capacity of a doubling container in slots at the reference.
        weights: of blocks, each one's size as a share of the law's.
    """

    name: LawName
    k: float = 1.0
    weights: tuple[float, ...] = ()

    @property
    def is_constant(self) -> bool:
        """Whether it is loaded once and never grows again."""
        return self.name in CONSTANT

    def held(self, t: Curve) -> tuple[Curve, Curve]:
        """What is held after each step, and the most during it, as shares of what it is at t = 1.

        Args:
            t: input taken in, as a share of the reference: 0 first, rising.

        Returns:
            Two curves as long as t; the first of `during` equals the first of `after`.
        """
        if self.name == "flushed":
            return _flushed(t, self.k)
        if self.name == "doubling":
            return _doubling(t, self.k)
        if self.name == "blocks":
            return _blocks(t, self.k, self.weights)
        size = self._size(t)
        return size, size

    def _size(self, t: Curve) -> Curve:
        k = self.k
        size: Curve
        match self.name:
            case "linear":
                size = t
            case "power":
                size = np.power(t, k)
            case "log":
                size = np.log1p(k * t) / np.log1p(k)
            case "n log n":
                size = t * np.log1p(k * t) / np.log1p(k)
            case "saturating":
                size = -np.expm1(-k * t) / -np.expm1(-k)
            case "cache":
                size = np.minimum(t / k, 1.0)
            case "steps":
                size = np.floor(t * k + 1e-9) / k
            case "late":
                size = np.maximum(0.0, (t - k) / (1 - k))
            case "young":
                size = t - np.floor(t / k + 1e-9) * k
            case "old":
                size = np.floor(t / k + 1e-9) * k
            case "lazy":
                size = (t >= k).astype(np.float64)
            case _:
                size = np.ones_like(t)
        return size


def _flushed(t: Curve, period: float) -> tuple[Curve, Curve]:
    """Emptied as soon as a period has come together; during that record all of it was there.

    The size is that of what came in since the last flush, in periods.
    """
    after, during = np.empty_like(t), np.empty_like(t)
    start, first = 0.0, 0
    while first < len(t):
        end = int(np.searchsorted(t, start + period - 1e-12, side="left"))
        end = max(end, first)
        stop = min(end + 1, len(t))
        during[first:stop] = (t[first:stop] - start) / period
        after[first:stop] = during[first:stop]
        if end < len(t):
            after[end] = 0.0
            start = float(t[end])
        first = end + 1
    during[0] = after[0]
    return after, during


def _doubling(t: Curve, slots: float) -> tuple[Curve, Curve]:
    """Elements, and an array with as many slots as the next power of two; both arrays at a copy."""
    filled = np.maximum(t * slots, 1.0)
    capacity = np.exp2(np.ceil(np.log2(filled) - 1e-9))
    top = np.exp2(np.ceil(np.log2(max(slots, 1.0)) - 1e-9))
    array = _ARRAY * capacity / top
    after = (1 - _ARRAY) * t + array
    during = after.copy()
    grown = np.flatnonzero(np.diff(capacity)) + 1
    during[grown] += array[grown - 1]
    return after, during


def _blocks(t: Curve, period: float, weights: tuple[float, ...]) -> tuple[Curve, Curve]:
    """A block is there from before its first record is handed out until its last one is done."""
    index = np.floor(t / period + 1e-9).astype(int)
    size = np.asarray(weights)[index % len(weights)]
    during = size.copy()
    during[1:] = size[:-1]  # record i comes from the block that stood there before it was taken
    during[1:] = np.maximum(during[1:], size[1:])
    return size, during
