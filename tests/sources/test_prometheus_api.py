"""A Prometheus that runs: what is asked of it, and what is said when it fails."""

from __future__ import annotations

import base64
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest
from builders.fake_prometheus import BEGIN_S, SICK, faked

from mprof.errors import EvidenceError, UsageError
from mprof.sources import import_files
from mprof.sources.prometheus_api import PROMETHEUS, metrics_of_prometheus, scrape_interval_s
from mprof.sources.server import Server, headers_in
from mprof.store import Store

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def server() -> Iterator[Any]:
    with faked() as made:
        yield made


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


@pytest.mark.parametrize("interval_s", [1.0, 10.0, 15.0, 30.0, 60.0, 120.0])
def test_it_is_asked_how_often_it_scrapes(server: Any, interval_s: float) -> None:
    server.interval_s = interval_s

    asked = Server.at(PROMETHEUS, server.url, {})
    assert scrape_interval_s(asked, until_s=BEGIN_S, match='job="hadoop"') == interval_s
    (path, _) = server.asked[-1]
    assert 'job="hadoop"' in parse_qs(urlsplit(path).query)["query"][0]


def test_who_does_not_say_how_often_it_scrapes_is_taken_for_usual(server: Any) -> None:
    server.interval_s = 1e6

    assert scrape_interval_s(Server.at(PROMETHEUS, server.url, {}), until_s=BEGIN_S) is None


def test_nodes_are_asked_for_by_their_labels(server: Any, tmp_path: Path) -> None:
    list(
        metrics_of_prometheus(
            Server.at(PROMETHEUS, server.url, {}), since_s=BEGIN_S, until_s=BEGIN_S + 60,
            step_s=15.0, folder=tmp_path, match='{job="hadoop", env=~"prod|test"}',
        )
    )  # fmt: skip

    queries = [parse_qs(urlsplit(path).query)["query"][0] for path, _ in server.asked]
    assert all(each.endswith(', job="hadoop", env=~"prod|test"}') for each in queries)
    assert all(each.count("{") == 1 == each.count("}") for each in queries)


def ran(server: Any, store: Path | None, *words: object, **environment: str) -> Any:
    named = [] if store is None else [str(store)]
    command = [
        sys.executable, "-m", "mprof", "nodes", *named, "--prometheus", server.url,
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
    nowhere = ran(
        server, None, "--prometheus-match", 'job="node"',
        MPROF_PROMETHEUS_HEADER="Authorization: Bearer secret",
    )  # fmt: skip
    assert (0, named.stdout) == (nowhere.returncode, nowhere.stdout)
    assert "secret" not in named.stdout + named.stderr + refused.stderr
