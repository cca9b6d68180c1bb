"""A folder with the tables: one Parquet file for each table and source.

A source is a file that was imported, known by its content. Its rows count once its note in
``sources`` is there, which is written last: an import that was interrupted is made anew, and one
that was finished is not made twice.
"""

from __future__ import annotations

import contextlib
import glob
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mprof.errors import EvidenceError, UsageError
from mprof.store.row_groups import damaged
from mprof.store.schema import TABLES, frame_of

__all__ = ["SourceNote", "SourceWriter", "Store"]

_MARK: Final = "mprof-store.txt"
_MARK_TEXT: Final = "tables of mprof import, format 1\n"
_ROWS_OF_A_HOST: Final = 3600
"""Most that lie together: an hour at 1 Hz. Who wants one of many nodes reads little besides."""
_NEXT_STEP: Final = "name the folder that mprof import filled, or import into a new one"


@dataclass(frozen=True, slots=True)
class SourceNote:
    """Where rows are from.

    Attributes:
        source: name of the source: the start of the SHA-256 of its content.
        path: of the file.
        kind: of file.
        bytes: its size.
        rows: of all tables.
        unread: parts of the file (lines, objects) that could not be read.
        first_unread: the first of them, and why.
        zone: the time zone that its times were taken for, where it says none.
    """

    source: str
    path: str
    kind: str
    bytes: int
    rows: int
    unread: int
    first_unread: str | None
    zone: str | None = None


class Store:
    """The tables in a folder."""

    def __init__(self, folder: Path) -> None:
        """Open a folder, or make one.

        Raises:
            EvidenceError: if the folder holds something else.
            UsageError: if it cannot be made.
        """
        self.folder = folder
        mark = folder / _MARK
        if mark.is_file():
            if mark.read_text(encoding="utf-8", errors="replace") != _MARK_TEXT:
                raise EvidenceError(
                    f"{folder} was written by another version of mprof", next_step=_NEXT_STEP
                )
            return
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise EvidenceError(f"{folder} is no folder of tables", next_step=_NEXT_STEP)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            mark.write_text(_MARK_TEXT, encoding="utf-8")
        except OSError as error:
            raise UsageError(
                f"{folder} cannot be made: {error.strerror}",
                next_step="choose another folder for the tables",
            ) from error

    @staticmethod
    def at(folder: Path) -> Store:
        """The store that stands in a folder.

        Raises:
            EvidenceError: if none does.
        """
        if not (folder / _MARK).is_file():
            raise EvidenceError(f"{folder} is no folder of tables", next_step=_NEXT_STEP)
        return Store(folder)

    def has(self, source: str) -> bool:
        """Whether a source was imported to its end."""
        return self._file("sources", source).is_file()

    def sources(self) -> tuple[str, ...]:
        """The sources that were imported to their end, in the order of their names."""
        return tuple(sorted(path.stem for path in (self.folder / "sources").glob("*.parquet")))

    @contextlib.contextmanager
    def writing(self, source: str) -> Iterator[SourceWriter]:
        """Take in the rows of a source part by part; nothing is kept without ``finish``."""
        self._clear_up(source)
        writer = SourceWriter(self.folder, source)
        try:
            yield writer
        finally:
            writer.close()

    def drop(self, source: str) -> None:
        """Take a source out of the store: its note first, so that its rows never count half."""
        for table in ("sources", *TABLES):
            self._file(table, source).unlink(missing_ok=True)

    def read(
        self, table: str, *, columns: Sequence[str] | None = None, source: str | None = None
    ) -> pd.DataFrame:
        """The rows of a table, of all sources or one.

        Args:
            table: its name.
            columns: those that are wanted; all where None.
            source: whose rows.

        Raises:
            EvidenceError: if a file of the store is damaged.
        """
        names = self.sources() if source is None else (source,)
        files = self._files(table, names)
        schema = TABLES[table]
        if columns is not None:
            schema = pa.schema([schema.field(name) for name in columns])
        parts = [_read(file, schema) for file in files]
        frame: pd.DataFrame = pa.concat_tables(parts or [schema.empty_table()]).to_pandas()
        return frame

    def files(self, table: str) -> tuple[Path, ...]:
        """The Parquet files of a table, of all sources."""
        return self._files(table, self.sources())

    def query(self, sql: str) -> pd.DataFrame:
        """The answer to a question in SQL; each table of the store is a table of the question.

        Raises:
            UsageError: if the question cannot be answered.
        """
        with duckdb.connect() as database:
            try:
                self._fill(database)
                answer = database.sql(sql)
                frame: pd.DataFrame = pd.DataFrame() if answer is None else answer.df()
            except duckdb.Error as error:
                raise UsageError(
                    f"the question cannot be answered: {str(error).splitlines()[0]}",
                    next_step=f"the tables are {', '.join(TABLES)}",
                ) from error
        return frame

    def _fill(self, database: duckdb.DuckDBPyConnection) -> None:
        names = self.sources()
        for table, schema in TABLES.items():
            files = self._files(table, names)
            if files:
                # DuckDB takes each name for a pattern.
                quoted = ("'" + glob.escape(str(file)).replace("'", "''") + "'" for file in files)
                database.execute(
                    f"CREATE VIEW {table} AS SELECT * FROM read_parquet([{', '.join(quoted)}])"  # noqa: S608
                )
            else:
                database.register(table, schema.empty_table())

    def _clear_up(self, source: str) -> None:
        """Remove what imports of this source have left that were killed."""
        for path in self.folder.glob(f"*/.{source}-*.new"):
            if not _runs(path.stem.rpartition("-")[2]):
                with contextlib.suppress(OSError):
                    path.unlink()

    def _files(self, table: str, sources: Iterable[str]) -> tuple[Path, ...]:
        files = (self._file(table, source) for source in sources)
        return tuple(file for file in files if file.is_file())

    def _file(self, table: str, source: str) -> Path:
        return _file(self.folder, table, source)


def _file(folder: Path, table: str, source: str) -> Path:
    return folder / table / f"{source}.parquet"


def _read(file: Path, schema: pa.Schema) -> pa.Table:
    try:
        return pq.read_table(file, columns=schema.names).cast(schema)
    except (pa.ArrowException, ValueError) as error:
        raise damaged(file, error) from error


def _rows_together(part: pa.Table) -> int:
    if "host" not in part.schema.names:
        return part.num_rows
    hosts: int = pc.count_distinct(part.column("host"), mode="all").as_py()
    return _ROWS_OF_A_HOST * max(hosts, 1)


def _runs(number: str) -> bool:
    """Whether there is a process of that number."""
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


class SourceWriter:
    """Takes in the rows of one source."""

    def __init__(self, folder: Path, source: str) -> None:
        """Begin; ``Store.writing`` does."""
        self._folder = folder
        self._source = source
        self._writers: dict[str, pq.ParquetWriter] = {}
        self.rows = 0

    def write(self, table: str, part: pa.Table) -> None:
        """Add rows to a table; their column ``source`` is filled in."""
        if part.num_rows == 0:
            return
        source = pa.array([self._source] * part.num_rows, type=pa.string())
        part = part.set_column(0, "source", source)
        if table not in self._writers:
            (self._folder / table).mkdir(exist_ok=True)
            self._writers[table] = pq.ParquetWriter(
                self._temporary(table), TABLES[table], compression="zstd"
            )
        self._writers[table].write_table(part, row_group_size=_rows_together(part))
        self.rows += part.num_rows

    def finish(self, note: SourceNote) -> None:
        """Keep what was written: the rows first, the note last."""
        for table, writer in self._writers.items():
            writer.close()
            self._temporary(table).replace(_file(self._folder, table, self._source))
        for table in TABLES:
            # of an interrupted import by a version that read the file in another way
            if table not in self._writers and table != "sources":
                _file(self._folder, table, self._source).unlink(missing_ok=True)
        self._writers.clear()
        row = {
            "source": note.source, "path": note.path, "kind": note.kind, "bytes": note.bytes,
            "rows": note.rows, "unread": note.unread, "first_unread": note.first_unread,
            "zone": note.zone, "imported_at_s": time.time(),
        }  # fmt: skip
        (self._folder / "sources").mkdir(exist_ok=True)
        pq.write_table(frame_of("sources", [row]), self._temporary("sources"))
        self._temporary("sources").replace(_file(self._folder, "sources", self._source))

    def close(self) -> None:
        """Drop what was not kept."""
        for table, writer in self._writers.items():
            with contextlib.suppress(OSError):
                writer.close()
            with contextlib.suppress(OSError):
                self._temporary(table).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._temporary("sources").unlink(missing_ok=True)

    def _temporary(self, table: str) -> Path:
        return self._folder / table / f".{self._source}-{os.getpid()}.new"
