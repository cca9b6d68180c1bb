"""Direct buffers of Spark that reached their limit: what it was, and what to set."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_NETTY = (
    "org.apache.spark.shuffle.FetchFailedException: failed to allocate 16777216 byte(s) of direct "
    "memory (used: 2130706432, max: 2147483648)\n"
    "\tat org.apache.spark.storage.ShuffleBlockFetcherIterator.next(Shuffle.scala:4)\n"
    "\tat org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:3)\n"
    "Caused by: io.netty.util.internal.OutOfDirectMemoryError: failed to allocate 16777216 byte(s) "
    "of direct memory (used: 2130706432, max: 2147483648)\n"
    "\tat io.netty.util.internal.PlatformDependent.incrementMemoryCounter(Platform.java:6)\n"
)
_JDK = (
    "ERROR Executor: Exception in task 4.0 in stage 3.0 (TID 77)\n"
    "java.lang.OutOfMemoryError: Direct buffer memory\n"
    "\tat java.nio.Bits.reserveMemory(Bits.java:694)\n"
    "\tat com.acme.Codec.open(Codec.java:5)\n"
    "\tat org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:3)\n"
)
_TO_DISK = "spark.maxRemoteBlockSizeFetchToMem"


@pytest.mark.parametrize(
    ("version", "named", "unnamed"),
    [
        ("Spark 2.4.3", f"--conf {_TO_DISK}=200m", "spark.network."),
        # the setting came with 2.3, and 3.0 has it by default
        ("Spark 2.1.3", "(48m)", _TO_DISK),
        ("Spark 3.1.1", "go to disk already", f"--conf {_TO_DISK}"),
        ("", "(from 2.3 on; since 3.0 that is the default", f"--conf {_TO_DISK}"),
        (f"Spark 2.4, with {_TO_DISK}=100m", "(48m)", f"--conf {_TO_DISK}"),
    ],
)
def test_large_blocks_go_to_disk_by_the_setting_that_the_version_has(
    tmp_path: Path, version: str, named: str, unnamed: str
) -> None:
    _, report = told_of(tmp_path, f"{version}\n{_NETTY}")

    assert named in report
    assert unnamed not in report


def test_a_larger_limit_wants_a_larger_container(tmp_path: Path) -> None:
    heap, options = "spark.executor.memory=8g\n", "spark.executor.extraJavaOptions="
    bound = f"{options}-XX:+UseG1GC -XX:MaxDirectMemorySize=512m\n"

    _, of_netty = told_of(tmp_path, f"Spark 2.4\n{_NETTY}")
    _, of_option = told_of(tmp_path, f"Spark 2.4\n{heap}{bound}{_JDK}")
    _, of_heap = told_of(tmp_path, f"Spark 2.1\n{heap}{_JDK}")
    _, of_none = told_of(tmp_path, _JDK)

    # 2 GB is the heap as well, whose tenth is less than the least overhead, 384 MB
    assert f"--conf {options}-XX:MaxDirectMemorySize=4096m" in of_netty
    assert "--conf spark.executor.memoryOverhead=2432" in of_netty
    assert "A larger spark.executor.memory raises the limit as well" in of_netty
    assert f"--conf {options}-XX:+UseG1GC -XX:MaxDirectMemorySize=1024m (was" in of_option
    assert "--conf spark.executor.memoryOverhead=1331" in of_option  # 819 + 512
    assert "raises the limit as well" not in of_option
    assert f"--conf {options}-XX:MaxDirectMemorySize=16384m" in of_heap
    assert "--conf spark.yarn.executor.memoryOverhead=9011" in of_heap
    assert "WHAT TO CHANGE" not in of_none


def test_a_part_that_is_far_larger_than_half_of_them_is_told(tmp_path: Path) -> None:
    _, skewed = told_of(tmp_path, f"{_NETTY}\nshuffle read median 30 MB, max 3.1 GB\n")
    _, even = told_of(tmp_path, f"{_NETTY}\nshuffle read median 30 MB, max 40 MB\n")

    assert "the largest part was read as 3.1 GB, half of them as 30 MB or less" in skewed
    assert "the largest part" not in even


def test_the_driver_in_client_mode_has_options_and_no_container(tmp_path: Path) -> None:
    driver = (
        "spark-submit --master yarn --deploy-mode client --driver-memory 2g a.jar\n"
        'Exception in thread "main" java.lang.OutOfMemoryError: Direct buffer memory\n'
        "\tat java.nio.Bits.reserveMemory(Bits.java:694)\n"
        "\tat org.apache.spark.deploy.SparkSubmit.main(SparkSubmit.scala:3)\n"
    )

    _, client = told_of(tmp_path, driver)
    _, cluster = told_of(tmp_path, driver.replace("client", "cluster"))

    assert "--conf spark.driver.extraJavaOptions=-XX:MaxDirectMemorySize=4096m" in client
    assert "memoryOverhead=" not in client
    assert "--conf spark.driver.memoryOverhead=2432" in cluster
    assert "spark.yarn.am" not in client + cluster.replace("those of spark.yarn.am", "")
