"""The data flow of a whole job: splits, spills, partitions, segments, groups, progress."""

from __future__ import annotations

from mprof.dataflow.attempts import (
    counted_attempts,
    died_of_memory,
    failed_by_evidence,
    finished_tasks,
    one_per_task,
    with_history,
    without_superseded,
)
from mprof.dataflow.build import build_dataflow, merged_groups
from mprof.dataflow.last_record import LastRecord, last_record
from mprof.dataflow.model import (
    AggregatedPartition,
    Dataflow,
    GroupCounts,
    InputSplit,
    KeyCount,
    MapTask,
    PartitionCounts,
    RecordCounts,
    ReduceTask,
    Segment,
    ShuffleState,
    SortBuffer,
    SpillFacts,
    TaskProgress,
)
from mprof.dataflow.progress import map_progress, task_progress
from mprof.dataflow.table4 import render_table4
from mprof.dataflow.tasks import groups_of, records_of, shuffle_of, sort_buffer_of, split_of

__all__ = [
    "AggregatedPartition",
    "Dataflow",
    "GroupCounts",
    "InputSplit",
    "KeyCount",
    "LastRecord",
    "MapTask",
    "PartitionCounts",
    "RecordCounts",
    "ReduceTask",
    "Segment",
    "ShuffleState",
    "SortBuffer",
    "SpillFacts",
    "TaskProgress",
    "build_dataflow",
    "counted_attempts",
    "died_of_memory",
    "failed_by_evidence",
    "finished_tasks",
    "groups_of",
    "last_record",
    "map_progress",
    "merged_groups",
    "one_per_task",
    "records_of",
    "render_table4",
    "shuffle_of",
    "sort_buffer_of",
    "split_of",
    "task_progress",
    "with_history",
    "without_superseded",
]
