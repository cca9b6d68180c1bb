"""Builds the data flow of a job from its traces, history and configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from mprof.dataflow.attempts import counted_attempts
from mprof.dataflow.dataflow import (
    AggregatedPartition,
    Dataflow,
    GroupCounts,
    KeyCount,
    PartitionCounts,
)
from mprof.dataflow.tasks import map_task, reduce_task
from mprof.history import JobConf, JobHistory
from mprof.trace import Sketch, Trace, merge_sketches
from mprof.trace.events import GroupEntry

__all__ = ["build_dataflow", "merged_groups"]

_MAX_LARGEST = 100  # groups kept when those of many reducers are merged


def build_dataflow(
    traces: Iterable[Trace],
    *,
    history: JobHistory | None = None,
    conf: JobConf | None = None,
) -> Dataflow:
    """The data flow of one job in one run.

    Args:
        traces: of any of its attempts; one attempt is chosen for each task.
        history: for the number of tasks, and the attempts that succeeded.
        conf: for the number of reducers where there is no history.
    """
    every = tuple(traces)
    total_maps = history.total_maps if history else None
    maps = tuple(
        map_task(trace, finished=finished)
        for _, (trace, finished) in sorted(counted_attempts(every, "map", history).items())
    )
    outputs = {each.index: each.output for each in maps if each.output is not None}
    total_reduces = _total_reduces(history, conf, outputs)
    reduces = tuple(
        reduce_task(trace, outputs)
        for _, (trace, _finished) in sorted(counted_attempts(every, "reduce", history).items())
    )
    return Dataflow(
        total_maps=total_maps,
        total_reduces=total_reduces,
        maps=maps,
        reduces=reduces,
        partitions=_aggregate(outputs, total_reduces),
        partitions_complete=bool(outputs)
        and len(outputs) == (total_maps if total_maps is not None else len(maps)),
    )


def merged_groups(
    many: Sequence[GroupCounts],
) -> tuple[Sketch | None, Sketch | None, tuple[GroupEntry, ...]]:
    """The groups of several attempts merged: sizes in records, in bytes, and the largest groups."""
    records = merge_sketches(each.records for each in many if each.records)
    sizes = merge_sketches(each.bytes for each in many if each.bytes)
    entries = {
        (each.index, entry.group): entry
        for each in many
        for entry in (*each.largest_by_bytes, *each.largest_by_records)
    }
    largest = sorted(entries.values(), key=lambda e: (e.bytes or 0, e.records or 0), reverse=True)
    return records, sizes, tuple(largest[:_MAX_LARGEST])


def _aggregate(
    outputs: Mapping[int, PartitionCounts], total_reduces: int | None
) -> tuple[AggregatedPartition, ...]:
    if not outputs:
        return ()
    width = total_reduces or max(each.partitions for each in outputs.values())
    return tuple(_aggregated(j, tuple(outputs.values())) for j in range(width))


def _aggregated(index: int, outputs: Sequence[PartitionCounts]) -> AggregatedPartition:
    own = slice(index, index + 1)
    every_key = _added_up(key for each in outputs for keys in each.every_key[own] for key in keys)
    are_all = all(each.every_key[own] for each in outputs)
    # The largest key of one map's part may have records in others: a lower bound. Unknown where a
    # map task does not tell: its own may be the largest of all.
    of_each = [each.largest_keys[own] for each in outputs]
    largest = _added_up(chain.from_iterable(of_each)) if all(of_each) else ()
    return AggregatedPartition(
        index=index,
        records=_sum(each.records[own] for each in outputs),
        raw_bytes=_sum(each.raw_bytes[own] for each in outputs),
        keys=len(every_key) if are_all else _sum(each.keys[own] for each in outputs),
        maps=len(outputs),
        keys_in_one_map=(
            len(every_key)
            if are_all
            else max((x for each in outputs for x in each.keys[own]), default=None)
        ),
        largest_key=_largest(every_key if are_all else largest),
        every_key=every_key if are_all else None,
    )


def _added_up(keys: Iterable[KeyCount]) -> tuple[KeyCount, ...]:
    """Each key once, with the records and bytes of all its counts."""
    total: dict[str, KeyCount] = {}
    for each in keys:
        so_far = total.get(each.digest, KeyCount(each.digest, 0, 0))
        total[each.digest] = KeyCount(
            each.digest, so_far.records + each.records, so_far.bytes + each.bytes
        )
    return tuple(total.values())


def _largest(keys: Iterable[KeyCount]) -> KeyCount | None:
    return max(keys, key=lambda key: (key.bytes, key.records), default=None)


def _sum(parts: Iterable[tuple[int, ...]]) -> int | None:
    """The sum; None if any part is not known."""
    total = 0
    for part in parts:
        if not part:
            return None
        total += part[0]
    return total


def _total_reduces(
    history: JobHistory | None,
    conf: JobConf | None,
    outputs: Mapping[int, PartitionCounts],
) -> int | None:
    if history is not None and history.total_reduces is not None:
        return history.total_reduces
    if conf is not None and (configured := conf.get_int("mapreduce.job.reduces")) is not None:
        return configured
    return max((each.partitions for each in outputs.values()), default=None)
