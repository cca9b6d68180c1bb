"""Whole comparisons made where the rows are: a job's, a recording's, those of a kind of call.

Where no two pieces have anything to do with each other, each gives its comparisons, and the
gathering step has nothing to do but to put them one after the other.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

import pandas as pd
import pyarrow as pa

from mprof.peers.look import Look
from mprof.pieces import Engine

__all__ = ["looks_of_pieces"]

Piece = TypeVar("Piece")

_SCHEMA: Final = pa.schema({"look": pa.binary()})


def looks_of_pieces(
    engine: Engine, function: Callable[[Piece], Iterable[Look]], pieces: Sequence[Piece]
) -> Iterator[Look]:
    """The comparisons that a function makes of each piece, in the order of the pieces."""
    found = engine.frame(partial(_frame, function), pieces, _SCHEMA)
    for packed in found["look"]:
        # What this process, or an executor that it started, has packed.
        look: Look = pickle.loads(packed)  # noqa: S301
        yield look


def _frame(function: Callable[[Piece], Iterable[Look]], piece: Piece) -> pd.DataFrame:
    packed = [pickle.dumps(look) for look in function(piece)]
    return pd.DataFrame({"look": pd.Series(packed, dtype=object)})
