"""Results, a line for each job: appended as jobs end, read again when the work goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reliability.score import Outcome, Said

__all__ = ["append", "done", "outcomes", "read"]

Line = Mapping[str, Any]


def append(file: Path, line: Line) -> None:
    """Add a line, which is on the disk before this returns; one that was cut off is dropped."""
    whole = file.read_bytes() if file.exists() else b""
    kept = whole[: whole.rfind(b"\n") + 1]
    with file.open("r+b" if whole else "wb") as out:
        out.truncate(len(kept))
        out.seek(len(kept))
        out.write(json.dumps(line, separators=(",", ":")).encode("utf-8") + b"\n")
        out.flush()
        os.fsync(out.fileno())


def read(file: Path) -> list[Line]:
    """All whole lines."""
    if not file.exists():
        return []
    text = file.read_text(encoding="utf-8")
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def done(lines: list[Line]) -> set[tuple[int, int]]:
    """(seed, index) of the jobs that need not be run again."""
    return {(line["seed"], line["index"]) for line in lines}


def outcomes(lines: list[Line]) -> list[Outcome]:
    """What the lines of judged jobs come to; those of other deaths are left out."""
    return [_outcome(line) for line in lines if "said" in line]


def _outcome(line: Line) -> Outcome:
    said = tuple(Said(run, cause, answer, word) for run, cause, answer, word in line["said"])
    return Outcome(
        line["seed"], line["index"], tuple(line["kinds"]), line["died"],
        tuple(line.get("true", ())), said,
        contradictions=tuple(line["contradictions"]), silent=tuple(line["silent"]),
    )  # fmt: skip
