"""The facts about one job that the branches are told from, read from a store's tables once."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd

from mprof.diagnosis import Diagnosed
from mprof.errors import EvidenceError
from mprof.remote.address import Place
from mprof.store import Store
from mprof.triage.answer import JobSummary
from mprof.triage.failures import Failure, failure_of

__all__ = ["MEASURES", "JobFacts", "facts_of"]

_WORK: Final = ("map", "reduce")
_COUNTERS: Final = (
    "MAP_INPUT_RECORDS", "MAP_OUTPUT_RECORDS", "MAP_OUTPUT_BYTES", "REDUCE_INPUT_RECORDS",
    "REDUCE_SHUFFLE_BYTES", "SPILLED_RECORDS", "GC_TIME_MILLIS", "CPU_MILLISECONDS",
)  # fmt: skip
_INPUT_FORMAT: Final = "FileInputFormatCounter"
MEASURES: Final[Mapping[str, Mapping[str, str]]] = {
    "map": {
        "input_bytes": "B",
        "MAP_INPUT_RECORDS": "records",
        "MAP_OUTPUT_BYTES": "B",
        "MAP_OUTPUT_RECORDS": "records",
    },
    "reduce": {"REDUCE_SHUFFLE_BYTES": "B", "REDUCE_INPUT_RECORDS": "records"},
}
"""Columns that say how much data a task of each kind had, and their units."""

_MOST_NAMED: Final = 5  # containers that a sentence names


@dataclass(frozen=True, slots=True, eq=False)
class JobFacts:
    """One job.

    Attributes:
        attempts: a row an attempt of a map or reduce task, each once: the columns of the store's
            table without its counters, and ``task``, ``seconds`` (of one without an end to the last
            thing known of the job), ``input_bytes`` and the counters that branches use; NaN is not
            known. In order of their start.
        failures: why attempts failed or were killed, by their ids; of the latter those only whose
            diagnostics blame a node.
        last_s: the last thing known of the job, seconds since the epoch.
        store: with all jobs.
        conf: the job's configuration as it may be shown; empty where it is not at hand.
        diagnosed: what the diagnosis of memory says; None where it was not asked, or has nothing.
        diagnose_command: that makes this diagnosis, or one with more evidence.
        store_named: the user's folder of tables; None where the job alone is known.
        history: the file that it is known from, where it was named.
    """

    job: JobSummary
    attempts: pd.DataFrame
    failures: Mapping[str, Failure]
    last_s: float
    store: Store
    conf: Mapping[str, str]
    diagnosed: Diagnosed | None
    diagnose_command: str
    store_named: Place | None = None
    history: Path | None = None

    def of_kind(self, kind: str) -> pd.DataFrame:
        """The attempts of map, or of reduce tasks."""
        return self.attempts[self.attempts["kind"] == kind]

    def succeeded(self, kind: str) -> pd.DataFrame:
        """Those of them that succeeded."""
        rows = self.of_kind(kind)
        return rows[rows["state"] == "succeeded"]

    def failed(self) -> pd.DataFrame:
        """The attempts that failed, of both kinds."""
        return self.attempts[self.attempts["state"] == "failed"]

    @property
    def nodes_command(self) -> str:
        """The command that compares the nodes of all that is known of its time."""
        if self.store_named is not None:
            return f"mprof nodes {self.store_named}"
        return f"mprof import {self.history or 'HISTORY'} --store DIR && mprof nodes DIR"

    @property
    def logs_command(self) -> str:
        """The command that prints the logs of its attempts."""
        return f"yarn logs -applicationId {self.job.id.replace('job_', 'application_', 1)}"

    @property
    def lost_tasks(self) -> frozenset[str]:
        """Tasks of which attempts failed and none succeeded."""
        well = set(self.attempts.loc[self.attempts["state"] == "succeeded", "task"])
        return frozenset(set(self.failed()["task"]) - well)

    @property
    def superseded(self) -> pd.DataFrame:
        """Killed attempts of tasks of which another attempt succeeded, unless by their node."""
        well = self.attempts.loc[self.attempts["state"] == "succeeded", "task"]
        killed = self.attempts[self.attempts["state"] == "killed"]
        return killed[killed["task"].isin(well) & ~killed["attempt"].isin(self.failures)]


def facts_of(
    store: Store,
    job: str,
    *,
    diagnosed: Diagnosed | None = None,
    conf: Mapping[str, str] | None = None,
    diagnose_command: str,
    store_named: Place | None = None,
    history: Path | None = None,
) -> JobFacts:
    """Read what a store says of a job.

    Args:
        store: with its history.
        job: its id.
        diagnosed: what the diagnosis of memory says of it.
        conf: its configuration.
        diagnose_command: that makes such a diagnosis.
        store_named: the folder of the store, for commands; None where it is a temporary one.
        history: the file that it is known from, for commands.

    Raises:
        EvidenceError: if the store has nothing of that job.
    """
    jobs = store.read("jobs")
    rows = jobs[jobs["job"] == job]
    every = store.read("attempts")
    every = every[every["job"] == job]
    attempts = every[every["kind"].isin(_WORK)]
    if rows.empty and attempts.empty and not every.empty:
        over = sorted(every[every["state"] == "killed for memory"]["attempt"])
        killed = f"; killed for memory: {', '.join(over[:_MOST_NAMED])}" if over else ""
        count = "1 container" if len(every) == 1 else f"{len(every):,} containers"
        raise EvidenceError(
            f"{store.folder} knows {count} of {job} from NodeManagers' logs{killed}; what they did "
            "is in the job's history",
            next_step=f"mprof import the history of {job} into it, or mprof diagnose the logs",
        )
    if rows.empty and attempts.empty:
        known = sorted(jobs["job"].dropna().unique())
        have = f"it has {len(known):,}, such as {known[-1]}" if known else "it has no jobs"
        raise EvidenceError(
            f"{store.folder} has no job {job}; {have}",
            next_step=f"mprof import the history of {job} into it, or name another job",
        )
    attempts = _attempts(attempts)
    last_s = _last(attempts, rows)
    attempts["seconds"] = (attempts["finished_s"].fillna(last_s) - attempts["started_s"]).clip(0)
    return JobFacts(
        job=_summary(job, rows, attempts, last_s),
        attempts=attempts,
        failures=_failures(attempts),
        last_s=last_s,
        store=store,
        conf=conf or {},
        diagnosed=diagnosed,
        diagnose_command=diagnose_command,
        store_named=store_named,
        history=history,
    )


def _attempts(rows: pd.DataFrame) -> pd.DataFrame:
    """The attempts in order of their start, with the counters that are asked for."""
    rows = rows.sort_values(["started_s", "attempt"])
    counted = pd.DataFrame([_counted(text) for text in rows["counters"]], index=rows.index)
    counted = counted.reindex(columns=["input_bytes", *_COUNTERS]).astype("float64")
    counted["input_bytes"] = counted["input_bytes"].fillna(rows["read_bytes"].astype("float64"))
    if counted["REDUCE_SHUFFLE_BYTES"].isna().all():  # all that a trace of Rumen has
        reducers = rows["kind"] == "reduce"
        counted["REDUCE_SHUFFLE_BYTES"] = counted["input_bytes"].where(reducers)
    task = rows["attempt"].str.rsplit("_", n=1).str[0]
    return rows.drop(columns="counters").assign(task=task).join(counted).reset_index(drop=True)


def _counted(text: Any) -> dict[str, float]:
    """The counters that are asked for, in whatever group their source has them."""
    if not isinstance(text, str):
        return {}
    try:
        groups = json.loads(text)
    except ValueError:
        return {}
    found: dict[str, float] = {}
    for group, values in groups.items() if isinstance(groups, dict) else ():
        for name, value in values.items() if isinstance(values, dict) else ():
            if not isinstance(value, int | float):
                continue
            if name in _COUNTERS:
                found[name] = float(value)
            elif name == "BYTES_READ" and group.endswith(_INPUT_FORMAT):
                found["input_bytes"] = float(value)
    return found


def _failures(attempts: pd.DataFrame) -> dict[str, Failure]:
    found = {}
    for attempt, state, error in zip(
        attempts["attempt"], attempts["state"], attempts["error"], strict=True
    ):
        if state not in {"failed", "killed"}:
            continue
        failure = failure_of(error if isinstance(error, str) else None)
        if state == "failed" or failure.kind == "node":
            found[str(attempt)] = failure
    return found


def _last(attempts: pd.DataFrame, jobs: pd.DataFrame) -> float:
    times = [
        attempts[["started_s", "shuffled_s", "sorted_s", "finished_s"]].max().max(),
        jobs["finished_s"].max(),
    ]
    known = [float(each) for each in times if not pd.isna(each)]
    return max(known, default=math.nan)


def _summary(job: str, jobs: pd.DataFrame, attempts: pd.DataFrame, last_s: float) -> JobSummary:
    row = {} if jobs.empty else {str(k): v for k, v in jobs.iloc[0].dropna().items()}
    launched_s = row.get("launched_s", row.get("submitted_s", attempts["started_s"].min()))
    seconds = row.get("finished_s", last_s) - launched_s
    kinds, states = attempts["kind"].value_counts(), attempts["state"].value_counts()
    return JobSummary(
        id=job,
        name=row.get("name"),
        user=row.get("user"),
        state=row.get("state", "running"),
        submitted_s=float(row["submitted_s"]) if "submitted_s" in row else None,
        seconds=float(seconds) if math.isfinite(seconds) else None,
        hosts=int(attempts["host"].nunique()),
        maps=int(kinds.get("map", 0)),
        reduces=int(kinds.get("reduce", 0)),
        failed=int(states.get("failed", 0)),
        killed=int(states.get("killed", 0)),
        task_seconds=float(attempts["seconds"].sum()),
    )
