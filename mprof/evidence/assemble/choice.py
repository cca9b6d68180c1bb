"""Which attempt is diagnosed, of which run, and what else of the job stands beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mprof.dataflow import (
    Dataflow,
    build_dataflow,
    died_of_memory,
    failed_by_evidence,
    with_history,
    without_superseded,
)
from mprof.evidence.assemble.death_heap import death_heap_of
from mprof.evidence.assemble.moments import Snapshots, snapshots_of
from mprof.evidence.assemble.peak import peak_of
from mprof.evidence.assemble.position import position_of
from mprof.evidence.facts import Unknown, known
from mprof.history import JobConf, JobHistory
from mprof.job_run import JobRun
from mprof.trace import Trace, trace_of_diagnostics

__all__ = ["Chosen", "choose", "is_far", "traces_of"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The attempt that is diagnosed.

    Attributes:
        trace: None where only a heap dump is at hand.
        run: the run it is of.
        traces: all attempts of that run.
        snapshots: of its heap.
        probed: the attempt that the moments before its death are of, and its run, where that is
            another: of the same task in a run that probed it.
        flow: the dataflow of that run.
        flows: of every run but the verifications, oldest first.
        history: of that run, else of the newest that has one.
        conf: the same.
    """

    trace: Trace | None
    run: JobRun
    traces: tuple[Trace, ...]
    snapshots: Snapshots
    flow: Dataflow
    flows: tuple[Dataflow, ...]
    history: JobHistory | None
    conf: JobConf | None
    probed: tuple[Trace, JobRun] | None = None

    @property
    def shown_conf(self) -> dict[str, str]:
        """Properties under their new names, secrets masked."""
        return dict(self.conf.shown_all()) if self.conf is not None else {}


def choose(runs: Sequence[JobRun], attempt_id: str | None = None) -> Chosen:
    """The failed attempt with most evidence, of the newest run that tells of a death of memory.

    Where no attempt failed the one with most to tell stands for the job: verdicts are computed
    whatever the outcome.
    """
    original = [each for each in runs if each.mode != "verify"]
    considered = original or list(runs)
    best: _Pick | None = None
    for run in reversed(considered):
        traces = traces_of(run)
        wanted = [each for each in traces if attempt_id in (None, each.attempt_id)]
        dumps = {name: len(many) for name, many in run.snapshots.items()}
        failed = failed_by_evidence(wanted, dumps=dumps)
        if failed and (best is None or died_of_memory(failed[0])):
            best = _Pick(run, traces, failed[0])
        if best is not None and best.trace is not None and died_of_memory(best.trace):
            break
    pick = best if best is not None else _without_failure(considered[-1], attempt_id)
    pick, probed, snapshots = _best_shown(pick, considered, any_death=attempt_id is None)
    flows = {id(each): _flow(each) for each in (*original, pick.run)}
    order = [pick.run, *reversed(runs)]
    return Chosen(
        trace=pick.trace,
        run=pick.run,
        traces=pick.traces,
        snapshots=snapshots,
        probed=probed,
        flow=flows[id(pick.run)],
        flows=tuple(flows.values()),
        history=next((each.history for each in order if each.history is not None), None),
        conf=next((each.conf for each in order if each.conf is not None), None),
    )


class _Pick(NamedTuple):
    run: JobRun
    traces: tuple[Trace, ...]
    trace: Trace | None


def _without_failure(run: JobRun, attempt_id: str | None) -> _Pick:
    traces = traces_of(run)
    wanted = [each for each in traces if attempt_id in (None, each.attempt_id)]

    def tells(trace: Trace) -> tuple[int, float, int, int]:
        position = trace.position
        records = (position.records_in if position else None) or 0
        peak = known(peak_of(trace))
        live = peak.live_bytes / (trace.heap_max or math.inf) if peak is not None else 0.0
        dumps = len(run.snapshots.get(trace.attempt_id or "", ()))
        return (dumps, live, records, -_index(trace))

    # One whose place another attempt had taken was killed at some record, and tells of no end.
    kept = set(map(id, without_superseded(traces)))
    ended = [each for each in wanted if id(each) in kept]
    return _Pick(run, traces, max(ended or wanted, key=tells, default=None))


def _snapshots(pick: _Pick) -> Snapshots:
    if pick.trace is None:  # a lone dump, which names no attempt
        snapshots = next(iter(pick.run.snapshots.values()), ())
        return Snapshots((), snapshots[-1] if snapshots else None, of_death=bool(snapshots))
    return _of(pick.trace, pick.run)


def _best_shown(
    pick: _Pick, runs: Sequence[JobRun], *, any_death: bool
) -> tuple[_Pick, tuple[Trace, JobRun] | None, Snapshots]:
    """The death of this task whose heap is shown best, and what shows it.

    Each fact is from the newest run that brought it. In the newest a dump at death may have come
    too late, or not at all: the same death in an older one, at about the same record, is then the
    better witness, and the probes of the newest say how it came to that.

    Args:
        pick: a death of the newest run that has one.
        runs: the job as it is, in every run.
        any_death: another death of the same task may be shown instead.
    """
    own, trace = _snapshots(pick), pick.trace
    if trace is None:
        return pick, None, own
    if trace.death.kind == "container-physical":
        # That leaves no dump. In a larger container the same task comes as far with the same data.
        probed = None if own.moments or own.dump else _probed(trace, runs, besides=pick.run)
        return pick, probed, _of(*probed) if probed is not None else own
    same = (pick, *_same_deaths(trace, [run for run in runs if run is not pick.run]))
    if any_death:
        pick = next((each for each in same if _shows_its_heap(each)), pick)
    seen = next((each for each in same if _snapshots(each).moments), pick)
    shown = _snapshots(pick)
    stands_for_it = shown.death is None and _shows_its_heap(pick)  # the last of its own probes
    if seen.trace is None or seen.trace is pick.trace or stands_for_it:
        return pick, None, shown
    return pick, (seen.trace, seen.run), replace(shown, moments=_snapshots(seen).moments)


def _shows_its_heap(pick: _Pick) -> bool:
    """Whether a dump, or a probe of a heap as good as full, says what it died of."""
    if pick.trace is None:
        return False
    position = position_of(pick.trace, pick.trace.death.place)
    _, heap = death_heap_of(pick.trace, _snapshots(pick), position, pick.run.conf)
    return not isinstance(heap, Unknown)


def _probed(
    trace: Trace, runs: Sequence[JobRun], *, besides: JobRun
) -> tuple[Trace, JobRun] | None:
    """The same task in the newest other run that probed it."""
    for run in reversed(runs):
        same = [each for each in run.traces if _is_same_task(each, trace)]
        probed = [each for each in same if run.snapshots.get(each.attempt_id or "")]
        if probed and run is not besides:
            return probed[-1], run
    return None


def _same_deaths(trace: Trace, runs: Sequence[JobRun]) -> Iterator[_Pick]:
    """Where this task died of the same at about the same record, the newest first."""
    records = trace.position.records_in if trace.position is not None else None
    for run in reversed(runs):
        traces = traces_of(run)
        for each in traces:
            there = each.position.records_in if each.position is not None else None
            same = _is_same_task(each, trace) and each.death.kind == trace.death.kind
            if same and records and there and not is_far(there, records):
                yield _Pick(run, traces, each)


def _is_same_task(one: Trace, other: Trace) -> bool:
    return (one.task_type, one.index) == (other.task_type, other.index)


def is_far(records: int, others: int) -> bool:
    """Whether one has read more records beyond the other than that has in all.

    One cause meets a full heap at about the same record again.
    """
    return abs(records - others) > min(records, others)


def _of(trace: Trace, run: JobRun) -> Snapshots:
    return snapshots_of(trace, run.snapshots.get(trace.attempt_id or "", ()))


def _index(trace: Trace) -> int:
    return trace.index if trace.index is not None else 1 << 30


def traces_of(run: JobRun) -> tuple[Trace, ...]:
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


def _flow(run: JobRun) -> Dataflow:
    traces = with_history(run.traces, run.history)
    return build_dataflow(traces, history=run.history, conf=run.conf)
