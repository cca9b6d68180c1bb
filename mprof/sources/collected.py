"""Metrics that ``mprof collect`` has recorded: a JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mprof.metrics import METRIC_NAMES
from mprof.sources.reading import ROWS_AT_ONCE, Losses, Part, Reader, lines_of
from mprof.store import frame_of

__all__ = ["COLLECTED"]

_BEGIN: Final = '{"host": '


def _row(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
        row = {"host": str(value["host"]), "at_s": float(value["at_s"])}
        return row | {
            name: float(value[name]) for name in METRIC_NAMES if value.get(name) is not None
        }
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def _read(path: Path, losses: Losses) -> Iterator[Part]:
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines_of(path, losses), start=1):
        row = _row(line)
        if row is None:
            losses.add(f"line {number} is no sample of metrics", line)
            continue
        rows.append(row)
        if len(rows) >= ROWS_AT_ONCE:
            yield "metrics", frame_of("metrics", rows)
            rows = []
    yield "metrics", frame_of("metrics", rows)


def _is_collected(_: Path, head: bytes) -> bool:
    first = head.decode("utf-8", "replace").partition("\n")[0]
    return first.startswith(_BEGIN) and '"at_s": ' in first and '"runq_sz": ' in first


COLLECTED: Final = Reader(
    kind="metrics of mprof collect",
    recognises=_is_collected,
    read=_read,
    tables=("metrics",),
)
