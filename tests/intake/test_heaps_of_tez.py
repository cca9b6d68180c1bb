"""Sizes of a task of Tez, and of its application master, that are reckoned from those in a text."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_ID = "1700000000000_0080"
_FAILED = (
    f"Vertex failed, vertexName=Map 1, vertexId=vertex_{_ID}_1_00, diagnostics=[Task failed, "
    f"taskId=task_{_ID}_1_00_000003, info=[Error: Failure while running task:"
    "java.lang.OutOfMemoryError: Java heap space\n"
)
_SORTS = "org.apache.tez.runtime.library.common.sort.impl.PipelinedSorter"
_BUFFER = f"\tat {_SORTS}.allocateSpace(P.java:2)\n\tat {_SORTS}.<init>(P.java:1)\n"
_JOINS = (
    "\tat org.apache.hadoop.hive.ql.exec.persistence.BytesBytesMultiHashMap.expandAndRehash(B:1)\n"
    "\tat org.apache.hadoop.hive.ql.exec.tez.HashTableLoader.load(HashTableLoader.java:2)\n"
    "\tat org.apache.hadoop.hive.ql.exec.tez.MapRecordProcessor.init(MapRecordProcessor.java:1)\n"
)
_ROOM, _OPTIONS = "hive.tez.container.size", "hive.tez.java.opts"
_SIZE = f"set {_ROOM}=4096;\n"


def test_heap_and_container_of_a_task_grow_together(tmp_path: Path) -> None:
    heap = f"set {_OPTIONS}=-Xmx3276m -XX:+UseG1GC;\n"

    _, both = told_of(tmp_path, f"{_SIZE}{heap}{_FAILED}")
    _, alone = told_of(tmp_path, f"{_SIZE}{_FAILED}")
    _, of_heap = told_of(tmp_path, f"{heap}{_FAILED}")
    _, idle = told_of(tmp_path, f"{_SIZE}set {_OPTIONS}=-Xmx1g;\n{_FAILED}")
    _, none = told_of(tmp_path, _FAILED)

    assert f"SET {_ROOM}=8192; (was 4096)" in both
    assert f"SET {_OPTIONS}=-Xmx6552m -XX:+UseG1GC; (was -Xmx3276m -XX:+UseG1GC)" in both
    # 0.8 of 4096 is what Tez gives where nothing sets -Xmx
    assert f"SET {_OPTIONS}=-Xmx6552m" in alone
    assert f"80 % of {_ROOM}=4096, where nothing sets -Xmx" in alone
    assert f"SET {_ROOM}=8192" in of_heap  # 6552 MB are 0.8 of that
    assert f"SET {_ROOM}=" not in idle
    assert f"SET {_OPTIONS}=-Xmx3276m; (was -Xmx1g)" in idle
    assert "WHAT TO CHANGE" not in none


def test_no_container_is_larger_than_the_cluster_gives(tmp_path: Path) -> None:
    most = "yarn.scheduler.maximum-allocation-mb=6144\n"

    _, report = told_of(tmp_path, f"{_SIZE}{most}{_FAILED}")

    assert f"SET {_ROOM}=6144; (was 4096)" in report
    assert f"SET {_OPTIONS}=-Xmx4915m" in report


@pytest.mark.parametrize(("buffer", "fits"), [("1800", "1638"), ("1200", None)])
def test_a_sort_buffer_is_half_of_the_heap_at_most(
    tmp_path: Path, buffer: str, fits: str | None
) -> None:
    sets = f"{_SIZE}set {_OPTIONS}=-Xmx3276m;\nset tez.runtime.io.sort.mb={buffer};\n"

    _, report = told_of(tmp_path, f"{sets}{_FAILED}{_BUFFER}")

    if fits is None:
        assert "SET tez.runtime.io.sort.mb" not in report.split("WHAT TO CHANGE")[-1]
    else:
        assert f"SET tez.runtime.io.sort.mb={fits}; (was {buffer})" in report
        assert f"SET {_ROOM}=" not in report  # which the smaller buffer makes needless


def test_map_joins_are_bound_by_a_third_of_the_heap(tmp_path: Path) -> None:
    size = "hive.auto.convert.join.noconditionaltask.size"

    _, large = told_of(tmp_path, f"{_SIZE}set {size}=2000000000;\n{_FAILED}{_JOINS}")
    _, unknown = told_of(tmp_path, f"set {size}=2000000000;\n{_FAILED}{_JOINS}")

    assert f"SET {size}={3276 * 2**20 // 3}; (was 2000000000)" in large
    assert "SET hive.auto.convert.join=false" in unknown


def test_the_master_of_tez_has_sizes_of_its_own(tmp_path: Path) -> None:
    died = (
        "java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
        "\tat org.apache.tez.dag.app.dag.impl.VertexImpl.handle(VertexImpl.java:1)\n"
        "\tat org.apache.tez.dag.app.DAGAppMaster$1.run(DAGAppMaster.java:1)\n"
    )
    sizes = "tez.am.resource.memory.mb=2048\ntez.am.launch.cmd-opts=-Xmx1638m\n"

    _, own = told_of(tmp_path, f"{sizes}\n{died}")
    _, of_tasks = told_of(tmp_path, f"{_SIZE}\n{died}")

    assert "SET tez.am.resource.memory.mb=4096; (was 2048)" in own
    assert "SET tez.am.launch.cmd-opts=-Xmx3276m; (was -Xmx1638m)" in own
    assert "WHAT TO CHANGE" not in of_tasks
