"""Trials that a text tells of: a value belongs to its process, its run and what became of that.

Each text is of its own making; ids and numbers are made up.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

from mprof.intake.commands import typed_again
from mprof.intake.settings import stated_in

_FULL = (
    'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n'
    "\tat java.util.Arrays.copyOf(Arrays.java:3332)\n"
    "\tat org.apache.hadoop.fs.FsShell.main(FsShell.java:340)\n"
)
_TYPED = f"u@edge:~$ hadoop fs -du /in > sizes\n{_FULL}"
_PS = (
    "u 77 ... /usr/bin/java -Dproc_fs -Xmx3000m -Da=b -Xmx256m -Dc=d "
    "org.apache.hadoop.fs.FsShell -du /in\n"
)


def _in_force(text: str) -> dict[str, str]:
    stated = stated_in(enumerate(text.split("\n"), 1))
    return {one.name: one.value for one in stated if not one.why_not}


def test_what_a_command_went_through_with_is_the_answer(tmp_path: Path) -> None:
    again = f"u@edge:~$ HADOOP_CLIENT_OPTS=-Xmx700m hadoop fs -du /in > sizes\n{_FULL}"
    last = "u@edge:~$ time HADOOP_CLIENT_OPTS=-Xmx3g hadoop fs -du /in > sizes\nreal 1m3.2s\n"

    _, text = told_of(tmp_path, _TYPED + _PS + again + last)

    assert "With HADOOP_CLIENT_OPTS=-Xmx3g it went through" in text
    assert "export HADOOP_CLIENT_OPTS=-Xmx3g" in text
    assert "the command line of FsShell has -Xmx256m" in text
    assert "heap dump" not in text


def test_a_command_that_only_died_again_went_through_with_nothing(tmp_path: Path) -> None:
    again = f"u@edge:~$ HADOOP_CLIENT_OPTS=-Xmx700m hadoop fs -du /in > sizes\n{_FULL}"

    _, text = told_of(tmp_path, _TYPED + again)

    assert "went through" not in text


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        (["$ hadoop fs -ls /", "OutOfMemoryError", "$ A=1 hadoop fs -ls /", "/a"], {2: "passed"}),
        # another command, nothing shown, the same environment
        (["$ hadoop fs -ls /", "OutOfMemoryError", "$ A=1 hadoop fs -ls /b", "/a"], {}),
        (["$ hadoop fs -ls /", "OutOfMemoryError", "$ A=1 hadoop fs -ls /"], {}),
        (["$ hadoop fs -ls /", "OutOfMemoryError", "$ hadoop fs -ls /", "/a"], {}),
    ],
)
def test_a_command_typed_again_ended_as_it_printed(
    text: list[str], outcomes: dict[int, str]
) -> None:
    assert typed_again(text) == outcomes


@pytest.mark.parametrize(
    "text",
    [
        "Somebody said: give it -Xmx8g for the\nNN in HADOOP_NAMENODE_OPTS",
        "we have -Xmx8g in HADOOP_DATANODE_OPTS",
    ],
)
def test_a_heap_of_a_server_is_none_of_what_died(text: str) -> None:
    assert not [one for one in stated_in(enumerate(text.split("\n"), 1)) if one.name == "-Xmx"]


def test_a_heap_of_the_tasks_is_read_beside_the_name_of_a_server() -> None:
    assert _in_force("We have -Xmx800m for the maps. The NameNode is fine.") == {
        "mapreduce.map.java.opts": "-Xmx800m"
    }


def test_the_command_line_of_a_child_goes_before_its_settings() -> None:
    text = (
        "mapred.child.java.opts=-Xmx900m\n"
        "h 9 98.0 java -Da=b -Xmx200m -classpath x org.apache.hadoop.mapred.Child 127.0.0.1 4 "
        "attempt_201001010101_0001_m_000003_1 -12\n"
    )

    assert _in_force(text) == {"mapred.child.java.opts": "-Xmx200m"}


def test_files_that_a_command_counts_are_no_input_of_a_job() -> None:
    text = "$ hdfs dfs -count /data\n  1   91830  7342218 hdfs://n/data"

    assert [one.name for one in stated_in(enumerate(text.split("\n"), 1))] == ["files of a folder"]
