"""The page of a heap with the heap behind it: answers about every object of it."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable
from typing import Any, BinaryIO, Final
from urllib.parse import parse_qs

from mprof.errors import MprofError, UsageError
from mprof.heap import Heap
from mprof.heap.browse import ask_class, ask_dominated, ask_object, ask_path, node_of
from mprof.report.heap.html import harmless
from mprof.report.serving import GuardedHandler

__all__ = ["heap_handler"]

_ROWS: Final = 30
_MOST_ROWS: Final = 2000


def heap_handler(heap: Heap, page: str) -> Callable[..., GuardedHandler]:
    """Makes handlers that give out the page, and answers as JSON.

    ``ask/object?id=``, ``ask/path?id=``, ``ask/dominates?id=`` and ``ask/class?name=`` say what
    ``mprof heap DUMP --json`` says with the option of that name; ``rows=`` of each table.

    Args:
        heap: whose references are inverted, see :meth:`mprof.heap.Heap.referrers`.
        page: of that heap, live.
    """
    content = page.encode()
    lock = threading.Lock()  # what a heap knows already is kept in dictionaries

    def make(*of_server: Any, token: str) -> GuardedHandler:
        return _HeapHandler(*of_server, token=token, heap=heap, page=content, lock=lock)

    return make


class _HeapHandler(GuardedHandler):
    """Answers about one heap."""

    def __init__(
        self, *of_server: Any, token: str, heap: Heap, page: bytes, lock: threading.Lock
    ) -> None:
        self._heap, self._page, self._lock = heap, page, lock
        super().__init__(*of_server, token=token)

    def answer(self, asked: str) -> io.BytesIO | BinaryIO | None:
        path, _, query = asked.partition("?")
        if path in ("", "index.html"):
            return self._send(200, "text/html; charset=utf-8", self._page)
        if not path.startswith("ask/") or path.removeprefix("ask/") not in _QUESTIONS:
            self.send_error(404)
            return None
        given = {name: values[-1] for name, values in parse_qs(query).items()}
        try:
            with self._lock:
                value = _QUESTIONS[path.removeprefix("ask/")](self._heap, given, _rows(given))
            status, found = 200, harmless(value.to_json())
        except MprofError as error:
            status, found = (400 if isinstance(error, UsageError) else 404), {"error": str(error)}
        return self._send(status, "application/json", json.dumps(harmless(found)).encode())

    def _send(self, status: int, kind: str, content: bytes) -> io.BytesIO:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return io.BytesIO(content)


def _rows(given: dict[str, str]) -> int:
    text = given.get("rows", str(_ROWS))
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(_MOST_ROWS))
    if not is_number or not 0 < int(text) <= _MOST_ROWS:
        raise UsageError(
            f"{text[:20]!r} is no number of rows", next_step=f"ask for 1 to {_MOST_ROWS}"
        )
    return int(text)


def _node(heap: Heap, given: dict[str, str]) -> int:
    return node_of(heap, given.get("id", ""))


_QUESTIONS: Final[dict[str, Callable[[Heap, dict[str, str], int], Any]]] = {
    "object": lambda heap, given, rows: ask_object(heap, _node(heap, given), rows=rows),
    "path": lambda heap, given, _: ask_path(heap, _node(heap, given)),
    "dominates": lambda heap, given, rows: ask_dominated(heap, _node(heap, given), rows=rows),
    "class": lambda heap, given, rows: ask_class(heap, given.get("name", ""), rows=rows),
}
