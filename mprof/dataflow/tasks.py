"""Builds a task of the data flow from the events of one attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

from mprof.dataflow.dataflow import (
    GroupCounts,
    InputSplit,
    KeyCount,
    MapTask,
    PartitionCounts,
    ReduceTask,
    Segment,
    SortBuffer,
)
from mprof.trace import Position, Trace, parse_attempt_id
from mprof.trace.events import (
    Fetch,
    Groups,
    MapBufferEvent,
    MapOutput,
    PartitionLists,
    Records,
    Spill,
    SplitEvent,
)

__all__ = [
    "groups_of",
    "map_task",
    "records_of",
    "reduce_task",
    "sort_buffer_of",
    "split_of",
]


def map_task(trace: Trace, *, finished: bool) -> MapTask:
    """The map task of this attempt, which succeeded or did not."""
    event = trace.last(MapOutput)
    output = _counts(event.partitions) if event else None
    return MapTask(
        index=trace.index if trace.index is not None else -1,
        attempt_id=trace.attempt_id,
        output=_only_spill(trace) if output is None and finished else output,
        combined=event.combined if event else None,
    )


def _only_spill(trace: Trace) -> PartitionCounts | None:
    """The output of a map task whose output event was lost, if it is its only spill.

    After a spill of a full buffer another one comes.
    """
    spills = [each for each in trace.of(Spill) if each.edge == "end"]
    only = spills[0] if len(spills) == 1 else None
    if only is None or only.spill != 0 or only.reason == "full":
        return None
    return _counts(only.partitions)


def reduce_task(trace: Trace, outputs: Mapping[int, PartitionCounts]) -> ReduceTask:
    """The reduce task of this attempt.

    Args:
        trace: of the attempt.
        outputs: map task index -> its output, for the records and keys of segments.
    """
    index = trace.index if trace.index is not None else -1
    return ReduceTask(
        index=index,
        attempt_id=trace.attempt_id,
        segments=tuple(
            _segment(each, index, outputs) for each in trace.of(Fetch) if each.edge == "done"
        ),
        groups=groups_of(trace, "reduce"),
    )


def split_of(trace: Trace) -> InputSplit | None:
    """The split of a map attempt; None where it is not known, and its path may not be known."""
    event = trace.last(SplitEvent)
    length = (trace.position or Position()).split_length
    if event is None:
        return None if length is None else InputSplit(path=None, start=None, length=length)
    return InputSplit(
        path=event.path,
        start=event.start,
        length=event.length if event.length is not None else length,
        class_name=event.class_name,
    )


def sort_buffer_of(trace: Trace) -> SortBuffer | None:
    """The sort buffer of a map attempt; None where none was requested (yet)."""
    events = trace.of(MapBufferEvent)
    position = trace.position or Position()
    requested = next((each.bytes for each in events if each.bytes), None)
    requested = requested or position.map_buffer_bytes or None
    if requested is None:
        return None
    ready = any(each.edge == "ready" for each in events) or bool(position.map_buffer_ready)
    return SortBuffer(requested=requested, ready=ready)


def groups_of(trace: Trace, scope: str) -> GroupCounts | None:
    """The newest counts of groups in this scope (``reduce``, ``combine``); None without any."""
    newest = next((each for each in reversed(trace.of(Groups)) if each.scope == scope), None)
    if newest is None:
        return None
    return GroupCounts(
        scope=scope,
        attempt_id=trace.attempt_id,
        index=trace.index,
        count=newest.count,
        records=newest.records,
        bytes=newest.bytes,
        largest_by_records=newest.largest_by_records,
        largest_by_bytes=newest.largest_by_bytes,
        current=newest.current,
        whole=newest.whole,
    )


def records_of(trace: Trace, scope: str) -> Records | None:
    """The newest counts of records in this scope (``map``, ``reduce``...); None without any."""
    return next((each for each in reversed(trace.of(Records)) if each.scope == scope), None)


def _counts(lists: PartitionLists | None) -> PartitionCounts | None:
    if lists is None or not (lists.records or lists.raw_bytes):
        return None
    return PartitionCounts(
        records=lists.records,
        keys=lists.keys,
        raw_bytes=lists.raw_bytes,
        largest_keys=_keys(
            lists.largest_key_digest, lists.largest_key_records, lists.largest_key_bytes
        ),
        every_key=_every_key(lists),
    )


def _keys(
    digests: Sequence[str], records: Sequence[int], sizes: Sequence[int]
) -> tuple[KeyCount, ...]:
    return tuple(map(KeyCount, digests, records, sizes))


def _every_key(lists: PartitionLists) -> tuple[tuple[KeyCount, ...], ...]:
    """All keys, by partition; empty where they are not told."""
    keys = _keys(lists.every_key_digest, lists.every_key_records, lists.every_key_bytes)
    ends = tuple(accumulate(lists.keys))
    if ends[-1:] != (len(keys),):
        return ()
    return tuple(keys[begin:end] for begin, end in pairwise((0, *ends)))


def _segment(fetch: Fetch, reducer: int, outputs: Mapping[int, PartitionCounts]) -> Segment:
    source = parse_attempt_id(fetch.map)
    map_index = source.index if source is not None else None
    output = outputs.get(map_index) if map_index is not None else None
    return Segment(
        map_index=map_index,
        map_attempt=fetch.map,
        raw_bytes=fetch.raw_bytes,
        compressed_bytes=fetch.compressed_bytes,
        to=fetch.to,
        records=_at(output.records, reducer) if output else None,
        keys=_at(output.keys, reducer) if output else None,
    )


def _at(values: tuple[int, ...], index: int) -> int | None:
    return values[index] if 0 <= index < len(values) else None
