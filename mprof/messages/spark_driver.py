"""What fills the driver of a Spark program, by the frames on its stack."""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.message import Reading, Source, message
from mprof.messages.said import heap_is_unseen, setting_of

__all__ = ["MESSAGES"]

# what takes in the results of tasks: their threads, and the actions that ask for them
_TAKES_IN: Final = re.compile(
    r"org\.apache\.spark\.(?:scheduler\.(?:JobWaiter|DAGScheduler)|"
    r"sql\.execution\.SparkPlan|sql\.Dataset|rdd\.RDD|api\.python\.PythonRDD)\b"
)
_ACTION: Final = re.compile(
    r"^(?:\$?anonfun\$)?(?:taskSucceeded|handleTaskCompletion|collect\w*|executeCollect\w*|"
    r"executeTake\w*|executeToIterator\w*|toLocalIterator\w*|countByKey|countByValue|reduce|fold|aggregate|takeOrdered|top)\b"
)
_DRIVERS: Final = frozenset({"spark-master", "spark-local", "spark"})
_SENT: Final = "org.apache.spark.sql.execution.exchange.BroadcastExchangeExec"
_LIMIT: Final = "spark.driver.maxResultSize"


@message(
    "The driver of Spark took in more results than its heap holds",
    Source(
        "Spark 1.0 to 3.5",
        "org.apache.spark.scheduler.TaskResultGetter.enqueueSuccessfulTask",
        "a frame of it, or of the action that asked",
    ),
)
def spark_results_fill_the_driver(evidence: Evidence) -> Reading | None:
    """The results of tasks, which an action brings to the driver, did not fit into its heap.

    What it means
        `collect()`, `toPandas()`, `take(N)`, `countByKey()` and their like bring the results of all
        tasks into the heap of the driver, serialized first and as objects behind that. The frames
        are of that step. `spark.driver.maxResultSize` (1g) would end a job before, by the sizes as
        they are sent; 0 takes that guard away.

    What it does not prove
        That nothing else fills the driver: it holds the state of all tasks and pages as well, and
        the step that meets a full heap need not be what filled it.

    What to change
        Leave the rows where they are: `df.write` instead of `collect()`, an aggregate or `limit()`
        before it, `toLocalIterator()` for one partition at a time. `spark.driver.memory` is first
        aid; the memory of executors has no part in it.

    What would tell more
        A heap dump of the driver; the page of the job shows how large its results are.
    """
    death = evidence.death
    program = death.program
    if death.kind not in HEAP_KINDS or program is None or not heap_is_unseen(evidence):
        return None
    frames = (*death.stack, *death.callers)
    if any(one.class_name.startswith(_SENT) for one in frames):
        return None  # of a table that is to be broadcast, of which more is known
    asked = any(_TAKES_IN.match(one.class_name) and _ACTION.match(one.method) for one in frames)
    getter = any("TaskResultGetter" in one.class_name for one in frames)
    if program.id not in _DRIVERS or not (asked or getter):
        return None
    guard = (
        f" {_LIMIT}=0, which the text has, lets it take in whatever comes."
        if setting_of(evidence, _LIMIT) == "0"
        else ""
    )
    return Reading(
        "The heap of Spark's driver ran out while it took in results of tasks: collect(), "
        "toPandas(), take() and their like bring them into that one heap, however much the "
        f"executors have.{guard} Write the rows from the executors instead, bring an aggregate or "
        "fewer of them, or take one partition at a time (toLocalIterator()); a larger "
        "spark.driver.memory is first aid.",
        "suggests",
        "a heap dump of the driver (-XX:+HeapDumpOnOutOfMemoryError in "
        "spark.driver.extraJavaOptions), which mprof heap reads, shows whether they fill it.",
    )


MESSAGES = (spark_results_fill_the_driver,)
