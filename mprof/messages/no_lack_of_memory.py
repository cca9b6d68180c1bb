"""Ends that look like any other, and that no lack of memory brings about."""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import Evidence
from mprof.messages.ends import PAGE, KnownEnd, SaidOfEnd, message_of
from mprof.messages.message import Message, Reading, Source
from mprof.messages.said import logs_command
from mprof.units import format_count

__all__ = ["ENDS", "MESSAGES"]

_MEMORY_IS_NOT_IT: Final = "Anything about memory: no end of this kind comes from a lack of it."
_ASKED: Final = re.compile(r"requestedMemory=(-?\d{1,12})|Requested resource=<memory:(-?\d{1,12})")
_MOST: Final = re.compile(r"maxMemory=(\d{1,12})|maximum allowed allocation=<memory:(\d{1,12})")


def _megabytes(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    return None if found is None else int(next(one for one in found.groups() if one is not None))


def _request(_found: re.Match[str], text: str) -> SaidOfEnd:
    asked, most = _megabytes(_ASKED, text), _megabytes(_MOST, text)
    if asked is not None and asked < 0:
        return SaidOfEnd(
            f"YARN was asked for a container of {asked} MB: the property that sets its size is not "
            "set where the job was submitted. No memory had run out.",
        )
    if asked is None or most is None or asked <= most:
        return SaidOfEnd(
            "YARN refused the size of a container that it was asked for (memory or cores), so it "
            "was not started: no memory had run out.",
        )
    return SaidOfEnd(
        f"YARN was asked for a container of {format_count(asked)} MB and gives "
        f"{format_count(most)} MB at most, so it was not started: no memory had run out. The "
        "application master asks for yarn.app.mapreduce.am.resource.mb (1536 where nothing is "
        "set), a task for mapreduce.map.memory.mb or mapreduce.reduce.memory.mb; what is given is "
        "yarn.scheduler.maximum-allocation-mb, or less where no node has so much "
        "(yarn.nodemanager.resource.memory-mb).",
    )


def _disks(found: re.Match[str], _text: str) -> SaidOfEnd:
    if "-dirs" in found[0]:
        return SaidOfEnd(
            "The NodeManager takes local disks of its node out of use: they are nearly full, or "
            "may not be written. A node without a good one gets no containers, and a job that "
            "finds no other node waits. That is no lack of memory.",
        )
    if "No space left" in found[0]:
        return SaidOfEnd(
            "A disk is full (No space left on device), or has no free inode: intermediate data of "
            "tasks lies on the local disks of a node. That is no lack of memory.",
        )
    return SaidOfEnd(
        "No local folder of the node could be used: every disk in yarn.nodemanager.local-dirs "
        "(mapred.local.dir in Hadoop 1) is full, missing, may not be written by this user, or is "
        "so full that the NodeManager has taken it out of use, which it does at 90 % unless that "
        "is set. That is no lack of memory.",
    )


def _token(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "A delegation token was refused: it has expired, was cancelled at the end of another job, "
        "or is not known to that service. That is a matter of permissions, not of memory.",
    )


def _class(found: re.Match[str], _text: str) -> SaidOfEnd:
    name = next((one for one in found.groups() if one), "").replace("/", ".").rstrip(".:")
    what = f"The class {name}" if name else "A class"
    if name.startswith("org.apache.hadoop.mapreduce.v2.app."):
        return SaidOfEnd(
            f"{what} was not found: the nodes do not know where MapReduce is installed "
            "(mapreduce.application.classpath, or HADOOP_MAPRED_HOME in "
            "yarn.app.mapreduce.am.env, mapreduce.map.env and mapreduce.reduce.env). No memory "
            "had run out.",
            "mapred classpath on a node shows what it finds there.",
        )
    return SaidOfEnd(
        f"{what} was not found: no jar on the class path of that process has it (the job's own "
        "lib folder, -libjars, or another version of a library). No memory had run out.",
    )


def _native_library(found: re.Match[str], _text: str) -> SaidOfEnd:
    if found["name"]:
        return SaidOfEnd(
            f"The native library {found['name']} (lib{found['name']}.so on Linux) is in no folder "
            "of the java.library.path of that process: no class or jar is missing, and no memory "
            "had run out. These are folders of the machine on which the process runs, in a "
            "container below its working folder: there a shipped archive (--archives of Spark, "
            "-archives of Hadoop) is unpacked in a folder that is called as the archive, or as "
            "the name behind its #.",
        )
    if found["file"]:
        return SaidOfEnd(
            f"The native library {found['file']} could not be loaded on that machine; why stands "
            "behind its name: another library that it needs, another processor or an older libc. "
            "No memory had run out.",
            f"ldd {found['file']} on that machine names what is missing.",
        )
    return SaidOfEnd(
        "A native library, or a method in it, was not found by that process: it was not loaded "
        "there, or is of another version. No class or jar is missing, and no memory had run out.",
    )


def _asked_to_end(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "The task was asked to end: its job was killed, another task of it had failed for good, or "
        "somebody killed the task. That is no sign of a lack of memory.",
    )


_UNSET: Final = re.compile(r"(?:0\.0\.0\.0|localhost)[/:][^ ]*?:?80(?:30|31|32|33)\b")


def _host(found: re.Match[str], text: str) -> SaidOfEnd:
    if _UNSET.search(text):
        return SaidOfEnd(
            "A process looks for the ResourceManager at 0.0.0.0, which is the default: the address "
            "is not set in the configuration that this process reads "
            "(yarn.resourcemanager.hostname in yarn-site.xml, on every node). No memory had run "
            "out.",
            "read yarn-site.xml on the node on which this was written.",
        )
    return next((said for words, said in _NOT_REACHED if re.search(words, found[0])), _NO_ANSWER)


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


def _path(found: re.Match[str], _text: str) -> SaidOfEnd:
    if "already exists" in found[0]:
        return SaidOfEnd(
            "The output folder exists already, and Hadoop overwrites none. No memory had run out.",
        )
    if "does not exist" in found[0] or "matches 0 files" in found[0]:
        return SaidOfEnd("An input path does not exist. No memory had run out.")
    if "afe mode" in found[0]:
        return SaidOfEnd(
            "The NameNode is in safe mode, in which nothing is written. No memory had run out.",
        )
    return SaidOfEnd(
        "A file or folder may not be read or written by this user. No memory had run out."
    )


def _server(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "A server that was called (the NameNode, the ResourceManager or another) ran out of memory "
        "and said so to its client: it is the heap of that server, not of the process that says it."
    )


def _no_fork(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "The operating system refused another process: a limit of processes and threads of its "
        "user, its service or its container was met. It is no lack of heap."
    )


def _not_alive(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "Kubernetes killed the container because it failed its liveness probe, not for its memory: "
        "exit code 137 or 143 comes of that."
    )


def _preempted(found: re.Match[str], _text: str) -> SaidOfEnd:
    if found["reducer"]:
        return SaidOfEnd(
            "The application master stopped a reducer of its own job to make room for map tasks "
            "that were waiting, whatever memory it took. A killed attempt does not count as a "
            "failure; its work is done again.",
            "mapreduce.job.reduce.slowstart.completedmaps=0.80 starts the reducers later, when "
            "fewer map tasks can be waiting.",
        )
    return SaidOfEnd(
        "YARN took the container for an application with a better claim (preemption), whatever "
        "memory it took."
    )


def _without_a_unit(found: re.Match[str], _text: str) -> SaidOfEnd:
    option, number = found.groups()
    return SaidOfEnd(
        f"{option}{number} has no unit. Given so, it is {int(number):,} bytes, and HotSpot does "
        "not start with so small a heap: it exits with 1 before any code of the job runs. "
        f"{option}{number}m is {int(number):,} MB."
    )


def _counters_of_tez(found: re.Match[str], _text: str) -> SaidOfEnd:
    of_groups, limit = found[1] != "s", int(found[3])
    what = "groups of counters" if of_groups else "counters"
    name = "tez.counters.max.groups" if of_groups else "tez.counters.max"
    return SaidOfEnd(
        f"There were more {what} than the {limit:,} that this process allowed ({name}): no "
        "memory had run out. A client applies the limit of its own configuration, so a DAG may "
        "have completed although its client failed."
    )


def _quota(found: re.Match[str], _text: str) -> SaidOfEnd:
    what = "space" if "DS" in found[0] or "iskSpace" in found[0] else "number of files and folders"
    of = f" of {found[1]}" if found[1] else ""
    return SaidOfEnd(
        f"The quota{of} in HDFS is used up, by {what}. That is a limit which was set for that "
        "folder, no full disk and no lack of memory. Replicas count: a file takes its size times "
        "its replication."
    )


def _no_datanode(_found: re.Match[str], text: str) -> SaidOfEnd:
    running = _DATANODES.search(text)
    known = (
        f" {running[1]} DataNodes were running: HDFS is full on them, or they are too busy or "
        "cannot be reached by the client."
        if running is not None and int(running[1])
        else " No DataNode was running."
        if running is not None
        else ""
    )
    return SaidOfEnd(
        "HDFS found no DataNode, or too few, that could take a block of the file that was "
        f"written.{known} That is a matter of HDFS and its disks, not of the memory of tasks."
    )


_DATANODES: Final = re.compile(r"There are (\d{1,6}) datanode\(s\) running")


def _cut_input(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "Compressed data that was read is cut or damaged, as a rule a file of the input: every "
        "attempt that reads it fails in the same way. No memory had run out."
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


_DISK: Final = "org.apache.hadoop.fs.LocalDirAllocator$AllocatorPerContext"
_HEALTH: Final = "org.apache.hadoop.yarn.server.nodemanager.LocalDirsHandlerService"
_SCHEDULER: Final = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils"

ENDS: Final = (
    KnownEnd(
        id="container_size_refused",
        title="A container of that size is not given",
        words=r"InvalidResourceRequestException: Invalid resource request",
        says=_request,
        first="YARN refused the size of a container.",
        means=(
            "The size that was asked for is larger than `yarn.scheduler.maximum-allocation-mb` or "
            "than any node has (`yarn.nodemanager.resource.memory-mb`), or is not set at all. YARN "
            "says so before anything is started."
        ),
        not_proven="That the process needs so much, or that it would do with less.",
        change=(
            "What is asked for: `yarn.app.mapreduce.am.resource.mb` of the application master, "
            "`mapreduce.{map,reduce}.memory.mb` of tasks, each with `-Xmx` at 0.8 of it. Or what "
            "the cluster gives."
        ),
        more="The page of the nodes of the ResourceManager shows how much each of them has.",
        next_step="yarn node -list -all, and yarn node -status NODE, show what each node has.",
        sources=(
            Source(
                "2.2 to 3.0",
                f"{_SCHEDULER}.validateResourceRequest",
                "Invalid resource request, requested memory < 0, or requested memory > max "
                "configured, requestedMemory=N, maxMemory=N",
            ),
            Source(
                "3.1",
                f"{_SCHEDULER}.throwInvalidResourceException",
                "Invalid resource request, requested resource type=[memory-mb] < 0 or greater than "
                "maximum allowed allocation. Requested resource=<memory:N, vCores:N>",
            ),
            Source(
                "3.3 to 3.5",
                f"{_SCHEDULER}.throwInvalidResourceException",
                "Invalid resource request! Cannot allocate containers as requested resource is "
                "greater than maximum allowed allocation. Requested resource type=[memory-mb]",
            ),
        ),
    ),
    KnownEnd(
        id="local_disks_full",
        title="A local disk cannot be used",
        words=(
            r"DiskChecker\$DiskErrorException: |No space left on device|"
            r"No space available in any of the local directories|"
            r"\d+/\d+ (?:local|log)-dirs (?:turned|are) bad|"
            r"(?:local|log)-dirs (?:are bad|have errors|usable space is below)"
        ),
        says=_disks,
        first="A local disk of a node is full, missing, out of use, or may not be written.",
        means=(
            "Map tasks spill to the local disks of their node (`yarn.nodemanager.local-dirs`; "
            "`mapred.local.dir` in Hadoop 1), reducers merge there, and jars are unpacked there. "
            "The NodeManager takes a disk out of use that is 90 % full "
            "(`yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage`)."
        ),
        not_proven=(
            "Which job filled it: the disks are shared, and logs and caches lie on them too."
        ),
        change=(
            "Room on that node's disks, or its permissions. In the job: "
            "`mapreduce.map.output.compress=true`, and a combiner, make what is spilled smaller."
        ),
        more=(
            "On the node, `df -h` and `df -i` of the folders that are named, and the NodeManager's "
            "log of that time, which names those that it took out of use (`used space above "
            "threshold`)."
        ),
        next_step=(
            "on that node, df -h and df -i of its local folders; its NodeManager's log names those "
            "that it took out of use (used space above threshold)."
        ),
        sources=(
            Source(
                "1.2 to 3.5",
                f"{_DISK}.getLocalPathForWrite",
                "Could not find any valid local directory for ",
            ),
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.fs.LocalDirAllocator",
                "No space available in any of the local directories.",
            ),
            Source("2.2 to 2.6", f"{_HEALTH}.getDisksHealthReport", " local-dirs turned bad: "),
            Source(
                "2.8 to 3.5",
                f"{_HEALTH}.getDisksHealthReport",
                " local-dirs usable space is below configured utilization percentage/no more "
                "usable space",
            ),
            Source("Linux", "errno.h", "No space left on device"),
        ),
    ),
    KnownEnd(
        id="token_refused",
        title="A delegation token was refused",
        words=(
            r"SecretManager\$InvalidToken\)?: |Failed to renew token: |"
            r"DELEGATION_TOKEN [^\n]{0,200}(?:is expired|can't be found in cache)"
        ),
        says=_token,
        first="A delegation token has expired, or is not known.",
        means=(
            "On a cluster with Kerberos a job works with delegation tokens that were made when it "
            "was submitted. They end after `dfs.namenode.delegation.token.max-lifetime` (7 days), "
            "must be renewed each day, and are cancelled when the job that they were made for "
            "ends, unless `mapreduce.job.complete.cancel.delegation.tokens=false`."
        ),
        not_proven=_MEMORY_IS_NOT_IT,
        change=(
            "A job that runs longer needs a keytab (Spark: `--principal`, `--keytab`); a process "
            "that submits several jobs needs tokens of its own for each."
        ),
        more="The log of the NameNode or the service names the token and why it was refused.",
        next_step="compare the token's number with the log of the service that refused it.",
        sources=(
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.security.token.delegation.AbstractDelegationTokenSecretManager",
                "can't be found in cache",
            ),
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.yarn.server.resourcemanager.security.DelegationTokenRenewer",
                "Failed to renew token: ",
            ),
        ),
    ),
    KnownEnd(
        id="class_not_found",
        title="A class was not found",
        words=(
            r"(?:ClassNotFoundException|NoClassDefFoundError): (?!Could not init)(?:Class )?"
            r"([\w$./]+)(?! ?\(wrong name)|"
            r"Could not find or load main class ([\w$.]+)"
        ),
        says=_class,
        first="A class is not on the class path of the process that wants it.",
        means=(
            "Tasks run on other machines than the command that submits the job, and see the job's "
            "jar, what `-libjars` names, and Hadoop's own libraries. A main class that is not "
            "found, `MRAppMaster` or `YarnChild`, says that a node does not know where Hadoop is."
        ),
        not_proven=_MEMORY_IS_NOT_IT,
        change=(
            "`-libjars`, a jar with its libraries inside, or `mapreduce.application.classpath` and "
            "`HADOOP_MAPRED_HOME` of the nodes."
        ),
        more="`jar tf JOB.jar` lists what is in it; `mapred classpath` what the command sees.",
        next_step="jar tf JOB.jar, and mapred classpath on that node, show what is there.",
        sources=(
            Source("JDK", "java.lang.ClassNotFoundException"),
            Source("JDK", "java.lang.NoClassDefFoundError"),
            Source(
                "3.0 to 3.5",
                "org.apache.hadoop.yarn.server.nodemanager.containermanager.launcher."
                "ContainerLaunch",
                "Error: Could not find or load main class org.apache.hadoop.mapreduce",
            ),
        ),
    ),
    KnownEnd(
        id="native_library_not_found",
        title="A native library was not found",
        words=(
            r"UnsatisfiedLinkError: (?:no (?P<name>\S{1,200}) in (?:java\.|system )library.path|"
            r"(?P<file>/[^\s:]{1,500}): )?"
        ),
        says=_native_library,
        first="Code calls a native library (JNI), which its process does not find or cannot load.",
        means=(
            "`System.loadLibrary` looks for `libNAME.so` in the folders of `java.library.path`, "
            "which is `LD_LIBRARY_PATH` and the system's own folders where no "
            "`-Djava.library.path` takes their place. Each task or executor looks on its own "
            "machine: a path of the machine that submits the job leads nowhere there. An archive "
            "that is shipped lies unpacked in the container's working folder, under its own name "
            "or the one behind its `#`. The first use of the class fails so, each later one as "
            "`NoClassDefFoundError: Could not initialize class`."
        ),
        not_proven=_MEMORY_IS_NOT_IT,
        change=(
            "Where the process looks: `spark.executor.extraLibraryPath=./ARCHIVE` (of the driver: "
            "`spark.driver.extraLibraryPath`), `LD_LIBRARY_PATH` in "
            "`mapreduce.{map,reduce}.env`, or `-Djava.library.path=./ARCHIVE` in the JVM options; "
            "with the folder inside the archive in which the library lies."
        ),
        more=(
            "`unzip -l ARCHIVE` (`tar tf`) shows whether the library is in it, and where; "
            "`ldd libNAME.so` on a node what it needs itself."
        ),
        next_step=(
            "list the archive that brings it (unzip -l, tar tf), and compare the folder in it with "
            "the library path of the process: spark.executor.extraLibraryPath of an executor, "
            "LD_LIBRARY_PATH in mapreduce.map.env or mapreduce.reduce.env of a task, or "
            "-Djava.library.path in their JVM options, which takes the place of both."
        ),
        sources=(
            Source("JDK", "java.lang.ClassLoader.loadLibrary", "no N in java.library.path"),
            Source("JDK", "java.lang.UnsatisfiedLinkError"),
        ),
    ),
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
        not_proven=_MEMORY_IS_NOT_IT,
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
        id="server_out_of_memory",
        title="A server that was called ran out of memory",
        words=r"RemoteException\(java\.lang\.OutOfMemoryError\)",
        says=_server,
        first="A server answered a call with an OutOfMemoryError of its own.",
        means=(
            "Hadoop's RPC hands the error of a server to its client as a `RemoteException` with "
            "the class in brackets. The heap that ran out is that of the NameNode, the "
            "ResourceManager or another server."
        ),
        not_proven="That the client lacked memory, or which server it was.",
        change="Nothing in the client or its job: the heap of that server, or what fills it.",
        more="The log of that server at that time.",
        next_step="the frames below name the server; read its log at that time.",
        sources=(
            Source(
                "1.2 to 3.5",
                "org.apache.hadoop.ipc.RemoteException",
                "RemoteException(java.lang.OutOfMemoryError)",
            ),
        ),
    ),
    KnownEnd(
        id="fork_refused",
        title="The operating system refused another process",
        words=r"fork: (?:retry: )?(?:Resource temporarily unavailable|No child processes)",
        says=_no_fork,
        first="A shell could not start a process: a limit of processes and threads was met.",
        means=(
            "`fork` was refused with EAGAIN: the user, the service or the container has as many "
            "processes and threads as it may have. Threads of JVMs count. The heap of none of "
            "them is too small for that, and a larger one does not help."
        ),
        not_proven="Whose threads they are.",
        change=(
            "The limit of the user that runs the containers (`nproc` in limits.conf, `TasksMax` of "
            "the service), or what starts so many threads on that node."
        ),
        more="`ps -eLf | awk '{print $1}' | sort | uniq -c` on that node counts them by user.",
        next_step="ulimit -u of the user that runs the containers, and TasksMax of the service; "
        "ps -eLf on that node counts the threads.",
        sources=(Source("bash", "jobs.c, make_child", "fork: retry: "),),
    ),
    KnownEnd(
        id="failed_its_liveness_probe",
        title="Kubernetes restarted a container that did not answer",
        words=r"failed liveness probe, will be restarted|Liveness probe failed",
        says=_not_alive,
        first="The kubelet killed a container because its liveness probe failed.",
        means=(
            "The kubelet asks a container at intervals whether it is alive, and kills it where it "
            "does not answer in time, however much memory it has. Its exit code is then 137 or 143."
        ),
        not_proven="Why it did not answer: a start that takes long, no CPU, or long collections.",
        change=(
            "A `startupProbe`, a longer `initialDelaySeconds` or `timeoutSeconds`, or more CPU; "
            "memory only where the log of its collector shows that the heap was full."
        ),
        more="The log of the container before its end: `kubectl logs --previous POD`.",
        next_step="kubectl logs --previous POD shows what it did before.",
        sources=(
            Source("Kubernetes", "kubelet, prober", "Liveness probe failed: "),
            Source("Kubernetes", "kubelet", "failed liveness probe, will be restarted"),
        ),
    ),
    KnownEnd(
        id="preempted",
        title="The scheduler took the container back (preemption)",
        words=(
            r"(?:\bwas preempted\b|Container preempted by scheduler|"
            r"(?P<reducer>Reducer preempted to make room for pending map attempts))"
        ),
        says=_preempted,
        first="The scheduler took a container away, for an application with a better claim; or the "
        "application master stopped a reducer of its own job.",
        means=(
            "Where a queue has less than its share, the ResourceManager ends containers of others "
            "(`yarn.resourcemanager.scheduler.monitor.enable`). Where map tasks wait and reducers "
            "hold the room, the application master stops reducers of the same job. The work is "
            "done again."
        ),
        not_proven=_MEMORY_IS_NOT_IT,
        change=(
            "Nothing in memory: the share of the queue, or its priority; for reducers that wait "
            "for map tasks, a later start (`mapreduce.job.reduce.slowstart.completedmaps`)."
        ),
        more="The ResourceManager's log of that time names the application that got the room.",
        next_step="the ResourceManager's log of that time names the application that got the room.",
        sources=(
            Source(
                "2.4 to 3.5",
                "org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils",
                "Container preempted by scheduler",
            ),
            Source(
                "2.6 to 3.5",
                "org.apache.hadoop.mapreduce.v2.app.rm.RMContainerAllocator",
                "Reducer preempted to make room for pending map attempts",
            ),
            Source(
                "Spark 1.6 to 3.5", "org.apache.spark.deploy.yarn.YarnAllocator", "was preempted."
            ),
        ),
    ),
    KnownEnd(
        id="task_asked_to_end",
        title="The task was asked to end",
        words=r"(?m:^)[ \t]*Task KILL is received\. Killing attempt!",
        says=_asked_to_end,
        first="A task was asked to end, by its job or by somebody.",
        means=(
            "The application master ends all tasks of a job that is killed, or in which another "
            "task has failed for good, and a task that somebody kills by its id. Whoever stops a "
            "query of Hive (`FAILED: Operation cancelled`), or the client that it came from, kills "
            "its job so. Exit code 143 behind it is the same request (SIGTERM)."
        ),
        not_proven="That anything was wrong with this task, or with its memory.",
        change="Nothing about this task: what stopped the job comes first.",
        more=(
            "The job's own diagnostics say whether it was killed or had failed; HiveServer2's log "
            "or the client's at that time says who cancelled the query."
        ),
        next_step="the diagnostics of the job say whether it was killed or a task had failed.",
        sources=(
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.mapreduce.v2.app.job.impl.TaskImpl$KillTransition",
                "Task KILL is received. Killing attempt!",
            ),
        ),
    ),
    KnownEnd(
        id="heap_option_without_unit",
        title="A size of the heap without a unit",
        words=r"(?<![\w-])(-Xm[xs])(\d{1,6})(?![\w.%$])",
        says=_without_a_unit,
        first="The maximum or initial size of the heap is given without a unit.",
        means=(
            "A size without a unit is in bytes. A maximum below 2 MB ends HotSpot while it starts "
            "(`Too small maximum heap`, `Too small initial heap`), so each attempt ends with exit "
            "code 1, those that set up or clean up the job included."
        ),
        not_proven="That the process which failed was started with this option.",
        change="Write the unit: `-Xmx512m`.",
        more="The standard output or error of the attempt has the words of the JVM.",
        next_step="the standard output or error of the attempt has the words of the JVM.",
        sources=(
            Source("HotSpot", "arguments.cpp, Arguments::parse_each_vm_init_arg", "-Xmx"),
            Source("HotSpot", "genArguments.cpp, collectorPolicy.cpp", "Too small maximum heap"),
        ),
    ),
    KnownEnd(
        id="tez_too_many_counters",
        title="Too many counters for Tez",
        words=(
            r"tez\.common\.counters\.LimitExceededException: Too many counter( groups|s): "
            r"(\d{1,9}) max=(\d{1,9})"
        ),
        says=_counters_of_tez,
        first="A DAG has more counters, or groups of counters, than a process of Tez accepts.",
        means=(
            "Tasks, the application master and the client each apply the limit that they have read "
            "(`tez.counters.max`, 1,200; `tez.counters.max.groups`, 500). Many vertices and "
            "operators make many counters."
        ),
        not_proven=(
            "That the DAG failed: the client also fails so when it reads the counters of one that "
            "completed. Nor that the configured limit is too low: the process may not have read it "
            "(TEZ-2629)."
        ),
        change=(
            "The limit, in the configuration of the process that failed; where it is higher there "
            "already, a version of Tez that reads it, or fewer vertices in the query."
        ),
        more="The line `Counter limits initialized with parameters` in the log of that process.",
        next_step=(
            'the line "Counter limits initialized with parameters" in the log of that process '
            "shows the limit that it has read."
        ),
        sources=(
            Source(
                "Tez 0.5 to 0.10",
                "org.apache.tez.common.counters.Limits.checkCounters",
                "Too many counters: N max=N",
            ),
            Source(
                "Tez 0.5 to 0.10",
                "org.apache.tez.common.counters.Limits.checkGroups",
                "Too many counter groups: N max=N",
            ),
        ),
    ),
    KnownEnd(
        id="hdfs_quota",
        title="A quota of HDFS is used up",
        words=r"(?:DSQuota|NSQuota|Quota)ExceededException\)?: (?:The [^\n]{0,80}? of (/\S*))?",
        says=_quota,
        first="A folder of HDFS has a quota, and it is used up.",
        means=(
            "An administrator limits how much a folder may take (`hdfs dfsadmin -setSpaceQuota`, "
            "replicas included) or how many files and folders may be in it (`-setQuota`). The "
            "NameNode refuses a file or block above that."
        ),
        not_proven=_MEMORY_IS_NOT_IT,
        change=(
            "Delete what is not wanted (the trash counts), write with a smaller replication, or "
            "have the quota raised."
        ),
        more="`hdfs dfs -count -q -h FOLDER` shows both quotas and what is left.",
        next_step="hdfs dfs -count -q -h FOLDER shows what the quota is and what is left.",
        sources=(
            Source(
                "1.2 to 3.5",
                "org.apache.hadoop.hdfs.protocol.DSQuotaExceededException",
                "The DiskSpace quota of N is exceeded: ",
            ),
        ),
    ),
    KnownEnd(
        id="path_refused",
        title="A path is not as the job needs it",
        words=(
            r"FileAlreadyExistsException: Output directory \S+ already exists|"
            r"InvalidInputException: Input (?:path does not exist|Pattern \S+ matches 0 files)|"
            r"AccessControlException\)?: Permission denied|SafeModeException\)?: [^\n]*?afe mode"
        ),
        says=_path,
        first="An input or output path is not as the job needs it.",
        means=(
            "The command that submits the job checks its paths before anything runs; a task meets "
            "permissions when it writes."
        ),
        not_proven=_MEMORY_IS_NOT_IT,
        change="The path, or its permissions.",
        more="`hdfs dfs -ls PATH`, as the user of the job.",
        next_step="hdfs dfs -ls PATH, as the user of the job.",
        sources=(
            Source(
                "1.2 to 3.5",
                "org.apache.hadoop.mapreduce.lib.output.FileOutputFormat",
                "Output directory N already exists",
            ),
            Source(
                "1.2 to 3.5",
                "org.apache.hadoop.mapreduce.lib.input.FileInputFormat",
                "Input path does not exist: ",
            ),
            Source(
                "1.2 to 3.5",
                "org.apache.hadoop.hdfs.server.namenode.FSPermissionChecker",
                "Permission denied: user=",
            ),
        ),
    ),
    KnownEnd(
        id="compressed_input_is_cut",
        title="A compressed input file is cut or damaged",
        words=(
            r"EOFException: Unexpected end of (?:ZLIB )?input stream|"
            r"IOException: (?:incorrect (?:data|header) check|invalid block type|CRC error)|"
            r"ZipException: (?:invalid|incorrect|Corrupt)[^\n]{0,80}|"
            r"IOException: not a gzip file"
        ),
        says=_cut_input,
        first="A compressed file of the input ends before its data does, or is damaged.",
        means=(
            "A compressed file tells where its data ends. One that was copied in part, whose "
            "writer died, or that is being written still ends before that, and every attempt "
            "that reads it fails at the same place."
        ),
        not_proven="Who cut it; and, where a remote store is read, that the file itself is cut.",
        change=(
            "The file: write or copy it again, or leave it out. A job goes on without a few of its "
            "map tasks, and all of their input, by `mapreduce.map.failures.maxpercent`."
        ),
        more=(
            "`Processing split: FILE` in the attempt's syslog names the file; `hadoop fs -cat FILE "
            "| gzip -t` (or `bzip2 -t`) fails on it."
        ),
        next_step="Processing split: in the attempt's syslog names the file; hadoop fs -cat FILE | "
        "gzip -t fails on it.",
        sources=(
            Source(
                "1.2 to 3.5",
                "org.apache.hadoop.io.compress.DecompressorStream.getCompressedData",
                "Unexpected end of input stream",
            ),
            Source(
                "1.2 to 3.5",
                "org.apache.hadoop.io.compress.zlib.BuiltInGzipDecompressor",
                "not a gzip file",
            ),
            Source(
                "JDK", "java.util.zip.InflaterInputStream", "Unexpected end of ZLIB input stream"
            ),
        ),
    ),
    KnownEnd(
        id="no_datanode_for_a_block",
        title="HDFS had no DataNode for a block",
        words=(r"could only be (?:replicated|written) to \d+ (?:nodes?|of the \d+ )[^\n]{0,300}"),
        says=_no_datanode,
        first="The NameNode found no DataNode that could take a block.",
        means=(
            "A file is written block by block, and for each the NameNode chooses DataNodes with "
            "room (`dfs.datanode.du.reserved` left free) that are not overloaded and not excluded "
            "by the client, which excludes those that it could not reach. Intermediate data of "
            "the same nodes lies on the same disks."
        ),
        not_proven="Which it was: full disks, dead DataNodes, or a network between.",
        change=(
            "Room in HDFS: delete or move what is not needed, or write with fewer replicas "
            "(`dfs.replication`); more or larger disks."
        ),
        more=(
            "`hdfs dfsadmin -report` shows what remains on each DataNode and which are dead; the "
            "NameNode's log says why each was not chosen (`BlockPlacementPolicy`, at DEBUG)."
        ),
        next_step="hdfs dfsadmin -report shows how much remains on each DataNode, and which are "
        "dead.",
        sources=(
            Source(
                "1.2",
                "org.apache.hadoop.hdfs.server.namenode.FSNamesystem.getAdditionalBlock",
                "could only be replicated to N nodes, instead of N",
            ),
            Source(
                "2.2 to 2.10",
                "org.apache.hadoop.hdfs.server.blockmanagement.BlockManager.chooseTarget4NewBlock",
                "could only be replicated to N nodes instead of minReplication (=N).  There are N "
                "datanode(s) running and N node(s) are excluded in this operation.",
            ),
            Source(
                "3.0 to 3.5",
                "org.apache.hadoop.hdfs.server.blockmanagement.BlockManager.chooseTarget4NewBlock",
                "could only be written to N of the N minReplication nodes.",
            ),
        ),
    ),
    KnownEnd(
        id="map_output_lost",
        title="The output of a map task could not be fetched",
        words=r"Too many [Ff]etch[- ]failures(?:\.[^\n]{0,200} from host (\S{1,200}))?",
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
            r"Retrying connect to server: "
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

_NOT_TOLD: Final = re.compile(
    r"(?:the job (?:failed|was killed), and nothing says why|Task failed task_\S+ ?|NA ?)"
    r"(?:\(diagnostics\))?$"
)


_CARRIERS: Final = (
    "java.lang.reflect.InvocationTargetException",
    "java.lang.RuntimeException: Error in configuring object",  # ReflectionUtils.setJobConf
    "java.lang.reflect.UndeclaredThrowableException",
)
"""Errors that are thrown for another one, which is their cause."""


def _reason_is_elsewhere(evidence: Evidence) -> Reading | None:
    death = evidence.death
    if death.kind != "not-memory":
        return None
    if death.chain and death.chain[-1].startswith(_CARRIERS):
        return Reading(
            "What the job's own code threw is cut off: the innermost error that is told only "
            "carries it. It may have been one of memory.",
            "suggests",
            f"read what stands behind its last Caused by: {logs_command(evidence)}",
        )
    if evidence.attempt.attempt_id is not None or death.chain:
        return None
    if not _NOT_TOLD.match(death.evidence):
        return None
    if (evidence.job.job_id or "").startswith("job_local"):
        return Reading(
            "Only the end is told here, not why: the job ran in the JVM of the command "
            "(LocalJobRunner), and what it printed above names the error.",
            "suggests",
            "give mprof all that the command printed.",
        )
    command = logs_command(evidence)
    one = "of the task that is named" if "Task failed" in death.evidence else "of the job"
    return Reading(
        f"Only the end is told here, not why: that stands in the logs {one}. Nothing says that it "
        "was for memory, and nothing that it was not.",
        "suggests",
        f"{command} > logs.txt, and mprof diagnose logs.txt; where no task has started, "
        f"{command} -am ALL.",
    )


reason_is_elsewhere: Final = Message(
    "reason_is_elsewhere",
    "The reason stands elsewhere",
    _reason_is_elsewhere,
    (
        Source(
            "2.2 to 3.5",
            "org.apache.hadoop.mapreduce.v2.app.job.impl.JobImpl",
            "Task failed task_N",
        ),
        Source(
            "2.2 to 3.5",
            "org.apache.hadoop.mapreduce.Job.monitorAndPrintJob",
            "failed with state FAILED due to: ",
        ),
        Source(
            "1.2 to 3.5",
            "org.apache.hadoop.util.ReflectionUtils.setJobConf",
            "Error in configuring object",
        ),
    ),
    PAGE.format(
        first="A job is said to have failed, and not why.",
        means=(
            "The application master gives as its reason that a task failed four times "
            "(`mapreduce.{map,reduce}.maxattempts`), and the command prints no more. What ended "
            "the attempts stands in their own logs, and in the log of the application master. Or a "
            "stack is cut off: an `InvocationTargetException` only carries what the job's code "
            "threw in a constructor or in `configure()`."
        ),
        not_proven="Anything about memory, in either direction.",
        change="Nothing, before those are read.",
        more="`yarn logs -applicationId APPLICATION > logs.txt`, then `mprof diagnose logs.txt`.",
    ),
)

MESSAGES = (*map(message_of, ENDS), reason_is_elsewhere)
