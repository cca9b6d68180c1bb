"""What fails for a port, a name or a realm is told by the words of those who met it."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import found, told_of

from mprof.report import render_findings

_APPLICATION = "1700000000000_0024"
_MASTER = (
    f"Application application_{_APPLICATION} failed 2 times due to AM Container for "
    f"appattempt_{_APPLICATION}_000002 exited with  exitCode: 10\n"
    "Diagnostics: Exception from container-launch.\n\n"
)
_ERROR = (
    "{}Uncaught exception: {}\n"
    "org.apache.spark.SparkException: Failed to connect to driver!\n"
    "\tat org.apache.spark.deploy.yarn.ApplicationMaster.waitForSparkDriver(A.scala:484)\n"
)


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("16/05/12 10:21:24 ERROR yarn.ApplicationMaster: ", ""),
        ("2016-05-12 10:21:24,918 | ERROR | [main] | ", " | o.a.s.Logging.logError(L.scala:96)"),
    ],
)
def test_what_ended_the_application_master_of_spark_stands_in_its_own_log(
    before: str, behind: str, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, _MASTER + _ERROR.format(before, behind))
    _, without = told_of(tmp_path, _MASTER)

    assert "could not reach the driver: in client mode" in report
    assert "could not reach the driver" not in without


@pytest.mark.parametrize(
    ("line", "said", "unsaid"),
    [
        (
            (
                "java.net.BindException: Address already in use: Service 'SparkUI' failed after 16 "
                "retries (starting from 4040)!"
            ),
            "all that it tried from 4040 to 4056 are in use",
            "ss -ltn shows what listens",
        ),
        (
            (
                "java.net.BindException: Problem binding to [w1:8042] java.net.BindException: "
                "Address already in use; For more details see: http://wiki.apache.org/hadoop/BindException"
            ),
            "a port of its machine w1:8042 that another process has already",
            "Spark",
        ),
        (
            (
                "java.net.BindException: Cannot assign requested address: Service 'sparkDriver' "
                "failed after 16 retries (on a random free port)!"
            ),
            "spark.driver.bindAddress",
            "in use",
        ),
        (
            "java.lang.IllegalArgumentException: Can't get Kerberos realm",
            "Java found no Kerberos realm",
            "token",
        ),
    ],
)
def test_the_words_say_what_is_missing(line: str, said: str, unsaid: str, tmp_path: Path) -> None:
    path = tmp_path / "pasted.txt"
    path.write_text(f'Exception in thread "main" {line}\n\tat com.example.Main.main(Main.java:9)\n')
    report = " ".join(render_findings(found(path)).split())

    assert said in report
    assert unsaid not in report


def test_what_the_main_thread_of_a_program_met_ended_it(tmp_path: Path) -> None:
    error = "java.lang.IllegalStateException: no\n\tat com.example.Main.main(Main.java:9)\n"
    path = tmp_path / "pasted.txt"
    done = (
        "17/11/20 19:51:05 INFO mapreduce.Job: Job job_1700000000000_0044 completed successfully\n"
    )
    path.write_text(f'{done}Exception in thread "main" {error}')
    ended = " ".join(render_findings(found(path)).split())
    path.write_text(f"{done}17/11/20 19:56:02 WARN x.Y: {error}")
    logged = " ".join(render_findings(found(path)).split())

    assert "Nothing caught it in the main thread of the program that met it" in ended
    assert "Whether anything ended because of it cannot be told" in logged


def test_native_memory_is_refused_to_any_program(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        "Execution failed with exit status: 1\n"
        "FAILED: Execution Error, return code 1 from org.apache.hadoop.hive.ql.exec.mr."
        "MapredLocalTask\n\n# There is insufficient memory for the Java Runtime Environment to "
        "continue.\n# Native memory allocation (mmap) failed to map 20776943616 bytes for "
        "committing reserved memory.\n",
    )

    assert "A local task of Hive could not get native memory" in report
    assert "refused the JVM more memory when it asked for 19 GB" in report
