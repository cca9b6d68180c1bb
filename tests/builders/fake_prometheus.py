"""The range API of a Prometheus that scrapes node_exporter on six nodes, one of them sick."""

from __future__ import annotations

import contextlib
import json
import math
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np

__all__ = ["BEGIN_S", "HOSTS", "SICK", "faked"]

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
            said = self._matrix() if "query_range" in self.path else self._counts()
            self._send(200, json.dumps(said).encode())

    def _counts(self) -> dict[str, Any]:
        """`count_over_time` of a range that ends at a time."""
        parts = urlsplit(self.path)
        words = {name: values[0] for name, values in parse_qs(parts.query).items()}
        assert parts.path == "/prom/api/v1/query"
        long = re.search(r"\[(\d+)s\]", words["query"])
        assert long is not None
        count = math.floor(float(long[1]) / self.server.interval_s)
        result = [
            {"metric": {"instance": f"{host}:9100"}, "value": [float(words["time"]), str(count)]}
            for host in HOSTS
        ]
        return {"status": "success", "data": {"resultType": "vector", "result": result}}

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


@contextlib.contextmanager
def faked() -> Iterator[Any]:
    made: Any = ThreadingHTTPServer(("127.0.0.1", 0), FakePrometheus)
    made.asked, made.fault, made.login, made.from_s = [], None, None, BEGIN_S
    made.interval_s = 15.0
    made.url = f"http://127.0.0.1:{made.server_address[1]}/prom/"
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.shutdown()
        made.server_close()
