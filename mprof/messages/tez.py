"""Buffers and hash tables of Tez and of Hive upon it that do not fit into the heap."""

from __future__ import annotations

import re
from typing import Final

from mprof.code_site import CodeSite
from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.message import Reading, SaidSetting, Source, message
from mprof.messages.said import (
    heap_bytes,
    heap_in_words,
    heap_is_unseen,
    setting_of,
    stands_on_stack,
    top_frame,
)
from mprof.messages.tez_heap import heap_of_tez
from mprof.messages.thresholds import BUFFER_OF_HEAP
from mprof.units import MIB, format_bytes

__all__ = ["MESSAGES"]

_SORT_MB: Final = "tez.runtime.io.sort.mb"
_SORTERS: Final = "org.apache.tez.runtime.library.common.sort.impl."
_ALLOCATES: Final = frozenset({"<init>", "allocateSpace", "init"})
_TASK_HEAP: Final = (
    "the heap is -Xmx in hive.tez.java.opts, or 0.8 of hive.tez.container.size where that is not "
    "set (without Hive: tez.task.launch.cmd-opts, tez.task.resource.memory.mb)"
)


def _heap_in_words(evidence: Evidence) -> str:
    had = heap_of_tez(evidence)
    return heap_in_words(evidence) if had is None else f"{format_bytes(had[0])}, {had[1]}"


def _first(evidence: Evidence, *beginnings: str) -> CodeSite | None:
    """The first frame of the dying thread, or of one that waited, of classes that begin so."""
    frames = (*evidence.death.stack, *evidence.death.callers)
    return next((one for one in frames if one.class_name.startswith(beginnings)), None)


@message(
    "The sort buffer of a Tez task does not fit into its heap",
    Source("Tez 0.5 to 0.10", f"{_SORTERS}PipelinedSorter.allocateSpace", "ByteBuffer.allocate"),
    Source("Tez 0.5 to 0.10", f"{_SORTERS}dflt.DefaultSorter.<init>", "new byte[maxMemUsage]"),
)
def tez_sort_buffer_does_not_fit(evidence: Evidence) -> Reading | None:
    """The sort buffer of a Tez task does not fit into its heap.

    What it means
        An ordered output of a Tez task asks for its sort buffer, `tez.runtime.io.sort.mb` (100;
        Hive often sets more), before the first record, in blocks of up to 2 GB. The heap of the
        task had no room for it: no record had a part in it, and every attempt dies in the same way.

    What it does not prove
        How much the operators of the task need besides. A task with several ordered outputs has a
        buffer for each.

    What to change
        `tez.runtime.io.sort.mb` to half of the heap or less (Hive's rule of thumb is 0.4 of
        `hive.tez.container.size`), or a larger `hive.tez.container.size`; `-Xmx` in
        `hive.tez.java.opts` has to follow it.

    What would tell more
        The configuration of the DAG: the values of these three.
    """
    top = top_frame(evidence)
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence) or top is None:
        return None
    if not top.class_name.startswith(_SORTERS) or top.method not in _ALLOCATES:
        return None
    old, heap, had = setting_of(evidence, _SORT_MB), heap_bytes(evidence), heap_of_tez(evidence)
    if heap is None and had is not None:
        heap = had[0]
    sized = f"{_SORT_MB}={old}" if old is not None else _SORT_MB
    settings: tuple[SaidSetting, ...] = ()
    if old is not None and heap is not None and old.isdecimal() and len(old) < 6:
        fits = max(1, int(BUFFER_OF_HEAP.value * heap // MIB))
        if fits < int(old):
            by = f" ({had[1]})" if had is not None else ""
            half = f"Half of the heap of {format_bytes(heap)}{by}"
            text = f"{half}: the buffer then fits, and spills more often."
            settings = (SaidSetting(_SORT_MB, old, str(fits), text),)
    return Reading(
        f"The sort buffer of a Tez task ({sized}) does not fit into its heap "
        f"({_heap_in_words(evidence)}): it is allocated before the first record, so the data is "
        f"not to blame. It fits where it is half of the heap or less; {_TASK_HEAP}.",
        "suggests",
        "SET tez.runtime.io.sort.mb; SET hive.tez.container.size; SET hive.tez.java.opts; in Hive "
        "print the three.",
        settings,
    )


_REFUSED: Final = re.compile(
    r"tez\.runtime\.io\.sort\.mb (\d{1,7}) should be larger than 0 and should be less than the "
    r"available task memory \(MB\): ?(\d{1,7})"
)


@message(
    "Tez refuses a sort buffer larger than the task's memory",
    Source(
        "Tez 0.5 to 0.10",
        f"{_SORTERS}ExternalSorter.getInitialMemoryRequirement",
        "tez.runtime.io.sort.mb N should be larger than 0 and should be less than the available "
        "task memory (MB):N",
    ),
)
def tez_sort_buffer_refused(evidence: Evidence) -> Reading | None:
    """Tez refuses a sort buffer that is larger than the memory of the task.

    What it means
        `tez.runtime.io.sort.mb` is larger than the heap of the task, and Tez says so before it
        starts: no memory had run out.

    What it does not prove
        That the task needs so large a buffer.

    What to change
        `tez.runtime.io.sort.mb` to half of the memory that the message names or less; or a larger
        `hive.tez.container.size`, with `-Xmx` in `hive.tez.java.opts` at 0.8 of it.

    What would tell more
        Nothing more is wanted.
    """
    found = _REFUSED.search("\n".join((evidence.death.evidence, *evidence.death.chain)))
    if found is None:
        return None
    asked, has = int(found[1]), int(found[2])
    new = str(max(1, int(BUFFER_OF_HEAP.value * has)))
    text = f"Half of the {has} MB that the task has."
    return Reading(
        f"The sort buffer that is asked for ({_SORT_MB}={asked}) is larger than the heap of the "
        f"Tez task, {has} MB, so Tez ended the task before its first record: no memory had run "
        f"out. {_SORT_MB}={new} fits; or the task gets a larger heap: {_TASK_HEAP}.",
        "proves",
        settings=(SaidSetting(_SORT_MB, str(asked), new, text),),
    )


_HIVE: Final = "org.apache.hadoop.hive.ql.exec."
_LOADS: Final = (
    (f"{_HIVE}tez.HashTableLoader", "load", "loadDirectly"),
    (f"{_HIVE}vector.mapjoin.fast.VectorMapJoinFastHashTableLoader", "load"),
    (f"{_HIVE}MapJoinOperator", "loadHashTable", "reloadHashTable"),
)
"""The same tables are read from, and their rows kept in the same containers, by other methods."""


@message(
    "The hash table of a map join in a Tez task did not fit",
    Source("Hive 0.13 to 4.0", f"{_HIVE}tez.HashTableLoader.load"),
    Source("Hive 1.2 to 4.0", f"{_HIVE}persistence.BytesBytesMultiHashMap.expandAndRehash"),
)
def tez_map_join_does_not_fit(evidence: Evidence) -> Reading | None:
    """The heap ran out while a Tez task loaded the hash table of a map join.

    What it means
        Hive on Tez broadcasts the small tables of a map join to every task, which builds hash
        tables of them. It chooses map joins by the sizes of the tables on disk and their
        statistics (`hive.auto.convert.join.noconditionaltask.size`); in memory they take several
        times as much.

    What it does not prove
        That the table is too large by itself: several map joins in one vertex add up.

    What to change
        `hive.auto.convert.join.noconditionaltask.size` smaller (a third of the container or less),
        or `hive.auto.convert.join=false` for this query, which joins in reducers; fresh statistics
        (`ANALYZE TABLE ... COMPUTE STATISTICS FOR COLUMNS`).

    What would tell more
        `EXPLAIN` shows which tables are broadcast.
    """
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    of_tez = _first(evidence, "org.apache.tez.", f"{_HIVE}tez.") is not None
    if not of_tez or not any(stands_on_stack(evidence, *one) for one in _LOADS):
        return None  # a map task of MapReduce loads what a local task has built
    return Reading(
        "The heap ran out while the hash table of a map join was loaded: Hive broadcasts the small "
        "tables to every task and chooses them by their size on disk "
        "(hive.auto.convert.join.noconditionaltask.size), and in memory they take several times as "
        "much. With a smaller value, or with hive.auto.convert.join=false, the tables are joined "
        "in reducers.",
        "suggests",
        "EXPLAIN shows which tables are broadcast.",
        _smaller_joins(evidence),
    )


def _smaller_joins(evidence: Evidence) -> tuple[SaidSetting, ...]:
    """Map joins of smaller tables, where the size at hand is too large for the heap; else none."""
    had, size = heap_of_tez(evidence), setting_of(evidence, _JOIN_SIZE) or ""
    if had is not None and size.isdecimal() and len(size) < _DIGITS:
        most = int(had[0] * _JOINS_OF_HEAP)
        if int(size) > most:
            text = (
                f"A third of the heap of {format_bytes(had[0])} ({had[1]}): larger tables are "
                "joined in reducers, smaller ones as before."
            )
            return (SaidSetting(_JOIN_SIZE, size, str(most), text),)
    return (SaidSetting(_JOINS, setting_of(evidence, _JOINS), "false", _IN_REDUCERS),)


_JOIN_SIZE: Final = "hive.auto.convert.join.noconditionaltask.size"
_DIGITS: Final = 16  # of a number of bytes
_JOINS_OF_HEAP: Final = 1 / 3
"""HDP 3.1, "Optimization and planning properties": one-third of -Xmx value."""
_JOINS: Final = "hive.auto.convert.join"
_IN_REDUCERS: Final = "The tables are joined in reducers, without a hash table in the heap."
_SPLITS: Final = (
    f"{_HIVE}tez.HiveSplitGenerator",
    "org.apache.tez.dag.app.dag.RootInputInitializer",
)
_ORC: Final = "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat"


@message(
    "The heap ran out while Hive made the splits on Tez",
    Source("Hive 0.13 to 4.0", f"{_HIVE}tez.HiveSplitGenerator.initialize"),
    Source("Hive 0.14 to 4.0", f"{_ORC}.generateSplitsInfo", "serious problem"),
)
def tez_splits(evidence: Evidence) -> Reading | None:
    """The heap ran out while Hive made the splits of a table on Tez.

    What it means
        The splits are made in the application master of Tez (`ROOT_INPUT_INIT_FAILURE`), or in
        HiveServer2 where `hive.compute.splits.in.am=false`: no task has started. For ORC its
        threads read the footer of every file, so many files, columns or stripes take much memory.

    What it does not prove
        How many files there are.

    What to change
        `tez.am.resource.memory.mb` and `-Xmx` in `tez.am.launch.cmd-opts`, not the container of the
        tasks. `hive.exec.orc.split.strategy=BI` makes splits without the footers. Fewer and larger
        files, fewer partitions in the query.

    What would tell more
        `hdfs dfs -count` of the table's folder.
    """
    death = evidence.death
    is_cut = death.kind == "not-memory" and len(death.chain) == 1 and evidence.job.names_memory
    if not is_cut and (death.kind not in HEAP_KINDS or not heap_is_unseen(evidence)):
        return None
    said = "\n".join((death.evidence, *death.chain))
    program = death.program
    on_tez = program is not None and program.id.startswith("tez-")
    # HiveServer2, a command or Spark make splits with the same classes
    of_orc = on_tez and stands_on_stack(evidence, _ORC, "generateSplitsInfo", "getSplits")
    named = _first(evidence, *_SPLITS) is not None or "ROOT_INPUT_INIT_FAILURE" in said
    if not (of_orc or named):
        return None
    ran_out = (
        "What made the splits of a table fail is cut off; where it is the lack of memory that the "
        "text names, it was"
        if is_cut
        else "The heap ran out while the splits of a table were made,"
    )
    return Reading(
        f"{ran_out} before any task: on Tez the application master makes them "
        "(tez.am.resource.memory.mb, -Xmx in tez.am.launch.cmd-opts), and no setting of tasks "
        "reaches it. Of ORC files it reads every footer; hive.exec.orc.split.strategy=BI does "
        "without.",
        "suggests",
        "hdfs dfs -count of the table's folder counts its files.",
    )


MESSAGES = (
    tez_sort_buffer_does_not_fit,
    tez_sort_buffer_refused,
    tez_map_join_does_not_fit,
    tez_splits,
)
