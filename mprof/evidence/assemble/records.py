"""R_n and the records before it, and whether it was still being read."""

from __future__ import annotations

from mprof.dataflow import records_of
from mprof.engines import MAPREDUCE, Engine, Method, UserClasses, read_stack
from mprof.evidence.assemble.position import absent
from mprof.evidence.distribution import Distribution
from mprof.evidence.facts import DeathPosition, RecordSizes, Unknown
from mprof.trace import Trace
from mprof.trace.events import Failure

__all__ = ["record_sizes_of"]


def record_sizes_of(
    trace: Trace, position: DeathPosition | None, place: str | None, engine: Engine = MAPREDUCE
) -> RecordSizes | Unknown | None:
    """R_n and the records before it.

    Args:
        trace: of the failed attempt.
        position: at death.
        place: at death.
        engine: that ran the task.
    """
    if place not in {"map", "reduce", "combine", None}:
        return None
    at = trace.position
    if at is None or position is None:
        return absent(trace, "the record in flight")
    scope = place or ("map" if trace.task_type == "map" else "reduce")
    counts = records_of(trace, scope)
    failure = trace.last(Failure)
    record = failure.record if failure else None
    size = record.bytes if record else None
    counted = not position.unread  # else the counters tell of the record before R_n
    if size is None and counted:
        size = at.combine_record_bytes if scope == "combine" else at.record_bytes
    if size is None and counted and counts is not None and counts.current is not None:
        size = counts.current.bytes
    if _reads_ahead(trace, engine):
        size = None
    before: Distribution | Unknown = Unknown("sizes of the records before it", "rerun")
    if counts is not None and counts.bytes is not None and counts.bytes.count:
        before = Distribution.of_sketch(counts.bytes)
    return RecordSizes(
        ordinal=position.record_in_group or position.record,
        bytes=size if size is not None else _no_size(trace, engine),
        before=before,
        being_read=_being_read(trace, engine),
    )


def _no_size(trace: Trace, engine: Engine) -> Unknown:
    why = (
        ": it died in another thread than reads the records" if _reads_ahead(trace, engine) else ""
    )
    return Unknown(f"the size of the record in flight{why}", "none")


def _reads_ahead(trace: Trace, engine: Engine) -> bool:
    """Whether the record that was read last need not be the one whose work ran out of memory.

    The mappers of a chain, and those of a multithreaded mapper, run in threads of their own; what
    is counted is what the task's reader has handed out.
    """
    return any(frame.class_name in engine.mapper_threads for frame in trace.death.stack)


def _being_read(trace: Trace, engine: Engine) -> bool:
    """Whether the stack shows the record still being read, with no map() or reduce() above that.

    A record that user code opens a reader of its own for is none of the task's: what counts is the
    method by which the framework hands out the next record.
    """
    for role in read_stack(trace.death.stack, UserClasses(engine)).frames:
        if role.level in {"map", "reduce"}:
            return False
        if Method(role.class_name, role.method) in engine.record_reading:
            return True
    return False
