"""Texts in which the words of an end stand, and what they seem to say is not so.

Hosts, ids, classes and numbers are made up; the words are those of Hadoop and of the engines.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import container, dead, died_in_map, found, told_of, yarn_logs

from mprof.report import render_findings

_JOB = "1700000000000_0077"
_HEAP = "java.lang.OutOfMemoryError: Java heap space"
_TIME = "2024-03-01 10:00:01,000"
_IN_MAP = "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:341)\n"

CASES = {
    "a file that is mapped by a map task is no block of Spark's": (
        (
            f"{_TIME} WARN [main] org.apache.hadoop.mapred.YarnChild: Exception running child : "
            "java.lang.IllegalArgumentException: Size exceeds Integer.MAX_VALUE\n"
            f"\tat sun.nio.ch.FileChannelImpl.map(FileChannelImpl.java:789)\n{_IN_MAP}"
        ),
        "not-memory",
        ("Size exceeds",),
        ("Spark",),
    ),
    "what was caught is not what ended the task": (
        (
            f"{_TIME} WARN [pool-1-thread-2] com.example.Geo: falling back: {_HEAP}\n"
            "\tat com.example.Geo.load(Geo.java:8)\n"
            "2024-03-01 10:00:09,000 WARN [main] org.apache.hadoop.mapred.YarnChild: Exception "
            f"running child : java.io.FileNotFoundException: part-3\n{_IN_MAP}"
        ),
        "not-memory",
        ("FileNotFoundException", "an OutOfMemoryError had been caught before it"),
        ("nothing points to memory", "ran out"),
    ),
    "what a thread of Streaming caught is": (
        (
            f"{_TIME} WARN [Thread-14] org.apache.hadoop.streaming.PipeMapRed: {_HEAP}\n"
            "\tat org.apache.hadoop.util.LineReader.readDefaultLine(LineReader.java:208)\n"
            "\tat org.apache.hadoop.streaming.PipeMapRed$MROutputThread.run(PipeMapRed.java:380)\n"
            "2024-03-01 10:00:09,000 WARN [main] org.apache.hadoop.mapred.YarnChild: Exception "
            "running child : java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): "
            f"subprocess failed with code 1\n{_IN_MAP}"
        ),
        "heap",
        ("ran out of heap",),
        ("had been caught before it",),
    ),
    "the client of an engine stands above the main method of a command": (
        (
            f"{_TIME} ERROR [main]: exec.Task (TezTask.java:execute(189)) - Failed to execute tez "
            "graph.\norg.apache.tez.common.counters.LimitExceededException: Too many counters: "
            "1201 max=1200\n"
            "\tat org.apache.tez.common.counters.Limits.checkCounters(Limits.java:87)\n"
            "\tat org.apache.hadoop.hive.ql.exec.tez.TezTask.execute(TezTask.java:175)\n"
            "\tat org.apache.hadoop.hive.cli.CliDriver.main(CliDriver.java:621)\n"
            "\tat org.apache.hadoop.util.RunJar.main(RunJar.java:136)\n"
        ),
        "not-memory",
        ("A client's command failed", "tez.counters.max"),
        ("task of Tez",),
    ),
    "a reducer that its own application master stopped was killed, and did not fail": (
        "The note of the attempt: Reducer preempted to make room for pending map attempts\n",
        "not-memory",
        ("was killed; nothing points to memory", "slowstart"),
        ("failed; nothing", "better claim"),
    ),
    "a server that quotes a task did not die": (
        (
            "2024-03-01T10:00:01,000 ERROR [HiveServer2-Background-Pool: Thread-9]: exec.Task "
            "(SessionState.java:printError(960)) - Vertex failed, vertexName=Map 4, "
            f"vertexId=vertex_{_JOB}_1_03, diagnostics=[Task failed, diagnostics=[TaskAttempt 0 "
            f"failed, info=[Error: Failure while running task:{_HEAP}\n"
            "\tat com.example.Udf.evaluate(Udf.java:7)\n"
        ),
        "heap",
        ("task of Tez",),
        ("HiveServer2 ran", "hive-env.sh"),
    ),
    "a client of HBase is no RegionServer": (
        (
            f'Exception in thread "main" {_HEAP}\n'
            "\tat org.apache.hadoop.hbase.ipc.IPCUtil.createCellScanner(IPCUtil.java:180)\n"
            "\tat com.example.Dump.main(Dump.java:8)\n"
        ),
        "heap",
        ("client's command",),
        ("RegionServer",),
    ),
    "splits of ORC that the command makes are not made on Tez": (
        (
            f'Exception in thread "main" {_HEAP}\n'
            "\tat org.apache.hadoop.hive.ql.io.orc.OrcInputFormat.generateSplitsInfo(O.java:1)\n"
            "\tat org.apache.hadoop.mapreduce.JobSubmitter.writeOldSplits(JobSubmitter.java:333)\n"
        ),
        "heap",
        ("made the splits", "HADOOP_CLIENT_OPTS"),
        ("Tez", "tez."),
    ),
    "rows of a map join that are read are not being loaded": (
        (
            f"Error: Failure while running task:java.lang.RuntimeException: {_HEAP}\n"
            "\tat org.apache.hadoop.hive.ql.exec.tez.TezProcessor.run(TezProcessor.java:159)\n"
            f"Caused by: {_HEAP}\n"
            "\tat org.apache.hadoop.hive.ql.exec.persistence.MapJoinBytesTableContainer"
            "$ReusableRowContainer.setFromOutput(M.java:500)\n"
            "\tat org.apache.hadoop.hive.ql.exec.MapJoinOperator.process(MapJoinOperator.java:9)\n"
        ),
        "heap",
        ("task of Tez",),
        ("hash table of a map join",),
    ),
    "a spill's error is of a map task": (
        (
            "java.io.IOException: Spill failed\n"
            "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.checkSpillException(M.java:1)\n"
            f"{_IN_MAP}Caused by: {_HEAP}\n"
            "\tat org.apache.hadoop.io.DataOutputBuffer$Buffer.write(DataOutputBuffer.java:46)\n"
        ),
        "heap",
        ("The task ran out of heap", "mapreduce.map.java.opts"),
        ("is of a task or a server that mprof knows", "mapreduce.reduce.java.opts"),
    ),
    "a program that its owner tried before is not the one that died": (
        (
            "On Spark it works, I set spark.executor.memory=8g there. My old job gives\n\n"
            f"Error: {_HEAP}\n\tat com.example.Agg.add(Agg.java:31)\n"
        ),
        "heap",
        ("ran out of heap",),
        ("process of Spark", "It was no map or reduce task"),
    ),
    "an answer that came too late is no address that is wrong": (
        (
            f"{_TIME} WARN [main] org.apache.hadoop.mapred.YarnChild: Exception running child : "
            "java.net.SocketTimeoutException: 60000 millis timeout while waiting for channel to be "
            f"ready for read.\n{_IN_MAP}"
        ),
        "not-memory",
        ("did not answer in time",),
        ("the address is wrong",),
    ),
    "a TaskTracker ends processes, and has no containers": (
        (
            "2013-06-21 02:15:20,501 WARN org.apache.hadoop.mapred.TaskMemoryManagerThread: "
            "TaskTree [pid=18820,tipID=attempt_201306180903_1142_r_000003_0] is running beyond "
            "memory-limits. Current usage : 3306188800bytes. Limit : 3221225472bytes. Killing "
            "task. \n"
        ),
        "container-virtual",
        (
            "because its processes exceeded their limit",
            "(3.1 GB of 3.0 GB)",
            "-D mapred.job.reduce.memory.mb=3584",
        ),
        ("because its container", "mapreduce.reduce.memory.mb", "vmem-check"),
    ),
    "an attempt that another one was quicker than is killed": (
        (
            f"{_TIME} INFO [main] org.apache.hadoop.mapreduce.Job: Task Id : "
            f"attempt_{_JOB}_r_000007_1, Status : FAILED\n"
            f"Speculation: attempt_{_JOB}_r_000007_0 succeeded first!\n"
        ),
        "not-memory",
        (
            "was killed; nothing points to memory",
            "Another attempt of the same task was quicker (speculative execution)",
        ),
        (f"_r_000007_1 of job job_{_JOB} failed",),
    ),
    "an attempt that its master's log has as the slower one": (
        (
            f"{_TIME} INFO [AsyncDispatcher event handler] "
            "org.apache.hadoop.mapreduce.v2.app.job.impl.TaskImpl: Issuing kill to other attempt "
            f"attempt_{_JOB}_m_000003_0\n"
            f"{_TIME} INFO [AsyncDispatcher event handler] "
            "org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl: Diagnostics report from "
            f"attempt_{_JOB}_m_000003_0: Container killed by the ApplicationMaster.\n"
            "Container killed on request. Exit code is 143\n"
        ),
        "not-memory",
        (
            "was killed; nothing points to memory",
            "Another attempt of the same task was quicker (speculative execution)",
        ),
        ("somebody asked the process to end",),
    ),
    "counters beside a task that reported nothing": (
        (
            f"Task Id : attempt_{_JOB}_m_000003_0, Status : FAILED\n"
            f"AttemptID:attempt_{_JOB}_m_000003_0 Timed out after 300 secs\n\n"
            "GC time elapsed (ms)=900\nCPU time spent (ms)=41,000\n"
        ),
        "not-memory",
        (
            "900 ms of collections in 41,000 ms of CPU time",
            "mapreduce.task.timeout=900000 (was 300000)",
        ),
        (),
    ),
    "an off-heap cache of a server is asked for whole": (
        (
            f"{_TIME} ERROR [main] regionserver.HRegionServerCommandLine: Region server exiting\n"
            "java.lang.RuntimeException: Failed construction of Regionserver: class "
            "org.apache.hadoop.hbase.regionserver.HRegionServer\n"
            "\tat org.apache.hadoop.hbase.regionserver.HRegionServer.main(H.java:1)\n"
            "Caused by: java.lang.OutOfMemoryError: Direct buffer memory\n"
            "\tat java.nio.ByteBuffer.allocateDirect(ByteBuffer.java:311)\n"
            "\tat org.apache.hadoop.hbase.io.hfile.bucket.BucketCache.<init>(BucketCache.java:2)\n"
            "\tat org.apache.hadoop.hbase.regionserver.HRegionServer.<init>(HRegionServer.java:5)\n"
        ),
        "direct",
        ("hbase.bucketcache.size of hbase-site.xml", "proven by the message"),
        ("jconsole", "suggested by the message"),
    ),
    "what the master of a job ended did not fail by itself": (
        (
            f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : attempt_{_JOB}_m_000004_1, Status : "
            "KILLED\nAttempt killed because another attempt succeeded\n"
        ),
        "not-memory",
        ("was killed; nothing points to memory",),
        (" failed",),
    ),
    "a job that succeeded is said to have": (
        (
            f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : attempt_{_JOB}_r_000001_0, Status : "
            f"FAILED\nError: Java heap space\n"
            f"24/03/01 10:09:01 INFO mapreduce.Job: Job job_{_JOB} completed successfully\n"
        ),
        "heap",
        ("The job succeeded all the same.",),
        (),
    ),
    "a NodeManager's own end": (
        (
            f"{_TIME} INFO org.apache.hadoop.yarn.server.nodemanager.NodeStatusUpdaterImpl: up\n"
            f"{_TIME} FATAL org.apache.hadoop.yarn.YarnUncaughtExceptionHandler: Thread "
            f"Thread[Container Monitor,5,main] threw an Error.  Shutting down now...\n{_HEAP}\n"
            "\tat org.apache.hadoop.yarn.server.nodemanager.Monitor.run(Monitor.java:4)\n"
        ),
        "heap",
        ("A NodeManager ran out of heap",),
        ("The task",),
    ),
    "a driver of Spark, by the frames of its own error": (
        (
            f'Exception in thread "main" {_HEAP}\n'
            "\tat java.util.Arrays.copyOf(Arrays.java:3332)\n"
            "\tat com.example.Rows$.text(Rows.scala:14)\n"
            "\tat org.apache.spark.deploy.SparkSubmit.main(SparkSubmit.scala)\n"
        ),
        "heap",
        ("driver or application master of Spark", "com.example.Rows$.text (Rows.scala:14)"),
        ("spark.executor",),
    ),
    "a heap that fills its container on Tez": (
        (
            f"Vertex failed, vertexName=Map 1, diagnostics=[Container container_{_JOB}_01_000009 "
            "finished with diagnostics set to [Container failed, exitCode=-104. Container "
            f"[pid=9,containerID=container_{_JOB}_01_000009] is running beyond physical memory "
            "limits. Current usage: 2.1 GB of 2 GB physical memory used; 4.0 GB of 4.2 GB virtual "
            "memory used. Killing container.\n"
            "\t|- 9 8 9 9 (bash) 0 0 108650496 300 /bin/bash -c java\n"
            "\t|- 10 9 9 9 (java) 99 9 4294967296 550000 /usr/bin/java -Xmx1950m "
            "org.apache.tez.runtime.task.TezChild\n"
        ),
        "container-physical",
        ("-Xmx1950m is 95 % of its 2.0 GB", "only 98 MB are left"),
        ("0 B to 2.1 GB", "Dump of the process-tree", "mapreduce.map"),
    ),
    "a stack that a mail has broken": (
        (
            f"{_TIME} FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child :\n"
            f"{_HEAP}\n"
            "        at org.apache.pig.data.DistinctDataBag.add(DistinctDataBag.java:89)\n"
            "        at org.apache.pig.backend.hadoop.executionengine.physicalLayer."
            "relationalOperators.PODistinct.\ngetNextTuple(PODistinct.java:98)\n"
            "        at org.apache.pig.backend.hadoop.executionengine.mapReduceLayer.Red"
            "\nuce.run(Reduce.java:7)\n"
            "        at org.apache.hadoop.mapred.ReduceTask.run(ReduceTask.java:389)\n"
        ),
        "heap",
        ("remove duplicates before the GROUP", "mapreduce.reduce.java.opts"),
        ("is of a task or a server that mprof knows",),
    ),
    "what stands above an end on a page is its error": (
        (
            "<div><p>Every night:</p><pre>Error: org.apache.hadoop.hdfs.protocol."
            "DSQuotaExceededException: The DiskSpace quota of /user/ann is exceeded: quota = 1 B\n"
            "\tat org.apache.hadoop.hdfs.DFSOutputStream.run(DFSOutputStream.java:588)\n\n"
            "Container killed by the ApplicationMaster.\nContainer killed on request. Exit code is "
            "143\n</pre></div>\n"
        ),
        "not-memory",
        ("quota of /user/ann",),
        ("somebody asked the process to end",),
    ),
    "what a task printed through the command of Hadoop 1": (
        (
            "12/06/21 13:55:56 INFO mapred.JobClient: Task Id : "
            "attempt_201206211332_0004_r_000003_0, Status : FAILED\n"
            "java.lang.Throwable: Child Error\n"
            "\tat org.apache.hadoop.mapred.TaskRunner.run(TaskRunner.java:271)\n"
            "Caused by: java.io.IOException: Task process exit with nonzero status of 1.\n"
            "\tat org.apache.hadoop.mapred.TaskRunner.run(TaskRunner.java:258)\n\n"
            "attempt_201206211332_0004_r_000003_0: Could not reserve enough space for object heap\n"
        ),
        "native",
        ("did not start", "mapred.child.java.opts", "A smaller -Xmx"),
        ("nothing points to memory",),
    ),
    "a stack that is pasted behind what the command printed": (
        (
            f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : attempt_{_JOB}_m_000001_0, Status : "
            "FAILED\nError: Java heap space\n"
            f"24/03/01 10:00:02 INFO mapreduce.Job: Task Id : attempt_{_JOB}_m_000002_0, Status : "
            "FAILED\nError: Java heap space\n\nand the syslog of one:\n\n"
            f"{_TIME} FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child : "
            f"{_HEAP}\n\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(M.java:987)\n"
            f"{_IN_MAP}"
        ),
        "heap",
        ("sort buffer", "without the id of its attempt"),
        ("says neither what filled it",),
    ),
    "a read of the input is not map()": (
        (
            f"{_TIME} FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child : "
            f"{_HEAP}\n\tat com.example.Reader.nextKeyValue(Reader.java:9)\n"
            "\tat org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader.nextKeyValue(M.java:5)\n"
            "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:145)\n"
            "\tat org.apache.hadoop.mapred.MapTask.runNewMapper(MapTask.java:787)\n"
        ),
        "heap",
        ("while it read its input",),
        ("in map()",),
    ),
}


@pytest.mark.parametrize("title", CASES)
def test_words_say_no_more_than_their_place_proves(title: str, tmp_path: Path) -> None:
    text, kind, said, unsaid = CASES[title]

    kinds, report = told_of(tmp_path, text)

    assert kinds == [kind]
    assert [one for one in said if one not in report] == []
    assert [one for one in unsaid if one in report] == []


_DENIED = f"There was no {_HEAP} in the log of the reducer.\n"
_PASTED = (
    "Container [pid=9,containerID=container_1700000000000_0042_01_000006] is running beyond "
    "physical memory limits. Current usage: 1.0 GB of 1 GB physical memory used; 2.6 GB of 2.1 GB "
    "virtual memory used. Killing container.\n"
)
# of what the answer speaks; the kind of end, under the condition that there was one
SAID = {
    "a question": (f"What happens if a mapper meets {_HEAP}? Is it tried again?\n", "heap"),
    "a rule": (
        "If a task takes more, YARN says that it is running beyond physical memory limits.\n",
        "container-physical",
    ),
    "a denial": (f"We have never seen {_HEAP} in our jobs.\n", "heap"),
    "another denial": (_DENIED, "heap"),
    "what was": (f"Last year we had {_HEAP}, and raised -Xmx.\n", "heap"),
    "a complaint": (f"When I run it with more input I get {_HEAP}\n", "heap"),
    "a code": ("Our nightly job fails with exit code 143 since Monday.\n", "not-memory"),
    "a program": (f'    LOG.warn("{_HEAP}", error);\n', "heap"),
}


@pytest.mark.parametrize("title", SAID)
def test_of_a_sentence_is_told_that_it_says_so_and_what_it_would_mean(
    title: str, tmp_path: Path
) -> None:
    text, kind = SAID[title]

    kinds, report = told_of(tmp_path, text)

    assert kinds == [kind]
    assert 'The text says: "' in report
    assert "No line of a log in it says so. If a process ended so: " in report
    assert "ran out of heap space" not in report


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"{_HEAP}\n", "heap"),
        (f"Error: {_HEAP}\n", "heap"),
        ("Exit code is 143\n", "not-memory"),
        ("Container exited with a non-zero exit code 143\n", "not-memory"),
        (f"If I add a day: {_HEAP}\n", "heap"),  # quoted behind a colon
        (f"I get {_HEAP}\n\tat com.example.Job.map(Job.java:12)\n", "heap"),
        (_PASTED, "container-physical"),
        # what a log tells is told, whatever is said beside it
        (f"{_DENIED}\n{_PASTED}", "container-physical"),
        (f"{_PASTED}\nShould I fear {_HEAP} with more data?\n", "container-physical"),
    ],
)
def test_words_of_a_log_are_believed(text: str, kind: str, tmp_path: Path) -> None:
    kinds, report = told_of(tmp_path, text)

    assert kinds == [kind]
    assert "The text says" not in report


REMARKS = {
    "an error by itself": (
        "java.lang.NullPointerException\n\tat com.example.Job.map(Job.java:12)\n",
        (
            "java.lang.NullPointerException, in com.example.Job.map (line 12",
            "not an OutOfMemoryError, and",
        ),
    ),
    "a pause that a collector made": (
        (
            f"{_TIME} WARN org.apache.hadoop.util.JvmPauseMonitor: Detected pause in JVM or host "
            "machine (eg GC): pause of approximately 21400ms\nGC pool 'ParNew' had collection(s): "
            "count=1 time=21111ms\n"
        ),
        ("stood still for 21.4 s", "nearly full"),
    ),
    "a pause without a collection": (
        (
            f"{_TIME} WARN org.apache.hadoop.util.JvmPauseMonitor: Detected pause in JVM or host "
            "machine (eg GC): pause of approximately 3100ms\nNo GCs detected\n"
        ),
        ("no collection is counted in that time",),
    ),
    "a pause without one, as a page of a console has it": (
        (
            f"{_TIME} WARN util.JvmPauseMonitor: Detected pause in JVM or host "
            "machine (eg GC): pause of approximately 15598ms\n1434184 No GCs detected\n"
        ),
        ("no collection is counted in that time",),
    ),
    "a pause with two collectors, the second of which took the time": (
        (
            f"{_TIME} WARN org.apache.hadoop.util.JvmPauseMonitor: Detected pause in JVM or host "
            "machine (eg GC): pause of approximately 27424ms\nGC pool 'ParNew' had collection(s): "
            "count=1 time=388ms\nGC pool 'ConcurrentMarkSweep' had collection(s): count=2 "
            "time=27311ms\n"
        ),
        ("stood still for 27.4 s", "(GC pool 'ConcurrentMarkSweep', 27.3 s)"),
    ),
    "an error by which a server ended": (
        (
            f"{_TIME} FATAL org.example.Journal: Error: flush failed\n"
            "java.io.IOException: Timed out waiting 20000ms for a quorum\n"
            "\tat org.example.Journal.flush(Journal.java:137)\n"
            f"{_TIME} INFO org.apache.hadoop.util.ExitUtil: Exiting with status 1\n"
        ),
        ("not an OutOfMemoryError, and nothing", "ended after it (Exiting with status 1)"),
    ),
    "a launcher of Oozie": (
        "Launcher ERROR, reason: Main class [org.example.ShellMain], exit code [7]\n",
        ("exit code 7, and not why", "oozie job -info"),
    ),
}


@pytest.mark.parametrize("title", REMARKS)
def test_a_text_without_an_end_is_told_what_its_words_mean(title: str, tmp_path: Path) -> None:
    text, said = REMARKS[title]

    kinds, report = told_of(tmp_path, text)

    assert [kind for kind in kinds if kind != "none"] == []
    assert [one for one in said if one not in report] == []


OTHERS = {
    "a task in the application master": (
        (
            f"{_TIME} FATAL [uber-SubtaskRunner] org.apache.hadoop.yarn."
            "YarnUncaughtExceptionHandler: Thread Thread[uber-SubtaskRunner,5,main] threw an "
            f"Error.  Shutting down now...\n{_HEAP}\n\tat com.example.Job.map(Job.java:5)\n"
            f"{_IN_MAP}"
            "\tat org.apache.hadoop.mapred.LocalContainerLauncher$EventHandler.run(L.java:383)\n"
        ),
        "heap",
        ("uber mode", "yarn.app.mapreduce.am.command-opts"),
        ("mapreduce.map",),
    ),
    "settings of Tez beside a query that MapReduce ran": (
        (
            "set hive.tez.container.size=4096;\nError: Java heap space\nFAILED: Execution Error, "
            "return code 2 from org.apache.hadoop.hive.ql.exec.mr.MapRedTask\n"
        ),
        "heap",
        ("mapreduce.map.java.opts",),
        ("task of Tez",),
    ),
    "what Pig quotes of a task": (
        (
            f"{_TIME} [main] ERROR org.apache.pig.tools.grunt.Grunt - ERROR 2997: Unable to "
            "recreate exception from backed error: Error: Java heap space\n"
        ),
        "heap",
        ("The task ran out of heap",),
        ("command of Pig", "PIG_HEAPSIZE"),
    ),
    "an error of the server that a task called": (
        (
            f"{_TIME} WARN [main] org.apache.hadoop.mapred.YarnChild: Exception running child : "
            f"org.apache.hadoop.ipc.RemoteException(java.lang.OutOfMemoryError): Java heap space\n"
            f"\tat org.apache.hadoop.ipc.Client.call(Client.java:1475)\n{_IN_MAP}"
        ),
        "not-memory",
        ("it is the heap of that server",),
        ("nothing points to memory", "mapreduce.map.java.opts"),
    ),
    "threads of an application master": (
        (
            f"{_TIME} ERROR [ContainerLauncher #3] org.apache.hadoop.mapreduce.v2.app.launcher."
            "ContainerLauncherImpl: failed : java.lang.OutOfMemoryError: unable to create new "
            "native thread\n\tat java.lang.Thread.start0(Native Method)\n"
        ),
        "application-master",
        ("not about its heap",),
        ("am.resource.mb=",),
    ),
    "a container of Spark among the logs of a cluster": (
        (
            f"Container: container_{_JOB}_01_000003 on w3_8041\nLogType:stderr\nLogLength:100\n"
            "Log Contents:\n24/03/01 10:00:01 INFO executor.CoarseGrainedExecutorBackend: Started\n"
            "24/03/01 10:00:01 ERROR executor.Executor: Exception in task 3.0 in stage 1.0\n"
            f"{_HEAP}\n\tat com.example.F.call(F.java:12)\nEnd of LogType:stderr\n"
        ),
        "heap",
        ("an executor of Spark", "spark.executor.memory"),
        ("mapreduce.map",),
    ),
    "a node of Kubernetes that was short": (
        (
            "Message: The node was low on resource: memory. Container spark-exec was using 5102Mi\n"
            "22/05/12 09:27:03 ERROR TaskSchedulerImpl: Lost executor 6 on 10.0.0.1: deleted\n"
        ),
        "not-memory",
        ("its node was short of memory",),
        ("nothing points to memory",),
    ),
}


@pytest.mark.parametrize("title", OTHERS)
def test_what_is_said_of_another_process_is_not_said_of_a_task(title: str, tmp_path: Path) -> None:
    text, kind, said, unsaid = OTHERS[title]

    kinds, report = told_of(tmp_path, text)

    assert kinds == [kind]
    assert [one for one in said if one not in report] == []
    assert [one for one in unsaid if one in report] == []


def test_the_thrift_server_of_spark_is_a_driver(tmp_path: Path) -> None:
    kinds, report = told_of(
        tmp_path,
        "24/03/01 10:00:01 ERROR SparkExecuteStatementOperation: Error executing query,\n"
        f"{_HEAP}\n"
        "\tat org.apache.spark.sql.execution.SparkPlan.executeCollect(SparkPlan.scala:282)\n"
        "\tat org.apache.spark.sql.hive.thriftserver.SparkExecuteStatement.run(S.scala:1)\n"
        "\tat org.apache.hive.service.cli.operation.Operation.run(Operation.java:1)\n",
    )

    assert kinds == ["heap"]
    assert "driver or application master of Spark" in report
    assert "HiveServer2" not in report


def test_a_log_of_a_datanode_is_read_however_far_down_its_error_stands(tmp_path: Path) -> None:
    line = f"{_TIME} INFO org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace: src: a, x\n"
    error = (
        f"{_TIME} ERROR org.apache.hadoop.hdfs.server.datanode.DataNode: exception\n{_HEAP}\n"
        "\tat org.apache.hadoop.hdfs.server.datanode.BlockReceiver.run(BlockReceiver.java:5)\n"
    )

    kinds, report = told_of(tmp_path, line * 2000 + error)

    assert kinds == ["heap"]
    assert "A DataNode ran out of heap" in report


_TAILS = (
    "==> userlogs/application_{job}/container_{job}_01_00000{n}/syslog <==",
    "### attempt_{job}_m_00000{n}_0, the last lines",
    "---- w{n}:/var/log/hadoop/userlogs/attempt_{job}_m_00000{n}_0/syslog ----",
)


@pytest.mark.parametrize("heading", _TAILS)
def test_logs_behind_one_another_under_headings_are_of_an_attempt_each(
    heading: str, tmp_path: Path
) -> None:
    died = (
        f"{_TIME} WARN [main] org.apache.hadoop.mapred.YarnChild: Exception running child : "
        f"java.io.IOException: No space left on device\n{_IN_MAP}"
    )
    done = (
        f"{_TIME} INFO [main] org.apache.hadoop.mapred.Task: "
        f"Task 'attempt_{_JOB}_m_000003_0' done.\n"
    )
    full = died.replace("java.io.IOException: No space left on device", _HEAP)
    path = tmp_path / "pasted.txt"
    path.write_text(
        "\n".join(
            f"{heading.format(job=_JOB, n=n)}\n{log}" for n, log in enumerate((died, full, done), 1)
        )
    )

    found_dead = dead(found(path))

    assert sorted(found_dead.values()) == ["heap", "not-memory"]
    assert [f"00000{n}" in key for n, key in enumerate(sorted(map(str, found_dead)), 1)] == [
        True,
        True,
    ]


def test_a_constructor_of_a_nested_class_is_not_that_of_the_outer_one(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        f"{_TIME} FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child : "
        "java.lang.OutOfMemoryError: unable to create new native thread\n"
        "\tat java.lang.Thread.start0(Native Method)\n"
        "\tat org.apache.hadoop.hdfs.DFSClient$DFSOutputStream.<init>(DFSClient.java:2987)\n"
        f"\tat com.example.Split.map(Split.java:39)\n{_IN_MAP}",
    )

    assert "File systems that are never closed" not in report
    assert "or it had no memory for the thread's stack" in report


def test_a_pod_is_evicted_for_what_the_kubelet_names(tmp_path: Path) -> None:
    line = (
        '{"time":"2024-03-01T10:00:01.250Z","level":"ERROR","logger":"scheduler.Task","thread":"d",'
        '"message":"Lost executor 7 on 10.0.0.9: \\nThe API gave the following message: The node '
        'was low on resource: RESOURCE. Container spark was using 9Ki, request is 0. "}\n'
    )

    _, of_memory = told_of(tmp_path, line.replace("RESOURCE", "memory"))
    _, of_disk = told_of(tmp_path, line.replace("RESOURCE", "inodes"))

    assert "short of memory" in of_memory
    assert "short of inodes, not of memory" in of_disk
    assert "1970" not in of_disk


def test_a_kill_without_a_word_is_not_said_to_have_nothing_to_do_with_memory(
    tmp_path: Path,
) -> None:
    _, report = told_of(
        tmp_path,
        f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : attempt_{_JOB}_m_000001_0, "
        "Status : FAILED\nContainer killed on request. Exit code is 137\n",
    )

    assert "SIGKILL" in report
    assert "nothing points to memory" not in report


def test_tasks_whose_frames_stand_in_the_text_did_start(tmp_path: Path) -> None:
    text = (
        "Diagnostic Messages for this Task:\nError: java.lang.IllegalStateException: bad row\n"
        "\tat com.example.Serde.read(Serde.java:8)\n"
        f"{_IN_MAP}\n"
        "FAILED: Execution Error, return code 2 from org.apache.hadoop.hive.ql.exec.mr.MapRedTask\n"
        "Stage-Stage-1: Map: 3   HDFS Read: 0 HDFS Write: 0 FAIL\n"
        "Total MapReduce CPU Time Spent: 0 msec\n"
    )

    _, said = told_of(tmp_path, text)

    assert "The task failed" in said
    assert "java.lang.IllegalStateException: bad row" in said
    assert "may never have started" not in said


def test_the_permanent_generation_is_not_called_metaspace(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        f"{_TIME} FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child : "
        "java.lang.OutOfMemoryError: PermGen space\n"
        f"\tat com.example.Gen.map(Gen.java:9)\n{_IN_MAP}",
    )

    assert "ran out of permanent generation" in report
    assert "metaspace" not in report.lower()
    assert "classloader_stats" not in report


def test_a_map_join_that_stopped_at_its_share_did_not_run_out(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        "2024-03-01 10:00:01\tProcessing rows:\t900000\tHashtable size:\t899999\t"
        "Memory usage:\t961500000\tpercentage:\t0.91\n"
        "Execution failed with exit status: 3\n"
        "FAILED: Execution Error, return code 3 from "
        "org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask\n",
    )

    assert "ended for lack of heap space" in report
    assert "ran out of heap space" not in report


def test_a_local_task_of_hive_that_two_texts_tell_of_died_once(tmp_path: Path) -> None:
    counts = (
        "2024-03-01 10:10:44\tProcessing rows:\t1700000\tHashtable size:\t1699999\t"
        "Memory usage:\t966275367\tpercentage:\t0.907"
    )
    (tmp_path / "session.txt").write_text(
        f"{counts}\nExecution failed with exit status: 3\nFAILED: Execution Error, return code 3 "
        "from org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask\n"
    )
    (tmp_path / "local.log").write_text(
        f"{_TIME} ERROR [main]: mr.MapredLocalTask - Hive Runtime Error: Map local work exhausted "
        "memory\norg.apache.hadoop.hive.ql.exec.mapjoin.MapJoinMemoryExhaustionException: "
        f"{counts}\n"
        "\tat org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask.executeInProcess(M.java:347)\n"
    )

    once = found(tmp_path)
    other = (tmp_path / "local.log").read_text().replace("966275367", "966275368")
    (tmp_path / "local.log").write_text(other)
    twice = found(tmp_path)

    assert (once.deaths, twice.deaths) == (1, 2)
    assert "SET hive.auto.convert.join=false" in render_findings(once)


def test_a_log_without_an_id_beside_what_the_command_printed_is_of_one_of_those(
    tmp_path: Path,
) -> None:
    limit = "Requested array size exceeds VM limit"
    (tmp_path / "console.txt").write_text(
        "".join(
            f"24/03/01 10:0{n}:22 INFO mapreduce.Job: Task Id : attempt_{_JOB}_m_000017_{n}, "
            f"Status : FAILED\nError: {limit}\n"
            for n in range(2)
        )
    )
    log = tmp_path / "syslog.txt"
    log.write_text(died_in_map().replace("Java heap space", limit))

    alike = found(tmp_path)
    log.write_text(died_in_map())
    another = found(tmp_path)

    assert [each.name for each in alike.told[0].dead] == [
        f"attempt_{_JOB}_m_000017_{n}" for n in range(2)
    ]
    assert (alike.deaths, another.deaths) == (2, 3)


def test_a_line_before_the_first_heading_leaves_no_file_unused(tmp_path: Path) -> None:
    path = tmp_path / "application.log"
    path.write_text(
        "24/03/01 10:00:00 INFO client.RMProxy: Connecting to rm/10.0.0.1:8032\n"
        + yarn_logs([(container(2), "syslog", died_in_map()), (container(3), "syslog", "x\n")])
    )

    seen = found(path)

    assert seen.unused == ()
    assert f"logs of containers: {path} (2 in all)" in render_findings(seen)


_KILLED = (
    f"24/03/01 09:00:01 INFO mapreduce.Job: Task Id : attempt_{_JOB}_r_000024_0, Status : FAILED\n"
    f"Container [pid=382,containerID=container_{_JOB}_01_000455] is running beyond physical memory "
    "limits. Current usage: 4.1 GB of 4 GB physical memory used; 5.9 GB of 80 GB virtual memory "
    "used. Killing container.\n"
)
_THREW = (
    f"{_TIME} FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running child : {_HEAP}\n"
    "\tat com.acme.Promote.reduce(Promote.java:126)\n"
    "\tat org.apache.hadoop.mapred.ReduceTask.run(ReduceTask.java:405)\n"
)


def test_an_error_pasted_below_a_kill_over_a_limit_is_another_death(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text(f"{_KILLED}\nlater:\n\n{_THREW}")
    both = dead(found(tmp_path))
    assert both == {f"container_{_JOB}_01_000455": "container-physical", None: "heap"}


def test_an_error_pasted_below_an_attempt_that_says_no_other_end_is_its_own(
    tmp_path: Path,
) -> None:
    failed = _KILLED.partition("\n")[0]
    (tmp_path / "note.txt").write_text(f"{failed}\nError: Java heap space\n\n{_THREW}")
    assert dead(found(tmp_path)) == {f"attempt_{_JOB}_r_000024_0": "heap"}


def test_an_error_pasted_below_an_attempt_that_its_master_ended_is_its_own(tmp_path: Path) -> None:
    ended = (
        "Container killed by the ApplicationMaster.\nContainer killed on request. "
        "Exit code is 143\nContainer exited with a non-zero exit code 143\n"
    )
    failed = _KILLED.partition("\n")[0]
    (tmp_path / "note.txt").write_text(f"{failed}\n{ended}\n{_THREW}")

    assert dead(found(tmp_path)) == {f"attempt_{_JOB}_r_000024_0": "heap"}


@pytest.mark.parametrize("attempt", [f"attempt_{_JOB}_m_000001_0", f"attempt_{_JOB}_1_05_000020_3"])
def test_an_error_behind_the_id_of_its_attempt_is_one_death(attempt: str, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text(
        f"Starting Job = job_{_JOB}, Tracking URL = x\n{attempt}: {_HEAP}\n"
        "\tat com.acme.Join.map(Join.java:1)\n"
    )

    (told,) = found(tmp_path).told
    assert len(told.dead) == 1


def _over_its_address_space(options: str) -> str:
    java = f"/usr/bin/java {options} org.apache.hadoop.mapred.YarnChild 10.0.0.1 4 attempt_{_JOB}"
    return (
        f"24/03/01 09:00:01 INFO mapreduce.Job: Task Id : attempt_{_JOB}_m_000000_0, Status : "
        f"FAILED\nContainer [pid=188,containerID=container_{_JOB}_01_000002] is running beyond "
        "virtual memory limits. Current usage: 25.3 MB of 4 GB physical memory used; 32.9 GB of "
        "12.4 GB virtual memory used. Killing container.\n"
        f"Dump of the process-tree for container_{_JOB}_01_000002 :\n"
        "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) "
        "VMEM_USAGE(BYTES) RSSMEM_USAGE(PAGES) FULL_CMD_LINE\n"
        f"\t|- 188 187 188 188 (java) 8 5 35326005248 6400 {java}\n"
    )


@pytest.mark.parametrize(
    ("options", "has", "lacks"),
    [
        (
            "-Xmx28g",
            (
                "-Xmx28672m is larger than the container",
                "take 8.1 GB, within the 12 GB",
                "=-Xmx3276m",
            ),
            ("memory.mb=", "still take"),
        ),
        # 32.9 GB without the difference of 10.8 GB
        (
            "-Xmx14336m",
            ("still take 22 GB, more than the 12 GB allowed", "memory.mb="),
            ("=-Xmx3276m",),
        ),
        ("-Xdebug", ("no -Xmx is in the command line", "-Xmx3276m"), ("memory.mb=",)),
        ("-Xmx2g", ("memory.mb=",), ("reserves its whole heap",)),
    ],
)
def test_a_heap_larger_than_its_container_explains_the_address_space(
    options: str, has: tuple[str, ...], lacks: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "console.txt").write_text(_over_its_address_space(options))
    report = " ".join(render_findings(found(tmp_path)).split())
    assert all(one in report for one in has), report
    assert not any(one in report for one in lacks), report
