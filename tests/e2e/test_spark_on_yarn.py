"""Nodes are compared by Spark's executors in containers of a real YARN."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from e2e.conftest import Command

from mprof.hadoop import running_cluster
from testbed.campaign import RECORDINGS

pytestmark = [pytest.mark.hadoop, pytest.mark.slow]

RECORDING = RECORDINGS / "cpu-hog-word-count-1"
SICK = "n3"


def test_nodes_compared_on_yarn_are_those_compared_here(
    mprof: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not there: pip install 'mprof-hadoop[spark]'")
    running = running_cluster()
    assert running is not None
    store = str(tmp_path / "store")
    assert mprof("import", str(RECORDING), "--store", store).exit_code == 0
    monkeypatch.setenv("HADOOP_CONF_DIR", str(running.conf_dir))
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)

    here = mprof("nodes", store, "--json")
    # Spark's driver is mprof itself, which so has to be where the cluster can be reached.
    words = [sys.executable, "-m", "mprof", "nodes", store, "--json", "--engine", "spark"]
    there = subprocess.run(
        [running.entrance, *words, "--master", "yarn"],
        capture_output=True, text=True, timeout=420,
    )  # fmt: skip

    assert (0, 0) == (here.exit_code, there.returncode), there.stderr
    assert here.json == json.loads(there.stdout)
    assert [SICK] == [each["host"] for each in here.json["suspects"]]
    assert _ended_well(running.bin_dir / "yarn") >= 1


def _ended_well(yarn: Path) -> int:
    """Number of Spark's applications that YARN has run to their end."""
    done = subprocess.run(
        [str(yarn), "application", "-list", "-appTypes", "SPARK", "-appStates", "FINISHED"],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return sum("SUCCEEDED" in line for line in done.stdout.splitlines())
