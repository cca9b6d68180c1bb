"""From rows to a data frame: missing values stay missing, and no word is lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pandas as pd
import pytest

from mprof.tables.columns import Moment, table_of


@dataclass(frozen=True)
class Row:
    count: int | None = None
    share: float | None = None
    name: str | None = None
    open: bool | None = None
    kind: Literal["dump", "passive"] | None = None
    at: Moment = None


def test_a_missing_value_is_missing_in_every_dtype_and_no_zero() -> None:
    frame = table_of(Row, [Row()])
    assert frame.isna().all(axis=None)
    assert frame["count"].sum(min_count=1) is pd.NA


def test_values_come_back_as_they_were_given() -> None:
    frame = table_of(Row, [Row(2**53 + 1, 0.5, "x", True, "dump", 1500), Row()])
    assert 2**53 + 1 == frame["count"][0]  # a float would have rounded it
    assert pd.Timestamp("1970-01-01T00:00:01.500Z") == frame["at"][0]
    assert (0.5, "x", True, "dump") == tuple(frame.loc[0, ["share", "name", "open", "kind"]])


def test_a_table_without_rows_has_the_dtypes_of_one_with_rows() -> None:
    full = table_of(Row, [Row(1, 1.0, "", False, "passive", 0)])
    assert table_of(Row, []).dtypes.to_dict() == full.dtypes.to_dict()


def test_a_word_outside_the_vocabulary_is_an_error_and_not_missing() -> None:
    with pytest.raises(ValueError, match="column kind has no such value: guess"):
        table_of(Row, [Row(kind="guess")])  # type: ignore[arg-type]
