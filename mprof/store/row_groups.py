"""A table larger than memory, row group by row group: what each holds by its statistics, and reads.

Parquet keeps the least and the largest value of each column beside every row group. So who wants an
hour of a day reads the row groups that may hold some of it, and keeps no more than that hour.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mprof.errors import EvidenceError
from mprof.printable import one_line
from mprof.store.schema import TABLES

__all__ = ["RowGroup", "Wanted", "damaged", "read_rows", "row_groups", "wanted_groups"]

_CATEGORIES: Final = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows that lie together in a file.

    Attributes:
        file: of Parquet.
        number: in that file.
        rows: how many.
        low: the least value of the column that was asked for; None where it is not known.
        high: the largest.
    """

    file: str
    number: int
    rows: int
    low: Any = None
    high: Any = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows of a table are wanted.

    Attributes:
        table: its name.
        columns: that are wanted.
        groups: the row groups that may hold the rows: files, with numbers in them.
        column: that decides about a row; every row is wanted where it is empty.
        begin: the least value that is wanted.
        end: the first value above ``begin`` that is not.
        among: instead of both, the values that are wanted.
        categories: those of the columns with few texts, which are read as categories.
    """

    table: str
    columns: tuple[str, ...]
    groups: tuple[tuple[str, tuple[int, ...]], ...]
    column: str = ""
    begin: float = -math.inf
    end: float = math.inf
    among: tuple[str, ...] | None = None
    categories: tuple[str, ...] = ()


def row_groups(files: Iterable[Path], column: str) -> tuple[RowGroup, ...]:
    """The row groups of files, in this order, with the range of one column.

    Raises:
        EvidenceError: if a file is damaged.
    """
    return tuple(group for file in files for group in _of_file(file, column))


def _of_file(file: Path, column: str) -> list[RowGroup]:
    try:
        metadata = pq.read_metadata(file)
    except (pa.ArrowException, OSError) as error:
        raise damaged(file, error) from error
    names = [metadata.schema.column(place).name for place in range(metadata.num_columns)]
    if column not in names:
        raise damaged(file, ValueError(f"it has no column {column}"))
    place = names.index(column)
    found = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        known = group.column(place).statistics
        low, high = (
            (known.min, known.max) if known is not None and known.has_min_max else (None,) * 2
        )
        found.append(RowGroup(str(file), number, group.num_rows, low, high))
    return found


def wanted_groups(
    groups: Iterable[RowGroup], begin: Any = None, end: Any = None
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Those of the row groups that may hold a value from ``begin`` to below ``end``; all without.

    Returns:
        As `Wanted.groups`.
    """
    found: dict[str, list[int]] = {}
    for one in groups:
        known = one.low is not None and begin is not None
        if not known or (one.high >= begin and one.low < end):
            found.setdefault(one.file, []).append(one.number)
    return tuple((file, tuple(numbers)) for file, numbers in found.items())


def read_rows(wanted: Wanted) -> pd.DataFrame:
    """The rows that are wanted, in the order of files and of rows in them.

    Memory: these rows, and one file's row groups beside them.

    Raises:
        EvidenceError: if a file is damaged.
    """
    full = TABLES[wanted.table]
    schema = pa.schema(
        pa.field(name, _CATEGORIES if name in wanted.categories else full.field(name).type)
        for name in wanted.columns
    )
    parts = [_read(file, numbers, wanted, schema) for file, numbers in wanted.groups]
    together = pa.concat_tables(parts or [schema.empty_table()]).unify_dictionaries()
    frame: pd.DataFrame = together.to_pandas()
    return frame


def _read(file: str, numbers: Sequence[int], wanted: Wanted, schema: pa.Schema) -> pa.Table:
    columns = list(dict.fromkeys((*wanted.columns, *([wanted.column] if wanted.column else ()))))
    parts = []
    try:
        with pq.ParquetFile(
            file, read_dictionary=list(wanted.categories), pre_buffer=False
        ) as opened:
            for number in numbers:
                # One thread: as many pieces are read at once as there are cores.
                part = opened.read_row_group(number, columns=columns, use_threads=False)
                parts.append(_chosen(part, wanted))
        return pa.concat_tables(parts).select(list(wanted.columns)).cast(schema)
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise damaged(Path(file), error) from error


def _chosen(part: pa.Table, wanted: Wanted) -> pa.Table:
    if not wanted.column:
        return part
    values = part.column(wanted.column)
    if wanted.among is not None:
        return part.filter(pc.is_in(values.cast(pa.string()), pa.array(wanted.among, pa.string())))
    inside = pc.and_(
        pc.greater_equal(values, pa.scalar(wanted.begin)), pc.less(values, pa.scalar(wanted.end))
    )
    return part.filter(inside)


def damaged(file: Path, error: Exception) -> EvidenceError:
    """What to say of a file of the store that cannot be read."""
    return EvidenceError(
        f"{file} is damaged: {one_line(str(error))}",
        next_step=f"delete the folder {file.parent.parent}, and import the files again",
    )
