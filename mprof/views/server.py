"""Pages that stay new: a small server, which makes them again when what they show has changed."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from mprof.errors import MprofError
from mprof.io.files import is_inside
from mprof.remote.address import Place
from mprof.report.serving import GuardedHandler, served
from mprof.sources.remote import remote_tree
from mprof.views.page_files import PAGE

__all__ = ["STAMP", "serving", "stamp_of", "watch"]

STAMP: Final = "stamp.txt"
"""File beside the pages that says what they were made of; the pages ask for it."""
_SECONDS_BETWEEN_LOOKS: Final = 2.0


class _Files(GuardedHandler):
    """Gives out the files of one folder."""

    def __init__(self, *of_server: Any, token: str, folder: Path) -> None:
        self._folder = folder
        super().__init__(*of_server, token=token, directory=str(folder))

    def answer(self, asked: str) -> io.BytesIO | BinaryIO | None:
        """A file; for all but those of the folder the answer is that there is nothing."""
        self.path = f"/{asked.partition('?')[0] or PAGE}"
        file = Path(self.translate_path(self.path))
        if not (is_inside(file, self._folder) and file.is_file()):
            self.send_error(404)
            return None
        return super().answer(asked)


def serving(folder: Path, host: str, port: int) -> contextlib.AbstractContextManager[str]:
    """Serve a folder while the block runs; gives the address, which nobody else can guess.

    Raises:
        UsageError: if nothing can be served there.
    """
    return served(functools.partial(_Files, folder=folder), host, port)


def stamp_of(what: Place, *, apart_from: Path | None = None) -> str:
    """Changes whenever a file, or one in a folder or below it, has come, gone or changed.

    Args:
        what: the file or folder; of another file system too.
        apart_from: a folder that does not count, such as that of the pages themselves.
    """
    digest = hashlib.sha256()
    if not isinstance(what, Path):
        for one in remote_tree(what.text).files:
            digest.update(f"{one.address} {one.bytes}\n".encode(errors="surrogateescape"))
        return digest.hexdigest()[:16]
    left_out = None if apart_from is None else apart_from.resolve()
    if what.is_file():
        walked: Iterator[tuple[str, list[str], list[str]]] = iter(
            [(str(what.parent), [], [what.name])]
        )
    else:
        walked = os.walk(what)
    for where, folders, names in walked:
        folders[:] = sorted(name for name in folders if Path(where, name).resolve() != left_out)
        for name in sorted(names):
            with contextlib.suppress(OSError):  # gone since
                status = os.stat(os.path.join(where, name))  # noqa: PTH116,PTH118 - many files
                digest.update(f"{where}/{name} {status.st_mtime_ns} {status.st_size}\n".encode(
                    errors="surrogateescape"))  # fmt: skip
    return digest.hexdigest()[:16]


def watch(
    look: Callable[[], str],
    make: Callable[[str], None],
    stop: threading.Event,
    *,
    made_of: str,
    fault: Callable[[MprofError], None],
    seconds: float = _SECONDS_BETWEEN_LOOKS,
) -> None:
    """Make the pages again whenever what they are made of has changed, until told to stop.

    A change is acted on once it has rested for one look: a file that is still being written is not
    read twice. What cannot be read now is told, and the pages stay as they are.

    Args:
        look: the stamp of what there is now.
        make: makes the pages; told that stamp.
        stop: ends it.
        made_of: the stamp of the pages that are there.
        fault: is told of evidence that cannot be read.
        seconds: between two looks.
    """
    before = made_of
    while not stop.wait(seconds):
        now = look()
        if now != made_of and now == before:
            try:
                make(now)
            except MprofError as error:
                fault(error)
            made_of = now
        before = now
