"""From rows to a data frame whose columns, dtypes and description do not depend on the rows.

A row is a frozen dataclass. The type of a field says the dtype of its column, and a line of
``Attributes``, ``name (unit): meaning; what NA says``, what it holds. So a column is added in one
place, with the value that fills it.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from mprof.diagnosis import Diagnosed
from mprof.extras import MissingPackageError, how_to_install

try:
    import pandas as pd
except ModuleNotFoundError as error:
    raise MissingPackageError(
        "mprof.tables needs pandas", next_step=how_to_install("notebook")
    ) from error

__all__ = ["Moment", "OfRun", "OneOf", "Table", "as_table", "table_of", "words_of"]

R = TypeVar("R")

Table: TypeAlias = Callable[[Diagnosed], pd.DataFrame]

OneOf: TypeAlias = pd.CategoricalDtype
"""A closed vocabulary, in the order of its words: ``Annotated[str | None, OneOf(["a", "b"])]``."""

_TIME: Final = "datetime64[ms, UTC]"
Moment = Annotated[int | None, _TIME]
"""Milliseconds since 1970."""

_DTYPES: Final[dict[object, str]] = {
    bool: "boolean",
    float: "Float64",
    int: "Int64",
    str: "string",
}
_LINE: Final = re.compile(r"^(\w+)(?: \(([^)]*)\))?: ")
_WIDTH: Final = 96


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRun:
    """What is recorded anew in every run.

    Attributes:
        run (ordinal): run of the capture; NA: there is no capture
        mode: what the run's failed tasks ran in
    """

    run: int | None
    mode: Literal["none", "watch", "profile", "verify"]


def as_table(row: type[R]) -> Callable[[Callable[[Diagnosed], Iterator[R]]], Table]:
    """Make a function that yields rows one that returns their table, and describes its columns."""

    def decorate(rows: Callable[[Diagnosed], Iterator[R]]) -> Table:
        def table(diagnosed: Diagnosed) -> pd.DataFrame:
            return table_of(row, rows(diagnosed))

        table.__name__ = table.__qualname__ = rows.__name__
        table.__module__ = rows.__module__
        table.__doc__ = _described(row, inspect.getdoc(rows) or "")
        return table

    return decorate


def table_of(row: type[R], rows: Iterable[R]) -> pd.DataFrame:
    """A data frame of these rows.

    Raises:
        ValueError: if a word is none of its column's vocabulary; pandas would make it missing.
    """
    every = list(rows)
    return pd.DataFrame(
        {
            name: _column(name, dtype, [getattr(each, name) for each in every])
            for name, dtype in _dtypes(row).items()
        }
    )


def words_of(type_: type, name: str) -> pd.CategoricalDtype:
    """The vocabulary that a field's own type declares, so that it is written down once.

    >>> from mprof.job_run import JobRun
    >>> list(words_of(JobRun, "mode").categories)
    ['none', 'watch', 'profile', 'verify']
    """
    return OneOf(_literals(get_type_hints(type_)[name]))


def _dtypes(row: type) -> dict[str, str | pd.CategoricalDtype]:
    hints = get_type_hints(row, include_extras=True)
    return {name: _dtype(hint) for name, hint in hints.items()}


def _dtype(hint: Any) -> str | pd.CategoricalDtype:
    if get_origin(hint) is Annotated:
        dtype: str | pd.CategoricalDtype = hint.__metadata__[0]
        return dtype
    words = _literals(hint)
    if words:
        return OneOf(words)
    return next(_DTYPES[kind] for kind in (hint, *get_args(hint)) if kind in _DTYPES)


def _literals(hint: object) -> list[str]:
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    return [word for part in get_args(hint) for word in _literals(part)]


def _column(name: str, dtype: str | pd.CategoricalDtype, values: list[object]) -> pd.Series:
    if dtype == _TIME:
        times = pd.to_datetime(pd.Series(values, dtype=_DTYPES[int]), unit="ms", utc=True)
        return times.astype(_TIME)
    if isinstance(dtype, pd.CategoricalDtype):
        strange = {value for value in values if value is not None} - set(dtype.categories)
        if strange:
            raise ValueError(f"column {name} has no such value: {', '.join(map(str, strange))}")
    return pd.Series(values, dtype=dtype)


def _described(row: type, text: str) -> str:
    """The text, with a table of the columns below its first line."""
    first, _, rest = text.partition("\n")
    columns = [("column", "dtype", "unit", "meaning; what NA says"), *_columns(row)]
    widths = [max(len(each[at]) for each in columns) for at in range(3)]
    indent = " " * (sum(widths) + 6)
    lines = []
    for *cells, meaning in columns:
        begin = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        lines += textwrap.wrap(
            f"{begin}  {meaning}", _WIDTH, subsequent_indent=indent, break_on_hyphens=False
        )
    rule = "  ".join("=" * width for width in (*widths, _WIDTH - len(indent)))
    return "\n".join([first, "", rule, lines[0], rule, *lines[1:], rule, rest])


def _columns(row: type) -> Iterator[tuple[str, str, str, str]]:
    """(name, dtype, unit, meaning) of each, as the docstrings of the class and its bases say."""
    says: dict[str, tuple[str, str]] = {}
    for kind in reversed(row.__mro__[:-1]):
        name = ""
        _, _, attributes = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")
        for line in textwrap.dedent(attributes).splitlines():
            begins = _LINE.match(line)
            if begins:
                name, unit = begins[1], begins[2] or ""
                says[name] = (unit, line[begins.end() :])
            else:
                says[name] = (says[name][0], f"{says[name][1]} {line.strip()}")
    for name, dtype in _dtypes(row).items():
        word = "datetime" if dtype == _TIME else str(dtype)
        yield (name, word, *says[name])
