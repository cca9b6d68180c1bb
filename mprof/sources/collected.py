"""What ``mprof collect`` has recorded, metrics and answers of daemons: a JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mprof.metrics import SAMPLED_NAMES
from mprof.sources.reader import ROWS_AT_ONCE, Losses, Part, Reader, as_word, lines_of
from mprof.store import frame_of

__all__ = ["COLLECTED"]

_BEGIN: Final = '{"host": '


def _row(line: str) -> tuple[str, dict[str, Any]] | None:
    """The table that a line is for, and its row there; None where it is damaged."""
    try:
        value = json.loads(line)
        host = as_word(value["host"])
        if host is None:
            return None
        row = {"host": host, "at_s": float(value["at_s"])}
        if "kind" in value:
            took_s = value["round_trip_s"]
            answer = None if took_s is None else float(took_s)
            return "heartbeats", row | {"kind": as_word(value["kind"]), "round_trip_s": answer}
        known = {name: float(value[name]) for name in SAMPLED_NAMES if value.get(name) is not None}
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    return "metrics", row | known


def _read(path: Path, losses: Losses) -> Iterator[Part]:
    rows: dict[str, list[dict[str, Any]]] = {"metrics": [], "heartbeats": []}
    for number, line in enumerate(lines_of(path, losses), start=1):
        placed = _row(line)
        if placed is None:
            losses.add(f"line {number} is no sample of mprof collect", line)
            continue
        table, row = placed
        rows[table].append(row)
        if len(rows[table]) >= ROWS_AT_ONCE:
            yield table, frame_of(table, rows[table])
            rows[table] = []
    for table, last in rows.items():
        yield table, frame_of(table, last)


def _is_collected(_: Path, head: bytes) -> bool:
    first = head.decode("utf-8", "replace").partition("\n")[0]
    known = '"runq_sz": ' in first or '"round_trip_s": ' in first
    return first.startswith(_BEGIN) and '"at_s": ' in first and known


COLLECTED: Final = Reader(
    kind="samples of mprof collect",
    recognises=_is_collected,
    read=_read,
    tables=("metrics", "heartbeats"),
    carried=lambda _: b"",
)
