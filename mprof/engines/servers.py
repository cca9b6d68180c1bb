"""The servers of a cluster, and what sets the memory of each.

None of them runs a map or reduce task, and no property of a job reaches them: their memory is set
where they are started. What an OutOfMemoryError was thrown in tells them apart: a frame, a thread
or a logger. A client names classes of a server, too (``HiveSQLException``, ``HiveMetaStoreClient``,
``TCLIService$Client``), which are left out here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from mprof.engines.program import Program

__all__ = ["OF_CLIENTS", "PAGES", "SERVERS", "server_told_of"]


def _server(id_: str, title: str, words: str, heap: str, options: str) -> Program:
    return Program(id_, title, re.compile(words), heap, "", options, is_server=True)


OF_CLIENTS: Final = "-Xmx in HADOOP_CLIENT_OPTS, or HADOOP_HEAPSIZE where that has none"
"""``bin/hadoop`` gives the JVM ``-Xmx`` of ``HADOOP_HEAPSIZE`` first and the options of clients
behind it, and HotSpot takes the last; from 3 on only where no options have one."""
_HIVE: Final = "HADOOP_HEAPSIZE in hive-env.sh of that service"
_HBASE_HEAP: Final = "HBASE_HEAPSIZE, or -Xmx in {}, in hbase-env.sh"

_JOBTRACKER: Final = "-Xmx in HADOOP_JOBTRACKER_OPTS, else HADOOP_HEAPSIZE, in hadoop-env.sh"

_OF_SPARK: Final = " in spark-env.sh (1g where nothing is set)"

PAGES: Final = (
    _server(
        # build.xml of 1.2 compiles src/webapps/job and src/webapps/task into this package
        "tasktracker-page",
        "web page of the TaskTracker",
        r"\borg\.apache\.hadoop\.mapred\.tasktracker_jsp\b",
        "-Xmx in HADOOP_TASKTRACKER_OPTS, else HADOOP_HEAPSIZE, in hadoop-env.sh",
        "HADOOP_TASKTRACKER_OPTS",
    ),
    _server(
        "jobtracker-page",
        "web page of the JobTracker",
        r"\borg\.apache\.hadoop\.mapred\.\w+_jsp\b",
        _JOBTRACKER,
        "HADOOP_JOBTRACKER_OPTS",
    ),
    _server(
        # src/webapps/hdfs of 1.2
        "namenode-page",
        "web page of the NameNode",
        r"\borg\.apache\.hadoop\.hdfs\.server\.namenode\.\w+_jsp\b",
        "-Xmx in HADOOP_NAMENODE_OPTS in hadoop-env.sh",
        "HADOOP_NAMENODE_OPTS",
    ),
)
"""Pages of Hadoop 1, whose class is on the stack of what fails in one (``HttpJspBase.service``).

A page that fails ends neither its server nor a job.
"""

SERVERS: Final = (
    _server(
        # bin/ext/llap.sh; LlapDaemon
        "llap",
        "LLAP daemon of Hive",
        r"\borg\.apache\.hadoop\.hive\.llap\.(?:daemon|io|cache|shufflehandler)\.|\bLlapDaemon\b",
        "hive.llap.daemon.memory.per.instance.mb",
        "LLAP_DAEMON_OPTS",
    ),
    _server(
        # bin/ext/hiveserver2.sh starts it by hadoop jar
        "hiveserver2",
        "HiveServer2",
        r"\borg\.apache\.hive\.service\.(?:server|auth)\.|"
        r"\borg\.apache\.hive\.service\.cli\.(?:operation|session)\.|"
        r"\bThriftCLIService\b|\bThriftBinaryCLIService\b|\bThriftHttpCLIService\b|"
        r"\bTCLIService\$Processor\b|\bHiveServer2(?:\b|-)|\bHushable\w+Appender\b|"
        r"\borg\.apache\.hadoop\.hive\.common\.JvmPauseMonitor\b|"
        # TCLIService.thrift; the functions of the metastore are in small letters
        r"\bInternal error processing (?:OpenSession|CloseSession|ExecuteStatement|FetchResults|"
        r"Get(?:Info|TypeInfo|Catalogs|Schemas|Tables|TableTypes|Columns|Functions|OperationStatus|"
        r"ResultSetMetadata)|CancelOperation|CloseOperation)\b",
        _HIVE,
        "HADOOP_CLIENT_OPTS in hive-env.sh",
    ),
    _server(
        # bin/livy-server; com.cloudera.livy before it came to Apache
        "livy",
        "Livy server",
        r"\b(?:com\.cloudera|org\.apache)\.livy\.(?:server|sessions|utils)\.",
        "-Xmx in LIVY_SERVER_JAVA_OPTS in livy-env.sh",
        "LIVY_SERVER_JAVA_OPTS",
    ),
    _server(
        # bin/ext/metastore.sh; HiveMetaStore, RetryingHMSHandler
        "metastore",
        "metastore of Hive",
        r"\bRetryingHMSHandler\b|\bHMSHandler\b|\bHiveMetaStore\b|"
        r"\bThriftHiveMetastore\$Processor\b|\bHive Metastore Server\b|\bmetastore\.ObjectStore\b",
        _HIVE,
        "HADOOP_CLIENT_OPTS in hive-env.sh",
    ),
    _server(
        # bin/hbase, hbase-env.sh
        "regionserver",
        "RegionServer of HBase",
        r"\bHRegionServer\b|\bRSRpcServices\b|\bMemStoreFlusher\b|\bCompactSplit(?:Thread)?\b|"
        r"\bhbase\.ipc\.(?:\w*RpcServer|CallRunner|RpcExecutor|HBaseServer)\b|"
        r"\bRS_[A-Z_]+-|\b[BFRWP]\.\w*RpcServer\b|\bRpcServer\.\w*handler=",
        _HBASE_HEAP.format("HBASE_REGIONSERVER_OPTS"),
        "HBASE_REGIONSERVER_OPTS",
    ),
    _server(
        "hbase-master",
        "master of HBase",
        r"\borg\.apache\.hadoop\.hbase\.master\.|\bHMaster\b",
        _HBASE_HEAP.format("HBASE_MASTER_OPTS"),
        "HBASE_MASTER_OPTS",
    ),
    _server(
        # hadoop-env.sh of 1.2, 2.x and 3.x; secondary NameNodes are of the same package
        "namenode",
        "NameNode",
        r"\borg\.apache\.hadoop\.hdfs\.server\.(?:namenode|blockmanagement)\.|\bnamenode\.\w+:",
        "-Xmx in HDFS_NAMENODE_OPTS (before Hadoop 3: HADOOP_NAMENODE_OPTS) in hadoop-env.sh",
        "HDFS_NAMENODE_OPTS (before Hadoop 3: HADOOP_NAMENODE_OPTS)",
    ),
    _server(
        "datanode",
        "DataNode",
        # DataXceiverServer of 0.20 and 1.x writes its registration and "DataXceiveServer: Exiting"
        r"\borg\.apache\.hadoop\.hdfs\.server\.datanode\.|(?<![A-Za-z])DataXceive\w*|"
        r"\bDatanodeRegistration\(|\bdatanode\.\w+:",
        "-Xmx in HDFS_DATANODE_OPTS (before Hadoop 3: HADOOP_DATANODE_OPTS) in hadoop-env.sh",
        "HDFS_DATANODE_OPTS (before Hadoop 3: HADOOP_DATANODE_OPTS)",
    ),
    _server(
        "journalnode",
        "JournalNode",
        r"\borg\.apache\.hadoop\.hdfs\.qjournal\.server\.",
        "-Xmx in HDFS_JOURNALNODE_OPTS (before Hadoop 3: HADOOP_JOURNALNODE_OPTS) in hadoop-env.sh",
        "HDFS_JOURNALNODE_OPTS (before Hadoop 3: HADOOP_JOURNALNODE_OPTS)",
    ),
    _server(
        # bin/mapred, mapred-env.sh
        "historyserver",
        "JobHistoryServer",
        r"\borg\.apache\.hadoop\.mapreduce\.v2\.hs\.",
        "-Xmx in MAPRED_HISTORYSERVER_OPTS (before Hadoop 3: HADOOP_JOB_HISTORYSERVER_HEAPSIZE) "
        "in mapred-env.sh",
        "MAPRED_HISTORYSERVER_OPTS (before Hadoop 3: HADOOP_JOB_HISTORYSERVER_OPTS)",
    ),
    _server(
        # bin/yarn, yarn-env.sh
        "resourcemanager",
        "ResourceManager",
        r"\borg\.apache\.hadoop\.yarn\.server\.resourcemanager\.|\bresourcemanager\.\w+:|"
        r"\bResourceManager Event Processor\b|\bApplicationMasterLauncher #|"
        r"\bRM (?:Event|StateStore|Timeline|ApplicationHistory) dispatcher\b",
        "YARN_RESOURCEMANAGER_HEAPSIZE in yarn-env.sh",
        "YARN_RESOURCEMANAGER_OPTS",
    ),
    _server(
        # ShuffleHandler is an auxiliary service in the NodeManager
        "nodemanager",
        "NodeManager",
        r"\borg\.apache\.hadoop\.yarn\.server\.nodemanager\.|"
        r"\b(?:ContainersLauncher|DeletionService|LogAggregationService) #|"
        r"\bThread\[Container Monitor,|\"Container Monitor\"|\bNode Status Updater\b|"
        r"\bNM (?:ContainerManager|Event|Timeline) dispatcher\b|"
        r"\borg\.apache\.hadoop\.mapred\.(?:ShuffleHandler|Fadvised\w+)\b|"
        r"\borg\.apache\.spark\.network\.yarn\.YarnShuffleService\b",
        "YARN_NODEMANAGER_HEAPSIZE in yarn-env.sh",
        "YARN_NODEMANAGER_OPTS",
    ),
    _server(
        "timeline",
        "timeline server of YARN",
        r"\borg\.apache\.hadoop\.yarn\.server\.(?:timeline\w*|applicationhistoryservice)\.",
        "YARN_TIMELINESERVER_HEAPSIZE in yarn-env.sh",
        "YARN_TIMELINESERVER_OPTS",
    ),
    _server(
        # conf/hadoop-env.sh of 1.2
        "jobtracker",
        "JobTracker",
        r"\bmapred\.(?:JobTracker|JobInProgress|EagerTaskInitializationListener)\b",
        _JOBTRACKER,
        "HADOOP_JOBTRACKER_OPTS",
    ),
    _server(
        "tasktracker",
        "TaskTracker",
        # a task of 0.20 logs its own end in the name of its server
        r"\bmapred\.(?:TaskTracker(?!: Error running child)|JvmManager|TaskMemoryManagerThread)\b",
        "-Xmx in HADOOP_TASKTRACKER_OPTS, else HADOOP_HEAPSIZE, in hadoop-env.sh",
        "HADOOP_TASKTRACKER_OPTS",
    ),
    _server(
        # sbin/spark-daemon.sh; HistoryServer, FsHistoryProvider
        "spark-history",
        "History Server of Spark",
        r"\borg\.apache\.spark\.deploy\.history\.",
        f"SPARK_DAEMON_MEMORY{_OF_SPARK}",
        "SPARK_HISTORY_OPTS",
    ),
    _server(
        "spark-standalone-master",
        "Master of a standalone cluster of Spark",
        r"\borg\.apache\.spark\.deploy\.master\.",
        f"SPARK_DAEMON_MEMORY{_OF_SPARK}",
        "SPARK_MASTER_OPTS",
    ),
    _server(
        "spark-standalone-worker",
        "Worker of a standalone cluster of Spark",
        r"\borg\.apache\.spark\.deploy\.worker\.(?!Driver|Executor|Command|WorkerWatcher)",
        f"SPARK_DAEMON_MEMORY{_OF_SPARK}",
        "SPARK_WORKER_OPTS",
    ),
    _server(
        # zkEnv.sh
        "zookeeper",
        "ZooKeeper server",
        r"\borg\.apache\.zookeeper\.server\.",
        "-Xmx in SERVER_JVMFLAGS (since 3.5: ZK_SERVER_HEAP) of conf/java.env",
        "SERVER_JVMFLAGS",
    ),
    _server(
        # conf/setenv.sh
        "kylin",
        "server of Kylin",
        r"\borg\.apache\.kylin\.(?:rest|job\.execution|job\.impl|server)\.|"
        r"\bkylin\.engine\.mr\.common\.HadoopShellExecutable\b",
        "-Xmx in KYLIN_JVM_SETTINGS of conf/setenv.sh",
        "KYLIN_JVM_SETTINGS",
    ),
    _server(
        "trino",
        "server of Trino or Presto",
        r"\bio\.trino\.(?!jdbc\.|cli\.)|\bio\.prestosql\.(?!jdbc\.|cli\.)|"
        r"\bcom\.facebook\.presto\.(?!jdbc\.|cli\.)",
        "-Xmx in etc/jvm.config",
        "etc/jvm.config",
    ),
    _server(
        "flume",
        "agent of Flume",
        r"\borg\.apache\.flume\.|\borg\.keedio\.flume\.|\bHDFSEventSink\b|\bSinkRunner\b|"
        r"\bPollableSourceRunner\b",
        "-Xmx in JAVA_OPTS of flume-env.sh",
        "JAVA_OPTS of flume-env.sh",
    ),
    _server(
        # bin/catalina.sh
        "tomcat",
        "Tomcat server",
        r"\borg\.apache\.catalina\.|\bcore\.ContainerBase\b|\bstartup\.(?:Embedded|Catalina)\b",
        "-Xmx in CATALINA_OPTS, or of the program that starts an embedded one",
        "CATALINA_OPTS",
    ),
    # and their clients, whose heap is their own
    _server(
        "jdbc-client",
        "client of HiveServer2",
        r"\borg\.apache\.hive\.(?:beeline|jdbc)\.|\bTCLIService\$Client\b",
        "HADOOP_CLIENT_OPTS (beeline), else by -Xmx of the program that reads by JDBC",
        "HADOOP_CLIENT_OPTS",
    ),
    _server(
        "hive-cli",
        "command line of Hive",
        r"\borg\.apache\.hadoop\.hive\.cli\.CliDriver\b",
        OF_CLIENTS,
        "HADOOP_CLIENT_OPTS",
    ),
    _server(
        "pig-client",
        "command of Pig",
        r"\borg\.apache\.pig\.(?:Main|PigServer|tools\.grunt\.\w+)\b",
        "PIG_HEAPSIZE (in MB)",
        "PIG_OPTS",
    ),
)
"""The first whose words stand in a text is what it is of."""

_OF_MEMORY: Final = (
    r"(?:out ?of ?memory|\bOOM\b|java heap space|heap space error|\bGC overhead\b|"
    r"\bran out of heap|direct (?:buffer )?memory|unable to create new native thread)"
)
_OTHERS: Final = re.compile(
    r"(?i)[?]|n['\u2019]t\b|\b(?:map(?:per)?s?|reduc(?:e|er|ers)|tasks?|executors?|drivers?|jobs?|"
    r"applications?|containers?|clients?|quer(?:y|ies)|programs?|not|no|nor|never|without|neither|"
    r"fine|kill\w*|says?|shows?|reports?|ago|last|earlier|before|since)\b"
)
_DIES: Final = (
    r"(?:ran|runs|went|goes|is|was|had|has|got|gets|hits?|dies|died|crashe[sd]|fail(?:s|ed))"
)


def _called(name: str) -> re.Pattern[str]:
    """What says of a server of this name that its memory ran out: a title, or a predicate."""
    return re.compile(rf"(?i)\b{name}(?: \w+)??:? (?:{_DIES} (?:[\w']+ ){{0,3}}?)?{_OF_MEMORY}")


_CALLED: Final = {
    id_: _called(name)
    for id_, name in {
        "spark-history": r"spark(?:'s)?[ -]?(?:job )?history[ -]?server",
        "historyserver": r"(?:job|mapreduce|mr)[ -]?history[ -]?server",
        "hiveserver2": r"(?:hive ?server ?2|HS2)",
        "metastore": r"(?:hive )?metastore(?: (?:server|service|process|daemon))?",
        "namenode": r"name ?node",
        "datanode": r"data ?node",
        "resourcemanager": r"resource ?manager",
        "nodemanager": r"node ?manager",
        "regionserver": r"region ?server",
        "jobtracker": r"job ?tracker",
        "tasktracker": r"task ?tracker",
        "livy": r"livy(?: server)?",
    }.items()
}
"""What people call a server in a sentence, by its id."""
# what tells more of a process than a sentence: a log, a thread, a prompt, an id
_OF_A_PROCESS: Final = re.compile(
    r"^[>\s]*\[?\d{2,4}[-/]\d\d|\b(?:ERROR|WARN|INFO|FATAL)\b|Exception in thread|hive>|"
    r"\breturn code -?\d|\b(?:attempt|task|container)_\d",
    re.MULTILINE,
)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n")


def server_told_of(text: str) -> Program | None:
    """The server of which a heading or sentence says that it ran out of memory.

    None where a line of a log stands beside it, and where several are named so.

    >>> server_told_of("# Spark History server OutOfMemoryError").title
    'History Server of Spark'
    >>> server_told_of("Is a heap space error of a map task a matter of the region server?")
    """
    if _OF_A_PROCESS.search(text) or not re.search(f"(?i){_OF_MEMORY}", text):
        return None
    said = [one for one in _SENTENCE.split(text) if not _OTHERS.search(one)]
    named = {id_ for one in said for id_, called in _CALLED.items() if called.search(one)}
    return next((replace(one, is_said=True) for one in SERVERS if {one.id} == named), None)
