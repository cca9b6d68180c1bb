"""From rows to a data frame: missing values stay missing, and no word is lost."""

from __future__ import annotations

import pandas as pd
import pytest

from mprof.tables.columns import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    STRING,
    TIME,
    Columns,
    one_of,
    table_of,
)

COLUMNS: Columns = {
    "count": INTEGER,
    "share": FLOAT,
    "name": STRING,
    "open": BOOLEAN,
    "kind": one_of(("dump", "passive")),
    "at": TIME,
}


def test_a_missing_value_is_missing_in_every_dtype_and_no_zero() -> None:
    frame = table_of(COLUMNS, [dict.fromkeys(COLUMNS)])
    assert frame.isna().all(axis=None)
    assert frame["count"].sum(min_count=1) is pd.NA


def test_values_come_back_as_they_were_given() -> None:
    row = {"count": 2**53 + 1, "share": 0.5, "name": "x", "open": True, "kind": "dump", "at": 1500}
    frame = table_of(COLUMNS, [row, dict.fromkeys(COLUMNS)])
    assert 2**53 + 1 == frame["count"][0]  # a float would have rounded it
    assert pd.Timestamp("1970-01-01T00:00:01.500Z") == frame["at"][0]
    assert (0.5, "x", True, "dump") == tuple(frame.loc[0, ["share", "name", "open", "kind"]])


def test_a_table_without_rows_has_the_dtypes_of_one_with_rows() -> None:
    row = {"count": 1, "share": 1.0, "name": "", "open": False, "kind": "passive", "at": 0}
    assert table_of(COLUMNS, []).dtypes.to_dict() == table_of(COLUMNS, [row]).dtypes.to_dict()


def test_a_word_outside_the_vocabulary_is_an_error_and_not_missing() -> None:
    with pytest.raises(ValueError, match="column kind has no such value: guess"):
        table_of({"kind": COLUMNS["kind"]}, [{"kind": "guess"}])
