"""The command that submits the job ran out of memory, before any task.

What it means
    The submitting process lists the input and makes the splits (`InputFormat.getSplits`): each
    file is a status with the hosts of its blocks, so a million small files take a gigabyte or so.
    Its heap is that of the `hadoop` command, 1000 MB or a quarter of the machine, not of the tasks.

What it does not prove
    That the files are too many: the driver's own code runs in the same heap.

What to change
    `export HADOOP_CLIENT_OPTS=-Xmx4g` before the command; `CombineTextInputFormat` or fewer files
    make the splits fewer, not the listing smaller.

What would tell more
    `hdfs dfs -count INPUT` counts the files.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.examples import out_of_memory
from mprof.messages.message import Example, Message, Reading, Source
from mprof.messages.said import stands_on_stack

__all__ = ["MESSAGE"]

_LISTS: Final = (
    "org.apache.hadoop.mapreduce.lib.input.FileInputFormat",
    "org.apache.hadoop.mapred.FileInputFormat",
    "org.apache.hadoop.mapred.LocatedFileStatusFetcher",
)
_SUBMITS: Final = ("org.apache.hadoop.mapreduce.JobSubmitter", "org.apache.hadoop.mapred.JobClient")


def _reads(evidence: Evidence) -> Reading | None:
    submits = any(stands_on_stack(evidence, one) for one in _SUBMITS)
    lists = submits and any(
        stands_on_stack(evidence, one, "getSplits", "listStatus", "run") for one in _LISTS
    )
    died = evidence.death.kind in HEAP_KINDS and submits
    if not died and evidence.job.driver_error is None:
        return None
    what = (
        "while it listed the input and made the splits; a million small files take a gigabyte or so"
        if lists
        else "not a task; it lists the input and makes the splits, and runs the driver's own code"
    )
    return Reading(
        f"The command that submits the job ran out of heap, {what}. Its heap is set by export "
        "HADOOP_CLIENT_OPTS=-Xmx4g, not by a setting of the job.",
        "proves" if lists else "suggests",
        "hdfs dfs -count INPUT counts the files.",
    )


def _driver() -> Evidence:
    evidence = out_of_memory("com.example.Job.map")
    return replace(evidence, job=replace(evidence.job, driver_error="Java heap space"))


MESSAGE = Message(
    id="client_heap",
    title="The submitting command ran out of heap",
    reads=_reads,
    sources=(
        Source("1.2", "org.apache.hadoop.mapred.JobClient.writeSplits"),
        Source("2.2 to 3.5", "org.apache.hadoop.mapreduce.JobSubmitter.writeSplits"),
    ),
    examples=(
        Example("while it makes the splits",
                lambda: out_of_memory(f"{_LISTS[0]}.getSplits", f"{_SUBMITS[0]}.writeNewSplits")),
        Example("the driver that mprof ran", _driver),
        Example("a task that lists files by itself",
                lambda: out_of_memory(f"{_LISTS[0]}.listStatus", "com.example.Job.setup"),
                speaks=False),
    ),
    module=__name__,
)  # fmt: skip
