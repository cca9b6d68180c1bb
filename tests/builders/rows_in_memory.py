"""Rows of a table in memory, which answer as those of a store do that lie in one piece."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

__all__ = ["RowsInMemory"]


@dataclass(frozen=True)
class RowsInMemory:
    """Of a table with the column ``at_s``."""

    frame: pd.DataFrame

    @property
    def groups(self) -> tuple[RowsInMemory, ...]:
        return (self,) if len(self.frame) else ()

    def between(self, low: float, high: float) -> RowsInMemory:
        at_s = self.frame["at_s"]
        return RowsInMemory(self.frame[(at_s >= low) & (at_s < high)])

    def batches(self, _rows: int) -> tuple[RowsInMemory, ...]:
        return (self,)

    def selecting(self, *columns: str) -> RowsInMemory:
        return RowsInMemory(self.frame[list(columns)])

    def read(self) -> pd.DataFrame:
        return self.frame
