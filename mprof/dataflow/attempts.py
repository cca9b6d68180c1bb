"""Chooses the attempt that stands for a task, and the failed attempt to diagnose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mprof.history import AttemptHistory, JobHistory
from mprof.trace import MEMORY_KINDS, Trace, reclassified
from mprof.trace.events import End

__all__ = ["counted_attempts", "failed_by_evidence", "one_per_task", "with_history"]


def with_history(traces: Iterable[Trace], history: JobHistory | None) -> tuple[Trace, ...]:
    """The traces, with deaths reclassified where the job history knows how an attempt ended.

    The files of an attempt alone do not say that it succeeded in the end, or that the NodeManager
    killed its container.
    """
    attempts = history.attempts() if history else {}
    return tuple(_with_end(trace, attempts.get(trace.attempt_id or "")) for trace in traces)


def _with_end(trace: Trace, attempt: AttemptHistory | None) -> Trace:
    if attempt is None or attempt.state is None:
        return trace
    if trace.death.kind in MEMORY_KINDS and attempt.state != "SUCCEEDED":
        return replace(
            trace, state=attempt.state
        )  # an OutOfMemoryError or a kill for memory outweighs the cluster's diagnostics
    return reclassified(trace, diagnostics=attempt.error, state=attempt.state)


def counted_attempts(
    traces: Iterable[Trace], side: str, history: JobHistory | None
) -> dict[int, tuple[Trace, bool]]:
    """For each task of a type (``map``, ``reduce``), the attempt whose numbers count.

    This is the attempt that succeeded, else the one that made most progress.

    Returns:
        Task index -> (trace of the attempt, whether it succeeded).
    """
    succeeded = (
        {task.successful_attempt for task in history.tasks}
        | {a.id for t in history.tasks for a in t.attempts if a.state == "SUCCEEDED"}
        if history
        else set()
    )
    chosen: dict[int, tuple[Trace, bool]] = {}
    for trace in traces:
        if trace.task_type != side or trace.index is None:
            continue
        end = trace.last(End)
        finished = trace.attempt_id in succeeded or (
            trace.attempt_id is not None and end is not None and end.outcome == "done"
        )
        before = chosen.get(trace.index)
        if before is None or (finished, _reach(trace)) > (before[1], _reach(before[0])):
            chosen[trace.index] = (trace, finished)
    return chosen


def _reach(trace: Trace) -> tuple[int, int]:
    records = trace.position.records_in if trace.position else None
    return (records or 0, len(trace.events))


def failed_by_evidence(
    traces: Iterable[Trace], *, dumps: Mapping[str, int] | None = None
) -> tuple[Trace, ...]:
    """Failed attempts, the one to diagnose first.

    Deaths of memory come before any other; then the attempt with most evidence: the heap at death,
    the position, the event log, a stack; then the lowest index. A superseded attempt, which was
    killed because another attempt of its task had succeeded, did not fail.

    Args:
        traces: any attempts; those that did not fail are left out.
        dumps: attempt id -> number of analysed heap dumps.
    """
    analysed = dumps or {}
    failed = [each for each in without_superseded(list(traces)) if each.failed]

    def rank(trace: Trace) -> tuple[object, ...]:
        # Because the job had failed, or by a user; it may have died of memory just before that.
        killed = trace.state == "KILLED"
        return (
            not died_of_memory(trace),
            killed and not died_of_memory(trace),
            -max(analysed.get(trace.attempt_id or "", 0), len(trace.dump_files)),
            not trace.position_is_last,
            not trace.events,
            not trace.death.stack,
            killed,
            trace.task_type != "map",
            trace.index if trace.index is not None else 1 << 30,
            trace.number or 0,
        )

    return tuple(sorted(failed, key=rank))


def died_of_memory(trace: Trace) -> bool:
    """Whether it ran out of memory of any kind, or its own code said that it did."""
    return trace.death.kind in MEMORY_KINDS or trace.death.kind == "application-made"


def finished_tasks(traces: Iterable[Trace]) -> set[tuple[str | None, int | None]]:
    """Type and index of the tasks that have an attempt known to have succeeded."""
    return {(each.task_type, each.index) for each in traces if _succeeded(each)}


def _succeeded(trace: Trace) -> bool:
    end = trace.last(End)
    done = trace.state is None and end is not None and end.outcome == "done"
    return trace.state == "SUCCEEDED" or done


def _is_superseded(trace: Trace, done: set[tuple[str | None, int | None]]) -> bool:
    """Whether it was killed, but not for memory, because another attempt had succeeded."""
    task = (trace.task_type, trace.index)
    return trace.state == "KILLED" and not died_of_memory(trace) and task in done


def without_superseded(traces: Sequence[Trace]) -> tuple[Trace, ...]:
    """The attempts without those that were killed because another one had succeeded."""
    done = finished_tasks(traces)
    return tuple(each for each in traces if not _is_superseded(each, done))


def one_per_task(traces: Sequence[Trace]) -> tuple[Trace, ...]:
    """The first attempt of each task, in the order given."""
    seen: dict[tuple[str | None, int | None], Trace] = {}
    for trace in traces:
        seen.setdefault((trace.task_type, trace.index), trace)
    return tuple(seen.values())
