"""R_n and the records before it, and whether it was still being read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mprof.dataflow import records_of
from mprof.engines import MAPREDUCE, Method, UserClasses, read_stack
from mprof.evidence.assemble.moments import BEFORE_RECORD, IN_COMBINE, IN_GROUP, Moment
from mprof.evidence.assemble.position import absent
from mprof.evidence.distribution import Distribution
from mprof.evidence.facts import DeathPosition, RecordSizes, Unknown
from mprof.objects import HeapObjects
from mprof.trace import Trace

__all__ = ["record_sizes_of", "with_sizes_in_heap"]

_SIZE = "the size of the record in flight"


def record_sizes_of(
    trace: Trace, position: DeathPosition | None, place: str | None
) -> RecordSizes | Unknown | None:
    """R_n and the records before it.

    Args:
        trace: of the failed attempt.
        position: at death.
        place: at death.
    """
    if place not in {"map", "reduce", "combine", None}:
        return None
    at = trace.position
    if at is None or position is None:
        return absent(trace, "the record in flight")
    scope = place or ("map" if trace.task_type == "map" else "reduce")
    counts = records_of(trace, scope)
    failure = trace.failure
    record = failure.record if failure else None
    size = record.bytes if record else None
    counted = not position.unread  # else the counters tell of the record before R_n
    if size is None and counted:
        size = at.combine_record_bytes if scope == "combine" else at.record_bytes
    # The event of combine() may be of a record long before: in a spill sizes are read later.
    known = counts.current if counts is not None and scope != "combine" else None
    if size is None and counted and known is not None and known.record == at.records_in:
        size = known.bytes  # of an older record, should the event have been lost that followed
    reading, reads_next = _being_read(trace), _reads_next(trace)
    if _reads_ahead(trace) or reads_next:
        size = None
    before: Distribution | Unknown = Unknown("sizes of the records before it", "rerun")
    if counts is not None and counts.bytes is not None and counts.bytes.count:
        before = Distribution.of_sketch(counts.bytes)
    return RecordSizes(
        ordinal=position.record_in_group or position.record,
        bytes=size if size is not None else _no_size(trace),
        before=before,
        being_read=reading,
        reads_next=reads_next,
    )


def with_sizes_in_heap(
    records: RecordSizes | Unknown | None,
    moments: Sequence[Moment],
    death: HeapObjects | None,
    position: DeathPosition | None,
) -> RecordSizes | Unknown | None:
    """R_n and the records before it by what they take of the heap, where nothing counted bytes.

    The size of an object that is no well-known ``Writable`` is told by no reader. A dump before a
    record is handed over shows it, decoded or not yet.

    Args:
        records: as counted.
        moments: the dumps of the probes, in order.
        death: the heap at death.
        position: at death.
    """
    if not isinstance(records, RecordSizes) or not isinstance(records.before, Unknown):
        return records
    if records.ordinal is None or position is None or not _can_be_measured(records):
        return records
    in_group = position.record_in_group is not None
    handed = [
        each
        for each in moments
        if each.ordinal is not None
        and (
            each.point in {IN_GROUP, IN_COMBINE} and each.group == position.group
            if in_group
            else each.point == BEFORE_RECORD
        )
    ]
    before = [_in_flight(each.objects) for each in handed if _ordinal(each) < records.ordinal]
    of_it = [_in_flight(each.objects) for each in handed if _ordinal(each) == records.ordinal]
    if death is not None:
        of_it.append(_in_flight(death))
    if not before or not of_it:
        return records
    return replace(records, bytes=max(of_it), before=Distribution.of(before), in_heap=True)


def _can_be_measured(records: RecordSizes) -> bool:
    return isinstance(records.bytes, Unknown) and records.bytes.run_that_would_tell == "rerun"


def _ordinal(moment: Moment) -> int:
    return moment.ordinal or 0


def _in_flight(objects: HeapObjects) -> int:
    return objects.bytes_of("record_in_flight")


def _no_size(trace: Trace) -> Unknown:
    if _reads_ahead(trace):
        return Unknown(f"{_SIZE}: it died in another thread than reads the records", "none")
    if _reads_next(trace):
        return Unknown("the size of the record that was being read", "none")
    return Unknown(_SIZE, "rerun")


def _reads_ahead(trace: Trace) -> bool:
    """Whether the record that was read last need not be the one whose work ran out of memory.

    The mappers of a chain, and those of a multithreaded mapper, run in threads of their own; what
    is counted is what the task's reader has handed out.
    """
    return any(frame.class_name in MAPREDUCE.mapper_threads for frame in trace.death.stack)


def _reads_next(trace: Trace) -> bool:
    """Whether the framework was fetching the record after R_n: what is counted is R_n's."""
    methods = (Method(one.class_name, one.method) for one in trace.death.stack)
    return _being_read(trace) and any(one in MAPREDUCE.reading_ahead for one in methods)


def _being_read(trace: Trace) -> bool:
    """Whether the stack shows the record still being read, with no map() or reduce() above that.

    A record that user code opens a reader of its own for is none of the task's: what counts is the
    method by which the framework hands out the next record.
    """
    for role in read_stack(trace.death.stack, UserClasses(MAPREDUCE)).frames:
        if role.level in {"map", "reduce"}:
            return False
        if Method(role.class_name, role.method) in MAPREDUCE.record_reading:
            return True
    return False
