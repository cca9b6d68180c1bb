"""What a text asks to raise or lower without a value is repeated as its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

from mprof.intake.directions import Direction, directions_in
from mprof.intake.in_prose import told_end

_KILLED = (
    "attempt_1518340000000_0007_m_000003_0: Container "
    "[pid=4411,containerID=container_1518340000000_0007_01_000003] is running beyond physical "
    "memory limits. Current usage: 1.1 GB of 1 GB physical memory used; 2.4 GB of 2.1 GB virtual "
    "memory used. Killing container.\n"
)
_ROOM, _HEAP = "mapreduce.map.memory.mb", "mapreduce.map.java.opts"


@pytest.mark.parametrize(
    ("sentence", "up", "down"),
    [
        (f"Try to increase {_ROOM} and {_HEAP}.", (_ROOM, _HEAP), ()),
        (f"I solved it with a larger {_ROOM} and a larger `{_HEAP}`.", (_ROOM, _HEAP), ()),
        (f"Increasing the size of the container ({_ROOM}) helped.", (_ROOM,), ()),
        (f"Revise **{_HEAP}**/**{_ROOM}** first to use a larger value.", (_HEAP, _ROOM), ()),
        (f"Give `{_HEAP}` a smaller value.", (), (_HEAP,)),
        (f"{_HEAP}=-Xmx1g has a larger value there.", (), ()),
        ("We raised spark.driver.memory, and that fixed it.", ("spark.driver.memory",), ()),
        (f"Reduce io.sort.mb or raise {_ROOM}.", (_ROOM,), ("mapreduce.task.io.sort.mb",)),
        ("Lowered mapreduce.task.io.sort.mb, now solved.", (), ("mapreduce.task.io.sort.mb",)),
        (f"We increased {_ROOM}, and it died again.", (), ()),
        (f"Increasing {_ROOM} does not help.", (), ()),
        (f"Should I increase {_ROOM}?", (), ()),
        (f"Increase {_ROOM} to 4096.", (), ()),
        (f"Increase {_ROOM}=4096.", (), ()),
        (f"A larger {_ROOM} and a smaller {_ROOM} are both proposed.", (), ()),
        ("Reason: killed. Consider boosting spark.yarn.executor.memoryOverhead.", (), ()),
        ("Larger files have smaller blocks.", (), ()),
    ],
)
def test_a_sentence_asks_to_change_a_property(
    sentence: str, up: tuple[str, ...], down: tuple[str, ...]
) -> None:
    found = directions_in([(1, sentence)])

    assert {one.name for one in found if one.is_up} == set(up)
    assert {one.name for one in found if not one.is_up} == set(down)


@pytest.mark.parametrize(
    ("text", "up"),
    [
        (f"Increase the following properties:\n\n* {_ROOM}\n* `{_HEAP}`\n", (_ROOM, _HEAP)),
        (f"We looked at the following properties:\n\n* {_ROOM}\n", ()),
        (f"Increase these properties:\n\nAll of them.\n* {_ROOM}\n", ()),
        (f"Do not increase these properties:\n* {_ROOM}\n", ()),
    ],
)
def test_the_names_of_a_list_have_the_way_of_what_introduces_it(
    text: str, up: tuple[str, ...]
) -> None:
    found = directions_in([*enumerate(text.split("\n"), 1)])

    assert found == tuple(Direction(one, is_up=True, called=one) for one in up)


def test_the_report_repeats_it_where_it_reaches_what_died(tmp_path: Path) -> None:
    advice = (
        f"I solved it with a larger mapred.child.java.opts and a larger {_ROOM}.\n"
        "Or increase mapreduce.reduce.memory.mb or spark.executor.memory.\n"
    )

    _, report = told_of(tmp_path, f"{_KILLED}\n{advice}")
    _, with_a_value = told_of(tmp_path, f"{_KILLED}\n{advice}\n## Solution\n\n{_ROOM}=4096\n")

    proposed = "The text itself proposes a larger mapred.child.java.opts"
    assert f"{proposed} and {_ROOM}, without a value." in report
    assert f"{proposed}, without a value." in with_a_value
    assert f"proposes {_ROOM}=4096" in with_a_value


def test_reducers_that_run_out_of_memory_have_the_heap_that_is_theirs(tmp_path: Path) -> None:
    heap = "mapreduce.reduce.java.opts"

    _, report = told_of(tmp_path, "My reducers run out of memory. What can I do?\n")
    _, died = told_of(
        tmp_path,
        "The reducers die with an out of memory error. We tried "
        f"{heap}=-Xmx3276m and then {heap}=-Xmx6553m, and both died.\n",
    )
    assert f"The heap of that task is set by -Xmx in {heap}" in report
    assert "with -Xmx3276m and -Xmx6553m it died, as the text says" in died
    assert "a larger one alone is no remedy" in died
    assert told_end(["My reducers are never running out of memory."]) is None
