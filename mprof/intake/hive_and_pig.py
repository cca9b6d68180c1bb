"""What Hive and Pig print of the jobs that they started."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from mprof.intake.blocks import following
from mprof.intake.reported import MOST_TEXT, RUNNING, Reports, job_of

__all__ = ["OF_HIVE", "read_hive", "read_pig"]

OF_HIVE: Final = re.compile(r"^\s*Diagnostic Messages for this Task:")

_GUESS: Final = re.compile(r"^\s*Possible error:")

_HIVE_BEFORE: Final = 30  # lines, in which JobDebugger prints the task, its page, and its guess

_TASK: Final = re.compile(r"\btask_(\d+_\d+)_[mr]_\d+")

_EXAMINES: Final = "Examining task ID"  # JobDebugger looks at each task, failed or not


def read_hive(found: Reports, lines: Sequence[str], at: int, last_job: str | None) -> None:
    """What Hive prints of the task that failed most often (``JobDebugger``)."""
    before = lines[max(at - _HIVE_BEFORE, 0) : at]
    tasks = [*_TASK.finditer("\n".join(line for line in before if _EXAMINES not in line))]
    named = tasks[-1] if tasks else None
    job = f"job_{named[1]}" if named is not None else last_job
    if job is not None:
        found.jobs[job] = "FAILED"
        found.frameworks[job] = "Hive"
        if named is not None:
            found.tasks[job] = named[0]
        guess = next((number for number, line in enumerate(before) if _GUESS.match(line)), None)
        said = () if guess is None else before[guess + 1 :]
        text = "\n".join([*following(lines, at), *said])
        found.job_texts.setdefault(job, text[:MOST_TEXT])


# SimplePigStats: how a script ended, and its tables of jobs: the first has those that succeeded
_PIG_ENDED: Final = re.compile(
    r"^(?:(?P<well>Success!)\s*$|(?P<failed>Failed!)|(?P<partly>Some jobs have failed!))"
)

_PIG_TABLE: Final = re.compile(
    r"^(?:(?P<done>Job Stats \(time in seconds\):)|(?P<failed>Failed Jobs:)|(?P<plan>Job DAG:))"
)

_PIG_STATES: Final[dict[tuple[str | None, str | None], str]] = {
    ("well", None): "SUCCEEDED",
    ("well", "done"): "SUCCEEDED",
    ("well", "plan"): "SUCCEEDED",
    ("partly", "done"): "SUCCEEDED",
    ("partly", "failed"): "FAILED",
    ("failed", "failed"): "FAILED",
    (None, "failed"): "FAILED",
}
"""Of the jobs below, by how the script above ended and by the table, if any."""

_OF_PIG: Final = re.compile(r"^(job_\d{12,13}_\d{3,9})(?:\s+\S|\s*->|,?\s*$)")


def read_pig(found: Reports, lines: Iterable[str]) -> None:
    """How the jobs of a script of Pig ended, by the tables of them.

    The plan below names all of them: where one failed, it says nothing of the others. That a job
    failed of which no attempt is told is left to the words that say more.
    """
    told = {job_of(one) for one in (*found.texts, *found.states)}
    end, below = None, ""
    for line in lines:
        ended, table = _PIG_ENDED.match(line), _PIG_TABLE.match(line)
        if ended is not None:
            end = ended.lastgroup
            below = _PIG_STATES.get((end, None), "")
        elif table is not None:
            below = _PIG_STATES.get((end, table.lastgroup), "")
        job = _OF_PIG.match(line) if below and line.startswith("job_") else None
        if job is None or (below == "FAILED" and job[1] not in told):
            continue
        if found.jobs.get(job[1], "RUNNING") in RUNNING:
            found.jobs[job[1]] = below
