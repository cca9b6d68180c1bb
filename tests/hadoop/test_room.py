"""What a driver needs to ask for larger containers is in the overlay, and disturbs nothing."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from mprof.hadoop.room import ContainerRoom, add_to_overlay, room_properties

ENTRY = "org/mprof/gateway/RoomForTheAgent.class"
SERVICE = "META-INF/services/org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider"


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    with zipfile.ZipFile(tmp_path / "gateway.jar", "w") as packed:
        packed.writestr(ENTRY, b"\xca\xfe\xba\xbe")
        packed.writestr("org/mprof/gateway/Other.class", b"")
    return tmp_path / "gateway.jar"


def test_the_overlay_gets_one_class_and_its_entry_among_the_services(
    tmp_path: Path, jar: Path
) -> None:
    overlay = tmp_path / "overlay"
    overlay.mkdir()
    assert add_to_overlay(overlay, jar)
    files = sorted(str(p.relative_to(overlay)) for p in overlay.rglob("*") if p.is_file())
    assert files == [SERVICE, ENTRY]
    named = (overlay / SERVICE).read_text().strip()
    assert named.replace(".", "/") + ".class" == ENTRY


@pytest.mark.parametrize("taken", ["META-INF", "org"])
def test_a_folder_of_the_users_own_stays_as_it_is(tmp_path: Path, jar: Path, taken: str) -> None:
    overlay = tmp_path / "overlay"
    (overlay / taken).mkdir(parents=True)
    assert not add_to_overlay(overlay, jar)
    assert list((overlay / taken).iterdir()) == []


def test_the_driver_is_told_amounts_and_the_most_that_the_cluster_grants() -> None:
    told = room_properties(ContainerRoom(48, reduce_mb=3072), most_mb=8192)
    assert told["mprof.container.headroom.mb"] == "48"
    assert told["mprof.container.most.mb"] == "8192"
    assert told["mprof.container.room.reduce.mb"] == "3072"
    assert "mprof.container.room.map.mb" not in told


def test_nothing_is_wanted_only_where_nothing_is_asked_for() -> None:
    assert not ContainerRoom(0).wanted
    assert ContainerRoom(0, map_mb=1).wanted
    assert ContainerRoom().wanted
