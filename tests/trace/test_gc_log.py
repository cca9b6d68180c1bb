"""The lines in which each collector of HotSpot tells of a collection."""

from __future__ import annotations

import pytest

from mprof.trace import parse_gc_log
from mprof.units import KIB, MIB

LINES = {
    "G1, a young one": (
        "[2.345s][info][gc] GC(3) Pause Young (Normal) (G1 Evacuation Pause) 301M->88M(512M) 9.1ms",
        (False, 301 * MIB, 88 * MIB, 512 * MIB),
    ),
    "G1, of the whole heap": (
        "[2.345s][info][gc] GC(9) Pause Full (G1 Compaction Pause) 511M->509M(512M) 812.113ms",
        (True, 511 * MIB, 509 * MIB, 512 * MIB),
    ),
    "asked for": (
        "[2.345s][info][gc] GC(9) Pause Full (System.gc()) 511M->9M(512M) 12.113ms",
        (True, 511 * MIB, 9 * MIB, 512 * MIB),
    ),
    "Parallel": (
        "[2.345s][info][gc] GC(9) Pause Full (Ergonomics) 511M->509M(512M) 812.113ms",
        (True, 511 * MIB, 509 * MIB, 512 * MIB),
    ),
    "JDK 8 with details": (
        (
            "2.345: [Full GC (Ergonomics) [PSYoungGen: 12K->11K(13K)] [ParOldGen: 90K->89K(91K)] "
            "102K->100K(104K), [Metaspace: 3K->3K(9K)], 0.2 secs]"
        ),
        (True, 102 * KIB, 100 * KIB, 104 * KIB),
    ),
    "JDK 8 without": (
        "2.345: [GC (Allocation Failure)  65536K->8131K(251392K), 0.0051 secs]",
        (False, 65536 * KIB, 8131 * KIB, 251392 * KIB),
    ),
    "JDK 8 without a cause": (
        "2.345: [Full GC 65536K->65531K(251392K), 1.0051 secs]",
        (True, 65536 * KIB, 65531 * KIB, 251392 * KIB),
    ),
    "G1 of JDK 8": (
        "2.345: [GC pause (G1 Evacuation Pause) (young) 601M->580M(1024M), 0.0109 secs]",
        (False, 601 * MIB, 580 * MIB, 1024 * MIB),
    ),
    "G1 of JDK 8, of the whole heap": (
        "2.345: [Full GC (Allocation Failure)  1023M->1021M(1024M), 2.1012345 secs]",
        (True, 1023 * MIB, 1021 * MIB, 1024 * MIB),
    ),
}


@pytest.mark.parametrize("collector", LINES)
def test_a_collection_is_read_with_its_sizes(collector: str) -> None:
    line, (major, before, after, size) = LINES[collector]

    (one,) = parse_gc_log(line)

    assert (one.major, one.used_before, one.used_after, one.committed) == (
        major, before, after, size,
    )  # fmt: skip
    assert one.uptime_s == 2.345


@pytest.mark.parametrize(
    "line",
    [
        "[2.345s][info][gc,start] GC(9) Pause Full (G1 Compaction Pause)",
        "[2.345s][info][gc,heap] GC(9) Eden regions: 5->0(7)",
        "GC is slow: 511M->509M(512M)",
    ],
)
def test_other_lines_tell_of_none(line: str) -> None:
    assert parse_gc_log(line) == ()
