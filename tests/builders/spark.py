"""A Spark cluster on this machine: two executors, each a JVM of its own with little memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mprof.pieces.spark import SparkEngine, spark_engine

MASTER = "local-cluster[2,1,512]"
SMALL = {
    "SPARK_DRIVER_MEMORY": "512m",
    "SPARK_DAEMON_MEMORY": "256m",
    # Of the driver and its executors: they end before C2 has paid off, and hold little.
    "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@contextmanager
def local_cluster() -> Iterator[SparkEngine]:
    """Skips where PySpark is not installed."""
    pytest.importorskip("pyspark", reason="PySpark is not there: pip install 'mprof-hadoop[spark]'")
    before = dict(os.environ)
    os.environ.update(SMALL)
    try:
        with spark_engine(MASTER) as engine:
            yield engine
    finally:
        os.environ.clear()
        os.environ.update(before)
