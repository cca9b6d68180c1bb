"""Tables of the data flow: partitions, segments, groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pandas as pd

from mprof.dataflow import Dataflow, GroupCounts, build_dataflow, groups_of, with_history
from mprof.diagnosis import Diagnosed
from mprof.job_run import JobRun
from mprof.tables.columns import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    STRING,
    Columns,
    Row,
    one_of,
    table_of,
    words_of,
)
from mprof.trace.events import GroupEntry

__all__ = ["group_sizes", "groups", "partitions", "segments"]

_SCOPES: Final = ("reduce", "combine")

_OF_A_RUN: Final[Columns] = {"run": INTEGER, "mode": words_of(JobRun, "mode")}

_PARTITIONS: Final[Columns] = {
    **_OF_A_RUN,
    "partition": INTEGER,
    "diagnosed": BOOLEAN,
    "records": INTEGER,
    "keys": INTEGER,
    "keys_in_one_map": INTEGER,
    "largest_key_records": INTEGER,
    "largest_key_bytes": INTEGER,
    "bytes": INTEGER,
    "maps": INTEGER,
    "complete": BOOLEAN,
}

_SEGMENTS: Final[Columns] = {
    **_OF_A_RUN,
    "map_attempt": STRING,
    "map_index": INTEGER,
    "reduce_attempt": STRING,
    "partition": INTEGER,
    "records": INTEGER,
    "keys": INTEGER,
    "bytes": INTEGER,
    "compressed_bytes": INTEGER,
    "to": one_of(("memory", "disk")),
}

_OF_AN_ATTEMPT: Final[Columns] = {
    **_OF_A_RUN,
    "attempt_id": STRING,
    "index": INTEGER,
    "scope": one_of(_SCOPES),
}

_GROUPS: Final[Columns] = {
    **_OF_AN_ATTEMPT,
    "group": INTEGER,
    "records": INTEGER,
    "bytes": INTEGER,
    "digest": STRING,
    "key": STRING,
    "open": BOOLEAN,
}

_GROUP_SIZES: Final[Columns] = {
    **_OF_AN_ATTEMPT,
    "measure": one_of(("records", "bytes")),
    "size": FLOAT,
    "groups": INTEGER,
    "relative_error": FLOAT,
    "whole": BOOLEAN,
}


def partitions(diagnosed: Diagnosed) -> pd.DataFrame:
    """What all map tasks together left for each reducer, by run and partition.

    ===================  ========  =======  ========================================================
    column               dtype     unit     meaning; what NA says
    ===================  ========  =======  ========================================================
    run                  Int64     ordinal  run of the capture; NA: there is no capture
    mode                 category           what the run's failed tasks ran in
    partition            Int64     index    its number, that of its reduce task
    diagnosed            boolean            the diagnosed attempt is its reducer
    records              Int64     records  on the map side, after a combiner; NA: not counted
    keys                 Int64     keys     distinct in each map's part, added up: at most so many
                                            groups; distinct in all where each map tells all of its
                                            own; NA: not counted
    keys_in_one_map      Int64     keys     most in any one map's part: at least so many groups;
                                            distinct in all where each map tells all of its own;
                                            NA: not counted
    largest_key_records  Int64     records  of the key with most bytes, as told by the map tasks
                                            whose largest it is: at least so many; NA: not
                                            counted
    largest_key_bytes    Int64     bytes    likewise at least so many; NA: not counted
    bytes                Int64     bytes    before compression; NA: not counted
    maps                 Int64     tasks    map tasks that were counted
    complete             boolean            these are all map tasks of the job
    ===================  ========  =======  ========================================================

    Empty for a job without reducers, and where no map task's event log is at hand.
    """
    attempt = diagnosed.evidence.attempt
    own = attempt.index if attempt.task_type == "reduce" else None
    return table_of(
        _PARTITIONS,
        (
            {
                **_of_a_run(run),
                "partition": each.index,
                "diagnosed": each.index == own,
                "records": each.records,
                "keys": each.keys,
                "keys_in_one_map": each.keys_in_one_map,
                "largest_key_records": each.largest_key.records if each.largest_key else None,
                "largest_key_bytes": each.largest_key.bytes if each.largest_key else None,
                "bytes": each.raw_bytes,
                "maps": each.maps,
                "complete": flow.partitions_complete,
            }
            for run, flow in _flows(diagnosed)
            for each in flow.partitions
        ),
    )


def segments(diagnosed: Diagnosed) -> pd.DataFrame:
    """The parts of map outputs that reducers fetched, in the order in which each was there.

    ================  ========  =======  ===========================================================
    column            dtype     unit     meaning; what NA says
    ================  ========  =======  ===========================================================
    run               Int64     ordinal  run of the capture; NA: there is no capture
    mode              category           what the run's failed tasks ran in
    map_attempt       string             whose output it is part of; NA: not told
    map_index         Int64     index    of its map task; NA: not told
    reduce_attempt    string             that fetched it; NA: nothing names it
    partition         Int64     index    of the reducer
    records           Int64     records  as counted on the map side; NA: not counted
    keys              Int64     keys     distinct, as counted on the map side; NA: not counted
    bytes             Int64     bytes    before compression; NA: not told
    compressed_bytes  Int64     bytes    as sent; NA: not told
    to                category           memory or disk: where the shuffle put it; NA: not told
    ================  ========  =======  ===========================================================

    Of each reduce task one attempt counts: the one that succeeded, else the one that came furthest.
    A segment that was being fetched when its reducer died is none yet.
    """
    return table_of(
        _SEGMENTS,
        (
            {
                **_of_a_run(run),
                "map_attempt": each.map_attempt,
                "map_index": each.map_index,
                "reduce_attempt": reducer.attempt_id,
                "partition": reducer.index,
                "records": each.records,
                "keys": each.keys,
                "bytes": each.raw_bytes,
                "compressed_bytes": each.compressed_bytes,
                "to": each.to,
            }
            for run, flow in _flows(diagnosed)
            for reducer in flow.reduces
            for each in reducer.segments
        ),
    )


def groups(diagnosed: Diagnosed) -> pd.DataFrame:
    """The groups that are known one by one: the largest of each attempt, and the one still open.

    ==========  ========  =======  =================================================================
    column      dtype     unit     meaning; what NA says
    ==========  ========  =======  =================================================================
    run         Int64     ordinal  run of the capture; NA: there is no capture
    mode        category           what the run's failed tasks ran in
    attempt_id  string             that met the group; NA: nothing names it
    index       Int64     index    of its task, in reduce the partition; NA: not known
    scope       category           reduce, or combine for groups handed to combine()
    group       Int64     ordinal  among the groups of that attempt and scope; NA: not told
    records     Int64     records  of an open group those so far; NA: not counted
    bytes       Int64     bytes    of its keys and values; NA: not counted
    digest      string             16 hex digits that stand for the key; NA: not told
    key         string             the key as text; NA: keys were not asked for (``--keys``)
    open        boolean            it was not finished when the attempt last told of its groups
    ==========  ========  =======  =================================================================

    Every group, by size and not by name, is in `group_sizes`.
    """
    return table_of(
        _GROUPS,
        (
            {
                **_of_an_attempt(run, counts),
                "group": each.group,
                "records": each.records,
                "bytes": each.bytes,
                "digest": each.digest,
                "key": each.key,
                "open": each is counts.current,
            }
            for run, counts in _group_counts(diagnosed)
            for each in _listed(counts)
        ),
    )


def group_sizes(diagnosed: Diagnosed) -> pd.DataFrame:
    """How many finished groups of which size each attempt met, smallest first.

    ==============  ========  ================  ====================================================
    column          dtype     unit              meaning; what NA says
    ==============  ========  ================  ====================================================
    run             Int64     ordinal           run of the capture; NA: there is no capture
    mode            category                    what the run's failed tasks ran in
    attempt_id      string                      that met the groups; NA: nothing names it
    index           Int64     index             of its task, in reduce the partition; NA: not known
    scope           category                    reduce, or combine for groups handed to combine()
    measure         category                    records or bytes: what size counts
    size            Float64   records or bytes  of each of these groups
    groups          Int64     groups            of this size
    relative_error  Float64   share             by which size may be off, 0.01 for 1 %
    whole           boolean                     the attempt met all of its groups
    ==============  ========  ================  ====================================================

    Sizes are kept as a histogram with logarithmic buckets (`mprof.trace.Sketch`).
    """
    return table_of(
        _GROUP_SIZES,
        (
            {
                **_of_an_attempt(run, counts),
                "measure": measure,
                "size": size,
                "groups": number,
                "relative_error": sketch.relative_error,
                "whole": counts.whole,
            }
            for run, counts in _group_counts(diagnosed)
            for measure, sketch in (("records", counts.records), ("bytes", counts.bytes))
            if sketch is not None
            for size, number in sketch.values()
        ),
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


def _of_a_run(run: JobRun) -> Row:
    return {"run": run.number, "mode": run.mode}


def _of_an_attempt(run: JobRun, counts: GroupCounts) -> Row:
    return {
        **_of_a_run(run),
        "attempt_id": counts.attempt_id,
        "index": counts.index,
        "scope": counts.scope,
    }
