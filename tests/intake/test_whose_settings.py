"""Which settings are of which run and of which kind of task, where headings and short pairs say it.

Each text is of its own making; ids and numbers are made up.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import found, told_of

from mprof.intake.runs import stated_by_job
from mprof.intake.settings import stated_in

_FIRST, _SECOND = "1760000000000_0004", "1760000000000_0005"
_MAP, _OPTS = "mapreduce.map.memory.mb", "mapreduce.map.java.opts"
_REDUCE, _REDUCE_OPTS = "mapreduce.reduce.memory.mb", "mapreduce.reduce.java.opts"


def _full(job: str, side: str = "m") -> str:
    return f"Task Id : attempt_{job}_{side}_000001_0, Status : FAILED\nError: Java heap space\n"


def _read(text: str) -> dict[str, str]:
    stated = stated_in(enumerate(text.split("\n"), 1))
    return {one.name: one.value for one in stated if not one.why_not}


def _by_job(text: str) -> dict[str, dict[str, str]]:
    return {
        "+".join(sorted(jobs)): {one.name: one.value for one in stated if not one.why_not}
        for jobs, stated in stated_by_job([*enumerate(text.split("\n"), 1)])
    }


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Run A (our template: {})", "Run B  I found a post and ran it again with {}"),
        ("1st try: {}", "2nd try: {}"),
        ("Attempt #1 - defaults {}", "Attempt #2 - {}"),
        ("RUN 1\n{}", "RUN 2\n{}"),
        ("The first run:\n{}", "The second run:\n{}"),
        ("== Test 1 ==\n{}", "== Test 2 ==\n{}"),
    ],
)
def test_what_a_heading_introduces_is_of_its_run(first: str, second: str) -> None:
    told = _by_job(
        f"Two runs of one job.\n\n{first.format(f'{_OPTS}=-Xmx700m')}\n\n{_full(_FIRST)}\n"
        f"{second.format(f'{_OPTS}=-Xmx1400m')}\n\n{_full(_SECOND)}"
    )

    assert told == {
        f"job_{_FIRST}": {_OPTS: "-Xmx700m"},
        f"job_{_SECOND}": {_OPTS: "-Xmx1400m"},
    }


def test_what_stands_before_the_runs_is_of_all_that_do_not_set_it() -> None:
    told = _by_job(
        f"We have {_MAP}=2048 and {_OPTS}=-Xmx900m.\nRun 1:\n{_full(_FIRST)}\n"
        f"Run 2: {_OPTS}=-Xmx1500m\n{_full(_SECOND)}"
    )

    assert told[f"job_{_FIRST}"] == {_MAP: "2048", _OPTS: "-Xmx900m"}
    assert told[f"job_{_SECOND}"] == {_MAP: "2048", _OPTS: "-Xmx1500m"}


@pytest.mark.parametrize(
    "text",
    [
        f"Run 1: {_OPTS}=-Xmx700m\n{_full(_FIRST)}",  # of one alone nothing is set apart
        f"Run a query with {_OPTS}=-Xmx700m\nRun a job\n{_full(_FIRST)}",
        f"Run 1: {_OPTS}=-Xmx700m\nRun 2: {_OPTS}=-Xmx700m\n{_full(_FIRST)}Run 1: as above",
    ],
)
def test_other_lines_are_no_headings(text: str) -> None:
    assert _by_job(text) == {f"job_{_FIRST}": {_OPTS: "-Xmx700m"}}


def test_a_heading_that_only_wishes_sets_nothing() -> None:
    told = _by_job(
        f"Run 1: {_OPTS}=-Xmx700m\n{_full(_FIRST)}\n"
        f"Run 2: should I use {_OPTS}=-Xmx1400m?\n{_full(_SECOND)}"
    )

    assert told[f"job_{_SECOND}"] == {}


_RUNS = (
    f"Run 1: {_MAP}=1024 {_OPTS}=-Xmx700m\n{_full(_FIRST)}\n"
    f"Run 2: {_MAP}=3072 {_OPTS}=-Xmx2200m\n{{}}\n"
)


@pytest.mark.parametrize(
    ("end", "passed"),
    [
        ("job SUCCEEDED in 20 min", True),
        ("the job went through", True),
        ("it never finished", False),
        (_full(_SECOND), False),
    ],
)
def test_what_another_run_went_through_with_is_what_to_set(
    end: str, *, passed: bool, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, _RUNS.format(end))
    told = f"With {_OPTS}=-Xmx2200m and {_MAP}=3072, the text says, it went through."

    assert (told in report) == passed
    assert "(-Xmx700m" in report
    assert "not read from the text" not in report
    assert "whatever that is" not in report or not passed


def test_tries_above_what_is_in_force_now_are_tries(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        f"1st try: {_OPTS}=-Xmx2g, died the same way\n2nd try: {_OPTS}=-Xmx4g, same error\n\n"
        f"Now we are back at {_OPTS}=-Xmx1g. Log:\n\n{_full(_FIRST)}",
    )

    assert "(-Xmx1024m" in report
    assert f"{_OPTS}=-Xmx4g" in report.partition("it died as well")[0]
    assert f"{_OPTS}=-Xmx2g" in report.partition("it died as well")[0]
    assert f"-D {_OPTS}=" not in report


def test_a_value_that_another_run_died_with_is_no_advice(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(_RUNS.format(_full(_SECOND)))

    first, *_ = (
        one.diagnosed for one in found(tmp_path / "a.txt").told
        if one.diagnosed.evidence.job.job_id == f"job_{_FIRST}"
    )  # fmt: skip

    assert first.evidence.stated.died_with[_OPTS] == ("-Xmx2200m",)
    assert all(one.property != _OPTS for one in first.diagnosis.advice)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        (
            "map 1024 / -Xmx800m, reduce 3072 / -Xmx2400m.",
            {_MAP: "1024", _OPTS: "-Xmx800m", _REDUCE: "3072", _REDUCE_OPTS: "-Xmx2400m"},
        ),
        ("maps: 2 GB (-Xmx1600m)", {_MAP: "2048", _OPTS: "-Xmx1600m"}),
        ("reducers have 6144 MB with -Xmx5g", {_REDUCE: "6144", _REDUCE_OPTS: "-Xmx5g"}),
        ("reduce tasks 1.5 GB and -Xmx1200m", {_REDUCE: "1536", _REDUCE_OPTS: "-Xmx1200m"}),
        ("We have 40 maps / -Xmx800m", {"-Xmx": "-Xmx800m"}),  # a number of tasks
        ("map 12 / -Xmx800m", {"-Xmx": "-Xmx800m"}),
        ("Would map 4096 / -Xmx3200m do?", {}),
        ("Every reducer got 6 GB, heap at 4.5.", {_REDUCE: "6144", _REDUCE_OPTS: "-Xmx4608m"}),
        ("Our mappers have 2048 MB, heap: 1500 MB", {_MAP: "2048", _OPTS: "-Xmx1500m"}),
        ("Each map got 4 GB of input, heap at 98 %", {}),
        ("Each map has 3 GB, its heap is 80 % of that", {_MAP: "3072"}),
        ("Each map has 3 GB container and the heap was 2.9 used", {_MAP: "3072"}),
    ],
)  # fmt: skip
def test_sizes_of_a_kind_of_task_are_read_from_prose(text: str, stated: dict[str, str]) -> None:
    assert _read(text) == stated


def test_a_pair_of_a_side_leaves_nothing_open(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path, f"{_full(_FIRST, 'r')}\nmap 1024 / -Xmx800m, reduce 3072 / -Xmx2400m.\n"
    )

    assert "(-Xmx2400m" in report
    assert "-Xmx800m (line" in report  # read, and of the other side
    assert "not read from the text" not in report


@pytest.mark.parametrize(
    ("words", "was"),
    [
        ("{} = 0.85 (was 0.60)", "0.60"),
        ("{} = 0.85   (was not set before)", ""),
        ("{}=0.85, previously 0.5", "0.5"),
        ("I changed {} from 0.65 to 0.85", "0.65"),
        ("{}=0.85, it was the default", ""),
        ("{}=0.85 (same as ever)", None),
        ("{}=0.85 was a bad idea", None),
    ],
)
def test_what_a_setting_had_before_is_read(words: str, was: str | None) -> None:
    name = "mapreduce.reduce.shuffle.input.buffer.percent"

    assert [one.was for one in stated_in([(1, words.format(name))])][:1] == [was]


_SHARE = "mapreduce.reduce.shuffle.input.buffer.percent"
_FETCH = (
    f"Task Id : attempt_{_FIRST}_r_000001_0, Status : FAILED\n"
    "Error: org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle in "
    "fetcher#2\nCaused by: java.lang.OutOfMemoryError: Java heap space\n"
    "\tat org.apache.hadoop.io.BoundedByteArrayOutputStream.<init>(BoundedByteArrayOutputStream."
    "java:56)\n"
    "\tat org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>(InMemoryMapOutput."
    "java:63)\n"
)


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("{} = 0.85 (was 0.60)", "0.60"),
        ("We followed a blog and set\n\n{} = 0.95   (was not set before)", "0.70"),
        ("{} = 0.85", "0.20"),
        ("{} = 0.40 (was 0.70)", "0.20"),  # going back would be the other way
        ("We have {0} = 0.85 (was 0.60). With {0}=0.60 it died again.", "0.20"),
    ],
)
def test_a_change_before_the_trouble_is_taken_back(words: str, new: str, tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{words.format(_SHARE)}\n\n{_FETCH}")

    assert f"-D {_SHARE}={new}" in report
    assert ("It was changed to" in report) == (new != "0.20")


def test_what_is_said_below_the_runs_is_of_all_of_them(tmp_path: Path) -> None:
    runs = _RUNS.format(_full(_SECOND))
    _, of_all = told_of(tmp_path, f"{runs}\nThe share is {_SHARE}=0.30 in our file.\n")
    _, of_one = told_of(tmp_path, f"{runs}\nIn that run we had {_SHARE}=0.30.\n")

    assert f"{_SHARE}=0.30" in of_all
    assert "gives it for another run" not in of_all.partition(f"{_SHARE}=0.30")[2][:80]
    assert "gives it for another run" in of_one.partition(f"{_SHARE}=0.30")[2][:80]


@pytest.mark.parametrize(
    ("said", "is_in_force"),
    [
        ("Asked the developer, he starts it so:", True),
        ("My colleague submits the job like this:", True),
        ("A colleague runs another job, he starts his with", False),
        ("He recommends:", False),
    ],
)
def test_whoever_starts_it_starts_what_died(said: str, *, is_in_force: bool) -> None:
    text = f"{said}\n\n   hadoop jar a.jar com.example.Main -D{_MAP}=2048 in out\n"

    assert (_MAP in _read(text.replace("com.example.Main ", ""))) == is_in_force
