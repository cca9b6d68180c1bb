"""Recordings as values: what was wrong, the tables that `mprof import` makes, what was slowed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pandas as pd

from mprof.sources.imports import import_files
from mprof.store import TABLES, Store
from testbed.recording import parts_of

__all__ = ["Recorded", "Slowdown", "read_recordings", "slowdowns"]

_OF_TASKS: Final = ("map", "reduce")


@dataclass(frozen=True)
class Recorded:
    """One recording.

    Attributes:
        name: of its folder.
        fault: None of a control; with several sick nodes, one of each, with ``+`` between them.
        node: that was sick: a slave, or the master; several as the faults, in the same order.
        workload: what ran.
        speculation: whether slow attempts were run twice.
        from_s: when the fault came; of a control, when it would have come. Seconds since the epoch.
        until_s: end of what is looked at.
        first_job_s: how long the first job took; None where it was killed at the end.
        slaves: names of the slaves.
        store: its tables.
    """

    name: str
    fault: str | None
    node: str | None
    workload: str
    speculation: bool
    from_s: float
    until_s: float
    first_job_s: float | None
    slaves: tuple[str, ...]
    store: Store

    @property
    def sick(self) -> frozenset[str]:
        """The slaves that were sick."""
        return frozenset((self.node or "").split("+")) & frozenset(self.slaves)

    @property
    def master_is_sick(self) -> bool:
        """Whether the fault was on the master."""
        return self.node is not None and not self.sick

    @cached_property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables of the store, in memory."""
        return {table: self.store.read(table) for table in TABLES}

    @property
    def attempts(self) -> pd.DataFrame:
        """Attempts of tasks, by the job histories."""
        rows = self.tables["attempts"]
        return rows[rows["kind"].isin(_OF_TASKS)]

    @property
    def seconds(self) -> float:
        """How long the fault was there; of a control, as long as it would have been."""
        return self.until_s - self.from_s

    @property
    def completed(self) -> int:
        """Number of tasks that ended well while the fault was there."""
        rows = self.attempts[self.attempts["state"] == "succeeded"]
        return int(rows["finished_s"].between(self.from_s, self.until_s).sum())


@dataclass(frozen=True, slots=True)
class Slowdown:
    """What a fault cost, against a control of the same workload.

    Machines differ, and so do the hours of one: compared is the control that is nearest in time.

    Attributes:
        completed: tasks that ended while it was there.
        of_control: tasks that ended in as long of the control; None where there is none.
    """

    completed: int
    of_control: int | None

    @property
    def percent(self) -> float | None:
        """By how much longer the same work takes; None without a control, or without a task."""
        if self.of_control is None or not self.completed:
            return None
        return 100 * (self.of_control / self.completed - 1)


def read_recordings(folder: Path, stores: Path, workers: Executor) -> list[Recorded]:
    """All recordings of a folder, by name.

    Args:
        folder: with one folder each.
        stores: for the tables; a recording that is there already is not read again.
        workers: read them.
    """
    folders = [label.parent for label in sorted(folder.glob("*/label.json"))]
    return list(workers.map(_read, folders, [stores / each.name for each in folders]))


def _read(folder: Path, tables: Path) -> Recorded:
    label: dict[str, Any] = json.loads((folder / "label.json").read_text())
    store = Store(tables)
    for done in import_files(parts_of(folder), store):
        if done.unread or done.outcome == "unreadable":
            raise RuntimeError(f"{done.path}: {done.first_unread}")
    first = label["jobs"][0] if label["jobs"] else None
    return Recorded(
        name=folder.name,
        fault=label["fault"],
        node=label["node"],
        workload=label["workload"],
        speculation=label["speculation"],
        from_s=label["fault_from_s"] or label["started_s"] + label["fault_after_s"],
        until_s=label["ended_s"],
        first_job_s=first["seconds"] if first and not first["killed"] else None,
        slaves=tuple((folder / "workers").read_text().split()),
        store=store,
    )


def slowdowns(recordings: Iterable[Recorded]) -> dict[str, Slowdown]:
    """What each recording's fault cost, by the name of the recording; of a control by another."""
    every = list(recordings)
    return {one.name: Slowdown(one.completed, _of_control(one, every)) for one in every}


def _of_control(one: Recorded, recordings: Iterable[Recorded]) -> int | None:
    controls = [
        other
        for other in recordings
        if other.fault is None and other.workload == one.workload and other is not one
    ]
    if not controls:
        return None
    nearest = min(controls, key=lambda other: abs(other.from_s - one.from_s))
    return round(nearest.completed * one.seconds / nearest.seconds)
