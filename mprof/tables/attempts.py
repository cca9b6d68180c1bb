"""The table of attempts: every one that a run's files or its job history tell of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final

from mprof.dataflow import build_dataflow, task_progress, with_history
from mprof.diagnosis import Diagnosed
from mprof.evidence import Kind, Place
from mprof.history import AttemptHistory
from mprof.job_run import JobRun
from mprof.tables.columns import Moment, OfRun, OneOf, as_table
from mprof.trace import PHASES, Position, Trace, trace_of_diagnostics

__all__ = ["attempts"]

_NO_HOST: Final = "UNKNOWN"
"""What Hadoop writes of an attempt that never had a container (``TaskAttemptImpl``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt(OfRun):
    """A task attempt in one run.

    Attributes:
        attempt_id: NA: nothing names the attempt
        diagnosed: the diagnosis is about it; NA: without an id
        task_type: map, reduce, setup, cleanup; NA: not known
        index (index): of the task, of a reduce task its partition; NA: not known
        number (index): of the attempt at its task; NA: not known
        agent_mode: what the agent did in it; NA: no agent was in
        state: SUCCEEDED, FAILED, KILLED, as the cluster says; NA: nobody said
        death: kind of death; none: it is not known to have failed; not-memory: killed ones among
            them
        death_line: the line that says so
        phase: phase it was in at its end; NA: not recorded
        place: method or step it ended in; NA: not known
        records_in (records): handed to map() or reduce(), the one in flight included; NA: not
            counted
        records_out (records): emitted; NA: not counted
        bytes_in (bytes): of records_in; NA: not counted, as in a map task for other records than
            texts and plain bytes
        bytes_out (bytes): that map() wrote into the sort buffer; NA: not counted, as in a reduce
            task
        group (ordinal): group in reduce(), 0 before the first; NA: a map task, or not counted
        record_in_group (ordinal): record of that group; NA: as group
        group_bytes (bytes): of that group so far; NA: as group
        spill (index): spill being written, or the next; NA: no sort buffer, or not counted
        progress (share): of its input it had read, 0 to 1; NA: not known
        max_heap_bytes (bytes): largest heap, as the JVM gives it; NA: no agent
        live_bytes_at_death (bytes): live objects in the dump at death; NA: no such dump was read
        dumps (dumps): heap dumps that were read; 0: none
        host: node it ran on; NA: not known
        start (UTC): NA: not in the job history
        finish (UTC): NA: not in the job history, or it never ended
    """

    attempt_id: str | None
    diagnosed: bool | None
    task_type: Annotated[str | None, OneOf(["setup", "map", "reduce", "cleanup"])]
    index: int | None
    number: int | None
    agent_mode: Annotated[str | None, OneOf(["watch", "profile", "verify"])]
    state: str | None
    death: Kind
    death_line: str
    phase: Annotated[str | None, OneOf(PHASES)]
    place: Place | None
    records_in: int | None
    records_out: int | None
    bytes_in: int | None
    bytes_out: int | None
    group: int | None
    record_in_group: int | None
    group_bytes: int | None
    spill: int | None
    progress: float | None
    max_heap_bytes: int | None
    live_bytes_at_death: int | None
    dumps: int
    host: str | None
    start: Moment
    finish: Moment


@as_table(_Attempt)
def attempts(diagnosed: Diagnosed) -> Iterator[_Attempt]:
    """Every task attempt of the diagnosed job in every run, by run and attempt id.

    The counts are the agent's: what was read right to the record, what was written as of the
    last event or of the last 50 ms. Where no agent was in, ``records_in`` and
    ``records_out`` of an attempt that succeeded are those of its counters in the job history.
    """
    own = diagnosed.evidence.attempt.attempt_id
    for run in diagnosed.runs:
        yield from _rows(run, own)


def _rows(run: JobRun, diagnosed_id: str | None) -> Iterator[_Attempt]:
    flow = build_dataflow(with_history(run.traces, run.history), history=run.history, conf=run.conf)
    told = run.history.attempts() if run.history is not None else {}
    types = {
        attempt.id: task.type
        for task in (run.history.tasks if run.history is not None else ())
        for attempt in task.attempts
    }
    for trace in _traces(run):
        name = trace.attempt_id or ""
        history = told.get(name)
        position = trace.position or Position()
        records_in, records_out = _counted(trace, history)
        progress = task_progress(trace, flow)
        snapshots = run.snapshots.get(name, ())
        yield _Attempt(
            run=run.number,
            mode=run.mode,
            attempt_id=trace.attempt_id,
            diagnosed=None if trace.attempt_id is None else trace.attempt_id == diagnosed_id,
            task_type=types.get(name) or trace.task_type,
            index=trace.index,
            number=trace.number,
            agent_mode=trace.mode,
            state=trace.state,
            death=trace.death.kind,
            death_line=trace.death.evidence,
            phase=position.phase,
            place=trace.place,
            records_in=records_in if position.records_in is None else position.records_in,
            records_out=records_out if position.records_out is None else position.records_out,
            bytes_in=position.bytes_in,
            bytes_out=position.bytes_out,
            group=position.group,
            record_in_group=position.record_in_group,
            group_bytes=position.group_bytes,
            spill=position.spill,
            progress=progress.done if progress is not None else None,
            max_heap_bytes=trace.heap_max,
            live_bytes_at_death=next(
                (each.live_bytes for each in snapshots if each.point.at_death), None
            ),
            dumps=len(snapshots),
            host=_host(trace, history),
            start=history.start_ms if history is not None else None,
            finish=history.finish_ms if history is not None else None,
        )


def _traces(run: JobRun) -> list[Trace]:
    """One an attempt: of its files, else of the history's own words."""
    traces = with_history(run.traces, run.history)
    seen = {each.attempt_id for each in traces}
    told = run.history.attempts() if run.history is not None else {}
    rest = (
        trace_of_diagnostics(attempt.id, diagnostics=attempt.error, state=attempt.state)
        for attempt in told.values()
        if attempt.id not in seen
    )
    return sorted([*traces, *rest], key=lambda each: each.attempt_id or "")


def _counted(trace: Trace, attempt: AttemptHistory | None) -> tuple[int | None, int | None]:
    """Records in and out by the counters; those of a failed attempt are of its last heartbeat."""
    if attempt is None or attempt.state != "SUCCEEDED":
        return None, None
    side = "MAP" if trace.task_type == "map" else "REDUCE"
    return (
        attempt.counters.get(f"{side}_INPUT_RECORDS"),
        attempt.counters.get(f"{side}_OUTPUT_RECORDS"),
    )


def _host(trace: Trace, attempt: AttemptHistory | None) -> str | None:
    if trace.attach is not None and trace.attach.host is not None:
        return trace.attach.host
    host = attempt.host if attempt is not None else None
    return None if host == _NO_HOST else host
