"""What a text says was done in vain is not advised: longer times, raised limits, larger heaps.

Each text is of its own making; ids and numbers are made up.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders.container_logs import found, told_of

from mprof.intake.outcomes import outcome_of, was_followed
from mprof.intake.settings import stated_in
from mprof.messages.tried_before import in_vain, what_it_was
from mprof.stated_settings import StatedSettings

_ID = "1750000000000_0021"
_TIMEOUT = "mapreduce.task.timeout"
_TIMED_OUT = (
    f"Task Id : attempt_{_ID}_m_000002_0, Status : FAILED\n"
    f"AttemptID:attempt_{_ID}_m_000002_0 Timed out after 300 secs\n"
)
_NO_THREAD = (
    "2024-03-01 10:00:44,716 ERROR [main] org.apache.hadoop.mapred.YarnChild: Error running child "
    ": java.lang.OutOfMemoryError: unable to create native thread\n"
    "\tat java.lang.Thread.start0(Native Method)\n"
    "\tat java.lang.Thread.start(Thread.java:803)\n"
    "\tat com.acme.Fetch.map(Fetch.java:31)\n"
    "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:347)\n"
)
_VIRTUAL = (
    f"Task Id : attempt_{_ID}_m_000002_0, Status : FAILED\n"
    f"Container [pid=7,containerID=container_{_ID}_01_000004] is running beyond virtual memory "
    "limits. Current usage: 90.0 MB of 1 GB physical memory used; 2.4 GB of 2.1 GB virtual memory "
    f"used. Killing container.\nDump of the process-tree for container_{_ID}_01_000004 :\n"
    "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
    "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
    "\t|- 8 7 7 7 (java) 9 2 2576179200 22000 /usr/bin/java -Xmx400m "
    f"org.apache.hadoop.mapred.YarnChild 127.0.0.1 40000 attempt_{_ID}_m_000002_0 4\n"
)


@pytest.mark.parametrize(
    ("written", "millis"),
    [
        ("1800000", "1800000"),
        ("30 min", "1800000"),
        ("20 minutes", "1200000"),
        ("1 h", "3600000"),
        ("900 seconds", "900000"),
        ("0", "0"),
    ],
)
def test_a_time_is_read_in_the_unit_that_people_write(written: str, millis: str) -> None:
    stated = stated_in([(1, f"We set {_TIMEOUT} to {written}.")])

    assert [one.value for one in stated] == [millis]


def test_a_time_of_another_engine_stays_as_it_is_written() -> None:
    stated = stated_in([(1, "We set spark.network.timeout to 600s.")])

    assert [one.value for one in stated] == ["600s"]


@pytest.mark.parametrize(
    ("words", "is_advised"),
    [
        ("They told me to set {} to 15 min. Did that, then it hangs for 15 minutes.", False),
        ("A friend says raise {} to 20 minutes. I tried that: same result.", False),
        ("With {}=3600000 it failed again, an hour later.", False),
        ("With {}=600000 it failed again.", True),  # a smaller step than what is advised
        ("They told me to set {} to 15 min. Is that wise?", True),
        ("Our admin says raise {} to 15 min. If I did that, then it hangs longer?", True),
    ],
)
def test_a_time_that_was_tried_in_vain_is_not_advised(
    words: str, *, is_advised: bool, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, f"{_TIMED_OUT}\n{words.format(_TIMEOUT)}\n")

    assert (f"First aid: {_TIMEOUT}=900000" in report) == is_advised
    assert ("That alone is no remedy" in report) != is_advised


@pytest.mark.parametrize(
    ("words", "was_raised"),
    [
        ("I took the 'increase ulimit' answer, it lasted twice as long, then same.", True),
        ("We raised nproc to 65536 for the yarn user, no change.", True),
        ("TasksMax was doubled on all nodes and it died again at noon.", True),
        ("Should I raise the ulimit? The same error is on the web.", False),
        ("We raised nproc to 65536 last year for HBase.", False),
        ("ulimit is what our admin set.", False),
    ],
)
def test_a_limit_that_was_raised_in_vain_is_not_raised_again(
    words: str, *, was_raised: bool, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, f"{_NO_THREAD}\n{words}\n")

    assert ("is raised on the nodes" in report) != was_raised
    assert ("With a higher limit it died as well" in report) == was_raised


@pytest.mark.parametrize(
    ("words", "is_worse"),
    [
        (
            (
                "A friend says put mapred.child.java.opts -Xmx3g. I changed that (was -Xmx400m) "
                "and now it says 5.1 GB of 2.1 GB virtual memory used."
            ),
            True,
        ),
        ("I tried mapred.child.java.opts=-Xmx2g: same error.", True),
        ("A friend says put mapred.child.java.opts -Xmx3g. What do you think?", False),
        ("I tried mapred.child.java.opts=-Xmx200m: same error.", False),
    ],
)
def test_a_larger_heap_makes_a_kill_for_address_space_worse(
    words: str, *, is_worse: bool, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, f"{_VIRTUAL}\n{words}\n")

    assert ("makes it worse" in report) == is_worse
    assert ("Take it back to -Xmx400m" in report) == is_worse


def test_options_of_both_sides_are_not_those_of_a_jvm_with_another_heap(tmp_path: Path) -> None:
    _, other = told_of(tmp_path, f"{_VIRTUAL}\nWe have mapred.child.java.opts=-Xmx900m.\n")
    _, same = told_of(tmp_path, f"{_VIRTUAL}\nWe have mapred.child.java.opts=-Xmx400m.\n")

    assert "but the task that was killed had -Xmx400m: it was not in force there" in other
    assert "it was not in force there" not in same


@pytest.mark.parametrize(
    ("behind", "followed"),
    [
        (" to 4 GB. Did so, and it died.", True),
        (". We tried it on Monday.", True),
        (". I have done both now.", True),
        (". Should I have done that?", False),
        (". Before I did that, it ran.", False),
        (". What does that do?", False),
    ],
)
def test_whether_advice_was_taken(behind: str, *, followed: bool) -> None:
    assert was_followed(behind) == followed


@pytest.mark.parametrize(
    ("behind", "outcome"),
    [
        (" for one run, then it hangs 30 minutes.", "died"),
        (". It lasted longer, then the same.", "died"),
        (". Now it says 3.9 GB of 2.1 GB virtual memory used.", "died"),
        (", and it got worse.", "died"),
        (". That made it worse: it dies in a minute.", "died"),
        (". It gets worse without a combiner.", ""),
        (". It used to hang before.", ""),
        (". Now it runs.", ""),
    ],
)
def test_what_became_of_it(behind: str, outcome: str) -> None:
    assert outcome_of("We tried it with 4 GB", behind) == outcome


@pytest.mark.parametrize(
    ("name", "old", "new", "died", "is_vain"),
    [
        ("mapreduce.map.memory.mb", "1024", "2048", "3072", True),
        ("mapreduce.map.memory.mb", "1024", "4096", "3072", False),
        ("mapreduce.map.memory.mb", "1024", "3200", "3072", True),  # as good as the same
        ("mapreduce.map.memory.mb", None, "2048", "2048", True),
        ("mapreduce.task.io.sort.mb", "512", "256", "100", True),  # the other way
        ("mapreduce.task.io.sort.mb", "512", "256", "400", False),
        ("mapreduce.task.io.sort.mb", None, "256", "100", False),  # which way is not known
        ("mapreduce.map.java.opts", "-Xmx1g", "-Xmx2048m", "-Xmx2g", True),
        ("mapreduce.map.java.opts", "-Xmx1g", "-Xmx2048m", "-Xmx1500m", False),
        ("spark.executor.memoryOverhead", "1024", "2048", "4g", True),
        ("spark.executor.memory", "4g", "8g", "6g", False),
        ("mapreduce.map.output.compress", "false", "true", "true", True),
        ("mapreduce.map.output.compress", "false", "true", "false", False),
    ],
)
def test_a_smaller_step_the_same_way_was_in_vain_too(
    name: str, old: str | None, new: str, died: str, *, is_vain: bool, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(_TIMED_OUT)
    evidence = found(tmp_path / "a.txt").told[0].diagnosed.evidence
    evidence = replace(evidence, stated=StatedSettings(died_with={name: (died,)}))

    assert (in_vain(evidence, name, old, new) == (died,)) == is_vain


@pytest.mark.parametrize(
    ("was", "old", "new", "back_to"),
    [
        ("100", "512", "256", "100"),
        ("", "512", "256", "100"),  # its default
        ("800", "512", "256", None),
        ("100", None, "256", None),
    ],
)
def test_it_goes_back_only_the_way_that_is_advised(
    was: str, old: str | None, new: str, back_to: str | None, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(_TIMED_OUT)
    evidence = found(tmp_path / "a.txt").told[0].diagnosed.evidence
    name = "mapreduce.task.io.sort.mb"

    assert (
        what_it_was(replace(evidence, stated=StatedSettings(was={name: was})), name, old, new)
        == back_to
    )
