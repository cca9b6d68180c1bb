"""Thread dumps, jstat and lines of a NodeManager beside attempts that were ended for a timeout.

Each text is of its own making; ids and numbers are made up.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_ID = "1750000000000_0023"


def _timed_out(*ends: str) -> str:
    return "\n".join(
        f"24/03/01 10:40:13 INFO mapreduce.Job: Task Id : attempt_{_ID}_{end}, Status : FAILED\n"
        f"AttemptID:attempt_{_ID}_{end} Timed out after 600 secs\n"
        "Container killed by the ApplicationMaster.\n"
        for end in ends
    )


def _dump(top: str) -> str:
    return (
        '"main" prio=10 tid=0x00007f3a3400b800 nid=0x1e2b runnable [0x00007f3a3b0d9000]\n'
        "   java.lang.Thread.State: RUNNABLE\n"
        f"\tat {top}(Native Method)\n"
        "\t- locked <0x00000006a1c0d2e8> (a java.io.BufferedInputStream)\n"
        "\t[the client]\n"
        "\tat com.example.Rates.ask(Rates.java:57)\n"
        "\tat com.example.Sums.reduce(Sums.java:41)\n"
        "\tat org.apache.hadoop.mapreduce.Reducer.run(Reducer.java:171)\n"
    )


def _look(number: int, used: str) -> str:
    return (
        "2024-03-01 10:40:08,377 INFO org.apache.hadoop.yarn.server.nodemanager.containermanager."
        f"monitor.ContainersMonitorImpl: Memory usage of ProcessTree 77{number} for container-id "
        f"container_{_ID}_01_00000{number}: {used} physical memory used; 8.2 GB of 16.8 GB virtual "
        "memory used\n"
    )


_READ = "java.net.SocketInputStream.socketRead0"
_STAT = (
    "  S0     S1     E      O      M     CCS    YGC     YGCT    FGC    FGCT     GCT\n"
    "  0.00  96.88  41.20  12.04  94.37  90.02     21    0.388     2    0.121    0.509\n"
    "  0.00   0.00  22.71  {old}  99.12  97.45    402    9.240    31   14.877   24.117\n"
)


def test_a_dump_in_a_read_names_the_timeout_of_that_read_and_no_longer_one_of_the_task(
    tmp_path: Path,
) -> None:
    _, told = told_of(
        tmp_path, f"{_timed_out('r_000004_0')}\nI ran jstack on it:\n\n{_dump(_READ)}"
    )

    assert "in java.net.SocketInputStream.socketRead0, called by com.example.Rates.ask" in told
    assert "setReadTimeout" in told
    assert "-D mapreduce.task.timeout" not in told


def test_a_dump_in_the_job_own_code_is_no_wait(tmp_path: Path) -> None:
    _, told = told_of(
        tmp_path,
        f"{_timed_out('r_000004_0')}\nI ran jstack on it:\n\n{_dump('com.example.Loop.turn')}",
    )

    assert "setReadTimeout" not in told
    assert "Its main thread was in com.example.Loop.turn" in told


@pytest.mark.parametrize(("heading", "whose"), [("r_000007_1", 7), ("r_000004_0", 4)])
def test_a_dump_of_several_is_of_the_one_named_last_above_it(
    tmp_path: Path, heading: str, whose: int
) -> None:
    ends = _timed_out("r_000004_0", "r_000007_1")

    _, told = told_of(
        tmp_path, f"{ends}\nI looked at {heading}.\n\nA jstack of it shows\n\n{_dump(_READ)}"
    )

    assert f"taken for that of attempt_{_ID}_{heading}, which is named last above it" in told
    assert f"Attempt attempt_{_ID}_r_00000{whose}_" in told


@pytest.mark.parametrize(("running", "is_shown"), [("r_000004_1", True), ("r_000009_0", False)])
def test_a_dump_of_an_attempt_that_still_ran_is_said_to_be_of_that_one(
    tmp_path: Path, running: str, *, is_shown: bool
) -> None:
    ends = _timed_out("r_000004_0", "r_000007_1", "r_000004_0")
    shell = f"$ jps -m\n4711 YarnChild 10.2.3.4 41522 attempt_{_ID}_{running} 19\n$ jstack 4711\n"

    _, told = told_of(tmp_path, f"{ends}\nThe next one hangs as well.\n\n{shell}\n{_dump(_READ)}")

    assert (
        f"the thread dump is of attempt_{_ID}_{running}, a later attempt of the task of" in told
    ) is is_shown
    assert ("setReadTimeout" in told) is is_shown
    assert "named last above it" not in told


@pytest.mark.parametrize(
    ("shown", "said", "not_said"),
    [
        (_STAT.format(old="31.80"), "the old generation 31.80 % full: where", "was short."),
        (_STAT.format(old="99.98"), "of such a task, its heap was short", ""),
        (_STAT.format(old="88.00"), "Timed out", "old generation 88"),
        ("jstat -gcutil shows E 61 %, O 9 %, FGC 2.", "the old generation 9 % full", ""),
        (_look(3, "1.1 GB of 8 GB"), "last look in the text has 1.1 GB of 8 GB in use", ""),
        (_look(3, "1.1 GB of 8 GB") + _look(4, "2 GB of 8 GB"), "Timed out", "last look"),
    ],
)  # fmt: skip
def test_what_was_measured_beside_it_is_said_and_of_several_processes_nothing(
    tmp_path: Path, shown: str, said: str, not_said: str
) -> None:
    _, told = told_of(tmp_path, f"{_timed_out('r_000004_0')}\nI have this as well:\n\n{shown}")

    assert said in told
    assert not not_said or not_said not in told


def test_a_longer_timeout_with_which_it_died_as_well_is_not_advised(tmp_path: Path) -> None:
    name = "mapreduce.task.timeout"
    tried = f"I also tried {name}=1800000: it died as before, only later.\n"

    _, before = told_of(tmp_path, _timed_out("r_000004_0"))
    _, told = told_of(tmp_path, f"{_timed_out('r_000004_0')}\n{tried}")

    assert f"-D {name}=1800000" in before
    assert f"-D {name}" not in told
    assert f"With {name}=1800000 it died as well, as the text says." in told


_COLUMNS = "  S0     S1     E      O      M     CCS    YGC     YGCT    FGC    FGCT     GCT\n"


def _looks(old: str, *, full_s: float, every: str = "5000", rows: int = 5, pid: int = 4711) -> str:
    """Rows of jstat: in each, one full collection more, of so many seconds."""
    return f"$ jstat -gcutil {pid} {every} {rows}\n{_COLUMNS}" + "".join(
        f"  0.00   0.00  99.00  {old}  97.00  95.00     31   14.882   {100 + n}  "
        f"{200 + n * full_s:.3f}  {215 + n * full_s:.3f}\n"
        for n in range(rows)
    )


_JSTACK = f"$ jstack 4711\n{_dump('com.example.Loop.turn')}"
_FULL = "4 full collections in 20 s took {} % of the time and left its old generation"
_SEEN = {
    "back to back": (_looks("99.98", full_s=4.9), _FULL.format(98)),
    "in seconds": (_looks("97.10", full_s=4, every="5s"), _FULL.format(80)),
    "half of the time": (_looks("99.98", full_s=2.5), "jstat, of the process whose threads"),
    "not full": (_looks("88.00", full_s=4.9), "its old generation 88.00 % full"),
    "no time between": (_looks("99.98", full_s=4.9, every=""), "its old generation 99.98 % full"),
    "too short": (_looks("99.98", full_s=4.9, rows=2), "its old generation 99.98 % full"),
    "of another process": (
        _looks("99.98", full_s=4.9, pid=4712),
        "mprof cannot tell whether they are of this process",
    ),
}


@pytest.mark.parametrize("case", _SEEN)
def test_a_heap_that_jstat_shows_full_and_collecting_is_what_the_timeout_was_for(
    case: str, tmp_path: Path
) -> None:
    looks, said = _SEEN[case]
    text = f"{_timed_out('r_000004_0')}\nI logged on to the node of r_000004_0:\n\n{looks}\n"

    kinds, told = told_of(tmp_path, f"{text}{_JSTACK}")

    is_full = said.startswith("4 full")
    assert said in told.replace("\n", " ")
    assert kinds == ["gc-overhead" if is_full else "not-memory"]
    assert ("-D mapreduce.task.timeout" in told) != is_full
    assert "no collections of it were read" not in told


def test_others_that_timed_out_are_told_with_the_one_that_was_looked_at(tmp_path: Path) -> None:
    ends = _timed_out("r_000007_0", "r_000004_0")
    text = f"{ends}\nThe node of r_000004_0:\n\n{_looks('99.98', full_s=4.9)}\n{_JSTACK}"

    _, told = told_of(tmp_path, text)
    shorter = text.replace("r_000007_0 Timed out after 600", "r_000007_0 Timed out after 300")
    _, other = told_of(tmp_path, shorter)

    assert "2 FAILURES, ALIKE" in told
    assert "2 FAILURES, ALIKE" not in other


def test_jstat_without_a_thread_dump_is_of_a_process_that_is_not_named(tmp_path: Path) -> None:
    kinds, told = told_of(
        tmp_path, f"{_timed_out('r_000004_0')}\nOn the node:\n\n{_looks('99.98', full_s=4.9)}"
    )

    assert kinds == ["not-memory"]
    assert "mprof cannot tell whether they are of this process" in told
