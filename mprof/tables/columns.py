"""From rows to a data frame whose dtypes do not depend on the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias, get_args, get_origin, get_type_hints

import pandas as pd

__all__ = [
    "BOOLEAN",
    "FLOAT",
    "INTEGER",
    "STRING",
    "TIME",
    "Columns",
    "Row",
    "one_of",
    "table_of",
    "words_of",
]

BOOLEAN: Final = "boolean"
FLOAT: Final = "Float64"
INTEGER: Final = "Int64"
STRING: Final = "string"
TIME: Final = "datetime64[ms, UTC]"

Columns: TypeAlias = Mapping[str, str | pd.CategoricalDtype]
"""Names and dtypes, in the order of the table."""

Row: TypeAlias = Mapping[str, object]
"""One value a column; None where it is missing."""


def table_of(columns: Columns, rows: Iterable[Row]) -> pd.DataFrame:
    """A data frame of these rows.

    Raises:
        ValueError: if a word is none of its column's vocabulary; pandas would make it missing.
    """
    every = list(rows)
    return pd.DataFrame(
        {
            name: _column(name, dtype, [row[name] for row in every])
            for name, dtype in columns.items()
        }
    )


def one_of(words: Iterable[str]) -> pd.CategoricalDtype:
    """The dtype of a closed vocabulary."""
    return pd.CategoricalDtype(list(words))


def words_of(type_: type, name: str) -> pd.CategoricalDtype:
    """The vocabulary that a field's own type declares, so that it is written down once.

    >>> from mprof.job_run import JobRun
    >>> list(words_of(JobRun, "mode").categories)
    ['none', 'watch', 'profile', 'verify']
    """
    return one_of(_literals(get_type_hints(type_)[name]))


def _literals(hint: object) -> list[str]:
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [word for part in get_args(hint) for word in _literals(part)]


def _column(name: str, dtype: str | pd.CategoricalDtype, values: list[object]) -> pd.Series:
    if dtype == TIME:
        times = pd.to_datetime(pd.Series(values, dtype=INTEGER), unit="ms", utc=True)
        return times.astype(TIME)
    if isinstance(dtype, pd.CategoricalDtype):
        strange = {value for value in values if value is not None} - set(dtype.categories)
        if strange:
            raise ValueError(f"column {name} has no such value: {', '.join(map(str, strange))}")
    return pd.Series(values, dtype=dtype)
