"""The engine that runs a function over pieces on Spark, which schedules, and repeats what failed.

Every piece is a task of its own; it reads what it needs where it runs, so a store must lie where
every machine sees it under the same name, and mprof must be installed there. Nothing is shuffled.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pandas as pd
import pyarrow as pa

from mprof.errors import ClusterError, EvidenceError, UsageError
from mprof.extras import need
from mprof.io.printable import one_line
from mprof.io.secrets import MASK, mask_text
from mprof.pieces.engine import as_table, results_of
from mprof.threshold import moved_thresholds, thresholds_moved

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SparkEngine", "spark_engine"]

Piece = TypeVar("Piece")

_CALLING: Final = "An error occurred while calling"
_LOCAL_CLUSTER: Final = re.compile(r"local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*(\d+)\s*\]")
_LONGEST_CAUSE: Final = 300
_TRACEBACK: Final = "Traceback (most recent call last)"
_PLACE: Final = "mprof_piece"
_FAULT: Final = "mprof_fault"
_NEXT_STEP: Final = "mprof_next_step"
_ADDED: Final = (
    pa.field(_PLACE, pa.int64()),
    pa.field(_FAULT, pa.string()),
    pa.field(_NEXT_STEP, pa.string()),
)


@dataclass(frozen=True, slots=True)
class SparkEngine:
    """Runs it as tasks of a Spark application.

    Attributes:
        session: of the application.
    """

    session: SparkSession

    def frame(
        self, function: Callable[[Piece], pd.DataFrame], pieces: Sequence[Piece], schema: pa.Schema
    ) -> pd.DataFrame:
        """See `mprof.pieces.Engine.frame`."""
        if not pieces:
            return results_of((), schema)
        with _newer_pandas():
            from pyspark.errors import PySparkException
            from pyspark.sql.pandas.types import from_arrow_schema
        # Spark names no unit, and keeps no metadata.
        told = pa.schema([*_ADDED, *(pa.field(each.name, each.type) for each in schema)])
        task = partial(
            _task, function=function, pieces=tuple(pieces), schema=schema,
            moved=dict(moved_thresholds()),
        )  # fmt: skip
        numbers = self.session.range(0, len(pieces), 1, numPartitions=len(pieces))
        try:
            with _newer_pandas():
                mapped = numbers.mapInArrow(task, from_arrow_schema(told))
            found = mapped.toArrow()
        except PySparkException as error:
            raise ClusterError(
                f"Spark could not do it: {_cause(error)}",
                next_step="see what its executors have logged; --engine local needs no Spark",
            ) from error
        return _gathered(found, schema)


def _gathered(found: pa.Table, schema: pa.Schema) -> pd.DataFrame:
    """The results in the order of the pieces; the fault of the first piece that had one."""
    # Of one piece the rows keep their order: a stable sort.
    order = pd.Series(found.column(_PLACE).to_numpy()).argsort(kind="stable")
    ordered = found.take(pa.array(order))
    faults = ordered.filter(ordered.column(_FAULT).is_valid())
    if len(faults):
        raise EvidenceError(
            faults.column(_FAULT)[0].as_py(), next_step=faults.column(_NEXT_STEP)[0].as_py()
        )
    results = ordered.select(schema.names).cast(schema)
    return results_of((results,), schema)


def _task(
    batches: Iterator[pa.RecordBatch],
    *,
    function: Callable[[Any], pd.DataFrame],
    pieces: tuple[Any, ...],
    schema: pa.Schema,
    moved: dict[str, float],
) -> Iterator[pa.RecordBatch]:
    """In a process of an executor: the results of the pieces with these numbers."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            fault: tuple[str | None, str | None] = (None, None)
            try:
                with thresholds_moved(moved):
                    table = as_table(function(pieces[number]), schema)
            except EvidenceError as error:  # of no use to repeat: the driver says it
                table = pa.table([pa.nulls(1, each.type) for each in schema], schema=schema)
                fault = (error.what, error.next_step)
            count = len(table)
            added = [
                pa.array([number] * count, pa.int64()),
                *(pa.array([text] * count, pa.string()) for text in fault),
            ]
            whole = pa.table(
                [*added, *table.columns], names=[*(one.name for one in _ADDED), *schema.names]
            )
            yield from whole.combine_chunks().to_batches()


@contextlib.contextmanager
def spark_engine(master: str | None = None) -> Iterator[SparkEngine]:
    """A Spark application for the time of a block.

    Args:
        master: ``local[N]``, ``local-cluster[N,CORES,MB]``, ``yarn``, ``spark://...``; where None
            what Spark's own configuration says, and ``local[*]`` where it says nothing.

    Raises:
        UsageError: if PySpark is not installed, or the master cannot be used.
        ClusterError: if Spark cannot be started.
    """
    need("spark", by="--engine spark")
    with _newer_pandas():
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    if master == "yarn" and not {"HADOOP_CONF_DIR", "YARN_CONF_DIR"} & set(os.environ):
        raise UsageError(
            "--master yarn needs the configuration of the cluster",
            next_step="set HADOOP_CONF_DIR to the folder with yarn-site.xml",
        )
    builder = SparkSession.builder.appName("mprof")
    for name, value in _settings(master).items():
        builder = builder.config(name, value)
    try:
        with _newer_pandas():
            session = builder.getOrCreate()
    except (PySparkException, OSError) as error:
        raise _not_started(master, error) from error
    except Exception as error:
        # Spark's own exceptions come through as those of its gateway, which is imported nowhere.
        if type(error).__module__.partition(".")[0] != "py4j":
            raise
        raise _not_started(master, error) from error
    try:
        yield SparkEngine(session)
    finally:
        session.stop()


@contextlib.contextmanager
def _newer_pandas() -> Iterator[None]:
    """Without PySpark's warning of pandas 3: it concerns conversions, and mprof makes its own."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        yield


def _settings(master: str | None) -> dict[str, str]:
    """What mprof asks of Spark; what its user asked for by the environment goes before it."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    if master is not None:
        settings["spark.master"] = master
    if (sized := _LOCAL_CLUSTER.fullmatch(master or "")) is not None:
        settings["spark.executor.memory"] = f"{sized[1]}m"  # all that a worker has
    # Who the user of HDFS is, for one: workers have the environment of their own machine, or of an
    # earlier session. Secrets would stand in Spark's pages and event logs.
    settings |= {
        f"spark.executorEnv.{name}": value
        for name, value in os.environ.items()
        if name.startswith("FSSPEC_") and MASK not in mask_text(f"{name}={value}")
    }
    if master is None or master.startswith("local"):
        # One machine: this Python, and no name that a network would have to know. PySpark takes
        # them from the environment alone.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("SPARK_LOCAL_HOSTNAME", "localhost")
    return settings


def _not_started(master: str | None, error: Exception) -> ClusterError:
    return ClusterError(
        f"Spark could not be started{f' on {master}' if master else ''}: {_cause(error)}",
        next_step="see the lines above; it needs a Java 17 or newer, and a master that answers",
    )


def _cause(error: Exception) -> str:
    """The line that says something: the last one of a traceback, else the first."""
    lines = [line.strip(" :\t") for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith(_CALLING)]
    if not said:
        return type(error).__name__
    return one_line(said[-1] if _TRACEBACK in said else said[0])[:_LONGEST_CAUSE]
