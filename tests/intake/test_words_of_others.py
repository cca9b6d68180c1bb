"""What people paste of jobs that are no plain MapReduce, in the shapes in which pages give it.

Hosts, ids, classes and numbers are made up; the words are those of the sources that are named.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.container_logs import dead, found, told_of

from mprof.errors import EvidenceError
from mprof.report import render_findings

_APPLICATION = "1700000000000_0042"
_FIRST = f"container_{_APPLICATION}_01_000001"
_THIRD = f"container_{_APPLICATION}_01_000003"
_ATTEMPT = f"attempt_{_APPLICATION}_m_000004_1"
_HEAP = "java.lang.OutOfMemoryError: Java heap space"


_OF_A_SERVER = """\
java.lang.OutOfMemoryError: Java heap space
\tat java.util.Arrays.copyOf(Arrays.java:3332)
\tat com.acme.cube.Server.load(Server.java:88)
"""

CASES = {
    "a stack without a frame of a task": (
        _OF_A_SERVER,
        "heap",
        ("The process ran out of heap", "Of a map or reduce task, mprof run does it"),
        ("The task", "UNDECIDED"),
    ),
    "a stack with one": (
        f"{_OF_A_SERVER}\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:348)\n",
        "heap",
        ("The task ran out of heap",),
        ("The process", "is of a task or a server that mprof knows"),
    ),
    # org.apache.spark.deploy.yarn.YarnAllocator of 1.x and 2.x, and of 3.x
    "an executor of Spark, killed for physical memory": (
        (
            "24/03/01 10:00:01 ERROR YarnScheduler: Lost executor 7 on w3: Container killed by "
            "YARN "
            "for exceeding memory limits. 5.5 GB of 5.5 GB physical memory used. Consider boosting "
            "spark.yarn.executor.memoryOverhead."
        ),
        "container-physical",
        ("executor of Spark", "spark.executor.memoryOverhead"),
        ("mapreduce.map", "mprof run"),
    ),
    "the same for virtual memory": (
        (
            "24/03/01 10:00:01 WARN TaskSetManager: Lost task 3.0 in stage 1.0 (TID 10, w3): "
            "ExecutorLostFailure (executor 7 exited) Reason: Container killed by YARN for "
            "exceeding "
            "memory limits. 9.1 GB of 8.4 GB virtual memory used."
        ),
        "container-virtual",
        ("executor of Spark", "yarn.nodemanager.vmem-check-enabled=false", "9.1 GB of 8.4 GB"),
        ("boost", "mapreduce.map"),
    ),
    "the same in the words of Spark 3": (
        (
            "ExecutorLostFailure (executor 7 exited caused by one of the running tasks) Reason: "
            "Container killed by YARN for exceeding physical memory limits. 5.5 GB of 5.5 GB "
            "physical "
            "memory used. Consider boosting spark.executor.memoryOverhead."
        ),
        "container-physical",
        ("executor of Spark",),
        ("mapreduce.map",),
    ),
    "an executor of Spark that is lost, and nothing says why": (
        (
            "24/03/01 10:00:01 ERROR cluster.YarnClusterScheduler: Lost executor 4 on w3: "
            "remote Rpc "
            "client disassociated"
        ),
        "not-memory",
        ("Executor 4 of Spark was lost", "Lost executor 4", "crashed in native code"),
        ("ran out", "Spark failed", "died", "kubectl"),
    ),
    "the same of Kubernetes": (
        (
            "24/03/01 10:00:00 INFO KubernetesClusterSchedulerBackend: Registered executor\n"
            "24/03/01 10:00:01 ERROR TaskSchedulerImpl: Lost executor 4 on w3: Remote RPC client "
            "disassociated. Likely due to containers exceeding thresholds, or network issues."
        ),
        "not-memory",
        ("Executor 4 of Spark was lost", "kubectl describe pod"),
        ("yarn logs",),
    ),
    # org.apache.spark.scheduler.TaskSetManager.handleFailedTask, of 3.x
    "a task of Spark that a job was given up for": (
        (
            "py4j.protocol.Py4JJavaError: An error occurred while calling o31.count.\n"
            ": org.apache.spark.SparkException: Job aborted due to stage failure: Task 7 in stage "
            "5.0 failed 4 times, most recent failure: Lost task 7.3 in stage 5.0 (TID 92) (w3 "
            "executor 2): java.lang.IllegalStateException: no such column\n"
            "\tat com.example.Rows.column(Rows.java:7)\n"
            "\tat org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:548)\n\n"
            "Driver stacktrace:\n"
            "\tat org.apache.spark.scheduler.DAGScheduler.runJob(DAGScheduler.scala:951)\n"
        ),
        "not-memory",
        (
            "Task 7.3 in stage 5.0 of Spark failed",
            "java.lang.IllegalStateException: no such column",
            "com.example.Rows.column(Rows.java:7)",
        ),
        ("xecutor 2", "executor of Spark failed"),
    ),
    "the same with the error of another process below it": (
        (
            "Job aborted due to stage failure: Task 7 in stage 5.0 failed 4 times, most recent "
            "failure: Lost task 7.3 in stage 5.0 (TID 92, w3, executor 2): "
            "java.lang.IllegalStateException: no such column\n"
            "\tat com.example.Rows.column(Rows.java:7)\n\n"
            "Driver stacktrace:\n\n"
            'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n'
            "\tat org.apache.spark.deploy.SparkSubmit.main(SparkSubmit.scala)\n"
        ),
        "heap",
        ("driver or application master of Spark ran out of heap space",),
        ("nothing points to memory", "Task 7.3"),
    ),
    # org.apache.spark.util.SparkExitCode.OOM
    "an executor of Spark with its exit code for an OutOfMemoryError": (
        (
            f"WARN YarnAllocator: Container marked as failed: {_THIRD} on host: w3. Exit "
            "status: 52. "
            "Diagnostics: Exception from container-launch."
        ),
        "heap",
        ("executor of Spark", _THIRD, "spark.executor.memory"),
        ("nothing points to memory",),
    ),
    # org.apache.tez.dag.app.dag.impl.VertexImpl
    "a task of Tez": (
        (
            "Vertex failed, vertexName=Map 5, vertexId=vertex_1700000000000_0042_1_05, "
            "diagnostics=[Task failed, diagnostics=[TaskAttempt 0 failed, info=[Error: Failure "
            "while "
            f"running task:java.lang.RuntimeException: {_HEAP}\n"
            f"    at com.example.Udf.evaluate(Udf.java:12)\nCaused by: {_HEAP}\n"
        ),
        "heap",
        ("task of Tez", "hive.tez.container.size"),
        ("mapreduce.map", "mprof run."),
    ),
    # org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask
    "the local task of a map join": (
        (
            "2024-03-01 10:00:01 Starting to launch local task to process map join; maximum "
            "memory = "
            "500000000\n"
            "2024-03-01 10:00:05 Processing rows:\t200000\tHashtable size:\t199999\tMemory usage:\t"
            "100000000\tpercentage:\t0.2\n"
            "2024-03-01 10:00:09 Processing rows:\t900000\tHashtable size:\t899999\tMemory usage:\t"
            "460000000\tpercentage:\t0.92\n"
            "Execution failed with exit status: 3\nObtaining error information\n"
            "FAILED: Execution Error, return code 3 from org.apache.hadoop.hive.ql.exec.mr."
            "MapredLocalTask\n"
        ),
        "heap",
        ("local task of Hive", "439 MB, 92 %", "hive.auto.convert.join=false"),
        ("The task ran", "mprof run"),
    ),
    # org.apache.hadoop.hive.ql.exec.errors.MapAggrMemErrorHeuristic
    "what Hive guesses of an aggregation": (
        (
            "Task with the most failures(4):\n-----\nTask ID:\n  "
            "task_1700000000000_0042_m_000004\n\n"
            "URL:\n  http://rm:8088/taskdetails.jsp\n\nPossible error:\n  Out of memory due to "
            "hash "
            "maps used in map-side aggregation.\n\nSolution:\n  Currently "
            "hive.map.aggr.hash.percentmemory is set to 0.3. Try setting it to a lower "
            "value.\n-----\n"
            "Diagnostic Messages for this Task:\n\n\nFAILED: Execution Error, return code 2 from "
            "org.apache.hadoop.hive.ql.exec.mr.MapRedTask\n"
        ),
        "heap",
        ("hive.map.aggr.hash.percentmemory=0.15", "a guess"),
        ("nothing points to memory",),
    ),
    # the first container of an application attempt is its master's
    "the kill of a first container": (
        (
            f"Container [pid=1675,containerID={_FIRST}] is running beyond physical memory limits. "
            "Current usage: 1.0 GB of 1 GB physical memory used; 2.9 GB of 2.1 GB virtual "
            "memory used. "
            "Killing container."
        ),
        "application-master",
        (
            "mprof found nothing that shows of which engine",
            "spark.driver.memory",
            "limit of 1.0 GB",
            "tez.am.resource.memory.mb",
            "not proven",
        ),
        ("mapreduce.map", "Try:", "-am ALL", "yarn.app.mapreduce.am.resource.mb=", "job_17"),
    ),
    "the kill of a first container of a job of MapReduce": (
        (
            f"job_{_APPLICATION} : the container was killed\n"
            f"Container [pid=1675,containerID={_FIRST}] is running beyond physical memory limits. "
            "Current usage: 1.0 GB of 1 GB physical memory used. Killing container."
        ),
        "application-master",
        ("application master", "yarn.app.mapreduce.am.resource.mb=2048", "1024 MB"),
        ("mapreduce.map", "spark"),
    ),
    "the kill of a driver that somebody submitted": (
        (
            "spark-submit --master yarn --deploy-mode cluster --driver-memory 900m job.py\n\n"
            f"Container [pid=1675,containerID={_FIRST}] is running beyond physical memory limits. "
            "Current usage: 1.3 GB of 1.3 GB physical memory used. Killing container."
        ),
        "application-master",
        (
            "the driver of Spark, which runs in the application master in cluster mode",
            "spark.driver.memoryOverhead",
        ),
        ("yarn.app.mapreduce", "state and counters", "spark.yarn.am"),
    ),
    "a first container, and words of two engines": (
        (
            f"Container [pid=1675,containerID={_FIRST}] is running beyond physical memory limits. "
            "Current usage: 1.3 GB of 1.3 GB physical memory used. Killing container.\n"
            "We have moved from MapReduce to Flink last week.\n"
        ),
        "application-master",
        ("mprof found nothing that shows of which engine",),
        ("Try:", "state and counters"),
    ),
    "the kill of a master of another engine": (
        (
            f"Container [pid=1675,containerID={_FIRST}] is running beyond physical memory limits. "
            "Current usage: 1.0 GB of 1 GB physical memory used. Killing container.\n"
            f"Dump of the process-tree for {_FIRST} :\n"
            "\t|- 1680 1675 1675 1675 (java) 5021 548 1711837184 262144 /usr/bin/java -Xmx1000M "
            "org.example.yarn.ApplicationMaster\n"
        ),
        "application-master",
        ("another engine than MapReduce",),
        ("yarn.app.mapreduce.am.resource.mb",),
    ),
    "a master that was killed for virtual memory": (
        (
            f"Application application_{_APPLICATION} failed 1 times due to AM Container for "
            f"appattempt_{_APPLICATION}_000001 exited with exitCode: -103\n"
            f"Diagnostics: Container [pid=41,containerID={_FIRST}] is running beyond virtual "
            "memory "
            "limits. Current usage: 88.1 MB of 256 MB physical memory used; 1.1 GB of 537.6 MB "
            "virtual "
            "memory used. Killing container."
        ),
        "application-master",
        (
            "address space (1.1 GB of 538 MB)",
            "yarn.nodemanager.vmem-check-enabled=false",
            "mprof explain container_over_virtual_memory",
        ),
        (
            "yarn.app.mapreduce",
            "do not say that it was for memory",
            "explain application_master_died",
        ),
    ),
    # RMAppImpl of YARN 3; ContainerExitStatus.INVALID
    "a master that never ran": (
        (
            f"Application application_{_APPLICATION} failed 2 times in previous 10000 milliseconds "
            f"due to AM Container for appattempt_{_APPLICATION}_000002 exited with exitCode: "
            "-1000\n"
            "Failing this attempt.Diagnostics: [2024-03-01 10:00:01.121]No space available in "
            "any of "
            "the local directories."
        ),
        "application-master",
        ("was not started", "No space available in any of the local directories"),
        ("read its own log",),
    ),
    # org.apache.hadoop.yarn.YarnUncaughtExceptionHandler in a thread of MRAppMaster's
    "a committer of an application master": (
        (
            "2024-03-01 10:00:01,158 FATAL [CommitterEvent Processor #4] org.apache.hadoop.yarn."
            "YarnUncaughtExceptionHandler: Thread Thread[CommitterEvent Processor #4,5,main] "
            "threw an "
            "Error.  Shutting down now...\njava.lang.OutOfMemoryError: GC overhead limit exceeded\n"
            "\tat java.nio.ByteBuffer.wrap(ByteBuffer.java:373)\n"
            "\tat com.example.Committer.commitJob(Committer.java:58)\n"
        ),
        "application-master",
        ("application master", "yarn.app.mapreduce.am.command-opts"),
        ("The task",),
    ),
    # org.apache.hadoop.mapreduce.counters.Limits, as Hive quotes it
    "too many counters below a line of Hive": (
        (
            f"Ended Job = job_{_APPLICATION} with exception\n'org.apache.hadoop.mapreduce.counters."
            "LimitExceededException\n(Too many counters: 201 max=200)'\n"
        ),
        "not-memory",
        ("200 counters", "mapreduce.job.counters.max"),
        (),
    ),
    "fetches that failed": (
        "The reducer gave this:\nShuffle Error: Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out\n",
        "not-memory",
        ("could not fetch", "name no lack of memory in the reducer"),
        ("The reducer gave this",),
    ),
    # one text that says of a container's end twice
    "a launch that failed is one death": (
        (
            f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : {_ATTEMPT}, Status : FAILED\n"
            f"Exception from container-launch.\nContainer id: {_THIRD}\nExit code: 1\n"
            "Stack trace: ExitCodeException exitCode=1: \n"
            "\tat org.apache.hadoop.util.Shell.runCommand(Shell.java:545)\n"
        ),
        "not-memory",
        (_ATTEMPT, _THIRD, "1 is what java leaves"),
        ("2 FAILURES",),
    ),
    "an exit code in a NodeManager's log": (
        (
            "2024-03-01 10:00:01,539 WARN org.apache.hadoop.yarn.server.nodemanager."
            f"DefaultContainerExecutor: Exit code from container {_THIRD} is : 127\n"
        ),
        "not-memory",
        (_THIRD, "127"),
        (),
    ),
    "sizes without the words before them": (
        (
            "Current usage: 2.1gb of 2.0gb physical memory used; 1.6gb of 3.15gb virtual "
            "memory used. "
            "Killing container."
        ),
        "container-physical",
        ("2.0 GB",),
        (),
    ),
    # what java itself reports of a main thread: YarnChild and MRAppMaster catch every error there
    "a command of Hadoop that lists files": (
        (
            f'Exception in thread "main" {_HEAP}\n'
            "\tat org.apache.hadoop.hdfs.DistributedFileSystem.listStatusInternal(D.java:732)\n"
        ),
        "heap",
        ("client's command", "HADOOP_CLIENT_OPTS"),
        ("The task", "mprof run"),
    ),
    # HotSpot universe.cpp, before any class is loaded
    "a JVM that did not start": (
        (
            f"# cat /var/log/userlogs/{_ATTEMPT}/stderr\n"
            "Error occurred during initialization of VM\n"
            "Could not reserve enough space for object heap\n"
        ),
        "native",
        (_ATTEMPT,),
        (),
    ),
    # what is said of the other processes' ends: YarnAllocator of Spark 3, in lines of its scheduler
    "executors of Spark that were killed, and one that ended": (
        (
            "24/03/01 10:00:01 ERROR YarnScheduler: Lost executor 3 on w3: Container from a bad "
            f"node: {_THIRD} on host: w3. Exit status: 137. Diagnostics: [2024-03-01 "
            "10:00:01.483]Container killed on request. Exit code is 137\n"
        ),
        "not-memory",
        (_THIRD, "executor of Spark", "SIGKILL"),
        ("mapreduce.map", "mprof run"),
    ),
    "frames of Spark": (
        (
            "24/03/01 10:00:01 ERROR SparkUncaughtExceptionHandler: Uncaught exception in thread "
            f"Thread[worker,5,\nmain]\n{_HEAP}\n"
            "\tat java.nio.ByteBuffer.allocate(ByteBuffer.java:335)\n"
            "\tat org.apache.spark.util.Utils$.copyStream(Utils.scala:353)\n"
        ),
        "heap",
        ("process of Spark", "spark.executor.memory", "spark.driver.memory"),
        ("The task", "mprof run"),
    ),
    "direct buffers of Spark": (
        (
            "24/03/01 10:00:01 WARN TransportChannelHandler: Exception in connection from w3:47133"
            "\njava.lang.OutOfMemoryError: Direct buffer memory\n"
            "\tat java.nio.Bits.reserveMemory(Bits.java:658)\n"
            "\tat io.netty.buffer.PoolArena$DirectArena.newUnpooledChunk(PoolArena.java:651)\n"
            "the driver said org.apache.spark.storage.BlockFetchException\n"
        ),
        "direct",
        ("process of Spark", "-XX:MaxDirectMemorySize in spark.executor.extraJavaOptions"),
        ("What filled it", "mprof run"),
    ),
    # ENOMEM as the C library puts it, in what Spark says of a stage
    "no native memory for a stage of Spark": (
        (
            "24/03/01 10:00:01 INFO DAGScheduler: ShuffleMapStage 3 (count at A.java:1) failed in "
            "5.5 s due to org.apache.spark.shuffle.FetchFailedException: Failure while fetching "
            "StreamChunkId{streamId=4, chunkIndex=0}: java.io.IOException: Out of memory\n"
            "\tat sun.nio.ch.FileDispatcherImpl.read0(Native Method)\n"
        ),
        "native",
        ("process of Spark", "gave it no more memory"),
        ("nothing points to memory",),
    ),
    "a container of which nothing says what ran in it": (
        (
            f"Container [pid=41,containerID={_THIRD}] is running beyond physical memory limits. "
            "Current usage: 1.0 GB of 1 GB physical memory used. Killing container.\n"
        ),
        "container-physical",
        ("mapreduce.{map,reduce}.memory.mb", "hive.tez.container.size", "spark.executor.memory"),
        ("-D mapreduce",),
    ),
    "address space of a container of which nothing says what ran in it": (
        (
            f"Container [pid=41,containerID={_THIRD}] is running beyond virtual memory limits. "
            "Current usage: 264.3 MB of 1 GB physical memory used; 2.8 GB of 2.1 GB virtual memory "
            "used. Killing container.\n"
        ),
        "container-virtual",
        ("yarn.nodemanager.vmem-check-enabled=false",),
        ("mapreduce.map",),
    ),
    # org.apache.hadoop.mapred.LocalJobRunner
    "a job in the JVM of the command": (
        (
            "24/03/01 10:00:01 WARN mapred.LocalJobRunner: job_local94_0013\n"
            f"java.lang.Exception: {_HEAP}\n"
            "\tat org.apache.hadoop.mapred.LocalJobRunner$Job.runTasks(LocalJobRunner.java:462)\n"
            f"Caused by: {_HEAP}\n"
            "\tat com.example.Job$Sum.reduce(Job.java:43)\n"
            "\tat org.apache.hadoop.mapred.ReduceTask.run(ReduceTask.java:389)\n"
            "\tat org.apache.hadoop.mapred.LocalJobRunner$Job$ReduceTaskRunnable.run(L.java:319)\n"
        ),
        "heap",
        ("HADOOP_CLIENT_OPTS", "mapreduce.framework.name=yarn"),
        ("mprof run",),
    ),
    "an error of a server beside the id of an attempt that its master stopped": (
        (
            "  attempt_1700000000000_0044_r_000002_0  Container killed by the ApplicationMaster. "
            "Exit code is 143\n"
            "2024-03-01 10:00:01,000 ERROR [pool-8-thread-3] execution.Step:116 : error running\n"
            "java.lang.RuntimeException: too many values\n"
            "\tat com.example.Dictionary.build(Dictionary.java:325)\n"
            "\tat java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1142)\n"
            "\tat java.lang.Thread.run(Thread.java:745)\n"
        ),
        "not-memory",
        ("too many values",),
        ("attempt_1700000000000_0044_r_000002_0", "job_1700000000000_0044"),
    ),
    "an error of the year before, quoted": (
        (
            "A year ago the same job had\n\n"
            "  > 17/09/21 02:10:44 ERROR Executor: Exception in task 61.0 in stage 3.0 (TID 1212)\n"
            "  > java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
            "  >     at org.apache.spark.unsafe.types.UTF8String.fromBytes(UTF8String.java:102)\n\n"
            "What I get now:\n\n"
            "18/10/08 22:06:19 WARN TransportChannelHandler: Exception in connection from /10.8.4\n"
            "io.netty.util.internal.OutOfDirectMemoryError: failed to allocate 16777216 byte(s) of "
            "direct memory (used: 7633633287, max: 7635730432)\n"
            "\tat io.netty.util.internal.PlatformDependent.allocateDirect(Platform.java:4)\n"
            "18/10/08 22:06:25 WARN TaskSetManager: Lost task 113.0 in stage 7.0 (TID 2913, b, "
            "executor 5): FetchFailed(BlockManagerId(3, 10.8.4.31, 7337, None))\n"
        ),
        "direct",
        ("executor of Spark", "maxRemoteBlockSizeFetchToMem", "7.1 GB"),
        ("GC overhead", "garbage"),
    ),
    "a heap of Spark's driver that is set too late": (
        (
            '    .config("spark.driver.memory", "12g")\n\n'
            "20/02/04 09:12:30 INFO MemoryStore: MemoryStore started with capacity 366.3 MB\n"
            "20/02/04 09:16:31 ERROR Utils: uncaught error in thread task-result-getter-1\n"
            f"{_HEAP}\n"
            "\tat org.apache.spark.scheduler.DirectTaskResult.readExternal(TaskResult.scala:57)\n"
            "\tat org.apache.spark.scheduler.TaskResultGetter$$anon$3.run(Getter.scala:6)\n"
        ),
        "heap",
        ("a heap of about 910 MB", "spark.driver.memory=12g was not in force: the program sets"),
        (),
    ),
    "the memory store of the driver beside the death of an executor": (
        (
            "spark-submit --executor-memory 8g --class com.acme.Main x.jar\n"
            "20/02/04 09:12:30 INFO MemoryStore: MemoryStore started with capacity 366.3 MB\n"
            "20/02/04 09:16:31 WARN TaskSetManager: Lost task 1.0 in stage 1.0 (TID 7, w1, "
            f"executor 1): {_HEAP}\n"
            "\tat com.example.Main$$anonfun$1.apply(Main.scala:33)\n"
            "\tat org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:338)\n"
        ),
        "heap",
        ("Executor 1 of Spark", "spark.executor.memory=8g"),
        ("memory store", "too late"),
    ),
    "an error of memory at the end of a month": (
        (
            "16/01/31 23:59:58 ERROR Executor: Exception in task 1.0 in stage 1.0 (TID 7)\n"
            f"{_HEAP}\n\tat com.example.Main$.main(Main.scala:41)\n"
            "16/02/01 00:00:03 ERROR Utils: Uncaught exception in thread Thread-3\n"
            "java.io.IOException: Filesystem closed\n"
            "\tat org.apache.hadoop.hdfs.DFSClient.checkOpen(DFSClient.java:808)\n"
        ),
        "heap",
        ("ran out of heap space",),
        ("It is not an OutOfMemoryError",),
    ),
    "an error of a pool before one of memory without a stack": (
        (
            "attempt_1700000000000_0044_r_000003_0 failed, its log:\n"
            "2024-03-01 10:00:01,000 WARN [pool-8-thread-3] com.example.Prefetch: not there\n"
            "java.lang.IllegalStateException: not there\n"
            "\tat com.example.Prefetch.call(Prefetch.java:32)\n"
            "\tat java.lang.Thread.run(Thread.java:745)\n"
            "2024-03-01 10:00:09,000 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error "
            f"running child : {_HEAP}\n"
        ),
        "heap",
        ("Attempt attempt_1700000000000_0044_r_000003_0",),
        (),
    ),
    "a task of it that failed of something else": (
        (
            "24/03/01 10:00:01 WARN mapred.LocalJobRunner: job_local94_0013\n"
            "java.lang.Exception: java.io.IOException: wrong value class\n"
            "\tat org.apache.hadoop.mapred.LocalJobRunner$Job.runTasks(LocalJobRunner.java:462)\n"
            "Caused by: java.io.IOException: wrong value class\n"
            "\tat org.apache.hadoop.mapred.IFile$Writer.append(IFile.java:194)\n"
            "\tat org.apache.hadoop.mapred.LocalJobRunner$Job$ReduceTaskRunnable.run(L.java:319)\n"
            "24/03/01 10:00:02 INFO mapreduce.Job: Job job_local94_0013 failed with state FAILED "
            "due to: NA\n"
        ),
        "not-memory",
        ("Job job_local94_0013, in a JVM that runs a whole job", "IFile$Writer.append"),
        ("runTasks", "A JVM"),
    ),
    "a sort buffer of a job in the JVM of the command": (
        (
            "24/03/01 10:00:00 INFO mapred.MapTask: mapreduce.task.io.sort.mb: 1024\n"
            "24/03/01 10:00:01 WARN mapred.LocalJobRunner: job_local94_0013\n"
            f"java.lang.Exception: {_HEAP}\n"
            "\tat org.apache.hadoop.mapred.LocalJobRunner$Job.runTasks(LocalJobRunner.java:462)\n"
            f"Caused by: {_HEAP}\n"
            "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.init(MapTask.java:987)\n"
            "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:341)\n"
            "\tat org.apache.hadoop.mapred.LocalJobRunner$Job$MapTaskRunnable.run(L.java:243)\n"
            "24/03/01 10:00:02 INFO mapreduce.Job: Job job_local94_0013 failed with state FAILED "
            "due to: NA\n"
        ),
        "heap",
        ("mapreduce.task.io.sort.mb=1024", "-Xmx is 2048 MB or more", "MapOutputBuffer.init"),
        ("_conf.xml",),
    ),
    # the cause is cut off: Throwable(Throwable) made it the message
    "a task of Tez whose cause is cut off": (
        (
            "Vertex failed, vertexName=Map 1, vertexId=vertex_1700000000000_0042_1_00, "
            "diagnostics=[Task failed, diagnostics=[TaskAttempt 0 failed, info=[Error: Failure "
            f"while running task:java.lang.RuntimeException: {_HEAP}\n"
            "    at com.example.Processor.run(Processor.java:159)\n"
        ),
        "heap",
        ("task of Tez",),
        ("not known",),
    ),
    # SchedulerUtils.throwInvalidResourceException of YARN 3.1
    "a container of a size that is not given": (
        (
            "FAILED: Execution Error, return code 1 from org.apache.hadoop.hive.ql.exec.mr."
            "MapRedTask. org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException: "
            "Invalid resource request, requested resource type=[memory-mb] < 0 or greater than "
            "maximum allowed allocation. Requested resource=<memory:1536, vCores:1>, maximum "
            "allowed allocation=<memory:1285, vCores:4>, please note\n"
            "\tat org.apache.hadoop.yarn.server.resourcemanager.RMAppManager.submit(R.java:540)\n"
        ),
        "not-memory",
        ("1,536 MB", "1,285 MB", "yarn.app.mapreduce.am.resource.mb", "client's command"),
        ("The task",),
    ),
    # TaskHeartbeatHandler, in the lines of a program that runs the command
    "a timeout in the lines of another program": (
        (
            f"01-03-2024 10:42:34 PST copy ERROR - AttemptID:{_ATTEMPT} Timed out after 600 secs\n"
            "01-03-2024 10:42:34 PST copier ERROR - Container killed by the ApplicationMaster.\n"
        ),
        "not-memory",
        (_ATTEMPT, "600 s", "mapreduce.task.timeout"),
        (),
    ),
    # org.apache.hadoop.mapred.TaskRunner.run of Hadoop 1, in the log of a TaskTracker
    "a child of a TaskTracker": (
        (
            "2012-08-03 14:48:03,227 INFO org.apache.hadoop.mapred.JvmManager: JVM Runner "
            "jvm_201208031444_0002_m_7 spawned.\n"
            "2012-08-03 14:48:03,228 WARN org.apache.hadoop.mapred.TaskRunner: "
            "attempt_201208031444_0002_m_000003_1 : Child Error\n"
            "java.io.IOException: Task process exit with nonzero status of 1.\n"
            "\tat org.apache.hadoop.mapred.TaskRunner.run(TaskRunner.java:229)\n"
        ),
        "not-memory",
        (
            "attempt_201208031444_0002_m_000003_1",
            "the folder of attempt_201208031444_0002_m_000003_1 below logs/userlogs",
        ),
        ("yarn logs",),
    ),
    "a program of Streaming behind what mrjob prints": (
        (
            "HADOOP: Error: java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess "
            "failed with code 2\n"
            "HADOOP: \tat org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads(P.java:322)\n"
            "HADOOP: \tat org.apache.hadoop.mapred.YarnChild.main(YarnChild.java:158)\n"
        ),
        "not-memory",
        ("child process ended with exit code 2",),
        ("ran out",),
    ),
    "a job of which only the end is told": (
        (
            f"24/03/01 10:00:01 INFO mapreduce.Job: Job job_{_APPLICATION} failed with state "
            f"FAILED due to: Task failed task_{_APPLICATION}_m_000000\n"
            "Job failed as tasks failed. failedMaps:1 failedReduces:0\n"
        ),
        "not-memory",
        (f"yarn logs -applicationId application_{_APPLICATION}", "not why"),
        (),
    ),
    "a writer of Parquet": (
        (
            "2024-03-01 10:00:01,626 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error "
            "running "
            f"child : {_HEAP}\n"
            "\tat org.apache.parquet.column.values.dictionary.IntList.initSlab(IntList.java:90)\n"
            "\tat org.apache.parquet.column.impl.ColumnWriteStoreV1.newMemColumn("
            "ColumnWriteStoreV1.java:68)\n"
        ),
        "heap",
        ("parquet.block.size=67108864", "First aid"),
        (),
    ),
}


@pytest.mark.parametrize("title", CASES)
def test_it_is_read_and_nothing_false_is_said(title: str, tmp_path: Path) -> None:
    text, kind, said, unsaid = CASES[title]

    kinds, report = told_of(tmp_path, text)

    assert kinds == [kind]
    assert [one for one in said if one not in report] == []
    assert [one for one in unsaid if one in report] == []


_STACK = (
    (
        "Error: org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle in "
        "fetcher#8"
    ),
    "\tat org.apache.hadoop.mapreduce.task.reduce.Shuffle.run(Shuffle.java:134)",
    "\tat org.apache.hadoop.mapred.ReduceTask.run(ReduceTask.java:376)",
    "\tat org.apache.hadoop.mapred.YarnChild.main(YarnChild.java:163)",
    f"Caused by: {_HEAP}",
    (
        "\tat "
        "org.apache.hadoop.io.BoundedByteArrayOutputStream.<init>(BoundedByteArrayOutputStream."
        "java:56)"
    ),
    "\tat org.apache.hadoop.mapreduce.task.reduce.InMemoryMapOutput.<init>(InMemoryMapOutput.java)",
)
SHAPES = {
    "a frame a line": "\n".join(_STACK),
    "all in one line": " ".join(line.strip() for line in _STACK),
    "with a blank line behind each": "\n\n".join(_STACK),
    "cut off behind the error": "\n".join(_STACK[:5]),
    "in one line, and cut off": " ".join(line.strip() for line in _STACK[:5]) + " at org.apache.ha",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_stack_is_read_however_a_page_gives_it(shape: str, tmp_path: Path) -> None:
    kinds, report = told_of(tmp_path, SHAPES[shape] + "\n")

    assert kinds == ["heap"]
    assert "mapreduce.reduce.shuffle.input.buffer.percent=0.20" in report


def test_a_message_on_the_line_below_its_error_is_its_message(tmp_path: Path) -> None:
    kinds, _ = told_of(
        tmp_path,
        "java.lang.OutOfMemoryError: \n          unable to create new native thread\n"
        "    at java.lang.Thread.start0(Native Method)\n    at java.lang.Thread.start(T.java:5)\n",
    )

    assert kinds == ["threads"]


def test_an_attempt_is_told_where_its_line_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "console.txt"
    path.write_text(
        f"24/03/01 10:00:01 INFO mapred.JobClient: Task Id : {_ATTEMPT}, \n"
        "Status : FAILED on node node1\nError: Java heap space\n"
    )

    assert dead(found(path)) == {_ATTEMPT: "heap"}


def test_a_container_that_runs_has_not_died(tmp_path: Path) -> None:
    kinds, report = told_of(
        tmp_path,
        "2024-03-01 10:00:01,237 INFO org.apache.hadoop.yarn.server.nodemanager."
        "NodeStatusUpdaterImpl: Sending out status for container: container_id { id: 101 } state: "
        'C_RUNNING diagnostics: "" exit_status: -1000\n',
    )

    assert kinds == []
    assert "died" not in report


REMARKS = {
    # org.apache.hadoop.yarn.server.nodemanager.LocalDirsHandlerService
    "disks of a node": (
        "1/1 local-dirs turned bad: /home/yarn/nm;1/1 log-dirs turned bad: /home/yarn/userlogs\n",
        ("local disks of its node", "df -h", "no lack of memory"),
    ),
    # org.apache.hadoop.ipc.Client
    "the default address of the ResourceManager": (
        (
            "2024-03-01 10:00:01,132 INFO [main] org.apache.hadoop.ipc.Client: Retrying connect to "
            "server: 0.0.0.0/0.0.0.0:8030. Already tried 3 time(s)\n"
        ),
        ("0.0.0.0", "yarn.resourcemanager.hostname"),
    ),
    "a job that was submitted": (
        f"24/03/01 10:00:01 INFO mapreduce.Job: Running job: job_{_APPLICATION}\n",
        (f"yarn application -status application_{_APPLICATION}",),
    ),
    # org.apache.hadoop.hive.ql.Driver
    "a query of Hive without its job": (
        (
            "FAILED: Execution Error, return code 2 from org.apache.hadoop.hive.ql.exec.mr."
            "MapRedTask\nStage-Stage-1: Map: 1  Reduce: 1   HDFS Read: 0 HDFS Write: 0 FAIL\n"
        ),
        (
            "and not why",
            "yarn logs -applicationId ID",
            "Starting Job = job_...",
            "log of HiveServer2",
        ),
    ),
    "counters of a job without an id": (
        (
            "24/03/01 10:00:01 INFO mapreduce.Job: Counters: 13\n\tJob Counters\n"
            "\t\tFailed map tasks=7\n\t\tLaunched map tasks=8\n"
        ),
        ("7 attempts of map tasks failed",),
    ),
}


@pytest.mark.parametrize("title", REMARKS)
def test_what_is_known_of_words_comes_first_where_nothing_is_said_to_have_died(
    title: str, tmp_path: Path
) -> None:
    text, said = REMARKS[title]

    kinds, report = told_of(tmp_path, text)

    assert [kind for kind in kinds if kind != "none"] == []
    assert report.index(said[0]) < report.index("FOUND")
    assert [one for one in said if one not in report] == []


def test_the_same_words_are_no_note_beside_a_death(tmp_path: Path) -> None:
    disks = REMARKS["disks of a node"][0]

    _, report = told_of(tmp_path, f"{disks}Error: Java heap space\n")

    assert "df -h" not in report


def test_every_executor_of_spark_that_was_killed_is_a_death(tmp_path: Path) -> None:
    path = tmp_path / "driver.txt"
    ids = [f"container_{_APPLICATION}_01_0000{number:02}" for number in (11, 12, 13)]
    path.write_text(
        "".join(
            f"[Stage 1:>  (0 + 8) / 8]24/03/01 10:00:01 ERROR YarnScheduler: Lost executor 1 on w: "
            f"Container marked as failed: {one} on host: w. Exit status: 143. Diagnostics: "
            "Container killed on request. Exit code is 143\nContainer exited with a non-zero exit "
            "code 143\nKilled by external signal\n\n"
            for one in ids
        )
    )

    assert dead(found(path)) == dict.fromkeys(ids, "not-memory")


def test_a_copied_part_of_a_log_says_nothing_by_where_it_ends(tmp_path: Path) -> None:
    kinds, report = told_of(
        tmp_path,
        "2024-03-01 10:01:02,424 INFO [communication thread] org.apache.hadoop.mapred.Task:"
        " Communication exception: java.lang.OutOfMemoryError: GC overhead limit exceeded\n"
        "\tat java.io.UnixFileSystem.list(Native Method)\n",
    )

    assert kinds == ["none"]
    assert "met an OutOfMemoryError that was caught" in report


@pytest.mark.parametrize("at", [75, 84, 97, 104])
def test_a_line_that_a_terminal_broke_is_one_line(at: int, tmp_path: Path) -> None:
    line = f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : {_ATTEMPT}, Status : FAILED\n"
    path = tmp_path / "console.txt"
    path.write_text(f"{line[:at]}\n{line[at:]}Error: Java heap space\n")

    assert dead(found(path)) == {_ATTEMPT: "heap"}


@pytest.mark.parametrize(
    ("frames", "never"),
    [
        (  # a map task that reads ORC, which makes no splits
            ("org.apache.hadoop.hive.ql.io.orc.OrcInputFormat$OrcRecordReader.next",
             "org.apache.hadoop.mapred.MapTask.runOldMapper"),
            "splits",
        ),
        (  # MapReduce, whose tables a local task has built
            ("org.apache.hadoop.hive.ql.exec.persistence.MapJoinTableContainerSerDe.load",
             "org.apache.hadoop.hive.ql.exec.mr.HashTableLoader.load",
             "org.apache.hadoop.mapred.MapTask.runOldMapper"),
            "Tez",
        ),
        (  # a list that grows, not an array of a length that was said
            ("org.apache.hadoop.typedbytes.TypedBytesInput.readList",
             "org.apache.hadoop.streaming.PipeMapRed$MROutputThread.run"),
            "typed bytes",
        ),
    ],
)  # fmt: skip
def test_a_frame_of_a_class_is_not_all_that_the_class_does(
    tmp_path: Path, frames: tuple[str, ...], never: str
) -> None:
    stack = "".join(f"\tat {one}(A.java:1)\n" for one in frames)
    kinds, report = told_of(
        tmp_path,
        "2024-01-01 10:00:00,123 FATAL [main] org.apache.hadoop.mapred.YarnChild: Error running "
        f"child : java.lang.OutOfMemoryError: Java heap space\n{stack}",
    )

    assert kinds == ["heap"]
    assert never not in report


def test_an_executor_that_was_never_created_lost_no_connection(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        "ExecutorLostFailure (executor 1 exited unrelated to the running tasks) Reason: Unable to "
        "create executor due to Unable to register with external shuffle server\n",
    )

    assert "lost its connection" not in report


def test_each_lost_executor_of_spark_is_told_once(tmp_path: Path) -> None:
    heap = (
        "java.lang.OutOfMemoryError: Java heap space\n"
        "\tat org.apache.spark.util.collection.PrimitiveVector.resize(PrimitiveVector.scala:49)\n"
        "\tat org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:509)\n"
    )
    (tmp_path / "driver.log").write_text(
        "24/03/01 10:00:01 WARN TaskSetManager: Lost task 17.0 in stage 11.0 (TID 721) (10.0.0.3 "
        f"executor 2): {heap}\n"
        "24/03/01 10:00:02 ERROR TaskSchedulerImpl: Lost executor 2 on 10.0.0.3: Command exited "
        "with code 52\n"
        "24/03/01 10:10:01 WARN TaskSetManager: Lost task 1.0 in stage 12.0 (TID 800) (10.0.0.3 "
        "executor 5): java.lang.IllegalStateException: no such row\n"
        "24/03/01 10:20:00 ERROR YarnScheduler: Lost executor 4 on w4: Container killed by YARN "
        "for exceeding memory limits.  9.1 GB of 9 GB physical memory used. Consider boosting\n"
        "24/03/01 10:30:00 ERROR YarnScheduler: Lost executor 6 on w5: Container from a bad node: "
        f"{_THIRD} on host: w5. Exit status: 143. Diagnostics: Killed by external signal\n"
        "24/03/01 10:30:01 WARN TaskSetManager: Lost task 9.0 in stage 12.0 (TID 9, w5, executor "
        f"6): {heap}\n"
        "24/03/01 10:41:08 INFO StandaloneAppClient$ClientEndpoint: Executor updated: "
        "app-20240301100000-0031/7 is now EXITED (Command exited with code 137)\n"
    )
    own = tmp_path / "work" / "app-20240301100000-0031" / "2" / "stderr"
    own.parent.mkdir(parents=True)
    own.write_text(f"24/03/01 10:00:01 ERROR Executor: Exception in task 17.0 (TID 721)\n{heap}")

    died = {each.container_id: each.kind for told in found(tmp_path).told for each in told.dead}

    assert died == {
        "executor 2": "heap",
        "executor 4": "container-physical",
        _THIRD: "heap",
        "executor 7": "not-memory",
    }


def test_the_kill_of_a_container_is_not_said_of_an_executor_beside_it(tmp_path: Path) -> None:
    kinds, _ = told_of(
        tmp_path,
        "24/03/01 10:00:01 ERROR YarnScheduler: Lost executor 2 on w1: Remote RPC client "
        "disassociated\n"
        f"24/03/01 10:00:09 ERROR YarnScheduler: Container marked as failed: {_THIRD} on host: w3. "
        "Exit status: -104. Diagnostics: Container killed by YARN for exceeding memory limits. "
        "9.1 GB of 9 GB physical memory used.\n",
    )

    assert sorted(kinds) == ["container-physical", "not-memory"]


def test_a_handler_that_prints_the_size_of_its_heap_is_no_exhausted_one(tmp_path: Path) -> None:
    log = tmp_path / "tez.log"
    log.write_text(
        "2024-03-01 10:00:01,118 [INFO] [TezChild] |mapjoin.MapJoinMemoryExhaustionHandler|: JVM "
        "Max Heap Size: 3435134976\n2024-03-01 10:00:02,400 [INFO] [Dispatcher thread] "
        "|impl.DAGImpl|: DAG: dag_1700000000000_0001_1 finished with state: SUCCEEDED\n"
    )

    with pytest.raises(EvidenceError, match="no end of a task or a process"):
        found(log)


def test_the_standard_output_of_a_daemon_and_its_log_tell_of_one_death(tmp_path: Path) -> None:
    (tmp_path / "yarn-yarn-nodemanager-w17.log").write_text(
        "2024-03-01 03:10:02,140 INFO  monitor.ContainersMonitorImpl "
        "(ContainersMonitorImpl.java:run(464)) - Memory usage of ProcessTree 1\n"
        "2024-03-01 03:12:44,518 FATAL yarn.YarnUncaughtExceptionHandler "
        "(YarnUncaughtExceptionHandler.java:uncaughtException(51)) - Thread Thread[LocalizerRunner "
        f"for {_THIRD},5,main] threw an Error.  Shutting down now...\n"
        "java.lang.OutOfMemoryError: unable to create new native thread\n"
        "        at java.lang.Thread.start0(Native Method)\n"
        "        at org.apache.hadoop.yarn.server.nodemanager.X.run(X.java:1114)\n"
    )
    (tmp_path / "yarn-yarn-nodemanager-w17.out").write_text(
        "Halting due to Out Of Memory Error...\n"
    )

    told = found(tmp_path)

    assert [(each.kind, each.container_id) for one in told.told for each in one.dead] == [
        ("threads", None)
    ]
    assert "A NodeManager could not start another thread" in render_findings(told)


def test_a_report_of_a_crash_and_the_text_that_names_it_tell_of_one_death(tmp_path: Path) -> None:
    refused = (
        "# There is insufficient memory for the Java Runtime Environment to continue.\n"
        "# Native memory allocation (mmap) failed to map 715849728 bytes for committing reserved "
        "memory.\n"
    )
    (tmp_path / "nohup.out").write_text(
        f"App id {_APPLICATION.join(('application_', ''))}\nOK\n#\n{refused}"
        "# An error report file with more information is saved as:\n# /home/x/hs_err_pid781.log\n"
    )
    (tmp_path / "hs_err_pid781.log").write_text(
        f"#\n{refused}#  Out of Memory Error (os_linux.cpp:2749), pid=781, tid=0x7f\n"
        "java_command: org.apache.hadoop.util.RunJar /usr/lib/hive-cli.jar CliDriver\n"
    )

    told = found(tmp_path)

    assert [each.kind for one in told.told for each in one.dead] == ["native"]
    assert _APPLICATION not in render_findings(told)


def test_the_last_line_of_an_excerpt_ends_a_task_without_frames(tmp_path: Path) -> None:
    text = (
        f"Container: {_THIRD} on w4_8041\n{'=' * 60}\nLogType:stderr\nLogLength:9\nLogContents:\n"
        "numpy.core._exceptions.MemoryError: Unable to allocate array\nEnd of LogType:stderr\n\n"
        "LogType:syslog\nLogLength:9\nLogContents:\n"
        "2024-03-01 18:22:31,480 WARN [main] org.apache.hadoop.mapred.YarnChild: Exception running "
        "child : java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed "
        "with code 1\nEnd of LogType:syslog\n"
    )

    _, report = told_of(tmp_path, text)

    assert "its child process ended with exit code 1" in report
    assert "the memory was the child's own" in report


def test_what_a_task_threw_comes_before_executors_that_were_lost(tmp_path: Path) -> None:
    lost = "".join(
        f"24/03/01 10:00:0{number} ERROR YarnScheduler: Lost executor {number} on w{number}: "
        "remote Rpc client disassociated\n"
        for number in (3, 5)
    )

    kinds, report = told_of(
        tmp_path,
        f"{lost}24/03/01 10:00:06 ERROR TaskSetManager: Task 1 in stage 4.0 failed 4 times; "
        'aborting job\nException in thread "main" org.apache.spark.SparkException: Job aborted '
        "due to stage failure: Task 1 in stage 4.0 failed 4 times, most recent failure: Lost task "
        "1.3 in stage 4.0 (TID 17, w9): java.lang.UnsatisfiedLinkError: no fastalign in "
        "java.library.path\n"
        "\tat java.lang.ClassLoader.loadLibrary(ClassLoader.java:1867)\n"
        "\tat com.example.Align.<clinit>(Align.java:9)\n\n"
        "Driver stacktrace:\n"
        "\tat org.apache.spark.scheduler.DAGScheduler.runJob(DAGScheduler.scala:567)\n",
    )

    assert kinds == ["not-memory", "not-memory"]
    assert "3 FAILURES" in report
    assert report.index("Task 1.3 in stage 4.0 of Spark failed") < report.index("was lost")
    assert "libfastalign.so" in report
    assert "2 alike: executor 3 on w3 executor 5 on w5" in report
    assert "died" not in report


def test_what_is_not_proven_is_the_explanation_and_no_exit_code(tmp_path: Path) -> None:
    _, report = told_of(
        tmp_path,
        f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : {_ATTEMPT}, Status : FAILED\n"
        "Container killed on request. Exit code is 137\n",
    )

    assert "Exit code 137 (SIGKILL) (explanation suggested by the message, not proven)" in report


def test_a_disk_that_is_nearly_full_is_out_of_use_too(tmp_path: Path) -> None:
    # org.apache.hadoop.yarn.server.nodemanager.DirectoryCollection
    _, report = told_of(
        tmp_path,
        f"24/03/01 10:00:01 INFO mapreduce.Job: Task Id : {_ATTEMPT}, Status : FAILED\n"
        "Error: org.apache.hadoop.util.DiskChecker$DiskErrorException: No space available in any "
        "of the local directories.\n\tat org.apache.hadoop.fs.LocalDirAllocator.f(L.java:1)\n",
    )

    assert "A local disk cannot be used (explanation proven by the message)" in report
    assert "at 90 % unless that is set" in report
    assert "used space above threshold" in report


_TERA = "1700000000000_0077"
_WRAPPED = (
    "24/03/01 10:00:01 INFO mapreduce.Job: Task Id : attempt_{id}, Status : FAILED\n"
    "Error: java.io.IOException: Spill failed\n"
    "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.checkSpillException(MapTask.java:1562)\n"
    "\tat com.example.CountMapper.map(CountMapper.java:40)\n"
    "{left_out}\n"
    "Caused by: java.lang.OutOfMemoryError: Java heap space\n"
    "\tat com.example.Key.readFields(Key.java:12)\n"
    "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer.sortAndSpill(MapTask.java:1592)\n"
    "\tat org.apache.hadoop.mapred.MapTask$MapOutputBuffer$SpillThread.run(MapTask.java:1536)\n"
)


@pytest.mark.parametrize("left_out", ["\t...", "  [...]", "...", "\t... 12 more", "\u2026"])
def test_frames_that_somebody_left_out_end_no_error(left_out: str, tmp_path: Path) -> None:
    text = _WRAPPED.format(id=f"{_TERA}_m_000001_0", left_out=left_out)

    kinds, report = told_of(tmp_path, text)

    assert kinds == ["heap"]
    stack = report.partition("STACK OF THE FAILING THREAD")[2]
    assert stack.strip().startswith("at com.example.Key.readFields(Key.java:12)")


def test_a_cause_with_all_its_frames_is_of_another_thread(tmp_path: Path) -> None:
    text = _WRAPPED.format(id=f"{_TERA}_m_000001_0", left_out="\t...").replace(
        "java.lang.OutOfMemoryError: Java heap space",
        "org.apache.hadoop.util.DiskChecker$DiskErrorException: Could not find any valid local "
        "directory for spill7.out",
    )
    same_thread = text.replace("Key.java:12)\n", "Key.java:12)\n\t... 9 more\n\nWords.\n")

    _, of_another = told_of(tmp_path, text)
    _, of_the_same = told_of(tmp_path, same_thread)

    assert "FAILING THREAD at com.example.Key.readFields(Key.java:12)" in of_another
    assert "FAILING THREAD at org.apache.hadoop.mapred.MapTask$MapOutput" in of_the_same
    assert "A local disk cannot be used" in of_another


@pytest.mark.parametrize("marker", [" (same)", "same stack as above", "\t...", "Ditto."])
def test_an_attempt_that_ended_as_another_one_is_told_with_it(marker: str, tmp_path: Path) -> None:
    first = _WRAPPED.format(id=f"{_TERA}_m_000001_0", left_out="\t...")
    second = "\n".join(
        [*_WRAPPED.format(id=f"{_TERA}_m_000002_0", left_out="").split("\n")[:2], marker, ""]
    )
    other = second.replace("Spill failed", "Stream closed").replace("_000002_", "_000003_")

    kinds, report = told_of(tmp_path, f"{first}\n{second}\n{other}\nHow can I avoid that?\n")

    assert kinds == ["heap", "not-memory"]
    assert f"2 alike: attempt_{_TERA}_m_000001_0 attempt_{_TERA}_m_000002_0" in report


_OF_ONE = f"attempt_{_TERA}_m_000005_0"
_CAUGHT = (
    f"The log of {_OF_ONE}, the job is fine:\n\n"
    "2024-03-01 10:00:01,000 INFO [main] org.apache.hadoop.mapred.MapTask: Processing split: "
    "hdfs://nn/in/part-0:0+134217728\n"
    "2024-03-01 10:09:44,716 WARN [main] com.example.PageMapper: skipped page 17 (99 MB)\n"
    "java.lang.OutOfMemoryError: Java heap space\n"
    "\tat java.util.Arrays.copyOf(Arrays.java:3332)\n"
    "\tat com.example.PageMapper.map(PageMapper.java:57)\n"
    "\tat com.example.PageMapper.map(PageMapper.java:12)\n"
    "\tat org.apache.hadoop.mapreduce.Mapper.run(Mapper.java:146)\n"
    f"2024-03-01 10:19:44,716 INFO [main] org.apache.hadoop.mapred.Task: Task '{_OF_ONE}' done.\n"
    f"\n24/03/01 10:20:01 INFO mapreduce.Job: Job job_{_TERA} completed successfully\n"
)


def test_an_error_that_a_task_caught_and_outlived_is_told_with_its_place(tmp_path: Path) -> None:
    kinds, report = told_of(tmp_path, _CAUGHT)

    assert kinds == ["none"]
    assert f"Job job_{_TERA} did not fail" in report
    assert f"{_OF_ONE} met an OutOfMemoryError that was caught, and went on, and came to" in report
    assert 'logged as "skipped page 17 (99 MB)"' in report
    assert "below com.example.PageMapper.map (PageMapper.java:57)" in report


_TWO_ENDED = "".join(
    f"24/03/01 10:0{number}:01 INFO mapreduce.Job: Task Id : attempt_{_TERA}_m_000000_{number}, "
    f"Status : FAILED\nError: {message}\n"
    for number, message in enumerate(("GC overhead limit exceeded", "Java heap space"))
)
_STACK = (
    "\nThe log of one of them:\n\n2024-03-01 10:00:00,716 FATAL [main] "
    "org.apache.hadoop.mapred.YarnChild: Error running child : java.lang.OutOfMemoryError: "
    "GC overhead limit exceeded\n\tat com.example.JoinMapper.map(JoinMapper.java:57)\n"
    "\tat org.apache.hadoop.mapred.MapTask.run(MapTask.java:341)\n"
)


def test_a_stack_is_of_the_only_attempt_that_died_with_its_message(tmp_path: Path) -> None:
    third = _TWO_ENDED.split("24/03")[1].replace("_m_000000_0", "_m_000003_0")

    _, of_one = told_of(tmp_path, f"{_TWO_ENDED}{_STACK}")
    _, of_two = told_of(tmp_path, f"{_TWO_ENDED}24/03{third}{_STACK}")

    assert f"Attempt attempt_{_TERA}_m_000000_0 of job" in of_one
    assert "it is that of the only one which died with this message" in of_one
    assert "it is taken for that of one of those" in of_two


_SHARE = "mapreduce.reduce.shuffle.input.buffer.percent"


@pytest.mark.parametrize(
    ("settings", "said", "unsaid"),
    [
        # the container holds more than twice the heap: that grows, and the share is as usual
        (
            f"mapreduce.reduce.memory.mb=3072\nmapreduce.reduce.java.opts=-Xmx1g\n{_SHARE}=0.85",
            ("mapreduce.reduce.java.opts=-Xmx2457m (was -Xmx1g)", f"{_SHARE}=0.70 (was 0.85)"),
            ("percent=0.20",),
        ),
        (
            "mapreduce.reduce.memory.mb=3072\nmapreduce.reduce.java.opts=-Xmx1g",
            ("mapreduce.reduce.java.opts=-Xmx2457m (was -Xmx1g)",),
            ("percent=0",),
        ),
        (
            "mapreduce.reduce.memory.mb=1280\nmapreduce.reduce.java.opts=-Xmx1g",
            (f"-D {_SHARE}=0.20",),
            ("java.opts=-Xmx",),
        ),
        (
            f"I have lowered {_SHARE} to 0.15, no change.",
            (f"({_SHARE}) is not read from the text, which has 0.15",),
            ("Hadoop's default", "WHAT TO CHANGE"),
        ),
    ],
)
def test_of_the_shuffle_the_heap_grows_where_its_container_has_room(
    settings: str, said: tuple[str, ...], unsaid: tuple[str, ...], tmp_path: Path
) -> None:
    _, report = told_of(tmp_path, f"{SHAPES['a frame a line']}\n\n{settings}\n")

    change = report.partition("GAPS IN THE EVIDENCE")[0]
    assert [one for one in said if one not in change] == []
    assert [one for one in unsaid if one in change.partition("WHAT TO CHANGE")[2]] == []


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("    Reduce shuffle bytes        910000000          7000000", "130 times as much"),
        ("| Reduce input records | 88,000,000 | 900,000 |", "97 times as much"),
        ("    Reduce shuffle bytes        910000000          700000000", ""),
        ("Reduce shuffle bytes=910000000", ""),
    ],
)
def test_counters_of_two_reducers_beside_each_other_show_a_large_key(
    row: str, said: str, tmp_path: Path
) -> None:
    text = (
        "Task Id : attempt_1700000000000_0009_r_000002_0, Status : FAILED\n"
        f"Error: {_HEAP}\n\tat com.example.R.reduce(R.java:7)\n\n{row}\n"
    )

    _, report = told_of(tmp_path, text)

    assert said in report
    assert ("More reducers divide no key" in report) == bool(said)


def test_a_share_that_is_far_from_its_default_is_suspected_first(tmp_path: Path) -> None:
    kept = "mapreduce.reduce.input.buffer.percent"
    in_reduce = (
        "Task Id : attempt_1700000000000_0009_r_000002_0, Status : FAILED\n"
        f"Error: {_HEAP}\n\tat com.example.R.reduce(R.java:7)\n"
        "\tat org.apache.hadoop.mapreduce.Reducer.run(Reducer.java:171)\n"
    )
    of_spark = (
        "java.lang.OutOfMemoryError: Unable to acquire 4096 bytes of memory, got 0\n"
        "\tat org.apache.spark.memory.MemoryConsumer.allocateArray(MemoryConsumer.java:87)\n"
        "\tat org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:345)\n"
    )

    _, reduces = told_of(tmp_path, f"set {kept}=0.7;\n{in_reduce}")
    _, usual = told_of(tmp_path, f"set {kept}=0.0;\n{in_reduce}")
    _, spark = told_of(tmp_path, f"{of_spark}spark.memory.fraction 0.3\n")
    _, usual_of_spark = told_of(tmp_path, f"{of_spark}spark.memory.fraction 0.6\n")

    assert f"{kept}=0.7 lets fetched map output stay in up to 70 % of the heap" in reduces
    assert f"-D {kept}=0.0 (was 0.7)" in reduces
    assert "lets fetched map output stay" not in usual
    assert "--conf spark.memory.fraction=0.6 (was 0.3)" in spark
    assert "less than the usual" not in usual_of_spark


def test_a_node_whose_disks_are_full_gives_up_its_containers_and_the_job_may_fill_them(
    tmp_path: Path,
) -> None:
    # RMNodeImpl removes an unhealthy node, and the scheduler gives up what runs on it
    text = (
        "Health-Report : 1/1 local-dirs usable space is below configured utilization percentage/no "
        "more usable space [ /data/yarn : used space above threshold of 90.0% ]\n"
    )
    path = tmp_path / "pasted.txt"
    path.write_text(text)

    told = " ".join(render_findings(found(path)).split())

    assert "those on it are given up" in told
    assert "tez.runtime.compress=true" in told
    assert "waits" not in told
