"""What the messages of a text say together with the settings that stand in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_ID = "1700000000000_0051"
_MAP = f"attempt_{_ID}_m_000002_0"
_FULL = f"Task Id : {_MAP}, Status : FAILED\nError: Java heap space\n"
_SPILLS = (
    f"Task Id : {_MAP}, Status : FAILED\n"
    "Error: java.lang.OutOfMemoryError: Java heap space\n"
    "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(MapTask.java:986)\n"
    "\tat org.apache.hadoop.mapred.MapTask.runNewMapper(MapTask.java:770)\n"
)
_KILLED = (
    f"Task Id : {_MAP}, Status : FAILED\n"
    f"Container [pid=7,containerID=container_{_ID}_01_000004] is running beyond physical memory "
    "limits. Current usage: 4.0 GB of 4 GB physical memory used; 6.1 GB of 8.4 GB virtual memory "
    "used. Killing container.\n"
)


def test_a_sort_buffer_larger_than_the_heap_that_is_stated_is_proven(tmp_path: Path) -> None:
    text = (
        "-Dmapreduce.task.io.sort.mb=640 -Dmapreduce.map.java.opts=-Xmx600m "
        f"-Dmapreduce.map.memory.mb=1024\n{_SPILLS}"
    )

    _, report = told_of(tmp_path, text)

    assert "does not fit into the heap (explanation proven by the message)" in report
    assert "-D mapreduce.task.io.sort.mb=300 (was 640)" in report
    for asked in ("read both values", "UNDECIDED", "do not tell which cause"):
        assert asked not in report


def test_a_heap_larger_than_its_container_is_said_and_not_doubled(tmp_path: Path) -> None:
    text = f"mapreduce.map.memory.mb=1536 mapreduce.map.java.opts=-Xmx3g\n{_FULL}"

    _, report = told_of(tmp_path, text)

    assert "-Xmx3072m is larger than its container of 1.5 GB" in report
    assert "WHAT TO CHANGE" not in report
    assert "6144" not in report


def test_a_heap_of_tez_larger_than_its_container_is_said(tmp_path: Path) -> None:
    text = (
        "set hive.tez.container.size=2048;\nset hive.tez.java.opts=-Xmx3g;\n"
        f"Vertex failed, vertexName=Map 4, vertexId=vertex_{_ID}_1_03, diagnostics=[Task failed, "
        "info=[Error: java.lang.OutOfMemoryError: Java heap space\n"
    )

    _, report = told_of(tmp_path, text)

    assert "-Xmx3072m is larger than its container of 2.0 GB" in report


@pytest.mark.parametrize(
    "limit", ["yarn.scheduler.maximum-allocation-mb", "yarn.nodemanager.resource.memory-mb"]
)
def test_no_larger_container_is_advised_than_the_cluster_gives(tmp_path: Path, limit: str) -> None:
    sizes = f"mapreduce.map.memory.mb=4096 mapreduce.map.java.opts=-Xmx3276m {limit}=4096\n"
    (tmp_path / "full").mkdir()
    (tmp_path / "killed").mkdir()

    _, full = told_of(tmp_path / "full", sizes + _FULL)
    _, killed = told_of(tmp_path / "killed", sizes + _KILLED)

    for report in (full, killed):
        assert f"gives a container 4096 MB at most ({limit}=4096)" in report
        assert "8192" not in report
        assert "WHAT TO CHANGE" not in report


def test_first_aid_ends_at_the_largest_container(tmp_path: Path) -> None:
    text = (
        "mapreduce.map.memory.mb=2048 mapreduce.map.java.opts=-Xmx1638m "
        f"yarn.scheduler.maximum-allocation-mb=3072\n{_FULL}"
    )

    _, report = told_of(tmp_path, text)

    assert "-D mapreduce.map.memory.mb=3072 (was 2048)" in report
    assert "-D mapreduce.map.java.opts=-Xmx2457m (was -Xmx1638m)" in report


def test_an_overhead_is_never_advised_below_what_the_container_had(tmp_path: Path) -> None:
    text = (
        "spark-submit --executor-memory 10g --conf spark.executor.memoryOverhead=500 a.py\n"
        "ERROR YarnScheduler: Lost executor 2 on n8: Container killed by YARN for exceeding memory "
        "limits. 13.1 GB of 13 GB physical memory used. Consider boosting "
        "spark.yarn.executor.memoryOverhead.\n"
    )

    _, report = told_of(tmp_path, text)

    assert "--conf spark.executor.memoryOverhead=6144 (was 500)" in report
    assert "Before Spark 2.3 it is spark.yarn.executor.memoryOverhead" in report


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        (
            (
                "ERROR YarnScheduler: Lost executor 2 on n8: Container killed by YARN for "
                "exceeding memory limits. Consider boosting spark.executor.memoryOverhead.\n"
            ),
            "container-physical",
            "exceeded its limit of physical memory",
        ),
        (
            (
                "Lost task 1.3 in stage 2.0 (TID 9, n8, executor 2): "
                "org.apache.spark.memory.SparkOutOfMemoryError: Unable to acquire 8192 bytes of "
                "memory, got 0\n"
                "\tat org.apache.spark.memory.MemoryConsumer.throwOom(MemoryConsumer.java:157)\n"
            ),
            "application-made",
            "OutOfMemoryError",
        ),
    ],
)
def test_words_of_memory_are_not_followed_by_a_denial(
    tmp_path: Path, text: str, kind: str, said: str
) -> None:
    kinds, report = told_of(tmp_path, text)

    assert kinds == [kind]
    assert said in report
    assert "nothing points to memory" not in report


def test_a_table_for_map_joins_is_at_most_a_third_of_the_heap(tmp_path: Path) -> None:
    text = (
        "set hive.tez.java.opts=-Xmx3000m;\n"
        "set hive.auto.convert.join.noconditionaltask.size=2000000000;\n"
        f"Vertex failed, vertexName=Map 4, vertexId=vertex_{_ID}_1_03, diagnostics=[Task failed, "
        "info=[Error: java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.hive.ql.exec.vector.mapjoin.fast.VectorMapJoinFastHashTableLoader"
        ".load(V.java:86)\n"
        "\tat org.apache.hadoop.hive.ql.exec.tez.MapRecordProcessor.init(M.java:211)\n"
    )

    _, report = told_of(tmp_path, text)

    assert (
        "SET hive.auto.convert.join.noconditionaltask.size=1048576000; (was 2000000000)" in report
    )


def test_what_hive_says_of_spark_where_memory_ran_out_is_that(tmp_path: Path) -> None:
    text = (
        "FAILED: Execution Error, return code 3 from "
        "org.apache.hadoop.hive.ql.exec.spark.SparkTask. Spark job failed because of out of "
        "memory.\n"
    )

    _, report = told_of(tmp_path, text)

    assert "failed because memory ran out" in report
    assert "and not why" not in report


def test_an_error_of_memory_that_spark_made_of_a_full_disk_is_a_full_disk(tmp_path: Path) -> None:
    text = (
        "org.apache.spark.memory.SparkOutOfMemoryError: error while calling spill() on "
        "org.apache.spark.util.collection.unsafe.sort.UnsafeExternalSorter@1 : No space left on "
        "device\n\tat org.apache.spark.memory.TaskMemoryManager.trySpill(T.java:9)\n"
    )

    _, report = told_of(tmp_path, text)

    assert "A local disk of Spark is full" in report


def test_who_killed_the_program_of_a_streaming_job_is_quoted_from_the_kernel(
    tmp_path: Path,
) -> None:
    text = (
        f"Task Id : {_MAP}, Status : FAILED\n"
        "Error: java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed with "
        "code 137\n"
        "\tat org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads(PipeMapRed.java:322)\n"
        "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:344)\n\nOn the node:\n"
        "[61.2] Out of memory: Kill process 4711 (ruby) score 226 or sacrifice child\n"
        "[61.3] Killed process 4711 (ruby) total-vm:3914208kB, anon-rss:3145728kB, file-rss:8kB\n"
    )

    _, report = told_of(tmp_path, text)

    assert "The kernel killed ruby, process 4711, because memory was short" in report
    assert "it had 3.0 GB of its own" in report
    assert "read the program's standard error" not in report


def test_settings_of_tasks_that_the_text_states_are_said_not_to_reach_another_process(
    tmp_path: Path,
) -> None:
    text = (
        "set hive.tez.container.size=4096;\n"
        "We have set mapreduce.map.java.opts=-Xmx8g for this.\n\n"
        f"Vertex failed, vertexName=Map 4, vertexId=vertex_{_ID}_1_03, diagnostics=[Task failed, "
        "info=[Error: java.lang.OutOfMemoryError: Java heap space\n"
    )

    _, report = told_of(tmp_path, text)

    assert (
        "mapreduce.map.java.opts, which the text has, is of map and reduce tasks and does not "
        "reach it." in report
    )


def test_in_hadoop_1_the_options_of_a_side_go_before_those_of_both(tmp_path: Path) -> None:
    text = (
        "mapred.map.child.java.opts=-Xmx320m\nmapred.child.java.opts=-Xmx200m\n\n"
        "Task Id : attempt_201301021503_0007_m_000001_0, Status : FAILED\n"
        "Error: Java heap space\n"
    )

    _, report = told_of(tmp_path, text)

    assert "-D mapred.map.child.java.opts=-Xmx640m (was -Xmx320m)" in report


def test_of_two_heaps_in_the_options_the_last_is_advised_and_no_other(tmp_path: Path) -> None:
    text = f'mapreduce.map.java.opts="-Xmx1g -XX:+UseG1GC -Xmx400m"\n\n{_FULL}'

    _, report = told_of(tmp_path, text)

    assert "-D mapreduce.map.java.opts=-XX:+UseG1GC -Xmx800m" in report


def test_a_sort_buffer_of_hadoop_1_needs_no_larger_address_space(tmp_path: Path) -> None:
    text = (
        "mapred.child.java.opts=-Xmx200m\nio.sort.mb=180\n\n"
        "Task Id : attempt_201301021503_0007_m_000001_0, Status : FAILED\n"
        "java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.<init>(MapTask.java:949)\n"
        "\tat org.apache.hadoop.mapred.MapTask.runOldMapper(MapTask.java:428)\n"
        "\tat org.apache.hadoop.mapred.Child.main(Child.java:264)\n"
    )

    _, report = told_of(tmp_path, text)

    assert "-D io.sort.mb=100 (was 180)" in report
    assert "memory.mb" not in report


def test_what_collects_in_spark_is_the_driver(tmp_path: Path) -> None:
    text = (
        "java.lang.OutOfMemoryError: Java heap space\n"
        "\tat java.util.Arrays.copyOf(Arrays.java:3332)\n"
        "\tat org.apache.spark.sql.Dataset.collectFromPlan(Dataset.scala:3696)\n"
    )

    _, report = told_of(tmp_path, text)

    assert "driver or application master of Spark" in report
    assert "spark.executor.memory" not in report


def test_an_application_master_is_not_advised_above_the_largest_container(tmp_path: Path) -> None:
    text = (
        f"yarn.scheduler.maximum-allocation-mb=1024\njob_{_ID}\n"
        f"Container [pid=7,containerID=container_{_ID}_01_000001] is running beyond physical "
        "memory limits. Current usage: 1.0 GB of 1 GB physical memory used. Killing container.\n"
    )

    _, report = told_of(tmp_path, text)

    assert "gives a container 1024 MB at most" in report
    assert "2048" not in report


def test_a_heap_of_an_application_master_grows_first_into_its_container(tmp_path: Path) -> None:
    text = (
        "yarn.app.mapreduce.am.resource.mb=3000\nyarn.app.mapreduce.am.command-opts=-Xmx900m\n"
        f"Application application_{_ID} failed 2 times due to AM Container for "
        f"appattempt_{_ID}_000002 exited with exitCode: 255\n"
        'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n'
        "\tat org.apache.hadoop.mapreduce.v2.app.MRAppMaster.main(MRAppMaster.java:1)\n"
    )

    _, report = told_of(tmp_path, text)

    assert "-D yarn.app.mapreduce.am.command-opts=-Xmx2400m (was -Xmx900m)" in report
    assert "resource.mb=6000" not in report


_REFUSED = (
    "24/03/01 10:00:09 INFO mapreduce.Job: Job job_1700000000000_0061 failed with state FAILED due "
    "to: Job init failed : org.apache.hadoop.yarn.exceptions.YarnRuntimeException: "
    "java.io.IOException: Split metadata size exceeded 10000000. Aborting job "
    "job_1700000000000_0061\n"
    "\tat org.apache.hadoop.mapreduce.v2.app.job.impl.JobImpl$InitTransition.createSplits"
    "(JobImpl.java:1606)\n"
    "Caused by: java.io.IOException: Split metadata size exceeded 10000000. Aborting job "
    "job_1700000000000_0061\n"
    "\tat org.apache.hadoop.mapreduce.split.SplitMetaInfoReader.readSplitMetaInfo"
    "(SplitMetaInfoReader.java:53)\n"
)
_MASTER_DIED = (
    "24/03/01 11:00:09 INFO mapreduce.Job: Job job_1700000000000_0062 failed with state FAILED due "
    "to: Application application_1700000000000_0062 failed 2 times due to AM Container for "
    "appattempt_1700000000000_0062_000002 exited with  exitCode: 255\n"
    "Container id: container_1700000000000_0062_02_000001\nExit code: 255\n"
    "Last 4096 bytes of stderr :\nHalting due to Out Of Memory Error...\n\nits syslog:\n"
    "2024-03-01 11:00:02,871 {level} [IPC Server handler 3 on 40117] "
    "org.apache.hadoop.yarn.YarnUncaughtExceptionHandler: Thread Thread[IPC Server handler 3 on "
    "40117,5,main] threw an Error.  Shutting down now...\n"
    "java.lang.OutOfMemoryError: GC overhead limit exceeded\n\n"
)
_SHOWN = "ps shows: java -Xmx1024m org.apache.hadoop.mapreduce.v2.app.MRAppMaster\n"


def test_a_list_of_splits_that_is_refused_is_no_lack_of_memory_whoever_died_beside(
    tmp_path: Path,
) -> None:
    master = _MASTER_DIED.format(level="ERROR")
    kinds, report = told_of(tmp_path, f"Large jobs and the MRAppMaster\n{_REFUSED}{master}{_SHOWN}")

    assert sorted(kinds) == ["application-master", "not-memory"]
    assert "logs of application masters" not in report  # of which it only has the name
    assert report.count("ran out of memory itself") == 1
    assert "job_1700000000000_0062 died, and the job with it" in report
    assert "larger than 10,000,000 bytes (mapreduce.job.split.metainfo.maxsize)" in report
    assert "-D mapreduce.job.split.metainfo.maxsize=-1" in report


def test_the_lines_of_a_master_are_its_own_below_what_the_command_printed(tmp_path: Path) -> None:
    own = (
        "2024-03-01 10:00:01,004 INFO [main] org.apache.hadoop.mapreduce.v2.app.MRAppMaster: "
        "Created MRAppMaster for application appattempt_1700000000000_0061_000001\n"
    )
    _, report = told_of(tmp_path, f"{_REFUSED}{own}")

    assert "logs of application masters" in report


def test_a_limit_that_the_message_contradicts_was_not_in_force(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"-D mapreduce.job.split.metainfo.maxsize=-1\n{_REFUSED}")

    assert "maxsize=-1, which the text has, was not in force here" in report
    assert "did not prevent it" not in report


@pytest.mark.parametrize(
    ("value", "meaning"),
    [("7,25", "a number with a comma"), ("n/a", "a text that is no number")],
)
def test_what_a_text_that_is_no_number_may_be(value: str, meaning: str, tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        "19/12/02 10:22:19 INFO mapreduce.Job: Task Id : attempt_1574900000000_0096_m_000571_2, "
        f'Status : FAILED\nError: java.lang.NumberFormatException: For input string: "{value}"\n'
        "\tat java.lang.Double.parseDouble(Double.java:538)\n"
        "\tat com.example.FareMapper.map(FareMapper.java:47)\n"
        "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:146)\n",
    )

    assert meaning in report


def test_the_limit_of_a_daemons_user_is_shown(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        "2017-07-19 14:36:58,447 FATAL org.apache.hadoop.yarn.event.AsyncDispatcher: Error in "
        "dispatcher thread\njava.lang.OutOfMemoryError: unable to create new native thread\n"
        "\tat java.lang.Thread.start0(Native Method)\n"
        "\tat org.apache.hadoop.yarn.server.nodemanager.containermanager.localizer."
        "ResourceLocalizationService$LocalizerTracker.handle(ResourceLocalizationService.java:7)\n\n"
        "$ su - yarn -s /bin/bash -c 'ulimit -u'\n2048\n$ ps -eLf -u yarn | wc -l\n1990\n",
    )

    assert "ulimit -u = 2048 and 1990 threads of a user" in report
    assert "that nobody closes" not in report  # it is Hadoop's own code
