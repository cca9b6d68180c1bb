"""Pages that stay new: a small server, which makes them again when what they show has changed."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import http.server
import ipaddress
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, cast
from urllib.parse import urlsplit

from mprof.errors import MprofError, UsageError

__all__ = ["STAMP", "serving", "stamp_of", "watch"]

STAMP: Final = "stamp.txt"
"""File beside the pages that says what they were made of; the pages ask for it."""
_SECONDS_BETWEEN_LOOKS: Final = 2.0


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Gives out the files of one folder, and nothing of a cache."""

    def parse_request(self) -> bool:
        """Refuse what a page of somebody else's asks for by a name that leads to this machine."""
        if not super().parse_request():
            return False
        asked = urlsplit(f"//{self.headers.get('Host', '')}").hostname or ""
        own = cast("tuple[str, int]", self.server.server_address)[0]
        if _is_loopback(own) and asked and not _is_loopback(asked):
            self.send_error(421)
            return False
        return True

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: str | os.PathLike[str]) -> None:
        del path
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name upstream
        """Say nothing: what matters is printed once."""


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextlib.contextmanager
def serving(folder: Path, host: str, port: int) -> Iterator[str]:
    """Serve a folder while the block runs; gives the address.

    Raises:
        UsageError: if nothing can be served there.
    """
    handler = functools.partial(_Handler, directory=str(folder))
    try:
        server = http.server.ThreadingHTTPServer((host, port), handler)
    except OSError as error:
        raise UsageError(
            f"nothing can be served at {host} port {port}: {error.strerror or error}",
            next_step="choose another --port, or a --host of this machine",
        ) from error
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def stamp_of(what: Path, *, apart_from: Path | None = None) -> str:
    """Changes whenever a file, or one in a folder or below it, has come, gone or changed.

    Args:
        what: the file or folder.
        apart_from: a folder that does not count, such as that of the pages themselves.
    """
    digest = hashlib.sha256()
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
