"""Everything that was recorded of a job, joined into the evidence about one failed attempt.

Read from top to bottom: choose the attempt, model the data flow of every run, read its heap, join.
What was not measured is ``Unknown`` with the run that would tell, never zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from mprof.dataflow import Dataflow, build_dataflow, place_of, with_history
from mprof.evidence.assemble_choice import (
    BEFORE_RECORD,
    Chosen,
    Moment,
    choose,
    last_full_moment,
    other_failures,
)
from mprof.evidence.assemble_counted import counted_beside
from mprof.evidence.assemble_data import (
    loading_of,
    map_buffer_of,
    opened_of,
    partitions_of,
    position_of,
    progress_of,
    record_being_read,
    shuffle_facts_of,
    split_facts_of,
)
from mprof.evidence.assemble_groups import group_sizes_of, record_sizes_of
from mprof.evidence.assemble_growth import external_of, record_growth_of, series_of_holders
from mprof.evidence.assemble_lifetimes import lived_longer
from mprof.evidence.assemble_memory import (
    collector_of,
    dump_is_of_death,
    histogram_series,
    live_before,
    lowest_live_bytes,
    memory_of,
    passive_series,
)
from mprof.evidence.assemble_objects import (
    called_methods,
    composition_of,
    holders_of,
    stack_of,
)
from mprof.evidence.assemble_reused import with_kept_records
from mprof.evidence.assemble_sites import with_sites_of_other_deaths
from mprof.evidence.assemble_verification import other_groups_of, verification_of
from mprof.evidence.facts import (
    Attempt,
    Composition,
    Death,
    DeathPosition,
    Evidence,
    Holder,
    Job,
    Unknown,
    known,
)
from mprof.history import JobConf, JobHistory
from mprof.job_run import JobRun
from mprof.objects import HeapObjects
from mprof.trace import Death as AttemptDeath
from mprof.trace import Trace, classify_death

__all__ = ["assemble"]

_NO_DUMP: Final = Unknown("a heap dump made at death", "run")
_NO_TASK: Final = Unknown("a heap dump in which a thread runs a map or reduce task", "run")
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
        return _of_a_lone_dump(chosen, history, conf)
    return _of_an_attempt(chosen, chosen.trace, runs, history, conf)


def _of_an_attempt(
    chosen: Chosen,
    trace: Trace,
    runs: Sequence[JobRun],
    history: JobHistory | None,
    conf: JobConf | None,
) -> Evidence:
    flows = [_flow(each) for each in runs if each.mode != "verify"] or [_flow(chosen.run)]
    flow = _flow(chosen.run)
    death, no_dump = _death_dump(trace, chosen.death)
    place = place_of(trace) or (death.place if death else None)
    position = position_of(trace, place)
    moments, death = _with_stand_in(trace, chosen.moments, death, position)
    records = record_sizes_of(trace, position, place)
    if death is not None:
        moments, death = with_kept_records(
            moments,
            death,
            place=place,
            records=records,
            before=live_before(trace, position),
        )
    memory = memory_of(trace, death, conf)
    holders: tuple[Holder, ...] | Unknown = no_dump
    if death is not None:
        holders = holders_of(death, moments, in_setup=place == "setup", called=called_methods(conf))
        if not moments:
            holders = lived_longer(holders, death, live_before(trace, position))
        holders = with_sites_of_other_deaths(holders, death, runs)
    before_reading = _with_unread(trace, moments, death)
    series = series_of_holders(before_reading, death, _handed_over(trace, position))
    external = external_of(
        holders,
        series,
        moments,
        opened_of(trace, conf),
        place=place,
        loading=loading_of(trace, place),
        bound=lowest_live_bytes(trace),
    )
    reducers = _reducers(flow, conf)
    return Evidence(
        job=_job(trace, history, chosen.run),
        attempt=_attempt(trace, chosen.run),
        death=_death_of(trace.death, chosen.run),
        place=place or _NO_LOG,
        position=position if position is not None else _NO_LOG,
        attempts=other_failures(chosen.traces, trace),
        memory=memory,
        composition=_composition(death, holders, no_dump),
        holders=holders,
        stack=stack_of(death, trace.death.stack) or no_dump,
        series=(
            *series,
            *passive_series(trace, position, known(memory.live_bytes_at_death)),
            *histogram_series(trace, position),
        ),
        record_growth=record_growth_of(before_reading, death, position, trace.death.stack, no_dump),
        external=external,
        progress=progress_of(trace, flow),
        split=split_facts_of(trace),
        map_buffer=map_buffer_of(trace, conf, place, reducers),
        shuffle=shuffle_facts_of(trace, flow, death, place),
        partitions=partitions_of(trace, flows),
        groups=group_sizes_of(
            trace,
            flows,
            position,
            place,
            other_groups_of(runs, trace),
            counted_beside(runs),
        ),
        records=records,
        verification=verification_of(runs, trace),
        reducers=reducers,
        partition_file=next(
            (each.partition_file for each in reversed(runs) if each.partition_file), None
        ),
        conf=_shown(conf),
        set_in_code=conf.set_in_code if conf is not None else frozenset(),
    )


def _of_a_lone_dump(chosen: Chosen, history: JobHistory | None, conf: JobConf | None) -> Evidence:
    """Of a heap dump without the attempt it is of: what the heap itself says."""
    death = chosen.death
    job = Job(history.job_id if history else chosen.run.job_id)
    if death is None:
        told = _death_of(classify_death(), chosen.run)
        return Evidence(job=job, attempt=Attempt(None, None, None), death=told, conf=_shown(conf))
    if death.oom_thread is not None:
        told = Death(
            "heap",
            f'thread "{death.oom_thread}" stands in the constructor of an OutOfMemoryError',
            death.oom_thread,
        )
    else:
        told = Death("none", "a heap dump alone does not say how the task ended")
    holders = holders_of(death, (), in_setup=death.place == "setup", called=called_methods(conf))
    side = death.side if death.side != "unknown" else None
    return Evidence(
        job=job,
        attempt=Attempt(None, side, None),
        death=told,
        place=death.place,
        memory=memory_of(None, death, conf),
        composition=_composition(death, holders, _NO_DUMP),
        holders=_NO_TASK if death.side == "unknown" else holders,
        stack=stack_of(death, ()) or _NO_DUMP,
        external=external_of(
            holders,
            (),
            (),
            (),
            place=death.place,
            loading=() if death.place == "setup" else None,
            bound=None,
        ),
        split=None if side == "reduce" else _NO_LOG,
        map_buffer=None if side == "reduce" else _NO_LOG,
        shuffle=None if side == "map" else _NO_LOG,
        partitions=None if side == "map" else _NO_LOG,
        conf=_shown(conf),
    )


def _death_of(told: AttemptDeath, run: JobRun) -> Death:
    """How the attempt died; a job that failed without a failed attempt tells of its own end.

    The application master may die before any task starts, or a user may kill the job.
    """
    if told.kind == "none" and run.state in {"FAILED", "KILLED"}:
        of_job = classify_death(diagnostics=run.diagnostics)
        if of_job.kind != "none":
            told = of_job
        else:
            word = "failed" if run.state == "FAILED" else "was killed"
            told = AttemptDeath("not-memory", f"the job {word}, and nothing says why")
    used = told.container.physical_used_bytes if told.container else None
    return Death(told.kind, told.evidence, told.thread, told.message, used)


def _newest(runs: Sequence[JobRun], first: JobRun) -> tuple[JobHistory | None, JobConf | None]:
    """History and configuration of the chosen run, else of the newest that has them."""
    order = [first, *reversed(runs)]
    history = next((each.history for each in order if each.history is not None), None)
    conf = next((each.conf for each in order if each.conf is not None), None)
    return history, conf


def _flow(run: JobRun) -> Dataflow:
    traces = with_history(run.traces, run.history)
    return build_dataflow(traces, history=run.history, conf=run.conf)


def _death_dump(trace: Trace, death: HeapObjects | None) -> tuple[HeapObjects | None, Unknown]:
    """The heap at death, and the words for its absence.

    A dump that is not of the death is no better the next time; a rerun brings probes, and switches
    off that the JIT compiler takes objects apart, which are missing in a dump then.
    """
    if death is None or dump_is_of_death(trace, death):
        return death, _NO_DUMP
    why = "was made after the task had released its memory"
    if any(frame.user for frame in death.frames):
        why = (
            "lacks what the locals of user code held, because the JIT compiler had "
            "scalar-replaced it"
        )
    return None, Unknown(f"a heap dump made at death: the one available {why}", "rerun")


def _with_stand_in(
    trace: Trace,
    moments: tuple[Moment, ...],
    death: HeapObjects | None,
    position: DeathPosition | None,
) -> tuple[tuple[Moment, ...], HeapObjects | None]:
    """The moments and the heap at death, for which the last of them stands where no dump does."""
    if death is not None or trace.death.kind not in {"heap", "gc-overhead"}:
        return moments, death
    last = last_full_moment(moments, position, trace.heap_max)
    if last is None:
        return moments, None
    return tuple(each for each in moments if each is not last), last.objects


def _with_unread(
    trace: Trace, moments: tuple[Moment, ...], death: HeapObjects | None
) -> tuple[Moment, ...]:
    """The moments, and the death as one more where R_n was still being read.

    User code had done all its work on the records before, and none on R_n: what it held by then is
    what it held right before R_n. Of a few large records no probe shows more.
    """
    unread = record_being_read(trace)
    if unread is None or death is None or not moments or not death.point.at_death:
        return moments
    return (*moments, Moment(BEFORE_RECORD, unread, None, death))


def _handed_over(trace: Trace, position: DeathPosition | None) -> DeathPosition | None:
    """How far user code had come: not to the record that was still being read."""
    unread = record_being_read(trace)
    if unread is None or position is None:
        return position
    return replace(position, record=unread - 1)


def _composition(
    death: HeapObjects | None, holders: tuple[Holder, ...] | Unknown, no_dump: Unknown
) -> Composition | Unknown:
    if death is None or isinstance(holders, Unknown):
        return no_dump
    return composition_of(death, [each for each in holders if each.owner == "external"])


def _job(trace: Trace, history: JobHistory | None, run: JobRun) -> Job:
    return Job(
        job_id=history.job_id if history else run.job_id,
        name=(history.name or None) if history else None,
        user=(history.user or None) if history else None,
        state=history.state if history else None,
        hadoop_version=trace.attach.hadoop_version if trace.attach else None,
    )


def _attempt(trace: Trace, run: JobRun) -> Attempt:
    mode = trace.mode if trace.mode in {"watch", "profile", "verify"} else "none"
    host = trace.attach.host if trace.attach else None
    if host is None and run.history is not None:
        told = run.history.attempts().get(trace.attempt_id or "")
        host = told.host if told else None
    return Attempt(
        attempt_id=trace.attempt_id,
        task_type="map" if trace.task_type == "map" else ("reduce" if trace.task_type else None),
        index=trace.index,
        number=trace.number or 0,
        mode=mode,  # type: ignore[arg-type]
        host=host,
        java_version=trace.attach.java_version if trace.attach else None,
        collector=collector_of(trace),
    )


def _reducers(flow: Dataflow, conf: JobConf | None) -> int | Unknown:
    if flow.total_reduces is not None:
        return flow.total_reduces
    configured = conf.get_int("mapreduce.job.reduces") if conf else None
    return configured if configured is not None else Unknown("the job's configuration", "cluster")


def _shown(conf: JobConf | None) -> Mapping[str, str]:
    """Properties under their new names, secrets masked."""
    return dict(conf.shown_all()) if conf is not None else {}
