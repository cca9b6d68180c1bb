"""Commands and services of Hive whose heap the environment sets: a larger one as a value."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_COPY = (
    'Exception in thread "main" java.lang.OutOfMemoryError: GC overhead limit exceeded\n'
    "\tat org.apache.hadoop.tools.SimpleCopyListing.doBuildListing(SimpleCopyListing.java:3)\n"
    "\tat org.apache.hadoop.tools.DistCp.main(DistCp.java:4)\n"
)
_SERVER = (
    'Exception in thread "HiveServer2-Handler-Pool: Thread-77" java.lang.OutOfMemoryError: Java '
    "heap space\n\tat org.apache.hive.service.cli.thrift.ThriftBinaryCLIService.FetchResults(T:1)\n"
)
_SUBMITS = (
    'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n'
    "\tat org.apache.hadoop.mapreduce.lib.input.FileInputFormat.getSplits(F.java:4)\n"
    "\tat org.apache.hadoop.mapreduce.JobSubmitter.writeNewSplits(JobSubmitter.java:310)\n"
)


@pytest.mark.parametrize(
    ("died", "set_", "advised"),
    [
        (
            _COPY,
            "export HADOOP_CLIENT_OPTS=-Xmx512m",
            "export HADOOP_CLIENT_OPTS=-Xmx1024m (was -Xmx512m)",
        ),
        (_COPY, "export HADOOP_HEAPSIZE=1000", "export HADOOP_HEAPSIZE=2000 (was 1000)"),
        (_SERVER, "export HADOOP_HEAPSIZE=2048", "export HADOOP_HEAPSIZE=4096 (was 2048)"),
        (
            _SUBMITS,
            "export HADOOP_CLIENT_OPTS='-Xmx1g -Dx=y'",
            "export HADOOP_CLIENT_OPTS='-Xmx4096m -Dx=y' (was -Xmx1g -Dx=y)",
        ),
    ],
)
def test_twice_of_what_the_environment_sets_is_first_aid(
    tmp_path: Path, died: str, set_: str, advised: str
) -> None:
    _, report = told_of(tmp_path, f"{set_}\n\n{died}")

    assert advised in report
    assert ("In hive-env.sh of that service" in report) is (died == _SERVER)


@pytest.mark.parametrize("died", [_COPY, _SERVER])
def test_nothing_is_advised_of_a_heap_that_is_not_known(tmp_path: Path, died: str) -> None:
    _, report = told_of(tmp_path, died)

    assert "WHAT TO CHANGE" not in report


def test_what_is_short_beside_the_heap_wants_no_larger_one(tmp_path: Path) -> None:
    died = _COPY.replace("GC overhead limit exceeded", "unable to create new native thread")

    _, report = told_of(tmp_path, f"export HADOOP_CLIENT_OPTS=-Xmx512m\n\n{died}")

    assert "export HADOOP_CLIENT_OPTS=" not in report


def test_the_local_task_of_hive_is_told_what_is_twice_its_heap(tmp_path: Path) -> None:
    rows = "Processing rows: 130 Hashtable size: 129 Memory usage: {} percentage: {}\n"
    ended = (
        "FAILED: Execution Error, return code 3 from "
        "org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask\n"
    )

    _, report = told_of(tmp_path, f"{rows.format(483183821, 0.9)}{ended}")  # 0.9 of 512 MB
    _, plain = told_of(tmp_path, ended)

    assert "HADOOP_CLIENT_OPTS=-Xmx1024m is twice that" in report
    assert "is twice that" not in plain
