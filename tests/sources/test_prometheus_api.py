"""A Prometheus that runs: what is asked of it, and what is said when it fails."""

from __future__ import annotations

import base64
import json
import math
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest

from mprof.errors import EvidenceError, UsageError
from mprof.sources import import_files
from mprof.sources.prometheus_api import PROMETHEUS, metrics_of_prometheus
from mprof.sources.server import Server, headers_in
from mprof.store import Store

ROOT = Path(__file__).resolve().parents[2]
BEGIN_S = 1_790_000_107.0  # in the middle of an hour, and of no step of 15 s
HOSTS = [f"n{number}" for number in range(1, 7)]
SICK = "n4"
RATES = {
    'node_context_switches_total{{instance="{}"}}': 3000.0,
    'node_disk_read_bytes_total{{instance="{}",device="sda"}}': 4e6,
    'node_vmstat_pgfault{{instance="{}"}}': 900.0,
}


def rate_of(host: str, of_mode: str, at_s: float) -> float:
    """Seconds of a processor a second: the sick node is busy from the begin on."""
    noise = 0.05 * math.sin(at_s / 37 + HOSTS.index(host))
    busy = 0.9 if host == SICK else 0.25
    return {"user": busy + noise, "idle": 1 - busy - noise}.get(of_mode, 0.01)


class FakePrometheus(BaseHTTPRequestHandler):
    """`query_range` as the documentation of Prometheus's HTTP API has it, of counters made here."""

    server: Any

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers)))
        fault = self.server.fault
        if self.server.login and self.headers.get("Authorization") != self.server.login:
            self._send(401, b"Unauthorized")
        elif fault is not None:
            self._send(*fault)
        else:
            self._send(200, json.dumps(self._matrix()).encode())

    def _matrix(self) -> dict[str, Any]:
        parts = urlsplit(self.path)
        words = {name: values[0] for name, values in parse_qs(parts.query).items()}
        assert parts.path == "/prom/api/v1/query_range"
        start, end, step = (float(words[name]) for name in ("start", "end", "step"))
        points = math.floor((end - start) / step) + 1
        if points > 11_000:  # web/api/v1/api.go
            return {"status": "error", "errorType": "bad_data", "error": "exceeded maximum"}
        at_s = start + step * np.arange(points)
        at_s = at_s[at_s >= self.server.from_s]
        result = []
        for host in HOSTS:
            if words["query"].startswith("node_cpu_seconds_total"):
                modes = re.search(r'mode=~"([^"]*)"', words["query"])
                assert modes is not None
                for mode in modes[1].split("|"):
                    labels = {"__name__": "node_cpu_seconds_total", "mode": mode, "cpu": "0"}
                    total = np.cumsum([rate_of(host, mode, at) for at in at_s]) * step
                    base = 1e6 + start  # a counter that was started long ago
                    result.append(self._series(host, labels, at_s, base + total))
                continue
            names = re.search(r'__name__=~"([^"]*)"', words["query"])
            assert names is not None
            for form, rate in RATES.items():
                name = form.partition("{")[0]
                if name in names[1].split("|"):
                    result.append(self._series(host, {"__name__": name}, at_s, rate * at_s))
        result = [each for each in result if each["values"]]
        return {"status": "success", "data": {"resultType": "matrix", "result": result}}

    @staticmethod
    def _series(
        host: str, labels: dict[str, str], at_s: np.ndarray, values: np.ndarray
    ) -> dict[str, Any]:
        pairs = [[float(at), f"{value:.6f}"] for at, value in zip(at_s, values, strict=True)]
        return {"metric": {"instance": f"{host}:9100", **labels}, "values": pairs}

    def _send(self, code: int, text: bytes, location: str | None = None) -> None:
        self.send_response(code)
        if location is not None:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Any]:
    made: Any = ThreadingHTTPServer(("127.0.0.1", 0), FakePrometheus)
    made.asked, made.fault, made.login, made.from_s = [], None, None, BEGIN_S
    made.url = f"http://127.0.0.1:{made.server_address[1]}/prom/"
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()


def fetched(server: Any, folder: Path, *, seconds: float = 900.0, **headers: str) -> list[Path]:
    return list(
        metrics_of_prometheus(
            Server.at(PROMETHEUS, server.url, headers), since_s=BEGIN_S, until_s=BEGIN_S + seconds,
            step_s=15.0, folder=folder,
        )
    )  # fmt: skip


def table(files: list[Path], folder: Path) -> pd.DataFrame:
    store = Store(folder / "store")
    assert all(one.outcome == "imported" for one in import_files(files, store))
    return store.read("metrics")


def test_pages_of_an_hour_give_what_one_range_gives(server: Any, tmp_path: Path) -> None:
    seconds = 3 * 3600.0
    files = fetched(server, tmp_path, seconds=seconds)
    rows = table(files, tmp_path)

    assert 4 == len(files)
    spans = [parse_qs(urlsplit(path).query) for path, _ in server.asked]
    assert all(float(one["end"][0]) - float(one["start"][0]) <= 3600 for one in spans)
    known = rows[rows["ctxt"].notna()]
    # every step but the very first, once for each host; no step at a border is lost or there twice
    at_s = np.arange(math.ceil(BEGIN_S / 15) * 15 + 15, BEGIN_S + seconds, 15)
    for host, of_host in known.groupby("host"):
        assert at_s.tolist() == sorted(of_host["at_s"]), host
    assert {3000.0} == set(known["ctxt"].round(3))
    assert {4e6 / 512} == set(known["bread"].round(3))


def test_the_time_is_asked_in_whole_steps_so_that_it_is_the_same_again(
    server: Any, tmp_path: Path
) -> None:
    (first,) = fetched(server, tmp_path)
    text = first.read_bytes()
    (again,) = fetched(server, tmp_path)

    assert text == again.read_bytes()


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ((400, b'{"status":"error","errorType":"bad_data","error":"parse error \\u001b[1m"}'),
         r"refuses \(400\): parse error \\x1b\[1m"),
        ((503, b"<html>busy</html>"), r"refuses \(503\)\. Next"),
        ((200, b"<html>a page</html>"), "its answer is none of Prometheus's range API"),
        ((200, b'{"status":"error","error":"query timed out"}'), "it says query timed out"),
        ((200, b'{"status":"success","data":{"resultType":"vector","result":[]}}'), "it failed"),
        ((200, b"[" * 100_000), "its answer is none of Prometheus's range API"),
        ((302, b"", "http://127.0.0.1:1/"), r"sends elsewhere \(302\)"),
        ((200, b'{"status":"success","data":{"resultType":"matrix","result":[]}}'),
         "has nothing of node_exporter in that time"),
    ],
)  # fmt: skip
def test_each_fault_is_one_line(
    server: Any, tmp_path: Path, fault: tuple[Any, ...], said: str
) -> None:
    server.fault = fault

    with pytest.raises(EvidenceError, match=said):
        fetched(server, tmp_path)


def test_nobody_who_answers_is_one_line(server: Any, tmp_path: Path) -> None:
    server.shutdown()
    server.server_close()

    with pytest.raises(EvidenceError, match=r"does not answer: .*refused"):
        fetched(server, tmp_path)


def test_a_login_is_sent_as_a_header_and_printed_nowhere(server: Any, tmp_path: Path) -> None:
    server.login = "Basic " + base64.b64encode(b"me:pass word").decode()
    with pytest.raises(EvidenceError, match="asks for a login") as refused:
        fetched(server, tmp_path)
    server.url = server.url.replace("//", "//me:pass%20word@")
    known = Server.at(PROMETHEUS, server.url, {})

    assert 1 == len(fetched(server, tmp_path))
    assert "pass" not in f"{known!r} {refused.value}"
    server.fault = (500, b"")
    with pytest.raises(EvidenceError) as failed:
        fetched(server, tmp_path)
    assert "pass" not in str(failed.value)


def test_a_redirection_takes_no_login_elsewhere(server: Any, tmp_path: Path) -> None:
    server.fault = (302, b"", server.url)
    with pytest.raises(EvidenceError, match="sends elsewhere"):
        fetched(server, tmp_path, Authorization="Bearer secret")

    assert 1 == len(server.asked)


@pytest.mark.parametrize("url", ["n1:9090", "ftp://n1", "http://", "http://n1:x", "http://n1/?a=b"])
def test_what_is_no_address_is_a_wrong_usage(url: str) -> None:
    with pytest.raises(UsageError, match="is no address of Prometheus"):
        Server.at(PROMETHEUS, url, {})


@pytest.mark.parametrize("line", ["Bearer x", "A B: c", "A: b\nC: d", "Ä: b", ": b"])
def test_what_is_no_header_is_a_wrong_usage(line: str) -> None:
    with pytest.raises(UsageError, match="no NAME: VALUE"):
        headers_in([line])


def ran(server: Any, store: Path, *words: object, **environment: str) -> Any:
    command = [
        sys.executable, "-m", "mprof", "nodes", str(store), "--prometheus", server.url,
        "--since", str(BEGIN_S), "--until", str(BEGIN_S + 1800), *map(str, words),
    ]  # fmt: skip
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, cwd=ROOT,
        env={**os.environ, **environment},
    )  # fmt: skip


def test_from_an_address_to_the_first_verdict(server: Any, tmp_path: Path) -> None:
    server.login = "Bearer secret"
    refused = ran(server, tmp_path / "none")
    named = ran(
        server, tmp_path / "store", "--fail-on", "possible",
        MPROF_PROMETHEUS_HEADER="Authorization: Bearer secret",
    )  # fmt: skip
    not_so_sure = ran(
        server, tmp_path / "store", "--fail-on", "sure", "--json",
        MPROF_PROMETHEUS_HEADER="Authorization: Bearer secret",
    )  # fmt: skip

    assert (3, False) == (refused.returncode, (tmp_path / "none").exists())
    assert "asks for a login (401)" in refused.stderr
    assert (1, "1 of 6 nodes differs") == (named.returncode, named.stdout[:20])
    assert f"  {SICK}  possible" in named.stdout or f"  {SICK}  likely" in named.stdout
    assert 0 == not_so_sure.returncode
    assert [SICK] == [one["host"] for one in json.loads(not_so_sure.stdout)["suspects"]]
    assert "secret" not in named.stdout + named.stderr + refused.stderr
