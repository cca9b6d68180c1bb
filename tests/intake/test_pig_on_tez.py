"""Tasks of Tez that Pig asked for have the sizes of map and reduce tasks."""

from __future__ import annotations

from pathlib import Path

from builders.container_logs import told_of

_VERTEX = (
    "Vertex failed, vertexName=scope-1290, vertexId=vertex_1516355082351_0460_1_01, "
    "diagnostics=[Task failed, taskId=task_1516355082351_0460_1_01_000040, diagnostics="
    "[TaskAttempt 0 failed, info=[Error: Failure while running task:java.lang.OutOfMemoryError: "
    "GC overhead limit exceeded\n\tat java.lang.String.substring(String.java:1969)\n"
)
_LAUNCHED = (
    "2018-01-20 02:24:53.034 [PigTezLauncher-0] INFO  org.apache.pig.backend.hadoop."
    "executionengine.tez.TezJob  - DAG Status: status=FAILED\n"
)
_SET = "\nmapreduce.map.java.opts=-Xmx1152m\n"


def test_pig_hands_on_what_mapreduce_has(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_LAUNCHED}{_VERTEX}{_SET}")

    assert "A task of Tez that Pig asked for (vertex scope-1290" in report
    assert "-Xmx in mapreduce.map.java.opts" in report
    assert "does not reach it" not in report
    assert "hive." not in report


def test_a_vertex_of_hive_has_properties_of_its_own(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_VERTEX.replace('scope-1290', 'Map 1')}{_SET}")

    assert "A task of Tez (vertex Map 1" in report
    assert "hive.tez.java.opts" in report
