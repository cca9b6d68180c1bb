"""One question of SQL about a heap, answered by DuckDB over tables that are made as it reads them.

Before anything is read of the dump but its classes, DuckDB plans the question over tables without
rows: what is wrong with it is told then, and the plan says which columns are needed. Then it runs
over streams of record batches; a table that a question names twice is made twice.

The question can only read: it is one SELECT, DuckDB has no access to files or to the network, and
cannot be told otherwise (``lock_configuration``). It writes where it is told to spill what does not
fit into memory, and nowhere else.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import duckdb
import numpy as np
import pyarrow as pa

from mprof.errors import UsageError
from mprof.heap.columns import HeapColumns
from mprof.questions.batches import Rows, Words, arrow_schema, batches_of, rows_of, utf8_array
from mprof.questions.frames import to_frame
from mprof.questions.of_class import ClassTable, class_table
from mprof.questions.schema import TABLES, Table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Answer", "HeapTables"]

_QUOTED: Final = re.compile(r'"((?:[^"]|"")+)"')
_SETTINGS: Final = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",  # a name means a table, and no variable of a program
}
_FOR_PLANS: Final = {"disabled_optimizers": "filter_pushdown,statistics_propagation"}
_BATCH: Final = 65_536
_MOST_SAID: Final = 600  # characters about what there is
_FUNCTIONS: Final = {
    "text_of": pa.string(),
    "class_of": pa.string(),
    "shallow_of": pa.int64(),
    "retained_of": pa.int64(),
}
_SQL_TYPES: Final = {pa.string(): "VARCHAR", pa.int64(): "BIGINT"}

_T = TypeVar("_T")
Rowset = Callable[[Callable[[str], bool]], Rows]


class _Stream:
    """A table as DuckDB reads it: each scan asks for a stream of its own."""

    def __init__(self, table: Table, rows: Callable[[], Rows]) -> None:
        self._table, self._rows = table, rows
        self._schema = arrow_schema(table)

    def reader(self) -> pa.RecordBatchReader:
        """The batches from the first one on; none is made before it is asked for."""
        return pa.RecordBatchReader.from_batches(self._schema, self._batches())

    def _batches(self) -> Iterator[pa.RecordBatch]:
        yield from batches_of(self._table, self._rows())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.reader().__arrow_c_stream__(requested_schema)


class Answer:
    """What a question is answered with; it is read once, as one of these."""

    def __init__(
        self,
        reader: pa.RecordBatchReader,
        wrong: Callable[[Exception], UsageError],
        connection: Any,
    ) -> None:
        self._reader, self._wrong, self._connection = reader, wrong, connection

    @property
    def schema(self) -> pa.Schema:
        """Names and Arrow types of the columns; uint64 are identifiers."""
        return self._reader.schema

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows as Arrow record batches, as they are found.

        Raises:
            UsageError: if a value cannot be computed, such as a number from text that is none.
        """
        while True:
            try:
                batch = _interruptible(self._connection, lambda: next(self._reader, None))
            except (duckdb.Error, pa.ArrowException, OSError) as error:
                raise self._wrong(error) from error
            if batch is None:
                return
            yield batch

    def arrow(self) -> pa.Table:
        """All rows as an Arrow table; raises as :meth:`batches`."""
        return pa.Table.from_batches(self.batches(), self.schema)

    def frame(self) -> pd.DataFrame:
        """All rows as a pandas data frame; raises as :meth:`batches`.

        Raises:
            MissingPackageError: if pandas is not there.
        """
        return to_frame(self.arrow())

    def _repr_html_(self) -> str:
        html: str = self.frame()._repr_html_()  # type: ignore[operator]
        return html


class HeapTables:
    """A heap dump as tables: for SQL, as Arrow, as data frames.

    Args:
        path: the dump.
        progress: called with the current step and the share that is done, from 0 to 1.
        spill: folder for what does not fit into memory; default the system's for temporary files.

    Raises:
        EvidenceError: if the file cannot be read or is no heap dump.
    """

    def __init__(
        self,
        path: Path,
        *,
        progress: Callable[[str, float], None] | None = None,
        spill: Path | None = None,
    ) -> None:
        self._plain = HeapColumns(path, progress=progress)
        self._spill = spill

    @property
    def losses(self) -> tuple[str, ...]:
        """What a damaged dump leaves unknown."""
        return self._plain.heap.losses

    @cached_property
    def _with_unreachable(self) -> HeapColumns:
        return self._plain.with_unreachable()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tables; the name of each class is one besides."""
        return tuple(table.name for table in TABLES)

    def table(self, name: str) -> Table:
        """What a table is called, and its columns.

        Raises:
            UsageError: if there is no table and no class of this name.
        """
        return self._named(name)[0]

    def _named(self, name: str) -> tuple[Table, Rowset]:
        for table in TABLES:
            if table.name == name:
                return table, lambda wanted: rows_of(name, self._columns_for(name), wanted)
        found = class_table(self._plain, name)
        if found is None:
            raise UsageError(
                f"there is no table and no class {name}",
                next_step=f"the tables are {', '.join(self.names)}, and all classes by full name",
            )
        return found.table, self._of_class(found)

    def _of_class(self, table: ClassTable) -> Rowset:
        return lambda wanted: table.rows(self._plain, wanted)

    def _columns_for(self, name: str) -> HeapColumns:
        return self._with_unreachable if name == "unreachable" else self._plain

    # --- whole tables -----------------------------------------------------------------------------

    def batches(self, name: str, columns: list[str] | None = None) -> pa.RecordBatchReader:
        """A table in Arrow record batches; each is made when it is read.

        Args:
            name: of the table, or of a class.
            columns: which of its columns; default all.

        Raises:
            UsageError: if there is no such table or column.
        """
        table, rows = self._named(name)
        known = {column.name: column for column in table.columns}
        chosen = list(known) if columns is None else columns
        strange = [one for one in chosen if one not in known]
        if strange:
            raise UsageError(
                f"table {name} has no column {strange[0]}",
                next_step=f"its columns are {', '.join(known)}",
            )
        part = Table(name, table.rows, tuple(known[one] for one in chosen))
        wanted = set(chosen)
        return _Stream(part, lambda: rows(wanted.__contains__)).reader()

    def arrow(self, name: str, columns: list[str] | None = None) -> pa.Table:
        """A whole table as an Arrow table; see :meth:`batches`."""
        return self.batches(name, columns).read_all()

    def frame(self, name: str, columns: list[str] | None = None) -> pd.DataFrame:
        """A whole table as a pandas data frame; see :meth:`batches`.

        Raises:
            MissingPackageError: if pandas is not there.
        """
        return to_frame(self.arrow(name, columns))

    # --- questions --------------------------------------------------------------------------------

    def sql(self, query: str) -> Answer:
        """Answers one SELECT of DuckDB's SQL.

        Beside the tables there are ``text_of(id)``, the text of a String, ``class_of(id)``,
        ``shallow_of(id)`` and ``retained_of(id)``; each is NULL for what is no reachable object.

        Raises:
            UsageError: if the query is wrong, or is none that only reads.
        """
        tables = self._tables_of(query)
        wanted = self._plan(query, tables)
        self._analyse(query, tables)
        spill = tempfile.mkdtemp(prefix="mprof-sql-", dir=self._spill)  # nobody else may read it
        connection = duckdb.connect(config={**_SETTINGS, "temp_directory": spill})
        weakref.finalize(connection, shutil.rmtree, spill, ignore_errors=True)
        self._add_functions(connection, self._function)
        for table, rows in tables:
            stream = _Stream(table, lambda rows=rows: rows(wanted))  # type: ignore[misc]
            connection.register(table.name, stream)
        connection.execute("SET lock_configuration = true")
        try:
            reader = _interruptible(
                connection, lambda: connection.sql(query).to_arrow_reader(_BATCH)
            )
        except duckdb.Error as error:
            raise _wrong(error, query, tables) from error
        return Answer(reader, lambda error: _wrong(error, query, tables), connection)

    def _analyse(self, query: str, tables: list[tuple[Table, Rowset]]) -> None:
        """Analyses the dump before DuckDB runs, so that what is wrong with it is told as such."""
        text = query.casefold()
        for name in (table.name for table, _ in tables if table.name.casefold() in text):
            _ = self._columns_for(name).graph

    def _tables_of(self, query: str) -> list[tuple[Table, Rowset]]:
        """All tables that the query may mean: the classes are those that it has in quotes."""
        quoted = dict.fromkeys(one.replace('""', '"') for one in _QUOTED.findall(query))
        found = [self._named(table.name) for table in TABLES]
        taken = set(self.names)
        for name in quoted:
            of_class = class_table(self._plain, name) if name not in taken else None
            if of_class is not None and name.casefold() not in taken:
                found.append((of_class.table, self._of_class(of_class)))
                taken.add(name.casefold())
        return found

    def _plan(self, query: str, tables: list[tuple[Table, Rowset]]) -> Callable[[str], bool]:
        """Which columns the query reads, by a plan over empty tables."""
        connection = duckdb.connect(config={**_SETTINGS, **_FOR_PLANS})
        self._add_functions(connection, lambda name: _nulls(_FUNCTIONS[name]))
        for table, _ in tables:
            connection.register(table.name, _Stream(table, lambda: iter(())))
        connection.execute("SET lock_configuration = true")
        try:
            statements = connection.extract_statements(query)
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise UsageError(
                    "the query is not one SELECT: a heap can be asked and not changed",
                    next_step="write one SELECT, such as SELECT class, count(*) FROM objects "
                    "GROUP BY class",
                )
            plan = connection.execute(f"EXPLAIN (FORMAT json) {statements[0].query}").fetchall()
        except duckdb.Error as error:
            raise _wrong(error, query, tables) from error
        read = {name.casefold() for _, text in plan for name in _projected(json.loads(text))}
        return lambda name: name.casefold() in read

    # --- functions --------------------------------------------------------------------------------

    def _add_functions(self, connection: Any, of: Callable[[str], Callable[[Any], Any]]) -> None:
        for name, kind in _FUNCTIONS.items():
            connection.create_function(
                name,
                of(name),
                ["UBIGINT"],
                _SQL_TYPES[kind],
                type="arrow",
                null_handling="special",
            )

    def _function(self, name: str) -> Callable[[Any], Any]:
        columns = self._plain

        def of_objects(identifiers: Any) -> Any:
            whole = pa.chunked_array(identifiers).combine_chunks()
            addresses = whole.fill_null(0).to_numpy(zero_copy_only=False).view(np.int64)
            nodes = columns.nodes_at(addresses)
            known = nodes > 0
            held = np.maximum(nodes, 0)
            if name == "class_of":
                numbers = np.where(known, columns.graph.classes[held], -1).astype(np.int32)
                return Words(columns).of(numbers).cast(pa.string())
            if name == "text_of":
                return _texts(columns, held, known)
            values = columns.shallow(held) if name == "shallow_of" else columns.retained(held)
            return pa.array(values, mask=~known)

        return of_objects


def _interruptible(connection: Any, work: Callable[[], _T]) -> _T:
    """Works in another thread, so that this one hears of Ctrl-C, and ends the query then."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            return future.result()
        except KeyboardInterrupt:
            connection.interrupt()
            raise


def _wrong(error: Exception, query: str, tables: list[tuple[Table, Rowset]]) -> UsageError:
    """What DuckDB says, on one line and without the copy of the query that it ends with."""
    message = str(error).partition("\n\nLINE ")[0]
    what = " ".join(message.split()).rstrip(".!?")
    return UsageError(
        f"the query cannot be answered: {what}", next_step=_what_there_is(query, tables)
    )


def _nulls(kind: pa.DataType) -> Callable[[Any], Any]:
    return lambda values: pa.nulls(len(values), kind)


def _texts(columns: HeapColumns, nodes: Any, known: Any) -> pa.Array:
    is_string = known & np.isin(columns.graph.classes[nodes], columns.string_numbers)
    nodes = np.where(is_string, nodes, 0)
    heads, numbers = columns.heads(nodes), columns.numbers(nodes)
    _, arrays = columns.text_arrays(heads, numbers)
    texts = columns.texts(heads, numbers, np.where(is_string, arrays, -1))
    parts = list(columns.utf8(texts, most=1 << 31))
    start, found = 0, []
    for part in parts:
        rows = slice(start, start + part.ends.size - 1)
        start = rows.stop
        found.append(utf8_array(part, texts.begins[rows] >= 0))
    return pa.concat_arrays(found) if found else pa.nulls(0, pa.string())


def _projected(plan: list[dict[str, Any]]) -> Iterator[str]:
    for step in plan:
        names = step.get("extra_info", {}).get("Projections", [])
        if "SCAN" in step["name"]:
            yield from [names] if isinstance(names, str) else names
        yield from _projected(step.get("children", []))


def _what_there_is(query: str, tables: list[tuple[Table, Rowset]]) -> str:
    """The tables, and the columns of those that the query names, as far as a line goes."""
    words = set(re.findall(r"[\w.$+\[\]]+", query.casefold()))
    named = [table for table, _ in tables if table.name.casefold() in words]
    said = f"the tables are {', '.join(table.name for table in TABLES)}"
    for table in named or [one for one, _ in tables if one.name == "objects"]:
        columns = ", ".join(column.name for column in table.columns)
        if len(said) + len(columns) < _MOST_SAID:
            said += f"; {table.name} has {columns}"
    return f"{said}; a class is a table by its full name in double quotes"
