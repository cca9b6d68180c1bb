"""Logs that do not say their time zone are read for the one that the user names."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mprof.errors import UsageError
from mprof.sources import import_files
from mprof.sources.zones import in_utc, zone_of
from mprof.store import Store, frame_of

FIRST, LAST = (datetime.fromisoformat(day) for day in ("1990-01-01", "2030-01-01"))
ZONES = ["UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe"]


@given(
    walls=st.lists(st.datetimes(FIRST, LAST), max_size=20),
    zone=st.sampled_from(ZONES),
)
def test_times_are_those_that_datetime_computes(walls: list[datetime], zone: str) -> None:
    rows = [
        {"started_s": wall.replace(tzinfo=UTC).timestamp(), "finished_s": None} for wall in walls
    ]

    read = in_utc("attempts", frame_of("attempts", rows), zone_of(zone))

    assert [wall.replace(tzinfo=ZoneInfo(zone)).timestamp() for wall in walls] == pytest.approx(
        read["started_s"].to_pylist(), abs=1e-5
    )
    assert {None} >= set(read["finished_s"].to_pylist())


def test_a_log_that_was_read_for_the_wrong_zone_is_read_anew(tmp_path: Path) -> None:
    log = tmp_path / "yarn-yarn-nodemanager-n1.log"
    log.write_text(
        "2014-08-20 12:00:00,000 INFO ContainerImpl: Container container_1_0001_01_000002"
        " transitioned from SCHEDULED to RUNNING\n"
    )
    store = Store(tmp_path / "store")
    zones = ["UTC", "Europe/Berlin", "Europe/Berlin"]
    outcomes = [one.outcome for zone in zones for one in import_files([log], store, zone=zone)]

    assert ["imported", "imported", "there already"] == outcomes
    assert [datetime(2014, 8, 20, 10, tzinfo=UTC).timestamp()] == (
        store.read("attempts")["started_s"].tolist()
    )
    assert ["Europe/Berlin"] == store.read("sources")["zone"].tolist()


@pytest.mark.parametrize("name", ["Europe/Nowhere", "", "../../etc/passwd", "/etc/passwd", "a\0b"])
def test_a_zone_that_does_not_exist_is_said_before_anything_is_read(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(UsageError, match="there is no time zone"):
        list(import_files([tmp_path], Store(tmp_path / "store"), zone=name))
