"""What the exit codes mean that processes of Spark leave by themselves.

``org.apache.spark.executor.ExecutorExitCode``, ``org.apache.spark.util.SparkExitCode``, and the
constants of ``org.apache.spark.deploy.yarn.ApplicationMaster``.
"""

from __future__ import annotations

from typing import Final

from mprof.engines import Program

__all__ = ["code_of_spark"]

_OF_EXECUTORS: Final = {
    50: "50 is what an executor of Spark leaves where a thread died of an exception that nothing "
    "caught, and that is no OutOfMemoryError, for which there is 52",
    51: "51 is what an executor of Spark leaves where a thread died of an exception that nothing "
    "caught, and writing it to the log failed as well",
    53: "53 is what an executor of Spark leaves that could create no folder on any local disk "
    "(spark.local.dir, on YARN yarn.nodemanager.local-dirs): they are full, or may not be written",
    54: "54 is what an executor of Spark leaves whose external block store (Tachyon; up to 1.6) "
    "did not start",
    55: "55 is what an executor of Spark leaves whose external block store (Tachyon; up to 1.6) "
    "could create no folder",
    56: "56 is what an executor of Spark leaves that could not send its driver a heartbeat "
    "spark.executor.heartbeat.maxFailures (60) times in a row: the driver was not reached, or was "
    "busy with collections of its heap",
}
_OF_MASTERS: Final = {
    10: "10 is what the application master of Spark leaves where it met an exception that nothing "
    "caught",
    11: "11 is what the application master of Spark leaves where more executors had failed than "
    "spark.yarn.max.executor.failures allows: why those failed, their own ends say",
    12: "12 is what the application master of Spark leaves whose thread that asks YARN for "
    "executors failed several times in a row",
    13: "13 is what the application master of Spark leaves in cluster mode where the program had "
    "no SparkContext: it ended before it made one, made none within spark.yarn.am.waitTime (100 "
    's), or one with another master (setMaster("local") in its code)',
    14: "14 is what the application master of Spark leaves where its authentication failed",
    15: "15 is what the application master of Spark leaves in cluster mode where the program "
    "itself threw what ended it: its stack stands in the stderr of the first container",
    16: "16 is what the application master of Spark leaves that was ended before the program was: "
    "by a System.exit() in the program, or from outside",
    17: "17 is what the application master of Spark leaves in client mode where it lost the "
    "connection to its driver",
}


def code_of_spark(program: Program | None, code: int) -> str:
    """What a code says of a process of Spark, as a clause that begins with it; "" of others."""
    if program is None:
        return ""
    of_it = {"spark-executor": _OF_EXECUTORS, "spark-master": _OF_MASTERS}.get(program.id, {})
    return of_it.get(code, "")
