"""What ``mprof cluster`` prints is something a shell can evaluate."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mprof import hadoop
from mprof.cli import cluster as subcommands
from mprof.hadoop import EmbeddedCluster

WORK = Path("/tmp/a folder/it's")
CLUSTER = EmbeddedCluster(
    conf_dir=WORK / "conf",
    bin_dir=WORK / "bin",
    log_dirs=(WORK / "logs",),
    pid=1,
    gateway_port=2,
    gateway_token="secret",
    version="3.4.3",
    work_dir=WORK,
    data_dir=WORK / "data",
    stays=True,
    private=True,
)


def evaluated(printed: str) -> list[str]:
    """The configuration folder, and the first folder of the path, as a shell sees them."""
    script = f'PATH=/usr/bin:/bin\n{printed}\necho "$HADOOP_CONF_DIR"; echo "${{PATH%%:*}}"'
    return subprocess.run(
        ["/bin/sh", "-c", script], capture_output=True, text=True, check=True
    ).stdout.splitlines()


def test_starting_prints_an_environment_that_survives_any_folder_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    versions: list[str] = []

    def start(*, version: str, progress: object, shared_network: bool) -> EmbeddedCluster:
        assert not shared_network
        versions.append(version)
        return CLUSTER

    monkeypatch.setattr(hadoop, "cluster_start", start)

    done = CliRunner().invoke(subcommands.app, ["start", "--hadoop", "3.4.1"])

    assert done.exit_code == 0
    assert versions == ["3.4.1"]
    assert evaluated(done.stdout) == [f"{WORK}/conf", f"{WORK}/bin"]
    assert "secret" not in done.output


def test_status_of_nothing_prints_nothing_to_evaluate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hadoop, "running_cluster", lambda: None)

    done = CliRunner().invoke(subcommands.app, ["status"])

    assert (done.exit_code, done.stdout) == (0, "")
    assert "mprof cluster start" in done.stderr


@pytest.mark.parametrize("private", [True, False])
def test_status_says_whether_others_can_reach_it(
    monkeypatch: pytest.MonkeyPatch, private: bool
) -> None:
    monkeypatch.setattr(hadoop, "running_cluster", lambda: replace(CLUSTER, private=private))

    done = CliRunner().invoke(subcommands.app, ["status"])

    assert private != ("other users of this machine can reach it" in done.stderr)
    assert evaluated(done.stdout) == [f"{WORK}/conf", f"{WORK}/bin"]


@pytest.mark.parametrize(("was_there", "says"), [(True, "stopped"), (False, "was running")])
def test_stopping_says_whether_there_was_one(
    monkeypatch: pytest.MonkeyPatch, was_there: bool, says: str
) -> None:
    monkeypatch.setattr(hadoop, "cluster_stop", lambda: was_there)

    done = CliRunner().invoke(subcommands.app, ["stop"])

    assert done.exit_code == 0
    assert says in done.stderr
