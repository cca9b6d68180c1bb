"""Lines of the logs of Hadoop's daemons: their time, their host, and what all daemons write.

Daemons write ``%d{ISO8601}``, and ``%d{yy/MM/dd HH:mm:ss}`` on the console (Hadoop's
``log4j.properties``). Neither has a time zone: here a time is that of a clock in UTC, and whoever
imports the log says where it was written (``mprof.sources.zones``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from mprof.sources.reader import Losses, head_of, lines_of
from mprof.units import parse_long

__all__ = ["heartbeat_in", "host_of", "job_of_container", "timed_lines"]

_ISO: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)[,.](\d{3})\d*(?:Z|\b)")
_CONSOLE: Final = re.compile(r"(\d\d)/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)()\b")
_CENTURY: Final = 2000
# hadoop-<user>-<daemon>-<host>.log, a number or a date behind it (hadoop-functions.sh)
_FILE: Final = re.compile(
    r".+-(?:datanode|nodemanager|tasktracker)-(.+?)\.(?:log|out)(?:\..*)?", re.IGNORECASE
)
# StringUtils.startupShutdownMessage
_STARTED: Final = re.compile(r"STARTUP_MSG:\s+host = ([^/\s]+)")
# ProtobufRpcEngine.Invoker, at level DEBUG
_CALL: Final = re.compile(r"Call: (nodeHeartbeat|sendHeartbeat) took (\d{1,9}) ?ms")
_CONTAINER: Final = re.compile(r"container_(?:e\d+_)?(\d+)_(\d+)_\d+_\d+")


@lru_cache(maxsize=64)
def _day_s(year: str, month: str, day: str) -> float | None:
    try:
        return datetime(int(year), int(month), int(day), tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _at_s(line: str) -> float | None:
    """The time at which a line was written; None where it does not begin with one."""
    found = _ISO.match(line)
    if found is None:
        found = _CONSOLE.match(line)
        if found is None:
            return None
        day_s = _day_s(str(_CENTURY + int(found[1])), found[2], found[3])
    else:
        day_s = _day_s(found[1], found[2], found[3])
    if day_s is None:
        return None
    seconds = int(found[4]) * 3600 + int(found[5]) * 60 + int(found[6])
    return day_s + seconds + int(found[7] or 0) / 1000


def timed_lines(path: Path, losses: Losses, wanted: re.Pattern[str]) -> Iterator[tuple[float, str]]:
    """The lines in which ``wanted`` is found, with their times in seconds.

    A log is mostly of other things: what does not hold ``wanted`` is no loss.
    """
    for line in lines_of(path, losses):
        if wanted.search(line) is None:
            continue
        at_s = _at_s(line)
        if at_s is None:
            losses.add("a line has no time", line)
        else:
            yield at_s, line


def host_of(path: Path) -> str | None:
    """The host whose daemon wrote a log: by the name of the file, or its first lines."""
    named = _FILE.fullmatch(path.name)
    if named is not None:
        return named[1]
    started = _STARTED.search(head_of(path).decode("utf-8", "replace"))
    return None if started is None else started[1]


def heartbeat_in(line: str, at_s: float, host: str | None) -> dict[str, Any] | None:
    """The heartbeat that a line tells of: the daemon's call to its master, by one clock."""
    call = _CALL.search(line) if "Call: " in line else None
    if call is None:
        return None
    return {"host": host, "at_s": at_s, "kind": call[1], "round_trip_s": int(call[2]) / 1000}


def job_of_container(container: str) -> str | None:
    """The job that a container is for.

    >>> job_of_container("container_e17_1410450250506_0003_01_000002")
    'job_1410450250506_0003'
    """
    found = _CONTAINER.fullmatch(container)
    if found is None or parse_long(found[1]) is None:
        return None
    return f"job_{found[1]}_{found[2]}"
