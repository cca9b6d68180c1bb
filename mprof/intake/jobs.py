"""The traces of a job, and what else is told of it -> the job."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from mprof.intake.gathered import Gathered
from mprof.intake.statements import FromTexts, of_side
from mprof.job_run import JobRun
from mprof.trace import MEMORY_KINDS, Trace, trace_of_logs
from mprof.units import list_in_words

__all__ = ["job_run"]


def job_run(name: str | None, traces: list[Trace], gathered: Gathered, *, alone: bool) -> JobRun:
    """One job.

    Args:
        name: its id; None of what names none.
        traces: of its attempts.
        gathered: everything that was read.
        alone: whether it is the only one, so that texts without an id are of it.
    """
    reports, notes = gathered.reports, gathered.notes
    traces = gathered.posts.beside(name, traces, alone=alone)
    history = gathered.histories.get(name or "")
    state = reports.jobs.get(name or "")
    state = None if state in {"RUNNING", "ENDED"} else state
    diagnostics = reports.job_texts.get(name or "", "")
    of_memory, master = gathered.masters.end_of(name, reports)
    if of_memory and state != "SUCCEEDED" and not any(map(_died_of_memory, traces)):
        # what its tasks met it would have tried again
        failed = [one.attempt_id or one.container_id or "" for one in traces if one.failed]
        traces = [one for one in traces if not one.failed]
        if failed:
            more = len(failed) - _MOST_NAMED
            first = (*failed[:_MOST_NAMED], *([f"{more:,} more"] if more > 0 else []))
            notes.append(f"{list_in_words(first)} failed too, but not for lack of memory")
    if master and state != "SUCCEEDED" and not any(trace.failed for trace in traces):
        # what it logged of memory says more than the code with which it ended
        told = [master, diagnostics] if of_memory else [diagnostics or master]
        state, diagnostics = "FAILED", "\n".join(filter(None, told))
    task = reports.tasks.get(name or "")
    if task and history is None and not any(trace.failed for trace in traces):
        named = [*_of_task(task, diagnostics)]
        traces = [*traces, *gathered.posts.beside(name, named, alone=alone)]
    if task and history is None and not any(_is_of(trace, task) for trace in traces):
        notes.append(f"of {name}, {task} is named as one that failed")
    if "was killed by user" in diagnostics and any(trace.failed for trace in traces):
        notes.append(f"its attempts failed, but this is how it ended: {diagnostics}")
    conf = gathered.confs.get(name)
    if conf is None and len(gathered.confs) == 1 and None in gathered.confs:
        conf = gathered.confs[None]
    stated = FromTexts()
    if conf is None:
        stated = gathered.posts.settings.of_job(name, traces, alone=alone)
        traces = [of_side(one, stated.side) for one in traces]
    is_map_only = name in reports.map_only
    losses = stated.losses
    if is_map_only and any(of_side(one, "map") is not one for one in traces):
        traces = [of_side(one, "map") for one in traces]
        losses = (*losses, "that it was a map task is concluded: the job has no reduce task")
    return JobRun(
        job_id=name,
        mode="none",
        history=history,
        conf=conf,
        state=(history.state if history is not None else None) or state,
        diagnostics=(history.diagnostics if history is not None else "") or diagnostics,
        traces=tuple(traces),
        losses=losses,
        around=f"{reports.beside.get(name or '', '')}{gathered.masters.words.get(name, '')}",
        stated=stated.settings,
        name=gathered.posts.name_of(name),
        kept_in_code=gathered.posts.code_of(name, alone=alone),
        framework=reports.frameworks.get(name or "", ""),
        maps=reports.maps.get(name or ""),
        is_map_only=is_map_only,
        no_task_failed=state is None and name in reports.no_task_failed,
        names_memory=gathered.posts.names_memory,
    )


_MOST_NAMED: Final = 3


def _died_of_memory(trace: Trace) -> bool:
    return trace.failed and trace.death.kind in MEMORY_KINDS


def _is_of(trace: Trace, task: str) -> bool:
    """Whether it is of an attempt of the task, or of the task itself, which is named then."""
    if trace.attempt_id is not None or trace.death.kind == "not-memory":
        return task[5:] in (trace.attempt_id or "")
    return trace.index == int(task.rpartition("_")[2])


def _of_task(task: str, diagnostics: str) -> Iterator[Trace]:
    """Of a task that Hive names, the attempt of which it prints the diagnostics."""
    trace = trace_of_logs(
        Path(), (), attempt_id=None, container_id=None, host=None, diagnostics=diagnostics,
        state="FAILED",
    )  # fmt: skip
    if trace.failed:
        side = "reduce" if "_r_" in task else "map"
        of_task = trace.death.program is None
        index = int(task.rpartition("_")[2]) if of_task else None
        yield replace(trace, task_type=side if of_task else None, index=index)
