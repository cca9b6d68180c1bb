"""Posts as people write them: stacks with holes, an end in a sentence, a cause without its head."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import found, told_of

from mprof.errors import EvidenceError

_SHUFFLE = (
    "> Error: org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle in "
    "fetcher#3\n"
    "        at org.apache.hadoop.mapreduce.task.reduce.Shuffle.run(Shuffle.java:134)\n"
    "        at org.apache.hadoop.mapred.ReduceTask.run(ReduceTask.java:376)\n"
    "        at org.apache.hadoop.mapred.YarnChild.main(YarnChild.java:158)\n"
)


@pytest.mark.parametrize("words", ["Java hea", "Java heap space\n"])
def test_an_error_with_frames_says_more_than_a_title(tmp_path: Path, words: str) -> None:
    title = 'get "java.lang.OutOfMemoryError: Java heap space" when running the big one\n\n'

    kinds, report = told_of(
        tmp_path, f"{title}{_SHUFFLE}\nCaused by: java.lang.OutOfMemoryError: {words}"
    )

    assert kinds == ["heap"]
    assert "in the shuffle, before reduce()" in report
    assert "no frame beside it" not in report


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hi all, my reducers always fail with Java heap space.", "The heap was full"),
        ("It gets a java heap  space error in the second job", "The heap was full"),
        ("I am facing the problem with GC  overhead limit exceeded !", "The collector gave up"),
    ],
)
def test_words_of_the_jvm_in_a_sentence_are_said_as_what_they_are(
    tmp_path: Path, text: str, words: str
) -> None:
    kinds, report = told_of(tmp_path, f"{text}\nWhat can I do?\n")

    assert len(kinds) == 1
    assert 'The text says: "' in report
    assert "No line of a log in it says so. If a process ended so: " in report
    assert words in report


@pytest.mark.parametrize(
    "text", ["There is no java heap space error in it.", "How do I avoid a Java heap space error?"]
)
def test_what_a_sentence_denies_is_not_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(EvidenceError, match="no end of a task or a process was recognised"):
        told_of(tmp_path, f"{text}\n")


def test_a_heap_of_tasks_that_the_client_runs_is_that_of_the_client(tmp_path: Path) -> None:
    text = (
        "We get the GC overhead limit exceeded.\n"
        "mapreduce.map.java.opts=-Xmx6144m\n"
        "19/10/29 20:32:02 INFO mapred.LocalJobRunner: reduce > reduce\n"
        "19/10/29 20:32:02 INFO mapreduce.Job:  map 100% reduce 68%\n"
    )

    _, report = told_of(tmp_path, text)

    assert "LocalJobRunner" in report
    assert "set by HADOOP_CLIENT_OPTS" in report
    assert "reach nothing here" in report


def test_a_frame_of_the_jobtracker_in_a_post_makes_it_no_log_of_it(tmp_path: Path) -> None:
    text = (
        "I am getting the following error for a mapreduce job:\n\n"
        "Job initialization failed: java.io.IOException: Split metadata size exceeded 10000000. "
        "Aborting job job_201511121020_1680\n"
        "\tat org.apache.hadoop.mapreduce.split.SplitMetaInfoReader.readSplitMetaInfo(S.java:48)\n"
        "\tat org.apache.hadoop.mapred.JobInProgress.createSplits(JobInProgress.java:828)\n"
        "\tat org.apache.hadoop.mapred.JobTracker.initJob(JobTracker.java:3775)\n"
    )

    _, report = told_of(tmp_path, text)

    assert "The list of the job's splits is larger than 10,000,000 bytes" in report


def test_a_task_that_failed_to_report_is_told_wherever_that_is_quoted(tmp_path: Path) -> None:
    attempt = "attempt_201301251556_1637_r_000005_0"
    text = (
        "The reason why each task fails is:\n\n"
        f"Task {attempt} failed to report status for 600 seconds. Killing!\n\n"
        "Problem in detail: each record has a time and an id.\n"
    )

    kinds, report = told_of(tmp_path, text)
    (told,) = found(tmp_path / "pasted.txt").told

    assert kinds == ["not-memory"]
    assert told.diagnosed.runs[0].traces[0].state == "FAILED"
    assert attempt in report
    assert "reported no progress for 600 s (mapred.task.timeout)" in report


_FAILED = (
    "16/07/12 17:35:10 INFO mapreduce.Job: Task Id : attempt_1468205653007_0031_r_000001_0, "
    "Status : FAILED\n"
)
_ENDED = (
    "16/07/12 17:35:10 INFO mapreduce.Job:  map 100% reduce 0%\n"
    "16/07/12 17:35:11 INFO mapreduce.Job: Job job_1468205653007_0031 failed with state FAILED due "
    "to: Task failed task_1468205653007_0031_m_000001\n"
)


def test_a_cause_whose_head_is_cut_off_is_why_the_job_failed(tmp_path: Path) -> None:
    cause = (
        "Caused by: java.lang.ClassNotFoundException: Class com.acme.Out not found\n"
        "\tat org.apache.hadoop.conf.Configuration.getClassByName(Configuration.java:2105)\n"
        "\t... 10 more\n\n"
    )

    _, report = told_of(tmp_path, f"{cause}{_ENDED}")
    _, without = told_of(tmp_path, _ENDED)

    assert "The class com.acme.Out was not found" in report
    assert "Only the end is told here" in without


def test_that_nothing_points_to_memory_is_not_said_where_the_text_names_it(tmp_path: Path) -> None:
    text = (
        "java.sql.SQLException: Error while processing statement: FAILED: Execution Error, return "
        "code 2 from org.apache.hadoop.hive.ql.exec.tez.TezTask. Vertex failed, vertexName=Map 1, "
        "vertexId=vertex_1579804408949_99772_1_08, diagnostics=[Vertex "
        "vertex_1579804408949_99772_1_08 [Map 1] killed/failed due to:ROOT_INPUT_INIT_FAILURE, "
        "Vertex Input: g initializer failed, java.lang.RuntimeException: serious problem\n"
        "\tat org.apache.hadoop.hive.ql.io.orc.OrcInputFormat.generateSplitsInfo(O.java:1277)\n"
        "\tat org.apache.hadoop.hive.ql.exec.tez.HiveSplitGenerator.initialize(H.java:155)\n"
    )

    _, report = told_of(tmp_path, f"Hive GC overhead limit exceeded\n\n{text}")
    _, plain = told_of(tmp_path, f"Hive on Tez fails\n\n{text}")

    assert "nothing points to memory" not in report
    assert "tez.am.resource.memory.mb" in report
    assert "nothing points to memory" in plain
    assert "tez.am.resource.memory.mb" not in plain


def test_an_error_that_carries_none_is_no_lack_of_memory_whatever_else_is_named(
    tmp_path: Path,
) -> None:
    title = "Is it the usual OutOfMemory again?\n\n"
    cut = f"{_FAILED}{_SHUFFLE.removeprefix('> ')}"
    own = "Error: java.lang.ArrayIndexOutOfBoundsException: 11\n\tat com.acme.M.map(M.java:9)\n"
    whole = f"{_FAILED}{own}"

    assert "nothing points to memory" not in told_of(tmp_path, title + cut)[1]
    assert "nothing points to memory" in told_of(tmp_path, cut)[1]
    assert "nothing points to memory" in told_of(tmp_path, title + whole)[1]


def test_a_merge_in_memory_of_hadoop_1_is_of_the_shuffle(tmp_path: Path) -> None:
    line = (
        "2010-10-23 19:24:06,100 WARN org.apache.hadoop.mapred.ReduceTask: "
        "attempt_201010231912_0001_r_000020_2 Merge of the inmemory files threw an exception: "
        "java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.mapred.IFile$Reader.readNextBlock(IFile.java:342)\n"
    )

    _, report = told_of(tmp_path, line)

    assert "ran out of heap space in the shuffle, before reduce()" in report


def test_a_copy_that_failed_is_of_the_shuffle_whatever_the_title_says(tmp_path: Path) -> None:
    text = (
        "Fixing OutOfMemoryErrors in Hadoop java.lang.OutOfMemoryError\n\n"
        "Hadoop is great for large data.\n\n"
        "Map output copy failure: java.lang.OutOfMemoryError: Java heap space\n"
    )

    _, report = told_of(tmp_path, text)

    assert "ran out of heap space in the shuffle, before reduce()" in report
    assert "shuffle.input.buffer.percent=0.20" in report
    assert "message of the OutOfMemoryError" not in report


def test_a_name_alone_is_said_to_be_no_more(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, "After the maps the job failed with OutOfMemory exception.\n")

    assert 'The text says: "After the maps the job failed with OutOfMemory exception."' in report
    assert "The message of the OutOfMemoryError, which says what was short, does not" in report


def test_a_timeout_is_told_where_somebody_has_masked_the_id(tmp_path: Path) -> None:
    text = 'All maps fail, for example: "AttempID:attempt_xxxxx timed out after 600 sec."\n'

    _, report = told_of(tmp_path, text)

    assert "reported no progress for 600 s" in report


def test_a_line_of_a_master_that_was_copied_is_no_log_of_it(tmp_path: Path) -> None:
    text = (
        "org.apache.hadoop.mapreduce.v2.app.job.impl.JobImpl:\n\nJob init failed "
        "org.apache.hadoop.yarn.YarnRuntimeException:\njava.io.IOException:Split metadata size "
        "exceeded 10000000. Aborting job job_1558160008053_0002\n"
    )

    _, report = told_of(tmp_path, text)

    assert "The list of the job's splits is larger than 10,000,000 bytes" in report


def test_an_error_of_which_only_the_class_is_left_is_not_called_the_jobs_own(
    tmp_path: Path,
) -> None:
    text = (
        "2007-10-23 19:24:06,100 WARN org.apache.hadoop.mapred.ReduceTask: "
        "task_200710231912_0001_r_000020_2 Intermediate Merge of the inmemory files threw an "
        "exception: java.lang.OutOfMem"
    )

    _, report = told_of(tmp_path, f"One of the reducers of my job failed:\n{text}")

    assert "its own code created" not in report
    assert 'as a rule it is the heap ("Java heap space")' in report


def test_a_size_with_another_sign_behind_it_is_not_one_without_a_unit(tmp_path: Path) -> None:
    line = "We set mapreduce.reduce.java.opts to -Xmx9216{} in mapred-site.xml\n"

    _, report = told_of(tmp_path, line.format(""))
    _, other = told_of(tmp_path, line.format("?m -XX:-UseGCOverheadLimit"))

    assert "-Xmx9216 has no unit" in report
    assert "has no unit" not in other


_NO_THREAD = (
    "java.lang.OutOfMemoryError: unable to create new native thread\n"
    "\tat java.lang.Thread.start0(Native Method)\n"
    "\tat java.lang.Thread.start(Thread.java:640)\n"
    "\tat com.acme.feed.Pool.open(Pool.java:31)\n"
)
_NO_DISK = (
    "org.apache.hadoop.util.DiskChecker$DiskErrorException: Could not find any valid local "
    "directory for taskTracker/jobcache\n"
    "\tat org.apache.hadoop.fs.LocalDirAllocator.getLocalPathForWrite(LocalDirAllocator.java:381)\n"
    "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:300)\n"
)


@pytest.mark.parametrize(
    ("about", "error", "said", "unsaid"),
    [
        ("Our cluster is on Hadoop 0.20.2.", _NO_THREAD, "the TaskTrackers", "NodeManager"),
        ("Hadoop 1.2.1, 8 tasktrackers:", _NO_DISK, "mapred.local.dir", "NodeManager"),
        ("Hadoop 2.7.3, 8 nodes:", _NO_DISK, "yarn.nodemanager.local-dirs", "TaskTracker"),
        ("We left the JobTracker for YARN.", _NO_THREAD, "NodeManager", "TaskTracker"),
    ],
)
def test_hadoop_1_is_known_by_what_somebody_says_of_it(
    tmp_path: Path, about: str, error: str, said: str, unsaid: str
) -> None:
    _, report = told_of(tmp_path, f"{about} Tasks of our job die:\n\n{error}")

    assert said in report
    assert unsaid not in report


def test_a_container_of_an_unknown_engine_is_of_an_application(tmp_path: Path) -> None:
    kill = (
        "Container [pid=7,containerID=container_1700000000000_0042_01_000002] is running beyond "
        "virtual memory limits. Current usage: 2.0 GB of 2.1 GB physical memory used; 9.9 GB of "
        "4.4 GB virtual memory used. Killing container.\n"
    )
    _, report = told_of(tmp_path, kill)
    assert "of application_1700000000000_0042 was killed" in report

    _, of_a_task = told_of(
        tmp_path, f"attempt_1700000000000_0042_m_000001_0: FAILED\nDiagnostics: {kill}"
    )
    assert "of job job_1700000000000_0042 was killed" in of_a_task


def test_who_quotes_the_same_container_tells_of_no_other_end(tmp_path: Path) -> None:
    kill = (
        "Container [pid=7,containerID=container_1700000000000_0042_01_00000{}] is running beyond "
        "physical memory limits. Current usage: 2.1 GB of 2 GB physical memory used; 3 GB of "
        "4.2 GB virtual memory used. Killing container.\n"
    )
    asked = f"ann · description · 2024-01-02\nWhat is this?\n\n{kill.format(2)}\n"
    for number, is_other in ((2, False), (3, True)):
        answer = f"bob · comment · 2024-01-03\nI see this in it:\n\n{kill.format(number)}"
        _, report = told_of(tmp_path, f"{asked}\n{answer}")
        assert ("somebody else speaks" in report) == is_other


@pytest.mark.parametrize(
    ("text", "said", "unsaid"),
    [
        (
            "ERROR 2244: Job job_local_0002 failed, hadoop does not return any error message",
            "read what the command itself printed above",
            "yarn logs",
        ),
        (
            "With the old JobTracker of Hadoop 1.0.4 I get java.io.IOException: Job failed!",
            "logs/userlogs",
            "yarn logs",
        ),
        (
            (
                "org.apache.spark.shuffle.FetchFailedException: Too large frame: 2991947178\n"
                "Caused by: java.lang.IllegalArgumentException: Too large frame: 2991947178\n"
                "\tat org.apache.spark.network.util.TransportFrameDecoder.decodeNext(T.java:1)\n"
            ),
            "A block of 2.8 GB",
            "could not be fetched",
        ),
        (
            (
                "java.lang.IllegalArgumentException: Too large frame: 5211883372140375593\n"
                "\tat org.apache.spark.network.util.TransportFrameDecoder.decodeNext(T.java:1)\n"
            ),
            "do not speak the same protocol",
            "More partitions",
        ),
        (
            (
                "org.apache.hadoop.security.AccessControlException: Permission denied by sticky "
                "bit setting: user=mapred, inode=job_1700000000000_0029.summary"
            ),
            "sticky bit",
            "as the user of the job",
        ),
        (
            (
                "Total size of serialized results of 22460 tasks (2.0 GiB) is bigger than "
                "spark.driver.maxResultSize (2.0 GiB)"
            ),
            "93 KB of each",
            "the action in the driver",
        ),
    ],
)
def test_an_end_is_told_with_what_fits_where_it_ran(
    tmp_path: Path, text: str, said: str, unsaid: str
) -> None:
    _, report = told_of(tmp_path, f"{text}\n")

    assert said in report
    assert unsaid not in report
