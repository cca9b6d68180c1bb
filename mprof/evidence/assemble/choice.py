"""Which attempt is diagnosed, and of which run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mprof.dataflow import died_of_memory, failed_by_evidence, with_history
from mprof.evidence.assemble.moments import Moment, moments_of
from mprof.evidence.facts import AttemptLine
from mprof.job_run import JobRun
from mprof.objects import HeapObjects
from mprof.trace import Trace, trace_of_diagnostics

__all__ = ["Chosen", "choose", "other_failures"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The attempt that is diagnosed.

    Attributes:
        trace: None where only a heap dump is at hand.
        run: the run it is of.
        traces: all attempts of that run.
        moments: of its heap, before the death, in order.
        death: its heap at death.
    """

    trace: Trace | None
    run: JobRun
    traces: tuple[Trace, ...]
    moments: tuple[Moment, ...]
    death: HeapObjects | None


def choose(runs: Sequence[JobRun], attempt_id: str | None = None) -> Chosen:
    """The failed attempt with most evidence, of the newest run that tells of a death of memory.

    Where no attempt failed the one with most to tell stands for the job: verdicts are computed
    whatever the outcome.
    """
    runs = [each for each in runs if each.mode != "verify"] or list(runs)
    best: tuple[JobRun, tuple[Trace, ...], Trace] | None = None
    for run in reversed(runs):
        traces = _all_traces(run)
        wanted = [each for each in traces if attempt_id in (None, each.attempt_id)]
        dumps = {name: len(many) for name, many in run.snapshots.items()}
        failed = failed_by_evidence(wanted, dumps=dumps)
        if failed and (best is None or died_of_memory(failed[0])):
            best = (run, traces, failed[0])
        if best is not None and died_of_memory(best[2]):
            break
    if best is None:
        return _without_failure(runs, attempt_id)
    return _chosen(*best)


def _without_failure(runs: Sequence[JobRun], attempt_id: str | None) -> Chosen:
    run = runs[-1]
    traces = _all_traces(run)
    wanted = [each for each in traces if attempt_id in (None, each.attempt_id)]
    if not wanted:  # a lone dump, which names no attempt
        snapshots = next(iter(run.snapshots.values()), ())
        last = snapshots[-1] if snapshots else None
        return Chosen(None, run, traces, (), last)

    def tells(trace: Trace) -> tuple[int, int, int]:
        position = trace.position
        records = (position.records_in if position else None) or 0
        return (len(run.snapshots.get(trace.attempt_id or "", ())), records, -_index(trace))

    return _chosen(run, traces, max(wanted, key=tells))


def _index(trace: Trace) -> int:
    return trace.index if trace.index is not None else 1 << 30


def _chosen(run: JobRun, traces: tuple[Trace, ...], trace: Trace) -> Chosen:
    snapshots = run.snapshots.get(trace.attempt_id or "", ())
    moments, death = moments_of(trace, snapshots)
    return Chosen(trace, run, traces, moments, death)


def _all_traces(run: JobRun) -> tuple[Trace, ...]:
    """With the failed attempts that left no file, as the history tells of them."""
    traces = with_history(run.traces, run.history)
    if run.history is None:
        return traces
    seen = {each.attempt_id for each in traces}
    rest = tuple(
        trace_of_diagnostics(attempt.id, diagnostics=attempt.error, state=attempt.state)
        for attempt in run.history.failed_attempts()
        if attempt.id not in seen
    )
    return (*traces, *rest)


def other_failures(traces: Iterable[Trace], chosen: Trace | None) -> tuple[AttemptLine, ...]:
    """The other attempts that failed, one line each, by task; not those that were killed."""
    others = [
        each
        for each in traces
        if each.failed
        and each.state != "KILLED"
        and each is not chosen
        and each.attempt_id is not None
    ]
    others.sort(key=lambda each: each.attempt_id or "")
    return tuple(
        AttemptLine(each.attempt_id or "", each.death.kind, each.death.evidence.split("\n")[0])
        for each in others
    )
