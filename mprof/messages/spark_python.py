"""Processes of Python that an executor, or the driver, of PySpark has beside its JVM."""

from __future__ import annotations

from typing import Final

from mprof.evidence import Evidence
from mprof.messages.message import Reading, Source, message
from mprof.messages.said import is_of_a_pod, other_processes, setting_of
from mprof.messages.spark import rows_held_by_a_worker
from mprof.messages.spark_memory import CORES
from mprof.units import format_bytes

__all__ = ["MESSAGES"]

_LIMIT: Final = "spark.executor.pyspark.memory"


@message(
    "Python workers lie beside the heap of an executor",
    Source("Spark 0.7 to 3.5", "org.apache.spark.api.python.PythonRunner"),
    Source(
        "Spark 2.4 to 3.5",
        "org.apache.spark.internal.config.Python.PYSPARK_EXECUTOR_MEMORY",
        "spark.executor.pyspark.memory",
    ),
)
def python_workers_beside_the_heap(evidence: Evidence) -> Reading | None:
    """An executor of PySpark was killed because its container took too much.

    What it means
        Functions of Python (of an RDD, UDFs, pandas UDFs) run in a process of Python for each task
        that an executor is at work on at once. They lie in the container, outside the heap:
        `spark.executor.memory` gives them nothing, and the overhead has to hold them. From 2.4 on
        `spark.executor.pyspark.memory` is asked for beside both, and limits the address space of
        the workers (RLIMIT_AS, shared by the cores): one that takes more meets a MemoryError.

    What it does not prove
        That the workers took most of the container, or that there were any: a program that only
        uses DataFrames starts none.

    What to change
        Less in one worker: smaller batches of a pandas UDF
        (`spark.sql.execution.arrow.maxRecordsPerBatch`, 10000), smaller groups where a function is
        given a whole one, no list of a whole partition. Fewer `spark.executor.cores` run fewer
        workers at once. Else a larger overhead.

    What would tell more
        The NodeManager's log lists the processes at the kill (`Dump of the process-tree`), the
        workers as `pyspark.daemon`.
    """
    program, told = evidence.death.program, evidence.death.needs.spark
    if evidence.death.kind != "container-physical" or program is None or not told.is_python:
        return None
    if program.id != "spark-executor" or rows_held_by_a_worker.reads(evidence) is not None:
        return None
    cores = setting_of(evidence, CORES) or ""
    many = f", up to {cores} here ({CORES})" if cores.isdecimal() else ""
    taken, which = other_processes(evidence)
    took = f" Its other processes took {format_bytes(taken)} ({which})." if taken else ""
    groups = (
        f" {told.takes_groups} hands all rows of a group to one worker at once, so the largest "
        "group counts, and no setting makes it smaller: group by a further column."
        if told.takes_groups
        else ""
    )
    limit = (
        ""
        if told.is_before(2, 4) is not False
        else f" {_LIMIT} is asked for beside heap and overhead, and limits the address space of "
        "the workers: one that takes more meets a MemoryError, with a stack, instead of the kill."
    )
    return Reading(
        "The program is one of PySpark: its functions of Python, where it has any, run in a "
        f"process beside the JVM for each task at once{many}, to which spark.executor.memory gives "
        f"nothing and which the overhead has to hold.{took}{groups}{limit}",
        "suggests",
        _IN_A_POD if is_of_a_pod(evidence) else _ON_YARN,
    )


_ON_YARN: Final = (
    "the NodeManager's log lists the processes at the kill (Dump of the process-tree), the workers "
    "as pyspark.daemon."
)
_IN_A_POD: Final = (
    "kubectl exec POD -- ps -eo rss,args, while it runs, has the workers as pyspark.daemon."
)


MESSAGES = (python_workers_beside_the_heap,)
