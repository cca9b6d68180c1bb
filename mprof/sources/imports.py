"""Files and folders -> the store, file by file."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, Literal

import pandas as pd
import pyarrow as pa

from mprof.errors import MprofError
from mprof.history import JobHistory
from mprof.io.files import UnreadableError, check_there, open_file
from mprof.io.printable import encodable
from mprof.pieces import Engine
from mprof.remote.address import Address, Place
from mprof.sources import readers
from mprof.sources.job_history import JOB_HISTORY, tables_of
from mprof.sources.reader import Losses, Reader, Window, head_of, quotable, seen_through
from mprof.sources.remote import RemoteFile, RemoteTree, copied
from mprof.sources.zones import in_utc, zone_of
from mprof.store import SourceNote, Store, importing

__all__ = [
    "FAULT",
    "FileImport",
    "Outcome",
    "files_at",
    "import_files",
    "import_history",
    "import_tail",
]

Outcome = Literal["imported", "there already", "of no known kind", "unreadable"]
_ByPath = Mapping[str, Sequence[tuple[str, int]]]
Progress = Callable[[str, float | None], None]

_IMPORTED: Final = pa.schema(
    {
        "place": pa.int64(),
        "outcome": pa.string(),
        "kind": pa.string(),
        "source": pa.string(),
        "rows": pa.int64(),
        "unread": pa.int64(),
        "first_unread": pa.string(),
    }
)
FAULT: Final = "mprof has a fault in reading it"
"""How the reason begins why a file is not read, where that is no fault of the file."""

_OF_A_PART: Final = re.compile(r"(?s)(.*)#\d+-\d+")
"""The path of a source that is the part of a log by which it had grown."""

_ALONE: Final = "history"  # the one source of a store for the occasion
_PART: Final = -1  # instead of the size of a source that is a part of a file
_PIECE_BYTES: Final = 1 << 20
_SOURCE_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class FileImport:
    """What became of a file.

    Attributes:
        outcome: whether its rows are in the store, and since when.
        path: of the file, or its address where it lies elsewhere.
        named: it was named itself, and not found in a folder.
        kind: of file, None where it is not known.
        source: the name of the source in the store, None where it is not there.
        unread: parts of it that could not be read.
        first_unread: the first of them, and why; of an unreadable file, why.
    """

    path: Path | RemoteFile
    outcome: Outcome
    named: bool
    kind: str | None = None
    source: str | None = None
    rows: int = 0
    unread: int = 0
    first_unread: str | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    path: Path | RemoteFile
    named: bool
    bytes: int = 0
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class _Begun:
    """Tells where the import stands while it reads a file."""

    progress: Progress | None
    place: str
    name: str
    rows_before: int
    share: float

    def tell(self, rows: int) -> None:
        if self.progress is not None:
            self.progress(
                f"{self.place}, {self.rows_before + rows:,} rows: {self.name}", self.share
            )


def import_files(
    what: Sequence[Path | RemoteTree],
    store: Store,
    *,
    zone: str = "UTC",
    progress: Progress | None = None,
    engine: Engine | None = None,
    part_of: Sequence[Path] = (),
) -> Iterator[FileImport]:
    """Take in files, and all files in folders; what the store has already is left out.

    Args:
        what: the files and folders, of this machine or others.
        store: into which they go.
        zone: the time zone of files that do not say theirs; what was read for another is read anew.
        progress: is told where the import stands.
        engine: reads the files, each into Parquet files of its own; one after the other here where
            None.
        part_of: files and folders that these are a part of; the store is marked with their names.

    Rows of a file are in the store when it is given back: an import that is interrupted goes on
    where it stopped.

    Raises:
        EvidenceError: before anything is done, if there is nothing of one of the names.
        UsageError: if there is no such time zone.
    """
    zone_of(zone)
    store.check_may_write()
    for path in what:
        if isinstance(path, Path):
            check_there(path)
    found = [one for path in what for one in _found_at(path, store)]
    with importing(store.folder, part_of or [_given(one) for one in what]):
        if engine is not None:
            yield from _imported_by(engine, found, store, zone)
        else:
            yield from _imported_here(found, store, zone, progress)
        store.clear_up()


def import_history(job: JobHistory, path: Path, store: Store) -> None:
    """Take in a job history that was read from a file by itself."""
    with importing(store.folder, [path]), store.writing(_ALONE) as writer:
        for table, part in tables_of(job):
            writer.write(table, part)
        rows = writer.rows
        writer.finish(SourceNote(_ALONE, str(path), JOB_HISTORY.kind, 0, rows, 0, None, None))


def _given(one: Path | RemoteTree) -> Path | str:
    return one if isinstance(one, Path) else one.address


def _imported_here(
    found: Sequence[_Found], store: Store, zone: str, progress: Progress | None
) -> Iterator[FileImport]:
    """The imports of files, one after the other."""
    total, done, rows = sum(one.bytes for one in found), 0, 0
    earlier, zones = _earlier(store)
    for number, one in enumerate(found, start=1):
        begun = _Begun(
            progress, f"file {number} of {len(found)}", one.path.name, rows, done / max(total, 1)
        )
        begun.tell(0)
        imported = _import(one, store, earlier, zones, zone, begun.tell)
        done, rows = done + one.bytes, rows + imported.rows
        yield imported


def _imported_by(
    engine: Engine, found: Sequence[_Found], store: Store, zone: str
) -> Iterator[FileImport]:
    """The imports of files that are read at the same time, in the order of the files."""
    # Files of the same content are of the same size, and only the first of them is taken in.
    pieces: dict[object, list[tuple[int, _Found]]] = {}
    for place, one in enumerate(found):
        # Another process may work in another folder.
        path = one.path if isinstance(one.path, RemoteFile) else one.path.absolute()
        there = replace(one, path=path)
        pieces.setdefault(one.bytes, []).append((place, there))
    at = store.folder.absolute() if isinstance(store.folder, Path) else store.folder
    function = partial(_import_piece, at, zone)
    read = engine.frame(function, [*pieces.values()], _IMPORTED)
    for place, outcome, kind, source, rows, unread, first in (
        read.astype(object).where(read.notna(), None).sort_values("place").to_numpy().tolist()
    ):
        one = found[place]
        yield FileImport(one.path, outcome, one.named, kind, source, rows, unread, first)


def _import_piece(folder: Place, zone: str, files: Sequence[tuple[int, _Found]]) -> pd.DataFrame:
    store = Store.at(folder)
    earlier, zones = _earlier(store)
    rows = []
    for place, one in files:
        made = _import(one, store, earlier, zones, zone, lambda _: None)
        first = None if made.first_unread is None else encodable(made.first_unread)
        rows.append((place, made.outcome, made.kind, made.source, made.rows, made.unread, first))
    return pd.DataFrame(rows, columns=_IMPORTED.names)


def files_at(path: Path, store: Store) -> Iterator[Path]:
    """A file, or the files in a folder that are not the store's own."""
    for one in _found_at(path, store):
        if one.fault is None and isinstance(one.path, Path):
            yield one.path


def _found_at(path: Path | RemoteTree, store: Store) -> Iterator[_Found]:
    if isinstance(path, RemoteTree):
        # The tables themselves may lie among the files that fill them.
        own = f"{store.folder}/" if isinstance(store.folder, Address) else None
        for one in path.files:
            if own is None or not one.address.startswith(own):
                yield _Found(one, one.named, one.bytes, one.fault)
        return
    if not path.is_dir():
        yield _found(path, named=True)
        return
    faults: list[OSError] = []
    for folder, folders, files in os.walk(path, onerror=faults.append):
        # The tables themselves may stand among the files that fill them.
        folders[:] = sorted(name for name in folders if not _same(Path(folder, name), store.folder))
        if _same(Path(folder), store.folder):
            folders.clear()
            continue
        for name in sorted(files):
            yield _found(Path(folder, name), named=False)
    for fault in faults:
        yield _Found(Path(fault.filename), named=False, fault=fault.strerror or str(fault))


def _same(path: Path, other: Place) -> bool:
    try:
        return isinstance(other, Path) and path.samefile(other)
    except OSError:
        return False


def _found(path: Path, *, named: bool) -> _Found:
    try:
        return _Found(path, named, path.stat().st_size)
    except OSError:  # said when it is opened
        return _Found(path, named)


def _earlier(store: Store) -> tuple[_ByPath, dict[str, str | None]]:
    """The sources of each path, with the size of their files; and the zone of each source."""
    notes = store.read("sources", columns=["source", "path", "bytes", "zone"])
    whole = set(notes["path"])
    by_path: dict[str, list[tuple[str, int]]] = {}
    zones: dict[str, str | None] = {}
    for source, path, size, zone in notes.itertuples(index=False, name=None):
        part = _OF_A_PART.fullmatch(path)
        if part is not None and part[1] in whole:
            by_path.setdefault(part[1], []).append((source, _PART))
            continue
        by_path.setdefault(path, []).append((source, int(size)))
        zones[source] = zone if isinstance(zone, str) else None
    return by_path, zones


def _import(
    one: _Found,
    store: Store,
    earlier: _ByPath,
    zones: dict[str, str | None],
    zone: str,
    tell: Callable[[int], None],
) -> FileImport:
    if one.fault is not None:
        return FileImport(one.path, "unreadable", one.named, first_unread=one.fault)
    place = _place_of(one.path)
    before = dict(earlier.get(place, ()))
    if isinstance(one.path, RemoteFile):
        same = [each for each, size in before.items() if size == one.bytes and store.has(each)]
        if same and zones.get(same[0]) in (None, zone):
            return FileImport(one.path, "there already", one.named, None, same[0])
    try:
        with contextlib.ExitStack() as held:
            path = (
                held.enter_context(copied(one.path))
                if isinstance(one.path, RemoteFile)
                else one.path
            )
            head = head_of(path)
            reader = readers.reader_of(path, head)
            if reader is None:
                return _unknown(one, head)
            source, size, grown_from = _identify(path, before)
            said = zone if reader.lacks_zone else None
            if store.has(source) and zones.get(source, said) == said:
                imported = FileImport(one.path, "there already", one.named, reader.kind, source)
            else:
                window = Window(path, 0, size)  # a log may grow while it is read
                imported = _take_in(
                    one, window, reader, store, tell, source=source, place=place, zone=said
                )
                if imported.source is not None:
                    zones[source] = said
    except UnreadableError as error:
        return FileImport(one.path, "unreadable", one.named, first_unread=error.reason)
    except (MprofError, OSError):
        raise  # of the store, which concerns every file
    except MemoryError:
        why = "there is not enough memory for it"
        return FileImport(one.path, "unreadable", one.named, first_unread=why)
    except Exception as error:  # noqa: BLE001 - said below: it must not cost the other files
        why = f"{FAULT} ({type(error).__name__}: {quotable(str(error))}): report it, with the file"
        return FileImport(one.path, "unreadable", one.named, first_unread=why)
    if imported.source is not None:
        for each in grown_from:
            store.drop(each)
        for each, size in before.items():
            if size == _PART:  # its rows are among those of the whole file
                store.drop(each)
    return imported


def import_tail(window: Window, reader: Reader, store: Store) -> FileImport:
    """Take in the part by which a log has grown, as a source of its own.

    Args:
        window: of the file, from a border of lines to one.
        reader: of the file.
        store: that has what stands before.

    Raises:
        EvidenceError: if the store is damaged.
        UsageError: if the store cannot be written.
    """
    place = _place_of(window.path)
    name = f"{place}#{window.begin}-{window.end}"
    try:
        source = _digest_of(window, name)
        with importing(store.folder, [window.path]):
            return _take_in(
                _Found(window.path, named=False), window, reader, store, lambda _: None,
                source=source, place=name, zone="UTC" if reader.lacks_zone else None,
            )  # fmt: skip
    except UnreadableError as error:
        return FileImport(window.path, "unreadable", named=False, first_unread=error.reason)


def _place_of(path: Path | RemoteFile) -> str:
    if isinstance(path, RemoteFile):
        return path.address
    return os.fsencode(path.absolute()).decode("utf-8", "replace")


def _digest_of(window: Window, name: str) -> str:
    digest = hashlib.sha256(name.encode())
    left = window.end - window.begin
    with open_file(window.path) as file:
        file.seek(window.begin)
        while left > 0 and (piece := file.read(min(_PIECE_BYTES, left))):
            digest.update(piece)
            left -= len(piece)
    return digest.hexdigest()[:_SOURCE_DIGITS]


def _take_in(
    one: _Found,
    window: Window,
    reader: Reader,
    store: Store,
    tell: Callable[[int], None],
    *,
    source: str,
    place: str,
    zone: str | None,
) -> FileImport:
    """Read a file into the store; a file of which nothing can be read leaves nothing there."""
    losses = Losses()
    size = window.end - window.begin
    with seen_through(window), store.writing(source) as writer:
        for table, part in reader.read(window.path, losses):
            writer.write(table, in_utc(table, part, zone_of(zone or "UTC")))
            tell(writer.rows)
        rows = writer.rows
        told = (rows, losses.count, losses.first)
        if rows == 0 and losses.count:
            return FileImport(one.path, "unreadable", one.named, reader.kind, None, *told)
        writer.finish(SourceNote(source, place, reader.kind, size, *told, zone))
    return FileImport(one.path, "imported", one.named, reader.kind, source, *told)


def _unknown(one: _Found, head: bytes) -> FileImport:
    if head:
        return FileImport(one.path, "of no known kind", one.named)
    why = "it is empty" if one.bytes == 0 else "its content is damaged from the start"
    return FileImport(one.path, "unreadable", one.named, first_unread=why)


def _identify(path: Path, before: Mapping[str, int]) -> tuple[str, int, tuple[str, ...]]:
    """The name of the source, its size, and the sources that were this file when it was shorter.

    A log that was imported while it grew is one source, the longest; the shorter ones go.
    """
    digest, size = hashlib.sha256(), 0
    ends = sorted({bytes_ for bytes_ in before.values() if bytes_ > 0})
    prefixes: dict[int, str] = {}
    with open_file(path) as file:
        try:
            while True:
                limit = min([_PIECE_BYTES, *(end - size for end in ends if end > size)])
                piece = file.read(limit)
                if not piece:
                    break
                digest.update(piece)
                size += len(piece)
                if size in ends:
                    prefixes[size] = digest.hexdigest()[:_SOURCE_DIGITS]
        except OSError as error:
            raise UnreadableError(path, error.strerror or str(error)) from error
    source = digest.hexdigest()[:_SOURCE_DIGITS]
    shorter = (each for each, end in before.items() if end < size and prefixes.get(end) == each)
    return source, size, tuple(shorter)
