"""Folders whose files come and grow: what has changed since the look before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from mprof.io.files import check_there
from mprof.sources.imports import FileImport, files_at, import_files
from mprof.store import Store

__all__ = ["Watch"]

_State = tuple[int, int, int]


class Watch:
    """Imports files as they appear and grow; what did not change is not opened again.

    Memory: three numbers a file.
    """

    def __init__(self, what: Sequence[Path], store: Store, *, zone: str = "UTC") -> None:
        """Watch files and folders.

        Args:
            what: the files and folders; those in folders may be made later.
            store: into which they go.
            zone: the time zone of files that do not say theirs.

        Raises:
            EvidenceError: if there is nothing of one of the names.
        """
        for path in what:
            check_there(path)
        self._what = tuple(what)
        self._store = store
        self._zone = zone
        self._states: dict[Path, _State] = {}

    def changed(self) -> Iterator[FileImport]:
        """Import what has appeared or changed since the last call."""
        states = dict(self._now())
        changed = [path for path, state in states.items() if self._states.get(path) != state]
        self._states = states
        if changed:
            yield from import_files(changed, self._store, zone=self._zone, part_of=self._what)

    def _now(self) -> Iterator[tuple[Path, _State]]:
        for path in self._what:
            for file in files_at(path, self._store):
                try:
                    seen = file.stat()
                except OSError:
                    continue  # it has gone since the folder was listed
                yield file, (seen.st_size, seen.st_mtime_ns, seen.st_ino)
