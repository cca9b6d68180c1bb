"""What a JVM wrote of its own end for lack of native memory, and what the machine had left."""

from __future__ import annotations

from pathlib import Path

from builders.container_logs import found

from mprof.report import render_findings
from mprof.trace.crash_report import parse_crash_report

_HEAD = """\
#
# There is insufficient memory for the Java Runtime Environment to continue.
# Native memory allocation (mmap) failed to map 1431306240 bytes for committing reserved memory.
# Possible reasons:
#   The system is out of physical RAM or swap space
#  Out of Memory Error (os_linux.cpp:2640), pid=21345, tid=0x00007f1b1c5f6700
#
"""
# of JDK 8
_REST = """\
VM Arguments:
jvm_args: -Djava.net.preferIPv4Stack=true -Xmx4096m -Djava.io.tmpdir=./tmp
java_command: org.apache.hadoop.mapred.YarnChild 10.0.0.1 4 attempt_1700000000000_0042_m_000003_0 5

Heap:
 PSYoungGen      total 305664K, used 262144K [0x00000000eab00000, 0x0000000100000000)
  eden space 262144K, 100% used [0x00000000eab00000,0x00000000fab00000)
 ParOldGen       total 699392K, used 99000K [0x00000000c0000000, 0x00000000eab00000)
 Metaspace       used 30000K, capacity 31000K, committed 31200K, reserved 1077248K

{meminfo}
Memory: 4k page, physical 8388608k({free}k free), swap {swap}
"""


def _report(tmp_path: Path, text: str) -> str:
    path = tmp_path / "hs_err_pid21345.log"
    path.write_text(text)
    return " ".join(render_findings(found(path)).split())


def test_what_the_machine_had_left_stands_beside_what_was_asked_for(tmp_path: Path) -> None:
    rest = _REST.format(meminfo="", free=131072, swap="0k(0k free)")

    report = _report(tmp_path, _HEAD + rest)

    assert "Attempt attempt_1700000000000_0042_m_000003_0" in report
    assert (
        "The JVM (-Xmx4096m) asked the operating system for 1.3 GB more and was refused." in report
    )
    assert "The machine of 8.0 GB had 128 MB free, and no swap." in report
    assert "less than what was asked for, if its page cache had nothing to give back" in report
    assert "Its heap had 982 MB so far, and 353 MB of them were in use." in report
    assert "a smaller -Xmx of mapreduce.map.java.opts" in report


def test_a_machine_with_room_points_to_another_limit(tmp_path: Path) -> None:
    available = "/proc/meminfo:\nMemAvailable:    4194304 kB\n"
    rest = _REST.format(meminfo=available, free=131072, swap="1048576k(524288k free)")

    report = _report(tmp_path, _HEAD + rest)

    assert "128 MB free, 4.0 GB with what its page cache gives back, and 512 MB of 1.0 GB" in report
    assert "so another limit is likely: ulimit -v" in report
    assert "sysctl vm.overcommit_memory" in report
    assert "fewer or smaller processes" not in report


def test_the_head_alone_says_how_much_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "stdout"
    path.write_text(_HEAD)

    report = " ".join(render_findings(found(path)).split())

    assert "refused the JVM more memory when it asked for 1.3 GB" in report
    assert "The machine of" not in report


def test_the_metaspace_is_no_part_of_the_heap() -> None:
    lines = (_HEAD + _REST.format(meminfo="", free=1, swap="0k(0k free)")).split("\n")

    crash = parse_crash_report(lines)

    assert crash is not None
    assert crash.heap_bytes == (305664 + 699392) * 1024
    assert crash.heap_used_bytes == (262144 + 99000) * 1024


def test_a_limit_of_a_control_group_is_read_where_there_is_one() -> None:
    group = "container (cgroup) information:\nmemory_limit_in_bytes: 1048576 k\n"

    crash = parse_crash_report((_HEAD + group).split("\n"))
    none = parse_crash_report((_HEAD + "memory_limit_in_bytes: -1\n").split("\n"))

    assert crash is not None
    assert crash.group_bytes == 1 << 30
    assert none is not None
    assert none.group_bytes is None


def test_a_text_without_a_refused_request_is_no_report() -> None:
    assert parse_crash_report(["Memory: 4k page, physical 1k(1k free), swap 0k(0k free)"]) is None
