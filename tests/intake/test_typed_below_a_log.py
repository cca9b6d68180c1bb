"""What somebody typed in a shell below a log is no line of that log."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_LOG = (
    "LogType:syslog\n{contents}"
    "2019-05-02 11:20:00,120 INFO [main] org.apache.hadoop.mapred.MapTask: "
    "mapreduce.task.io.sort.mb: 512\n"
    "2019-05-02 11:20:01,120 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child "
    ": java.lang.OutOfMemoryError: Java heap space\n"
    "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(MapTask.java:998)\n"
    "\tat org.apache.hadoop.mapred.MapTask.createSortingCollector(MapTask.java:402)\n"
)
_ANSWER = "<property><name>mapreduce.map.java.opts</name><value>-Xmx512m</value></property>\n"


@pytest.mark.parametrize(
    "prompt",
    [
        "[hadoop@edge01 ~]$ grep -A1 map.java.opts job.xml",
        "hadoop@edge01:/var/log$ grep -A1 map.java.opts job.xml",
        "$ grep -A1 map.java.opts job.xml",
        "# zgrep -A1 map.java.opts job.xml.gz",
    ],
)
@pytest.mark.parametrize("contents", ["", "Log Contents:\n", "LogLength:620\nLog Contents:\n"])
def test_settings_that_a_command_shows_are_read(prompt: str, contents: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_LOG.format(contents=contents)}\n{prompt}\n{_ANSWER}")

    assert "does not fit into the heap (-Xmx512m)" in report


@pytest.mark.parametrize(
    "line",
    [
        "# comment of a program",
        "$ 400 a month",
        "a@b.example wrote:",
        "a@b.example: it costs $ 400",
        "hive@w1: # 3 of 4",
        "[a@b.example] $ 400",
    ],
)
def test_what_is_no_command_is_of_the_log(line: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_LOG.format(contents='')}\n{line}\n{_ANSWER}")

    assert "-Xmx512m" not in report
