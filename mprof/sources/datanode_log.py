"""Logs of DataNodes: the blocks that clients read and wrote, and the heartbeats.

``DataNode.DN_CLIENTTRACE_FORMAT``: ``src: S, dest: D, bytes: B, op: O, cliID: C, offset: F,
srvID: I, blockid: K, duration: N``; in 2.9.2 it is ``duration(ns)``, in 3.4.3 ``volume`` stands
behind ``dest``, both absent in 0.20, whose first releases have neither offset nor duration.
N counts nanoseconds in all of them. A line is written at the
end of what it tells of: of a write by ``BlockReceiver``, of a read by ``BlockSender``, which later
Hadoop does at level DEBUG only. The DataNode is the destination of a write and the source of a
read. Requests of short-circuit reads (``DataXceiver``) have neither bytes nor a duration, but say
whether they succeeded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mprof.sources.daemon_log import heartbeat_in, host_of, timed_lines
from mprof.sources.reader import ROWS_AT_ONCE, Losses, Part, Reader
from mprof.store import frame_of
from mprof.units import parse_long

__all__ = ["DATANODE_LOG"]

# Up to the next clienttrace: a line of nothing else is searched once, not from each of them on.
_WANTED: Final = re.compile(r"clienttrace\b(?:(?!clienttrace).)*? src: |Call: sendHeartbeat took ")
# One pattern, not a split into fields: this is where the time of an import goes.
_TRACE: Final = re.compile(
    r" src: /?(?P<source>\S+?)(?::\d+)?, dest: /?(?P<target>\S+?)(?::\d+)?, (?:volume: [^,]*, )?"
    r"bytes: (?P<bytes>\d+), op: (?P<operation>\w+), cliID: (?P<client>[^,]*), (?:offset: -?\d+, )?"
    r"srvID: [^,]*, blockid: (?:\S+:)?(?P<block>blk_-?\w+)"
    r"(?:, duration(?:\(ns\))?: (?P<ns>\d+))?\s*$"
)
_SHORT_CIRCUIT: Final = re.compile(
    r" src: /?(?P<source>[^,]+), dest: /?(?P<target>[^,]+), op: (?P<operation>\w+), "
    r"blockid: (?P<block>-?\d+), srvID: [^,]*, success: (?P<success>true|false)\s*$"
)
_SHARED_MEMORY: Final = ", shmId: "  # of short-circuit reads; no block is named
_ATTEMPT: Final = re.compile(r"attempt_\d+_\d+_[mr]_\d+_\d+")
_LOOPBACK: Final = re.compile(r"127\.|localhost\b|::1$|0:0:0:0:0:0:0:1$")
_SOURCE_IS_SELF: Final = frozenset({"HDFS_READ"})
_HEAD: Final = re.compile(rb"datanode\.DataNode\b|Starting DataNode|DataNode\.clienttrace")
_FILE: Final = re.compile(r".+-datanode-.+\.(?:log|out)(?:\..*)?", re.IGNORECASE)


def _transfer(line: str, at_s: float, host: str | None) -> dict[str, Any] | None:
    """What a line of the client trace tells; None where it is cut off or damaged."""
    told = _TRACE.search(line)
    if told is None:
        return _short_circuit(line, at_s, host)
    size = parse_long(told["bytes"])
    duration_ns = parse_long(told["ns"]) if told["ns"] is not None else None
    if size is None or (told["ns"] is not None and duration_ns is None):
        return None
    own, peer = told["target"], told["source"]
    if told["operation"] in _SOURCE_IS_SELF:
        own, peer = peer, own
    attempt = _ATTEMPT.search(told["client"])
    return {
        "host": host or own,
        "address": own,
        "peer": peer,
        "operation": told["operation"],
        "started_s": at_s - (duration_ns or 0) / 1e9,
        "seconds": None if duration_ns is None else duration_ns / 1e9,
        "bytes": size,
        "block": told["block"],
        "attempt": None if attempt is None else attempt[0],
        "status": "ok",
    }


def _short_circuit(line: str, at_s: float, host: str | None) -> dict[str, Any] | None:
    told = _SHORT_CIRCUIT.search(line)
    if told is None:
        return None
    return {
        "host": host or told["target"],
        "address": told["target"],
        "peer": told["source"],
        "operation": told["operation"],
        "started_s": at_s,
        "block": f"blk_{told['block']}",
        "status": "ok" if told["success"] == "true" else "failed",
    }


def _read(path: Path, losses: Losses) -> Iterator[Part]:
    host = host_of(path)
    transfers: list[dict[str, Any]] = []
    heartbeats: list[dict[str, Any]] = []
    addresses: set[str] = set()
    for at_s, line in timed_lines(path, losses, _WANTED):
        heartbeat = heartbeat_in(line, at_s, host)
        if heartbeat is not None:
            heartbeats.append(heartbeat)
            continue
        transfer = _transfer(line, at_s, host)
        if transfer is None and _SHARED_MEMORY in line:
            continue
        if transfer is None:
            losses.add("a line of the client trace is damaged", line)
            continue
        addresses.add(transfer.pop("address"))
        transfers.append(transfer)
        if len(transfers) >= ROWS_AT_ONCE:
            yield "transfers", frame_of("transfers", transfers)
            transfers = []
    yield "transfers", frame_of("transfers", transfers)
    yield "heartbeats", frame_of("heartbeats", heartbeats)
    if host is not None:
        own = sorted(address for address in addresses if not _LOOPBACK.match(address))
        yield "names", frame_of("names", [{"name": host, "address": one} for one in own])


DATANODE_LOG: Final = Reader(
    kind="DataNode log",
    recognises=lambda path, head: (
        _HEAD.search(head) is not None or _FILE.fullmatch(path.name) is not None
    ),
    read=_read,
    tables=("transfers", "heartbeats", "names"),
    lacks_zone=True,
    carried=lambda _: b"",
)
