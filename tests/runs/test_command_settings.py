"""A command's own settings give way to the advised ones; everything else stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from mprof.errors import UsageError
from mprof.runs import run
from mprof.runs.command_settings import refuse_unreadable, with_settings

REDUCES = "mapreduce.job.reduces"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["-D", f"{REDUCES}=2", "in"], ["-D", f"{REDUCES}=5", "in"]),
        ([f"-D{REDUCES}=2", "in"], [f"-D{REDUCES}=5", "in"]),
        # an old name is another name of the same property (Configuration.addDeprecations)
        (["-D", "mapred.reduce.tasks=2"], ["-D", "mapred.reduce.tasks=5"]),
        (["-jobconf", "mapred.reduce.tasks=2"], ["-jobconf", "mapred.reduce.tasks=5"]),
        (["--hiveconf", f"{REDUCES}=2"], ["--hiveconf", f"{REDUCES}=5"]),
        (["-D", f"{REDUCES}=2", "-D", f"{REDUCES}=3"], ["-D", f"{REDUCES}=5"] * 2),
        # an argument of the driver that only looks like one
        ([f"{REDUCES}=2"], [f"{REDUCES}=2"]),
        (["-D", "x.y=2"], ["-D", "x.y=2"]),
        (["in", "out"], ["in", "out"]),
    ],
)
def test_what_the_command_sets_itself_gets_the_advised_value(
    command: list[str], expected: list[str]
) -> None:
    begin = ["hadoop", "jar", "a.jar", "Main"]
    assert with_settings([*begin, *command], {REDUCES: "5"}) == (*begin, *expected)


def test_a_value_may_hold_what_separates_options() -> None:
    command = ["-D", "mapreduce.map.java.opts=-Xmx1g -Da=b", "-Dmapreduce.map.memory.mb=9"]
    settings = {"mapreduce.map.java.opts": "-Xmx2g -Dc=d=e"}
    assert with_settings(command, settings) == (
        "-D", "mapreduce.map.java.opts=-Xmx2g -Dc=d=e", "-Dmapreduce.map.memory.mb=9",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("setting", "wanted"),
    [
        ("mapreduce.reduce.memory.mb=lots", "a whole number of MB without a unit"),
        ("mapreduce.map.memory.mb=2g", "a whole number of MB without a unit"),
        ("mapred.job.map.memory.mb=1.5", "a whole number of MB without a unit"),
        ("mapreduce.map.memory.mb=99999999999", "a whole number of MB without a unit"),
        ("mapreduce.map.memory.mb=", "a whole number of MB without a unit"),
        ("io.sort.mb=2048", "a whole number of MB from 0 to 2047"),
        ("mapreduce.reduce.shuffle.input.buffer.percent=70", "a share from 0 to 1"),
        ("mapreduce.map.java.opts=-Xmx=512m", "with sizes as java reads them"),
        ("mapreduce.map.java.opts=-Xss1m -Xmx2GB", "with sizes as java reads them"),
        ("mapred.child.java.opts=-Xmx", "with sizes as java reads them"),
    ],
)
def test_a_value_of_a_memory_property_that_hadoop_cannot_read_is_refused(
    setting: str, wanted: str
) -> None:
    for words in (["-D", setting], [f"-D{setting}"], ["--hiveconf", setting]):
        with pytest.raises(UsageError) as refused:
            refuse_unreadable(["hadoop", "jar", "a.jar", *words, "in"])

        assert refused.value.what == f"{setting} cannot be read: it has to be {wanted}"
        assert setting.partition("=")[0] in refused.value.next_step


@pytest.mark.parametrize(
    "setting",
    [
        "mapreduce.map.memory.mb=2048",
        "mapreduce.map.memory.mb=-1",
        "mapreduce.map.memory.mb= 2048 ",
        "mapreduce.map.memory.mb=0x800",
        "mapreduce.map.memory.mb=${my.size}",
        "mapreduce.task.io.sort.mb=2047",
        "mapreduce.reduce.shuffle.input.buffer.percent=0.7",
        "mapreduce.reduce.shuffle.input.buffer.percent=.7f",
        "mapreduce.map.java.opts=-server -Xmx2g -XX:+UseG1GC -Da=-Xmx=9",
        "mapreduce.map.java.opts=",
        "my.memory.mb=lots",
    ],
)
def test_every_other_value_is_left_to_hadoop(setting: str) -> None:
    refuse_unreadable(["hadoop", "jar", "a.jar", "-D", setting, "in"])


def test_an_argument_of_the_driver_is_no_setting() -> None:
    refuse_unreadable(["hadoop", "jar", "a.jar", "mapreduce.map.memory.mb=lots"])


def test_a_run_ends_before_it_makes_a_capture(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        run(["hadoop", "jar", "a.jar", "-Dmapreduce.map.memory.mb=lots"],
            capture=tmp_path / "capture", embedded=True)  # fmt: skip

    assert not (tmp_path / "capture").exists()
