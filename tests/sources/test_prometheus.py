"""Exports of Prometheus: counters become rates, summed over devices, as pandas computes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders.sources_read import read_source
from hypothesis import given, settings
from hypothesis import strategies as st

START = 1_700_000_000.0
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
Series = tuple[dict[str, str], list[tuple[float, float]]]


def _series(name: str, values: list[float], *, step: float = 15.0, **labels: str) -> Series:
    points = [(START + step * number, value) for number, value in enumerate(values)]
    return {"__name__": name, "instance": "n1:9100", "job": "node", **labels}, points


def _api(series: list[Series]) -> str:
    result = [
        {"metric": labels, "values": [[at, str(value)] for at, value in points]}
        for labels, points in series
    ]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})


def _api_one_by_one(series: list[Series]) -> str:
    return "\n".join(_api([each]) for each in series)


def _lines(series: list[Series]) -> str:
    return "\n".join(
        json.dumps(
            {
                "metric": labels,
                "values": [value for _, value in points],
                "timestamps": [round(at * 1000) for at, _ in points],
            }
        )
        for labels, points in series
    )


def _text(series: list[Series]) -> str:
    lines = ["# HELP node_load1 1m load average."]
    for labels, points in series:
        shown = ",".join(f'{key}="{value}"' for key, value in labels.items() if key != "__name__")
        lines += (f"{labels['__name__']}{{{shown}}} {value} {at}" for at, value in points)
    return "\n".join([*lines, "# EOF", ""])


FORMS = [_api, _api_one_by_one, _lines, _text]


def _read(folder: Path, text: str) -> tuple[pd.DataFrame, int]:
    path = folder / "export"
    path.write_text(text)
    _, tables, losses = read_source(path)
    return pd.DataFrame(tables.get("metrics", [])), losses.count


@pytest.mark.parametrize("form", FORMS)
def test_rates_of_every_form_are_what_pandas_computes(tmp_path: Path, form: Any) -> None:
    rng = np.random.default_rng(7)
    series, expected = [], {}
    for host in ("n1", "n2"):
        for device in ("eth0", "eth1", "lo"):
            grown = np.cumsum(rng.integers(0, 10**6, 20)).astype(float)
            labels = {"instance": f"{host}:9100", "device": device}
            series.append(_series("node_network_receive_bytes_total", grown.tolist(), **labels))
            if device != "lo":
                rate = pd.Series(grown).diff() / 15
                expected[host] = expected.get(host, 0) + rate

    frame, losses = _read(tmp_path, form(series))

    assert 0 == losses
    for host, rates in expected.items():
        of_host = frame[frame["host"] == host]
        # The first sample of a counter tells no growth.
        assert [START + 15 * number for number in range(1, 20)] == of_host["at_s"].tolist()
        assert rates[1:].tolist() == pytest.approx(of_host["eth_rxbyt"].tolist(), rel=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_time_of_processors_is_per_cent_of_all_of_them(tmp_path: Path, form: Any) -> None:
    # two processors, 15 s: 15 of 30 seconds user, 3 system with interrupts, 1.5 waiting
    seconds = {"user": (6, 9), "system": (1, 1), "irq": (0.25, 0.25), "softirq": (0.25, 0.25),
               "iowait": (1.5, 0), "idle": (6, 4.5)}  # fmt: skip
    series = [
        _series("node_cpu_seconds_total", [100.0, 100.0 + used], cpu=str(cpu), mode=mode)
        for mode, both in seconds.items()
        for cpu, used in enumerate(both)
    ]
    frame, _ = _read(tmp_path, form(series))

    assert (50.0, 10.0, 5.0) == pytest.approx(
        (frame["user"][0], frame["system"][0], frame["iowait"][0])
    )


def test_gauges_and_sectors_have_the_units_of_the_store(tmp_path: Path) -> None:
    series = [
        _series("node_load1", [1.5, 2.5]),
        _series("node_procs_running", [3, 4]),
        _series("node_processes_threads", [300, 400]),
        _series("node_disk_read_bytes_total", [0, 512 * 15 * 8], device="sda"),
        _series("node_disk_read_bytes_total", [0, 10**9], device="dm-0"),
        _series("node_netstat_TcpExt_TCPAbortOnData", [5, 35]),
        _series("node_netstat_Tcp_RetransSegs", [10, 40]),
        _series("node_memory_MemFree_bytes", [1, 2]),
    ]
    frame, losses = _read(tmp_path, _api(series))
    columns = ["ldavg_1", "runq_sz", "plist_sz", "bread", "tcp_abort_on_data", "retrans"]

    assert 0 == losses
    assert ["n1", "n1"] == frame["host"].tolist()
    assert [2.5, 4, 400, 8, 2, 2] == frame[columns].iloc[1].tolist()
    assert pd.isna(frame["bread"][0])


def test_a_counter_that_begins_anew_has_no_rate_there(tmp_path: Path) -> None:
    frame, losses = _read(tmp_path, _api([_series("node_vmstat_pgfault", [100, 250, 40, 190])]))

    assert 0 == losses
    assert [START + 15, START + 45] == frame["at_s"].tolist()
    assert [10.0, 10.0] == frame["fault"].tolist()


@pytest.mark.parametrize("form", [_api, _text])
def test_a_node_that_two_jobs_scrape_counts_once(tmp_path: Path, form: Any) -> None:
    loads, sent = [1.0, 2.0, 3.0], [0.0, 150.0, 450.0]
    series = [
        _series(name, values, job=job, **labels)
        for job in ("node", "node-of-another-team")
        for name, values, labels in (
            ("node_load1", loads, {}),
            ("node_network_transmit_bytes_total", sent, {"device": "eth0"}),
            ("node_network_transmit_bytes_total", sent, {"device": "eth1"}),
        )
    ]

    frame, losses = _read(tmp_path, form(series))

    assert losses == 0
    assert frame["ldavg_1"].tolist() == loads
    assert frame["eth_txbyt"].dropna().tolist() == [20.0, 40.0]


def test_a_series_goes_on_under_another_job_where_the_first_one_ends(tmp_path: Path) -> None:
    first = _series("node_load1", [1.0, 2.0])
    labels, points = _series("node_load1", [9.0, 9.0, 3.0, 4.0], job="renamed")

    frame, _ = _read(tmp_path, _api([first, (labels, points)]))

    assert frame["ldavg_1"].tolist() == [1.0, 2.0, 3.0, 4.0]


def test_a_node_that_is_scraped_by_its_address_has_the_name_that_it_gives_itself(
    tmp_path: Path,
) -> None:
    series = [
        _series("node_uname_info", [1.0], instance=instance, nodename=name)
        for instance, name in (("10.0.0.7:9100", "n7.example"), ("[fd00::8]:9100", "n8"),
                               ("10.0.0.9:9100", "0123456789ab"), ("n1:9100", "n1"))
    ]  # fmt: skip
    path = tmp_path / "export"
    path.write_text(_api(series))

    _, tables, _ = read_source(path)

    named = {row["name"]: row["address"] for row in tables["names"]}
    assert named == {"n7.example": "10.0.0.7", "n8": "fd00::8"}


def test_a_series_that_goes_back_in_time_is_said(tmp_path: Path) -> None:
    labels, points = _series("node_vmstat_pgfault", [100, 250, 400])
    back = (labels, [points[0], points[2], points[1]])
    frame, losses = _read(tmp_path, _api([back]))

    assert (1, 1) == (len(frame), losses)


def test_a_rate_and_a_scrape_without_times_say_what_to_export(tmp_path: Path) -> None:
    path = tmp_path / "export"
    path.write_text(_api([_series("node_load1", [1])]).replace('"__name__": "node_load1", ', ""))
    # told by its first words alone, an answer without names is of no known kind or a loss
    path.write_text(path.read_text().replace('"matrix"', '"matrix", "x": "__name__"'))
    _, tables, losses = read_source(path)
    assert "without rate()" in str(losses.first)
    assert {} == tables

    path.write_text("# TYPE node_load1 gauge\nnode_load1 0.5\n")
    _, tables, losses = read_source(path)
    assert ("a line is no sample with a time: 'node_load1 0.5'", {}) == (losses.first, tables)


@given(odd=ANY_JSON, name=st.sampled_from(["metric", "values", "timestamps"]))
@settings(max_examples=150, deadline=None)
def test_fields_of_any_type_are_a_loss_and_never_an_error(
    odd: Any, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    labels, _ = _series("node_load1", [])
    bad = {"metric": labels, "values": [[START, "1"]]} | {name: odd}
    good = {"metric": labels, "values": [[START + 60, "2"]]}
    result = {"resultType": "matrix", "result": [bad, odd, good]}
    answer = {"status": "success", "data": result}
    frame, _ = _read(tmp_path_factory.mktemp("prometheus"), json.dumps(answer))

    assert 2.0 == frame[frame["at_s"] == START + 60]["ldavg_1"].iloc[0]


def test_text_is_known_whichever_series_come_first(tmp_path: Path) -> None:
    others = "".join(
        f'go_gc_duration_seconds{{instance="n1:9100",quantile="{number}"}} 0.1 {START}\n'
        for number in range(400)
    )
    own = f'node_load1{{instance="n1:9100"}} 2.5 {START}\n'
    (tmp_path / "x").write_text("# TYPE go_gc_duration_seconds summary\n" + others + own)

    kind, tables, losses = read_source(tmp_path / "x")

    assert ("Prometheus text", 0) == (kind, losses.count)
    assert [2.5] == [row["ldavg_1"] for row in tables["metrics"]]
