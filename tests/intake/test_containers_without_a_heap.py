"""A console of Hive with the size of a container and no -Xmx, and one of the last reducers."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_ID = "1700000000000_0079"
_COUNTS = "Hadoop job information for Stage-1: number of mappers: 90; number of reducers: {}\n"
_DONE = "2019-01-01 10:00:00,000 Stage-1 map = 100%,  reduce = {}%, Cumulative CPU 1000.1 sec\n"
_ENDED = (
    f"Ended Job = job_{_ID} with errors\nTask with the most failures(4):\n-----\nTask ID:\n  task_"
    f"{_ID}_{{}}_000017\n-----\nDiagnostic Messages for this Task:\nError: Java heap space\n"
    "FAILED: Execution Error, return code 2 from org.apache.hadoop.hive.ql.exec.mr.MapRedTask\n"
)


@pytest.mark.parametrize(("side", "letter"), [("map", "m"), ("reduce", "r")])
def test_a_heap_is_given_its_share_of_the_only_size_that_is_set(
    tmp_path: Path, side: str, letter: str
) -> None:
    other = "reduce" if side == "map" else "map"
    sets = f"hive> set mapreduce.{side}.memory.mb=4096;\n"
    heap = f"hive> set mapreduce.{side}.java.opts=-Xmx1024m;\n"
    ended = _ENDED.format(letter)

    _, alone = told_of(tmp_path, f"{sets}{ended}")
    _, both = told_of(tmp_path, f"{sets}{heap}{ended}")
    _, of_other = told_of(tmp_path, f"{sets.replace(side, other)}{ended}")

    # 0.8 of 4096
    assert f"SET mapreduce.{side}.java.opts=-Xmx3276m" in alone
    assert "since Hadoop 3 only where no -Xmx is set" in alone
    assert "since Hadoop 3 only" not in both
    assert "java.opts=-Xmx" not in of_other


def test_a_heap_that_was_tried_is_not_taken_back_to_the_share(tmp_path: Path) -> None:
    sets = "hive> set mapreduce.reduce.memory.mb=4096;\n"
    tried = "I tried mapreduce.reduce.java.opts=-Xmx3500m before.\n"

    _, report = told_of(tmp_path, f"{sets}{_ENDED.format('r')}\n{tried}")

    assert "java.opts=-Xmx3276m" not in report


_GROUPED = "hive> select a.k, count(*) from a join b on a.k = b.k group by a.k;\n"
_FILTERED = "hive> select * from a where a.k > 3;\n"


@pytest.mark.parametrize(
    ("query", "count", "done", "told"),
    [
        (_GROUPED, 50, 98, True),
        (_GROUPED, 50, 40, False),  # many had not ended
        (_GROUPED, 1, 98, False),
        (_FILTERED, 50, 98, False),
    ],
)
def test_the_last_of_many_reducers_may_have_a_large_key(
    tmp_path: Path, query: str, count: int, done: int, *, told: bool
) -> None:
    text = f"{query}{_COUNTS.format(count)}{_DONE.format(done)}{_ENDED.format('r')}"

    _, report = told_of(tmp_path, text)

    assert ("it may be one with a key of far more rows" in report) is told
    assert ("hive.groupby.skewindata=true" in report) is told
    assert ("hive.optimize.skewjoin=true" in report) is told


def test_what_is_set_already_against_a_large_key_is_not_told_again(tmp_path: Path) -> None:
    sets = "hive> set hive.groupby.skewindata=true;\n"
    text = f"{sets}{_GROUPED}{_COUNTS.format(50)}{_DONE.format(98)}{_ENDED.format('r')}"

    _, report = told_of(tmp_path, text)

    assert "hive.optimize.skewjoin=true joins keys" in report
    assert "hive.groupby.skewindata=true spreads" not in report


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("hadoop jar hadoop-streaming-2.7.2.jar -mapper tag.py -input x", "tag.py"),
        ("mapred streaming -mapper 'python3 -u /opt/tag.py -v' -input x", "tag.py"),
        ("hadoop jar hadoop-streaming.jar -mapper org.apache.hadoop.mapred.lib.IdentityMapper", ""),
        ("hadoop jar hadoop-streaming.jar -mapper cat -reducer add.py -input x", "cat"),
        ("hadoop jar hadoop-streaming.jar -reducer add.py -input x", ""),
        ("hadoop jar hadoop-streaming.jar -mapper aggregate -input x", ""),
        ("hadoop jar hadoop-streaming.jar -mapper 'org.x.y.Foo$Map' -input x", ""),
        ("hadoop jar hadoop-streaming.jar -mapper $MAPPER -input x", ""),
        ("hadoop jar hadoop-streaming.jar -mapper a.py -input x\nhadoop jar agg.jar x.Agg", ""),
        ("hadoop jar other.jar -mapper tag.py -input x", ""),
    ],
)
def test_the_program_that_streaming_runs_is_named_beside_the_heap(
    command: str, program: str, tmp_path: Path
) -> None:
    text = (
        f"{command}\nTask Id : attempt_1450000000000_0042_m_000004_0, Status : FAILED\n"
        "Container [pid=1,containerID=container_1450000000000_0042_01_000006] is running beyond "
        "physical memory limits. Current usage: 1.4 GB of 1 GB physical memory used; 3.0 GB of "
        "2.1 GB virtual memory used. Killing container.\n"
    )

    _, report = told_of(tmp_path, text)

    says = f"Streaming runs {program} as a separate process"
    assert (says in report) if program else ("Streaming runs" not in report)
