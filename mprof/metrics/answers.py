"""How long daemons take to answer this node: a request over HTTP every few seconds, timed.

What a heartbeat of Hadoop takes is logged at level DEBUG only; any of its daemons answers a request
for ``/jmx`` (``org.apache.hadoop.jmx.JMXJsonServlet``), and asked for one bean it does so in a
millisecond or two. The daemons of the node itself tell of the node, those of a master tell of the
master, the network and the node alike, which a comparison of many nodes tells apart.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Final
from urllib.parse import SplitResult, urlsplit

from mprof.errors import UsageError

__all__ = ["Answer", "Answers", "time_answer"]

INTERVAL_S: Final = 3.0
"""A DataNode's heartbeats come as often (``dfs.heartbeat.interval``)."""
_LONGEST_S: Final = 60.0
"""After which a request is given up; Hadoop's clients wait as long (``ipc.client.rpc-timeout``)."""
_PIECE_BYTES: Final = 1 << 16
_CONNECTIONS: Final = {"http": HTTPConnection, "https": HTTPSConnection}


@dataclass(frozen=True, slots=True)
class Answer:
    """One request.

    Attributes:
        at_s: when it ended, seconds since the epoch.
        kind: who was asked, ``answer of host:port``.
        round_trip_s: from the request to the end of the answer; of one that was given up, how
            long it was waited for; None where there was nobody to answer.
    """

    at_s: float
    kind: str
    round_trip_s: float | None


def time_answer(url: str, *, longest_s: float = _LONGEST_S) -> float | None:
    """Seconds until a daemon has answered; None where it cannot be asked or breaks off.

    Args:
        url: whom to ask, and for what.
        longest_s: after which it is given up, and this time is the answer.
    """
    parts = urlsplit(url)
    began_s = time.monotonic()
    connection = _CONNECTIONS[parts.scheme](parts.netloc, timeout=longest_s)
    with closing(connection):
        try:
            connection.request("GET", f"{parts.path or '/'}?{parts.query}".rstrip("?"))
            response = connection.getresponse()
            while time.monotonic() - began_s < longest_s and response.read1(_PIECE_BYTES):
                pass
        except TimeoutError:
            pass
        except (OSError, HTTPException):
            return None
    return min(time.monotonic() - began_s, longest_s)


class Answers:
    """Asks daemons again and again, each in a thread of its own, so that a slow one delays nobody.

    Args:
        urls: whom to ask; ``http`` or ``https``.
        interval_s: from one request of a daemon to the next, or to the end of the answer.
        stop: ends it.

    Raises:
        UsageError: if one of them is no such URL.
    """

    def __init__(
        self, urls: tuple[str, ...], *, stop: Event, interval_s: float = INTERVAL_S
    ) -> None:
        self._seen: SimpleQueue[Answer] = SimpleQueue()
        self._stop = stop
        self._interval_s = interval_s
        asked = {url: f"answer of {_checked(url).netloc}" for url in urls}
        for url, kind in asked.items():
            # A daemon thread: one that waits for an answer must not keep the collector alive.
            Thread(target=self._ask, args=(url, kind), name=kind, daemon=True).start()

    def take(self) -> Iterator[Answer]:
        """What came since this was asked last."""
        while True:
            try:
                yield self._seen.get_nowait()
            except Empty:
                return

    def _ask(self, url: str, kind: str) -> None:
        next_s = time.monotonic()
        while not self._stop.wait(max(0.0, next_s - time.monotonic())):
            next_s = time.monotonic() + self._interval_s
            took_s = time_answer(url)
            self._seen.put(Answer(time.time(), kind, took_s))


def _checked(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in _CONNECTIONS and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number
        usable = False
    if not usable or "@" in parts.netloc or any(each.isspace() for each in url):
        raise UsageError(
            f"{url!r} is no address of a daemon",
            next_step="name it as in http://localhost:9864/jmx?qry=java.lang:type=Runtime",
        )
    return parts
