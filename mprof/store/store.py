"""A folder with the tables: one Parquet file for each table and source; here, or at an address.

A source is a file that was imported, known by its content. Its rows count once its note in
``sources`` is there, which is written last: an import that was interrupted is made anew, and one
that was finished is not made twice.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
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
from mprof.io.files import is_address
from mprof.remote.address import Address, Place, place_of
from mprof.remote.systems import content_of, is_empty, put_whole
from mprof.store.editions import RECENT_S, Editions
from mprof.store.host_columns import columns_of_hosts, with_hosts
from mprof.store.host_names import host_names
from mprof.store.once import KEYS, superseded_rows
from mprof.store.parquet import read_parquet
from mprof.store.place import MARK, NEXT_STEP, check_store, is_store
from mprof.store.replacement import Replacement, replacements
from mprof.store.row_groups import Rows, damaged, row_groups
from mprof.store.schema import TABLES, as_described, frame_of
from mprof.store.small_files import remove_small
from mprof.store.source_files import Draft, LocalFiles, Revision, SourceFiles
from mprof.store.unfinished import UnfinishedImport, unfinished_imports

__all__ = ["SourceNote", "SourceWriter", "Store"]

_MARK_TEXT: Final = "tables of mprof import, format 2\n"
_MARK_AT_ADDRESS: Final = "tables of mprof import, format 3\n"
"""Of the names that `mprof.store.editions` gives files."""

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

    def __init__(self, folder: Place | str) -> None:
        """Open a folder, or make one.

        Args:
            folder: of this machine, or an address, as a text too.

        Raises:
            EvidenceError: if the folder holds something else, or its server does not answer.
            UsageError: if it cannot be made.
        """
        self.folder: Place = place_of(folder)
        self._hosts: tuple[tuple[str, ...], dict[str, str]] | None = None
        self._superseded: dict[str, tuple[tuple[Place, ...], dict[Place, NDArray[np.int64]]]] = {}
        self._recent: tuple[float, set[str]] | None = None
        self._may_write = True
        if isinstance(self.folder, Path):
            mark = _made_here(self.folder)
        else:
            mark = _made_at(self.folder)
            self._may_write = mark == _MARK_AT_ADDRESS
        self._files_of_sources: SourceFiles
        if isinstance(self.folder, Address):
            self._files_of_sources = Editions(self.folder)
        elif mark == _MARK_AT_ADDRESS:  # it was copied from there
            self._files_of_sources = Editions(Address(f"file://{self.folder.absolute()}"))
        else:
            self._files_of_sources = LocalFiles(self.folder)

    @staticmethod
    def at(folder: Place | str) -> Store:
        """The store that stands in a folder, or at an address.

        Raises:
            EvidenceError: if none does.
        """
        place = place_of(folder)
        check_store(place)
        return Store(place)

    @staticmethod
    def is_at(folder: Place | str) -> bool:
        """Whether a store stands in a folder, or at an address."""
        return is_store(place_of(folder))

    def has(self, source: str) -> bool:
        """Whether a source was imported to its end, and is not part of another one by now."""
        if isinstance(self._files_of_sources, LocalFiles):
            there = self._files_of_sources.is_noted(source)
            return there and source not in self._replaced(self._files_of_sources.is_noted)
        if self._recent is None or time.monotonic() - self._recent[0] > RECENT_S:
            self.sources()
        return self._recent is not None and source in self._recent[1]

    def sources(self) -> tuple[str, ...]:
        """The sources that were imported to their end, in the order of their names."""
        there = self._files_of_sources.noted()
        found = there - self._replaced(there.__contains__)
        self._recent = time.monotonic(), set(found)
        return tuple(sorted(found))

    def files(self, table: str, sources: Iterable[str]) -> tuple[Place, ...]:
        """The files of a table that sources have; those that have none are left out.

        Raises:
            EvidenceError: if the server of an address does not answer.
        """
        return self._files_of_sources.files(table, sources)

    def _replaced(self, is_there: Callable[[str], bool]) -> frozenset[str]:
        """The sources whose rows are in another one, and which were not taken out yet.

        Args:
            is_there: whether the note of a source is there.
        """
        if not self._files_of_sources.may_replace:
            return frozenset()
        return frozenset(
            source
            for each in replacements(self.folder)
            if is_there(each.by)
            for source in each.sources
        )

    def unfinished(self) -> tuple[UnfinishedImport, ...]:
        """Imports that were begun and have not ended: the tables may lack some of their rows."""
        return unfinished_imports(self.folder)

    @contextlib.contextmanager
    def writing(self, source: str) -> Iterator[SourceWriter]:
        """Take in the rows of a source part by part; nothing is kept without ``finish``."""
        self.check_may_write()
        writer = SourceWriter(self._files_of_sources.draft(source), source)
        try:
            yield writer
            if writer.is_finished and self._recent is not None:
                self._recent[1].add(source)
        finally:
            writer.close()

    @contextlib.contextmanager
    def revising(self, source: str) -> Iterator[Revision]:
        """Take rows out of a source."""
        self.check_may_write()
        with self._files_of_sources.revising(source) as revision:
            yield revision

    def clear_up(self) -> None:
        """Remove what imports that were killed have left at an address, where it is a day old."""
        self._files_of_sources.clear_up()

    def check_may_write(self) -> None:
        """Make sure that rows may be put in and taken out.

        Raises:
            EvidenceError: if not: a folder of this machine was copied to an address.
        """
        if not self._may_write:
            raise EvidenceError(
                f"{self.folder} was copied there from a folder, and can only be read",
                next_step="import the files again, into a new folder at that address",
            )

    def drop(self, source: str) -> None:
        """Take a source out of the store: its note first, so that its rows never count half."""
        self._drop((source,))

    def end_replacement(self, one: Replacement) -> None:
        """Take out the sources that another one replaces, if it is there, and forget of it."""
        if self._files_of_sources.is_noted(one.by):
            self._drop(one.sources)
        remove_small(one.path)

    def _drop(self, sources: Collection[str]) -> None:
        self.check_may_write()
        for each in replacements(self.folder):
            if each.by in sources:  # what it replaced must not come back
                self.end_replacement(each)
        self._files_of_sources.drop(sources)
        if self._recent is not None:
            self._recent[1].difference_update(sources)

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
        files = self.files(table, self.sources() if source is None else (source,))
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
        files = self.files(table, self.sources())
        return Rows(
            table, tuple(columns), by, row_groups(files, by, self._not_counted(table)),
            host_names=self.host_names(), chosen=chosen, needs=tuple(needs),
            categories=tuple(categories),
        )  # fmt: skip

    def job_histories(self, jobs: Iterable[str]) -> tuple[Place, ...]:
        """The history files that tell of any of these jobs and are still where they were imported.

        Whether those at addresses are still there is not asked.

        Raises:
            EvidenceError: if a file of the store is damaged.
        """
        notes = self.read("sources", columns=["source", "path", "kind"]).dropna()
        wanted = pa.array(sorted(set(jobs)), pa.string())
        schema = pa.schema([TABLES["jobs"].field("job")])
        found = {
            path
            for source, path, kind in notes.itertuples(index=False, name=None)
            if kind == "job history"
            for file in self.files("jobs", [source])
            # Of all rows: the one that counts may be from another kind of file.
            if _read(file, schema, pc.field("job").isin(wanted)).num_rows
        }
        places = (Address(path) if is_address(path) else Path(path) for path in sorted(found))
        return tuple(one for one in places if isinstance(one, Address) or one.is_file())

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
                + [_read(file, TABLES[table]) for file in self.files(table, self.sources())]
            )
            for table in (_NAMES, "nodes")
        )
        pairs = zip(*(named[column].to_pylist() for column in ("name", "address")), strict=True)
        return list(pairs), listed["host"].drop_null().to_pylist()

    def _not_counted(self, table: str) -> dict[Place, NDArray[np.int64]]:
        """The rows of jobs and attempts of which other rows tell more, by their files."""
        if table not in KEYS:
            return {}
        files = self.files(table, self.sources())
        known = self._superseded.get(table)
        if known is None or known[0] != files:
            known = files, superseded_rows(table, files)
            self._superseded[table] = known
        return known[1]


def _made_here(folder: Path) -> str:
    """Make a folder a store, where it is none; what its mark says."""
    mark = folder / MARK
    if mark.is_file():
        return _checked(folder, mark.read_text(encoding="utf-8", errors="replace"))
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
    return _MARK_TEXT


def _made_at(folder: Address) -> str:
    """Make an address a store, where it is none; what its mark says."""
    mark = content_of(folder / MARK)
    if mark is None:
        if not is_empty(folder):
            raise EvidenceError(f"{folder} is no folder of tables", next_step=NEXT_STEP)
        put_whole(folder / MARK, _MARK_AT_ADDRESS.encode())
        return _MARK_AT_ADDRESS
    return _checked(folder, mark.decode("utf-8", "replace"))


def _checked(folder: Place, mark: str) -> str:
    if mark not in (_MARK_TEXT, _MARK_AT_ADDRESS):
        raise EvidenceError(
            f"{folder} was written by another version of mprof", next_step=NEXT_STEP
        )
    return mark


def _read(file: Place, schema: pa.Schema, rows: pc.Expression | None = None) -> pa.Table:
    try:
        read = read_parquet(file, columns=schema.names, rows=rows)
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

    def __init__(self, draft: Draft, source: str) -> None:
        """Begin; ``Store.writing`` does."""
        self._draft = draft
        self._source = source
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._names: set[str] = set()
        self.rows = 0
        self.is_finished = False

    def write(self, table: str, part: pa.Table) -> None:
        """Add rows to a table; their column ``source`` is filled in."""
        if part.num_rows == 0:
            return
        source = pa.array([self._source] * part.num_rows, type=pa.string())
        part = part.set_column(0, "source", source)
        if table not in self._writers:
            self._writers[table] = pq.ParquetWriter(
                self._draft.path(table), TABLES[table], compression="zstd"
            )
        self._writers[table].write_table(part, row_group_size=_rows_together(part))
        if table != _NAMES:  # which follow from the other rows
            self.rows += part.num_rows
        for column in columns_of_hosts(part.schema):
            self._names.update(pc.unique(part[column]).drop_null().to_pylist())

    def finish(self, note: SourceNote) -> None:
        """Keep what was written: the rows first, the note last."""
        self.write(_NAMES, frame_of(_NAMES, {"name": sorted(self._names)}))
        for writer in self._writers.values():
            writer.close()
        self._draft.keep(tuple(self._writers))
        self._writers.clear()
        row = {
            "source": note.source, "path": note.path, "kind": note.kind, "bytes": note.bytes,
            "rows": note.rows, "unread": note.unread, "first_unread": note.first_unread,
            "zone": note.zone, "imported_at_s": time.time(),
        }  # fmt: skip
        pq.write_table(frame_of("sources", [row]), self._draft.path("sources"))
        self._draft.keep_note()
        self.is_finished = True

    def close(self) -> None:
        """Drop what was not kept."""
        for writer in self._writers.values():
            with contextlib.suppress(OSError):
                writer.close()
        self._draft.drop()
