"""Notes about deaths: a line of a log among bullets, what they say to set, in which place."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

from mprof.intake.settings import stated_in
from mprof.intake.translated import in_english

_ROOM = "mapreduce.map.memory.mb"


def _against(text: str) -> list[str]:
    lines = [*in_english([*enumerate(text.split("\n"), 1)])]
    return [one.why_not for one in stated_in(lines)]


@pytest.mark.parametrize(
    ("above", "is_told"),
    [
        ("在 hive 脚本里设置\uff08只对当前会话有效\uff09\uff1a", True),
        ("在mapred-site.xml里加两个属性\uff1a", True),
        ("在 mapred-site.xml 中添加\uff1a", True),
        ("我在 mapred-site.xml 里加了\uff1a", False),
        ("在 mapred-site.xml 里的设置如下\uff1a", False),
        ("之前在 mapred-site.xml 里设置\uff1a", False),
    ],
)
def test_what_is_to_be_set_in_a_place_was_not_set_yet(above: str, *, is_told: bool) -> None:
    against = _against(f"{above}\n{_ROOM}=6144")

    assert (against == ['"set ..."'] or against == ['"add ..."']) is is_told


def test_a_note_in_chinese_proposes_what_it_says_to_set(tmp_path: Path) -> None:
    text = (
        "### 5. Hive 计算时内存溢出\n\n"
        "* `FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child : "
        "java.lang.OutOfMemoryError GC overhead limit exceeded`\n\n"
        f"```\n在 hive 脚本里设置\uff08只对当前会话有效\uff09\uff1a\nset {_ROOM}=6144;\n```\n"
    )

    _, report = told_of(tmp_path, text)

    assert "spent nearly all its time collecting garbage" in report
    assert f"The text itself proposes {_ROOM}=6144" in report
    assert "12288" not in report


def test_the_address_before_settings_says_nothing_of_them() -> None:
    settings = f"jdbc:hive2://hs2.example.com:10000/default?{_ROOM}=3809;hive.exec.parallel=true"

    assert _against(settings) == [""]
    assert _against(f"The default is {_ROOM}=3809") == ['"default"']


def test_a_task_of_0_20_logs_as_its_server_does(tmp_path: Path) -> None:
    line = (
        "**FATAL org.apache.hadoop.mapred.TaskTracker: Error running child : "
        "java.lang.OutOfMemoryError: Java heap space**\n\nThe heap is too small.\n"
    )

    kinds, report = told_of(tmp_path, line)

    assert kinds == ["heap"]
    assert "The task ran out of heap space" in report
    assert "-Xmx in mapred.child.java.opts" in report
    assert "TaskTracker ran" not in report


def test_a_line_of_yarn_child_is_of_a_task_wherever_it_stands(tmp_path: Path) -> None:
    text = (
        "2. **Hive keeps crashing**\n\n    The following error appeared:\n\n        "
        "{}: Error running child : java.lang.OutOfMemoryError: Java heap space\n\n"
        f"    To overcome this I tried many things:\n\n          {_ROOM} = 3072\n"
    )

    _, report = told_of(tmp_path, text.format("org.apache.hadoop.mapred.YarnChild"))
    _, of_another = told_of(tmp_path, text.format("com.example.Launcher"))

    assert "The task ran out of heap space" in report
    assert f"The text itself proposes {_ROOM}=3072" in report
    assert "mprof cannot tell which process it was" in of_another
