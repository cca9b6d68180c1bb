"""Collections in a garbage collection log, of unified logging (JDK 9 and later) or of JDK 8.

The agent's ``memory`` events hold the same, with positions; the log is for jobs without the agent,
and for the end of a full heap, to which the agent does not listen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mprof.units import parse_jvm_size

__all__ = ["Collection", "parse_gc_log"]

_SIZE: Final = r"\d{1,15}[KMG]"
# [12.345s][info][gc] GC(7) Pause Full (Allocation Failure) 455M->450M(512M) 123.456ms
_UNIFIED: Final = re.compile(
    r"\[(?P<uptime>\d+[.,]\d+)s\].*?GC\(\d+\) "
    # the cause may have a digit: (G1 Compaction Pause)
    r"(?P<what>Pause (?P<kind>Full|Young|Degenerated|Remark)[^\[\]]{0,120}?) ?"
    rf"(?<!\d)(?P<before>{_SIZE})->(?P<after>{_SIZE})\((?P<total>{_SIZE})\)"
    r"(?: (?P<ms>\d{1,9}[.,]\d{1,6})ms)?"
)
# ZGC, whose collections are no pauses; per cent are of the largest heap; seconds since JDK 21
# [9.87s][info][gc] GC(5) Garbage Collection (Allocation Stall) 200M(100%)->196M(98%)
# [9.87s][info][gc] GC(5) Major Collection (Allocation Stall) 200M(100%)->196M(98%) 0.123s
_ZGC: Final = re.compile(
    r"\[(?P<uptime>\d+[.,]\d+)s\].*?GC\(\d+\) "
    r"(?P<what>(?P<kind>Garbage|Major|Minor) Collection \([^)]*\)) "
    rf"(?P<before>{_SIZE})\((?P<percent>\d{{1,3}})%\)->(?P<after>{_SIZE})\(\d{{1,3}}%\)"
    r"(?: (?P<s>\d{1,9}[.,]\d{1,6})s)?"
)
# 12.345: [Full GC (Ergonomics) [PSYoungGen: 1K->0K(2K)] [ParOldGen: ...] 699392K->699390K(1005056K)
_JDK8: Final = re.compile(
    r"(?P<uptime>\d+[.,]\d+): \[(?P<what>(?P<kind>Full GC|GC)[^\[]*)"
    r"(?:.*\]\s*|[^\[]*?)(?<!\d)(?P<before>\d{1,15}[KM])->(?P<after>\d{1,15}[KM])"
    r"\((?P<total>\d{1,15}[KM])\)"
)
_JDK8_SECONDS: Final = re.compile(r", (\d{1,9}[.,]\d{1,9}) secs\]")
_MAJOR: Final = ("Full", "Garbage", "Major", "Degenerated")
_STALL: Final = "Allocation Stall"


@dataclass(frozen=True, slots=True)
class Collection:
    """One collection.

    Attributes:
        uptime_s: seconds since the start of the JVM, at its end (of JDK 8: at its beginning).
        major: it was one of the whole heap.
        used_before: bytes of the heap in use before it.
        used_after: the same after it.
        committed: size of the heap.
        what: its kind and cause in the JVM's words.
        seconds: for how long the program stood still for it, or waited for its end.
    """

    uptime_s: float
    major: bool
    used_before: int
    used_after: int
    committed: int
    what: str
    seconds: float = 0.0


def parse_gc_log(text: str) -> tuple[Collection, ...]:
    """The collections in a log; all other lines are skipped.

    A concurrent collection of ZGC holds nobody up; one that an allocation stall has caused does,
    since the thread before it had to wait for its end.
    """
    found: list[Collection] = []
    for line in text.split("\n") if "GC" in text else ():
        match = _UNIFIED.search(line) or _ZGC.search(line) or _JDK8.search(line)
        if match is not None:
            found.append(_collection(match, line, found[-1] if found else None))
    return tuple(found)


def _collection(match: re.Match[str], line: str, last: Collection | None) -> Collection:
    uptime, before = _number(match["uptime"]), parse_jvm_size(match["before"])
    groups = match.groupdict()
    return Collection(
        uptime_s=uptime,
        major=match["kind"].startswith(_MAJOR),
        used_before=before,
        used_after=parse_jvm_size(match["after"]),
        committed=_committed(groups, before),
        what=match["what"].strip(),
        seconds=_seconds(groups, line, uptime, last),
    )


def _committed(groups: dict[str, str | None], before: int) -> int:
    total, percent = groups.get("total"), groups.get("percent")
    if total is not None:
        return parse_jvm_size(total)
    share = int(percent or 0)
    return before * 100 // share if share > 0 else before


def _seconds(
    groups: dict[str, str | None], line: str, uptime_s: float, last: Collection | None
) -> float:
    if "total" not in groups:
        if _STALL not in line:
            return 0.0
        told = groups.get("s")
        since = uptime_s - last.uptime_s if last is not None and _STALL in last.what else 0.0
        return _number(told) if told is not None else max(0.0, since)
    if "ms" in groups:
        return _number(groups["ms"] or "0") / 1000
    times = _JDK8_SECONDS.findall(line)
    return _number(times[-1]) if times else 0.0


def _number(text: str) -> float:
    return float(text.replace(",", "."))
