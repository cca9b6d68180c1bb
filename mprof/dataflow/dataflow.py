"""The data flow of one job, as numbers: paper section 4.1, Table 3.

``mapInputRecords_i`` -> ``P_ij`` (records, keys and bytes of partition j in map i's output) -> the
aggregated partition ``AP_j`` = sum over i of ``P_ij`` -> groups ``G_gj`` -> reduce output.
Indices are Hadoop's, from 0; sizes are bytes before compression ("raw") unless stated otherwise.
None means not counted.
"""

from __future__ import annotations

from dataclasses import dataclass

from mprof.trace import Sketch
from mprof.trace.events import GroupEntry

__all__ = [
    "AggregatedPartition",
    "Dataflow",
    "GroupCounts",
    "InputSplit",
    "KeyCount",
    "MapTask",
    "PartitionCounts",
    "ReduceTask",
    "Segment",
    "SortBuffer",
    "TaskProgress",
]


_LENGTHS = 2
"""Bytes of the lengths of a key and a value that have at most 127 bytes each (IFile.Writer)."""


@dataclass(frozen=True, slots=True)
class InputSplit:
    """What a map task read."""

    path: str | None
    start: int | None
    length: int | None
    class_name: str | None = None


@dataclass(frozen=True, slots=True)
class KeyCount:
    """What one or all map tasks wrote of a key, which its digest stands for.

    ``bytes`` are those of an IFile, two lengths a record among them.
    """

    digest: str
    records: int
    bytes: int

    @property
    def data_bytes(self) -> int:
        """Of its keys and values, as a reducer counts them; 2 % more at most if they are long."""
        return self.bytes - _LENGTHS * self.records


@dataclass(frozen=True, slots=True)
class PartitionCounts:
    """``P_ij`` of one map task or spill: tuples with one entry per partition, or empty.

    ``largest_keys`` are of the map output only; of a partition without records it is of 0 records.
    ``every_key`` has all keys of each partition; it is empty where there were too many, or they
    were not counted.
    """

    records: tuple[int, ...] = ()
    keys: tuple[int, ...] = ()
    raw_bytes: tuple[int, ...] = ()
    largest_keys: tuple[KeyCount, ...] = ()
    every_key: tuple[tuple[KeyCount, ...], ...] = ()

    @property
    def partitions(self) -> int:
        """Number of partitions."""
        return max(len(self.records), len(self.raw_bytes))


@dataclass(frozen=True, slots=True)
class SortBuffer:
    """The sort buffer of a map task."""

    requested: int
    ready: bool


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """Groups that one attempt handed to reduce() or combine().

    Attributes:
        count: number of finished groups.
        records: sizes of the finished groups in records.
        bytes: sizes of the finished groups in key and value bytes.
        current: the unfinished group at the end of the trace.
        whole: whether the input was read to its end.
    """

    scope: str
    attempt_id: str | None
    index: int | None
    count: int
    records: Sketch | None
    bytes: Sketch | None
    largest_by_records: tuple[GroupEntry, ...] = ()
    largest_by_bytes: tuple[GroupEntry, ...] = ()
    current: GroupEntry | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class MapTask:
    """A map task, from the attempt that counts.

    Attributes:
        output: what a reducer can fetch; None where there is nothing, or it is not known.
    """

    index: int
    attempt_id: str | None
    output: PartitionCounts | None = None
    combined: bool | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """One map task's part of a reducer's partition, as fetched.

    Records and keys were counted by the map task: the shuffle itself counts bytes only.
    """

    map_index: int | None
    map_attempt: str | None
    raw_bytes: int | None
    compressed_bytes: int | None
    to: str | None
    records: int | None = None
    keys: int | None = None


@dataclass(frozen=True, slots=True)
class ReduceTask:
    """A reduce task, from the attempt that counts."""

    index: int
    attempt_id: str | None
    segments: tuple[Segment, ...] = ()
    groups: GroupCounts | None = None


@dataclass(frozen=True, slots=True)
class AggregatedPartition:
    """``AP_j``: the output of all map tasks for reducer j, counted by the map tasks.

    Attributes:
        keys: sum over map tasks of their distinct keys: an upper bound of the number of groups,
            because a key of two map tasks counts twice.
        keys_in_one_map: maximum over map tasks: a lower bound of the number of groups, where no
            comparator makes one of several keys. Where ``every_key`` is known, both are the number
            of distinct keys.
        maps: number of map tasks counted.
        largest_key: the key of most bytes, as far as map tasks counted it: each tells of its own
            largest one. A lower bound, unless ``every_key`` is known; None where a map task did not
            tell.
        every_key: each key with what all map tasks wrote of it; None where one of them had too many
            to tell, or did not count them.
    """

    index: int
    records: int | None
    raw_bytes: int | None
    keys: int | None
    maps: int
    keys_in_one_map: int | None = None
    largest_key: KeyCount | None = None
    every_key: tuple[KeyCount, ...] | None = None


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """How far an attempt was.

    Attributes:
        done: share of it that had been read, 0 to 1.
        method: how the share was determined, in words.
    """

    done: float
    method: str


@dataclass(frozen=True, slots=True)
class Dataflow:
    """The data flow of a whole job.

    Attributes:
        maps: map tasks with a trace, ordered by index.
        reduces: reduce tasks with a trace, ordered by index.
        partitions: one per reducer, including reducers that never ran; empty for a map-only job
            or where the output of no map task is known.
        partitions_complete: whether every map task was counted.
    """

    total_maps: int | None
    total_reduces: int | None
    maps: tuple[MapTask, ...] = ()
    reduces: tuple[ReduceTask, ...] = ()
    partitions: tuple[AggregatedPartition, ...] = ()
    partitions_complete: bool = False
