"""Recordings of TraceBench, as tab-separated text: HDFS operations of nodes and clients.

Zhou, Chen, Wang, Zheng, Lyu: "TraceBench: An open data set for trace-oriented monitoring",
CloudCom 2014. A recording has no date: its times count from its first event.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mprof.sources.reader import ROWS_AT_ONCE, Losses, Part, Reader, lines_of
from mprof.store import frame_of
from mprof.units import parse_long

__all__ = ["TRACEBENCH", "TRACEBENCH_MANIFEST"]

_HEADER: Final = "host\top\tstart_ms\tend_ms\tstatus"
_COLUMNS: Final = 5
_MANIFEST_HEADER: Final = "file\tfault\trequest\t"
_SEEN: Final = "datanodes_seen"
_MOST_NODES: Final = 100_000


def _read(path: Path, losses: Losses) -> Iterator[Part]:
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines_of(path, losses), start=1):
        if number == 1:
            continue
        try:
            host, operation, start, end, status = line.split("\t")
            started_s, seconds = float(start) / 1000, (float(end) - float(start)) / 1000
        except ValueError:
            losses.add(f"line {number} has not {_COLUMNS} columns, or no times", line)
            continue
        if not (host and math.isfinite(started_s) and 0 <= seconds < math.inf):
            losses.add(f"line {number} has no host, or ends before it starts", line)
            continue
        state, _, peer = status.partition("@")
        rows.append(
            {
                "host": host, "operation": operation, "started_s": started_s, "seconds": seconds,
                "status": state, "peer": peer or None,
            }
        )  # fmt: skip
        if len(rows) >= ROWS_AT_ONCE:
            yield "transfers", frame_of("transfers", rows)
            rows = []
    yield "transfers", frame_of("transfers", rows)


def _read_manifest(path: Path, losses: Losses) -> Iterator[Part]:
    """The DataNodes that were there: as many as the recording in which most were heard of.

    TraceBench numbers them from 001 on; the column of faulty nodes is not read, it is the answer.
    """
    lines = lines_of(path, losses)
    names = next(lines, "").split("\t")
    most = 0
    for number, line in enumerate(lines, start=2):
        fields = line.split("\t")
        seen = parse_long(fields[names.index(_SEEN)]) if len(fields) == len(names) else None
        if seen is None or not 0 <= seen <= _MOST_NODES:
            losses.add(f"line {number} has no number of DataNodes", line)
            continue
        most = max(most, seen)
    rows = [
        {"host": f"datanode{number:03}", "known_from": path.name} for number in range(1, most + 1)
    ]
    yield "nodes", frame_of("nodes", rows)


def _is_manifest(_: Path, head: bytes) -> bool:
    first = head.decode("utf-8", "replace").partition("\n")[0]
    return first.startswith(_MANIFEST_HEADER) and _SEEN in first.split("\t")


TRACEBENCH: Final = Reader(
    kind="TraceBench recording",
    recognises=lambda _, head: head.decode("utf-8", "replace").startswith(_HEADER),
    read=_read,
    tables=("transfers",),
)
TRACEBENCH_MANIFEST: Final = Reader(
    kind="TraceBench manifest",
    recognises=_is_manifest,
    read=_read_manifest,
    tables=("nodes",),
)
