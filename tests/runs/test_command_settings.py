"""A command's own settings give way to the advised ones; everything else stays as it was."""

from __future__ import annotations

import pytest

from mprof.runs.command_settings import with_settings

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
