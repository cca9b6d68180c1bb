"""The heap of a driver or an executor of Spark: what the memory store shows, and a larger one."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_DRIVER = (
    'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n'
    "\tat java.util.Arrays.copyOf(Arrays.java:3332)\n"
    "\tat org.apache.spark.rdd.RDD.collect(RDD.scala:935)\n"
)
_EXECUTOR = (
    "WARN TaskSetManager: Lost task 1.0 in stage 1.0 (TID 7, w1, executor 1): "
    "java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
    "\tat com.acme.Main$$anonfun$1.apply(Main.scala:33)\n"
    "\tat org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:338)\n"
)
_STORE = "21/05/05 10:00:00 INFO MemoryStore: MemoryStore started with capacity {}\n"


# What each line of Spark makes of 910.5 and of 981.5 MB, the most of JVMs with -Xmx1g
@pytest.mark.parametrize(
    ("version", "capacity", "heap"),
    [
        ("Spark 2.4.0", (910.5 - 300) * 0.6, "910 MB"),
        ("Spark 3.2.1", (910.5 - 300) * 0.6, "910 MB"),
        ("Spark 1.6.2", (981.5 - 300) * 0.75, "981 MB"),
        ("Spark 1.5.1", 981.5 * 0.6 * 0.9, "981 MB"),
    ],
)
def test_the_memory_store_tells_the_heap_of_the_driver_by_the_version(
    tmp_path: Path, version: str, capacity: float, heap: str
) -> None:
    store = _STORE.format(f"{capacity:.1f} MB")
    meant = "spark.driver.memory=8g\n"

    _, set_too_late = told_of(tmp_path, f"{version}\n{meant}{store}{_DRIVER}")
    _, not_set = told_of(tmp_path, f"{version}\n{store}{_DRIVER}")

    for report in (set_too_late, not_set):
        assert f"a heap of about {heap}, that of -Xmx1g, the default" in report
    assert "--driver-memory 8g (was 1g)" in set_too_late
    assert "--driver-memory 8g of spark-submit" in set_too_late
    assert "--driver-memory 2g" in not_set


def test_a_store_that_fits_the_size_is_no_sign_of_another_heap(tmp_path: Path) -> None:
    store = _STORE.format("4.1 GB")  # (7282 - 300) * 0.6 of -Xmx8g

    _, report = told_of(tmp_path, f"Spark 2.4\nspark.driver.memory=8g\n{store}{_DRIVER}")

    assert "too late" not in report.replace("sets it too late", "")
    assert "--driver-memory 16g (was 8g)" in report


def test_a_store_whose_share_is_set_tells_no_heap(tmp_path: Path) -> None:
    store, share = _STORE.format("366.3 MB"), "spark.memory.fraction=0.2\n"

    _, report = told_of(tmp_path, f"{share}{store}{_DRIVER}")

    assert "a heap of about" not in report


def test_the_store_in_the_log_of_an_executor_is_its_own(tmp_path: Path) -> None:
    start = "21/05/05 10:00:00 INFO Executor: Starting executor ID 3 on host w7\n"
    store, meant = _STORE.format("366.3 MiB"), "spark.executor.memory=6g\n"
    of_driver = "21/05/05 10:00:00 INFO SparkContext: Running Spark version 3.1.1\n"

    _, own = told_of(tmp_path, f"{start}{store}{_EXECUTOR}\n{meant}")
    _, of_both = told_of(tmp_path, f"{of_driver}{start}{store}{_EXECUTOR}\n{meant}")

    assert "--conf spark.executor.memory=6g (was 1g)" in own
    assert "before the session is made" in own
    assert "a heap of about" not in of_both
    assert "--conf spark.executor.memory=12g (was 6g)" in of_both


def test_a_larger_heap_is_no_more_than_what_the_cluster_gives_and_was_not_tried(
    tmp_path: Path,
) -> None:
    heap = "We submit it with --executor-memory 4g --executor-cores 5.\n"
    most = "yarn.scheduler.maximum-allocation-mb=7168\n"
    died = "With spark.executor.memory=8g it died too.\n"
    tried = "I tried spark.executor.memory=16g.\n"

    _, free = told_of(tmp_path, f"{heap}{_EXECUTOR}")
    _, capped = told_of(tmp_path, f"{heap}{most}{_EXECUTOR}")
    _, in_vain = told_of(tmp_path, f"{heap}{_EXECUTOR}{died}")
    _, larger = told_of(tmp_path, f"{heap}{_EXECUTOR}{tried}")

    assert "--conf spark.executor.memory=8g (was 4g)" in free
    assert "spark.executor.cores=2 instead of 5" in free
    assert "--conf spark.executor.memory=6g (was 4g)" in capped  # 7168 less a tenth
    for other in (in_vain, larger):
        assert "--conf spark.executor.memory" not in other


def test_of_another_lack_no_larger_heap_is_advised(tmp_path: Path) -> None:
    heap = "spark.executor.memory=4g\n"
    threads = _EXECUTOR.replace("GC overhead limit exceeded", "unable to create new native thread")

    _, report = told_of(tmp_path, f"{heap}{threads}")

    assert "WHAT TO CHANGE" not in report


def test_a_broadcast_and_an_operator_that_got_no_more_have_values(tmp_path: Path) -> None:
    sent = _DRIVER.replace(
        "org.apache.spark.rdd.RDD.collect(RDD.scala:935)",
        "org.apache.spark.sql.execution.exchange.BroadcastExchangeExec.call(B.scala:7)",
    )
    refused = (
        "21/05/05 10:00:00 ERROR Executor: Exception in task 4.0 in stage 3.0 (TID 77)\n"
        "org.apache.spark.memory.SparkOutOfMemoryError: Unable to acquire 65536 bytes of memory, "
        "got 0\n\tat org.apache.spark.memory.MemoryConsumer.throwOom(MemoryConsumer.java:157)\n"
    )
    of_query = "\tat org.apache.spark.sql.execution.UnsafeFixedWidthAggregationMap.<init>(U:9)\n"

    _, broadcast = told_of(tmp_path, f"Spark 2.2\n{sent}")
    _, query = told_of(tmp_path, f"spark.sql.shuffle.partitions=300\n{refused}{of_query}")
    _, by_default = told_of(tmp_path, f"{refused}{of_query}")
    _, of_rdd = told_of(tmp_path, f"{refused}\tat org.apache.spark.rdd.RDD.iterator(RDD.scala:3)\n")

    _, no_more = told_of(tmp_path, f"spark.sql.autoBroadcastJoinThreshold=-1\n{sent}")

    assert "--conf spark.sql.autoBroadcastJoinThreshold=-1" in broadcast
    assert "autoBroadcastJoinThreshold=-1 is set already, and did not prevent it" in no_more
    assert "--conf spark.sql.shuffle.partitions=600 (was 300)" in query
    assert "--conf spark.sql.shuffle.partitions=400" in by_default
    assert "--conf spark.sql" not in of_rdd
