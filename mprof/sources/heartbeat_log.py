"""Logs of JobTrackers and TaskTrackers at level DEBUG: a heartbeat, as each of both logged it.

Hadoop 0.18 to 1. ``JobTracker.heartbeat`` writes as it begins ``Got heartbeat from:
tracker_HOST:ADDRESS (...) with responseId: N``, where N is the number of the answer before;
``TaskTracker.offerService`` writes ``Got heartbeatResponse from JobTracker with responseId: N and M
actions``, where N is that of this answer, one more. It is a short, and so -32768 follows 32767.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mprof.sources.daemon_log import host_of, timed_lines
from mprof.sources.reader import ROWS_AT_ONCE, Losses, Part, Reader
from mprof.store import frame_of

__all__ = ["HEARTBEAT_LOG"]

_WANTED: Final = re.compile(r"\bGot heartbeat(?: from: |Response from JobTracker )")
_RECEIVED: Final = re.compile(
    r"\bGot heartbeat from: tracker_([^:\s]+):\S* (?:\([^()]*\) )?with responseId: (-?\d{1,5})\s*$"
)
_ANSWERED: Final = re.compile(
    r"\bGot heartbeatResponse from JobTracker with responseId: (-?\d{1,5}) and \d+ actions"
)
# as the logger's name: a frame of a stack, which anybody pastes, has a method behind the class
_HEAD: Final = re.compile(rb"\bmapred\.(?:JobTracker|TaskTracker): |Starting (?:Job|Task)Tracker")
_FILE: Final = re.compile(r".+-(?:job|task)tracker-.+\.(?:log|out)(?:\..*)?", re.IGNORECASE)
_NUMBERS: Final = 1 << 16  # of a short
_LARGEST: Final = (1 << 15) - 1


def _read(path: Path, losses: Losses) -> Iterator[Part]:
    own = host_of(path)
    rows: list[dict[str, Any]] = []
    for at_s, line in timed_lines(path, losses, _WANTED):
        received, answered = _RECEIVED.search(line), _ANSWERED.search(line)
        if received is not None:
            number = (int(received[2]) + 1 + _LARGEST + 1) % _NUMBERS - _LARGEST - 1
            rows.append({"host": received[1], "at_s": at_s, "side": "master", "number": number})
        elif answered is not None:
            rows.append({"host": own, "at_s": at_s, "side": "node", "number": int(answered[1])})
        else:
            losses.add("a line of a heartbeat is damaged", line)
        if len(rows) >= ROWS_AT_ONCE:
            yield "heartbeat_lines", frame_of("heartbeat_lines", rows)
            rows = []
    yield "heartbeat_lines", frame_of("heartbeat_lines", rows)


HEARTBEAT_LOG: Final = Reader(
    kind="JobTracker or TaskTracker log",
    recognises=lambda path, head: (
        _HEAD.search(head) is not None or _FILE.fullmatch(path.name) is not None
    ),
    read=_read,
    tables=("heartbeat_lines",),
    lacks_zone=True,
)
