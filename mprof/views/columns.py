"""Columns of numbers as text that a page carries: typed, deflated, base64.

A page with 1,200 jobs and 700 nodes shows a million cells. As JSON these are a hundred megabytes;
as typed columns, deflated by what the browser itself inflates (``DecompressionStream``), a few.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["LEVELS_A_UNIT", "MOST_LEVEL", "NOT_KNOWN", "NOT_RUN", "level_of", "packed", "size_code"]

LEVELS_A_UNIT: Final = 64
"""Levels of darkness between a node like its peers and one at the critical distance."""
MOST_LEVEL: Final = 250
NOT_KNOWN: Final = 254
"""Something ran, and how it compares is not known."""
NOT_RUN: Final = 255

_STEPS_A_DOUBLING: Final = 1024
_OFFSET: Final = 10  # sizes from 2 to the power of minus ten up
_ZERO: Final = 1
_FIRST: Final = 2
_LARGEST: Final = 0xFFFF


def packed(columns: Sequence[tuple[ArrayLike, str]]) -> str:
    """Columns one after the other, little-endian, as base64 of a zlib stream.

    Args:
        columns: values and NumPy's name of their type (``u2``); wider types first, so that each
            begins where a typed array may.
    """
    stream = b"".join(np.asarray(values).astype(f"<{type_}").tobytes() for values, type_ in columns)
    return base64.b64encode(zlib.compress(stream, 6)).decode("ascii")


def size_code(values: ArrayLike) -> NDArray[np.uint16]:
    """Sizes and times in two bytes, to 0.04 %: 0 is not known, 1 is nothing, then logarithms.

    ``2 ** ((code - 2) / 1024 - 10)`` gives them back, from 0.001 to 2 ** 54.
    """
    sizes = np.asarray(values, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = (np.log2(sizes) + _OFFSET) * _STEPS_A_DOUBLING
    codes = np.clip(np.nan_to_num(np.rint(logarithms), neginf=0.0) + _FIRST, _FIRST, _LARGEST)
    codes = np.where(sizes > 0, codes, _ZERO)
    return np.where(np.isnan(sizes), 0, codes).astype(np.uint16)


def level_of(distances: ArrayLike, critical: ArrayLike) -> NDArray[np.uint8]:
    """How dark a node is: its distance from its peers, in units of the critical one.

    Distances towards less are no anomaly: level 0.
    """
    units = np.asarray(distances, dtype=np.float64) / np.asarray(critical, dtype=np.float64)
    levels = np.clip(np.rint(units * LEVELS_A_UNIT), 0, MOST_LEVEL)
    return np.where(np.isnan(levels), NOT_KNOWN, levels).astype(np.uint8)
