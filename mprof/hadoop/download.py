"""Downloads pinned jars from a Maven repository: several at a time, and goes on where it stopped.

What arrived stands in a ``.part`` file until its digest is the pinned one. By the standard library,
which takes the proxies of ``https_proxy``, ``http_proxy`` and ``no_proxy``.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import fcntl
import os
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Final
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import Request, build_opener

from mprof.errors import ClusterError, UsageError
from mprof.hadoop.maven_settings import REPOSITORY_VARIABLE
from mprof.hadoop.pinned import PinnedJar, is_pinned

__all__ = ["cannot_keep", "check_address", "download", "without_login"]

_CONNECTIONS: Final = 8
_PIECE_BYTES: Final = 1 << 18
_SILENCE_S: Final = 20.0
"""A server that sends nothing for so long has been lost."""
_PAUSES_S: Final = (0.0, 1.0, 3.0)
"""Before each try."""
_BUSY: Final = frozenset({408, 429, 500, 502, 503, 504})
_NO_RANGE: Final = 416
_PARTIAL: Final = 206
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_ANOTHER_REPOSITORY: Final = (
    f"name another repository, a mirror of Maven Central, with {REPOSITORY_VARIABLE}=URL"
)


class _InterruptedError(Exception):
    """The network or the server failed; the next try may go on."""


def download(
    jars: Collection[PinnedJar],
    *,
    repository: str,
    folder: Path,
    progress: Callable[[int], None],
) -> None:
    """Put jars into a folder, each at its path; a jar that arrived whole stays whatever happens.

    Args:
        jars: that are not there yet.
        repository: its URL; a login in it (``https://user:password@host/``) is sent to that host
            only.
        folder: where to put them.
        progress: called about once a second with the number of bytes that are there of them.

    Raises:
        UsageError: if the URL is none of http or https.
        ClusterError: if one cannot be had, is not the pinned one, or cannot be kept.
    """
    check_address(repository)
    if not jars:
        return
    with _held(folder):
        work = _Download(jars, repository.rstrip("/"), folder)
        # Not a pool, which would wait for each of its threads: one may sit in front of a server
        # that says nothing, and Ctrl-C is to end this at once.
        for _ in range(_CONNECTIONS):
            threading.Thread(target=work.run, daemon=True).start()
        try:
            while not work.ended.wait(1.0):
                progress(work.received_bytes)
        finally:
            work.stop.set()
        if work.failure is not None:
            raise work.failure
        progress(work.received_bytes)


def check_address(repository: str) -> None:
    """Refuse what is no URL of http or https.

    Raises:
        UsageError: if it is none.
    """
    try:
        parts = urlsplit(repository)
        right = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, half an IPv6 address
        right = False
    if not right:
        raise UsageError(
            f"{repository.rpartition('@')[2]!r} is no address of a Maven repository",
            next_step=f"give --maven-repository or {REPOSITORY_VARIABLE} an address such as "
            "https://host/maven2",
        )


def without_login(url: str) -> str:
    """A URL as it may be printed.

    >>> without_login("https://me:secret@host:8081/maven2")
    'https://host:8081/maven2'
    """
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def cannot_keep(error: OSError, folder: Path) -> ClusterError:
    """What to say where the cache takes no file."""
    place = error.filename or folder
    if error.errno in _FULL:
        return ClusterError(
            f"there is no room for Hadoop's jars in {folder}: {error.strerror}",
            next_step="make room for 120 MB, or name a folder on another disk with XDG_CACHE_HOME",
        )
    return ClusterError(
        f"Hadoop's jars cannot be kept: {place}: {error.strerror or error}",
        next_step="name a folder that can be written with XDG_CACHE_HOME",
    )


class _Download:
    """What the threads of one download share.

    Attributes:
        stop: ends all of them soon.
        ended: all jars are there, or one cannot be had.
        failure: why not.
    """

    def __init__(self, jars: Collection[PinnedJar], repository: str, folder: Path) -> None:
        self.stop = threading.Event()
        self.ended = threading.Event()
        self.failure: Exception | None = None
        self._repository = repository
        self._folder = folder
        # The largest first, so that none of them is waited for alone at the end.
        self._waiting = deque(sorted(jars, key=lambda jar: -jar.bytes))
        self._missing = len(jars)
        self._counting = threading.Lock()
        self._received: dict[str, int] = {}
        self._opener = build_opener()  # with the proxies that the environment names now

    def run(self) -> None:
        """Fetch one jar after the other."""
        try:
            while not self.stop.is_set() and (jar := self._next()) is not None:
                self.fetch(jar)
                with self._counting:
                    self._missing -= 1
                if self._missing == 0:
                    self.ended.set()
        except Exception as error:  # noqa: BLE001 - the thread that waits raises it
            self.failure = error
            self.ended.set()

    def _next(self) -> PinnedJar | None:
        with self._counting:
            return self._waiting.popleft() if self._waiting else None

    @property
    def received_bytes(self) -> int:
        """Bytes that are there, of jars that are whole and of parts."""
        return sum(list(self._received.values()))

    def fetch(self, jar: PinnedJar) -> None:
        """Put one jar in its place."""
        target = self._folder / jar.path
        part = target.with_name(f"{target.name}.part")
        address = f"{without_login(self._repository)}/{jar.path}"
        reason = ""
        if is_pinned(target, jar):  # another process was faster
            return
        for pause in _PAUSES_S:
            if self.stop.wait(pause):
                return
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                was_there = self._complete(part, jar)
                if self.stop.is_set():
                    return
                if is_pinned(part, jar):
                    part.replace(target)
                    return
                part.unlink()
            except _InterruptedError as error:
                reason = str(error)
            except OSError as error:
                raise cannot_keep(error, self._folder) from error
            else:
                reason = "its checksum is not the one that this version of mprof expects"
                if not was_there:
                    raise ClusterError(f"{address}: {reason}", next_step=_ANOTHER_REPOSITORY)
        raise ClusterError(
            f"{address} could not be fetched: {reason}",
            next_step="check the network (a proxy is named with https_proxy), or "
            f"{_ANOTHER_REPOSITORY}; what has arrived is kept",
        )

    def _complete(self, part: Path, jar: PinnedJar) -> bool:
        """Get what is missing of a part; whether some of it was there before."""
        start = part.stat().st_size if part.exists() else 0
        if start >= jar.bytes:
            return True
        with self._response(jar, start) as response:
            here = response.headers.get("Content-Range", "")
            if response.status != _PARTIAL or not here.startswith(f"bytes {start}-"):
                start = 0  # a server that sends all of it, asked or not
            received = start
            with part.open("ab" if start else "wb") as file:
                for piece in _pieces(response):
                    file.write(piece)
                    file.flush()  # an end without warning keeps what has come
                    received += len(piece)
                    self._received[jar.path] = min(received, jar.bytes)
                    if self.stop.is_set() or received > jar.bytes:
                        return start > 0
        if received < jar.bytes:
            raise _InterruptedError(f"it ended after {received:,} of {jar.bytes:,} bytes")
        return start > 0

    def _response(self, jar: PinnedJar, start: int) -> HTTPResponse:
        request = _request(f"{self._repository}/{jar.path}")
        if start:
            request.add_header("Range", f"bytes={start}-")
        try:
            response: HTTPResponse = self._opener.open(request, timeout=_SILENCE_S)
        except HTTPError as error:
            error.close()
            said = f"{error.code} {error.reason}"
            if error.code in _BUSY:
                raise _InterruptedError(said) from error
            if error.code == _NO_RANGE and start:
                (self._folder / f"{jar.path}.part").unlink(missing_ok=True)
                raise _InterruptedError(said) from error
            raise ClusterError(
                f"{without_login(self._repository)} does not give {jar.path}: {said}",
                next_step=_ANOTHER_REPOSITORY,
            ) from error
        except URLError as error:
            raise _InterruptedError(_in_words(error.reason)) from error
        except (OSError, HTTPException) as error:
            raise _InterruptedError(_in_words(error)) from error
        return response


def _pieces(response: HTTPResponse) -> Iterator[bytes]:
    while True:
        try:
            piece = response.read1(_PIECE_BYTES)
        except (OSError, HTTPException) as error:
            raise _InterruptedError(_in_words(error)) from error
        if not piece:
            return
        yield piece


def _request(url: str) -> Request:
    parts = urlsplit(url)
    request = Request(without_login(url))  # noqa: S310 - http(s)
    if parts.username is not None:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        # Unredirected: another host, to which this one sends on, must not see it.
        request.add_unredirected_header(
            "Authorization", f"Basic {base64.b64encode(login).decode()}"
        )
    return request


def _in_words(error: object) -> str:
    if isinstance(error, TimeoutError):
        return f"nothing came for {_SILENCE_S:.0f} s"
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Let one process at a time write into a folder: two would mix their parts."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise cannot_keep(error, folder) from error
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
