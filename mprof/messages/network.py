"""What fails because another process, node or service was not reached, whatever the memory."""

from __future__ import annotations

import re
from typing import Final

from mprof.messages.ends import MEMORY_IS_NOT_IT, KnownEnd, SaidOfEnd
from mprof.messages.message import Source

__all__ = ["ENDS"]

_UNSET: Final = re.compile(r"0\.0\.0\.0[/:][^ ]*?:?80(?:30|31|32|33)\b")


def _host(found: re.Match[str], text: str) -> SaidOfEnd:
    if _UNSET.search(text):
        return SaidOfEnd(
            "A process looks for the ResourceManager at 0.0.0.0, which is the default: the address "
            "is not set in the configuration that this process reads "
            "(yarn.resourcemanager.hostname in yarn-site.xml, on every node). No memory had run "
            "out.",
            "read yarn-site.xml on the node on which this was written.",
        )
    said = next((said for words, said in _NOT_REACHED if re.search(words, found[0])), _NO_ANSWER)
    begin = text.rfind("\n", 0, found.start()) + 1
    return said._replace(sentence=said.sentence + _whose_port(text[begin : found.end()]))


_PORT: Final = re.compile(r"[\w.-](?:/[\d.]{7,15})?:(\d{4,5})\b(?!\))")
_NEAR: Final = re.compile(r"\bFrom \S+|\blocal=\S+")  # the end from which it was written
# the *-default.xml of Hadoop, HBase and Hive, and Spark's and ZooKeeper's own defaults
_OF_PORTS: Final = {
    2181: ("of ZooKeeper", "hbase.zookeeper.quorum, of HBase's clients"),
    7077: ("of a master of Spark that runs without YARN", "--master spark://HOST:7077"),
    8020: ("of the NameNode", "fs.defaultFS"),
    8030: ("of the ResourceManager, for application masters",
           "yarn.resourcemanager.scheduler.address"),
    8031: ("of the ResourceManager, for NodeManagers",
           "yarn.resourcemanager.resource-tracker.address"),
    8032: ("of the ResourceManager, for clients", "yarn.resourcemanager.address"),
    9000: ("of the NameNode, as many guides set it", "fs.defaultFS"),
    9083: ("of Hive's metastore", "hive.metastore.uris"),
    9866: ("of a DataNode, for data", "dfs.datanode.address"),
    10000: ("of HiveServer2", "hive.server2.thrift.port"),
    10020: ("of the JobHistoryServer", "mapreduce.jobhistory.address"),
    13562: ("of the shuffle in a NodeManager", "mapreduce.shuffle.port"),
    50010: ("of a DataNode before Hadoop 3, for data", "dfs.datanode.address"),
}  # fmt: skip


def _whose_port(line: str) -> str:
    """Who listens at the only port of these that a line names, unless it was set otherwise."""
    named = {int(one) for one in _PORT.findall(_NEAR.sub("", line))} & _OF_PORTS.keys()
    if len(named) != 1:
        return ""
    (port,) = named
    whose, setting = _OF_PORTS[port]
    return f" {port} is as a rule the port {whose} ({setting})."


_TRY_IT: Final = (
    "find the host and port that it was told, and try them from the machine on which this was "
    "written (nc -vz HOST PORT): addresses that nodes have registered, routes, firewalls and "
    "security groups. For DataNodes that only their own network knows by address, "
    "dfs.client.use.datanode.hostname=true asks for their names."
)


_NO_ANSWER: Final = SaidOfEnd(
    "A connection to another process failed: it does not run, the address is wrong, or the network "
    "does not let it through. By itself that is no sign of a lack of memory.",
)


_NOT_REACHED: Final = (
    (
        # also of EADDRNOTAVAIL (PlainSocketImpl.c)
        r"NoRouteToHostException: (?!Cannot assign|Address not)",
        SaidOfEnd(
            "Nothing that was sent reached the other process (No route to host): its host is down, "
            "no route leads to that address, which may be one of another network, or a firewall "
            "rejects it. A process that merely does not run would have refused the connection, and "
            "its log has nothing of this one. That is no sign of a lack of memory.",
            _TRY_IT,
        ),
    ),
    (
        r"UnknownHostException: ",
        SaidOfEnd(
            "The name of another host could not be resolved on this machine: nothing was sent to "
            "it. That is a matter of DNS, of /etc/hosts or of the name, or the name is that of a "
            "nameservice of HDFS which is not in this process's configuration; and no lack of "
            "memory.",
            "getent hosts NAME, on the machine on which this was written, shows what it knows.",
        ),
    ),
    (
        r"Connection refused",
        SaidOfEnd(
            "The other host answered, and refused the connection: no process listens at that "
            "address and port. It does not run any more, is not up yet, or listens elsewhere. By "
            "itself that is no sign of a lack of memory; why it does not run, its own log says.",
            "on the other host, ss -ltn shows what listens, and at which address; where nothing "
            "does, read the log of the process that should.",
        ),
    ),
    (
        r"Accept timed out",  # java.net.ServerSocket; PythonRDD and PythonServer of Spark
        SaidOfEnd(
            "A process waited at a port of its own, and nobody connected in time: the one that was "
            "to do so was busy, had ended, or was kept from it. In Spark that is the Python side "
            "of the program, which fetches a result from the JVM on the same machine. By itself "
            "that says nothing about memory.",
            "read what the process that should have connected did at that time; of PySpark that is "
            "the program itself.",
        ),
    ),
    (
        r"ready for connect|(?i:connect(?:ion)? timed out)|ConnectTimeoutException",
        SaidOfEnd(
            "Another host did not answer when a connection was opened: it is down or overloaded, "
            "the address is one that cannot be reached from here, or a firewall drops what is "
            "sent. By itself that is no sign of a lack of memory.",
            _TRY_IT,
        ),
    ),
    (
        r"waiting for channel to be ready for|ead timed out",
        SaidOfEnd(
            "Another process did not answer in time: it is overloaded, stands still, or cannot be "
            "reached any more. Why, its own log says; a process whose heap is full is slow, too.",
        ),
    ),
)
"""What each way of not reaching a process proves, the first that fits."""


def _service(found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        f"The NodeManager has no service {found[1]}, which the job asks for: it is not named in "
        "yarn.nodemanager.aux-services of that node. No memory had run out.",
    )


def _lost_output(found: re.Match[str], _text: str) -> SaidOfEnd:
    host = (
        f" {found[1]} is the host of the reducer that reported it last, not that of the map task."
        if found[1]
        else ""
    )
    return SaidOfEnd(
        "The map task had finished. Reducers reported that they could not fetch its output, so the "
        f"attempt counts as failed and the task is run again.{host} That is no sign of a lack of "
        "memory in the map task."
    )


def _blocks(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "Data of another process could not be fetched. That is what its reader says, not what "
        "became of the other: an executor, a node or a shuffle service that is gone, for its "
        "memory too, looks like this."
    )


ENDS: Final = (
    KnownEnd(
        id="service_missing",
        title="The NodeManager has no shuffle service",
        words=r"The auxService: ?(\S+) does not exist",
        says=_service,
        first="A service that the job asks for does not run in the NodeManager.",
        means=(
            "Reducers fetch map outputs from the NodeManager (`mapreduce_shuffle`), Spark its "
            "blocks (`spark_shuffle`). Each is named in `yarn.nodemanager.aux-services` of every "
            "node, and loaded when the NodeManager starts."
        ),
        not_proven=MEMORY_IS_NOT_IT,
        change="`yarn.nodemanager.aux-services` in yarn-site.xml of the node, then restart it.",
        more="The log of the NodeManager says at its start which services it added.",
        next_step="search the NodeManager's log for Adding auxiliary service.",
        sources=(
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.yarn.server.nodemanager.containermanager.ContainerManagerImpl",
                "The auxService:N does not exist",
            ),
        ),
    ),
    KnownEnd(
        id="map_output_lost",
        title="The output of a map task could not be fetched",
        words=r"Too [Mm]any [Ff]etch[- ]failures(?:\.[^\n]{0,200} from host (\S{1,200}))?",
        says=_lost_output,
        first="Reducers could not fetch the output of a map task that had finished.",
        means=(
            "Reducers report each copy that fails. After three reports "
            "(`mapreduce.reduce.shuffle.max-fetch-failures-notifications`) of one map output, and "
            "at least half as many as there are reducers that copy, the application master takes "
            "it for lost and runs the task again."
        ),
        not_proven=(
            "Which node is to blame: the one that holds the output, its NodeManager's shuffle "
            "service, the network, or a name that the reducer's node does not know."
        ),
        change="Nothing in the memory of map tasks.",
        more=(
            "The syslog of the reducer that reported it (`Failed to connect to HOST:PORT`), and "
            "the log of that host's NodeManager."
        ),
        next_step="the reducer's syslog (Failed to connect to HOST:PORT) names the hosts that did "
        "not answer; see whether every node knows their names and reaches their shuffle port, "
        "13562.",
        sources=(
            Source(
                "1.2",
                "org.apache.hadoop.mapred.JobInProgress.fetchFailureNotification",
                "Too many fetch-failures",
            ),
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl"
                "$TooManyFetchFailureTransition",
                "Too many fetch failures. Failing the attempt. Last failure reported by ATTEMPT "
                "from host HOST",
            ),
        ),
    ),
    KnownEnd(
        id="blocks_not_fetched",
        title="A task of Spark or Tez could not fetch its input",
        words=(
            r"Shuffle failed with too many fetch failures|FetchFailed\(BlockManagerId|"
            r"spark\.shuffle\.(?:MetadataFetchFailed|FetchFailed)Exception: "
            r"(?!Too large frame)"
        ),
        says=_blocks,
        first="A task could not fetch what another one wrote.",
        means=(
            "What a stage writes lies on the disks of the nodes that ran it, and is served by an "
            "executor or by the NodeManager's shuffle service. Where that is gone or overloaded, "
            "its readers fail, and the stage is run again."
        ),
        not_proven="Why the other is gone: its own end says that, and may well be one of memory.",
        change="Nothing in the memory of the reader, before it is known what became of the other.",
        more="The host and the executor that are named: their end, in the log of the driver.",
        next_step="read how the executor or node that is named ended, in the master's log.",
        sources=(
            Source("Spark 1.1 to 3.5", "org.apache.spark.shuffle.FetchFailedException"),
            Source(
                "Tez 0.8 to 0.10",
                "org.apache.tez.runtime.library.common.shuffle.orderedgrouped.ShuffleScheduler"
                ".isShuffleHealthy",
                "Shuffle failed with too many fetch failures and insufficient progress!",
            ),
        ),
    ),
    KnownEnd(
        id="host_not_reached",
        title="Another process could not be reached",
        words=(
            r"(?:ConnectException|NoRouteToHostException|UnknownHostException|"
            r"SocketTimeoutException|ConnectTimeoutException): [^\n]{0,120}|"
            r"Retrying connect to server: [^\s;]{0,120}"
        ),
        fuller=(
            r"(?:ConnectException|NoRouteToHostException|UnknownHostException|"
            r"SocketTimeoutException|ConnectTimeoutException): [^\n]{0,120}"
        ),
        says=_host,
        first="A connection to another process failed.",
        means=(
            "The other process does not run, its address is wrong where this one reads it, or the "
            "network does not let it through. `Connection refused`: the host answered, and nothing "
            "listens there. `No route to host`, `connect timed out`: nothing came back from that "
            "process; a host that is down, a route, a firewall, or an address that is known in "
            "another network alone, as that with which a DataNode or a NodeManager has registered. "
            "`UnknownHostException`: the name was not resolved. `Read timed out`: the connection "
            "was there, and the answer was not. `0.0.0.0:8030` is the ResourceManager's address "
            "where none is set."
        ),
        not_proven=(
            "Why: a process that died of a full heap, or stands still while it collects, cannot be "
            "reached either. Its own log says that."
        ),
        change="Nothing in the memory of the process that says so.",
        more=(
            "The log of the process that should have answered, at that time; where nothing reached "
            "it, `nc -vz HOST PORT` and `getent hosts NAME` on the machine that says so."
        ),
        next_step="read the log of the process that should have answered, at that time.",
        sources=(
            Source(
                "1.2 to 3.5",
                "org.apache.hadoop.ipc.Client$Connection",
                "Retrying connect to server: ",
            ),
            Source("JDK", "java.net.ConnectException"),
            Source("JDK", "java.net.NoRouteToHostException", "No route to host"),
        ),
    ),
)
