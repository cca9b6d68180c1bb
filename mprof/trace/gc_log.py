"""Collections in a garbage collection log, of unified logging (JDK 9 and later) or of JDK 8.

The agent's ``memory`` events hold the same, with positions; the log is for jobs without the agent,
and for the end of a full heap, to which the agent does not listen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from mprof.units import parse_jvm_size

__all__ = ["Collection", "parse_gc_log"]

_SIZE: Final = r"(?<![\d.,])\d{1,15}(?:[.,]\d{1,6})?[BKMG]"
# names of collections and of their causes; of digits they have those of G1 alone
_WORDS: Final = r"(?:[^\d\[]|\bG1\b)"
# What stands before it are the decorations that -Xlog asks for, in any number and order:
# [12.345s][info][gc] GC(7) Pause Full (Allocation Failure) 455M->450M(512M) 123.456ms
_UNIFIED: Final = re.compile(
    rf"GC\((?P<number>\d+)\) (?P<what>Pause (?P<kind>[A-Z][a-z]+){_WORDS}*?) ?"
    rf"(?P<before>{_SIZE})->(?P<after>{_SIZE})\((?P<total>{_SIZE})\)"
    r"(?: (?P<ms>\d{1,9}[.,]\d{1,6})ms)?"
)
# ZGC, whose collections are no pauses; per cent are of the largest heap; seconds since JDK 21
# [9.87s][info][gc] GC(5) Garbage Collection (Allocation Stall) 200M(100%)->196M(98%)
# [9.87s][info][gc] GC(5) Major Collection (Allocation Stall) 200M(100%)->196M(98%) 0.123s
_ZGC: Final = re.compile(
    r"GC\((?P<number>\d+)\) "
    r"(?P<what>(?P<kind>Garbage|Major|Minor) Collection \([^)]*\)) "
    rf"(?P<before>{_SIZE})\((?P<percent>\d{{1,3}})%\)->(?P<after>{_SIZE})\(\d{{1,3}}%\)"
    r"(?: (?P<s>\d{1,9}[.,]\d{1,6})s)?"
)
# up to JDK 8, with -XX:+PrintGCDetails and with -verbose:gc
# 12.345: [Full GC (Ergonomics) [PSYoungGen: 1K->0K(2K)] [ParOldGen: ...] 699392K->699390K(1005056K)
# 12.345: [GC 65536K->8131K(251392K), 0.0091234 secs]
_JDK8: Final = re.compile(
    rf"\[(?P<what>(?P<kind>Full GC|GC)\b{_WORDS}*)"
    rf"(?:.*\]\s*|[^\[]*?)(?P<before>{_SIZE})->(?P<after>{_SIZE})\((?P<total>{_SIZE})\)"
)
_JDK8_SECONDS: Final = re.compile(r", (\d{1,9}[.,]\d{1,9}) secs\]")
# the time before a collection; of dates only where the time since the start is missing
_UPTIME: Final = re.compile(
    r"(?<![\d.,+:-])(?:(\d{1,19}(?:[.,]\d{1,9})?)(s|ms|ns)\]|(\d{1,9}[.,]\d{1,9}): )"
)
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.,]\d{3}")
_PER_S: Final = {"s": 1, "ms": 1_000, "ns": 1_000_000_000}
_MAJOR: Final = ("Full", "Garbage", "Major", "Degenerated")
_STALL: Final = "Allocation Stall"


@dataclass(frozen=True, slots=True)
class Collection:
    """One collection.

    Attributes:
        uptime_s: seconds since the start of the JVM, at its end (of JDK 8: at its beginning);
            since any fixed moment where the log has the time of day alone, None where it has none.
        major: it was one of the whole heap.
        used_before: bytes of the heap in use before it.
        used_after: the same after it.
        committed: size of the heap.
        what: its kind and cause in the JVM's words.
        seconds: for how long the program stood still for it, or waited for its end.
        is_first: whether the log counts them, and none came before it.
    """

    uptime_s: float | None
    major: bool
    used_before: int
    used_after: int
    committed: int
    what: str
    seconds: float = 0.0
    is_first: bool = True


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
    uptime, before = _time_s(line[: match.start()]), _bytes(match["before"])
    groups = match.groupdict()
    return Collection(
        uptime_s=uptime,
        major=match["kind"].startswith(_MAJOR),
        used_before=before,
        used_after=_bytes(match["after"]),
        committed=_committed(groups, before),
        what=match["what"].strip(),
        seconds=_seconds(groups, line, uptime, last),
        is_first=int(groups.get("number") or 1) == 0,
    )


def _committed(groups: dict[str, str | None], before: int) -> int:
    total, percent = groups.get("total"), groups.get("percent")
    if total is not None:
        return _bytes(total)
    share = int(percent or 0)
    return before * 100 // share if share > 0 else before


def _seconds(
    groups: dict[str, str | None], line: str, uptime_s: float | None, last: Collection | None
) -> float:
    if "total" not in groups:
        if _STALL not in line:
            return 0.0
        told = groups.get("s")
        if told is not None:
            return _number(told)
        if last is None or _STALL not in last.what or uptime_s is None or last.uptime_s is None:
            return 0.0
        return max(0.0, uptime_s - last.uptime_s)
    if "ms" in groups:
        return _number(groups["ms"] or "0") / 1000
    times = _JDK8_SECONDS.findall(line)
    return _number(times[-1]) if times else 0.0


def _time_s(head: str) -> float | None:
    """The time that stands before a collection; None where none does."""
    uptime, date = _UPTIME.search(head), _DATE.search(head)
    if uptime is not None:
        return _number(uptime[1]) / _PER_S[uptime[2]] if uptime[1] else _number(uptime[3])
    try:
        told = datetime.fromisoformat(date[0].replace(",", ".")) if date is not None else None
    except ValueError:
        return None
    return told.replace(tzinfo=UTC).timestamp() if told is not None else None


def _bytes(text: str) -> int:
    return round(_number(text[:-1]) * parse_jvm_size(f"1{text[-1]}"))


def _number(text: str) -> float:
    return float(text.replace(",", "."))
