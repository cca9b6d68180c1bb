"""Starting, joining and stopping, with an idle process in place of the cluster."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from mprof.errors import ClusterError
from mprof.hadoop import cluster_start, cluster_stop, embedded, processes, running_cluster, state
from mprof.hadoop.embedded import EmbeddedCluster, joined

Spawn = Callable[[str], subprocess.Popen[bytes]]


@pytest.fixture
def spawn() -> Iterator[Spawn]:
    """Starts a process that sleeps and whose command line mentions a text."""
    started: list[subprocess.Popen[bytes]] = []

    def start(text: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-S", "-c", "import time; time.sleep(60)", text]
        process = subprocess.Popen(command)
        started.append(process)
        # Its command line is empty for a moment while the new program is loaded.
        assert processes.wait_until(
            lambda: processes.is_running(process.pid, containing=text), seconds=5
        )
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spawn: Spawn) -> list[EmbeddedCluster]:
    """The clusters that were really started, instead of Hadoop."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    clusters: list[EmbeddedCluster] = []

    def start(
        version: str, _progress: object, _properties: object, *, shared_network: bool
    ) -> EmbeddedCluster:
        work = Path(tempfile.mkdtemp(prefix="cluster-", dir=tmp_path))
        cluster = EmbeddedCluster(
            conf_dir=work / "conf",
            bin_dir=work / "bin",
            log_dirs=(work / "logs",),
            pid=spawn(f"{work}/ready.json").pid,
            gateway_port=0,
            gateway_token="",
            version=version,
            work_dir=work,
            data_dir=work / "data",
            stays=False,
            private=not shared_network,
        )
        clusters.append(cluster)
        return cluster

    def responds(cluster: EmbeddedCluster) -> bool:
        return processes.is_running(cluster.pid, containing=str(cluster.work_dir))

    monkeypatch.setattr(embedded, "_start", start)
    monkeypatch.setattr(embedded, "_responds", responds)
    monkeypatch.setattr(embedded, "_end_applications", lambda _: None)
    return clusters


def test_a_user_without_a_name_is_told_before_anything_is_fetched(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # As in a container that runs as some number: Java's UnixLoginModule ends Hadoop at its start.
    def nobody(_: int) -> NoReturn:
        raise KeyError("uid not found")

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(embedded.pwd, "getpwuid", nobody)
    monkeypatch.setattr(embedded, "java_home", lambda: tmp_path)
    monkeypatch.setattr(embedded, "gateway_jar", lambda: tmp_path)
    monkeypatch.setattr(embedded.artifacts, "class_path", lambda *_: pytest.fail("fetched"))
    with pytest.raises(ClusterError, match=rf"user {os.getuid()} has no name on this machine"):
        cluster_start()


def test_a_started_cluster_is_found_again_as_it_was(starts: list[EmbeddedCluster]) -> None:
    cluster = cluster_start()

    assert running_cluster() == cluster
    assert cluster.stays
    assert cluster.pid == starts[0].pid


def test_starting_twice_keeps_the_one_that_runs(starts: list[EmbeddedCluster]) -> None:
    assert cluster_start() == cluster_start()
    assert len(starts) == 1


def test_another_version_is_refused_while_one_runs(starts: list[EmbeddedCluster]) -> None:
    cluster_start(version="3.4.3")

    with pytest.raises(ClusterError, match=r"Hadoop 3\.4\.3 is running") as caught:
        cluster_start(version="3.3.6")

    assert "mprof cluster stop" in caught.value.next_step
    assert len(starts) == 1


def test_this_machines_network_is_refused_while_a_cluster_with_its_own_runs(
    starts: list[EmbeddedCluster],
) -> None:
    cluster_start()

    with pytest.raises(ClusterError, match="a network of its own is running") as caught:
        cluster_start(shared_network=True)

    assert "mprof cluster stop" in caught.value.next_step
    # A command takes whichever runs.
    cluster_stop()
    cluster_start(shared_network=True)
    assert not cluster_start().private
    assert len(starts) == 2


def test_stopping_ends_the_process_and_removes_its_folder(starts: list[EmbeddedCluster]) -> None:
    cluster = cluster_start()

    assert cluster_stop()
    assert not processes.is_running(cluster.pid, containing="")
    assert not cluster.work_dir.exists()
    assert running_cluster() is None
    assert not cluster_stop()


def test_containers_that_outlive_the_cluster_are_ended_and_drivers_are_not(
    starts: list[EmbeddedCluster], spawn: Spawn
) -> None:
    cluster = cluster_start()
    container = spawn(f"-Dlog.dir={cluster.work_dir}/data/logs")
    driver = spawn(f"--config {cluster.work_dir}/conf")

    cluster_stop()

    assert container.wait(timeout=5) != 0
    assert driver.poll() is None


def test_a_cluster_for_one_command_ends_with_it(starts: list[EmbeddedCluster]) -> None:
    with joined() as cluster:
        assert running_cluster() == cluster

    assert running_cluster() is None


def test_a_cluster_that_was_running_is_left_running(starts: list[EmbeddedCluster]) -> None:
    cluster = cluster_start()
    with joined() as same:
        assert same == cluster

    assert running_cluster() == cluster


def test_a_cluster_that_is_to_stay_outlives_the_command_it_was_started_for(
    starts: list[EmbeddedCluster],
) -> None:
    with joined():
        cluster_start()

    assert running_cluster() is not None
    assert len(starts) == 1


def test_a_cluster_for_a_command_stays_while_another_command_uses_it(
    starts: list[EmbeddedCluster], spawn: Spawn
) -> None:
    other = spawn("another mprof")
    with joined():
        (state._users_folder() / str(other.pid)).touch()

    assert running_cluster() is not None


def test_users_that_died_do_not_keep_a_cluster_alive(
    starts: list[EmbeddedCluster], spawn: Spawn
) -> None:
    other = spawn("another mprof")
    with joined():
        (state._users_folder() / str(other.pid)).touch()
        other.kill()
        other.wait()

    assert running_cluster() is None


def test_the_state_of_a_cluster_that_died_is_cleared_by_the_next_start(
    starts: list[EmbeddedCluster], spawn: Spawn
) -> None:
    dead = cluster_start()
    subprocess.run(["kill", "-9", str(dead.pid)], check=True)
    orphan = spawn(f"{dead.work_dir}/data/container")

    assert processes.wait_until(lambda: running_cluster() is None, seconds=5)
    fresh = cluster_start()

    assert fresh.pid != dead.pid
    assert not dead.work_dir.exists()
    assert orphan.wait(timeout=5) != 0


def test_a_start_that_was_killed_half_way_is_cleaned_up(
    starts: list[EmbeddedCluster], spawn: Spawn, tmp_path: Path
) -> None:
    work = tmp_path / "cluster-half-started"
    work.mkdir()
    process = spawn(f"{work}/ready.json")
    state.write_start(work)

    assert running_cluster() is None
    assert not cluster_stop()
    assert process.wait(timeout=5) != 0
    assert not work.exists()


def test_a_state_file_that_is_damaged_counts_as_none(starts: list[EmbeddedCluster]) -> None:
    cluster_start()
    state._state_file().write_text("{")

    assert running_cluster() is None


def test_only_the_owner_may_read_the_token(starts: list[EmbeddedCluster]) -> None:
    cluster_start()

    assert state._state_file().stat().st_mode & 0o777 == 0o600
    assert "gateway_token" in json.loads(state._state_file().read_text())


@pytest.mark.parametrize(
    "work", ["", ".", "/", "/tmp", "relative/cluster-x", "/a/b/../cluster-x/..", "/a/b/other", 7]
)
def test_a_stop_ends_and_deletes_nothing_but_the_folder_of_a_cluster(
    work: str | int, starts: list[EmbeddedCluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster_start()
    facts = json.loads(state._state_file().read_text())
    state._state_file().write_text(json.dumps({**facts, "work_dir": work}))
    # Noted, not done: a stop that got this wrong would end any process and delete any folder.
    done: list[object] = []
    monkeypatch.setattr(processes, "terminate", lambda pids, **_: done.extend(pids))
    monkeypatch.setattr(shutil, "rmtree", lambda path, **_: done.append(path))

    assert not cluster_stop()
    assert done == []


def test_a_cluster_that_others_could_have_named_is_not_asked(
    starts: list[EmbeddedCluster],
) -> None:
    cluster_start()
    state.state_folder().chmod(0o777)

    for ask in (running_cluster, cluster_start, cluster_stop):
        with pytest.raises(ClusterError, match="others could have written it"):
            ask()
    assert processes.is_running(starts[0].pid, containing="")

    state.state_folder().chmod(0o755)
    state._state_file().chmod(0o666)  # from that time
    assert running_cluster() is None
