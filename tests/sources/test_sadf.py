"""`sadf -j`: the sixteen metrics that sysstat has, in the units of the store."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from builders.sources_read import read_source
from hypothesis import given, settings
from hypothesis import strategies as st

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
START = datetime(2026, 3, 1, 10, 0, 0, tzinfo=UTC).timestamp()


def _sample(second: int = 0, **changes: Any) -> dict[str, Any]:
    return {
        "timestamp": {"date": "2026-03-01", "time": f"10:00:{second:02}", "tz": "UTC"},
        "cpu-load": [
            {"cpu": "all", "user": 12.5, "nice": 0.0, "system": 3.25, "iowait": 0.5, "idle": 83.75},
            {"cpu": "0", "user": 99.0, "nice": 0.0, "system": 1.0, "iowait": 0.0, "idle": 0.0},
        ],
        "process-and-context-switch": {"proc": 1.0, "cswch": 4321.0},
        "queue": {"runq-sz": 3, "plist-sz": 412, "ldavg-1": 1.75, "ldavg-5": 1.0},
        "paging": {"pgpgin": 10.0, "pgpgout": 20.0, "fault": 300.0, "majflt": 1.0},
        "io": {"tps": 5.0, "io-reads": {"rtps": 1.0, "bread": 64.0},
               "io-writes": {"wtps": 4.0, "bwrtn": 128.0}},
        "network": {"net-etcp": {"atmptf": 1.0, "retrans": 2.5}, "net-dev": [
            {"iface": "lo", "rxkB": 1000.0, "txkB": 1000.0},
            {"iface": "eth0", "rxkB": 2.0, "txkB": 4.0},
            {"iface": "eth1", "rxkB": 1.0, "txkB": 0.5},
        ]},
    } | changes  # fmt: skip


def _host(name: str, *samples: Any) -> dict[str, Any]:
    return {"nodename": name, "sysname": "Linux", "number-of-cpus": 2, "statistics": list(samples)}


def _file(folder: Path, *hosts: Any, indent: int | None = 2) -> Path:
    path = folder / "sa01.json"
    path.write_text(json.dumps({"sysstat": {"hosts": list(hosts)}}, indent=indent))
    return path


EXPECTED = {
    "user": 12.5, "system": 3.25, "iowait": 0.5, "ctxt": 4321.0, "runq_sz": 3.0,
    "plist_sz": 412.0, "ldavg_1": 1.75, "eth_rxbyt": 3 * 1024.0, "eth_txbyt": 4.5 * 1024,
    "pgpgin": 10.0, "pgpgout": 20.0, "fault": 300.0, "bread": 64.0, "bwrtn": 128.0,
    "tcp_abort_on_data": None, "rto_max": None, "retrans": 2.5,
}  # fmt: skip


@pytest.mark.parametrize("indent", [None, 0, 1, 8])
def test_a_sample_has_its_metrics_in_the_units_of_the_store(
    tmp_path: Path, indent: int | None
) -> None:
    kind, tables, losses = read_source(_file(tmp_path, _host("n1", _sample(7)), indent=indent))

    assert ("sadf -j", 0) == (kind, losses.count)
    assert [{"source": None, "host": "n1", "at_s": START + 7, **EXPECTED}] == tables["metrics"]


def test_the_words_of_other_options_and_versions_are_read(tmp_path: Path) -> None:
    load = {"cpu": "all", "usr": 1.0, "sys": 2.0, "iowait": 3.0}
    old = {"date": "2026-03-01", "time": "10:00:05", "utc": 1, "interval": 1}
    sample = {"timestamp": old, "cpu-load-all": [load]}

    _, tables, _ = read_source(_file(tmp_path, _host("n1", sample)))
    (row,) = tables["metrics"]

    assert (START + 5, 1.0, 2.0, 3.0) == (row["at_s"], row["user"], row["system"], row["iowait"])


@pytest.mark.parametrize("change", [{"tz": "CET"}, {"utc": 0}, {"date": "01/03/26"}, {"time": ""}])
def test_a_sample_of_local_time_is_a_loss_that_says_what_to_do(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    local = _sample()
    local["timestamp"] = local["timestamp"] | change
    _, tables, losses = read_source(_file(tmp_path, _host("n1", local, _sample(1))))

    assert (1, 1) == (len(tables["metrics"]), losses.count)
    assert "run sadf without -t" in str(losses.first)


def test_several_hosts_in_a_file_are_told_apart(tmp_path: Path) -> None:
    hosts = [_host(f"n{number}", _sample(1), _sample(2)) for number in range(3)]
    _, tables, _ = read_source(_file(tmp_path, *hosts))

    assert ["n0", "n0", "n1", "n1", "n2", "n2"] == [row["host"] for row in tables["metrics"]]


def test_a_file_longer_than_a_piece_gives_each_sample_once(tmp_path: Path) -> None:
    samples = [_sample(second % 60) for second in range(3_000)]
    path = _file(tmp_path, _host("n1", *samples), _host("n2", *samples))
    assert path.stat().st_size > 4 << 20

    _, tables, losses = read_source(path)

    assert (6_000, 0) == (len(tables["metrics"]), losses.count)
    assert [START + second % 60 for second in range(3_000)] * 2 == [
        row["at_s"] for row in tables["metrics"]
    ]
    assert ["n1"] * 3_000 + ["n2"] * 3_000 == [row["host"] for row in tables["metrics"]]


def test_a_damaged_sample_costs_no_other_and_a_cut_costs_the_last(tmp_path: Path) -> None:
    path = _file(tmp_path, _host("n1", *(_sample(second) for second in range(5))))
    text = path.read_text().replace('"cswch": 4321.0', '"cswch": ,', 1)
    path.write_text(text[: text.rindex('"paging"')])

    _, tables, losses = read_source(path)

    assert [START + 1, START + 2, START + 3] == [row["at_s"] for row in tables["metrics"]]
    assert 2 == losses.count


@given(
    changes=st.dictionaries(st.sampled_from(sorted(_sample())), ANY_JSON, max_size=3),
    inner=ANY_JSON,
)
@settings(max_examples=150, deadline=None)
def test_fields_of_any_type_are_unknown_or_a_loss_and_never_an_error(
    changes: dict[str, Any], inner: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    odd = {"cpu-load": [{"cpu": "all", "user": inner}], "network": {"net-dev": [inner, {}]}}
    samples = [_sample(1, **changes), _sample(2, **odd), _sample(3)]
    _, tables, losses = read_source(_file(tmp_path_factory.mktemp("sadf"), _host("n1", *samples)))

    assert len(tables["metrics"]) + losses.count >= 2
    assert START + 3 == tables["metrics"][-1]["at_s"]
