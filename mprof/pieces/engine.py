"""What runs a function over pieces, and the engine that does it in this process."""

from __future__ import annotations

import contextvars
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar

import pandas as pd
import pyarrow as pa

__all__ = ["Engine", "LocalEngine", "as_table", "results_of"]


Piece = TypeVar("Piece")


class Engine(Protocol):
    """Runs a function over pieces."""

    def frame(
        self, function: Callable[[Piece], pd.DataFrame], pieces: Sequence[Piece], schema: pa.Schema
    ) -> pd.DataFrame:
        """The results of all pieces, one below the other, in their order.

        Args:
            function: gives a frame with the columns of ``schema``. It depends on nothing but its
                piece and the thresholds in force, and can be pickled.
            pieces: of work; they can be pickled.
            schema: of the results.

        Raises:
            MprofError: as the function does.
            ClusterError: if the engine cannot run it.
        """
        ...


@dataclass(frozen=True, slots=True)
class LocalEngine:
    """Runs it in threads of this process, as many as there are cores.

    Threads, since the kernels, NumPy's sorts and Parquet's decoder release the interpreter lock,
    and a process would have to import pandas first.

    Attributes:
        threads: as many as there are cores where None.
    """

    threads: int | None = None

    def frame(
        self, function: Callable[[Piece], pd.DataFrame], pieces: Sequence[Piece], schema: pa.Schema
    ) -> pd.DataFrame:
        """See `Engine.frame`."""
        threads = min(self.threads or len(os.sched_getaffinity(0)), len(pieces))
        if threads <= 1:
            return results_of((as_table(function(piece), schema) for piece in pieces), schema)
        with ThreadPoolExecutor(threads) as pool:
            running = [
                # The thresholds in force are of the context, which a thread does not inherit.
                pool.submit(contextvars.copy_context().run, function, piece)
                for piece in pieces
            ]
            try:
                return results_of((as_table(one.result(), schema) for one in running), schema)
            finally:
                pool.shutdown(cancel_futures=True)


def as_table(frame: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    """A result with exactly these columns and types; NaN is missing."""
    return pa.Table.from_pandas(frame, schema=schema, preserve_index=False)


def results_of(tables: Iterable[pa.Table], schema: pa.Schema) -> pd.DataFrame:
    """The results of pieces, one below the other."""
    parts = list(tables)
    frame: pd.DataFrame = pa.concat_tables(parts or [schema.empty_table()]).to_pandas()
    return frame
