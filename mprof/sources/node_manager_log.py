"""Logs of NodeManagers: the containers that ran on a node, and the heartbeats.

``ContainerImpl.handle`` writes ``Container C transitioned from A to B``, in all lines of YARN. A
NodeManager does not know of task attempts: the rows have the container in the column ``attempt``
and no kind, so that they are not taken for the attempts of a job history. What the node may give to
containers is in ``NodeStatusUpdaterImpl``: ``Registered with ResourceManager as N with total
resource of <memory:M, vCores:V>``, M in MB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mprof.sources.daemon_log import heartbeat_in, host_of, job_of_container, timed_lines
from mprof.sources.reader import ROWS_AT_ONCE, Losses, Part, Reader, lines_of
from mprof.store import frame_of
from mprof.units import parse_long

__all__ = ["NODE_MANAGER_LOG"]

_WANTED: Final = re.compile(
    r"\bContainer container_\S+ transitioned from |Call: nodeHeartbeat took |"
    r"Registered with ResourceManager as |"
    r"Container \[pid=-?\d+,containerID=container_\w+\]"
)
_RESOURCE: Final = re.compile(r"with total resource of <memory:(\d+), vCores:(\d+)\b")
_MIB: Final = 1 << 20
_MOVED: Final = re.compile(
    r"\bContainer (container_[\w]+) transitioned from ([A-Z_]+) to ([A-Z_]+)\s*$"
)
# ContainersMonitorImpl, before the container is KILLING
_OVER: Final = re.compile(
    r"(Container \[pid=-?\d+,containerID=(container_\w+)\] is running .*"
    r"(?:beyond (?:physical|virtual) memory limits|beyond the '\w+' memory limit).*)$"
)
_FOR_MEMORY: Final = "killed for memory"
_RUNNING: Final = "RUNNING"
_DONE: Final = "DONE"
# The state that a container leaves RUNNING for says how it ended (ContainerState).
_ENDS: Final = {
    "EXITED_WITH_SUCCESS": "succeeded",
    "EXITED_WITH_FAILURE": "failed",
    "LOCALIZATION_FAILED": "failed",
    "KILLING": "killed",
    "CONTAINER_CLEANEDUP_AFTER_KILL": "killed",
}
_MOST_OPEN: Final = 100_000
_MOST_MOVES: Final = 16  # of a container, whose states are some ten
_HEAD: Final = re.compile(rb"server\.nodemanager\b|Starting NodeManager|ContainerImpl\b")
_FILE: Final = re.compile(r".+-nodemanager-.+\.(?:log|out)(?:\..*)?", re.IGNORECASE)


def _read(path: Path, losses: Losses) -> Iterator[Part]:
    host = host_of(path)
    open_: dict[str, dict[str, Any]] = {}
    ended: list[dict[str, Any]] = []
    heartbeats: list[dict[str, Any]] = []
    hardware: list[dict[str, Any]] = []
    said: dict[str, str] = {}
    for at_s, line in timed_lines(path, losses, _WANTED):
        heartbeat = heartbeat_in(line, at_s, host)
        if heartbeat is not None:
            heartbeats.append(heartbeat)
            continue
        if "Registered with ResourceManager as " in line:
            hardware = _hardware(line, host)  # the last: it may be set up anew
            continue
        if "containerID=" in line:
            over = _OVER.search(line)
            if over is not None:
                said[over[2]] = over[1].strip()
            continue
        moved = _MOVED.search(line)
        if moved is None:
            losses.add("a container's change of state is damaged", line)
            continue
        container, state = moved[1], moved[3]
        row = open_.setdefault(
            container,
            {
                "attempt": container, "job": job_of_container(container), "host": host,
                "state": "running",
            },
        )  # fmt: skip
        if state == _RUNNING:
            row.setdefault("started_s", at_s)  # a paused container runs again
        elif state in _ENDS and "finished_s" not in row:
            why = said.pop(container, None)
            row |= {"finished_s": at_s, "state": _FOR_MEMORY if why else _ENDS[state], "error": why}
        if state == _DONE:
            ended.append(open_.pop(container))
        elif len(open_) > _MOST_OPEN:  # their ends stand in no log: the oldest is given on
            ended.append(open_.pop(next(iter(open_))))
            said.clear()
        if len(ended) >= ROWS_AT_ONCE:
            yield "attempts", frame_of("attempts", ended)
            ended = []
    yield "attempts", frame_of("attempts", [*ended, *open_.values()])
    yield "heartbeats", frame_of("heartbeats", heartbeats)
    yield "hardware", frame_of("hardware", hardware)


def _carried(path: Path) -> bytes:
    """The lines about containers that are not done: what comes next may be their end."""
    open_: dict[str, list[str]] = {}
    for line in lines_of(path, Losses()):
        moved = _MOVED.search(line)
        if moved is None:
            continue
        if moved[3] == _DONE:
            open_.pop(moved[1], None)
        elif len(open_) < _MOST_OPEN or moved[1] in open_:
            lines = open_.setdefault(moved[1], [])
            if len(lines) < _MOST_MOVES:
                lines.append(line)
    kept = sorted(line for lines in open_.values() for line in lines)  # which begin with the time
    return "".join(f"{line}\n" for line in kept).encode()


def _hardware(line: str, host: str | None) -> list[dict[str, Any]]:
    """What the node may give to containers; nothing where the line does not say it."""
    found = _RESOURCE.search(line)
    mebibytes, processors = map(parse_long, found.groups()) if found else (None, None)
    if not mebibytes or not processors:
        return []
    return [
        {"host": host, "what": "YARN memory", "amount": float(mebibytes * _MIB)},
        {"host": host, "what": "YARN processors", "amount": float(processors)},
    ]


NODE_MANAGER_LOG: Final = Reader(
    kind="NodeManager log",
    recognises=lambda path, head: (
        _HEAD.search(head) is not None or _FILE.fullmatch(path.name) is not None
    ),
    read=_read,
    tables=("attempts", "heartbeats", "hardware"),
    lacks_zone=True,
    carried=_carried,
)
