"""Recordings of TraceBench, as tab-separated text: HDFS operations of nodes and clients.

Zhou, Chen, Wang, Zheng, Lyu: "TraceBench: An open data set for trace-oriented monitoring",
CloudCom 2014. A recording has no date: its times count from its first event.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mprof.sources.reading import ROWS_AT_ONCE, Losses, Part, Reader, lines_of
from mprof.store import frame_of

__all__ = ["TRACEBENCH"]

_HEADER: Final = "host\top\tstart_ms\tend_ms\tstatus"
_COLUMNS: Final = 5


def _read(path: Path, losses: Losses) -> Iterator[Part]:
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines_of(path, losses), start=1):
        if number == 1:
            continue
        fields = line.split("\t")
        try:
            host, operation, start, end, status = fields
            started_s, seconds = float(start) / 1000, (float(end) - float(start)) / 1000
        except ValueError:
            losses.add(f"line {number} has not {_COLUMNS} columns, or no times", line)
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


TRACEBENCH: Final = Reader(
    kind="TraceBench recording",
    recognises=lambda _, head: head.decode("utf-8", "replace").startswith(_HEADER),
    read=_read,
    tables=("transfers",),
)
