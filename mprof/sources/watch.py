"""Folders whose files come and grow: what has changed since the look before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mprof.io.files import UnreadableError, check_there, open_file
from mprof.io.gzip import GZIP
from mprof.sources.imports import FileImport, files_at, import_files, import_tail
from mprof.sources.reader import Reader, Window, head_of, seen_through
from mprof.sources.readers import reader_of
from mprof.store import Store

__all__ = ["Watch"]

_State = tuple[int, int, int]
_CHECKED: Final = 64
_LONGEST_LINE: Final = 1 << 20  # as mprof.sources.reader


@dataclass(frozen=True, slots=True)
class _End:
    """Up to where a log was read.

    Attributes:
        at: behind its last whole line, in bytes.
        last: the bytes before, by which one that was rolled or written anew is known.
        before: the lines that must stand before those that come.
    """

    at: int
    last: bytes
    reader: Reader
    before: bytes


class Watch:
    """Imports files as they appear and grow; what did not change is not opened again.

    Of a log that has grown the new lines are read, and become a source of their own. Memory: a few
    numbers a file, and of a NodeManager's log the lines about containers that run.
    """

    def __init__(self, what: Sequence[Path], store: Store) -> None:
        """Watch files and folders.

        Args:
            what: the files and folders; those in folders may be made later.
            store: into which they go.

        Raises:
            EvidenceError: if there is nothing of one of the names.
        """
        for path in what:
            check_there(path)
        self._what = tuple(what)
        self._store = store
        self._states: dict[Path, _State] = {}
        self._ends: dict[Path, _End] = {}

    def changed(self) -> Iterator[FileImport]:
        """Import what has appeared or changed since the last call."""
        states = dict(self._now())
        changed = [path for path, state in states.items() if self._states.get(path) != state]
        self._states = states
        self._ends = {path: end for path, end in self._ends.items() if path in states}
        whole = []
        for path in changed:
            end = self._ends.get(path)
            if end is None or not _goes_on(path, end):
                whole.append(path)
            elif (window := _new_lines(path, end, size=states[path][0])) is not None:
                yield import_tail(window, end.reader, self._store)
                self._note_end(window, end.reader)
        if whole:
            for one in import_files(whole, self._store, part_of=self._what):
                yield one
                self._note_whole(one)

    def _note_whole(self, one: FileImport) -> None:
        path = one.path
        if not isinstance(path, Path):
            return
        self._ends.pop(path, None)
        if one.source is None:
            return
        try:
            head = head_of(path)
            reader = reader_of(path, head)
            if reader is None or reader.carried is None or _is_packed(path):
                return
            size = self._bytes_of(one.source)
            end = _last_border(path, size)
            if size and end is not None:
                self._note_end(Window(path, 0, end), reader)
        except (OSError, UnreadableError):
            return  # it has gone meanwhile: what comes by that name is read whole

    def _note_end(self, window: Window, reader: Reader) -> None:
        if reader.carried is None:
            return
        with seen_through(window):
            before = reader.carried(window.path)
        last = _bytes_before(window.path, window.end)
        self._ends[window.path] = _End(window.end, last, reader, before)

    def _bytes_of(self, source: str) -> int:
        """How much of a file was read."""
        notes = self._store.read("sources", columns=["bytes"], source=source)["bytes"]
        return int(notes.max()) if len(notes) else 0

    def _now(self) -> Iterator[tuple[Path, _State]]:
        for path in self._what:
            for file in files_at(path, self._store):
                try:
                    seen = file.stat()
                except OSError:
                    continue  # it has gone since the folder was listed
                yield file, (seen.st_size, seen.st_mtime_ns, seen.st_ino)


def _goes_on(path: Path, end: _End) -> bool:
    """Whether a file is the one that was read, and has only grown: lines have times in them."""
    return _bytes_before(path, end.at) == end.last


def _new_lines(path: Path, end: _End, *, size: int) -> Window | None:
    """The whole lines that have come; None for none."""
    border = _last_border(path, size, least=end.at)
    return None if border is None else Window(path, end.at, border, end.before)


def _last_border(path: Path, size: int, *, least: int = 0) -> int | None:
    """Behind the last line break before that size; None where none stands behind ``least``."""
    begin = max(least, size - _LONGEST_LINE)
    with open_file(path) as file:
        file.seek(begin)
        found = file.read(size - begin).rfind(b"\n")
    return None if found < 0 else begin + found + 1


def _bytes_before(path: Path, at: int) -> bytes:
    try:
        with open_file(path) as file:
            file.seek(max(0, at - _CHECKED))
            return file.read(min(at, _CHECKED))
    except (OSError, UnreadableError):
        return b""


def _is_packed(path: Path) -> bool:
    with open_file(path) as file:
        return file.read(len(GZIP)) == GZIP
