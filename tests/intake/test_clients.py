"""An OutOfMemoryError of the JVM that submits jobs, in what it printed: no task died of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import container, told_of, yarn_logs

_JOB = "job_1700000000000_0031"
_OF_HADOOP_1 = "job_202401020304_0017"
_HEAP = "java.lang.OutOfMemoryError: Java heap space"
_CLIENT = "24/03/01 10:00:01 INFO mapred.JobClient: Running job: {}\n"
_OWN_FRAMES = (
    "\tat java.util.Arrays.copyOf(Arrays.java:3332)\n\tat com.acme.plan.Plans.add(P.java:8)\n"
)
_DUMPED = (
    f"{_HEAP}\nDumping heap to /var/dumps/java_pid4711.hprof ...\n"
    "Heap dump file created [1048576 bytes in 1.2 secs]\n"
)
# org.apache.hadoop.hdfs.DFSOutputStream names its thread so; the file is one that a client writes
_STREAMER = (
    f'Exception in thread "DataStreamer for file /user/u/.staging/{_JOB}/job.split block '
    'BP-1-10.0.0.1-1:blk_7_8" java.lang.OutOfMemoryError: GC overhead limit exceeded\n'
)
_MAIN = f'Exception in thread "main" {_HEAP}\n{_OWN_FRAMES}'

CLIENTS = {
    "an error of its main thread": _CLIENT.format(_JOB) + _MAIN,
    "in what mapreduce.Job prints": (
        f"24/03/01 10:00:01 INFO mapreduce.Job: Running job: {_JOB}\n{_MAIN}"
    ),
    "before any job": (
        f"24/03/01 10:00:01 INFO mapreduce.JobSubmitter: number of splits:9\n{_MAIN}"
    ),
    "beside an attempt that failed": (
        _CLIENT.format(_JOB) + "24/03/01 10:01:01 INFO mapred.JobClient: Task Id : "
        f"attempt_1700000000000_0031_m_000001_0, Status : FAILED\nError: no such table\n"
        f"24/03/01 10:01:02 INFO mapred.JobClient:  map 9% reduce 0%\n{_MAIN}"
    ),
    "a heap dump of it": _CLIENT.format(_OF_HADOOP_1) + _DUMPED,
    "in what Cascading prints": (
        f"24/03/01 10:00:01 INFO flow.FlowStep: [] submitted hadoop job: {_OF_HADOOP_1}\n{_DUMPED}"
    ),
    "a thread that uploads the job": _STREAMER,
}


@pytest.mark.parametrize("title", CLIENTS)
def test_an_error_of_the_client_itself_is_of_no_task(title: str, tmp_path: Path) -> None:
    kinds, text = told_of(tmp_path, CLIENTS[title])

    assert {"heap", "gc-overhead"} & {*kinds}
    assert "A client's command" in text
    assert "-Xmx in HADOOP_CLIENT_OPTS, or HADOOP_HEAPSIZE where that has none" in text
    for wrong in ("A task of job", "mapred.child.java.opts", "mapreduce.map.java.opts"):
        assert wrong not in text


_SPLITTING = (
    "24/03/01 10:00:01 INFO input.FileInputFormat: Total input paths to process : {}\n"
    'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n'
    "\tat org.apache.hadoop.mapreduce.lib.input.FileInputFormat.getSplits(FileInputFormat.java:9)\n"
    "\tat org.apache.hadoop.mapreduce.JobSubmitter.writeSplits(JobSubmitter.java:9)\n"
)


@pytest.mark.parametrize(
    ("paths", "environment", "heap"),
    [
        (40, "", 4),
        (3_100_000, "", 7),
        (40, "export HADOOP_CLIENT_OPTS=-Xmx6g\nexport HADOOP_HEAPSIZE=9000\n", 12),
    ],
)
def test_the_heap_of_a_client_grows_with_what_it_had_and_with_its_input(
    paths: int, environment: str, heap: int, tmp_path: Path
) -> None:
    _, text = told_of(tmp_path, _SPLITTING.format(paths) + environment)

    assert f"export HADOOP_CLIENT_OPTS=-Xmx{heap}g raises it" in text
    assert ("HADOOP_CLIENT_OPTS=-Xmx6g in the text" in text) == bool(environment)
    assert ("3,100,000 input files" in text) == (paths > 100)
    assert ("CombineTextInputFormat" in text) == (paths > 100)


def test_the_dump_that_a_jvm_says_it_wrote_is_named(tmp_path: Path) -> None:
    _, text = told_of(tmp_path, _CLIENT.format(_JOB) + _DUMPED)

    assert "mprof heap /var/dumps/java_pid4711.hprof" in text


def test_a_dump_that_could_not_be_written_is_not(tmp_path: Path) -> None:
    lost = _DUMPED.partition("Heap dump")[0] + "Unable to create /var/dumps/java_pid4711.hprof\n"

    _, text = told_of(tmp_path, _STREAMER + lost)

    assert "mprof heap /var" not in text


def test_a_class_that_could_not_be_initialised_after_it_is_a_consequence(tmp_path: Path) -> None:
    consequence = (
        'Exception in thread "ResponseProcessor" java.lang.NoClassDefFoundError: '
        "Could not initialize class com.acme.proto.Acks\n\tat com.acme.proto.Ack.of(Ack.java:3)\n"
    )

    kinds, text = told_of(tmp_path, _CLIENT.format(_JOB) + _DUMPED + consequence)

    assert kinds == ["heap"]
    assert "no jar is missing" in text
    assert "It is not an OutOfMemoryError" not in text


OTHERS = {
    "what a client prints of an attempt": (
        _CLIENT.format(_JOB) + "24/03/01 10:01:01 INFO mapred.JobClient: Task Id : "
        f"attempt_1700000000000_0031_m_000001_0, Status : FAILED\nError: {_HEAP}\n{_OWN_FRAMES}"
    ),
    "a dump of an attempt below it": (
        _CLIENT.format(_JOB) + "24/03/01 10:01:01 INFO mapred.JobClient: Task Id : "
        f"attempt_1700000000000_0031_m_000001_0, Status : FAILED\nError: Java heap space\n{_DUMPED}"
    ),
    "the stack of a task below it": (
        f"{_CLIENT.format(_JOB)}{_HEAP}\n{_OWN_FRAMES}"
        "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:341)\n"
    ),
    "a stack of nobody below it": f"{_CLIENT.format(_JOB)}{_HEAP}\n{_OWN_FRAMES}",
    "a task that submits a job": yarn_logs(
        [(container(2), "stdout", _CLIENT.format(_JOB) + _DUMPED)]
    ),
    "what its logger quotes": (
        f"{_CLIENT.format(_JOB)}24/03/01 10:01:01 WARN acme.Retry: {_HEAP}\n{_OWN_FRAMES}"
    ),
}


@pytest.mark.parametrize("title", OTHERS)
def test_an_error_that_may_be_of_a_task_is_not_called_the_client_s(
    title: str, tmp_path: Path
) -> None:
    _, text = told_of(tmp_path, OTHERS[title])

    assert "A client's command" not in text


def test_the_heap_of_a_local_task_of_hive_is_that_of_its_client(tmp_path: Path) -> None:
    name = "hive.auto.convert.join.noconditionaltask.size"
    text = (
        "2024-03-01 10:00:01\tStarting to launch local task to process map join;\tmaximum memory = "
        "900000000\nExecution failed with exit status: 3\nFAILED: Execution Error, return code 3 "
        "from org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask\n"
        "export HADOOP_CLIENT_OPTS=-Xmx1g\n"
    )

    _, report = told_of(tmp_path, f"set {name}=90000000;\n{text}")
    _, usual = told_of(tmp_path, text)

    assert "where that has none sets that heap (HADOOP_CLIENT_OPTS=-Xmx1g in the text)" in report
    assert f"{name}=90000000 lets tables" in report
    assert name not in usual
