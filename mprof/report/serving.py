"""A small server for pages on this machine: who does not know its token gets nothing from it."""

from __future__ import annotations

import contextlib
import functools
import http.server
import io
import ipaddress
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit

from mprof.errors import UsageError

__all__ = ["GuardedHandler", "served", "text_served"]


class GuardedHandler(http.server.SimpleHTTPRequestHandler):
    """Answers who knows the token, and lets nothing into a cache.

    The token is the first part of each address: a port of this machine is open to every user of
    it, and to every page of somebody else's that finds a name for it.
    """

    timeout = 30  # of who asks for nothing

    def __init__(self, *of_server: Any, token: str, directory: str | None = None) -> None:
        self._token = token
        super().__init__(*of_server, directory=directory)

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
        """The answer to a request; to one without the token it is that there is nothing."""
        token, _, asked = self.path.lstrip("/").partition("/")
        if "?" in token or not secrets.compare_digest(
            token.encode(errors="replace"), self._token.encode()
        ):
            self.send_error(404)
            return None
        return self.answer(asked)

    def answer(self, asked: str) -> io.BytesIO | BinaryIO | None:
        """Send the head of an answer and return its content.

        Args:
            asked: what the address has behind the token, its query included.
        """
        del asked
        return super().send_head()

    def end_headers(self) -> None:
        """End the head with what no answer goes without."""
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


class _Text(GuardedHandler):
    """Gives out one text, to whoever asks: it is no secret on this machine."""

    timeout = 5

    def __init__(self, *of_server: Any, token: str, text: Callable[[], str]) -> None:
        self._text = text
        super().__init__(*of_server, token=token)

    def answer(self, asked: str) -> io.BytesIO | None:
        """The text as it is now."""
        if asked:
            self.send_error(404)
            return None
        content = self._text().encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return io.BytesIO(content)


def text_served(
    name: str, text: Callable[[], str], host: str, port: int
) -> contextlib.AbstractContextManager[str]:
    """Serve one text, such as of ``/metrics``, while the block runs; gives its address.

    Raises:
        UsageError: if nothing can be served there.
    """
    return served(functools.partial(_Text, text=text), host, port, name=name)


@contextlib.contextmanager
def served(
    handler: Callable[..., GuardedHandler], host: str, port: int, *, name: str | None = None
) -> Iterator[str]:
    """Serve while the block runs; gives the address, which nobody else can guess.

    Args:
        handler: makes one; given the token by its name.
        host: address to serve at.
        port: to serve at, 0 for any.
        name: that stands in the address instead of a token, of what everybody may know.

    Raises:
        UsageError: if nothing can be served there.
    """
    token = secrets.token_urlsafe(16) if name is None else name

    def make(*of_server: Any) -> GuardedHandler:
        return handler(*of_server, token=token)

    try:
        server = _Server((host, port), make)
    except OSError as error:
        raise UsageError(
            f"nothing can be served at {host} port {port}: {error.strerror or error}",
            next_step="choose another --port, or a --host of this machine",
        ) from error
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{server.server_address[1]}/{token}{'/' if name is None else ''}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
