"""A folder with the tables: one Parquet file for each table and source.

A source is a file that was imported, known by its content. Its rows count once its note in
``sources`` is there, which is written last: an import that was interrupted is made anew, and one
that was finished is not made twice.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from mprof.errors import EvidenceError, UsageError
from mprof.store.host_columns import columns_of_hosts, with_hosts
from mprof.store.host_names import host_names
from mprof.store.once import superseded_rows
from mprof.store.place import MARK, NEXT_STEP, check_store, is_store
from mprof.store.replacement import Replacement, replacements, runs
from mprof.store.row_groups import Rows, damaged, row_groups
from mprof.store.schema import TABLES, as_described, frame_of
from mprof.store.unfinished import UnfinishedImport, unfinished_imports

__all__ = ["SourceNote", "SourceWriter", "Store"]

_MARK_TEXT: Final = "tables of mprof import, format 2\n"
_NAMES: Final = "names"
_ROWS_OF_A_HOST: Final = 3600
"""Most that lie together: an hour at 1 Hz. Who wants one of many nodes reads little besides."""


@dataclass(frozen=True, slots=True)
class SourceNote:
    """Where rows are from.

    Attributes:
        source: name of the source: the start of the SHA-256 of its content.
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
        self._hosts: tuple[tuple[str, ...], dict[str, str]] | None = None
        self._superseded: dict[str, tuple[tuple[str, ...], dict[Path, NDArray[np.int64]]]] = {}
        mark = folder / MARK
        if mark.is_file():
            if mark.read_text(encoding="utf-8", errors="replace") != _MARK_TEXT:
                raise EvidenceError(
                    f"{folder} was written by another version of mprof", next_step=NEXT_STEP
                )
            return
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise EvidenceError(f"{folder} is no folder of tables", next_step=NEXT_STEP)
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
        check_store(folder)
        return Store(folder)

    @staticmethod
    def is_at(folder: Path) -> bool:
        """Whether a store stands in a folder."""
        return is_store(folder)

    def has(self, source: str) -> bool:
        """Whether a source was imported to its end, and is not part of another one by now."""
        return self._file("sources", source).is_file() and source not in self._replaced()

    def sources(self) -> tuple[str, ...]:
        """The sources that were imported to their end, in the order of their names."""
        there = {path.stem for path in (self.folder / "sources").glob("*.parquet")}
        return tuple(sorted(there - self._replaced()))

    def _replaced(self) -> frozenset[str]:
        """The sources whose rows are in another one, and which were not taken out yet."""
        return frozenset(
            source
            for each in replacements(self.folder)
            if self._file("sources", each.by).is_file()
            for source in each.sources
        )

    def unfinished(self) -> tuple[UnfinishedImport, ...]:
        """Imports that were begun and have not ended: the tables may lack some of their rows."""
        return unfinished_imports(self.folder)

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
        for each in replacements(self.folder):
            if each.by == source:  # what it replaced must not come back
                self.end_replacement(each)
        for table in ("sources", *TABLES):
            self._file(table, source).unlink(missing_ok=True)

    def end_replacement(self, one: Replacement) -> None:
        """Take out the sources that another one replaces, if it is there, and forget of it."""
        if self._file("sources", one.by).is_file():
            for source in one.sources:
                self.drop(source)
        one.path.unlink(missing_ok=True)

    def read(
        self,
        table: str,
        *,
        columns: Sequence[str] | None = None,
        source: str | None = None,
        rows: pc.Expression | None = None,
    ) -> pd.DataFrame:
        """The rows of a table, of all sources or one; each host has one name in all of them.

        Each job and each attempt is there once, by the row that tells the most (`mprof.store.once`)
        whichever sources are asked for.

        Args:
            table: its name.
            columns: those that are wanted; all where None.
            source: whose rows.
            rows: only those for which this holds, with the hosts' names as sources write them;
                all where None.

        Raises:
            EvidenceError: if a file of the store is damaged.
        """
        files = self._files(table, self.sources() if source is None else (source,))
        full = TABLES[table]
        schema = full if columns is None else pa.schema([full.field(name) for name in columns])
        superseded = self._not_counted(table)
        if not superseded.keys().isdisjoint(files):
            return Rows(
                table, tuple(schema.names), full.names[0],
                row_groups(files, full.names[0], superseded), host_names=self.host_names(),
                chosen=rows, needs=() if rows is None else tuple(full.names),
            ).read()  # fmt: skip
        parts = [_read(file, schema, rows) for file in files]
        whole = pa.concat_tables(parts or [schema.empty_table()])
        frame: pd.DataFrame = with_hosts(whole, self.host_names()).to_pandas()
        return frame

    def rows(
        self,
        table: str,
        *,
        columns: Sequence[str],
        by: str,
        chosen: pc.Expression | None = None,
        needs: Sequence[str] = (),
        categories: Sequence[str] = (),
    ) -> Rows:
        """Where the rows of a table lie, of all sources; for tables that are larger than memory.

        Each job and each attempt is there once, as in `read`.

        Args:
            table: its name.
            columns: those that are wanted.
            by: the column by whose values parts of the rows will be asked for.
            chosen: only rows for which this holds, with the hosts' names as sources write them;
                all where None.
            needs: columns that ``chosen`` speaks of.
            categories: those of the columns with few texts, which are read as categories.

        Raises:
            EvidenceError: if a file of the store is damaged.
        """
        files = self._files(table, self.sources())
        return Rows(
            table, tuple(columns), by, row_groups(files, by, self._not_counted(table)),
            host_names=self.host_names(), chosen=chosen, needs=tuple(needs),
            categories=tuple(categories),
        )  # fmt: skip

    def job_histories(self, jobs: Iterable[str]) -> tuple[Path, ...]:
        """The history files that tell of any of these jobs and are still where they were imported.

        Raises:
            EvidenceError: if a file of the store is damaged.
        """
        notes = self.read("sources", columns=["source", "path", "kind"]).dropna()
        wanted = pa.array(sorted(set(jobs)), pa.string())
        schema = pa.schema([TABLES["jobs"].field("job")])
        found = {
            Path(path)
            for source, path, kind in notes.itertuples(index=False, name=None)
            if kind == "job history"
            for file in self._files("jobs", [source])
            # Of all rows: the one that counts may be from another kind of file.
            if _read(file, schema, pc.field("job").isin(wanted)).num_rows
        }
        return tuple(sorted(path for path in found if path.is_file()))

    def hosts_called(self, names: Iterable[str]) -> set[str]:
        """Hosts, by the names that they have in the tables; others by the names given."""
        return set(self.names_in_tables(names).values())

    def names_in_tables(self, names: Iterable[str]) -> dict[str, str]:
        """The name that each host has in the tables; of others the name given."""
        names = set(names)
        named, _ = self._names()
        hosts = self.host_names()
        known = {hosts.get(name, name) for name, _ in named}
        same = host_names(((name, None) for name in known | names), known)
        return {name: hosts.get(name) or same.get(name, name) for name in names}

    def host_names(self) -> dict[str, str]:
        """The host that each name of a source stands for, where it is another one."""
        sources = self.sources()
        if self._hosts is None or self._hosts[0] != sources:
            self._hosts = sources, host_names(*self._names())
        return self._hosts[1]

    def _names(self) -> tuple[list[tuple[str, str | None]], list[str]]:
        """Names with their addresses, and the hosts that are listed."""
        named, listed = (
            pa.concat_tables(
                [TABLES[table].empty_table()]
                + [_read(file, TABLES[table]) for file in self._files(table, self.sources())]
            )
            for table in (_NAMES, "nodes")
        )
        pairs = zip(*(named[column].to_pylist() for column in ("name", "address")), strict=True)
        return list(pairs), listed["host"].drop_null().to_pylist()

    def _not_counted(self, table: str) -> dict[Path, NDArray[np.int64]]:
        """The rows of jobs and attempts of which other rows tell more, by their files."""
        sources = self.sources()
        known = self._superseded.get(table)
        if known is None or known[0] != sources:
            known = sources, superseded_rows(table, self._files(table, sources))
            self._superseded[table] = known
        return known[1]

    def _clear_up(self, source: str) -> None:
        """Remove what imports of this source have left that were killed."""
        for path in self.folder.glob(f"*/.{source}-*.new"):
            if not runs(path.stem.rpartition("-")[2]):
                with contextlib.suppress(OSError):
                    path.unlink()

    def _files(self, table: str, sources: Iterable[str]) -> tuple[Path, ...]:
        files = (self._file(table, source) for source in sources)
        return tuple(file for file in files if file.is_file())

    def _file(self, table: str, source: str) -> Path:
        return _file(self.folder, table, source)


def _file(folder: Path, table: str, source: str) -> Path:
    return folder / table / f"{source}.parquet"


def _read(file: Path, schema: pa.Schema, rows: pc.Expression | None = None) -> pa.Table:
    try:
        read = pq.read_table(file, columns=schema.names, filters=rows)
        return as_described(read, schema)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damaged(file, error) from error


def _rows_together(part: pa.Table) -> int | None:
    """How many rows of a part lie together; all where None."""
    if "host" not in part.schema.names:
        return None
    return _ROWS_OF_A_HOST * len(pc.unique(part.column("host")))


class SourceWriter:
    """Takes in the rows of one source."""

    def __init__(self, folder: Path, source: str) -> None:
        """Begin; ``Store.writing`` does."""
        self._folder = folder
        self._source = source
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._names: set[str] = set()
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
        if table != _NAMES:  # which follow from the other rows
            self.rows += part.num_rows
        for column in columns_of_hosts(part.schema):
            self._names.update(pc.unique(part[column]).drop_null().to_pylist())

    def finish(self, note: SourceNote) -> None:
        """Keep what was written: the rows first, the note last."""
        self.write(_NAMES, frame_of(_NAMES, {"name": sorted(self._names)}))
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
