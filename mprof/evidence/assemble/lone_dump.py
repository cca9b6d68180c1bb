"""A heap dump without the attempt that it is of: what the heap itself says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from mprof.engines import Program, program_in
from mprof.evidence.assemble.choice import Chosen
from mprof.evidence.assemble.death_heap import NO_DUMP
from mprof.evidence.assemble.external import external_of
from mprof.evidence.assemble.holders import (
    called_methods,
    composition_of,
    holders_of,
    with_called_methods,
)
from mprof.evidence.assemble.identity import death_of, maps_of
from mprof.evidence.assemble.memory import memory_of
from mprof.evidence.assemble.stack import stack_of
from mprof.evidence.facts import Attempt, Death, Evidence, Job, StackFrame, Unknown
from mprof.history import JobConf
from mprof.objects import HeapObjects
from mprof.trace import classify_death

__all__ = ["without_a_trace"]

_NO_THREAD_DIED: Final = "no thread of the heap dump met an OutOfMemoryError"
_NO_TASK: Final = Unknown("a heap dump in which a thread runs a map or reduce task", "run")
_NO_LOG: Final = Unknown("the event log of this attempt", "run")


def without_a_trace(chosen: Chosen) -> Evidence:
    """The evidence about a job of which nothing but a heap dump, or not even that, is available."""
    job = Job(
        chosen.history.job_id if chosen.history else chosen.run.job_id,
        name=(chosen.history.name or None) if chosen.history else None,
        user=(chosen.history.user or None) if chosen.history else None,
        state=(chosen.history.state if chosen.history else None) or chosen.run.state,
        driver_error=chosen.run.driver_error or None,
        driver_exit_code=chosen.run.driver_exit_code,
        local_jobs=chosen.run.local_jobs,
        maps=maps_of(chosen.history, chosen.run),
    )
    conf = chosen.shown_conf
    if chosen.snapshots.dump is not None:
        return _of_a_lone_dump(chosen.snapshots.dump, job, chosen.conf, conf)
    death = death_of(classify_death(), chosen.run)
    return Evidence(
        job=job,
        attempt=Attempt(None, None, None),
        death=death,
        conf=conf,
        stated=chosen.run.stated,
        stack=stack_of(None, death.stack) or NO_DUMP,
    )


def _of_a_lone_dump(
    dump: HeapObjects, job: Job, conf: JobConf | None, shown: Mapping[str, str]
) -> Evidence:
    """The evidence that one heap dump is.

    Args:
        dump: taken to be the heap at death.
        job: that it is of, as far as anything names it.
        conf: of that job.
        shown: its properties, secrets masked.
    """
    holders = with_called_methods(
        holders_of(dump, (), in_setup=dump.place == "setup"), called_methods(conf)
    )
    side = dump.side if dump.side != "unknown" else None
    stack = stack_of(dump, ())
    death = _death_in(dump)
    if side is None:
        death = replace(death, program=_program_of(death, dump.thread, stack))
    return Evidence(
        job=job,
        attempt=Attempt(None, side, None),
        death=death,
        place=dump.place,
        memory=memory_of(None, dump, conf),
        composition=composition_of(dump, holders),
        holders=_NO_TASK if dump.side == "unknown" else holders,
        program=holders if dump.side == "unknown" else None,
        stack=stack or NO_DUMP,
        external=external_of(
            holders,
            (),
            (),
            (),
            place=dump.place,
            loading=() if dump.place == "setup" else None,
            bound=None,
        ),
        split=None if side == "reduce" else _NO_LOG,
        map_buffer=None if side == "reduce" else _NO_LOG,
        shuffle=None if side == "map" else _NO_LOG,
        partitions=None if side == "map" else _NO_LOG,
        records_at_once=dump.records_at_once,
        death_snapshot=dump.point.name,
        conf=shown,
    )


def _program_of(death: Death, thread: str | None, stack: Sequence[StackFrame]) -> Program | None:
    """What process the dump is of, by the thread that met the error, and the one at work."""
    if death.kind == "none":
        return None
    frames = (f"{one.class_name}.{one.method}" for one in stack)
    return program_in("\n".join((death.thread or "", thread or "", *frames)))


def _death_in(dump: HeapObjects) -> Death:
    """The OutOfMemoryError that a dump shows, where it shows one."""
    if dump.oom_thread is None:
        return Death("none", _NO_THREAD_DIED, from_dump=True)
    line = f'thread "{dump.oom_thread}" stands in the constructor of an OutOfMemoryError'
    known = any(each.thread is not None for each in dump.holders[:1])
    if known and dump.side == "unknown" and dump.thread not in (None, dump.oom_thread):
        line += f'; thread "{dump.thread}" is the one that fills the heap'
    return Death("heap", line, thread=dump.oom_thread, from_dump=True)
