"""A container that was killed for its memory: what its list of processes shows, and what lifts it.

Each text is of its own making; ids and numbers are made up.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_ID = "1710000000000_0004_01_000007"
_KILLED = (
    "Container [pid=50,containerID=container_{id}] is running beyond {limit} memory limits. "
    "Current usage: {used} of {size} physical memory used; {virtual} virtual memory used. Killing "
    "container.\nDump of the process-tree for container_{id} :\n"
    "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
    "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
)
_CHILD = "org.apache.hadoop.mapred.YarnChild 10.0.0.1 4711 attempt_1710000000000_0004_r_000002_0 7"


def _physical(*rows: str, used: str = "2.0 GB", size: str = "2 GB") -> str:
    head = _KILLED.format(
        id=_ID, limit="physical", used=used, size=size, virtual="3.3 GB of 4.2 GB"
    )
    return head + "".join(f"\t|- {one}\n" for one in rows)


def _jvm(pages: int, heap: str, rest: str = "-Dmore=") -> str:
    return f"51 50 50 50 (java) 900 80 3500000000 {pages} /jdk/bin/java -Xmx{heap} {rest}"


def test_what_a_jvm_took_beside_a_heap_that_fits_gets_its_change(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, _physical(_jvm(525_000, "1638m")))

    assert "-Xmx1638m leaves it 410 MB there, and it took 413 MB or more outside" in report
    assert "mapreduce.map.memory.mb=4096 of a map task, mapreduce.reduce.memory.mb=4096" in report
    assert "-XX:MaxDirectMemorySize bounds direct buffers" in report
    assert "No cause is named" not in report
    # the list has lost the first process, and may have lost others
    assert "0 B to 48 MB child processes" in report


@pytest.mark.parametrize(
    "row",
    [
        _jvm(525_000, "1800m"),  # more than Hadoop itself gives a heap
        _jvm(480_000, "1638m"),  # what is outside may be less than what the container leaves there
        _jvm(525_000, "1638m", _CHILD),  # a reducer, of which the setting is known
    ],
)
def test_without_that_much_outside_or_with_its_side_it_is_not_said(
    row: str, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, _physical(row))

    assert "or more outside of its heap" not in report


def test_the_heap_in_the_command_of_a_list_that_is_cut_decides(tmp_path: Path) -> None:
    shell = f"50 49 50 50 (bash) 1 1 9000000 300 /bin/bash -c /jdk/bin/java -Xmx{{}} {_CHILD} 1>/l"
    attempt = "attempt_1710000000000_0004_r_000002_0, Status : FAILED\n"

    _, fits = told_of(tmp_path, attempt + _physical(shell.format("1500m")))
    _, too_large = told_of(tmp_path, attempt + _physical(shell.format("2000m")))

    assert "although -Xmx1500m leaves 548 MB beside the heap" in fits
    assert "cannot be said without its -Xmx" not in fits
    assert "the list of processes in the text is cut off" in fits
    assert "-Xmx2000m alone is 98 % of it" in too_large


def _virtual(heap: str) -> str:
    head = _KILLED.format(
        id="1710000000000_0004_01_000001", limit="virtual", used="90.0 MB", size="512 MB",
        virtual="1.5 GB of 1.0 GB",
    )  # fmt: skip
    return (
        f"{head}\t|- 50 49 50 50 (bash) 1 1 9000000 300 /bin/bash -c /jdk/bin/java -Xmx{heap} "
        "-classpath /conf:/lib com.example.Laun"
    )


def test_the_limit_of_virtual_memory_is_told_with_both_values_that_lift_it(tmp_path: Path) -> None:
    kinds, report = told_of(tmp_path, _virtual("100m"))

    assert kinds == ["application-master"]
    assert "yarn.nodemanager.vmem-check-enabled=false or a ratio above 3.0" in report
    assert "for one job a container of 896 MB" in report  # 512 * 1.5 * 1.1, in steps of 128
    assert "the container of 512 MB" not in report


def test_a_heap_as_large_as_its_container_is_said_of_a_list_that_is_cut(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, _virtual("512m"))

    assert "-Xmx512m is as large as the container of 512 MB" in report


def test_without_the_size_of_the_container_the_limits_are_told_as_shares(tmp_path: Path) -> None:
    lost = (
        "ERROR YarnClusterScheduler: Lost executor 3 on w1: Container killed by YARN for exceeding "
        "memory limits. {} of 4.2 GB virtual memory used.\n"
    )

    _, report = told_of(tmp_path, lost.format("6.3 GB"))
    _, as_told = told_of(tmp_path, lost.format("4.2 GB"))

    assert "more than 1.5 times the ratio (2.1 by default)" in report
    assert "a container 1.7 times as large" in report
    assert "vmem-check-enabled=false or a larger ratio, in yarn-site.xml" in as_told
