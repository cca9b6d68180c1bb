"""Tables of the data flow: partitions, segments, groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final

from mprof.dataflow import Dataflow, GroupCounts, build_dataflow, groups_of, with_history
from mprof.diagnosis import Diagnosed
from mprof.job_run import JobRun
from mprof.tables.columns import OfRun, OneOf, as_table
from mprof.trace.events import GroupEntry

__all__ = ["group_sizes", "groups", "partitions", "segments"]

_SCOPES: Final = ("reduce", "combine")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Partition(OfRun):
    """What all map tasks left for one reducer.

    Attributes:
        partition (index): index of the reducer
        diagnosed: the diagnosed attempt is its reducer
        records (records): on the map side, after a combiner; NA: not counted
        keys (keys): distinct in each map's part, added up: at most so many groups; distinct in all
            where each map tells all of its own; NA: not counted
        keys_in_one_map (keys): most in any one map's part: at least so many groups, unless a
            comparator makes one of several keys; distinct in all where each map tells all of its
            own; NA: not counted
        largest_key_records (records): of the key with most bytes, as told by the map tasks whose
            largest it is: at least so many; NA: not counted
        largest_key_bytes (bytes): likewise at least so many; NA: not counted
        bytes (bytes): before compression; NA: not counted
        maps (tasks): map tasks that were counted
        complete: these are all map tasks of the job
    """

    partition: int
    diagnosed: bool
    records: int | None
    keys: int | None
    keys_in_one_map: int | None
    largest_key_records: int | None
    largest_key_bytes: int | None
    bytes: int | None
    maps: int
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Segment(OfRun):
    """The part of one map output that a reducer fetched.

    Attributes:
        map_attempt: whose output it is part of; NA: not told
        map_index (index): of its map task; NA: not told
        reduce_attempt: that fetched it; NA: nothing names it
        partition (index): of the reducer
        records (records): as counted on the map side; NA: not counted
        keys (keys): distinct, as counted on the map side; NA: not counted
        bytes (bytes): before compression; NA: not told
        compressed_bytes (bytes): as sent; NA: not told
        to: memory or disk: where the shuffle put it; NA: not told
    """

    map_attempt: str | None
    map_index: int | None
    reduce_attempt: str | None
    partition: int | None
    records: int | None
    keys: int | None
    bytes: int | None
    compressed_bytes: int | None
    to: Annotated[str | None, OneOf(["memory", "disk"])]


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfGroups(OfRun):
    """What an attempt told of its groups.

    Attributes:
        attempt_id: that met the groups; NA: nothing names it
        index (index): of its task, in reduce the partition; NA: not known
        scope: reduce, or combine for groups handed to combine()
    """

    attempt_id: str | None
    index: int | None
    scope: Annotated[str, OneOf(_SCOPES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group(_OfGroups):
    """One group.

    Attributes:
        group (ordinal): among the groups of that attempt and scope; NA: not told
        records (records): of an open group those so far; NA: not counted
        bytes (bytes): of its keys and values; NA: not counted
        digest: 16 hex digits that stand for the key; NA: not told
        key: the key as text; NA: keys were not asked for (``--keys``)
        open: it was not finished when the attempt last told of its groups
    """

    group: int | None
    records: int | None
    bytes: int | None
    digest: str | None
    key: str | None
    open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _GroupSize(_OfGroups):
    """Groups of one size.

    Attributes:
        measure: records or bytes: what size counts
        size (records or bytes): of each of these groups
        groups (groups): of this size
        relative_error (share): by which size may be off, 0.01 for 1 %
        whole: the attempt met all of its groups
    """

    measure: Annotated[str, OneOf(["records", "bytes"])]
    size: float
    groups: int
    relative_error: float
    whole: bool


@as_table(_Partition)
def partitions(diagnosed: Diagnosed) -> Iterator[_Partition]:
    """What all map tasks together left for each reducer, by run and partition.

    Empty for a job without reducers, and where no map task's event log is at hand.
    """
    attempt = diagnosed.evidence.attempt
    own = attempt.index if attempt.task_type == "reduce" else None
    for run, flow in _flows(diagnosed):
        for each in flow.partitions:
            yield _Partition(
                run=run.number,
                mode=run.mode,
                partition=each.index,
                diagnosed=each.index == own,
                records=each.records,
                keys=each.keys,
                keys_in_one_map=each.keys_in_one_map,
                largest_key_records=each.largest_key.records if each.largest_key else None,
                largest_key_bytes=each.largest_key.bytes if each.largest_key else None,
                bytes=each.raw_bytes,
                maps=each.maps,
                complete=flow.partitions_complete,
            )


@as_table(_Segment)
def segments(diagnosed: Diagnosed) -> Iterator[_Segment]:
    """The parts of map outputs that reducers fetched, in the order in which each was there.

    Of each reduce task one attempt counts: the one that succeeded, else the one that came furthest.
    A segment that was being fetched when its reducer died is none yet.
    """
    for run, flow in _flows(diagnosed):
        for reducer in flow.reduces:
            for each in reducer.segments:
                yield _Segment(
                    run=run.number,
                    mode=run.mode,
                    map_attempt=each.map_attempt,
                    map_index=each.map_index,
                    reduce_attempt=reducer.attempt_id,
                    partition=reducer.index,
                    records=each.records,
                    keys=each.keys,
                    bytes=each.raw_bytes,
                    compressed_bytes=each.compressed_bytes,
                    to=each.to,
                )


@as_table(_Group)
def groups(diagnosed: Diagnosed) -> Iterator[_Group]:
    """The groups that are known one by one: the largest of each attempt, and the one still open.

    Every group, by size and not by name, is in `group_sizes`.
    """
    for run, counts in _group_counts(diagnosed):
        for each in _listed(counts):
            yield _Group(
                run=run.number,
                mode=run.mode,
                attempt_id=counts.attempt_id,
                index=counts.index,
                scope=counts.scope,
                group=each.group,
                records=each.records,
                bytes=each.bytes,
                digest=each.digest,
                key=each.key,
                open=each is counts.current,
            )


@as_table(_GroupSize)
def group_sizes(diagnosed: Diagnosed) -> Iterator[_GroupSize]:
    """How many finished groups of which size each attempt met, smallest first.

    Sizes are kept as a histogram with logarithmic buckets (`mprof.trace.Sketch`).
    """
    for run, counts in _group_counts(diagnosed):
        for measure, sketch in (("records", counts.records), ("bytes", counts.bytes)):
            if sketch is None:
                continue
            for size, number in sketch.values():
                yield _GroupSize(
                    run=run.number,
                    mode=run.mode,
                    attempt_id=counts.attempt_id,
                    index=counts.index,
                    scope=counts.scope,
                    measure=measure,
                    size=size,
                    groups=number,
                    relative_error=sketch.relative_error,
                    whole=counts.whole,
                )


def _flows(diagnosed: Diagnosed) -> Iterator[tuple[JobRun, Dataflow]]:
    for run in diagnosed.runs:
        traces = with_history(run.traces, run.history)
        yield run, build_dataflow(traces, history=run.history, conf=run.conf)


def _group_counts(diagnosed: Diagnosed) -> Iterator[tuple[JobRun, GroupCounts]]:
    for run in diagnosed.runs:
        for trace in run.traces:
            for scope in _SCOPES:
                if (counts := groups_of(trace, scope)) is not None:
                    yield run, counts


def _listed(counts: GroupCounts) -> Iterator[GroupEntry]:
    """Each group once: the largest by either measure, by ordinal, then the open one."""
    finished = {
        (each.group, each.digest): each
        for each in (*counts.largest_by_records, *counts.largest_by_bytes)
    }
    yield from sorted(finished.values(), key=lambda each: each.group or 0)
    if counts.current is not None:
        yield counts.current
