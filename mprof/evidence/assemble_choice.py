"""Which attempt is diagnosed, and of which run; the moments its dumps show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from mprof.dataflow import died_of_memory, failed_by_evidence, with_history
from mprof.evidence.facts import AttemptLine, DeathPosition
from mprof.job_run import JobRun
from mprof.objects import HeapObjects
from mprof.trace import Trace, trace_of_diagnostics
from mprof.trace.events import DumpEvent, DumpRemoved

__all__ = ["Chosen", "Moment", "choose", "last_full_moment", "moments_of", "other_failures"]

# Points of a plan (docs/reference/probe-plan.md), as dump events name them
BEFORE_RECORD: Final = "before_record"
BEFORE_GROUP: Final = "before_group"
IN_GROUP: Final = "in_group"
IN_COMBINE: Final = "in_combine"
SETUP_BYTES: Final = "setup_bytes"

_AS_GOOD_AS_FULL: Final = 0.80
"""Of -Xmx: the rest is what `large_intermediate_results` calls sharp, the least that counts."""

_PROBE: Final = re.compile(
    r"probe-(?P<point>[a-z_]+)(?:-(?P<group>\d+)(?=-))?(?:-(?P<ordinal>\d+))?"
)


@dataclass(frozen=True, slots=True)
class Moment:
    """What the task's heap looked like at one point.

    Attributes:
        point: name of the plan's point, ``death``, or None where no event tells.
        ordinal: of the record or group about to be handed over, or bytes read.
        group: ordinal of the group for points inside one.
        records: taken in by then, None where no event tells.
    """

    point: str | None
    ordinal: int | None
    group: int | None
    objects: HeapObjects
    records: int | None = None


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


def moments_of(
    trace: Trace, snapshots: Iterable[HeapObjects]
) -> tuple[tuple[Moment, ...], HeapObjects | None]:
    """The snapshots with the points that the agent's dump events name, and that at death."""
    events = {_stem(each.file): each for each in trace.of(DumpEvent)}
    removed = {_stem(each.file) for each in trace.of(DumpRemoved)}
    found: list[Moment] = []
    death: HeapObjects | None = None
    for objects in snapshots:
        name = objects.point.name
        event = events.get(name)
        probe = _probe_name(name)
        if event is not None and event.reason != "oom":
            records = event.at.records_in if event.at is not None else None
            found.append(Moment(event.point, event.ordinal, event.group, objects, records))
        elif probe is not None and name not in removed:
            # its event was lost: the task died while that was being written
            found.append(Moment(*probe, objects))
        elif event is not None or objects.point.at_death:
            death = objects
    return tuple(sorted(found, key=_order)), death


def last_full_moment(
    moments: Sequence[Moment], position: DeathPosition | None, heap_max_bytes: int | None
) -> Moment | None:
    """The last probe before the death, if the heap was as good as full by then.

    It stands for a dump at death that was not made or came too late: what happened after it is
    less than the fifth of the heap that any rule makes something of.
    """
    if position is None or heap_max_bytes is None:
        return None
    before = [each for each in moments if _is_before(each, position)]
    last = max(before, key=lambda each: each.ordinal or 0, default=None)
    if last is None or last.objects.live_bytes < _AS_GOOD_AS_FULL * heap_max_bytes:
        return None
    return last


def _is_before(moment: Moment, position: DeathPosition) -> bool:
    """Whether the death followed while the same split, group or call of combine() was read."""
    reached = position.record_in_group
    if moment.point == BEFORE_RECORD and position.group is None:
        reached = position.record
    elif moment.point not in {IN_GROUP, IN_COMBINE} or moment.group not in {None, position.group}:
        return False
    return reached is not None and moment.ordinal is not None and moment.ordinal <= reached


def _order(moment: Moment) -> tuple[int, int]:
    """Before groups in general come points inside one; nothing later depends on more."""
    return (moment.group or 0, moment.ordinal or 0)


def _probe_name(name: str) -> tuple[str, int | None, int | None] | None:
    """Point, ordinal and group of ``probe-POINT[-GROUP][-ORDINAL]``, as the agent names dumps."""
    match = _PROBE.fullmatch(name)
    if match is None:
        return None
    group, ordinal = match["group"], match["ordinal"]
    return match["point"], int(ordinal) if ordinal else None, int(group) if group else None


def _stem(file: str) -> str:
    return file.removesuffix(".gz").removesuffix(".hprof")


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
