"""What Tez, Hive, Pig, Oozie and HBase print of a death, and which task it was.

The words are those of TaskAttemptImpl and VertexImpl of Tez, of Hive's JobDebugger and of Pig's
stack; hosts, ids, classes and numbers are made up.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import died_in_map, told_of

from mprof.intake.reports import read_reports

_ID = "1700000000000_0042"
_PIG = "org.apache.pig.backend.hadoop.executionengine.mapReduceLayer"
_OOM = "java.lang.OutOfMemoryError: Java heap space"
_FAILED = (
    f"Vertex failed, vertexName=Map 1, vertexId=vertex_{_ID}_1_00, diagnostics=[Task failed, "
    f"taskId=task_{_ID}_1_00_000011, diagnostics=["
)


def _attempt(number: int, error: str) -> str:
    return (
        f"TaskAttempt {number} failed, info=[Error: Error while running task ( failure ) : "
        f"attempt_{_ID}_1_00_000011_{number}:{error}\n]]"
    )


_LOADER = (
    f"{_OOM}\n"
    "\tat org.apache.hadoop.hive.serde2.WriteBuffers.nextBufferToWrite(WriteBuffers.java:246)\n"
    "\tat org.apache.hadoop.hive.ql.exec.vector.mapjoin.fast.VectorMapJoinFastHashTableLoader.load("
    "VectorMapJoinFastHashTableLoader.java:98)\n"
    "\tat org.apache.tez.runtime.LogicalIOProcessorRuntimeTask.run("
    "LogicalIOProcessorRuntimeTask.java:374)"
)


def test_an_attempt_of_tez_is_named_with_its_vertex(tmp_path: Path) -> None:
    kinds, report = told_of(tmp_path, f"Status: Failed\n{_FAILED}{_attempt(3, _LOADER)}\n")

    assert kinds == ["heap"]
    assert f"A task of Tez (vertex Map 1, attempt_{_ID}_1_00_000011_3) of application_" in report
    assert "mapreduce." not in report


def test_the_reason_that_the_frames_show_comes_before_what_is_true_of_every_task(
    tmp_path: Path,
) -> None:
    _, report = told_of(tmp_path, f"{_FAILED}{_attempt(3, _LOADER)}\n")

    paragraph = report.split("WHAT THE MESSAGE SAYS")[0]
    assert "while the hash table of a map join was loaded" in paragraph
    assert "Try: SET hive.auto.convert.join=false" in paragraph


def test_of_several_vertices_none_is_named(tmp_path: Path) -> None:
    other = _FAILED.replace("Map 1", "Map 2")
    text = f"{_FAILED}{_attempt(3, _LOADER)}\n{other}{_attempt(2, _LOADER)}\n"

    _, report = told_of(tmp_path, text)

    assert "(vertex" not in report


def test_a_container_of_tez_gets_twice_its_size_as_first_aid(tmp_path: Path) -> None:
    container = f"container_{_ID}_01_000007"
    text = (
        f"{_FAILED}TaskAttempt 0 failed, info=[Container {container} finished with diagnostics set "
        f"to [Container failed, exitCode=-104. Container [pid=8,containerID={container}] is "
        "running beyond physical memory limits. Current usage: 4.1 GB of 4 GB physical memory "
        "used; 6.0 GB of 8.4 GB virtual memory used. Killing container.\n]]]\n"
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["container-physical"]
    assert "a task of Tez (vertex Map 1)" in report
    assert "SET hive.tez.container.size=8192; (was 4096)" in report
    assert "-Xmx in hive.tez.java.opts 3276 MB or less" in report


def test_an_event_of_tez_is_of_no_mapreduce_task(tmp_path: Path) -> None:
    text = (
        f"2024-03-01 10:00:01,000 [INFO] [Dispatcher] |history.HistoryEventHandler|: [HISTORY][DAG:"
        f"dag_{_ID}_1][Event:TASK_ATTEMPT_FINISHED]: vertexName=Reducer 2, taskAttemptId="
        f"attempt_{_ID}_1_01_000003_2, status=FAILED, diagnostics=Error: Error while running task "
        f"( failure ) : {_OOM}\n\tat com.acme.Udf.evaluate(Udf.java:10)\n"
        "\tat org.apache.hadoop.hive.ql.exec.tez.ReduceRecordProcessor.run(R.java:250)\n"
    )

    _, report = told_of(tmp_path, text)

    assert f"A task of Tez (vertex Reducer 2, attempt_{_ID}_1_01_000003_2)" in report
    assert "UNDECIDED RULES" not in report


@pytest.mark.parametrize(
    ("frame", "side"),
    [
        ("org.apache.hadoop.hive.ql.exec.mr.ExecMapper.map(ExecMapper.java:180)", "map"),
        ("org.apache.hadoop.hive.ql.exec.ExecReducer.reduce(ExecReducer.java:250)", "reduce"),
        (f"{_PIG}.PigGenericMapReduce$Reduce.reduce(PigGenericMapReduce.java:407)", "reduce"),
        (f"{_PIG}.PigGenericMapBase.map(PigGenericMapBase.java:282)", "map"),
    ],
)
def test_the_side_of_a_task_is_told_by_the_frames_of_its_engine(
    frame: str, side: str, tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, f"{_OOM}\n\tat com.acme.Udf.exec(Udf.java:5)\n\tat {frame}\n")

    other = "reduce" if side == "map" else "map"
    assert f"mapreduce.{side}.java.opts" in report
    assert f"mapreduce.{other}.java.opts" not in report


def test_a_combiner_of_pig_is_of_no_known_side(tmp_path: Path) -> None:
    frame = (
        "org.apache.pig.backend.hadoop.executionengine.mapReduceLayer.PigCombiner$Combine.reduce("
        "PigCombiner.java:150)\n\tat org.apache.hadoop.mapreduce.Reducer.run(Reducer.java:171)"
    )

    _, report = told_of(tmp_path, f"{_OOM}\n\tat {frame}\n")

    assert "mapreduce.map.java.opts or mapreduce.reduce.java.opts" in report


def test_the_task_that_pig_names_is_named(tmp_path: Path) -> None:
    text = (
        "2024-03-01 10:00:01,124 [main] ERROR org.apache.pig.tools.grunt.Grunt - ERROR 2997: "
        "Unable to recreate exception from backed error: Error: Java heap space\n"
        f"Failed Jobs:\nJobId\tAlias\tFeature\tMessage\tOutputs\njob_{_ID}\tG\tGROUP_BY\tMessage: "
        f"Job failed! Error - LastFailedTask: task_{_ID}_r_000002\thdfs://nn/out,\n"
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["heap"]
    assert f"of job_{_ID}, task_{_ID}_r_000002 is named as one that failed" in report


def test_a_launcher_of_oozie_is_known_by_its_stack(tmp_path: Path) -> None:
    text = (
        f"{_OOM}\n\tat org.apache.hadoop.hive.ql.Driver.compile(Driver.java:400)\n"
        "\tat org.apache.oozie.action.hadoop.LauncherMapper.map(LauncherMapper.java:236)\n"
        "\tat org.apache.hadoop.mapred.MapRunner.run(MapRunner.java:54)\n"
    )

    _, report = told_of(tmp_path, text)

    assert "-Xmx in oozie.launcher.mapreduce.map.java.opts" in report
    assert " mapreduce.map.java.opts" not in report


def test_a_bulk_load_of_hbase_is_known_to_sort_a_row_in_the_heap(tmp_path: Path) -> None:
    text = (
        f"{_OOM}\n\tat org.apache.hadoop.hbase.mapreduce.PutSortReducer.reduce(P.java:66)\n"
        "\tat org.apache.hadoop.mapred.ReduceTask.runNewReducer(ReduceTask.java:627)\n"
    )

    _, report = told_of(tmp_path, text)

    assert "putsortreducer.row.threshold" in report


def test_a_heap_that_hive_gives_a_task_of_tez_leaves_room_in_its_container(tmp_path: Path) -> None:
    text = (
        "Our Hive query failed: Container is running beyond physical memory limits. Current usage: "
        "4.1 GB of 4 GB physical memory used; 6.0 GB of 20 GB virtual memory used. Killing "
        "container.\n\nIt was running with these settings:\n\nset hive.tez.container.size=4096;\n"
        "set hive.tez.java.opts=-Xmx4096m;\n\nI re-ran it with reduced settings and it worked:\n\n"
        "set hive.tez.container.size=2048;\nset hive.tez.java.opts=-Xmx2048m;\n"
    )

    _, report = told_of(tmp_path, text)

    assert "-Xmx4096m is 100 % of its 4.0 GB" in report
    assert "SET hive.tez.java.opts=-Xmx3276m; (was -Xmx4096m)" in report


def test_a_master_of_tez_gets_twice_its_container_as_first_aid(tmp_path: Path) -> None:
    text = (
        f"Application application_{_ID} failed 2 times due to AM Container for "
        f"appattempt_{_ID}_0002 "
        f"exited with  exitCode: -104\nDiagnostics: Container "
        f"[pid=1,containerID=container_{_ID}_02_"
        "000001] is running beyond physical memory limits. Current usage: 4.0 GB of 4 "
        "GB\n physical "
        "memory used; 5.8 GB of 8.4 GB virtual memory used. Killing container.\nDump of the "
        "process-tree:\n\t|- 1 2 1 1 (bash) 0 0 112233444 697 /bin/bash -c java -Xmx3686m "
        "org.apache.tez.dag.app.DAGAppMaster --session\n"
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["application-master"]
    assert "tez.am.resource.memory.mb=8192" in report
    assert "-Xmx6553m in tez.am.launch.cmd-opts" in report


def test_the_report_of_sparks_client_says_whose_master_was_killed(tmp_path: Path) -> None:
    text = (
        f"24/03/01 10:00:01 INFO Client: Application report for application_{_ID} (state: FAILED)\n"
        "24/03/01 10:00:01 INFO Client: \n\t client token: N/A\n\t diagnostics: Application "
        f"application_{_ID} failed 2 times due to AM Container for appattempt_{_ID}_000002 exited "
        "with  exitCode: -104\nDiagnostics: Container [pid=9,containerID=container_"
        f"{_ID}_02_000001] is running beyond physical memory limits. Current usage: 1.5 GB of 1.5 "
        "GB physical memory used; 2.6 GB of 3.1 GB virtual memory used. Killing container.\n"
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["application-master"]
    assert "spark.driver.memory" in report
    assert "yarn.app.mapreduce" not in report


def test_the_master_of_an_application_that_sparks_client_names_is_no_job_of_mapreduce(
    tmp_path: Path,
) -> None:
    application = "application_1700000000000_0042"
    text = (
        '2024-03-01 01:15:40 CONSOLE# Exception in thread "main" org.apache.spark.'
        f"SparkException: Application {application} finished with failed status\n"
        f"2024-03-01 01:15:40 CONSOLE#   diagnostics: Application {application} failed 2 times due "
        "to AM Container for appattempt_1700000000000_0042_000002 exited with  exitCode: -104\n"
        "2024-03-01 01:15:40 CONSOLE# Diagnostics: Container [pid=9,containerID=container_"
        "1700000000000_0042_02_000001] is running beyond physical memory limits. Current usage: "
        "2.5 GB of 2.5 GB physical memory used; 4.6 GB of 10.3 GB virtual memory used.\n"
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["application-master"]
    assert "spark.driver.memory" in report
    assert "yarn.app.mapreduce" not in report
    assert "job_1700000000000_0042" not in report


def test_the_error_of_a_task_below_the_kill_of_another_jobs_master_is_a_death_too(
    tmp_path: Path,
) -> None:
    other, tez = "1700000000000_0043", f"attempt_{_ID}_1_06_000921_0"
    text = (
        f"Application application_{other} failed 2 times due to AM Container for appattempt_{other}"
        f"_000002 exited with exitCode: 143 due to: Container [pid=9,containerID=container_{other}"
        "_02_000001] is running beyond physical memory limits. Current usage: 2.0 GB of 2 GB "
        "physical memory used; 6.0 GB of 4.2 GB virtual memory used. Killing container\n\n"
        "    2024-03-01 03:02:37,340 [PigTezLauncher-0] INFO  org.apache.pig.TezJob - DAG Status: "
        f"{_FAILED}TaskAttempt 0 failed, info=[Error: Encountered an Error while executing task: "
        f"{tez[:25]}\n    {tez[25:]}:{_OOM}\n"
        "    at java.lang.String.<init>(String.java:491)\n"
        "    at com.acme.Udf.exec(Udf.java:7)\n"
    )

    kinds, report = told_of(tmp_path, text)

    assert sorted(kinds) == ["application-master", "heap"]
    assert f"{tez}) of application_{_ID} ran out of heap space" in report
    assert f"The application master of application_{other} died" in report
    assert "mprof found nothing that shows of which engine" in report


def test_the_jobs_of_a_script_of_pig_that_succeeded_did_not_fail(tmp_path: Path) -> None:
    other = "1700000000000_0043"
    steps = "".join(
        f"2024-03-01 10:00:{n % 60:02},000 [main] INFO  {_PIG}.MapReduceLauncher - {n}% complete\n"
        for n in range(200)
    )
    text = (
        f"{steps}\nSuccess!\n\nJob Stats (time in seconds):\nJobId\tMaps\tReduces\n"
        f"job_{_ID}\t1\t0\t25\njob_{other}\t14\t0\t352\n\n"
        f"Job DAG:\njob_{_ID}\t->\tjob_{other},\njob_{other}\n{steps}"
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["none", "none"]
    assert "did not fail" in report
    assert "cannot be used" not in report
    failed = text.replace("Success!", "Failed!").split("\n")
    assert read_reports([(1, failed)]).jobs == {}


def test_a_query_of_hive_that_was_cancelled_names_the_task_with_the_most_failures(
    tmp_path: Path,
) -> None:
    done = "1700000000000_0043"
    text = (
        f"Starting Job = job_{_ID}, Tracking URL = http://w1:8088/proxy/\n"
        f"Ended Job = job_{_ID} with errors\nError during job, obtaining debugging information...\n"
        f"Examining task ID: task_{_ID}_m_000000 (and more) from job job_{_ID}\n\n"
        f"Task with the most failures(1): \n-----\nTask ID:\n  task_{_ID}_r_000007\n-----\n"
        "Diagnostic Messages for this Task:\nTask KILL is received. Killing attempt!\n\n"
        f"FAILED: Operation cancelled\nStarting Job = job_{done}, Tracking URL = http://w1/\n"
        f"Ended Job = job_{done}\nOK\n"
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["not-memory"]
    assert f"Job job_{_ID} was killed; nothing points to memory as the reason" in report
    assert f"task_{_ID}_r_000007 is named as one that failed" in report
    assert "_m_000000" not in report
    assert f"job_{done} did not fail" in report


def test_an_error_that_a_session_of_hive_met_itself_is_of_no_task(tmp_path: Path) -> None:
    text = (
        "2024-03-01 09:04:10,671 ERROR [pool-1-thread-106]: ql.Driver (SessionState.java:"
        "printError(545)) - FAILED: Execution Error, return code -101 from org.apache.hadoop.hive."
        "ql.exec.mr.MapRedTask. GC overhead limit exceeded\n"
    )

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["gc-overhead"]
    assert "session of Hive" in report
    assert "HADOOP_HEAPSIZE in hive-env.sh" in report
    assert "mapreduce.map.java.opts" not in report


def test_what_to_set_for_a_job_of_hive_is_said_as_hive_takes_it(tmp_path: Path) -> None:
    job = "job_1700000000000_0042"
    shuffle = "org.apache.hadoop.mapreduce.task.reduce."
    error = (
        f"Error: {shuffle}Shuffle$ShuffleError: error in shuffle in fetcher#3\n"
        f"\tat {shuffle}Shuffle.run(Shuffle.java:134)\n"
        "Caused by: java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.io.BoundedByteArrayOutputStream.<init>"
        "(BoundedByteArrayOutputStream.java:56)\n"
        f"\tat {shuffle}InMemoryMapOutput.<init>(InMemoryMapOutput.java:63)\n"
        f"\tat {shuffle}MergeManagerImpl.unconditionalReserve(MergeManagerImpl.java:305)\n"
        f"\tat {shuffle}Fetcher.copyMapOutput(Fetcher.java:514)\n"
    )
    of_hive = (
        f"Starting Job = {job}, Tracking URL = http://rm:8088/proxy/x/\n"
        f"Ended Job = {job} with errors\n"
        f"Examining task ID: task_{job[4:]}_r_000001 (and more) from job {job}\n"
        "Task with the most failures(4):\n-----\nTask ID:\n"
        f"  task_{job[4:]}_r_000001\n-----\nDiagnostic Messages for this Task:\n{error}\n"
        "FAILED: Execution Error, return code 2 from org.apache.hadoop.hive.ql.exec.mr.MapRedTask\n"
    )
    plain = (
        f"24/01/09 10:00:00 INFO mapreduce.Job: Running job: {job}\n"
        f"24/01/09 10:00:09 INFO mapreduce.Job: Task Id : attempt_{job[4:]}_r_000001_0, "
        f"Status : FAILED\n{error}"
    )
    setting = "mapreduce.reduce.shuffle.input.buffer.percent=0.20"
    begun = f"Starting Job = {job}, Tracking URL = http://rm:8088/proxy/x/\n{plain}"
    of_pig = (
        f"2024-01-09 10:00:00,000 [main] INFO x.MapReduceLauncher - HadoopJobId: {job}\n{plain}"
    )

    assert f"Try: --hiveconf {setting}" in told_of(tmp_path, of_hive)[1]
    assert f"Try: --hiveconf {setting}" in told_of(tmp_path, begun)[1]
    assert "The job was compiled from a Pig script." in told_of(tmp_path, of_pig)[1]
    assert f"Try: -D {setting}" in told_of(tmp_path, plain)[1]


def test_a_master_whose_node_had_no_disk_was_not_started(tmp_path: Path) -> None:
    application = "application_1700000000000_0043"

    _, said = told_of(
        tmp_path,
        f"Application {application} failed 2 times due to AM Container for "
        "appattempt_1700000000000_0043_000002 exited with  exitCode: -1000\n"
        "Diagnostics: No space available in any of the local directories.\n"
        "Failing this attempt. Failing the application.\n",
    )

    assert "tried for the last time. No local folder of the node could be used" in said
    assert "at 90 % unless that is set" in said
    assert " died" not in said


def test_an_attempt_whose_output_was_not_fetched_had_finished(tmp_path: Path) -> None:
    attempt = "attempt_1700000000000_0044_m_000004_0"

    _, said = told_of(
        tmp_path,
        f"24/01/09 10:00:09 INFO mapreduce.Job: Task Id : {attempt}, Status : FAILED\n"
        "Too many fetch failures. Failing the attempt. Last failure reported by "
        "attempt_1700000000000_0044_r_000000_1 from host w8.example\n",
    )

    assert "The map task had finished. Reducers reported that they could not fetch" in said
    assert "w8.example is the host of the reducer that reported it last" in said


def test_each_death_in_a_list_has_its_own_next_step(tmp_path: Path) -> None:
    lines = [
        f"24/01/09 10:00:0{number} INFO mapreduce.Job: Task Id : "
        f"attempt_1700000000000_0045_{task}_0, Status : FAILED\n{said}\n"
        for number, (task, said) in enumerate(
            [
                ("m_000001", "Error: Java heap space"),
                ("m_000002", "Error: java.io.IOException: No space left on device"),
                ("m_000003", "Error: java.io.IOException: No space left on device"),
            ]
        )
    ]

    _, said = told_of(tmp_path, "".join(lines))

    listed, _, _ = said.partition("NUMBER 1 IN FULL")
    assert listed.count("Next step: on that node, df -h and df -i") == 1
    assert "mprof explain local_disks_full 2 alike:" in listed
    assert "Next step: mprof run" not in listed


def test_deaths_that_are_all_alike_are_named_and_told_once(tmp_path: Path) -> None:
    shown = "java.io.EOFException: Unexpected end of input stream"
    frames = (
        "\tat org.apache.hadoop.io.compress.DecompressorStream.read(DecompressorStream.java:105)\n"
    )
    lines = [
        f"24/01/09 10:00:0{number} INFO mapreduce.Job: Task Id : "
        f"attempt_1700000000000_0045_m_000001_{number}, Status : FAILED\nError: {shown}\n{stack}"
        for number, stack in enumerate(["", frames])
    ]

    _, said = told_of(tmp_path, "".join(lines))

    assert (
        "2 FAILURES, ALIKE, ALL ATTEMPTS OF ONE TASK attempt_1700000000000_0045_m_000001_" in said
    )
    assert said.count("as a rule a file of the input") == 1


def test_of_attempts_that_were_killed_alike_the_one_with_its_processes_is_told(
    tmp_path: Path,
) -> None:
    words = (
        "is running beyond physical memory limits. Current usage: 3.1 GB of 3 GB physical memory "
        "used; 6.1 GB of 6.3 GB virtual memory used. Killing container.\n"
    )
    head = "24/01/09 10:00:0{} INFO mapreduce.Job: Task Id : attempt_1700000000000_0045_r_000003_{}"
    kill = "Container [pid=9,containerID=container_1700000000000_0045_01_00000{}] "
    tree = (
        "Dump of the process-tree for container_1700000000000_0045_01_000002 :\n"
        "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
        "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
        "\t|- 9 8 9 9 (java) 1 1 4011163648 68114 /usr/bin/java -Xmx2457m "
        "org.apache.hadoop.mapred.YarnChild x 1 attempt_1700000000000_0045_r_000003_0 7\n"
        "\t|- 10 9 9 9 (R) 1 1 2311356416 747020 /usr/lib64/R/bin/exec/R --file=fit.R\n"
    )
    first = f"{head.format(1, 0)}, Status : FAILED\n{kill.format(2)}{words}{tree}\n"
    second = f"{head.format(2, 1)}, Status : FAILED\n{kill.format(3)}{words}\n"
    end = (
        "24/01/09 10:00:03 INFO mapreduce.Job: Job job_1700000000000_0045 failed with state FAILED "
        "due to: Task failed task_1700000000000_0045_r_000003\n"
    )

    _, said = told_of(tmp_path, first + second + end)

    assert "Attempt attempt_1700000000000_0045_r_000003_0" in said
    assert "The largest is R 2.8 GB" in said


def test_what_a_program_of_streaming_said_is_quoted(tmp_path: Path) -> None:
    _, said = told_of(
        tmp_path,
        "24/01/09 10:00:01 INFO mapreduce.Job: Task Id : attempt_1700000000000_0045_m_000009_0, "
        "Status : FAILED\nError: java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): "
        "subprocess failed with code 1\n"
        "\tat org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads(PipeMapRed.java:325)\n\n"
        "stderr of one of them:\nTraceback (most recent call last):\n"
        '  File "./geo_map.py", line 6, in <module>\n    from shapely import geometry\n'
        "ImportError: No module named shapely\n",
    )

    assert "The text shows its last words: ImportError: No module named shapely." in said


_KILLED_BY_YARN = (
    "Container killed by YARN for exceeding memory limits. 9.1 GB of 9 GB physical memory used. "
    "Consider boosting spark.yarn.executor.memoryOverhead."
)


def test_executors_that_yarn_killed_are_alike_in_whatever_words_and_of_the_application_named(
    tmp_path: Path,
) -> None:
    _, said = told_of(
        tmp_path,
        "18/02/19 07:15:20 INFO YarnAllocator: Will request 24 executor container(s), each with 5 "
        "core(s) and 9011 MB memory (including 819 MB of overhead)\n"
        "18/02/19 07:31:46 INFO YarnAllocator: Launching container "
        "container_1518990144321_0066_01_000012 on host a1\n"
        f"18/02/19 07:32:02 ERROR YarnClusterScheduler: Lost executor 17 on a1: {_KILLED_BY_YARN}\n"
        "18/02/19 07:58:16 ERROR ApplicationMaster: org.apache.spark.SparkException: Job aborted "
        "due to stage failure: Task 88 in stage 4.2 failed 4 times, most recent failure: Lost task "
        "88.3 in stage 4.2 (TID 1902, b2, executor 31): ExecutorLostFailure (executor 31 exited "
        f"caused by one of the running tasks) Reason: {_KILLED_BY_YARN}\n",
    )

    assert "2 FAILURES, ALIKE executor 17 on a1 executor 31" in said
    assert "--conf spark.executor.memoryOverhead=2048 (was 819)" in said
    assert "Before Spark 2.3 it is spark.yarn.executor.memoryOverhead" in said


def test_an_executor_whose_container_is_named_with_it_is_one_and_who_killed_all_is_noted(
    tmp_path: Path,
) -> None:
    name = "container_e112_1552011112345_8120_01_000014"
    _, said = told_of(
        tmp_path,
        f"19/03/14 10:18:54 WARN yarn.YarnAllocator: Container marked as failed: {name} on host: "
        "w31. Exit status: -102. Diagnostics: Container preempted by scheduler\n"
        "19/03/14 10:18:54 ERROR cluster.YarnScheduler: Lost executor 13 on w31: Container "
        f"{name} on host: w31 was preempted.\n"
        "\tState : KILLED\n"
        "\tDiagnostics : Application application_1552011112345_8120 was killed by user oncall at "
        "10.70.3.15\n",
    )

    assert "FAILURES" not in said
    assert f"Container {name}" in said
    assert "Application application_1552011112345_8120 was killed by user oncall" in said
    assert "mprof explain preempted" in said
    assert "mprof explain exit_of_yarn" not in said


def test_what_a_job_died_of_comes_before_what_another_went_on_after(tmp_path: Path) -> None:
    _, said = told_of(
        tmp_path,
        "20/02/12 01:00:15 INFO mapreduce.Job: Running job: job_1580900000123_0412\n"
        "20/02/12 01:08:03 INFO mapreduce.Job: Task Id : attempt_1580900000123_0412_r_000003_0, "
        "Status : FAILED\nError: Java heap space\n"
        "20/02/12 01:13:38 INFO mapreduce.Job: Job job_1580900000123_0412 completed successfully\n"
        "20/02/12 01:13:47 INFO mapreduce.Job: Running job: job_1580900000123_0413\n"
        "20/02/12 01:14:04 INFO mapreduce.Job: Task Id : attempt_1580900000123_0413_m_000000_0, "
        "Status : FAILED\nError: java.io.IOException: No space left on device\n"
        "20/02/12 01:15:00 INFO mapreduce.Job: Job job_1580900000123_0413 failed with state FAILED "
        "due to: Task failed task_1580900000123_0413_m_000000\n",
    )

    assert said.index("1. Attempt attempt_1580900000123_0413_m") < said.index("2. Attempt attempt_")


_HADOOPS_RUN = "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:146)\n"
_OWN_RUN = "\tat com.acme.graph.VertexMapper.run(VertexMapper.java:90)\n"


@pytest.mark.parametrize(
    ("method", "run", "where"),
    [
        ("com.acme.graph.Store.grow", _OWN_RUN, "in run() of VertexMapper, outside of map()."),
        ("com.acme.graph.VertexMapper.map", _OWN_RUN, "in map()."),
        ("com.acme.graph.VertexMapper.map", _HADOOPS_RUN, "in map()."),
    ],
)
def test_a_mapper_whose_own_run_calls_no_map_is_not_said_to_be_in_it(
    method: str, run: str, where: str, tmp_path: Path
) -> None:
    _, text = told_of(tmp_path, died_in_map(method).replace(_HADOOPS_RUN, run))

    assert f"ran out of heap space {where}" in text


def test_a_heap_dump_is_asked_for_at_a_path_that_outlives_the_container(tmp_path: Path) -> None:
    heap = told_of(tmp_path, died_in_map())[1]
    overhead = told_of(
        tmp_path, died_in_map().replace("Java heap space", "GC overhead limit exceeded")
    )[1]

    for text in (heap, overhead):
        assert (
            text.count("-XX:+HeapDumpOnOutOfMemoryError") == text.count("-XX:HeapDumpPath=DIR") > 0
        )


def test_what_failed_in_a_job_that_succeeded_is_to_be_changed_only_if_it_happens_again(
    tmp_path: Path,
) -> None:
    job = "job_1700000000000_0046"
    failed = (
        f"24/01/09 10:00:09 INFO mapreduce.Job: Task Id : attempt_{job[4:]}_r_000001_0, "
        "Status : FAILED\nError: org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: "
        "error in shuffle in fetcher#3\nCaused by: java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.hadoop.io.BoundedByteArrayOutputStream.<init>"
        "(BoundedByteArrayOutputStream.java:56)\n"
        "\tat org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>"
        "(InMemoryMapOutput.java:63)\n"
    )
    well = f"24/01/09 10:09:00 INFO mapreduce.Job: Job {job} completed successfully\n"

    _, alone = told_of(tmp_path, failed)
    _, said = told_of(tmp_path, failed + well)

    assert ". Try: -D " in alone
    assert "WHAT TO CHANGE -D " in alone
    assert "The job succeeded all the same." in said
    assert ". If it happens again, try: -D " in said
    assert "WHAT TO CHANGE IF IT HAPPENS AGAIN -D " in said


def test_the_frames_of_an_error_that_a_call_came_back_with_are_the_servers(tmp_path: Path) -> None:
    _, said = told_of(
        tmp_path,
        "24/01/09 10:00:09 INFO mapreduce.Job: Task Id : attempt_1700000000000_0047_m_000001_0, "
        "Status : FAILED\nError: org.apache.hadoop.ipc.RemoteException(java.io.IOException): File "
        "/out/part-m-1 could only be replicated to 0 nodes instead of minReplication (=1).  There "
        "are 5 datanode(s) running and no node(s) are excluded in this operation.\n"
        "\tat org.apache.hadoop.hdfs.server.blockmanagement.BlockManager.chooseTarget4NewBlock"
        "(BlockManager.java:1610)\n"
        "\tat org.apache.hadoop.ipc.Server$Handler.run(Server.java:2080)\n\n",
    )

    assert "5 DataNodes were running, and the client had excluded none" in said
    assert "STACK IN THE SERVER THAT WAS CALLED" in said


def test_a_list_of_processes_that_is_printed_twice_counts_once(tmp_path: Path) -> None:
    attempt, container = (
        "attempt_1700000000000_0048_m_000002_0",
        "container_1700000000000_0048_01_000004",
    )
    kill = (
        f"Container [pid=77,containerID={container}] is running beyond physical memory limits. "
        "Current usage: 523.0 MB of 512 MB physical memory used; 2.2 GB of 1.0 GB virtual memory "
        "used. Killing container.\nDump of the process-tree for it :\n"
        "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
        "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
        "\t|- 78 77 77 77 (java) 1200 90 2361716736 133436 /usr/bin/java -Xmx409m "
        f"org.apache.hadoop.mapred.YarnChild 10.0.0.1 4711 {attempt} 4\n"
    )

    _, said = told_of(
        tmp_path,
        f"Backend error message\nAttemptID:{attempt} Info:{kill}\nContainer killed on request. "
        f"Exit code is 143\n\nPig Stack Trace\nAttemptID:{attempt} Info:{kill}",
    )

    assert said.count("521 MB java (the container's JVM)") == 1
    assert "112 MB to 521 MB JVM outside its heap" in said
    assert "native memory filled it" not in said
    assert "114 MB or more was not heap" in said
