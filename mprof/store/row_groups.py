"""A table larger than memory: where its rows lie, and parts of them read.

Parquet keeps the least and the largest value of each column beside every row group. So who wants an
hour of a day reads the row groups that may hold some of it, and keeps no more than that hour.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mprof.errors import EvidenceError
from mprof.io.files import is_address
from mprof.io.printable import one_line
from mprof.remote.address import Address, Place
from mprof.remote.systems import entries
from mprof.store.host_columns import with_hosts
from mprof.store.parquet import metadata_of, opened_parquet
from mprof.store.schema import TABLES, as_described

__all__ = ["RowGroup", "Rows", "damaged", "row_groups"]

_ROWS_AT_ONCE: Final = 1_000_000
_CATEGORIES: Final = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows that lie together in a file.

    Attributes:
        number: in that file.
        low: the least value of the column that was asked for; None where it is not known.
        high: the largest.
        superseded: of these rows, the numbers of those that do not count, since another row tells
            more of the same job or attempt; None where all count.
    """

    file: str
    number: int
    rows: int
    low: Any = None
    high: Any = None
    superseded: NDArray[np.int64] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a table that can be read, here or on another machine that sees the same files.

    Attributes:
        by: the column by which parts of the rows are asked for.
        groups: the row groups that may hold them.
        host_names: the host that each name of a source stands for, where it is another one.
        chosen: what holds for the rows that are wanted; None where all are.
        needs: columns that ``chosen`` speaks of.
        categories: those of the columns that are read as categories.
    """

    table: str
    columns: tuple[str, ...]
    by: str
    groups: tuple[RowGroup, ...]
    host_names: Mapping[str, str] = field(default_factory=dict)
    chosen: pc.Expression | None = None
    needs: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many rows there are in these row groups; those that are wanted may be fewer."""
        return sum(group.rows for group in self.groups)

    @property
    def is_empty(self) -> bool:
        """Whether there is no row that is wanted, which may have to be read."""
        if self.chosen is None:
            return self.count == 0
        batches = self.selecting(self.by).batches(_ROWS_AT_ONCE)
        return all(batch.read().empty for batch in batches)

    def between(self, low: float, high: float) -> Rows:
        """Those whose value of ``by`` is at least ``low``, and below ``high``."""
        field_ = pc.field(self.by)
        groups = (g for g in self.groups if g.low is None or (g.high >= low and g.low < high))
        return self._part((field_ >= low) & (field_ < high), self.by, groups)

    def among(self, values: Sequence[str]) -> Rows:
        """Those whose value of ``by`` is one of these."""
        low, high = min(values), max(values)
        groups = (g for g in self.groups if g.low is None or (g.high >= low and g.low <= high))
        return self._part(pc.field(self.by).isin(list(values)), self.by, groups)

    def of_hosts(self, hosts: Collection[str]) -> Rows:
        """Those of these hosts."""
        others = (name for name, host in self.host_names.items() if host in hosts)
        named = sorted({*hosts, *others})
        return self._part(pc.field("host").isin(named), "host", self.groups)

    def batches(self, rows: int) -> tuple[Rows, ...]:
        """All of them in parts of no more than so many rows, unless one row group has more."""
        found: list[list[RowGroup]] = []
        room = 0
        for group in self.groups:
            if not found or group.rows > room:  # a group may have no row
                found.append([])
                room = rows
            found[-1].append(group)
            room -= group.rows
        return tuple(replace(self, groups=tuple(each)) for each in found)

    def selecting(self, *columns: str) -> Rows:
        """The same rows with these columns."""
        categories = tuple(name for name in self.categories if name in columns)
        return replace(self, columns=columns, categories=categories)

    def read(self) -> pd.DataFrame:
        """Read them, in the order of the files and of the rows in them.

        Memory: these rows, and one row group beside them.

        Raises:
            EvidenceError: if a file of the store is damaged.
        """
        full = TABLES[self.table]
        schema = pa.schema(
            full.field(name).with_type(_CATEGORIES) if name in self.categories else full.field(name)
            for name in self.columns
        )
        parts = [
            self._of_file(file, tuple(groups), schema)
            for file, groups in groupby(self.groups, key=lambda group: group.file)
        ]
        whole = with_hosts(pa.concat_tables(parts or [schema.empty_table()]), self.host_names)
        for name in self.categories:
            coded = pc.dictionary_encode(whole[name]).unify_dictionaries()
            whole = whole.set_column(whole.schema.get_field_index(name), name, coded)
        frame: pd.DataFrame = whole.to_pandas()
        return frame

    def _part(self, chosen: pc.Expression, column: str, groups: Iterable[RowGroup]) -> Rows:
        both = chosen if self.chosen is None else self.chosen & chosen
        return replace(self, groups=tuple(groups), chosen=both, needs=(*self.needs, column))

    def _of_file(self, file: str, groups: Sequence[RowGroup], schema: pa.Schema) -> pa.Table:
        parts = []
        read = list(dict.fromkeys((*self.columns, *self.needs)))
        try:
            with opened_parquet(_place(file), categories=self.categories) as opened:
                for group in groups:
                    # In one thread: as many parts are read at once as there are cores.
                    part = opened.read_row_group(group.number, columns=read, use_threads=False)
                    if group.superseded is not None:
                        counts = np.ones(part.num_rows, dtype=np.bool_)
                        counts[group.superseded] = False
                        part = part.filter(pa.array(counts))
                    chosen = part if self.chosen is None else part.filter(self.chosen)
                    parts.append(chosen.select(self.columns))
            return as_described(pa.concat_tables(parts), schema)
        except (pa.ArrowException, OSError, ValueError, KeyError) as error:
            raise damaged(_place(file), error) from error


def row_groups(
    files: Iterable[Place], column: str, superseded: Mapping[Place, NDArray[np.int64]]
) -> tuple[RowGroup, ...]:
    """The row groups of files, in this order, with the range of one column.

    Args:
        files: of Parquet.
        column: whose range is wanted.
        superseded: numbers of rows that do not count, of each file that has any.

    Raises:
        EvidenceError: if a file is damaged.
    """
    return tuple(group for file in files for group in _of_file(file, column, superseded.get(file)))


def _of_file(file: Place, column: str, superseded: NDArray[np.int64] | None) -> Iterator[RowGroup]:
    try:
        metadata = metadata_of(file)
    except (pa.ArrowException, OSError) as error:
        raise damaged(file, error) from error
    names = [metadata.schema.column(place).path for place in range(metadata.num_columns)]
    if column not in names:
        raise damaged(file, ValueError(f"it has no column {column}"))
    place = names.index(column)
    start = 0
    # Who reads it may work in another folder.
    there = str(file.absolute() if isinstance(file, Path) else file)
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        known = group.column(place).statistics
        ranged = known is not None and known.has_min_max
        low, high = (known.min, known.max) if ranged else (None, None)
        end = start + group.num_rows
        left_out = None
        if superseded is not None:
            left_out = superseded[(superseded >= start) & (superseded < end)] - start
        yield RowGroup(there, number, group.num_rows, low, high, left_out)
        start = end


def _place(file: str) -> Place:
    return Address(file) if is_address(file) else Path(file)


def damaged(file: Place, error: Exception) -> EvidenceError:
    """What to say of a file of the store that cannot be read."""
    there = file.exists() if isinstance(file, Path) else file.name in entries(file.parent)
    if not there:
        return EvidenceError(
            f"{file} was there a moment ago: an import has replaced it",
            next_step="ask again when the import has ended",
        )
    return EvidenceError(
        f"{file} is damaged: {one_line(str(error))}",
        next_step=f"delete the folder {file.parent.parent}, and import the files again",
    )
