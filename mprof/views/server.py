"""Pages that stay new: a small server, which makes them again when what they show has changed."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import http.server
import io
import ipaddress
import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, cast
from urllib.parse import urlsplit

from mprof.errors import MprofError, UsageError
from mprof.io.files import is_inside
from mprof.views.page_files import PAGE

__all__ = ["STAMP", "serving", "stamp_of", "watch"]

STAMP: Final = "stamp.txt"
"""File beside the pages that says what they were made of; the pages ask for it."""
_SECONDS_BETWEEN_LOOKS: Final = 2.0


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Gives out the files of one folder to who knows the token, and nothing of a cache.

    The token is the first part of each address: a port of this machine is open to every user of
    it, and to every page of somebody else's that finds a name for it.
    """

    timeout = 30  # of who asks for nothing

    def __init__(self, *of_server: Any, token: str, folder: Path) -> None:
        self._token, self._folder = token, folder
        super().__init__(*of_server, directory=str(folder))

    def parse_request(self) -> bool:
        """Refuse what a page of somebody else's asks for by a name that leads to this machine."""
        if not super().parse_request():
            return False
        own = cast("tuple[str, int]", self.server.server_address)[0]
        if _is_loopback(own) and not _leads_here(self.headers.get("Host", "")):
            self.send_error(421)
            return False
        return True

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """The answer to a request; for all but the pages it is that there is nothing."""
        token, _, asked = self.path.partition("?")[0].lstrip("/").partition("/")
        self.path = f"/{asked or PAGE}"
        is_known = secrets.compare_digest(token.encode(errors="replace"), self._token.encode())
        file = Path(self.translate_path(self.path))
        if not (is_known and is_inside(file, self._folder) and file.is_file()):
            self.send_error(404)
            return None
        return super().send_head()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name upstream
        """Say nothing: what matters is printed once."""


class _Server(http.server.ThreadingHTTPServer):
    """A server that says nothing of who goes away, or never asks, which ends in an `OSError`."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def _leads_here(host: str) -> bool:
    try:
        asked = urlsplit(f"//{host}").hostname
    except ValueError:
        return False
    return not asked or _is_loopback(asked)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextlib.contextmanager
def serving(folder: Path, host: str, port: int) -> Iterator[str]:
    """Serve a folder while the block runs; gives the address, which nobody else can guess.

    Raises:
        UsageError: if nothing can be served there.
    """
    token = secrets.token_urlsafe(16)
    handler = functools.partial(_Handler, token=token, folder=folder)
    try:
        server = _Server((host, port), handler)
    except OSError as error:
        raise UsageError(
            f"nothing can be served at {host} port {port}: {error.strerror or error}",
            next_step="choose another --port, or a --host of this machine",
        ) from error
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{server.server_address[1]}/{token}/"
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
