"""An attempt that was killed because it made no progress: Hadoop's words for it.

Sources of the wording: 1.x, ``TaskTracker.markUnresponsiveTasks``; 2.x to 3.3,
``TaskHeartbeatHandler``; 3.4 names both limits and which of them was met (a task is *stuck* where
it never reported at all).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Timeout", "parse_timeout", "printed_in"]

_SECONDS: Final = r"(?P<seconds>\d{1,9})"
_WORDS: Final = (
    re.compile(rf"task timeout set: {_SECONDS} ?s, taskTimedOut: true"),
    re.compile(rf"task stuck timeout set: {_SECONDS} ?s, taskStuck: true"),
    re.compile(rf"(?i)\bTimed out after {_SECONDS} sec"),
    re.compile(rf"(?i)\bfailed to report status for {_SECONDS} seconds"),
)
# JobClient.displayTaskLogs of 1.x: a line of the standard output, then error, of a failed attempt
_PRINTED: Final = re.compile(r"^attempt_\d+_\d+_[mr]_\d+_\d+: (\S.*)$", re.MULTILINE)
_OF_LOG4J: Final = "log4j:"  # that it is not set up, as nearly every task of 1.x prints
_MOST_OF_A_LINE: Final = 200  # characters


@dataclass(frozen=True, slots=True)
class Timeout:
    """A kill for want of progress: after so many seconds, and the line that says so."""

    seconds: int
    line: str


def parse_timeout(text: str | None) -> Timeout | None:
    """The timeout that diagnostics tell of; None where they tell of none."""
    for pattern in _WORDS:
        match = pattern.search(text or "")
        if match is not None:
            lines = (line for line in (text or "").split("\n") if pattern.search(line))
            return Timeout(int(match["seconds"]), next(lines, match[0]).strip())
    return None


def printed_in(text: str) -> tuple[str, ...]:
    """What an attempt had printed itself, by the lines below its end, without frames.

    >>> printed_in("attempt_201201010000_0001_m_000000_0: device lost")
    ('device lost',)
    """
    lines = (line.rstrip() for line in _PRINTED.findall(text))
    told = [line for line in lines if not line.startswith((_OF_LOG4J, "at ", "... "))]
    return tuple(
        line if len(line) <= _MOST_OF_A_LINE else f"{line[:_MOST_OF_A_LINE]} ..." for line in told
    )
