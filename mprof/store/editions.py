"""The sources of a store at an address: without locks, and with no file put in another's place.

Each time a source is written it gets an edition of its own, which stands in the names of its files:
``TABLE/SOURCE.EDITION.parquet``. No file is ever written twice, so nothing is lost by who writes
the same source at the same time. First come the rows, last the note in ``sources``, which is there
whole or not at all: what has no note does not count. Of several editions with notes the latest
counts, wholly; it takes the others away.
"""

from __future__ import annotations

import contextlib
import re
import secrets
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa

from mprof.errors import EvidenceError, MprofError
from mprof.remote.address import Address, Place
from mprof.remote.systems import entries, get, put, put_whole, remove
from mprof.store.replacement import REPLACES
from mprof.store.row_groups import damaged
from mprof.store.schema import TABLES
from mprof.store.source_files import Draft, Revision, write_cut

__all__ = ["RECENT_S", "Editions"]

_NAMED: Final = re.compile(r"([^.]+)(?:\.(\d+)-([0-9a-f]+))?\.parquet")
_LOOKS: Final = 5
_LEFT_S: Final = 86_400.0
"""How old files without a note are, by the clock of their server, that a killed import has left."""

RECENT_S: Final = 60.0
"""So long who writes many sources takes for there what was there when it looked: a folder of ten
thousand is not listed for each of ten thousand."""

_LONG_S: Final = 3_600.0
"""An upload that takes longer looks whether its files are still there before they count."""


@dataclass(frozen=True, slots=True, order=True)
class _Edition:
    """One writing of a source; of two with the same number the token decides."""

    number: int = 0
    token: str = ""

    @property
    def ending(self) -> str:
        """Of the names of its files; none where a store of a folder was copied to the address."""
        return f".{self.number}-{self.token}.parquet" if self.token else ".parquet"


class Editions:
    """See `mprof.store.source_files.SourceFiles`."""

    def __init__(self, folder: Address) -> None:
        self._folder = folder
        self._known: dict[str, list[_Edition]] = {}
        self._looked_s: float | None = None
        self.may_replace = True

    def noted(self) -> frozenset[str]:
        """See `SourceFiles.noted`."""
        return frozenset(self._look())

    def is_noted(self, source: str) -> bool:
        """See `SourceFiles.is_noted`; asks the server."""
        return source in self._look()

    def files(self, table: str, sources: Iterable[str]) -> tuple[Place, ...]:
        """See `SourceFiles.files`.

        Raises:
            EvidenceError: if the sources change faster than they can be looked at.
        """
        asked = tuple(sources)
        before = self._latest(asked)
        for _ in range(_LOOKS):
            there = entries(self._folder / table)
            # Rows come before their note, and go after it: with the note still there, all were.
            after = self._latest(asked) if table != "sources" else before
            if before == after:
                break
            before = after
        else:
            raise EvidenceError(
                f"{self._folder} changes while it is read",
                next_step="ask again when the imports into it have ended",
            )
        names = (f"{source}{after[source].ending}" for source in asked if source in after)
        return tuple(
            Address(f"{self._folder / table}/{name}", there[name].bytes)
            for name in names
            if name in there
        )

    def drop(self, sources: Collection[str]) -> None:
        """See `SourceFiles.drop`; of all their editions that count, or would."""
        there = self._look()
        # Of each source the latest last: no other comes up.
        gone = [
            f"{source}{edition.ending}"
            for source in sources
            for edition in sorted(there.get(source, ()))
        ]
        for name in gone:
            remove(self._folder / "sources" / name)
        for table in TABLES if gone else ():
            if table != "sources":
                for name in sorted({*gone} & entries(self._folder / table).keys()):
                    remove(self._folder / table / name)
        for source in sources:
            self._known.pop(source, None)

    def draft(self, source: str) -> Draft:
        """See `SourceFiles.draft`."""
        return _Draft(self, self._folder, source)

    @contextlib.contextmanager
    def revising(self, source: str) -> Iterator[Revision]:
        """See `SourceFiles.revising`; the changed tables and the others become one edition."""
        draft = self.draft(source)
        try:
            revision = _Revision(draft)
            yield revision
            if revision.changed:
                tables = [
                    table
                    for table in TABLES
                    if table in revision.kept
                    or (table not in revision.changed and self._copied(table, source, draft))
                ]
                if "sources" in tables:  # else it has gone meanwhile
                    draft.keep([table for table in tables if table != "sources"])
                    draft.keep_note()
        finally:
            draft.drop()

    def clear_up(self) -> None:
        """See `SourceFiles.clear_up`; those of a day ago, since nothing says which still run."""
        # What is left counts for nothing, and the next import tries again.
        with contextlib.suppress(MprofError):
            self._clear_up()

    def _clear_up(self) -> None:
        now_s = max((one.modified_s or 0.0 for one in entries(self._folder).values()), default=0.0)
        notes = self._look()
        for source, editions in notes.items():
            for edition in sorted(editions)[:-1]:
                self._remove(source, edition)
        for table in TABLES:
            for name, one in entries(self._folder / table).items():
                named = _NAMED.fullmatch(name)
                if named is None:
                    counts = not name.startswith(".")  # else the beginning of a note
                else:
                    counts = not named[3] or _edition(named) in notes.get(named[1], ())
                if not counts and one.modified_s is not None and one.modified_s < now_s - _LEFT_S:
                    remove(self._folder / table / name)

    def next_edition(self, source: str) -> _Edition:
        """One that is later than those that are known."""
        if self._looked_s is None or time.monotonic() - self._looked_s > RECENT_S:
            self._look()
        numbers = (each.number for each in self._known.get(source, ()))
        return _Edition(1 + max(numbers, default=0), secrets.token_hex(6))

    def has_come(self, source: str, edition: _Edition) -> None:
        """Take away the editions of a source that do not count any more, since there is another."""
        every = sorted({*self._known.get(source, ()), edition})
        self._known[source] = every[-1:]
        for other in every[:-1]:
            self._remove(source, other)

    def _copied(self, table: str, source: str, draft: Draft) -> bool:
        """Take over a table as it is."""
        for file in self.files(table, [source]):
            assert isinstance(file, Address)  # noqa: S101 - as all of them here
            try:
                get(file, draft.path(table))
            except FileNotFoundError as error:
                raise damaged(file, error) from error
            return True
        return False

    def _remove(self, source: str, edition: _Edition) -> None:
        for table in ("sources", *(each for each in TABLES if each != "sources")):
            remove(self._folder / table / f"{source}{edition.ending}")

    def _latest(self, sources: Collection[str]) -> dict[str, _Edition]:
        there = self._look()
        return {source: max(there[source]) for source in sources if source in there}

    def _look(self) -> dict[str, list[_Edition]]:
        """All editions that have a note, by their sources: asks the server."""
        found: dict[str, list[_Edition]] = {}
        there = entries(self._folder / "sources")
        self.may_replace = any(name.endswith(REPLACES) for name in there)
        for name in there:
            named = _NAMED.fullmatch(name)
            if named is not None:
                found.setdefault(named[1], []).append(_edition(named))
        self._known, self._looked_s = found, time.monotonic()
        return found


class _Draft:
    """See `Draft`: files of this machine, which are copied there when they are whole."""

    def __init__(self, editions: Editions, folder: Address, source: str) -> None:
        self._editions, self._folder, self._source = editions, folder, source
        self._edition = _Edition()
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._kept: list[Address] = []
        self._began_s = 0.0
        self._may_count = False

    def path(self, table: str) -> Path:
        if self._scratch is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="mprof-")
        return Path(self._scratch.name) / f"{table}.parquet"

    def keep(self, tables: Collection[str]) -> None:
        self._edition = self._editions.next_edition(self._source)
        self._began_s = time.monotonic()
        for table in tables:
            file = self._file(table)
            self._kept.append(file)
            put(file, self.path(table))

    def keep_note(self) -> None:
        if time.monotonic() - self._began_s > _LONG_S:
            for file in self._kept:
                if file.name not in entries(file.parent):
                    raise EvidenceError(
                        f"{file} was removed before it counted", next_step="import the file again"
                    )
        self._may_count = True  # also where the answer to this is lost
        put_whole(self._file("sources"), self.path("sources"))
        self._editions.has_come(self._source, self._edition)

    def drop(self) -> None:
        if self._scratch is not None:
            self._scratch.cleanup()
        if not self._may_count:
            for file in self._kept:
                with contextlib.suppress(MprofError):
                    remove(file)

    def _file(self, table: str) -> Address:
        return self._folder / table / f"{self._source}{self._edition.ending}"


class _Revision:
    """See `Revision`."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self.changed: set[str] = set()
        self.kept: set[str] = set()

    def replace(self, table: str, rows: pa.Table) -> None:
        self.changed.add(table)
        if rows.num_rows:
            self.kept.add(table)
            write_cut(rows, self._draft.path(table))


def _edition(named: re.Match[str]) -> _Edition:
    return _Edition(int(named[2] or 0), named[3] or "")
