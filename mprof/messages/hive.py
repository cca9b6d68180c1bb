"""What Hive says of hash tables that do not fit: of map joins, and of aggregation in mappers."""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.message import Reading, SaidSetting, Source, message
from mprof.messages.said import (
    heap_is_unseen,
    heap_setting_of_program,
    set_to,
    setting_of,
    site_in_words,
    stands_on_stack,
)
from mprof.messages.thresholds import HALF_OF_A_SHARE, TIMES_A_LIMIT
from mprof.units import MIB, format_bytes, format_ratio

__all__ = ["MESSAGES"]

_USED: Final = re.compile(r"Memory usage:\s*(\d{1,15})\s+percentage:\s*(\d(?:\.\d{1,6})?)")
_OTHER_CODE: Final = re.compile(r"return code (?!3 )(\d{1,3}) from \S*MapredLocalTask")
_LOCAL: Final = "hive-local-task"
_LARGEST: Final = "hive.auto.convert.join.noconditionaltask.size"
_LARGEST_DEFAULT: Final = 10_000_000  # HiveConf.HIVECONVERTJOINNOCONDITIONALTASKTHRESHOLD
_DIGITS: Final = 15


_SETS_IT: Final = "-Xmx in HADOOP_CLIENT_OPTS, or hive.mapred.local.mem (MB) where that has none"
"""``MapredLocalTask.executeInChildVM`` removes ``HADOOP_HEAPSIZE``, or sets it to that."""


@message(
    "The hash table of Hive's map join did not fit",
    Source(
        "Hive 0.9 to 3.1",
        "org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask.executeInProcess",
        "return code 3 from org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask",
    ),
    Source(
        "Hive 0.9 to 3.1",
        "org.apache.hadoop.hive.ql.exec.mapjoin.MapJoinMemoryExhaustionHandler.checkMemoryStatus",
        "Processing rows: N Hashtable size: N Memory usage: N percentage: N",
    ),
)
def hive_local_task(evidence: Evidence) -> Reading | None:
    """The hash table of Hive's map join did not fit into the heap of its local task.

    What it means
        For a map join Hive reads the small table in a JVM beside the client, before any task, and
        stops it where the hash table takes more than `hive.mapjoin.localtask.max.memory.usage`
        (0.9) of the heap, 0.55 with a GROUP BY behind it
        (`hive.mapjoin.followby.gby.localtask.max.memory.usage`). The exit code 3 is for that, or
        for an OutOfMemoryError there, and for nothing else. A table takes ten times and more of
        what it takes in a compressed file.

    What it does not prove
        That any task lacked memory: none had started.

    What to change
        `hive.auto.convert.join=false` for this query: the tables are joined in reducers. Or a
        smaller `hive.mapjoin.smalltable.filesize`, so that this table counts as large. Or a larger
        heap of the local task: `-Xmx` in `HADOOP_CLIENT_OPTS`, or `hive.mapred.local.mem` (MB)
        where that has none. `HADOOP_HEAPSIZE` does not reach it: Hive takes it out of the
        environment of that JVM, or sets it to `hive.mapred.local.mem`. Each map task of the join
        loads the same table, and needs the heap for it, too.

    What would tell more
        The log that Hive names (`Execution log at:`).
    """
    program = evidence.death.program
    if program is None or program.id != _LOCAL or evidence.death.kind not in HEAP_KINDS:
        return None
    used = _USED.search(evidence.death.evidence)
    much = ""
    if used is not None and float(used[2]) > 0:
        heap = int(used[1]) / float(used[2])
        much = (
            f" It held {format_bytes(int(used[1]))}, {format_ratio(float(used[2]))} of a heap of "
            f"about {format_bytes(round(heap))}; HADOOP_CLIENT_OPTS=-Xmx"
            f"{int(TIMES_A_LIMIT.value * heap / MIB)}m is twice that."
        )
    name = "hive.auto.convert.join"
    text = "The tables are joined in reducers, without a hash table in the heap of the local task."
    if setting_of(evidence, name) == "false":
        much += (
            f" With {name}=false only a hint in the query asks for such a join: /*+ MAPJOIN(...) "
            "*/ has to go (hive.ignore.mapjoin.hint=true), or that heap has to grow."
        )
    had = heap_setting_of_program(evidence)
    is_set = f" ({set_to(had[0], had[1])} in the text)" if had is not None else ""
    largest = setting_of(evidence, _LARGEST) or ""
    if largest.isdecimal() and len(largest) < _DIGITS and int(largest) > _LARGEST_DEFAULT:
        much += (
            f" {_LARGEST}={largest} lets tables of up to so many bytes, as they lie in their "
            f"files, be joined in this way ({_LARGEST_DEFAULT} where nothing is set)."
        )
    return Reading(
        "The small table of a map join did not fit as a hash table into the heap of Hive's local "
        f"task, a JVM beside the client; no map or reduce task had started.{much} "
        f"{_SETS_IT} sets that heap{is_set}, hive.mapjoin.localtask.max.memory.usage the share "
        "at which it stops. Each map task of such a join loads the same table, so its heap has to "
        "hold it as well.",
        "proves",
        "",
        (SaidSetting(name, setting_of(evidence, name), "false", text),),
    )


@message(
    "Hive's local task failed",
    Source(
        "Hive 0.9 to 3.1",
        "org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask.executeInChildVM",
        "return code 1 from org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask",
    ),
    Source(
        "Hive 0.9 to 3.1",
        "org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask.executeInProcess",
        "return code 2 from org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask",
    ),
)
def hive_local_task_failed(evidence: Evidence) -> Reading | None:
    """Hive's local task ended with another code than 3.

    What it means
        For a map join Hive reads the small table in a JVM beside the client, before any task. Hive
        itself gives 3 where it caught an OutOfMemoryError there, or found its hash table too large,
        and 2 where it caught any other error. All other codes are the exit status of that JVM, or 1
        where the client met an exception while it started it: a JVM that did not start exits with
        1, for a wrong option as well as for a heap that the machine has no memory for.

    What it does not prove
        What went wrong; with another code than 2, that memory was not short.

    What to change
        Nothing, before its log is read. With `hive.auto.convert.join=false` the query has no local
        task.

    What would tell more
        The log that Hive names (`Execution log at:`), on the machine of the client or of
        HiveServer2, and an `hs_err_pid*.log` in the folder that it was started in.
    """
    program = evidence.death.program
    code = _OTHER_CODE.search(evidence.death.evidence)
    if program is None or program.id != _LOCAL or code is None:
        return None
    log = "read the log that Hive names (Execution log at:), on the machine of the client or of"
    if code[1] == _OF_OTHER_ERRORS:
        says = (
            "which Hive gives where it caught an error there that is none of memory (3 is for that)"
        )
        step = f"{log} HiveServer2."
    else:
        says = (
            f"which is the exit status of that JVM{_NOT_STARTED if code[1] == '1' else ''}. Hive "
            "gives 3 where it caught an error of memory there; of a JVM that got no memory when it "
            "started, or that was killed, it can catch none, so this code leaves open whether "
            "memory was short"
        )
        step = f"{log} HiveServer2; a JVM that got no memory leaves an hs_err_pid*.log beside it."
    return Reading(
        "Hive's local task, a JVM beside the client that reads the small table of a map join, "
        f"failed with code {code[1]}, {says}. No map or reduce task had started. With "
        "hive.auto.convert.join=false the query has no such task.",
        "suggests",
        step,
    )


_NOT_STARTED: Final = ", or what the client gives where it could not start it"
_OF_OTHER_ERRORS: Final = "2"  # MapredLocalTask.executeInProcess


_MAP_JOIN: Final = "org.apache.hadoop.hive.ql.exec.MapJoinOperator"
_JOINS: Final = "hive.auto.convert.join"


@message(
    "The hash table of a map join did not fit into a map task",
    Source("Hive 0.7 to 3.1", f"{_MAP_JOIN}.loadHashTable"),
    Source("Hive 0.13 to 3.1", "org.apache.hadoop.hive.ql.exec.mr.HashTableLoader.load"),
)
def hive_map_join_does_not_fit(evidence: Evidence) -> Reading | None:
    """The heap of a map task ran out while it loaded the hash table of a map join.

    What it means
        Hive on MapReduce builds the hash table of the small tables in a local task, and every map
        task loads it before it joins a row. It was small enough for the local task, whose heap
        is that of the client, and is too large for the heap of a map task.

    What it does not prove
        That the table is too large by itself: the sort buffer and other operators share the heap.

    What to change
        `hive.auto.convert.join=false` for this query, which joins in reducers;
        `hive.mapjoin.smalltable.filesize` or `hive.auto.convert.join.noconditionaltask.size`
        smaller. A larger `-Xmx` in `mapreduce.map.java.opts` where the table does not grow.

    What would tell more
        The local task's output: its last `Processing rows` line says how much the table took.
    """
    loads = stands_on_stack(evidence, _MAP_JOIN, "loadHashTable", "generateMapMetaData")
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence) or not loads:
        return None
    if evidence.death.program is not None:
        return None  # a task of Tez gets its table otherwise
    text = "The tables are joined in reducers, without a hash table in the heap of a map task."
    return Reading(
        "The heap ran out while the map task loaded the hash table of a map join, which Hive had "
        "built in a local task: each map task loads it before it joins a row. With "
        f"{_JOINS}=false the tables are joined in reducers.",
        "suggests",
        "the local task's output says by its last Processing rows line how much the table took.",
        (SaidSetting(_JOINS, setting_of(evidence, _JOINS), "false", text),),
    )


_SHARE: Final = "hive.map.aggr.hash.percentmemory"
_SHARE_DEFAULT: Final = 0.5  # HiveConf.HIVEMAPAGGRHASHMEMORY
_SET_TO: Final = re.compile(r"percentmemory is set to (0?\.\d{1,9})")
_GROUPS: Final = "org.apache.hadoop.hive.ql.exec.GroupByOperator"
_DECIMAL: Final = re.compile(r"[01]?\.?\d{1,9}")
_AGGREGATES: Final = re.compile(
    r"org\.apache\.hadoop\.hive\.ql\.exec\.(?:GroupByOperator\.processHashAggr|"
    r"vector\.VectorGroupByOperator\$ProcessingModeHashAggregate\.\w+)"
)
"""Frames of the table of groups; where rows come sorted, groups are aggregated without one."""


@message(
    "Hive's aggregation in the mappers ran out of heap",
    Source(
        "Hive 0.7 to 3.1",
        "org.apache.hadoop.hive.ql.exec.errors.MapAggrMemErrorHeuristic",
        "Out of memory due to hash maps used in map-side aggregation.",
    ),
    Source("Hive 0.7 to 3.1", f"{_GROUPS}.processHashAggr"),
)
def hive_map_aggregation(evidence: Evidence) -> Reading | None:
    """A task whose query has a GROUP BY met an OutOfMemoryError.

    What it means
        The query aggregates in its mappers (`hive.map.aggr`): each keeps a hash table of the
        groups, which is flushed at `hive.map.aggr.hash.percentmemory` (0.5) of the heap.
        `GroupByOperator.processHashAggr` among the frames is of that table. Hive itself tells of it
        without a frame, where it found an OutOfMemoryError in the log of a failed task.

    What it does not prove
        That the hash table filled the heap: in a full heap any request is refused, and Hive guesses
        it from the GROUP BY alone.

    What to change
        `hive.map.aggr.hash.percentmemory` to half of its value, or `hive.map.aggr=false`, which
        costs time in the shuffle and takes no such memory.

    What would tell more
        The stack in the task's syslog: `GroupByOperator.processHashAggr` is of that table.
    """
    is_said = "hash maps used in map-side aggregation" in evidence.death.evidence
    of_table = (
        one
        for one in evidence.death.stack
        if _AGGREGATES.fullmatch(f"{one.class_name}.{one.method}")
    )
    frame = next(of_table, None)
    is_unseen = heap_is_unseen(evidence) and evidence.attempt.mode == "none"
    is_at_work = frame is not None and evidence.death.kind in HEAP_KINDS and is_unseen
    if not is_said and not is_at_work:
        return None
    told = _SET_TO.search(evidence.death.evidence)
    old = told[1] if told is not None else setting_of(evidence, _SHARE)
    share = float(old) if old is not None and _DECIMAL.fullmatch(old) else _SHARE_DEFAULT
    text = (
        f"First aid: half of {share:g}, at which the table of groups is flushed. "
        "hive.map.aggr=false takes it away."
    )
    aid = (SaidSetting(_SHARE, old, f"{HALF_OF_A_SHARE * share:g}", text, first_aid=True),)
    if frame is not None:
        return Reading(
            f"The heap ran out in {site_in_words(frame)}: while rows were added to the hash table "
            f"of groups by which Hive aggregates, and which is flushed at {share:g} of the heap "
            f"({_SHARE}).",
            "suggests",
            "hive.map.aggr=false once: where the query then succeeds, it was that table.",
            aid,
        )
    return Reading(
        "Hive found an OutOfMemoryError in the log of the task, and takes the hash table by which "
        f"its mappers aggregate ({_SHARE}) for the reason: that is a guess from the query, which "
        "has a GROUP BY.",
        "suggests",
        "the stack is in the task's syslog: GroupByOperator.processHashAggr in it is of that "
        "table.",
        aid,
    )


_COLLECTS: Final = re.compile(
    r"org\.apache\.hadoop\.hive\.ql\.udf\.generic\.GenericUDAFMkCollectionEvaluator(?:$|\$)"
)


@message(
    "Hive was collecting the values of a group",
    Source(
        "Hive 0.10 to 3.1",
        "org.apache.hadoop.hive.ql.udf.generic.GenericUDAFMkCollectionEvaluator.putIntoCollection",
    ),
    causes=("large_accumulated_results.group", "hotspot_key"),
)
def hive_collects_a_group(evidence: Evidence) -> Reading | None:
    """A task of Hive ran out of heap in collect_set() or collect_list().

    What it means
        `collect_list()` keeps all values of a group in one list in the heap, `collect_set()` all
        that differ. Nothing of it is spilled to disk. One group with many values is enough: a null,
        an empty or a default key. Mappers that aggregate before the shuffle keep such lists too,
        of many groups at once.

    What it does not prove
        That one group is the large one: many of middling size fill the heap of a mapper that
        aggregates as well.

    What to change
        Leave such a key out (`WHERE key IS NOT NULL`), or bound what is collected, by a window
        before it (`row_number() OVER (PARTITION BY key ...) <= N`). In mappers
        `hive.map.aggr=false`.

    What would tell more
        `SELECT key, count(*) FROM t GROUP BY key ORDER BY 2 DESC LIMIT 20` has the largest groups.
    """
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    if not any(_COLLECTS.match(one.class_name) for one in evidence.death.stack):
        return None
    return Reading(
        "The heap ran out in collect_set() or collect_list() of Hive, which keeps the values of a "
        "group in one collection and spills nothing of it: one group with very many (a null, an "
        "empty or a default key) fills a heap so, and more reducers divide no group. Leave such a "
        "key out, or bound what is collected (row_number() over the key, no more than N). Where it "
        "is a mapper that aggregates, hive.map.aggr=false keeps none there.",
        "suggests",
        "SELECT key, count(*) FROM t GROUP BY key ORDER BY 2 DESC LIMIT 20 has the largest groups.",
    )


MESSAGES = (
    hive_collects_a_group,
    hive_local_task,
    hive_local_task_failed,
    hive_map_join_does_not_fit,
    hive_map_aggregation,
)
