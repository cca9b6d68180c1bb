"""Recorded cases and their files, read with nothing of mprof."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import mprof

__all__ = ["CASES", "EVIDENCE", "Attempt", "attempts", "diagnosed", "history_ids", "slots"]

CASES = Path(__file__).parents[2] / "cases"
EVIDENCE = sorted(path.parent for path in CASES.rglob("evidence/capture.json"))

# Places of slots in position.bin: docs/reference/position-file.md
SLOTS = {"records_in": 2, "bytes_in": 3, "records_out": 5, "group": 7, "record_in_group": 8}

Event = dict[str, Any]


@dataclass(frozen=True)
class Attempt:
    """The folder of an attempt."""

    run: int
    mode: str
    folder: Path

    @property
    def id(self) -> str:
        return self.folder.name

    @property
    def is_map(self) -> bool:
        return "_m_" in self.id

    @property
    def index(self) -> int:
        return int(self.id.split("_")[-2])

    @property
    def events(self) -> list[Event]:
        file = self.folder / "events.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def of(self, type_: str) -> list[Event]:
        return [event for event in self.events if event["type"] == type_]

    @property
    def finished(self) -> bool:
        return any(event.get("outcome") == "done" for event in self.of("end"))

    @property
    def snapshots(self) -> dict[str, Event]:
        files = sorted(self.folder.glob("snapshot-*.json"))
        return {file.stem.removeprefix("snapshot-"): json.loads(file.read_text()) for file in files}


@cache
def diagnosed(evidence: Path) -> mprof.Diagnosed:
    return mprof.diagnose(evidence)


def attempts(slug: str) -> list[Attempt]:
    """All attempt folders of a case whose driver started one job."""
    return [
        Attempt(number, json.loads((run / "run.json").read_text())["mode"], folder)
        for number, run in _runs(slug)
        for folder in sorted(run.glob("jobs/*/attempts/attempt_*"))
    ]


def history_ids(slug: str) -> set[tuple[int, str]]:
    """Run and id of every attempt that a job history names; the files are binary."""
    return {
        (number, found.decode())
        for number, run in _runs(slug)
        for file in run.glob("jobs/*/*.jhist")
        for found in re.findall(rb"attempt_\d{13}_\d{4}_[mr]_\d{6}_\d", file.read_bytes())
    }


def slots(attempt: Attempt) -> dict[str, int | None]:
    """Some slots of the position file; None where the agent did not know."""
    data = (attempt.folder / "position.bin").read_bytes()
    values = {name: struct.unpack_from("<q", data, 64 + 8 * at)[0] for name, at in SLOTS.items()}
    return {name: None if value == -1 else value for name, value in values.items()}


def _runs(slug: str) -> Iterator[tuple[int, Path]]:
    for run in sorted((CASES / slug / "evidence" / "runs").iterdir()):
        yield int(run.name), run
