"""Metrics of node_exporter from a Prometheus that runs: its range API, an hour at a time.

The answers of ``/api/v1/query_range`` are kept as files, which `mprof.sources.prometheus` reads as
it reads an export. By the standard library, which takes the proxies of ``https_proxy``,
``http_proxy`` and ``no_proxy``. A redirection is not followed: it would take the login elsewhere.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Final
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlencode, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from mprof.errors import EvidenceError, UsageError
from mprof.io.printable import clipped, one_line
from mprof.sources.prometheus import NAMES_OF_NODE_EXPORTER

__all__ = ["Prometheus", "headers_in", "metrics_of_prometheus"]

_PAGE_S: Final = 3600.0
_MOST_POINTS: Final = 10_000  # Prometheus gives 11,000 of a series
_SILENCE_S: Final = 60.0
_MOST_BYTES: Final = 1 << 30
_LONGEST: Final = 200
_LOGIN: Final = frozenset({401, 403})
_MODES: Final = "user|system|irq|softirq|iowait"
_QUERIES: Final = (
    '{__name__=~"' + "|".join(sorted(NAMES_OF_NODE_EXPORTER - {"node_cpu_seconds_total"})) + '"}',
    'node_cpu_seconds_total{mode=~"' + _MODES + '"}',
)


@dataclass(frozen=True, slots=True)
class Prometheus:
    """Where it answers.

    Attributes:
        url: of its page, such as ``http://host:9090``, without a login.
        headers: that are sent with each question.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def at(cls, url: str, headers: Mapping[str, str]) -> Prometheus:
        """Read an address; a login in it is sent as a header.

        Raises:
            UsageError: if it is no address of http or https.
        """
        try:
            parts = urlsplit(url)
            right = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:  # a port that is no number, half an IPv6 address
            right = False
        if not right or parts.query or parts.fragment:
            raise UsageError(
                f"{one_line(url.rpartition('@')[2])} is no address of Prometheus",
                next_step="write it as in --prometheus http://host:9090",
            )
        login, _, place = parts.netloc.rpartition("@")
        if login:
            code = base64.b64encode(unquote(login).encode()).decode()
            headers = {"Authorization": f"Basic {code}", **headers}
        whole = urlunsplit(parts._replace(netloc=place, path=parts.path.rstrip("/")))
        return cls(whole, headers)


def headers_in(lines: Sequence[str]) -> dict[str, str]:
    """Headers as they are written: ``Authorization: Bearer TOKEN``.

    Raises:
        UsageError: if one is no name and value.
    """
    found = {}
    for line in lines:
        name, colon, value = line.partition(":")
        right = colon and name.strip().isascii() and name.strip().replace("-", "").isalnum()
        if not right or not value.strip().isascii() or not value.strip().isprintable():
            raise UsageError(
                "a header for Prometheus is no NAME: VALUE",
                next_step="write it as in 'Authorization: Bearer TOKEN'",
            )
        found[name.strip()] = value.strip()
    return found


def metrics_of_prometheus(
    server: Prometheus, *, since_s: float, until_s: float, step_s: float, folder: Path
) -> Iterator[Path]:
    """Ask for the metrics of all nodes, an hour at a time, and keep the answers as files.

    Memory: an hour of all nodes.

    Args:
        server: whom to ask.
        since_s: from this second on; whole steps, so that what is asked twice is the same.
        until_s: up to this one.
        step_s: between two samples, as often as Prometheus scrapes.
        folder: for the files, which are given back as they are written.

    Raises:
        EvidenceError: if it does not answer, refuses, or has nothing of any node.
    """
    page_s = step_s * max(1, math.floor(min(_PAGE_S, _MOST_POINTS * step_s) / step_s))
    begin_s = math.floor(since_s / step_s) * step_s
    series = 0
    while begin_s <= until_s:
        # The step before tells how far counters have grown by the first one.
        end_s = min(begin_s + page_s - step_s, until_s)
        answers = [
            _asked(server, query, begin_s=begin_s - step_s, end_s=end_s, step_s=step_s)
            for query in _QUERIES
        ]
        found = sum(number for _, number in answers)
        series += found
        if found:
            path = folder / f"prometheus-{begin_s:.0f}.json"
            path.write_bytes(b"\n".join(text for text, _ in answers))
            yield path
        begin_s += page_s
    if not series:
        raise EvidenceError(
            f"{server.url} has nothing of node_exporter in that time",
            next_step="name a Prometheus that scrapes node_exporter, or another time with --since",
        )


def _asked(
    server: Prometheus, query: str, *, begin_s: float, end_s: float, step_s: float
) -> tuple[bytes, int]:
    """The answer as it came, and the number of its series."""
    words = {"query": query, "start": begin_s, "end": end_s, "step": step_s}
    text = _answer(server, f"{server.url}/api/v1/query_range?{urlencode(words)}")
    try:
        answer = json.loads(text)
        data = answer["data"] if answer["status"] == "success" else {}
        if data.get("resultType") == "matrix":
            return text, len(data["result"])
        why = f"it says {_said(text) or 'that it failed'}"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        why = "its answer is none of Prometheus's range API"
    raise EvidenceError(
        f"{server.url} could not be read: {why}", next_step="see whether that is its address"
    )


def _answer(server: Prometheus, url: str) -> bytes:
    request = Request(url, headers={"Accept": "application/json", **server.headers})  # noqa: S310
    try:
        with build_opener(_NoRedirection).open(request, timeout=_SILENCE_S) as answer:
            text: bytes = answer.read(_MOST_BYTES + 1)
    except HTTPError as error:
        with error:
            said = _said(error.read(_MOST_BYTES))
        raise _refused(server, error.code, said) from error
    except (URLError, HTTPException, OSError) as error:
        why = one_line(str(getattr(error, "reason", error)) or type(error).__name__)
        raise EvidenceError(
            f"{server.url} does not answer: {clipped(why, _LONGEST)}",
            next_step="see whether Prometheus runs there, and can be reached from here",
        ) from error
    if len(text) > _MOST_BYTES:
        raise EvidenceError(
            f"an answer of {server.url} is larger than 1 GiB",
            next_step="ask for fewer samples with --prometheus-step",
        )
    return text


def _refused(server: Prometheus, code: int, said: str) -> EvidenceError:
    if code in _LOGIN:
        return EvidenceError(
            f"{server.url} asks for a login ({code})",
            next_step="give it with MPROF_PROMETHEUS_HEADER='Authorization: Bearer TOKEN'",
        )
    if code // 100 == 3:
        return EvidenceError(
            f"{server.url} sends elsewhere ({code})",
            next_step="name the address that it sends to; mprof does not follow",
        )
    return EvidenceError(
        f"{server.url} refuses ({code}){f': {said}' if said else ''}",
        next_step="see whether that is the address of Prometheus, and what its log says",
    )


def _said(text: bytes) -> str:
    """The error in an answer, in a line; empty where there is none."""
    try:
        error = json.loads(text)["error"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return clipped(one_line(str(error)), _LONGEST)


class _NoRedirection(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None
