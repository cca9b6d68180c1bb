"""Servers that are followed: each round asks for what is new; others are told of it."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from builders.fake_prometheus import BEGIN_S, HOSTS, SICK, faked
from builders.hadoop_rest import node, replaying, resources
from jsonschema import validate

from mprof.cli.following import Asking, Retention, Scrapes, Webhook, follow, scraped_at
from mprof.cli.servers import alertmanager_at
from mprof.errors import EvidenceError, UsageError
from mprof.peers.live import Live, stretch_for
from mprof.peers.verdict.reported import Reported
from mprof.report.nodes.alerts import Now, alerts_of, as_exposition
from mprof.sources.feeds import PrometheusFeed, ResourceManagerFeed
from mprof.sources.prometheus_api import PROMETHEUS
from mprof.sources.resource_manager import RESOURCE_MANAGER
from mprof.sources.server import Server
from mprof.sources.watch import Watch
from mprof.store import Store

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/reference/nodes.schema.json").read_text(encoding="utf-8")
)


class Alertmanager(BaseHTTPRequestHandler):
    """Takes alerts as `api/v2/openapi.yaml` has them."""

    server: Any

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        code = self.server.codes.pop(0) if self.server.codes else 200
        if code == 200:
            self.server.taken.append((self.path, body, dict(self.headers)))
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Any]:
    with replaying() as made:
        yield made


@pytest.fixture
def prometheus_server() -> Iterator[Any]:
    with faked() as made:
        yield made


@pytest.fixture
def alertmanager() -> Iterator[Any]:
    made: Any = ThreadingHTTPServer(("127.0.0.1", 0), Alertmanager)
    made.taken, made.codes = [], []
    made.url = f"http://127.0.0.1:{made.server_address[1]}"
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


class Clock:
    """The time that the loop is told, a round after the other."""

    def __init__(self, *, begin_s: float, step_s: float, rounds: int) -> None:
        self.at_s, self.step_s, self.left = begin_s, step_s, rounds

    def time(self) -> float:
        return self.at_s

    def wait(self) -> None:
        self.at_s += self.step_s
        self.left -= 1
        if self.left <= 0:
            raise KeyboardInterrupt


def test_each_round_asks_a_prometheus_for_what_is_new(
    prometheus_server: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = Clock(begin_s=BEGIN_S + 1200, step_s=100.0, rounds=30)
    monkeypatch.setattr("mprof.cli.following.time.time", clock.time)
    monkeypatch.setattr("mprof.sources.server.time.sleep", lambda _: None)
    monkeypatch.setattr("mprof.cli.following._TOGETHER", 8)
    store = Store(tmp_path / "store")
    feed = PrometheusFeed(Server.at(PROMETHEUS, prometheus_server.url, {}), step_s=15.0,
                          follows=True)  # fmt: skip
    scrapes = Scrapes()

    def wait() -> None:
        prometheus_server.fault = (500, b"") if clock.left == 20 else None
        clock.wait()

    with pytest.raises(KeyboardInterrupt):
        follow(
            Live(store, stretch_s=stretch_for(15.0)), Watch([], store), json=False, wait=wait,
            scrapes=scrapes, asking=Asking([feed], store, BEGIN_S),
        )  # fmt: skip
    rows = store.read("metrics")
    out, err = capsys.readouterr()

    # every step once, as if it had been asked for at once; the round that failed is made up for
    at_s = sorted(rows.loc[rows["host"] == SICK, "at_s"])
    expected = [BEGIN_S // 15 * 15 + 15 * each for each in range(2, len(at_s) + 2)]
    assert expected == at_s
    assert BEGIN_S + 1200 + 29 * 100 - at_s[-1] <= 120
    assert len(HOSTS) * len(at_s) == len(rows)
    assert 12 >= len(store.sources())  # and not one of each round
    asked = sum("query_range" in path for path, _ in prometheus_server.asked)
    assert 2 * 31 >= asked
    assert 1 == err.count("it is asked again")
    assert f"{SICK} appears" in out
    assert f'mprof_node_suspect{{node="{SICK}",confidence=' in scrapes.text
    assert "mprof_failures_total 1.0" in scrapes.text

    # after a restart it goes on behind the last sample
    before = len(prometheus_server.asked)
    again = PrometheusFeed(Server.at(PROMETHEUS, prometheus_server.url, {}), step_s=15.0,
                           follows=True)  # fmt: skip
    Asking([again], store, BEGIN_S).look(clock.at_s + 300)
    (first, _), *_ = prometheus_server.asked[before:]
    assert f"start={at_s[-1]}" in first


def test_a_server_that_never_answered_ends_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store")
    feed = ResourceManagerFeed(Server.at(RESOURCE_MANAGER, "http://127.0.0.1:1", {}))

    with pytest.raises(EvidenceError, match="does not answer"):
        Asking([feed], store, 0.0).look(100.0)


def test_alerts_fire_and_resolve_and_a_webhook_that_fails_stops_nothing(
    server: Any,
    alertmanager: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MPROF_WEBHOOK_HEADER", "Authorization: Bearer secret")
    clock = Clock(begin_s=1795890240.0, step_s=30.0, rounds=6)
    monkeypatch.setattr("mprof.cli.following.time.time", clock.time)
    states = ["RUNNING", "LOST", "LOST", "RUNNING", "RUNNING", "RUNNING"]
    alertmanager.codes = [200, 500, 500, 200]  # LOST, LOST, resolved twice, and then nothing

    def wait() -> None:
        clock.wait()
        server.answers = resources([node("n1", "RUNNING"), node("n2", states[6 - clock.left])])

    server.answers = resources([node("n1", "RUNNING"), node("n2", states[0])])
    store = Store(tmp_path / "store")
    feed = ResourceManagerFeed(Server.at(RESOURCE_MANAGER, server.url, {}))
    with pytest.raises(KeyboardInterrupt):
        follow(Live(store), Watch([], store), json=True, wait=wait,
               asking=Asking([feed], store, clock.at_s - 3600),
               webhook=Webhook(alertmanager_at(alertmanager.url), 30.0))  # fmt: skip
    out, err = capsys.readouterr()
    (path, (first,), headers), (_, (last,), _) = alertmanager.taken

    assert ("/api/v2/alerts", "Bearer secret") == (path, headers["Authorization"])
    assert {"alertname": "MprofNodeState", "node": "n2", "state": "LOST"} == first["labels"]
    assert "2026-11-28T18:23:57.073Z" == first["startsAt"]
    assert "2026-11-28T18:29:30.000Z" == first["endsAt"]  # five minutes on
    assert (first["labels"], "2026-11-28T18:26:00.000Z") == (last["labels"], last["endsAt"])
    assert 1 == err.count("alerts were not sent")
    lines = [json.loads(line) for line in out.splitlines()]
    for line in lines:
        validate(line["reported"], {**SCHEMA["$defs"]["reported"], "$defs": SCHEMA["$defs"]})
    assert [("reported", "n2"), ("well again", "n2")] == [
        (line["change"], line["reported"]["host"]) for line in lines
    ]


def now(**more: Any) -> Now:
    told = {"looked_s": 100.0, "evidence_s": 90.0, "compared": 3, "suspects": (), "reported": (),
            "failures": 0, **more}  # fmt: skip
    return Now(**told)


def test_names_of_others_are_escaped_in_what_is_scraped() -> None:
    hostile = 'n"1\\\n} 1\nmprof_x{a="'
    text = as_exposition(now(reported=(Reported(hostile, "LOST", 1.0, 2.0, None),)))
    samples = [line for line in text.splitlines() if not line.startswith("#")]

    assert 'mprof_node_state{node="n\\"1\\\\\\n} 1\\nmprof_x{a=\\"",state="LOST"} 1.0' in samples
    assert 5 == len(samples)
    assert text.endswith("\n")


def test_a_node_that_was_taken_out_is_no_alert() -> None:
    out = Reported("n1", "DECOMMISSIONED", 1.0, 2.0, None)

    assert () == alerts_of(now(reported=(out,)))


def test_metrics_are_scraped_on_this_machine_only() -> None:
    scrapes = Scrapes(as_exposition(now()))
    with scraped_at("0", scrapes) as at:
        assert at is not None
        assert at.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(at, timeout=10) as answer:
            assert scrapes.text == answer.read().decode()
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        for wrong in ("/", "/metrics/../x", "/other"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(at.replace("/metrics", wrong), timeout=10)
        asked = urllib.request.Request(at, headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError, match="421"):
            urllib.request.urlopen(asked, timeout=10)
    with pytest.raises(UsageError, match="is no address"), scraped_at("x:y", scrapes):
        pass


def test_what_is_older_than_it_is_kept_goes(
    prometheus_server: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock(begin_s=BEGIN_S + 600, step_s=600.0, rounds=14)
    monkeypatch.setattr("mprof.cli.following.time.time", clock.time)
    store = Store(tmp_path / "store")
    feed = PrometheusFeed(Server.at(PROMETHEUS, prometheus_server.url, {}), step_s=15.0,
                          follows=True)  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        follow(
            Live(store), Watch([], store), json=False, wait=clock.wait,
            asking=Asking([feed], store, BEGIN_S), retention=Retention(store, 3600.0),
        )  # fmt: skip
    at_s = store.read("metrics")["at_s"]

    assert 3600 <= at_s.max() - at_s.min() <= 3600 + 600 + 360 + 60
