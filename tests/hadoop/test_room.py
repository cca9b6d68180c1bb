"""What a driver needs to ask for larger containers is in the overlay, and disturbs nothing."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from mprof.errors import ClusterError
from mprof.hadoop import Cluster
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


class Gateway:
    """Answers what a submission asks; ``largest`` is the cluster's largest container."""

    def __init__(self, largest: int | Exception) -> None:
        self.largest = largest

    def call(self, name: str, *_: object) -> object:
        assert name == "largestContainer"
        if isinstance(self.largest, Exception):
            raise self.largest
        return self.largest

    def ask(self, name: str, *_: object) -> object:
        return {"values": {}, "final": []} if name == "siteProperties" else []


def what_the_driver_sees(
    tmp_path: Path, largest: int | Exception, room: ContainerRoom | None
) -> list[str]:
    conf, scratch = tmp_path / "conf", tmp_path / "scratch"
    conf.mkdir()
    scratch.mkdir()
    lines: list[str] = []
    cluster = Cluster(Gateway(largest), conf, scratch=scratch, embedded=None)  # type: ignore[arg-type]
    show = 'cd "$HADOOP_CONF_DIR"; cat mapred-site.xml; find . -name "*ClientProtocolProvider"'
    cluster.submit(["sh", "-c", show], on_line=lines.append, room=room)
    return lines


def test_a_driver_that_is_to_ask_for_more_finds_how_much_and_who_does_it(tmp_path: Path) -> None:
    seen = "\n".join(what_the_driver_sees(tmp_path, 4096, ContainerRoom(32, map_mb=2048)))
    assert "<name>mprof.container.most.mb</name><value>4096</value>" in "".join(seen.split())
    assert f"./{SERVICE}" in seen


@pytest.mark.parametrize("room", [None, ContainerRoom(0)])
def test_a_driver_that_is_to_ask_for_no_more_finds_nothing(
    tmp_path: Path, room: ContainerRoom | None
) -> None:
    seen = "\n".join(what_the_driver_sees(tmp_path, AssertionError("asked"), room))
    assert "mprof.container" not in seen
    assert SERVICE not in seen


def test_where_the_largest_container_is_not_known_the_job_runs_as_it_is(tmp_path: Path) -> None:
    refused = ClusterError("no new application for you", next_step="ask the administrator")
    seen = what_the_driver_sees(tmp_path, refused, ContainerRoom(32))
    assert seen[0].startswith("mprof: no container is made larger")
    assert "mprof.container" not in "\n".join(seen[1:])
    assert not any(SERVICE in line for line in seen)
