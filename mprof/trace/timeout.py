"""An attempt that was killed because it made no progress: Hadoop's words for it.

Sources of the wording: 1.x, ``TaskTracker.markUnresponsiveTasks``; 2.x to 3.3,
``TaskHeartbeatHandler``; 3.4 names both limits and which of them was met (a task is *stuck* where
it never reported at all).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Timeout", "parse_timeout"]

_SECONDS: Final = r"(?P<seconds>\d{1,9})"
_WORDS: Final = (
    re.compile(rf"task timeout set: {_SECONDS} ?s, taskTimedOut: true"),
    re.compile(rf"task stuck timeout set: {_SECONDS} ?s, taskStuck: true"),
    re.compile(rf"(?i)\bTimed out after {_SECONDS} secs"),
    re.compile(rf"(?i)\bfailed to report status for {_SECONDS} seconds"),
)


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
