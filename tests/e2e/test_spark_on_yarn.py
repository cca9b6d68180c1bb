"""Nodes are compared by Spark's executors in containers of a real YARN."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from e2e.conftest import Command
from testbed.campaign import RECORDINGS

from mprof.hadoop import running_cluster

pytestmark = [pytest.mark.hadoop, pytest.mark.slow]

RECORDING = RECORDINGS / "cpu-hog-word-count-1"
SICK = "n3"


def test_nodes_compared_on_yarn_are_those_compared_here(
    mprof: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not there: pip install 'mprof[spark]'")
    running = running_cluster()
    assert running is not None
    store = str(tmp_path / "store")
    assert mprof("import", str(RECORDING), "--store", store).exit_code == 0
    monkeypatch.setenv("HADOOP_CONF_DIR", str(running.conf_dir))
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)

    here = mprof("nodes", store, "--json")
    there = mprof("nodes", store, "--json", "--engine", "spark", "--master", "yarn")

    assert (0, 0) == (here.exit_code, there.exit_code), there.stderr
    assert here.json == there.json
    assert [SICK] == [each["host"] for each in there.json["suspects"]]
    assert _ended_well(running.bin_dir / "yarn") >= 1


def _ended_well(yarn: Path) -> int:
    """Number of Spark's applications that YARN has run to their end."""
    done = subprocess.run(
        [str(yarn), "application", "-list", "-appTypes", "SPARK", "-appStates", "FINISHED"],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return sum("SUCCEEDED" in line for line in done.stdout.splitlines())
