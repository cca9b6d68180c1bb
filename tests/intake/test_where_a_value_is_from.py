"""From which line a value is, whose it is, and which words say that it was not in force."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

from mprof.intake.settings import stated_in
from mprof.trace.excerpt import excerpt_of

_HEAD = (
    "|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
    "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE"
)
_TREE = (
    _HEAD,
    "|- 4711 4710 4711 4711 (java) 910 80 2899102924 523100 /usr/bin/java -Dx=y",
)
_KILLED = (
    "Container [pid=4711,containerID=container_1700000000000_0005_01_000002] is running beyond "
    "physical memory limits. Current usage: 2.0 GB of 2 GB physical memory used; 2.7 GB of 4.2 GB "
    "virtual memory used. Killing container. Dump of the process-tree for "
    "container_1700000000000_0005_01_000002 : "
)


def _heads(*names: str) -> list[tuple[int, str]]:
    lines = (" | ".join(names) + " |", "mapreduce.map.memory.mb | 1024 | of a map task |")
    return [*enumerate(lines, 1)]


@pytest.mark.parametrize("between", [" ", "\n\t"])
def test_lines_are_counted_as_the_file_has_them(tmp_path: Path, between: str) -> None:
    text = f"{_KILLED}{between.join(_TREE)}\n\nWe have mapreduce.map.memory.mb=2048 in force.\n"
    line = text.count("\n")

    _, report = told_of(tmp_path, text)

    assert f"mapreduce.map.memory.mb=2048 (line {line})" in report


def test_the_lines_of_a_stack_in_one_line_are_one_of_the_file() -> None:
    frames = "".join(f" at com.example.Some.m{one}(Some.java:{one})" for one in range(4))
    text = f"java.lang.IllegalStateException: x{frames}\nbehind\n"

    excerpt = excerpt_of([text.encode()])

    assert {line: excerpt.of_file(number) for number, line in excerpt.numbered()} == {
        "java.lang.IllegalStateException: x": 1,
        **{f"\tat com.example.Some.m{one}(Some.java:{one})": 1 for one in range(4)},
        "behind": 2,
    }


def test_what_follows_in_another_block_is_counted_on() -> None:
    rows = 40_000  # of 240 bytes each: more than one block
    line = f"{_KILLED} {' '.join(_TREE)}"[-240:]
    text = "".join(f"{line}\n" for _ in range(rows)) + "the last\n"

    excerpt = excerpt_of([text.encode()])

    assert excerpt.of_file(excerpt.lines) == text.count("\n")
    assert excerpt.lines > text.count("\n")


@pytest.mark.parametrize(
    "head",
    ["Default", "\u9ed8\u8ba4\u503c", "\u30c7\u30d5\u30a9\u30eb\u30c8\u5024", "\uae30\ubcf8\uac12"],
)
def test_a_column_of_defaults_is_nobodys_setting(head: str) -> None:
    assert stated_in(_heads("Name", head, "What it does")) == ()


def test_a_column_of_values_is_read() -> None:
    (one,) = stated_in(_heads("Name", "Value", "What it does"))

    assert (one.name, one.value, one.line) == ("mapreduce.map.memory.mb", "1024", 2)


def test_a_pipe_of_commands_is_no_head_of_a_table() -> None:
    lines = (
        "cat conf/site.xml | sort -u | grep -v -e default -e description -e source > mine.txt",
        "mapreduce.map.memory.mb | 1024 | of a map task |",
    )

    assert [one.value for one in stated_in([*enumerate(lines, 1)])] == ["1024"]


def test_a_sentence_that_is_not_english_is_said_to_be_none(tmp_path: Path) -> None:
    text = (
        "Task Id : attempt_1700000000000_0005_m_000003_0, Status : FAILED\nError: Java heap space\n"
        "\u041c\u044b \u043f\u043e\u0434\u043d\u044f\u043b\u0438 mapreduce.map.java.opts=-Xmx900m\n"
    )

    _, report = told_of(tmp_path, text)

    assert "mapreduce.map.java.opts=-Xmx900m (line 3: its sentence is not in English" in report


def test_a_value_to_be_changed_is_no_remedy(tmp_path: Path) -> None:
    """To raise X=-Xmx900m, in Chinese, in which the verb stands behind the value."""
    text = (
        "Task Id : attempt_1700000000000_0005_m_000003_0, Status : FAILED\nError: Java heap space\n"
        "\u628a mapreduce.map.java.opts=-Xmx900m \u52a0\u5927\n"
    )

    _, report = told_of(tmp_path, text)

    assert "proposes" not in report
    assert 'mapreduce.map.java.opts=-Xmx900m (line 3: "raise")' in report
    assert "\u628a" not in report


@pytest.mark.parametrize("other", ["", "We tried mapreduce.map.memory.mb=3072 as well.\n"])
def test_the_side_is_told_by_the_sizes_of_one_side_alone(tmp_path: Path, other: str) -> None:
    text = f"{_KILLED}\n\nmapreduce.reduce.memory.mb=2048\n{other}"

    _, report = told_of(tmp_path, text)

    assert ("gives the sizes of reduce tasks alone" in report) is (not other)


def test_the_line_of_an_error_is_that_of_the_file(tmp_path: Path) -> None:
    frames = "".join(f" at com.example.Some.m{one}(Some.java:{one})" for one in range(4))
    first = f"java.lang.IllegalStateException: x{frames}\n"
    log = (
        "2024-03-01 10:00:01,000 WARN [main] org.apache.hadoop.mapred.YarnChild: Exception running "
        "child : java.io.IOException: no such part\n\tat com.example.M.map(M.java:3)\n"
        "\tat org.apache.hadoop.mapred.YarnChild.main(YarnChild.java:1)\n"
    )

    _, report = told_of(tmp_path, f"{first}{log}")

    assert "(pasted.txt, line 2)" in report
