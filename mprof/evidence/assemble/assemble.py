"""Everything that was recorded of a job, joined into the evidence about one failed attempt.

Read from top to bottom: choose the attempt; the data side, from its events, its configuration and
the dataflow of every run; then the heap side, from its snapshots and collections.
What was not measured is ``Unknown`` with the run that would tell, never zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from mprof.dataflow import Dataflow, build_dataflow, place_of, with_history
from mprof.evidence.assemble.choice import Chosen, choose, other_failures
from mprof.evidence.assemble.counted_groups import counted_beside
from mprof.evidence.assemble.curves import record_growth_of, series_of_holders
from mprof.evidence.assemble.death_heap import (
    NO_DUMP,
    death_heap_of,
    handed_over,
    with_record_being_read,
)
from mprof.evidence.assemble.external import external_of
from mprof.evidence.assemble.files import loading_of, opened_of
from mprof.evidence.assemble.groups import group_sizes_of
from mprof.evidence.assemble.identity import attempt_of, death_of, job_of
from mprof.evidence.assemble.input_and_buffers import (
    map_buffer_of,
    reserved_by_shuffle,
    split_facts_of,
    with_shuffled_bytes,
)
from mprof.evidence.assemble.live_heap import (
    histogram_series,
    live_before,
    lowest_live_bytes,
    passive_series,
)
from mprof.evidence.assemble.lone_dump import of_a_lone_dump
from mprof.evidence.assemble.memory import dump_is_of_death, memory_of
from mprof.evidence.assemble.moments import Moment
from mprof.evidence.assemble.ownership import OwnedHeap, decide_owners
from mprof.evidence.assemble.partitions import partitions_of
from mprof.evidence.assemble.position import position_of, progress_of
from mprof.evidence.assemble.records import record_sizes_of
from mprof.evidence.assemble.snapshot import stack_of
from mprof.evidence.assemble.verification import other_groups_of, verification_of
from mprof.evidence.facts import Attempt, Evidence, Job, Unknown, known
from mprof.history import JobConf, JobHistory
from mprof.job_run import JobRun
from mprof.trace import Trace, classify_death

__all__ = ["assemble"]

_NO_LOG: Final = Unknown("the event log of this attempt", "run")


def assemble(runs: Sequence[JobRun], attempt_id: str | None = None) -> Evidence:
    """The evidence about one attempt of a job.

    Args:
        runs: runs of one job, oldest first.
        attempt_id: the attempt; else the failed one with most evidence is chosen.

    Raises:
        ValueError: if there is no run at all.
    """
    if not runs:
        raise ValueError("nothing was recorded")
    chosen = choose(runs, attempt_id)
    history, conf = _newest(runs, chosen.run)
    if chosen.trace is None:
        return _without_a_trace(chosen, history, conf)
    data_side = _data_side(chosen, chosen.trace, runs, history, conf)
    return _with_heap_side(data_side, chosen, chosen.trace, runs, conf)


def _newest(runs: Sequence[JobRun], first: JobRun) -> tuple[JobHistory | None, JobConf | None]:
    """History and configuration of the chosen run, else of the newest that has them."""
    order = [first, *reversed(runs)]
    history = next((each.history for each in order if each.history is not None), None)
    conf = next((each.conf for each in order if each.conf is not None), None)
    return history, conf


def _data_side(
    chosen: Chosen,
    trace: Trace,
    runs: Sequence[JobRun],
    history: JobHistory | None,
    conf: JobConf | None,
) -> Evidence:
    """What events, configuration and history say: where it stood, and the data on its way."""
    flows = [_flow(each) for each in runs if each.mode != "verify"] or [_flow(chosen.run)]
    flow = _flow(chosen.run)
    # Where no log says it, the stack in the dump does.
    dump = chosen.death if chosen.death and dump_is_of_death(trace, chosen.death) else None
    place = place_of(trace) or (dump.place if dump is not None else None)
    position, reducers = position_of(trace, place), _reducers(flow, conf)
    groups = group_sizes_of(
        trace, flows, position, place, other_groups_of(runs, trace), counted_beside(runs)
    )
    files = (each.partition_file for each in reversed(runs) if each.partition_file)
    return Evidence(
        job=job_of(trace, history, chosen.run),
        attempt=attempt_of(trace, chosen.run),
        death=death_of(trace.death, chosen.run),
        place=place or _NO_LOG,
        position=position if position is not None else _NO_LOG,
        attempts=other_failures(chosen.traces, trace),
        progress=progress_of(trace, flow),
        split=split_facts_of(trace),
        map_buffer=map_buffer_of(trace, conf, place, reducers),
        shuffle=reserved_by_shuffle(trace, flow, place),
        partitions=partitions_of(trace, flows),
        groups=groups,
        records=record_sizes_of(trace, position, place),
        verification=verification_of(runs, trace),
        reducers=reducers,
        partition_file=next(files, None),
        conf=_shown(conf),
        set_in_code=conf.set_in_code if conf is not None else frozenset(),
    )


def _with_heap_side(
    evidence: Evidence,
    chosen: Chosen,
    trace: Trace,
    runs: Sequence[JobRun],
    conf: JobConf | None,
) -> Evidence:
    """The same with what its snapshots and collections say of the heap."""
    place, position = known(evidence.place), known(evidence.position)
    moments, found = death_heap_of(trace, chosen.moments, chosen.death, position)
    if isinstance(found, Unknown):
        return _with_heap(evidence, trace, conf, moments, found)
    owned = decide_owners(
        moments,
        found,
        place=place,
        records=evidence.records,
        before=live_before(trace, position),
        conf=conf,
        runs=runs,
    )
    return _with_heap(evidence, trace, conf, owned.moments, owned)


def _with_heap(
    evidence: Evidence,
    trace: Trace,
    conf: JobConf | None,
    moments: tuple[Moment, ...],
    owned: OwnedHeap | Unknown,
) -> Evidence:
    """With the heap at death, whose owners are decided, or with the reason why there is none."""
    place, position = known(evidence.place), known(evidence.position)
    heap = known(owned)
    death = heap.death if heap is not None else None
    no_dump = owned if isinstance(owned, Unknown) else NO_DUMP
    holders = heap.holders if heap is not None else no_dump
    memory = memory_of(trace, death, conf)
    read = with_record_being_read(trace, moments, death)
    series = series_of_holders(read, death, handed_over(trace, position))
    return replace(
        evidence,
        death_snapshot=death.point.name if death is not None else None,
        memory=memory,
        composition=heap.composition if heap is not None else no_dump,
        holders=holders,
        stack=stack_of(death, trace.death.stack) or no_dump,
        series=(
            *series,
            *passive_series(trace, position, known(memory.live_bytes_at_death)),
            *histogram_series(trace, position),
        ),
        record_growth=record_growth_of(read, death, position, trace.death.stack, no_dump),
        external=external_of(
            holders,
            series,
            moments,
            opened_of(trace, conf),
            place=place,
            loading=loading_of(trace, place),
            bound=lowest_live_bytes(trace),
        ),
        shuffle=with_shuffled_bytes(evidence.shuffle, death),
    )


def _without_a_trace(chosen: Chosen, history: JobHistory | None, conf: JobConf | None) -> Evidence:
    """A job of which nothing but a heap dump, or not even that, is available."""
    job = Job(history.job_id if history else chosen.run.job_id)
    if chosen.death is not None:
        return of_a_lone_dump(chosen.death, job, conf, _shown(conf))
    death = death_of(classify_death(), chosen.run)
    return Evidence(job=job, attempt=Attempt(None, None, None), death=death, conf=_shown(conf))


def _flow(run: JobRun) -> Dataflow:
    traces = with_history(run.traces, run.history)
    return build_dataflow(traces, history=run.history, conf=run.conf)


def _reducers(flow: Dataflow, conf: JobConf | None) -> int | Unknown:
    if flow.total_reduces is not None:
        return flow.total_reduces
    configured = conf.get_int("mapreduce.job.reduces") if conf else None
    return configured if configured is not None else Unknown("the job's configuration", "cluster")


def _shown(conf: JobConf | None) -> Mapping[str, str]:
    """Properties under their new names, secrets masked."""
    return dict(conf.shown_all()) if conf is not None else {}
