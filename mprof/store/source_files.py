"""Where the files of a source are, and how they come to be there: the same for every file system.

`LocalFiles` puts a file in the place of another by renaming it. `mprof.store.editions` needs no
such thing, and holds at an address.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from mprof.remote.address import Place
from mprof.store.replacement import runs
from mprof.store.schema import TABLES

__all__ = ["Draft", "LocalFiles", "Revision", "SourceFiles", "source_of", "write_cut"]


class Draft(Protocol):
    """Files of a source that is being written."""

    def path(self, table: str) -> Path:
        """Where on this machine the rows of a table are to be written."""

    def keep(self, tables: Collection[str]) -> None:
        """Put the rows of these tables where they belong; they do not count yet."""

    def keep_note(self) -> None:
        """Let them count: the note, which is the table ``sources``, comes last."""

    def drop(self) -> None:
        """Forget what was not kept."""


class Revision(Protocol):
    """A source of which rows are taken out."""

    def replace(self, table: str, rows: pa.Table) -> None:
        """Keep these rows of a table, and no others."""


class SourceFiles(Protocol):
    """The files of the sources of a store."""

    @property
    def may_replace(self) -> bool:
        """Whether a source may stand for others, by what was seen last."""

    def noted(self) -> frozenset[str]:
        """The sources whose note is there."""

    def is_noted(self, source: str) -> bool:
        """Whether the note of a source is there."""

    def files(self, table: str, sources: Iterable[str]) -> tuple[Place, ...]:
        """The files of a table that sources have, in the order of the sources."""

    def drop(self, sources: Collection[str]) -> None:
        """Take out sources: the note of each first, so that its rows never count half."""

    def draft(self, source: str) -> Draft:
        """Begin to write a source."""

    def revising(self, source: str) -> contextlib.AbstractContextManager[Revision]:
        """Take rows out of a source."""

    def clear_up(self) -> None:
        """Remove what imports that were killed have left."""


class LocalFiles:
    """Those in a folder of this machine: ``DIR/TABLE/SOURCE.parquet``."""

    may_replace: Final = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def noted(self) -> frozenset[str]:
        """See `SourceFiles.noted`."""
        return frozenset(path.stem for path in (self._folder / "sources").glob("*.parquet"))

    def is_noted(self, source: str) -> bool:
        """See `SourceFiles.is_noted`."""
        return self._file("sources", source).is_file()

    def files(self, table: str, sources: Iterable[str]) -> tuple[Place, ...]:
        """See `SourceFiles.files`."""
        files = (self._file(table, source) for source in sources)
        return tuple(file for file in files if file.is_file())

    def drop(self, sources: Collection[str]) -> None:
        """See `SourceFiles.drop`."""
        for source in sources:
            for table in ("sources", *TABLES):
                self._file(table, source).unlink(missing_ok=True)

    def draft(self, source: str) -> Draft:
        """See `SourceFiles.draft`."""
        for path in self._folder.glob(f"*/.{source}-*.new"):
            if not runs(path.stem.rpartition("-")[2]):
                with contextlib.suppress(OSError):
                    path.unlink()
        return _LocalDraft(self._folder, source)

    @contextlib.contextmanager
    def revising(self, source: str) -> Iterator[Revision]:
        """See `SourceFiles.revising`; of each table at once."""
        yield _LocalRevision(self._folder, source)

    def clear_up(self) -> None:
        """See `SourceFiles.clear_up`; `draft` does it, source by source."""

    def _file(self, table: str, source: str) -> Path:
        return _file(self._folder, table, source)


class _LocalDraft:
    """See `Draft`; beside the files that there will be, under names of this process."""

    def __init__(self, folder: Path, source: str) -> None:
        self._folder, self._source = folder, source
        self._begun: set[str] = set()

    def path(self, table: str) -> Path:
        (self._folder / table).mkdir(exist_ok=True)
        self._begun.add(table)
        return self._temporary(table)

    def keep(self, tables: Collection[str]) -> None:
        for table in tables:
            self._temporary(table).replace(_file(self._folder, table, self._source))
            self._begun.discard(table)
        for table in TABLES:
            # of an interrupted import by a version that read the file in another way
            if table not in tables and table != "sources":
                _file(self._folder, table, self._source).unlink(missing_ok=True)

    def keep_note(self) -> None:
        self._temporary("sources").replace(_file(self._folder, "sources", self._source))
        self._begun.discard("sources")

    def drop(self) -> None:
        for table in self._begun:
            with contextlib.suppress(OSError):
                self._temporary(table).unlink(missing_ok=True)

    def _temporary(self, table: str) -> Path:
        return self._folder / table / f".{self._source}-{os.getpid()}.new"


class _LocalRevision:
    """See `Revision`."""

    def __init__(self, folder: Path, source: str) -> None:
        self._folder, self._source = folder, source

    def replace(self, table: str, rows: pa.Table) -> None:
        file = _file(self._folder, table, self._source)
        if rows.num_rows == 0:
            file.unlink(missing_ok=True)
            return
        new = file.parent / f".{file.stem}-{os.getpid()}.new"
        write_cut(rows, new)
        new.replace(file)


def source_of(file: Place) -> str:
    """The source of which a file is."""
    name = file.name.removesuffix(".parquet")
    return name if isinstance(file, Path) else name.partition(".")[0]


def write_cut(rows: pa.Table, file: Path) -> None:
    """Write the rows that are left of a table."""
    pq.write_table(rows, file, compression="zstd", row_group_size=100_000)


def _file(folder: Path, table: str, source: str) -> Path:
    return folder / table / f"{source}.parquet"
