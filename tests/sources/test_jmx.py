"""Dumps of /jmx: heartbeats with the time of the JVM that tells of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from builders.sources_read import read_source
from hypothesis import given, settings
from hypothesis import strategies as st

STARTED_MS = 1_700_000_000_000
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def _dump(uptime_ms: int = 60_500, **changes: Any) -> dict[str, Any]:
    activity = {
        "name": "Hadoop:service=DataNode,name=DataNodeActivity-n4-50010",
        "tag.Hostname": "n4", "HeartbeatsNumOps": 20, "HeartbeatsAvgTime": 3.5,
    } | changes  # fmt: skip
    return {
        "beans": [
            {"name": "java.lang:type=Runtime", "StartTime": STARTED_MS, "Uptime": uptime_ms},
            {"name": "java.lang:type=OperatingSystem", "SystemLoadAverage": 1.25},
            activity,
        ]
    }


def _file(folder: Path, *dumps: Any) -> Path:
    path = folder / "n4.json"
    path.write_text("\n".join(json.dumps(dump, indent=2) for dump in dumps))
    return path


def test_a_series_of_dumps_gives_a_heartbeat_and_a_load_each(tmp_path: Path) -> None:
    kind, tables, losses = read_source(_file(tmp_path, _dump(), _dump(61_500)))

    assert ("/jmx dump", 0) == (kind, losses.count)
    assert [1_700_000_060.5, 1_700_000_061.5] == [row["at_s"] for row in tables["heartbeats"]]
    assert {("n4", "sendHeartbeat", 0.0035)} == {
        (row["host"], row["kind"], row["round_trip_s"]) for row in tables["heartbeats"]
    }
    assert [1.25, 1.25] == [row["ldavg_1"] for row in tables["metrics"]]


def test_an_average_of_no_heartbeats_is_none(tmp_path: Path) -> None:
    _, tables, losses = read_source(_file(tmp_path, _dump(HeartbeatsNumOps=0)))
    assert ("heartbeats" in tables, losses.count) == (False, 0)


def test_what_masters_say_of_calls_is_of_another_kind(tmp_path: Path) -> None:
    calls = {"NodeHeartbeatNumOps": 9, "NodeHeartbeatAvgTime": 0.5}
    _, tables, _ = read_source(_file(tmp_path, _dump(HeartbeatsNumOps=0, **calls)))
    assert ["nodeHeartbeat at the master"] == [row["kind"] for row in tables["heartbeats"]]


@pytest.mark.parametrize(
    ("left_out", "said"), [(0, "a dump has no time"), (2, "a dump has no host")]
)
def test_a_dump_of_a_part_says_to_fetch_all(tmp_path: Path, left_out: int, said: str) -> None:
    part = _dump()
    del part["beans"][left_out]
    _, tables, losses = read_source(_file(tmp_path, part, _dump()))

    assert (1, 1) == (len(tables["heartbeats"]), losses.count)
    assert str(losses.first).startswith(said)


@given(odd=ANY_JSON, other=ANY_JSON)
@settings(max_examples=150, deadline=None)
def test_fields_of_any_type_are_unknown_or_a_loss_and_never_an_error(
    odd: Any, other: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    bad = {"beans": odd}
    worse = _dump(HeartbeatsAvgTime=odd, HeartbeatsNumOps=other, **{"tag.Hostname": odd})
    worse["beans"].append(other)
    folder = tmp_path_factory.mktemp("jmx")
    _, tables, _ = read_source(_file(folder, bad, worse, _dump()))
    assert 0.0035 == tables["heartbeats"][-1]["round_trip_s"]
