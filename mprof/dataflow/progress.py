"""How far an attempt was when it ended."""

from __future__ import annotations

from mprof.dataflow.dataflow import Dataflow, TaskProgress
from mprof.trace import Trace
from mprof.trace.events import ReduceInput, ShuffleMerge

__all__ = ["map_progress", "task_progress"]

_AFTER_MAP = frozenset({"flush", "merge", "commit", "end"})


def task_progress(trace: Trace, flow: Dataflow) -> TaskProgress | None:
    """Share of its input that the running step had read: combine pass, split, or reduce input.

    None where it is not known.
    """
    position = trace.position
    if position is None:
        return None
    if trace.place == "combine":
        return _share(
            position.combine_records_in,
            position.combine_total,
            method="records of the combine pass",
        )
    if trace.task_type == "map":
        return map_progress(trace)
    if position.phase in {"shuffle", "sort"}:
        return _share(
            position.fetched_segments,
            flow.total_maps,
            method="segments fetched, one from each map task",
        )
    counted = _share(
        position.records_in,
        _reduce_total(trace, flow),
        method="records of the merged input",
    )
    if counted is not None:
        return counted
    if position.progress is not None and position.phase in {"reduce", "cleanup"}:
        return TaskProgress(position.progress, "progress of the merged input")
    return None


def _reduce_total(trace: Trace, flow: Dataflow) -> int | None:
    """Number of records in the input of reduce().

    If the merge did not count them, it is that of the partition, unless a combiner in the shuffle
    has reduced their number.
    """
    if trace.position is not None and trace.position.reduce_total is not None:
        return trace.position.reduce_total
    counted = trace.last(ReduceInput)
    if counted is not None and counted.records is not None:
        return counted.records
    combined = any(each.combined for each in trace.of(ShuffleMerge))
    if combined or not flow.partitions_complete or trace.index is None:
        return None
    mine = (each.records for each in flow.partitions if each.index == trace.index)
    return next(mine, None)


def map_progress(trace: Trace) -> TaskProgress | None:
    """Share of the split that map() had read, even if a spill was running combine()."""
    position = trace.position
    if position is None:
        return None
    if position.phase in _AFTER_MAP or (position.phase == "cleanup" and position.records_in):
        return TaskProgress(1.0, "the last record had been read")
    if position.progress:
        return TaskProgress(position.progress, "progress of the record reader")
    length = position.split_length
    if position.bytes_in and length and position.bytes_in <= length:
        return TaskProgress(position.bytes_in / length, "bytes of the records read")
    return None


def _share(part: int | None, whole: int | None, *, method: str) -> TaskProgress | None:
    if part is None or not whole:
        return None
    return TaskProgress(min(1.0, part / whole), method)
