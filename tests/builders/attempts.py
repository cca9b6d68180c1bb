"""Attempts written as the agent writes them, from the documents alone.

``docs/reference/position-file.md`` and ``event-log.md`` are the only source: nothing of mprof is
used, so that a reader is compared with the contract and not with itself.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["EventWriter", "position_bytes", "sketch"]

SLOTS = [
    "phase",
    "updated_ms",
    "records_in",
    "bytes_in",
    "record_bytes",
    "records_out",
    "bytes_out",
    "group",
    "record_in_group",
    "group_bytes",
    "group_digest",
    "record_digest",
    "partition",
    "spill",
    "progress_ppm",
    "combine_place",
    "combine_call",
    "combine_partition",
    "combine_records_in",
    "combine_total",
    "combine_group",
    "combine_record_in_group",
    "combine_group_bytes",
    "combine_group_digest",
    "combine_record_digest",
    "combine_record_bytes",
    "combine_records_out",
    "map_buffer_bytes",
    "map_buffer_ready",
    "shuffle_limit",
    "shuffle_used",
    "shuffle_in_flight",
    "shuffle_merging",
    "fetched_segments",
    "fetched_bytes",
    "reduce_total",
    "split_length",
    "probes_done",
    "errors",
    "verified",
]


def position_bytes(attempt: str, **slots: int) -> bytes:
    """A whole position file; slots that are not given are -1."""
    unknown = set(slots) - set(SLOTS)
    if unknown:
        raise ValueError(f"no such slots: {unknown}")
    head = b"MPROFPOS" + struct.pack("<II", 1, 40) + bytes(48)
    body = struct.pack("<40q", *(slots.get(name, -1) for name in SLOTS))
    return head + body + attempt.encode().ljust(128, b"\0")


def sketch(values: Iterable[float], gamma: float = 1.02) -> dict[str, Any]:
    """The sketch of these values in the shape of the event log."""
    every = list(values)
    buckets: dict[int, int] = {}
    for value in every:
        if value >= 1:
            index = math.ceil(math.log(value) / math.log(gamma))
            buckets[index] = buckets.get(index, 0) + 1
    return {
        "gamma": gamma,
        "zero": sum(value < 1 for value in every),
        "buckets": [[index, number] for index, number in sorted(buckets.items())],
        **({"min": min(every), "max": max(every)} if every else {}),
        "sum": sum(every),
        "count": len(every),
    }


class EventWriter:
    """Collects events with rising numbers and times, then writes a folder."""

    def __init__(self, attempt: str, **attach: Any) -> None:
        self.attempt = attempt
        self.lines: list[str] = []
        side, index, number = attempt.rsplit("_", 3)[1:]
        self.add(
            "attach",
            **{
                "agent": "0.1.0",
                "attempt": attempt,
                "task_type": {"m": "map", "r": "reduce"}[side],
                "index": int(index),
                "attempt_number": int(number),
                "mode": "watch",
                **attach,
            },
        )

    def add(self, type_: str, **members: Any) -> EventWriter:
        """Append one event; a member called ``class_`` is written as ``class``."""
        number = len(self.lines) + 1
        names = {name.rstrip("_"): value for name, value in members.items()}
        event = {"v": 2, "n": number, "t": 1_700_000_000_000 + number, "type": type_, **names}
        self.lines.append(json.dumps(event))
        return self

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    def write(
        self,
        parent: Path,
        *,
        position: Mapping[str, int] | None = None,
        files: Mapping[str, str] | None = None,
    ) -> Path:
        """The attempt's folder with events, position and any further files."""
        folder = parent / self.attempt
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "events.jsonl").write_text(self.text, encoding="utf-8")
        if position is not None:
            (folder / "position.bin").write_bytes(position_bytes(self.attempt, **position))
        for name, text in (files or {}).items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder
