"""Whole comparisons made where the rows are: a job's, a recording's, those of a kind of call.

Where no two pieces have anything to do with each other, each gives its comparisons, and the
gathering step has nothing to do but to put them one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, TypeVar

import msgspec
import pandas as pd
import pyarrow as pa

from mprof.peers.comparison import Comparison
from mprof.peers.look import Look
from mprof.pieces import Engine

__all__ = ["looks_of_pieces"]

Piece = TypeVar("Piece")

_SCHEMA: Final = pa.schema({"evidence": pa.string(), "comparison": pa.binary()})


def looks_of_pieces(
    engine: Engine, function: Callable[[Piece], Iterable[Look]], pieces: Sequence[Piece]
) -> Iterator[Look]:
    """The comparisons that a function makes of each piece, in the order of the pieces."""
    found = engine.frame(partial(_frame, function), pieces, _SCHEMA)
    for evidence, comparison in zip(found["evidence"], found["comparison"], strict=True):
        yield Look(evidence, msgspec.msgpack.decode(comparison, type=Comparison))


def _frame(function: Callable[[Piece], Iterable[Look]], piece: Piece) -> pd.DataFrame:
    rows = [(look.evidence, msgspec.msgpack.encode(look.comparison)) for look in function(piece)]
    return pd.DataFrame(rows, columns=_SCHEMA.names)
