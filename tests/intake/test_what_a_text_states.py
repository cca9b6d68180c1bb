"""What a text states of its settings and of its runs is used, in whatever words it stands there.

Each text is of its own making; ids and numbers are made up. To each form belong texts in which the
same words give a value of another run, of others, of another year or of another process.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

from mprof.intake.settings import stated_in

_ID = "1760000000000_0021"
_MAP, _MAP_OPTS = "mapreduce.map.memory.mb", "mapreduce.map.java.opts"
_RED, _RED_OPTS = "mapreduce.reduce.memory.mb", "mapreduce.reduce.java.opts"
_SHARE = "mapreduce.reduce.shuffle.input.buffer.percent"
_AM, _AM_OPTS = "yarn.app.mapreduce.am.resource.mb", "yarn.app.mapreduce.am.command-opts"
_FULL = (
    f"Task Id : attempt_{_ID}_{{side}}_000001_0, Status : FAILED\n"
    "Error: java.lang.OutOfMemoryError: Java heap space\n"
    "\tat java.util.Arrays.copyOf(Arrays.java:3332)\n"
    "\tat com.example.Code.{call}(Code.java:58)\n"
)
_FULL_MAP, _FULL_RED = _FULL.format(side="m", call="map"), _FULL.format(side="r", call="reduce")
_KILLED = (
    f"Container [pid=7,containerID=container_{_ID}_01_000004] is running beyond physical memory "
    "limits. Current usage: 3.1 GB of 3 GB physical memory used; 5.4 GB of 15 GB virtual memory "
    "used. Killing container.\n"
)
_FETCHED = (
    "2021-03-01 10:00:00,123 WARN [main] org.apache.hadoop.mapred.YarnChild: Exception running "
    "child : org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle in "
    "fetcher#2\n\tat org.apache.hadoop.mapreduce.task.reduce.Shuffle.run(Shuffle.java:134)\n"
    "\tat org.apache.hadoop.mapred.YarnChild.main(YarnChild.java:158)\n"
    "Caused by: java.lang.OutOfMemoryError: Java heap space\n"
    "\tat org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>"
    "(InMemoryMapOutput.java:63)\n"
    "\tat org.apache.hadoop.mapreduce.task.reduce.Fetcher.run(Fetcher.java:193)\n\n"
)


def _read(text: str) -> dict[str, str]:
    stated = stated_in(enumerate(text.split("\n"), 1))
    return {one.name: one.value for one in stated if not one.why_not}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (
            "reduce containers are three gigs, the heap in reduce.java.opts is 2400 megs.",
            {_RED: "3072", _RED_OPTS: "-Xmx2400m"},
        ),
        (
            "the map heap is 2 GB and the reduce heap is 3 GB",
            {_MAP_OPTS: "-Xmx2048m", _RED_OPTS: "-Xmx3072m"},
        ),
        (
            "mappers have a heap of 1.5 GB in containers of 2 GB",
            {_MAP_OPTS: "-Xmx1536m", _MAP: "2048"},
        ),
        (
            "Please double the reducer memory (now 5120 MB, Xmx 4000m).",
            {_RED: "5120", _RED_OPTS: "-Xmx4000m"},
        ),
        ("map.memory.mb 2048, heap 1600", {_MAP: "2048", _MAP_OPTS: "-Xmx1600m"}),
        (
            "my reducers run with two and a half gigs of heap",
            {_RED_OPTS: "-Xmx2560m"},
        ),
        ("AM: resource.mb 2048, -Xmx1600m", {_AM: "2048", _AM_OPTS: "-Xmx1600m"}),
        # of what was seen, of another process, of both, of others, of another time
        ("after the full GCs the reducer heap was at 1.1 gigs, never more.", {}),
        ("a heap of 900 MB was used in the maps", {}),
        ("the maps run fine, the client has a heap of 4 GB", {}),
        ("the mapper builds an index; the heap of the NameNode is 30 GB", {}),
        ("all maps are done. the heap is 2 gigs", {}),
        ("a colleague had maps with a heap of 4 gigs", {}),
        ("last year the reducers had a heap of four gigs", {}),
        ("Should the reducers get a heap of four gigs?", {}),
    ],
)
def test_sizes_are_read_as_people_speak_of_them(text: str, values: dict[str, str]) -> None:
    assert _read(text) == values


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        (f"We have a small cluster (Ambari default sizes: {_MAP} 1536).", True),
        (f"The default of {_MAP} is 1536.", False),
        (f"EMR's defaults for this instance type:\n{_MAP}=1536", False),
        (f"I want 8 GB for the maps (now: {_MAP}=1536).", True),
        (f"{_MAP}    1536   <- a colleague set this in 2013", True),
        (f"A colleague has {_MAP}=1536 there.", False),
        (f"I did not touch the heap, the job has\n{_MAP}=1536", True),
        (f"The job has this, but it was not in force:\n{_MAP}=1536", False),
        (f"We run with {_MAP}=1536, so is it a leak?", True),
        (f"Should it be {_MAP}=1536, or is it a leak?", False),
    ],
)
def test_a_word_beside_a_value_denies_only_what_it_speaks_of(text: str, *, is_read: bool) -> None:
    assert _read(text) == ({_MAP: "1536"} if is_read else {})


def test_a_killed_container_of_a_text_without_a_log_is_reckoned_with_its_sizes(
    tmp_path: Path,
) -> None:
    _, report = told_of(
        tmp_path,
        "no logs any more, sorry. reduce containers are three gigs, the heap in "
        f"reduce.java.opts is 2400 megs.\n{_KILLED}"
        "Plan for tomorrow: put -Xmx3g in reduce.java.opts.\n",
    )
    assert "although -Xmx2400m leaves 672 MB beside the heap" in report
    assert "without its -Xmx" not in report
    assert "Nothing says what ran in it" not in report


@pytest.mark.parametrize(
    ("behind", "passed"),
    [
        ("All 48 reducers went through, 10 minutes slower.", True),
        ("The job succeeded.", True),
        ("The job finished its maps and hangs.", False),
        ("Would all reducers go through?", False),
        ("The job went through last year.", False),
        ("All reducers died.", False),
    ],
)
def test_what_a_rerun_went_through_with_is_the_answer(
    behind: str, *, passed: bool, tmp_path: Path
) -> None:
    _, report = told_of(
        tmp_path,
        f"{_FETCHED}In force:\n\n{_RED_OPTS}  -Xmx2000m\n{_SHARE}  0.90   <- somebody tuned this"
        "\n\nI did not touch the rest, so last night I only changed\n\n"
        f"  -D{_SHARE}=0.55\n\non the command line, the same input. {behind}\n",
    )
    assert (f"With {_SHARE}=0.55 it went through, as the text says" in report) == passed
    assert (f"Try: -D {_SHARE}=0.55" in report) == passed
    if passed:
        assert "0.20" not in report
        assert "Next step" not in report


_RERUN = "(reran it with -D{room}=4096 -D{opts}=-Xmx3000m instead of {was} -> {end})"


@pytest.mark.parametrize(
    ("was", "end", "heap"),
    [
        ("-Xmx1500m/2048", "SUCCEEDED 22:47", "it was -Xmx1500m"),
        ("2048/-Xmx1500m", "SUCCEEDED 22:47", "it was -Xmx1500m"),
        ("-Xmx1500m/2048", "same", ""),
    ],
)
def test_instead_of_what_it_was_is_what_the_dead_task_had(
    was: str, end: str, heap: str, tmp_path: Path
) -> None:
    _, report = told_of(
        tmp_path, f"{_FULL_RED}{_RERUN.format(opts=_RED_OPTS, room=_RED, was=was, end=end)}\n"
    )
    assert (f"With {_RED_OPTS}=-Xmx3000m and {_RED}=4096 it went through" in report) == bool(heap)
    assert heap in report
    assert "mapreduce.map" not in report  # neither value is of the other side
    if heap:
        assert "find out what fills it" not in report


def test_each_row_of_a_list_of_runs_has_its_end(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        f"{_FULL_RED}\nwhat was run\n #1  2 GB container, -Xmx1500m   -> heap space after 4 min\n"
        " #2  4 GB container, -Xmx3000m   -> heap space after 9 min\n"
        " #3  8 GB container, -Xmx6000m   -> ok, 31 min\n\nthe error above is of #1.\n",
    )
    assert f"With {_RED_OPTS}=-Xmx6000m and {_RED}=8192 it went through" in report
    assert "it was -Xmx1500m" in report
    assert "not read from the text" not in report


@pytest.mark.parametrize("result", ["SUCCEEDED", "Java heap space"])
def test_each_row_of_a_table_of_runs_has_its_end(result: str, tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        "| run | map.memory.mb | map.java.opts | result |\n|-----|------|-------|-----|\n"
        "| 1 | 1024 | -Xmx800m | Java heap space |\n"
        f"| 2 | 2048 | -Xmx1600m | {result} |\n\n{_FULL_MAP}",
    )
    led = f"With {_MAP_OPTS}=-Xmx1600m and {_MAP}=2048 it went through"
    assert (led in report) == (result == "SUCCEEDED")


def test_a_value_is_of_the_words_right_behind_it(tmp_path: Path) -> None:
    """What passed did so with the last value, and not with one that stands further above."""
    kill = _KILLED.replace("\n", " ")
    _, report = told_of(
        tmp_path,
        f"[09:10] ana: killed again, {kill}\n"
        f"[09:13] ana: {_RED} is 3072 and the reducers' heap is 2.7 gigs, I raised it on friday\n"
        "[09:58] ana: did that, -Xmx2300m, the job passed. thx\n",
    )
    assert f"With {_RED_OPTS}=-Xmx2300m it went through" in report
    assert f"{_RED}=3072 it went through" not in report
    assert "-Xmx2764m leaves 308 MB" in report


def test_back_to_a_value_is_to_that_of_the_property_that_had_it(tmp_path: Path) -> None:
    text = (
        f"{_FETCHED}Reducers run with 3 GB containers, -Xmx2400m. On Friday Milan put "
        "shuffle.input.buffer.percent from 0.70 to 0.85.\nBack at 0.70 tonight: all 40 reducers "
        "went through.\n"
    )
    _, report = told_of(tmp_path, text)
    assert f"With {_SHARE}=0.70 it went through" in report
    assert "may fill 0.85 of a heap of 2.3 GB" in report
    _, other = told_of(tmp_path, text.replace("Back at 0.70", "Back at 0.60"))
    assert "it went through" not in other


@pytest.mark.parametrize(
    ("told", "passed"),
    [
        ("Ops raised the container to 3500 and the job succeeded twice.", False),
        ("In August Karla's job died the same way.", False),
    ],
)
def test_what_is_said_of_another_value_or_of_others_is_not_of_this_one(
    told: str, *, passed: bool, tmp_path: Path
) -> None:
    _, report = told_of(
        tmp_path, f"{_KILLED}\nThe reducers now have {_RED_OPTS}=-Xmx2048m, {_RED}=3072. {told}\n"
    )
    assert ("it went through" in report) == passed
    assert "it died as well" not in report
    assert "-Xmx2048m leaves" in report


@pytest.mark.parametrize(
    "told",
    [
        "Last year on the dev cluster we had -Xmx8g for reducers.",
        "A guy on the forum has -Xmx8g for the same.",
        "Should we take -Xmx8g for reducers?",
    ],
)
def test_what_others_had_was_not_tried_in_vain(told: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{told}\n\n{_FULL_RED}\nOur job sets {_RED_OPTS}=-Xmx1600m.\n")
    assert "-Xmx8g as well" not in report
    assert "-Xmx8g for it" not in report
    assert "it was -Xmx1600m" in report


_LINES_OF_MR1 = (
    "12/11/06 10:38:04 INFO mapred.JobClient: Task Id : attempt_201211050911_0032_m_000003_0, "
    "Status : FAILED\njava.lang.Throwable: Child Error\n"
    "\tat org.apache.hadoop.mapred.TaskRunner.run(TaskRunner.java:271)\n"
    "Caused by: java.io.IOException: Task process exit with nonzero status of 1.\n"
    "\tat org.apache.hadoop.mapred.TaskRunner.run(TaskRunner.java:258)\n\n"
    "stdout of it:\nError occurred during initialization of VM\n"
    "Could not reserve enough space for object heap\n\n"
)
_OF_A_SCRIPT = (
    "Traceback (most recent call last):\n"
    '  File "/data/1/jobcache/job_201211050911_0031/attempt_201211050911_0031_r_000001_0/work/'
    './count.py", line 9, in <module>\n    known[word] = 1\nMemoryError\n'
    "java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed with code 1\n"
    "\tat org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads(PipeMapRed.java:362)\n"
    "\tat org.apache.hadoop.streaming.PipeReducer.close(PipeReducer.java:137)\n"
    "\tat org.apache.hadoop.mapred.Child$4.run(Child.java:255)\n\n"
)


def test_two_failures_of_two_jobs_are_told_each_with_what_stands_beside_it(
    tmp_path: Path,
) -> None:
    kinds, report = told_of(
        tmp_path,
        f"stderr of the first:\n\n{_OF_A_SCRIPT}then I gave it -D mapred.child.java.opts=-Xmx3g "
        f"(was -Xmx512m), and now the maps fail:\n\n{_LINES_OF_MR1}"
        "<property><name>mapred.child.ulimit</name><value>2097152</value></property>\n",
    )
    assert sorted(kinds) == ["native", "not-memory"]
    assert "attempt_201211050911_0031_r_000001_0" in report
    assert "Its standard error says 'MemoryError'" in report
    assert "allows a process of a task 2.0 GB of address space" in report
    assert "Try: -D mapred.child.java.opts=-Xmx512m" in report


def test_a_limit_that_the_heap_fits_into_is_not_what_refused_it(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        f"I gave it -D mapred.child.java.opts=-Xmx1g.\n\n{_LINES_OF_MR1}"
        "<property><name>mapred.child.ulimit</name><value>2097152</value></property>\n",
    )
    assert "allows a process of a task" not in report


def test_errors_that_somebody_tells_of_attempts_are_ends_of_these(tmp_path: Path) -> None:
    kinds, report = told_of(
        tmp_path,
        "First try (defaults of our template: container 1 GB, heap 800 MB): "
        '"Error: Java heap space" on attempt_1760000000000_0001_m_000002_0\n'
        f"Second try: -D{_MAP_OPTS}=-Xmx2g only. "
        '"Container [pid=5,containerID=container_1760000000000_0002_01_000009] is running beyond '
        "physical memory limits. Current usage: 1.0 GB of 1 GB physical memory used; 3.0 GB of "
        '2.1 GB virtual memory used. Killing container." attempt_1760000000000_0002_m_000002_0\n'
        f"Third try: -D{_MAP}=2560 -D{_MAP_OPTS}=-Xmx2g. "
        "Job job_1760000000000_0003 completed successfully in 12 min.\n",
    )
    assert sorted(kinds) == ["container-physical", "heap"]
    assert "The heap was full (-Xmx800m" in report
    assert "-Xmx2048m alone is 200 % of it" in report
    assert f"With {_MAP_OPTS}=-Xmx2g and {_MAP}=2560 it went through" in report
