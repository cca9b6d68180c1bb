"""A Maven repository on 127.0.0.1 that serves files, and misbehaves as told."""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from mprof.hadoop.pinned import PinnedJar

__all__ = ["Repository", "pinned", "serving"]


@dataclass
class Repository:
    """What it serves, and what it was asked.

    Attributes:
        files: content by path.
        cut: path -> bytes after which the next answer for it breaks off, once.
        codes: path -> status of the next answers for it, one after the other.
        held: path -> what the second half of the answers for it waits for.
        has_ranges: whether it can send the rest of a file.
        asked: path and Range header of each request.
        logins: the Authorization headers.
        url: where it is.
    """

    files: dict[str, bytes]
    cut: dict[str, int] = field(default_factory=dict)
    codes: dict[str, list[int]] = field(default_factory=dict)
    held: dict[str, threading.Event] = field(default_factory=dict)
    has_ranges: bool = True
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    logins: list[str | None] = field(default_factory=list)
    url: str = ""


def pinned(files: dict[str, bytes]) -> tuple[PinnedJar, ...]:
    """The rows that pin these files."""
    return tuple(
        PinnedJar(path, len(content), hashlib.sha256(content).hexdigest())
        for path, content in files.items()
    )


@contextlib.contextmanager
def serving(repository: Repository) -> Iterator[Repository]:
    """Serve it for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, wanted = self.path.removeprefix("/maven2/"), self.headers.get("Range")
            repository.asked.append((path, wanted))
            repository.logins.append(self.headers.get("Authorization"))
            codes = repository.codes.get(path)
            content = repository.files.get(path)
            if codes:
                self.send_error(codes.pop(0))
            elif content is None:
                self.send_error(404)
            else:
                self._send(path, content, wanted if repository.has_ranges else None)

        def _send(self, path: str, content: bytes, wanted: str | None) -> None:
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
            if wanted and start >= len(content):
                self.send_error(416)
                return
            self.send_response(206 if wanted else 200)
            if wanted:
                self.send_header(
                    "Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}"
                )
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            content = content[start : repository.cut.pop(path, len(content))]
            if path in repository.held:
                half = len(content) // 2
                self.wfile.write(content[:half])
                repository.held[path].wait()
                content = content[half:]
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Nothing: what was asked is kept."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    repository.url = f"http://127.0.0.1:{server.server_port}/maven2"
    try:
        yield repository
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
