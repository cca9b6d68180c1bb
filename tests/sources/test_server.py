"""A refusal whose text breaks off is a refusal all the same."""

from __future__ import annotations

import io
from email.message import Message
from http.client import IncompleteRead
from urllib.error import HTTPError

import pytest

from mprof.errors import EvidenceError
from mprof.sources import server as module
from mprof.sources.prometheus_api import PROMETHEUS
from mprof.sources.server import Server


@pytest.mark.parametrize(
    "fault", [TimeoutError("timed out"), ConnectionResetError("reset"), IncompleteRead(b"{")]
)
def test_a_refusal_that_breaks_off_is_a_refusal(
    monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    class BrokenOff(io.BytesIO):
        def read(self, _size: int | None = -1) -> bytes:
            raise fault

    class Opener:
        def open(self, _request: object, timeout: float) -> None:
            assert timeout > 0
            raise HTTPError("http://h", 400, "Bad Request", Message(), BrokenOff())

    monkeypatch.setattr(module, "build_opener", lambda _handler: Opener())
    with pytest.raises(EvidenceError, match=r"refuses \(400\)\. Next"):
        Server.at(PROMETHEUS, "http://h", {}).asked("/api/v1/query_range", {})
