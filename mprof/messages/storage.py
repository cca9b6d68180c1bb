"""What fails because of files, disks and HDFS, and no lack of memory brings about."""

from __future__ import annotations

import re
from typing import Final

from mprof.messages.ends import MEMORY_IS_NOT_IT, KnownEnd, SaidOfEnd
from mprof.messages.message import Source

__all__ = ["ENDS"]


def _disks(found: re.Match[str], text: str) -> SaidOfEnd:
    if "-dirs" in found[0]:
        return SaidOfEnd(
            "The NodeManager takes local disks of its node out of use: they are nearly full, or "
            "may not be written. A node without a good one gets no containers, and those on it are "
            "given up (exit status -100, Container released on a *lost* node). That is no lack of "
            "memory. What the tasks of a job write there counts as well (du -sh of "
            "usercache/USER/appcache/APPLICATION): compressed it is smaller "
            "(mapreduce.map.output.compress=true, of Tez tez.runtime.compress=true).",
        )
    if "No space left" in found[0]:
        return SaidOfEnd(
            "A disk is full (No space left on device), or has no free inode: intermediate data of "
            "tasks lies on the local disks of a node. That is no lack of memory; "
            "mapreduce.map.output.compress=true and a combiner make what map tasks write there "
            "smaller.",
            "on that node, df -h and df -i of its local folders (yarn.nodemanager.local-dirs).",
        )
    return SaidOfEnd(
        "No local folder of the node could be used: every disk in yarn.nodemanager.local-dirs "
        "(mapred.local.dir in Hadoop 1) is full, missing, may not be written by this user, or is "
        "so full that the NodeManager has taken it out of use, which it does at 90 % unless that "
        "is set. That is no lack of memory"
        f"{_OF_A_SPILL if '_spill_' in text else '.'}",
    )


def _disks_of_hadoop_1(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "A local disk of the node could not be used: every folder in mapred.local.dir is full, "
        "missing, or may not be written by this user. That is no lack of memory; "
        "mapred.compress.map.output=true and a combiner make what map tasks write there smaller.",
        "on that node, df -h, df -i and ls -ld of the folders in mapred.local.dir.",
    )


def _disks_of_local_job(_found: re.Match[str], text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "A disk of the machine that runs the job could not be used: the folder in which "
        "LocalJobRunner keeps what its map tasks write, mapreduce.cluster.local.dir (Hadoop 1: "
        "mapred.local.dir), is on a full disk, is missing, or may not be written by the user who "
        "started the job. Unless it is set, it lies below hadoop.tmp.dir (/tmp/hadoop-USER). That "
        f"is no lack of memory{_OF_A_SPILL if '_spill_' in text else '.'}",
        "on that machine, df -h, df -i and ls -ld of mapreduce.cluster.local.dir.",
    )


def _disks_of_spark(found: re.Match[str], text: str) -> SaidOfEnd:
    if "-dirs" in found[0]:
        return _disks(found, text)
    is_full = "No space left" in found[0]
    what = (
        "is full (No space left on device), or has no free inode"
        if is_full
        else "could not be used: it is full, missing, or may not be written by this user"
    )
    return SaidOfEnd(
        f"A local disk of Spark {what}. What is shuffled, and what does not fit into memory, is "
        "written to the folders in spark.local.dir (SPARK_LOCAL_DIRS; /tmp unless one is set; on "
        "YARN yarn.nodemanager.local-dirs instead), where it stays as long as the application may "
        "ask for it. That is no lack of memory. Larger or more disks there; less to shuffle (fewer "
        "columns and rows before a join or a grouping); on a cluster, more executors on other "
        "nodes.",
        "on that node, df -h and df -i of the folders in spark.local.dir (on YARN in "
        "yarn.nodemanager.local-dirs).",
    )


_OF_A_SPILL: Final = (
    ": a map task writes its whole output there, once at least, whatever "
    "mapreduce.task.io.sort.mb and -Xmx are. mapreduce.map.output.compress=true and a combiner "
    "make that smaller."
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
    if found.groupdict().get("inode") is not None:
        return _permission(found)
    if "by sticky bit" in found[0]:
        return SaidOfEnd(
            "A folder of HDFS has its sticky bit set, as /tmp has it: only the owner of a file, "
            "the owner of the folder and the superuser may remove or rename what lies in it. No "
            "memory had run out.",
            "hdfs dfs -ls -d of the folder in which the named file lies (its mode ends in t), and "
            "hdfs dfs -ls of the file, whose owner is not the user that is named. The folder is "
            "either given to that user (hdfs dfs -chown), or loses the bit (hdfs dfs -chmod -t).",
        )
    return SaidOfEnd(
        "A file or folder may not be read or written by this user. No memory had run out."
    )


_ACCESS: Final = {
    "EXECUTE": "pass through the folder",
    "READ": "read",
    "READ_EXECUTE": "list the folder",
    "WRITE": "write, make or remove anything in",
    "WRITE_EXECUTE": "make or remove anything in",
}
"""``org.apache.hadoop.fs.permission.FsAction``, as ``FSPermissionChecker`` asks for it."""


def _permission(found: re.Match[str]) -> SaidOfEnd:
    """What the NameNode's own words say: who wanted what of which folder, and whose it is."""
    user, inode, owner = found["user"], found["inode"], found["owner"]
    what = _ACCESS.get(found["access"], f"have {found['access']} on")
    folder = inode if inode.startswith("/") else f"called {inode}" if inode else "/"
    said = (
        f"HDFS did not let the user {user} {what} {folder} (access={found['access']}): it belongs "
        f"to {owner}:{found['group']}, with {found['mode']}. No memory had run out."
    )
    if inode.rstrip("/") == "/user" and "WRITE" in found["access"]:
        return SaidOfEnd(
            f"{said} As a rule {user} has no folder of its own there, and may not make it. The "
            f"superuser of HDFS makes it: hdfs dfs -mkdir -p /user/{user}, then "
            f"hdfs dfs -chown {user} /user/{user}. Or the program runs as a user who has one.",
            f"hdfs dfs -ls /user lists those that there are; whoami on the machine that submits "
            f"says whether {user} was meant (HADOOP_USER_NAME sets another, without Kerberos).",
        )
    return SaidOfEnd(
        f"{said} {owner} may change its mode (hdfs dfs -chmod), the superuser of HDFS its owner as "
        "well (hdfs dfs -chown); or another folder is used, which belongs to the user."
        f"{_of_staging(inode)}{_OF_SERVERS.get(user, '')}",
        f"hdfs dfs -ls -d of that folder and of those above it, as {owner} or the superuser: the "
        "first that a user may not pass through is the one to change.",
    )


_STAGED: Final = re.compile(r"^/?(?:tmp)?$|staging|/hadoop-|/mapred\b")
_OF_SERVERS: Final = {
    "hive": " hive is as a rule the user of HiveServer2: with hive.server2.enable.doAs=true HDFS "
    "is asked as the user who sent the query.",
    "livy": " livy is as a rule the user of a Livy server: with livy.impersonation.enabled=true "
    "sessions run as the user who asked for them.",
}
"""Users of whom a server acts for others."""


def _of_staging(inode: str) -> str:
    """Which setting names the folder, where it is, or may be, the one in which jobs are staged."""
    if ".sparkStaging" in inode:
        return " Applications of Spark are staged in spark.yarn.stagingDir."
    if _STAGED.search(inode):
        return (
            " That in which jobs are staged is yarn.app.mapreduce.am.staging-dir (Hadoop 1: "
            "mapreduce.jobtracker.staging.root.dir)."
        )
    return ""


def _quota(found: re.Match[str], _text: str) -> SaidOfEnd:
    what = "space" if "DS" in found[0] or "iskSpace" in found[0] else "number of files and folders"
    of = f" of {found[1]}" if found[1] else ""
    return SaidOfEnd(
        f"The quota{of} in HDFS is used up, by {what}. That is a limit which was set for that "
        "folder, no full disk and no lack of memory. Replicas count: a file takes its size times "
        "its replication."
    )


def _no_datanode(_found: re.Match[str], text: str) -> SaidOfEnd:
    counted = _DATANODES.search(text)
    running = int(counted["running"]) if counted is not None else None
    excluded = _excluded(counted["excluded"]) if counted is not None else 0
    lead = "HDFS found no DataNode, or too few, that could take a block of the file that was "
    last = "That is a matter of HDFS, its disks and the network, not of the memory of tasks."
    if running == 0:
        return SaidOfEnd(
            f"{lead}written: no DataNode was running that the NameNode knows. {last}",
            "hdfs dfsadmin -report lists the DataNodes that are live; where none is, the log of a "
            "DataNode says why: it was not started, does not reach the NameNode at the address in "
            "fs.defaultFS, or was refused (Incompatible clusterIDs, after the NameNode was "
            "formatted again).",
        )
    if running is not None and excluded >= running:
        every = "The one that was running" if running == 1 else f"All {running} that were running"
        return SaidOfEnd(
            f"{lead}written. {every} had been excluded by the client that wrote: it had been sent "
            "there for the block, and could not write to any. As a rule it reaches the NameNode "
            "and not the DataNodes: their port for data (dfs.datanode.address, 9866; before Hadoop "
            "3 50010) is closed to it, or the NameNode names them by private addresses, as in a "
            "cloud or in containers. dfs.client.use.datanode.hostname=true, at the client, makes "
            "it use their names instead, where these lead to them. A full disk on each of them "
            f"does the same. {last}",
            "the client's own lines above (Excluding datanode, Connection refused or timed out) "
            "name the address that it tried: nc -vz ADDRESS PORT on the machine of the client. "
            "hdfs dfsadmin -report shows how much remains on each DataNode.",
        )
    if running is None:
        return SaidOfEnd(f"{lead}written. {last}")
    nodes = "1 DataNode was" if running == 1 else f"{running} DataNodes were"
    by_client = (
        f"the client had excluded {excluded} of them, which it could not write to, and the "
        "NameNode chose none of the others"
        if excluded
        else "the client had excluded none, so it is not the network between: the NameNode itself "
        "chose none of them"
    )
    return SaidOfEnd(
        f"{lead}written. {nodes} running, and {by_client}: each is full "
        "(dfs.datanode.du.reserved stays free), too busy, being decommissioned, or of another "
        f"type of storage than the folder asks for. {last}",
    )


def _excluded(words: str) -> int:
    return 0 if words == "no" else int(words)


_DATANODES: Final = re.compile(
    r"There are (?P<running>\d{1,6}) datanode\(s\) running and (?P<excluded>no|\d{1,6}) node\(s\)"
)


def _other_copy(found: re.Match[str], _text: str) -> SaidOfEnd:
    if "length" in found[0]:
        return SaidOfEnd(
            "DistCp copied a file and found the copy to be of another length than the source, so "
            "it failed that file. As a rule the source was written, or still open, while it was "
            "copied. No memory had run out.",
            "hdfs fsck PATH -files -openforwrite on the source, for the file that is named; copy "
            "files that are closed, or a snapshot (hdfs dfs -createSnapshot). The file at the "
            "target is not to be used.",
        )
    return SaidOfEnd(
        "DistCp copied a file and found another checksum at the target. Files of the same content "
        "have different ones where the block sizes, or the types of checksum, of the two clusters "
        "differ. No memory had run out.",
        "distcp -pb (keeps the block size) or -pbc (the type of checksum as well); -skipcrccheck, "
        "with -update, where the lengths are enough.",
    )


def _scanner(found: re.Match[str], _text: str) -> SaidOfEnd:
    if found[0].startswith("Unknown"):
        return SaidOfEnd(
            "The server of HBase did not know the scanner that was asked for more rows: it had "
            "closed it because nobody had asked in time, or it is another one, after a restart or "
            "a move of the region. No memory need have been short.",
            "the log of that RegionServer says which: a lease that expired, or a region that was "
            "opened. For a lease, fewer rows at a time (Scan.setCaching).",
        )
    told = found.groupdict()
    passed, limit = told.get("passed"), told.get("limit")
    times = (
        f" ({int(passed) / 1000:.0f} s, of {int(limit) / 1000:.0f} s)" if passed and limit else ""
    )
    return SaidOfEnd(
        "The server of HBase had closed a scanner, because the task did not ask for the next rows "
        f"in time{times}: it worked that long on those that it had fetched, or stood still. Fewer "
        "rows at a time (Scan.setCaching, hbase.client.scanner.caching) shorten that; a longer "
        "hbase.client.scanner.timeout.period (before 0.96 hbase.regionserver.lease.period) has to "
        "be set on the servers, too. No memory need have been short."
    )


def _cut_input(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "Compressed data that was read is cut or damaged, as a rule a file of the input: every "
        "attempt that reads it fails in the same way. No memory had run out."
    )


def _cut_input_of_spark(found: re.Match[str], text: str) -> SaidOfEnd:
    return SaidOfEnd(
        _cut_input(found, text).sentence,
        "in the executor's log the last Reading File path: or Input split: before the error names "
        "the file; hadoop fs -cat FILE | gzip -t fails on it.",
    )


_DISK: Final = "org.apache.hadoop.fs.LocalDirAllocator$AllocatorPerContext"


_HEALTH: Final = "org.apache.hadoop.yarn.server.nodemanager.LocalDirsHandlerService"

ENDS: Final = (
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
        says_in={
            "hadoop-1": _disks_of_hadoop_1,
            "local-job": _disks_of_local_job,
            "spark": _disks_of_spark,
        },
        first="A local disk of a node is full, missing, out of use, or may not be written.",
        means=(
            "Map tasks spill to the local disks of their node (`yarn.nodemanager.local-dirs`; "
            "`mapred.local.dir` in Hadoop 1), reducers merge there, and jars are unpacked there. "
            "In one JVM (LocalJobRunner) it is `mapreduce.cluster.local.dir`, of Spark without "
            "YARN `spark.local.dir`. "
            "The NodeManager takes a disk out of use that is 90 % full "
            "(`yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage`)."
        ),
        not_proven=(
            "Which job filled it: the disks are shared, and logs and caches lie on them too."
        ),
        change=(
            "Room on that node's disks, or its permissions. In the job: "
            "`mapreduce.map.output.compress=true`, and a combiner, make what is spilled smaller. "
            "Of Spark: fewer columns and rows before a join or a grouping."
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
        not_proven=MEMORY_IS_NOT_IT,
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
            r"AccessControlException\)?: Permission denied(?: by sticky bit)?|"
            r"SafeModeException\)?: [^\n]*?afe mode"
        ),
        fuller=(
            r"Permission denied: user=(?P<user>[^\s,]{1,100}),\s+access=(?P<access>[A-Z_]{3,20}),"
            r"\s+inode=\s*\"?(?P<inode>[^\"\n]{0,500}?)\"?:(?P<owner>[^\s:\"]{1,100}):"
            r"(?P<group>[^\s:]{1,100}):\s*(?P<mode>[d-]?[rwxstST-]{9})(?![rwx-])"
        ),
        says=_path,
        first="An input or output path is not as the job needs it.",
        means=(
            "The command that submits the job checks its paths before anything runs; a task meets "
            "permissions when it writes."
        ),
        not_proven=MEMORY_IS_NOT_IT,
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
        id="copy_differs",
        title="A copy of DistCp differs from its source",
        words=r"Mismatch in length of source|Check-?sum mismatch between",
        says=_other_copy,
        first="DistCp compared a copy with its source, and they differ.",
        means=(
            "After each file DistCp compares the lengths, then the checksums of HDFS, which depend "
            "on the block size and the type of checksum as well as on the content."
        ),
        not_proven="That the data is damaged.",
        change=(
            "A source that nobody writes: closed files, or a snapshot. For checksums: `-pb`, "
            "`-pbc`, or `-skipcrccheck` with `-update`."
        ),
        more="`hdfs fsck PATH -files -openforwrite` names files that are still open.",
        next_step="hdfs fsck PATH -files -openforwrite on the source names files that are open.",
        sources=(
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.tools.mapred.RetriableFileCopyCommand",
                "Mismatch in length of source:",
            ),
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.tools.mapred.RetriableFileCopyCommand",
                "Checksum mismatch between ",
            ),
        ),
    ),
    KnownEnd(
        id="scanner_timed_out",
        title="A scanner of HBase was not asked for too long",
        words=r"ScannerTimeoutException|UnknownScannerException",
        fuller=(
            r"(?P<passed>\d{1,9})ms passed since the last invocation,\s+"
            r"timeout\s+is\s+currently\s+set\s+to\s+(?P<limit>\d{1,9})"
        ),
        says=_scanner,
        first="A task took longer with the rows it had fetched than HBase keeps a scanner.",
        means=(
            "A scanner fetches `hbase.client.scanner.caching` rows at a time, and its server "
            "closes it when nobody asks for more within `hbase.client.scanner.timeout.period` "
            "(60,000 ms; before 0.96 `hbase.regionserver.lease.period`). A task that works longer "
            "on one fetch finds it closed. Long collections of either JVM add to that time."
        ),
        not_proven="Anything about memory, in either direction.",
        change=(
            "Fewer rows at a time: `Scan.setCaching`, `hbase.client.scanner.caching`. Else a "
            "longer `hbase.client.scanner.timeout.period`, on the servers as well."
        ),
        more="The rows and seconds of one fetch: log the time in map() of that many rows.",
        next_step=(
            "log how long map() takes for as many rows as are fetched at a time "
            "(Scan.setCaching, hbase.client.scanner.caching)."
        ),
        sources=(
            Source(
                "HBase 0.90 to 1.7",
                "org.apache.hadoop.hbase.client.ClientScanner",
                "Nms passed since the last invocation, timeout is currently set to N",
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
        says_in={"spark": _cut_input_of_spark},
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
            "`Processing split: FILE` in the attempt's syslog names the file (of Spark `Reading "
            "File path:` or `Input split:` in the executor's log); `hadoop fs -cat FILE | gzip -t` "
            "(or `bzip2 -t`) fails on it."
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
        not_proven=(
            "Which it was: full disks, dead DataNodes, or a network between. Where as many nodes "
            "are excluded as are running, the client could write to none of them, as a rule "
            "because it does not reach their port for data."
        ),
        change=(
            "Where none is excluded: room in HDFS (delete or move what is not needed, write with "
            "fewer replicas, `dfs.replication`; more or larger disks). Where all are: a way from "
            "the client to `dfs.datanode.address` of each (9866; before Hadoop 3 50010), and "
            "`dfs.client.use.datanode.hostname=true` at a client to which private addresses are of "
            "no use. Where none is running: the DataNodes."
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
)
