"""Of several things that a text tells, which one leads, and which belong together."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import told_of

_JOB = "1700000000000_0042"
_TASK_FAILED = (
    "2024-03-01 10:00:01,730 INFO [IPC Server handler 12 on 1] org.apache.hadoop.mapred."
    f"TaskAttemptListenerImpl: Diagnostics report from attempt_{_JOB}_m_000870_0: Error: "
    "java.io.IOException: Filesystem closed\n"
)
_MASTER = (
    "2024-03-01 09:00:00,418 INFO [main] org.apache.hadoop.mapreduce.v2.app.MRAppMaster: Created "
    f"MRAppMaster for application appattempt_{_JOB}_000002\n"
)
_OUT_OF_MEMORY = (
    "2024-03-01 10:50:58,611 FATAL [AsyncDispatcher event handler] org.apache.hadoop.yarn."
    "YarnUncaughtExceptionHandler: Thread Thread[AsyncDispatcher event handler,5,main] threw an "
    "Error.  Shutting down now...\n"
    "java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
    "\tat java.util.concurrent.ConcurrentHashMap.putVal(ConcurrentHashMap.java:1019)\n"
    "\tat org.apache.hadoop.yarn.event.AsyncDispatcher.dispatch(AsyncDispatcher.java:173)\n"
)


def test_a_master_that_ran_out_of_memory_leads_and_not_what_its_task_met(tmp_path: Path) -> None:
    _, both = told_of(tmp_path, _MASTER + _TASK_FAILED + _OUT_OF_MEMORY)
    _, alone = told_of(tmp_path, _MASTER + _TASK_FAILED)

    assert f"The application master of job job_{_JOB} died" in both
    assert "yarn.app.mapreduce.am.command-opts" in both
    assert f"attempt_{_JOB}_m_000870_0 failed too, but not for lack of memory" in both
    assert "Filesystem closed" in alone
    assert "The application master" not in alone


def test_a_task_that_ran_out_of_memory_is_told_beside_its_master(tmp_path: Path) -> None:
    of_memory = _TASK_FAILED.replace("java.io.IOException: Filesystem closed", "Java heap space")

    kinds, _ = told_of(tmp_path, _MASTER + of_memory + _OUT_OF_MEMORY)

    assert "heap" in kinds


_FAILED = (
    f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : attempt_{_JOB}_r_000000_1, Status : FAILED\n"
    "Error: Java heap space\n"
)
_STACK = (
    "FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child : "
    "java.lang.OutOfMemoryError: Java heap space\n"
    "\tat com.example.Sort.reduce(Sort.java:40)\n"
    "\tat org.apache.hadoop.mapreduce.Reducer.run(Reducer.java:171)\n"
)


def test_a_stack_below_the_line_of_its_attempt_is_no_second_death(tmp_path: Path) -> None:
    _, report = told_of(tmp_path, f"{_FAILED}\nsyslog of it\n\n{_STACK}")

    assert "FAILURES" not in report
    assert "Sort.java:40" in report


@pytest.mark.parametrize(
    "head",
    ["asked Apr 26 '16 by somebody  |  score 4", "somebody opened this issue on Mar 3, 2016"],
)
def test_who_asks_below_a_title_is_no_other_voice(head: str, tmp_path: Path) -> None:
    title = 'Mapper dies with "Error: Java heap space" although I give it 3 GB?'

    _, report = told_of(tmp_path, f"{title}\n\n{head}\n\nIt ends so:\n\n{_FAILED}{_STACK}")

    assert f"Attempt attempt_{_JOB}_r_000000_1" in report
    assert "No line of a log in it says so" not in report
    assert "somebody else speaks" not in report


def _launched(command: str) -> str:
    container = f"container_{_JOB}_01_000003"
    return (
        f"Container: {container} on w1_45454\n{'=' * 60}\nLogType:launch_container.sh\n"
        "Log Upload Time:Mon Mar 04 02:12:31 +0100 2019\nLogLength:312\nLog Contents:\n"
        f"#!/bin/bash\n\n{command}\nEnd of LogType:launch_container.sh\n\nLogType:syslog\n"
        "Log Upload Time:Mon Mar 04 02:12:31 +0100 2019\nLogLength:387\nLog Contents:\n"
        "2019-03-04 02:11:02,222 INFO [main] org.apache.hadoop.mapred.YarnChild: Executing with "
        "tokens:\n2019-03-04 02:11:03,931 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error "
        "running child : java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(MapTask.java:987)\n"
        "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:341)\n"
        "\tat org.apache.hadoop.mapred.YarnChild$2.run(YarnChild.java:164)\n"
        "End of LogType:syslog\n"
    )


def test_the_script_that_started_a_task_has_its_heap(tmp_path: Path) -> None:
    java = 'exec /bin/bash -c "$JAVA_HOME/bin/java -Da=b  -Xmx820m -Dc=d org.apache.hadoop.mapred.'
    task = f'{java}YarnChild 10.0.0.1 41002 attempt_{_JOB}_m_000001_0 3 1>out 2>err"'

    _, report = told_of(tmp_path, _launched(task))
    _, other = told_of(tmp_path, _launched('export HADOOP_CLIENT_OPTS="-Xmx820m"'))

    assert "mapreduce.map.java.opts=-Xmx820m" in report
    assert "(-Xmx820m)" in report
    assert "-Xmx820m" not in other


def test_what_hung_without_a_timeout_gets_no_longer_one(tmp_path: Path) -> None:
    timed_out = (
        f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : attempt_{_JOB}_m_000006_0, Status : "
        f"FAILED\nAttemptID:attempt_{_JOB}_m_000006_0 Timed out after 600 secs\n\n"
    )
    in_vain = "I ran it again with mapreduce.task.timeout=0, then it hangs for 10 hours.\n"

    assert "-D mapreduce.task.timeout=1800000" in told_of(tmp_path, timed_out)[1]
    assert "-D mapreduce.task.timeout" not in told_of(tmp_path, timed_out + in_vain)[1]


def test_a_dump_of_user_code_alone_is_of_the_task_that_timed_out(tmp_path: Path) -> None:
    timed_out = (
        f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : attempt_{_JOB}_m_000006_0, Status : "
        f"FAILED\nAttemptID:attempt_{_JOB}_m_000006_0 Timed out after 600 secs\n\n"
    )
    dump = (
        '"main" #1 prio=5 os_prio=0 tid=0x00007f3a8000c800 nid=0x26d1 runnable [0x00007f3a87d2a0]\n'
        "   java.lang.Thread.State: RUNNABLE\n"
        "\tat java.net.SocketInputStream.socketRead0(Native Method)\n"
        "\tat java.net.SocketInputStream.read(SocketInputStream.java:171)\n"
        "\tat com.example.Client.lookup(Client.java:77)\n"
        "\tat com.example.Enrich.{}(Enrich.java:49)\n"
    )

    _, of_a_map = told_of(tmp_path, timed_out + dump.format("map"))
    _, of_others = told_of(tmp_path, timed_out + dump.format("main"))

    assert "called by com.example.Client.lookup (Client.java:77)" in of_a_map
    assert "Client.java:77" not in of_others


def test_a_page_on_a_cluster_has_settings_of_every_engine(tmp_path: Path) -> None:
    text = (
        "We want to stay away from java.lang.OutOfMemoryError: GC overhead limit exceeded.\n"
        "hive.tez.container.size is 4096"
    )

    assert "a task of Tez" in told_of(tmp_path, f"{text}\n")[1]
    both = told_of(tmp_path, f"{text}, mapreduce.map.memory.mb is 2048\n")[1]
    assert "a task of Tez" not in both


def test_what_is_warned_of_a_job_that_went_well_comes_last(tmp_path: Path) -> None:
    warned = (
        "24/03/01 10:00:42 INFO retry.RetryInvocationHandler: java.net.ConnectException: Call From "
        "e1/10.6.0.9 to rm.example.com:8032 failed on connection exception: "
        "java.net.ConnectException: Connection refused; For more details see:  http://x\n"
    )
    well = f"24/03/01 10:08:50 INFO mapreduce.Job: Job job_{_JOB} completed successfully\n"

    _, report = told_of(tmp_path, warned + well)

    assert report.index("did not fail") < report.index("A connection to another process failed")


@pytest.mark.parametrize(
    ("said", "leads"),
    [
        (
            "2. 改成 0.999 以后撑得久一点, 变成 `java.lang.OutOfMemoryError: GC overhead limit`",
            False,
        ),
        (
            "2. after 0.999 it became `java.lang.OutOfMemoryError: GC overhead limit exceeded`",
            False,
        ),
        ("日志: java.lang.OutOfMemoryError: GC overhead limit exceeded", True),
    ],
)
def test_what_a_trial_became_does_not_lead_before_what_is_logged(
    said: str, *, leads: bool, tmp_path: Path
) -> None:
    logged = (
        "2017-02-14 10:22:49,311 ERROR [main]: mr.MapredLocalTask (MapredLocalTask.java:"
        "executeInProcess(357)) - Hive Runtime Error: Map local work exhausted memory\n"
        "org.apache.hadoop.hive.ql.exec.mapjoin.MapJoinMemoryExhaustionException: 2017-02-14 "
        "10:22:49\tProcessing rows:\t1300000\tHashtable size:\t1299999\tMemory usage:\t472383544\t"
        "percentage:\t0.91\n\tat org.apache.hadoop.hive.ql.exec.mapjoin."
        "MapJoinMemoryExhaustionHandler.checkMemoryStatus(MapJoinMemoryExhaustionHandler.java:99)\n"
    )

    _, report = told_of(tmp_path, f"{logged}\n{said}\n")

    assert ("spent nearly all its time collecting" in report) == leads


def test_an_error_that_is_shown_for_contrast_is_none_of_the_text(tmp_path: Path) -> None:
    failed = (
        "Diagnostic Messages for this Task:\nError: GC overhead limit exceeded\n\n"
        "FAILED: Execution Error, return code 2 from "
        "org.apache.hadoop.hive.ql.exec.mr.MapRedTask\n\n"
    )
    other = (
        "Execution failed with exit status: 3\n"
        "FAILED: Execution Error, return code 3 from "
        "org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask\n"
    )

    _, apart = told_of(tmp_path, f"{failed}Note that this error is different from:\n{other}")
    _, both = told_of(tmp_path, f"{failed}Then it ended so:\n{other}")

    assert "local task of Hive" not in apart
    assert "local task" in both
