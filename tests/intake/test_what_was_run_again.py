"""Values of other runs: with what it died as well, with what it went through, and whose log it is.

Each text is of its own making; ids and numbers are made up.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import found, told_of

from mprof.intake.outcomes import outcome_of
from mprof.intake.settings import stated_in

_ID = "1740000000000_0017"
_OPTS, _MB = "mapreduce.reduce.java.opts", "mapreduce.reduce.memory.mb"
_FULL = f"Task Id : attempt_{_ID}_r_000003_0, Status : FAILED\nError: Java heap space\n"


@pytest.mark.parametrize(
    ("before", "behind", "outcome"),
    [
        ("Then I gave it", " and it died again at 71 %.", "died"),
        ("with", ": same error, two minutes later.", "died"),
        ("We doubled it to", ". No difference.", "died"),
        ("tried", ", which didn't help.", "died"),
        ("After that", ": the first maps passed, then failures again.", "died"),
        ("I ran it again with", " and the job went through.", "passed"),
        ("With", " the reducer passed, in twice the time.", "passed"),
        ("raised to", " and all maps finished, but the reducers are killed.", ""),
        ("Would it help to set", "? The same error is on the web.", ""),
        ("We run with", ". The cluster has 40 nodes.", ""),
        ("set to", ". Later the job finished its maps and wrote nothing.", ""),
        ("with", " it would pass, I was told.", ""),
        ("Yes, here it is, I ran again with", ". The end of its log:", "shown"),
        ("then", ", and the log above is from that run.", "shown"),
        ("Here is what I tried:", " and nothing else.", ""),
    ],
)
def test_the_words_behind_a_value_say_what_became_of_it(
    before: str, behind: str, outcome: str
) -> None:
    assert outcome_of(before, behind) == outcome


@pytest.mark.parametrize(
    ("text", "in_force"),
    [
        (f"I ran it again with\n-D {_MB}=3072\nand here is its log:", False),
        (f"Yes, here it is: I ran it again with\n-D {_MB}=3072.\nThe syslog:", True),
        (f"Then I ran it with {_MB}=3072, and the log below is of that run.", True),
        (f"We have {_MB}=2048. With {_MB}=3072 it died again.", False),
        (f"With {_MB}=3072 the job went through.", False),
        (f"I went from 1 GB to 2 GB and now to 3 GB ({_MB}=3072).", True),
    ],
)
def test_a_value_is_in_force_where_the_log_is_of_its_run(text: str, *, in_force: bool) -> None:
    stated = stated_in(enumerate(text.split("\n"), 1))

    assert [one.value for one in stated if not one.why_not and one.value == "3072"] == (
        ["3072"] if in_force else []
    )


def _told(folder: Path, text: str) -> str:
    return told_of(folder, text)[1]


def test_what_it_died_with_as_well_is_not_advised(tmp_path: Path) -> None:
    had = f"{_FULL}\nWe run with {_OPTS}=-Xmx1g and {_MB}=1536.\n"

    assert f"{_OPTS}=-Xmx2048m" in _told(tmp_path, had)

    told = _told(tmp_path, f"{had}\nWith {_OPTS}=-Xmx3g it died again.\n")

    assert f"With {_OPTS}=-Xmx3g it died as well, as the text says." in told
    assert "-Xmx2048m" not in told


def test_a_value_with_which_it_went_through_is_what_to_set(tmp_path: Path) -> None:
    told = _told(
        tmp_path,
        f"{_FULL}\nWe run with {_OPTS}=-Xmx1g and {_MB}=8192.\n\n"
        f"With {_OPTS}=-Xmx5g the job went through.\n",
    )

    assert f"-D {_OPTS}=-Xmx5g" in told
    assert f"With {_OPTS}=-Xmx5g, the text says, it went through." in told


def test_the_heap_of_a_master_is_read_from_its_command_line(tmp_path: Path) -> None:
    told = _told(
        tmp_path,
        f"Diagnostics: Application application_{_ID} failed 2 times due to AM Container for "
        f"appattempt_{_ID}_000002 exited with exitCode: 255\n"
        "java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.mapreduce.v2.app.job.impl.JobImpl.<init>(JobImpl.java:1)\n\n"
        "I set yarn.app.mapreduce.am.resource.mb=6144. launch_container.sh has\n\n"
        'exec /bin/bash -c "$JAVA_HOME/bin/java -Dlog4j.configuration=a.properties -Xmx1024m '
        'org.apache.hadoop.mapreduce.v2.app.MRAppMaster 1>/l/stdout 2>/l/stderr "\n',
    )

    assert "yarn.app.mapreduce.am.command-opts=-Xmx4915m" in told


_HIVE = (
    f"Starting Job = job_{_ID}, Tracking URL = http://rm:8088/proxy/application_{_ID}/\n"
    "Hadoop job information for Stage-1: number of mappers: 12; number of reducers: {reducers}\n"
    f"Ended Job = job_{_ID} with errors\n"
    "Task with the most failures(4): \n-----\nTask ID:\n"
    f"  task_{_ID}_m_000003\n-----\nDiagnostic Messages for this Task:\nError: Java heap space\n\n"
    "2024-03-01 10:00:44,716 FATAL [main] org.apache.hadoop.mapred.YarnChild: "
    "Error running child : java.lang.OutOfMemoryError: Java heap space\n"
    "\tat java.util.Arrays.copyOf(Arrays.java:3332)\n"
    "\tat org.apache.hadoop.hive.ql.exec.SelectOperator.process(SelectOperator.java:88)\n"
)


@pytest.mark.parametrize(("reducers", "has_groups"), [(0, False), (4, True)])
def test_a_job_without_reducers_leaves_no_rule_of_groups_undecided(
    tmp_path: Path, reducers: int, *, has_groups: bool
) -> None:
    (tmp_path / "text.txt").write_text(_HIVE.format(reducers=reducers))

    [told] = found(tmp_path / "text.txt").told
    undecided = {rule.cause for rule, _ in told.diagnosed.diagnosis.unknown}

    assert ("large_accumulated_results.reduce" in undecided) is has_groups
    assert ("large_framework_buffer.map" in undecided) is has_groups


def test_settings_beside_lines_of_a_nodemanager_are_read_where_somebody_speaks(
    tmp_path: Path,
) -> None:
    line = (
        "2024-03-01 10:00:44,716 INFO org.apache.hadoop.yarn.server.nodemanager."
        "containermanager.monitor.ContainersMonitorImpl: Memory usage of ProcessTree 77 for "
        f"container-id container_{_ID}_01_000004: 1.7 GB of 2 GB physical memory used; 3.6 GB of "
        "4.2 GB virtual memory used\n"
    )
    told = _told(tmp_path, f"{_FULL}\n{line}\nWe have {_OPTS}=-Xmx1g in a file.\n")

    assert f"{_OPTS}=-Xmx1g" in told


def test_what_went_through_is_set_also_where_the_heap_that_died_is_not_known(
    tmp_path: Path,
) -> None:
    stack = (
        "\n2024-03-01 10:00:44,716 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running "
        "child : java.lang.OutOfMemoryError: Java heap space\n\tat a.B.reduce(B.java:9)\n"
        "\tat org.apache.hadoop.mapreduce.Reducer.run(Reducer.java:171)\n"
    )
    told = _told(tmp_path, f"{_FULL}{stack}\nI ran it again with {_OPTS}=-Xmx5g and it passed.\n")

    assert f"-D {_OPTS}=-Xmx5g" in told
