"""The processes of a cluster that are no map or reduce task, and what sets their memory.

YARN kills and reports them in the words that it has for tasks, and their logs look alike: without
this the settings of map and reduce tasks would be named for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from mprof.engines.program import Program
from mprof.engines.servers import OF_CLIENTS, PAGES, SERVERS

__all__ = [
    "client_in", "is_of_hadoop_1", "is_of_kubernetes", "master_in", "names_a_task", "page_in",
    "program_around", "program_by_actors", "program_in", "program_on_stack", "server_in",
    "shows_mapreduce", "signs_of_local_mode",
    "tells_of_hadoop_1", "which_of",
]  # fmt: skip


_LABEL: Final = r"(?<!-l )(?<!-l=)(?<!selector=)(?<!selector )\bspark-role="
"""Of a pod, as kubectl shows it, and not where it is asked for pods with it."""
_PROGRAMS: Final = (
    Program(
        # org.apache.hadoop.hive.ql.exec.mr.MapredLocalTask: a JVM that the client starts
        "hive-local-task",
        "local task of Hive",
        re.compile(
            r"MapredLocalTask|MapJoinMemoryExhaustion(?:Exception|Error)|HashTableSinkOperator|"
            r"local task to process map join|Processing rows:.*Hashtable size:"
        ),
        "-Xmx in HADOOP_CLIENT_OPTS, or hive.mapred.local.mem (MB) where that has none",
        "",
        "HADOOP_CLIENT_OPTS",
    ),
    Program(
        # org.apache.hadoop.hive.ql.exec.TaskRunner.runSequential: what it throws itself is -101
        "hive-session",
        "session of Hive (its command line, or HiveServer)",
        re.compile(r"\breturn code -101 from "),
        "HADOOP_HEAPSIZE in hive-env.sh, or -Xmx in HADOOP_CLIENT_OPTS",
        "",
        "HADOOP_CLIENT_OPTS",
    ),
    Program(
        # org.apache.tez.dag.api.TezConfiguration
        "tez-master",
        "application master of Tez",
        re.compile(r"\bDAGAppMaster\b|\bROOT_INPUT_INIT_FAILURE\b|\borg\.apache\.tez\.dag\.app\."),
        "-Xmx in tez.am.launch.cmd-opts",
        "tez.am.resource.memory.mb",
        "tez.am.launch.cmd-opts",
    ),
    Program(
        # HiveConf: HIVETEZCONTAINERSIZE, HIVETEZJAVAOPTS; of others TezConfiguration's
        "tez-task",
        "task of Tez",
        re.compile(
            r"\bTezChild\b|\bVertex failed, vertexName|\borg\.apache\.tez\.|\bvertex_\d+_\d+|"
            r"\bTezProcessor\b|\bhive\.tez\.|\btez\.(?:task|runtime|grouping)\.|"
            # of a task alone, not of the client, the master or LLAP's daemon
            r"\bhive\.ql\.exec\.tez\.(?:\w*Record(?:Processor|Source)|HashTableLoader)\b|"
            r"\battempt_\d{12,13}_\d{3,9}_\d{1,5}_\d{2,4}_\d{6}_\d{1,3}\b"
        ),
        "-Xmx in hive.tez.java.opts (without Hive: tez.task.launch.cmd-opts)",
        "hive.tez.container.size (without Hive: tez.task.resource.memory.mb)",
        "hive.tez.java.opts",
    ),
    Program(
        # org.apache.spark.deploy.yarn.Client.verifyClusterResources: before anything is asked for
        "spark-client",
        "client of Spark",
        re.compile(
            r"\bdeploy\.yarn\.Client\.verifyClusterResources\b|"
            r"\bRequired (?:executor|AM) memory \(\d"
        ),
        "spark.driver.memory",
        "",
        "spark.driver.extraJavaOptions",
    ),
    Program(
        # org.apache.spark.SparkContext.DRIVER_IDENTIFIER: only there the driver is an executor, too
        "spark-local",
        "program of Spark in one JVM (local mode)",
        re.compile(
            # Spark 1 names no executor, and TaskSetManager logs where a task had finished
            r"\bexecutor (?:ID )?driver\b|\bon localhost \(\d{1,6}/\d{1,6}\)|"
            r"\(TID \d{1,9}, localhost\)|"
            r"--master[ =]local\b|\bspark\.master[ =]local\b"
        ),
        "spark.driver.memory (--driver-memory; before the JVM starts)",
        "",
        "spark.driver.extraJavaOptions",
    ),
    Program(
        # org.apache.spark.deploy.yarn.Client, .ApplicationMaster, .ExecutorLauncher
        "spark-master",
        "driver or application master of Spark",
        re.compile(
            r"\borg\.apache\.spark\.deploy\.yarn\.(?:ApplicationMaster|ExecutorLauncher)\b|"
            r"\bNot enough memory to build and broadcast\b|\bbroadcast-exchange-\d|"
            r"\bspark\.driver\.memoryOverhead\b|\bdag-scheduler-event-loop\b|"
            r"\btask-result-getter-\d|, stopping SparkContext\b|"
            r"\bis bigger than (?:local result size limit )?spark\.driver\.maxResultSize\b|"
            rf"{_LABEL}driver\b"
        ),
        "spark.driver.memory (of the application master in client mode: spark.yarn.am.memory)",
        "spark.driver.memory and spark.driver.memoryOverhead (before 2.3: "
        "spark.yarn.driver.memoryOverhead) together, in cluster mode",
        "spark.driver.extraJavaOptions",
    ),
    Program(
        # org.apache.spark.deploy.yarn.YarnAllocator, o.a.s.scheduler.TaskSetManager
        "spark-executor",
        "executor of Spark",
        re.compile(
            r"\bLost executor \d|\bExecutorLostFailure\b|\b(?:Coarse|Yarn)\w*ExecutorBackend\b|"
            r"\bspark\.(?:yarn\.)?executor[. ]memoryOverhead\b|\bTaskSetManager\b|"
            r"\bYarnAllocator\b|\bContainer (?:marked as failed|from a bad node): container_|"
            r"\b(?:Lost|Exception in) task [\d.]+ in stage\b|\bExecutor task launch worker\b|"
            r"\borg\.apache\.spark\.executor\.Executor\b|"
            r"\bContainer killed by YARN for exceeding (?:physical |virtual )?memory limits|"
            rf"{_LABEL}executor\b"
        ),
        "spark.executor.memory",
        "spark.executor.memory and spark.executor.memoryOverhead (before 2.3: "
        "spark.yarn.executor.memoryOverhead) together",
        "spark.executor.extraJavaOptions",
        frozenset({52}),  # org.apache.spark.util.SparkExitCode.OOM
    ),
    Program(
        # what is left of either of the two: frames and settings say no more than that it is Spark's
        "spark",
        "process of Spark",
        re.compile(r"\borg\.apache\.spark\.|\bspark\.(?:executor|driver|yarn)\.|\bDAGScheduler\b"),
        "spark.executor.memory (of the driver: spark.driver.memory)",
        "spark.executor.memory and spark.executor.memoryOverhead (of the driver: "
        "spark.driver.memory and spark.driver.memoryOverhead) together",
        "spark.executor.extraJavaOptions (of the driver: spark.driver.extraJavaOptions)",
    ),
    Program(
        # org.apache.flink.configuration.TaskManagerOptions, JobManagerOptions
        "flink",
        "process of Flink",
        re.compile(r"\borg\.apache\.flink\.|\bYarnTaskExecutorRunner\b|\bYarnJobClusterEntry"),
        "taskmanager.memory.task.heap.size or jobmanager.memory.heap.size (before Flink 1.10: what "
        "containerized.heap-cutoff-ratio leaves of the container)",
        "taskmanager.memory.process.size or jobmanager.memory.process.size (before Flink 1.10: "
        "taskmanager.heap.size or jobmanager.heap.size)",
        "env.java.opts",
    ),
    Program(
        # org.apache.hadoop.mapreduce.MRJobConfig.MR_AM_VMEM_MB, MR_AM_COMMAND_OPTS
        "mapreduce-master",
        "application master",
        re.compile(
            r"\bMRAppMaster\b|\borg\.apache\.hadoop\.mapreduce\.v2\.app\.|"
            # what it runs of another package
            r"\borg\.apache\.hadoop\.mapred\.TaskAttemptListenerImpl\b|"
            r"\bRMCommunicator Allocator\b|\bCommitterEvent Processor #"  # threads of its alone
        ),
        "-Xmx in yarn.app.mapreduce.am.command-opts",
        "yarn.app.mapreduce.am.resource.mb",
        "yarn.app.mapreduce.am.command-opts",
    ),
    Program(
        # what the process tree of a kill says of one that is none of those above
        "other-master",
        "application master of another engine",
        re.compile(r"\|- .*\(java\).*\b[\w.]*(?:ApplicationMaster|AppMaster|JobManager)\b"),
        "-Xmx in its command",
        "what its client asks for",
        "its command",
    ),
    Program(
        "distcp",
        "command of DistCp",
        re.compile(r"\borg\.apache\.hadoop\.tools\.(?:\w*CopyListing|DistCp)\b"),
        OF_CLIENTS,
        "",
        "HADOOP_CLIENT_OPTS",
    ),
    Program(
        # the main method of a task (YarnChild, Child) or of MRAppMaster catches every error; what
        # java itself reports of a main thread is of a command: hadoop fs, distcp, a driver
        "command",
        "client's command",
        re.compile(
            r'\bmain Exception in thread "main"|\borg\.apache\.hadoop\.(?:fs\.FsShell|'
            r"util\.RunJar|mapreduce\.JobSubmitter|mapred\.JobClient)\b|"
            r"\bRMAppManager\.|"  # which is asked when an application is submitted
            r"\bmapred\.JobTracker\.getJobCounters\b|"  # which JobClient calls
            # JobSubmissionFiles: what the client alone writes below the folder of a job
            r"\bDataStreamer for file \S*/\.staging/job_\d+_\d+/(?:job\.|libjars/|files/|archives/)"
        ),
        f"{OF_CLIENTS}, where it is one of Hadoop's, else by -Xmx of its own",
        "",
        "HADOOP_CLIENT_OPTS",
    ),
)
"""The first whose words stand in a text is what it is of."""
_BY_ID: Final = {one.id: one for one in _PROGRAMS}

_LOCAL_RUNNER: Final = Program(
    # org.apache.hadoop.mapred.LocalJobRunner: the tasks are threads of the JVM that submits the job
    "local-runner",
    "JVM that runs a whole job (LocalJobRunner)",
    re.compile(r"\bLocalJobRunner\b|\bjob_local\d+_\d+"),
    "HADOOP_CLIENT_OPTS (of a program that is not started by hadoop: its own -Xmx)",
    "",
    "HADOOP_CLIENT_OPTS",
)
_UBER: Final = Program(
    # org.apache.hadoop.mapred.LocalContainerLauncher: small jobs have no containers of their own
    "mapreduce-uber",
    "application master that runs the tasks itself (uber mode)",
    re.compile(r"\bLocalContainerLauncher\b|\buber-SubtaskRunner\b"),
    "-Xmx in yarn.app.mapreduce.am.command-opts",
    "yarn.app.mapreduce.am.resource.mb",
    "yarn.app.mapreduce.am.command-opts",
)
_RUN_TASKS: Final = (_LOCAL_RUNNER, _UBER)
_OF_AN_IDE: Final = Program(
    # IntelliJ IDEA and Eclipse start `java` themselves: no spark-submit reads --driver-memory
    "spark-ide",
    "program of Spark that an IDE started (local mode)",
    re.compile(r"\bidea_rt\.jar\b|\bcom\.intellij\.rt\.|\borg\.eclipse\.(?:jdt|osgi)\."),
    "-Xmx in the VM options of its run configuration (spark.driver.memory comes too late there)",
    "",
    "the VM options of its run configuration",
)
_OF_SBT: Final = Program(
    # sbt runs a main class in a thread of its own JVM, unless fork is set
    "spark-ide",
    "program of Spark that sbt started (local mode)",
    re.compile(r"\brun-main(?:-group)?-\d|\bsbt(?:\.Run\b| [\"']?(?:run|run-main|runMain)\b)"),
    "-Xmx of sbt itself (sbt -J-Xmx4g, or SBT_OPTS; with fork := true javaOptions), which "
    "spark.driver.memory does not change",
    "",
    "SBT_OPTS",
)
_OF_A_TEST: Final = Program(
    # the threads that ScalaTest's Runner and Maven Surefire name
    "spark-ide",
    "program of Spark that a test run started (local mode)",
    re.compile(r"\bScalaTest-(?:main|run|dispatcher)\b|\bsurefire-forkedjvm\b|\bmaven\.surefire\."),
    "-Xmx of the JVM that runs the tests (sbt: javaOptions with fork := true; Maven: argLine of "
    "its plugin; an IDE: VM options), which spark.driver.memory does not change",
    "",
    "the options of the JVM that runs the tests",
)
_STARTED_BY: Final = (_OF_A_TEST, _OF_AN_IDE, _OF_SBT)
_MAPREDUCE_FAILED: Final = re.compile(r"return code \d+ from \S*\bMapRedTask\b")
_OF_A_TASK: Final = re.compile(
    r"\bYarnChild\b|\bmapred\.(?:Child|MapTask|ReduceTask)\b|"
    r"\bmapreduce\.(?:Mapper|Reducer)\.run\b"
)


_THRIFT_OF_SPARK: Final = r"org\.apache\.spark\.sql\.hive\.thriftserver\b"
_CLIENT: Final = re.compile(r"\borg\.apache\.hadoop\.(?:hive\.cli\.CliDriver|util\.RunJar)\b")
"""Frames at the bottom of the main thread of a command, whatever engine's client stands above."""
_SUBMITS: Final = re.compile(r"\bdeploy\.yarn\.Client\.verifyClusterResources\b")
_DRIVER: Final = re.compile(
    rf"\borg\.apache\.spark\.(?:deploy\.SparkSubmit|SparkContext)\b|\b{_THRIFT_OF_SPARK}|"
    # what schedules tasks and takes in what they send
    r"\borg\.apache\.spark\.scheduler\.(?:TaskResultGetter|TaskSchedulerImpl|TaskSetManager|"
    r"DAGScheduler)\b|"
    # actions: what tasks send is put together there
    r"\borg\.apache\.spark\.(?:sql\.Dataset|rdd\.RDD|api\.python\.PythonRDD)\$?\.collect\w*|"
    # what is broadcast is collected there, and its table built
    r"\borg\.apache\.spark\.sql\.execution\.exchange\.BroadcastExchangeExec\b"
)


# org.apache.spark.deploy.k8s and o.a.s.scheduler.cluster.k8s, the pods that they make, kubectl
_OF_KUBERNETES: Final = re.compile(
    r"\bk8s://|\bkubectl\b|\bkubelet\b|\bspark\.kubernetes\.|\bspark\.[\w.]{1,40}\.k8s\.|"
    r"\bKubernetesClusterSchedulerBackend\b|\bExecutorPods\w|-exec-\d|\bOOMKilled\b"
)


def is_of_kubernetes(text: str) -> bool:
    """Whether a text is of processes that run in pods.

    >>> is_of_kubernetes("spark-submit --master k8s://https://api:6443")
    True
    """
    return _OF_KUBERNETES.search(text) is not None


# akka.actor.ActorSystemImpl, of Spark up to 1.6: SparkEnv names the system by its process
_ACTOR_SYSTEM: Final = re.compile(r"\bActorSystem \[spark(Driver|Executor)\]")


def program_by_actors(text: str) -> Program | None:
    """The process of Spark whose actor system an error shut down; None of other errors.

    >>> program_by_actors("Uncaught fatal error, shutting down ActorSystem [sparkDriver]").title
    'driver or application master of Spark'
    """
    found = _ACTOR_SYSTEM.search(text)
    if found is None:
        return None
    return _BY_ID["spark-master" if found[1] == "Driver" else "spark-executor"]


def names_a_task(text: str) -> bool:
    """Whether classes that run in the JVM of a map or reduce task alone stand in a text."""
    return _OF_A_TASK.search(text) is not None


def program_on_stack(text: str) -> Program | None:
    """The program by the frames of the error that ended it, which tell more than words around.

    None where they do not say which of an engine's processes it was. A driver quotes the errors of
    its executors, but only a driver has these frames itself.

    >>> program_on_stack("org.apache.spark.deploy.SparkSubmit.main").title
    'driver or application master of Spark'
    """
    if _SUBMITS.search(text):
        return _BY_ID["spark-client"]
    if _DRIVER.search(text):
        return _BY_ID["spark-master"]
    if _CLIENT.search(text) and not names_a_task(text):
        return _BY_ID["command"]
    found = program_in(text)
    return None if found is None or found.id == "spark" else found


_PIG_ON_TEZ: Final = Program(
    # org.apache.pig.backend.hadoop.executionengine.tez.TezDagBuilder: MRHelpers.getJavaOptsForMR-,
    # getResourceForMRMapper and -Reducer
    "tez-pig",
    "task of Tez that Pig asked for",
    re.compile(r"\bexecutionengine\.tez\.|\bPigTezLauncher\b|\bPigProcessor\b|\bscope-\d"),
    "-Xmx in mapreduce.map.java.opts (of a vertex behind a shuffle: mapreduce.reduce.java.opts), "
    "which Pig hands on to Tez",
    "mapreduce.map.memory.mb (of a vertex behind a shuffle: mapreduce.reduce.memory.mb)",
    "mapreduce.map.java.opts",
)


_OF_SPARK: Final = frozenset({"spark-local", "spark-executor", "spark-master", "spark"})


def program_in(text: str) -> Program | None:
    """The program that a text about a process is of; None of map and reduce tasks, and of others.

    >>> program_in("Lost executor 9 on w1: Container killed by YARN").title
    'executor of Spark'
    """
    runs_tasks = next((one for one in _RUN_TASKS if one.words.search(text)), None)
    if runs_tasks is not None or names_a_task(text):
        return runs_tasks
    asked: tuple[Program, ...] = _PROGRAMS
    if _MAPREDUCE_FAILED.search(text):  # whatever was set for Tez beside it
        asked = tuple(one for one in _PROGRAMS if not one.id.startswith("tez-"))
    found = next((one for one in asked if one.words.search(text)), None)
    if found is not None and found.id == "tez-task" and _PIG_ON_TEZ.words.search(text):
        return _PIG_ON_TEZ
    if found is None or found.id not in _OF_SPARK:
        return found
    if found.id != "spark-local":  # a test has no cluster
        return _OF_A_TEST if _OF_A_TEST.words.search(text) else found
    return next((one for one in _STARTED_BY if one.words.search(text)), found)


# org.apache.hadoop.mapreduce.Job, .JobSubmitter, o.a.h.mapred.JobClient, and Cascading's
# HadoopFlowStepJob.internalNonBlockingStart
_OF_CLIENT: Final = re.compile(
    r"[ .](?:mapreduce\.Job(?:Submitter)?|mapred\.JobClient): |\bRunning job: job_|"
    r"\bsubmitted hadoop job: job_"
)


def client_in(text: str) -> Program | None:
    """The JVM that submitted a job, by lines that it alone prints.

    >>> client_in("INFO mapred.JobClient: Running job: job_201401010000_0007").title
    "client's command"
    """
    if _OF_CLIENT.search(text) is None:
        return None
    if _LOCAL_RUNNER.words.search(text):
        return _LOCAL_RUNNER
    return _BY_ID["command"]


_LED: Final = {
    # org.apache.spark.deploy.yarn.Client, with the short names that its loggers have; its commands
    "spark-master": re.compile(
        r"\borg\.apache\.spark\.|\byarn\.Client: |\bClient: Application report for application_|"
        r"\bspark-(?:submit|shell|sql)\b|\bpyspark\b|\bspark\.(?:driver|executor|yarn)\."
    ),
    "tez-master": re.compile(
        r"\bDAGAppMaster\b|\borg\.apache\.tez\.|\bTez(?:Task|Session|Child)|\b(?:hive\.)?tez\.\w"
    ),
    "flink": re.compile(r"\borg\.apache\.flink\.|(?i:\bflink\b)"),
    # the ids of its jobs and attempts, which no other engine has, its classes and properties
    "mapreduce-master": re.compile(
        r"\bMRAppMaster\b|\bMapRedTask\b|\bjob_\d{12,13}_\d{3,9}\b|(?i:\bMap-?Reduce\b|\buber\b)|"
        r"\battempt_\d{12,13}_\d{3,9}_[mr]_|\bmapred\.(?:JobClient|job|map|reduce|child)\b"
    ),
}
"""By what a text shows the engine whose application it tells of, by id of its master."""


def master_in(text: str) -> Program | None:
    """The application master of an application, by what shows its engine; None without, or of two.

    YARN starts an application of any engine in the same way, and tells of it in the same words.

    >>> master_in("org.apache.spark.SparkException: Application X finished with failed").title
    'driver or application master of Spark'
    >>> master_in("Container container_1700000000000_0001_01_000001 is running beyond")
    """
    shown = [id_ for id_, words in _LED.items() if words.search(text)]
    if len(shown) != 1:
        return None
    return _BY_ID[shown[0]]


# org.apache.tez.dag.app.dag.impl.VertexImpl, o.a.tez.dag.history.events, TezTaskAttemptID
_VERTEX: Final = re.compile(
    r"(?:Vertex failed, vertexName=(?P<failed>[^,\n]{1,80}),|"
    r"\bvertexName=(?P<attempted>[^,\n]{1,80}), (?=taskAttemptId=))"
    r"(?:\s?(?:vertexId=vertex|taskAttemptId=attempt)_(?P<of>\d{1,13}_\d{1,9})_)?"
)
_TEZ_ATTEMPT: Final = re.compile(
    r"\battempt_(?P<of>\d{12,13}_\d{3,9})_\d{1,5}_\d{2,4}_\d{6}_\d{1,3}\b"
)
_OF_CONTAINER: Final = re.compile(r"container_(?:e\d+_)?(\d+_\d+)_")


_MAY_BE_A_SIGN: Final = re.compile(
    r"driver|localhost|local\b|idea_rt|intellij|eclipse|sbt|run-main|ScalaTest-|surefire"
)
"""Of all signs; a line without it is none. The signs alone take 18 times as long for a log."""


def signs_of_local_mode(lines: Iterable[str]) -> str:
    """The first line of a text that shows local mode of Spark, and the first of what started it.

    Each line that such a program logs may be the last that tells it from an executor of a cluster.

    >>> signs_of_local_mode(["a", "INFO Executor: Starting executor ID driver on host localhost"])
    'INFO Executor: Starting executor ID driver on host localhost'
    """
    signs = [one.words for one in (_BY_ID["spark-local"], *_STARTED_BY)]
    found: dict[str, str] = {}
    for line in filter(_MAY_BE_A_SIGN.search, lines):
        for words in signs:
            if words.pattern not in found and words.search(line):
                found[words.pattern] = line
    return "\n".join(found.values())


def which_of(program: Program, *texts: str, container: str | None = None) -> Program:
    """The program with which of its kind it was, where one text names a single one.

    Args:
        program: what died.
        texts: about its end, the nearest to it first.
        container: its id, where it is known: what ran in it is of the same application.

    >>> tez = program_in("Vertex failed, vertexName=Map 1, vertexId=vertex_1_1_1_00")
    >>> which_of(tez, "Vertex failed, vertexName=Map 1, vertexId=vertex_1_1_1_00").which
    'vertex Map 1'
    """
    if program.id not in {"tez-task", "tez-pig"}:
        return program
    named = _OF_CONTAINER.match(container or "")

    def is_of_it(found: re.Match[str]) -> bool:
        return named is None or found["of"] in {None, named[1]}

    vertices = (
        {one["failed"] or one["attempted"] for one in _VERTEX.finditer(text) if is_of_it(one)}
        for text in texts
    )
    attempts = ({one[0] for one in _TEZ_ATTEMPT.finditer(text) if is_of_it(one)} for text in texts)
    vertex = next((found for found in vertices if found), set[str]())
    attempt = next((found for found in attempts if found), set[str]())
    which = [
        *(f"vertex {one}" for one in vertex if len(vertex) == 1),
        *(one for one in attempt if len(attempt) == 1),
    ]
    return replace(program, which=", ".join(which))


# org.apache.spark.executor.CoarseGrainedExecutorBackend: onDisconnected, and SignalUtils of its log
_DRIVER_LEFT: Final = re.compile(
    r"\bDriver \S{1,300} disassociated! Shutting down|"
    r"\b\w*CoarseGrainedExecutorBackend: RECEIVED SIGNAL (?:\d+: )?(?:SIG)?TERM\b"
)
_TEZ_BY_SETTING: Final = re.compile(r"\b(?:hive\.tez|tez\.(?:task|runtime|grouping))\.[\w.-]*")
_OF_MAPREDUCE: Final = re.compile(r"\bmapreduce\.(?:map|reduce)\.(?:memory\.mb|java\.opts)\b")
_DRIVER_SAID: Final = re.compile(
    r"(?i)\bdriver(?:['\u2019]s)? (?:\w+ ){0,2}?(?:OOM\b|out[ -]?of[ -]?memory|OutOfMemory)|"
    r"\b(?:OOM|out[ -]?of[ -]?memory|OutOfMemoryError) (?:\w+ ){0,2}?(?:of|in|on|at) "
    r"(?:the |our |my )?(?:spark )?driver\b"
)


_NAMES_SPARK: Final = re.compile(r"(?i)\bspark\b")


def program_around(text: str) -> Program | None:
    """The program of an error that names no process itself, by the text in which it stands.

    Executors of Spark end because their driver has ended, and say so: their lines are then no
    sign that the error is theirs. It is the driver's where the writer says that.

    >>> lost = "ERROR CoarseGrainedExecutorBackend: Driver w1:7078 disassociated! Shutting down."
    >>> program_around(lost).title, program_around(f"Spark driver OOM. {lost}").title
    ('process of Spark', 'driver or application master of Spark')
    """
    found = program_in(text)
    if found is not None and found.id == "tez-task" and _OF_MAPREDUCE.search(text):
        shown = _TEZ_BY_SETTING.sub("", text)  # a page on a cluster has settings of every engine
        found = found if found.words.search(shown) else None
    if found is None and _NAMES_SPARK.search(text) and _DRIVER_SAID.search(text):
        return _BY_ID["spark-master"]
    if found is None or found.id not in {"spark", "spark-executor"}:
        return found
    if found.id == "spark-executor" and _DRIVER_LEFT.search(text) is None:
        return found
    id_ = "spark-master" if _DRIVER_SAID.search(text) else "spark"
    return _BY_ID[id_]


_OF_HADOOP_1: Final = re.compile(
    r"org\.apache\.hadoop\.mapred\.(?:Child|ReduceTask\$ReduceCopier|TaskTracker|JvmManager|"
    r"JobTracker|JobInProgress|TaskRunner|TaskMemoryManagerThread|DefaultTaskController|"
    r"LinuxTaskController|\w+_jsp)(?:\$.*)?"
)


def is_of_hadoop_1(class_name: str) -> bool:
    """Whether a class is of Hadoop 1 (0.20 to 1.2, and MRv1 of CDH 4) alone.

    Hadoop 2 has its shuffle in ``mapreduce.task.reduce``, its tasks in ``YarnChild``, and none of
    the daemons.

    >>> is_of_hadoop_1("org.apache.hadoop.mapred.ReduceTask$ReduceCopier$MapOutputCopier")
    True
    >>> is_of_hadoop_1("org.apache.hadoop.mapred.ReduceTask")
    False
    """
    return _OF_HADOOP_1.fullmatch(class_name) is not None


_SAYS_HADOOP_1: Final = re.compile(
    r"\b(?:Job|Task)Trackers?\b|(?i:\bjob ?tracker|\btask ?tracker)|"
    r"(?i:\b(?:apache )?hadoop[ -](?:core-|version |v)?(?:0\.(?:1[5-9]|2[01])|1\.[0-2])\b)|"
    r"\b(?:job|task|attempt)_20\d{10}_\d{4}|\bMR(?:v| ?)1\b|\bCDH ?[23]\b"
)
_SAYS_YARN: Final = re.compile(
    r"(?i:\byarn\b|node ?manager|resource ?manager)|"
    r"\b(?:container|application|job)_(?:e\d+_)?1\d{12}_|"
    r"\bmapreduce\.(?:map|reduce)\.(?:memory\.mb|java\.opts)|"
    r"(?i:\b(?:apache )?hadoop[ -](?:core-|version |v)?(?:[23]\.\d|0\.2[23]))"
)


def tells_of_hadoop_1(text: str) -> bool:
    """Whether what somebody wrote is about Hadoop 1 by its daemons, versions and ids, none of YARN.

    >>> tells_of_hadoop_1("I refer to Hadoop 0.20.2, our tasktrackers have 8 slots")
    True
    >>> tells_of_hadoop_1("the same under YARN as with the old JobTracker")
    False
    """
    return _SAYS_HADOOP_1.search(text) is not None and _SAYS_YARN.search(text) is None


def shows_mapreduce(text: str) -> bool:
    """Whether a text has what MapReduce alone has: its ids, its classes, its name.

    >>> shows_mapreduce("attempt_1700000000000_0042_m_000001_0 : FAILED")
    True
    """
    return _LED["mapreduce-master"].search(text) is not None


def page_in(frames: str) -> Program | None:
    """The web page of a server that frames are of; None of anything else.

    >>> page_in("org.apache.hadoop.mapred.jobdetailshistory_jsp._jspService").title
    'web page of the JobTracker'
    """
    return next((one for one in PAGES if one.words.search(frames)), None)


def server_in(text: str) -> Program | None:
    """The server, or the client of one, that frames, threads and loggers are of.

    What runs a job, as tasks or as `LocalJobRunner`, is none of them.

    >>> server_in("org.apache.hadoop.hdfs.server.namenode.FSImage").title
    'NameNode'
    """
    if any(one.words.search(text) for one in _RUN_TASKS) or names_a_task(text):
        return None
    if re.search(_THRIFT_OF_SPARK, text):  # a driver, with classes of HiveServer2 in it
        return None
    return next((one for one in SERVERS if one.words.search(text)), None)
