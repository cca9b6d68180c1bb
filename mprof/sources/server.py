"""Servers that are asked over HTTP: one question, and its answer or one clear error.

By the standard library, which takes the proxies of ``https_proxy``, ``http_proxy`` and
``no_proxy``. A redirection is not followed: it would take the login elsewhere. What fails for a
moment is asked again, a few times.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlencode, urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from mprof.errors import EvidenceError, UsageError
from mprof.io.printable import clipped, one_line

__all__ = ["NotThereError", "Server", "ServerKind", "headers_in", "why_unread"]

_SILENCE_S: Final = 60.0
_SILENCE_OF_WHO_IS_TOLD_S: Final = 10.0
_MOST_BYTES: Final = 1 << 30
_MOST_BYTES_OF_AN_ERROR: Final = 1 << 20
_LONGEST: Final = 200
_LOGIN: Final = frozenset({401, 403})
_FOR_A_MOMENT: Final = frozenset({502, 503, 504})
_PAUSES_S: Final = (0.5, 2.0)
"""Between two attempts: so many times more is it asked."""


class NotThereError(EvidenceError):
    """The server answers, and has not what it was asked for (404)."""


@dataclass(frozen=True, slots=True)
class ServerKind:
    """What answers, and how a user gives its address.

    Attributes:
        example: of an address, with its option.
        variable: of the environment, that holds headers.
        fewer: how to ask for less at once.
        parameters: names that the query of an address may have; they are sent with each question.
    """

    name: str
    example: str
    variable: str
    fewer: str
    parameters: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Server:
    """Where it answers.

    Attributes:
        kind: of server.
        url: of its page, such as ``http://host:9090``, without a login.
        headers: that are sent with each question.
        query: that is sent with each question, encoded.
    """

    kind: ServerKind
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    query: str = ""

    @classmethod
    def at(cls, kind: ServerKind, url: str, headers: Mapping[str, str]) -> Server:
        """Read an address; a login in it is sent as a header.

        Raises:
            UsageError: if it is no address of http or https.
        """
        try:
            parts = urlsplit(url)
            right = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:  # a port that is no number, half an IPv6 address
            right = False
        names = {each.partition("=")[0] for each in parts.query.split("&")} if right else set()
        if not right or parts.fragment or not names <= {"", *kind.parameters}:
            raise UsageError(
                f"{one_line(url.rpartition('@')[2])} is no address of {kind.name}",
                next_step=f"write it as in {kind.example}",
            )
        login, _, place = parts.netloc.rpartition("@")
        if login:
            code = base64.b64encode(unquote(login).encode()).decode()
            headers = {"Authorization": f"Basic {code}", **headers}
        whole = urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", ""))
        return cls(kind, whole, headers, parts.query)

    def told(self, path: str, body: bytes) -> None:
        """Send JSON to a path below the address (POST), once: who calls sends it again.

        Raises:
            EvidenceError: if it does not answer, or refuses.
        """
        url = f"{self.url}{path}{'?' if self.query else ''}{self.query}"
        try:
            self._answer(url, body=body, silence_s=_SILENCE_OF_WHO_IS_TOLD_S)
        except _ForAMomentError as error:
            raise error.of from error.__cause__

    def asked(self, path: str, words: Mapping[str, object]) -> bytes:
        """The answer as it came.

        Raises:
            NotThereError: if it has no such thing.
            EvidenceError: if it does not answer, or refuses.
        """
        query = "&".join(each for each in (self.query, urlencode(words)) if each)
        url = f"{self.url}{path}{'?' if query else ''}{query}"
        for pause_s in _PAUSES_S:
            try:
                return self._answer(url)
            except _ForAMomentError:
                time.sleep(pause_s)
        try:
            return self._answer(url)
        except _ForAMomentError as error:
            raise error.of from error.__cause__

    def _answer(
        self, url: str, *, body: bytes | None = None, silence_s: float = _SILENCE_S
    ) -> bytes:
        headers = {"Accept": "application/json", **self.headers}
        if body is not None:
            headers = {"Content-Type": "application/json", **headers}
        request = Request(url, data=body, headers=headers)  # noqa: S310
        try:
            with build_opener(_NoRedirection).open(request, timeout=silence_s) as answer:
                text: bytes = answer.read(_MOST_BYTES + 1)
        except HTTPError as error:
            with error:
                refused = _refused(self, error)
            if error.code in _FOR_A_MOMENT:
                raise _ForAMomentError(refused) from error
            raise refused from error
        except (URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", error)
            said = getattr(reason, "strerror", None) or str(reason)
            why = one_line(said or type(error).__name__)
            silent = EvidenceError(
                f"{self.url} does not answer: {clipped(why, _LONGEST)}",
                next_step=f"see whether {self.kind.name} runs there, and can be reached from here",
            )
            if isinstance(reason, ConnectionResetError | HTTPException):
                raise _ForAMomentError(silent) from error
            raise silent from error
        if len(text) > _MOST_BYTES:
            raise EvidenceError(
                f"an answer of {self.url} is larger than 1 GiB", next_step=self.kind.fewer
            )
        return text


def headers_in(lines: Sequence[str], *, of: str = "Prometheus") -> dict[str, str]:
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
                f"a header for {of} is no NAME: VALUE",
                next_step="write it as in 'Authorization: Bearer TOKEN'",
            )
        found[name.strip()] = value.strip()
    return found


def why_unread(server: Server, why: str) -> EvidenceError:
    """What to say of an answer that is not what the server should give."""
    return EvidenceError(
        f"{server.url} could not be read: {why}", next_step="see whether that is its address"
    )


class _ForAMomentError(Exception):
    """What may be over in a moment; `of` is what to say where it is not."""

    def __init__(self, of: EvidenceError) -> None:
        super().__init__(of)
        self.of = of


def _refused(server: Server, error: HTTPError) -> EvidenceError:
    code, said = error.code, _said(error)
    negotiated = (error.headers.get("WWW-Authenticate") or "").strip().lower()
    if code in _LOGIN and negotiated.startswith("negotiate"):
        return EvidenceError(
            f"{server.url} asks for a login with Kerberos (SPNEGO), which mprof does not have",
            next_step="copy the history files, hdfs dfs -get of mapreduce.jobhistory.done-dir, and"
            " mprof import them; or name a gateway that takes a header, such as Knox",
        )
    if code in _LOGIN:
        return EvidenceError(
            f"{server.url} asks for a login ({code})",
            next_step=f"give it with {server.kind.variable}='Authorization: Bearer TOKEN'",
        )
    if code // 100 == 3:
        return EvidenceError(
            f"{server.url} sends elsewhere ({code})",
            next_step="name the address that it sends to; mprof does not follow",
        )
    refusal = f"{server.url} refuses ({code}){f': {said}' if said else ''}"
    next_step = f"see whether that is the address of {server.kind.name}, and what its log says"
    if code == 404:
        return NotThereError(refusal, next_step=next_step)
    return EvidenceError(refusal, next_step=next_step)


def _said(error: HTTPError) -> str:
    """The error in an answer, in a line; empty where there is none, or it breaks off."""
    try:
        answer: Any = json.loads(error.read(_MOST_BYTES_OF_AN_ERROR))
        if "RemoteException" in answer:  # of Hadoop's servers
            said = answer["RemoteException"]["message"]
        else:
            said = answer["error"]
    except (ValueError, KeyError, TypeError, RecursionError, HTTPException, OSError):
        return ""
    return clipped(one_line(str(said)), _LONGEST)


class _NoRedirection(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None
