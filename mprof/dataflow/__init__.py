"""The data flow of a whole job: splits, spills, partitions, segments, groups, progress."""

from __future__ import annotations

from mprof.dataflow.attempts import (
    died_of_memory,
    failed_by_evidence,
    finished_tasks,
    one_per_task,
    with_history,
    without_superseded,
)
from mprof.dataflow.build import build_dataflow, merged_groups
from mprof.dataflow.dataflow import (
    Dataflow,
    GroupCounts,
    KeyCount,
)
from mprof.dataflow.last_record import LastRecord, last_record
from mprof.dataflow.progress import map_progress, task_progress
from mprof.dataflow.tasks import groups_of, records_of, sort_buffer_of, split_of

__all__ = [
    "Dataflow",
    "GroupCounts",
    "KeyCount",
    "LastRecord",
    "build_dataflow",
    "died_of_memory",
    "failed_by_evidence",
    "finished_tasks",
    "groups_of",
    "last_record",
    "map_progress",
    "merged_groups",
    "one_per_task",
    "records_of",
    "sort_buffer_of",
    "split_of",
    "task_progress",
    "with_history",
    "without_superseded",
]
