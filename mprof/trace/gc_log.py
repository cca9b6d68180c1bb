"""Collections in a garbage collection log, of unified logging (JDK 9 and later) or of JDK 8.

The agent's ``memory`` events hold the same, with positions; the log is for jobs without the agent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mprof.units import parse_jvm_size

__all__ = ["Collection", "parse_gc_log"]

# [12.345s][info][gc] GC(7) Pause Full (Allocation Failure) 455M->450M(512M) 123.456ms
_UNIFIED: Final = re.compile(
    r"\[(?P<uptime>\d+[.,]\d+)s\].*?GC\(\d+\) (?P<what>Pause (?P<kind>Full|Young|Remark)[^0-9]*?) ?"
    r"(?P<before>\d{1,15}[KMG])->(?P<after>\d{1,15}[KMG])\((?P<total>\d{1,15}[KMG])\)"
)
# 12.345: [Full GC (Ergonomics) [PSYoungGen: 1K->0K(2K)] [ParOldGen: ...] 699392K->699390K(1005056K)
_JDK8: Final = re.compile(
    r"(?P<uptime>\d+[.,]\d+): \[(?P<what>(?P<kind>Full GC|GC)[^\[]*)"
    r"(?:.*\]\s*|[^\[]*?)(?P<before>\d{1,15}K)->(?P<after>\d{1,15}K)\((?P<total>\d{1,15}K)\)"
)


@dataclass(frozen=True, slots=True)
class Collection:
    """One collection: seconds since JVM start; heap bytes used before and after, and committed."""

    uptime_s: float
    major: bool
    used_before: int
    used_after: int
    committed: int
    what: str


def parse_gc_log(text: str) -> tuple[Collection, ...]:
    """The collections in a log; all other lines are skipped."""
    found = []
    for line in text.split("\n"):
        match = _UNIFIED.search(line) or _JDK8.search(line)
        if match is not None:
            found.append(
                Collection(
                    uptime_s=float(match["uptime"].replace(",", ".")),
                    major=match["kind"].startswith("Full"),
                    used_before=parse_jvm_size(match["before"]),
                    used_after=parse_jvm_size(match["after"]),
                    committed=parse_jvm_size(match["total"]),
                    what=match["what"].strip(),
                )
            )
    return tuple(found)
