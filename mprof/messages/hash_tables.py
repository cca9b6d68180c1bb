"""Hash tables that a join keeps whole in the heap of each task: of Pig, and of Spark's executors.

Those of Hive, and the one that Spark's driver builds, are told with what else these engines say.
"""

from __future__ import annotations

from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.message import Reading, Source, message
from mprof.messages.said import heap_is_unseen, side_is_known, stands_on_stack
from mprof.units import list_in_words

__all__ = ["MESSAGES"]

_PIG: Final = "org.apache.pig.backend.hadoop.executionengine."
_REPLICATED: Final = (
    f"{_PIG}physicalLayer.relationalOperators.POFRJoin",
    f"{_PIG}tez.plan.operator.POFRJoinTez",
)


@message(
    "What a replicated join loads did not fit",
    Source("Pig 0.7 to 0.18", f"{_REPLICATED[0]}.setUpHashMap"),
    Source("Pig 0.14 to 0.18", f"{_REPLICATED[1]}.setUpHashMap"),
)
def pig_replicated_join(evidence: Evidence) -> Reading | None:
    """The heap ran out while a task loaded the small relation of a JOIN ... USING 'replicated'.

    What it means
        Pig joins the first relation of such a join in map tasks: each of them first loads every
        other relation whole into a hash table in its heap (`POFRJoin.setUpHashMap`), before it
        joins a row. As tuples in a hash table a relation takes several times what it takes in its
        files.

    What it does not prove
        That the relation is large by itself: the sort buffer (`mapreduce.task.io.sort.mb`) and the
        other operators of the task share the heap.

    What to change
        The join without `USING 'replicated'`: it is then joined in reducers, and no task keeps a
        relation whole. Or the order: all relations but the first are loaded, so that the largest
        has to be the first. Where that is too slow: only the columns and rows that are wanted, by a
        FOREACH and a FILTER before the join, and the largest relation first. More or smaller splits
        do not help: each task loads the same relation.

    What would tell more
        The size of that relation (`hdfs dfs -du -s -h PATH`), and `EXPLAIN alias`, which names the
        join as FRJoin.
    """
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    if not any(stands_on_stack(evidence, one, "setUpHashMap") for one in _REPLICATED):
        return _of_its_script(evidence)
    return Reading(
        "The heap ran out while the task loaded the small relation of a JOIN ... USING "
        "'replicated', which Pig keeps whole, as a hash table, in the heap of every task of the "
        "join. Without USING 'replicated' it is joined in reducers. Or fewer columns and rows of "
        "it, by FOREACH and FILTER before the join, with the largest relation named first. More "
        "or smaller splits do not help: each task loads the same relation.",
        "suggests",
        "hdfs dfs -du -s -h PATH shows how large that relation is in its files; in the heap it "
        "takes several times as much.",
    )


def _of_its_script(evidence: Evidence) -> Reading | None:
    """By the join in the script that a text shows, where no frame says what ran."""
    relations, death = evidence.death.needs.replicated, evidence.death
    if not relations[1:] or death.stack or death.program is not None:
        return None
    if side_is_known(evidence) and not evidence.is_map:
        return None
    first, *others = relations
    return Reading(
        f"The script joins {', '.join(relations)} USING 'replicated': each map task of that join "
        f"loads every relation but the first, {list_in_words(others)}, whole into its heap, and "
        f"reads the first, {first}, by splits. The largest has to be named first: where that is "
        f"not {first}, change the order. Without USING 'replicated' it is joined in reducers. A "
        "larger heap helps only where it holds those relations, which take several times what "
        "they take in files.",
        "suggests",
        "hdfs dfs -du -s -h PATH of each relation shows which is the largest.",
    )


_JOINS: Final = "org.apache.spark.sql.execution.joins."
_SHUFFLED: Final = f"{_JOINS}ShuffledHashJoinExec"
_READS: Final = "org.apache.spark.broadcast.TorrentBroadcast"


def _is_of_a_join(evidence: Evidence) -> bool:
    return any(one.class_name.startswith(_JOINS) for one in evidence.death.stack)


@message(
    "A hash table of a join did not fit into an executor",
    Source("Spark 2.0 to 3.5", f"{_SHUFFLED}.buildHashedRelation"),
    Source("Spark 1.5 to 3.5", f"{_READS}.readBroadcastBlock"),
)
def spark_hash_table_of_a_join(evidence: Evidence) -> Reading | None:
    """An executor ran out of heap while it built, or received, the hash table of a join.

    What it means
        In a shuffled hash join each task builds a hash table of all rows of one side in its
        partition. Of a broadcast join the driver built it, and each executor that takes part reads
        it into its own heap, once for all of its tasks.

    What it does not prove
        That this table fills the heap: what is cached, and the other tasks of the executor, share
        it.

    What to change
        Of a shuffled hash join: `spark.sql.join.preferSortMergeJoin=true` (the default) and no
        `SHUFFLE_HASH` hint, so that both sides are sorted instead; or more partitions
        (`spark.sql.shuffle.partitions`), unless one key has most of the rows. Of a broadcast join:
        `spark.sql.autoBroadcastJoinThreshold=-1`, and no broadcast hint.

    What would tell more
        `EXPLAIN` of the query: `ShuffledHashJoin` or `BroadcastHashJoin`, and of which table.
    """
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    if stands_on_stack(evidence, _SHUFFLED, "buildHashedRelation"):
        return Reading(
            "The heap ran out while a task built the hash table of a shuffled hash join, which "
            "holds all rows of one side in its partition. Where spark.sql.join.preferSortMergeJoin "
            "is true and no SHUFFLE_HASH hint stands in the query, both sides are sorted instead, "
            "and may be spilled. More partitions (spark.sql.shuffle.partitions) make each table "
            "smaller, unless one key has most of the rows.",
            "suggests",
            "EXPLAIN shows the join and its sides; the page of the stage, whether one partition is "
            "far larger than the median.",
        )
    if not (stands_on_stack(evidence, _READS) and _is_of_a_join(evidence)):
        return None
    return Reading(
        "The heap ran out while an executor read the hash table of a broadcast join: the driver "
        "built it, and each executor holds it whole beside what its tasks need. With "
        "spark.sql.autoBroadcastJoinThreshold=-1 the table is joined in the shuffle instead, "
        "unless a broadcast hint asks for it: then the hint has to go.",
        "suggests",
        "EXPLAIN shows which table is broadcast.",
    )


MESSAGES = (pig_replicated_join, spark_hash_table_of_a_join)
