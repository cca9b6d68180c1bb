"""What stands under one heading of a text is of no death under another."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest
from builders.container_logs import found, told_of

from mprof.intake.chapters import chapters_of
from mprof.intake.sections import Section
from mprof.trace.excerpt import excerpt_of

_FIRST = "1700000000000_0002"
_SECOND = "1700000000000_0005"
_MAP = "mapreduce.map.memory.mb"
_OPTS = "mapreduce.map.java.opts"
_VIRTUAL = (
    f"Container [pid=4411,containerID=container_{_FIRST}_01_000003] is running beyond virtual "
    "memory limits. Current usage: 188.4 MB of 1 GB physical memory used; 2.4 GB of 2.1 GB virtual "
    "memory used. Killing container.\n"
)
_SERVICE = (
    f"17/07/14 12:00:31 INFO mapreduce.Job: Task Id : attempt_{_SECOND}_m_000000_0, Status : "
    f"FAILED\nContainer launch failed for container_{_SECOND}_01_000002 : org.apache.hadoop.yarn."
    "exceptions.InvalidAuxServiceException: The auxService:mapreduce_shuffle does not exist\n"
)
_HEAP = (
    "2017-07-20 08:22:10,110 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child "
    ": java.lang.OutOfMemoryError: Java heap space\n"
    "\tat java.util.TreeMap.put(TreeMap.java:577)\n"
    "\tat com.example.Cells.reduce(Cells.java:44)\n"
    "\tat org.apache.hadoop.mapreduce.Reducer.run(Reducer.java:171)\n"
)
_BUFFER = (
    "2016-02-22 19:03:08,541 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child "
    ": java.lang.OutOfMemoryError: Java heap space\n"
    "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(MapTask.java:987)\n"
    "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:341)\n"
)
_INVALID = (
    'Error: java.io.IOException: Invalid "mapreduce.task.io.sort.mb": 2048\n'
    "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(MapTask.java:973)\n"
    "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:341)\n"
)


def _guide(heads: tuple[str, str, str]) -> str:
    parts = zip(heads, (_VIRTUAL, _SERVICE, _HEAP), strict=True)
    return "\n".join(f"{head}\n\nAs people see it:\n\n{text}" for head, text in parts)


@pytest.mark.parametrize(
    "heads",
    [
        ("## Virtual memory", "## Shuffle service", "## Large cells"),
        ("### 9.1 Virtual memory", "### 9.2 Shuffle service", "### 9.3 Large cells"),
        ("1. Virtual memory", "2. Shuffle service", "3. Large cells"),
        ("a) virtual memory", "b) shuffle service", "c) large cells"),
        ("(1) On Monday", "(2) On Tuesday", "(3) On Friday"),
    ],
)
def test_each_chapter_tells_of_its_own_death(heads: tuple[str, str, str], tmp_path: Path) -> None:
    kinds, report = told_of(tmp_path, _guide(heads))

    assert sorted(kinds) == ["container-virtual", "heap", "not-memory"]
    assert "3 FAILURES" in report
    assert f"Attempt attempt_{_SECOND}_m_000000_0 of job job_{_SECOND} failed" in report
    assert "The task ran out of heap space in reduce()" in report
    assert report.count("other texts:") == 1


def test_a_chapter_that_tells_of_no_end_goes_with_the_one_above(tmp_path: Path) -> None:
    text = _guide(("## Virtual memory", "## Shuffle service", "## Large cells"))
    _, report = told_of(tmp_path, f"{text}\n## What we have\n\nmapreduce.reduce.java.opts=-Xmx2g\n")

    assert "it was -Xmx2048m" in report


def test_what_stands_above_is_of_all_and_a_chapter_goes_before_it(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        f"We have {_MAP}=2048.\nOur {_OPTS} is -Xmx1536m.\n\n"
        f"a) mapreduce.task.io.sort.mb=1536\n\n{_BUFFER}\n"
        f"b) {_OPTS}=-Xmx4g and {_MAP}=5120\n\n{_INVALID}\n",
    )

    assert "(mapreduce.task.io.sort.mb=1536) does not fit into the heap (-Xmx1536m)" in report
    assert "mapreduce.task.io.sort.mb=2048 is no value that Hadoop takes" in report
    assert f"{_OPTS}=-Xmx4g" not in report


_REPORTED = _HEAP.partition(" : ")[2]


@pytest.mark.parametrize(
    "text",
    [
        f"1) {_VIRTUAL}\n2) Error: {_REPORTED}",  # what is numbered is the message itself
        f"The mappers get killed:\n\n{_VIRTUAL}\nand the reducers die:\n\nError: {_REPORTED}",
    ],
)
def test_an_error_beside_a_kill_is_of_another_death(text: str, tmp_path: Path) -> None:
    kinds, report = told_of(tmp_path, text)

    assert sorted(kinds) == ["container-virtual", "heap"]
    assert "2 FAILURES" in report
    assert "com.example.Cells.reduce (Cells.java:44)" in report


def test_what_a_line_introduces_ended_with_the_settings_in_it(tmp_path: Path) -> None:
    both = "With {0}=-Xmx1g:\n\n{1}\nBut with {0}=-Xmx3g I get:\n\n{2}"
    text = both.format("mapreduce.reduce.java.opts", _HEAP, _VIRTUAL)

    _, report = told_of(tmp_path, text)

    assert "it was -Xmx1024m" in report
    assert len(chapters_of(_section(text))) == 2
    assert len(chapters_of(_section(text.replace(":\n\n", " was set.\n\n")))) == 1
    assert len(chapters_of(_section(text.partition("But with")[0] + _VIRTUAL))) == 1


@pytest.mark.parametrize(
    "text",
    [
        # two sides of one death
        f"1. Log of the NodeManager\n\n{_VIRTUAL}\n2. stderr of the task\n\n{_HEAP}",
        f"a) stack\n\n{_HEAP}\nb) what YARN says\n\n{_VIRTUAL}",
        # headings without numbers are of one post as a rule
        f"## What happens\n\n{_VIRTUAL}\n## What I saw\n\n{_HEAP}",
        # the same job, and the same end
        f"1. On Monday\n\n{_VIRTUAL}\n2. On Tuesday\n\n{_HEAP}\nof job_{_FIRST}\n",
        f"1. On Monday\n\n{_HEAP}\n2. On Tuesday\n\n{_HEAP}",
        # no headings: in a fence, not in order, right below another line
        f"```\n# a\n{_VIRTUAL}\n# b\n{_SERVICE}\n# c\n{_HEAP}```\n",
        f"4. On Monday\n\n{_VIRTUAL}\n9. On Tuesday\n\n{_HEAP}",
        f"It says\n1. this\n{_VIRTUAL}or\n2. that\n{_HEAP}",
        # commands of root
        f"# cat a.txt\n{_VIRTUAL}\n# cat b.txt\n{_SERVICE}\n# cat c.txt\n{_HEAP}",
    ],
)
def test_other_headings_divide_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "pasted.txt"
    path.write_text(text)
    # with another content beside it nothing is divided
    folder = tmp_path / "both"
    folder.mkdir()
    (folder / "pasted.txt").write_text(text)
    (folder / "z.log").write_text("2017-07-20 08:22:10,110 INFO x: nothing\n")

    assert len(chapters_of(_section(text))) == 1
    assert _failures(path) == _failures(folder)


def _section(text: str) -> Section:
    return Section("x", "x", "x", None, None, None, excerpt_of([text.encode()]))


def _failures(path: Path) -> int:
    return len(found(path).told)


def test_the_work_grows_no_faster_than_the_number_of_chapters() -> None:
    def seconds(count: int) -> float:
        text = "".join(f"{number}. Part\n\nnothing at all\n\n" for number in range(1, count))
        section = _section(text)
        begin = process_time()
        assert len(chapters_of(section)) == 1
        return process_time() - begin

    seconds(10)
    assert seconds(90) < 20 * max(seconds(9), 0.005)


_OF_A_TASK = (
    "* T-5 tasks are killed\n\nAttemptID:attempt_1700000000000_0009_1_05_000020_3 "
    "Info:Container container_1700000000000_0009_01_000310 COMPLETED with diagnostics set to "
    "[Container [pid=1,containerID=container_1700000000000_0009_01_000310] is running beyond "
    "physical memory limits. Current usage: 4.1 GB of 4 GB physical memory used; 5.4 GB of 40 GB "
    "virtual memory used. Killing container.\n"
)
_OF_A_MASTER = "* T-9 DAGAppMaster does not start\n\nio.sort.mb=1 is of its test.\n"
_OF_ANOTHER_ERROR = (
    "* T-7\n\njava.lang.IllegalArgumentException: Wrong FS\n\tat a.b.C.d(C.java:1)\n"
)


def _notes(rules: int, *parts: str) -> str:
    others = [f"* T-{100 + at}\n\nSomething was mended.\n" for at in range(rules - len(parts))]
    return "Notes\n\n---\n\n" + "\n---\n\n".join([*parts, *others])


def test_a_long_page_of_topics_is_told_of_by_its_parts_alone(tmp_path: Path) -> None:
    parts = (_OF_A_MASTER, _OF_A_TASK, _OF_ANOTHER_ERROR)

    kinds, report = told_of(tmp_path, _notes(12, *parts))
    _, shorter = told_of(tmp_path, _notes(11, *parts))

    assert kinds == ["container-physical"]
    assert "a task of Tez (attempt_1700000000000_0009_1_05_000020_3), was killed" in report
    assert "io.sort.mb" not in report
    assert "io.sort.mb" in shorter


def test_a_part_of_a_page_has_what_stands_above_and_below_it(tmp_path: Path) -> None:
    pages = "".join(f"## Topic {at}\n\nNothing.\n\n" for at in range(12))
    page = (
        f"{pages}# FAQ\n\nWe run with mapreduce.reduce.java.opts=-Xmx3g.\n\n## Heap\n\n{_HEAP}\n"
        "### Cluster\n\nmapreduce.reduce.memory.mb=4096\n\n## Other\n\nmapreduce.map.memory.mb=1\n"
    )

    _, report = told_of(tmp_path, page)

    assert "it was -Xmx3072m" in report
    assert "mapreduce.reduce.memory.mb=4096 (line" in report
    assert "mapreduce.map.memory.mb" not in report


def test_two_headings_that_name_an_end_each_are_of_two(tmp_path: Path) -> None:
    heads = "## A mapper is out of memory\n\n{}\n## OOM of an executor\n\n{}"
    other = heads.replace("OOM of an executor", "What I saw")

    kinds, _ = told_of(tmp_path, heads.format(_BUFFER, _VIRTUAL))

    assert sorted(kinds) == ["container-virtual", "heap"]
    assert len(chapters_of(_section(other.format(_BUFFER, _VIRTUAL)))) == 1
