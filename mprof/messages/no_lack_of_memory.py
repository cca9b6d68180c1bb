"""Ends that look like any other, and that no lack of memory brings about."""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import Evidence
from mprof.messages import (
    addresses,
    files_of_containers,
    hbase,
    network,
    refused_sizes,
    start_up,
    storage,
    taken_away,
)
from mprof.messages.ends import MEMORY_IS_NOT_IT, PAGE, KnownEnd, SaidOfEnd, message_of
from mprof.messages.message import Message, Reading, Source
from mprof.messages.said import (
    is_of_hadoop_1,
    logs_command,
)

__all__ = ["ENDS", "MESSAGES"]


def _token(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "A delegation token was refused: it has expired, was cancelled at the end of another job, "
        "or is not known to that service. That is a matter of permissions, not of memory.",
    )


_AN_OPTION: Final = re.compile(
    r"X(?:m[xsn]|ss)\d|X(?:X|log)(?::|$)|D[\w.]+=|\d+[kKmMgG]?[bB]?$|[+:=]"
)


def _class(found: re.Match[str], _text: str) -> SaidOfEnd:
    name = next((one for one in found.groups() if one), "").replace("/", ".").rstrip(".:")
    what = f"The class {name}" if name else "A class"
    if "main class" in found[0] and _AN_OPTION.match(name):
        return SaidOfEnd(
            f"java took {name} for the name of the class that it has to run: it is the first word "
            "of its options that is none, since its dash is missing or a space stands in the "
            "option before it. No jar is missing, and no memory had run out.",
            "look for it in the JVM options of that process (mapreduce.map.java.opts, "
            "mapreduce.reduce.java.opts, yarn.app.mapreduce.am.command-opts).",
        )
    if "=" in name:  # java shows each slash of it as a dot
        return SaidOfEnd(
            f"java took {name}, which belongs to an option as --add-opens, for the name of the "
            "class that it has to run. One before version 9 does so: it does not know the option, "
            "and -XX:+IgnoreUnrecognizedVMOptions, which Spark gives it, lets it go on. No jar is "
            "missing, and no memory had run out.",
            "java -version on the nodes, with the JAVA_HOME of the containers: Java 11 or later "
            "there (of Spark spark.yarn.appMasterEnv.JAVA_HOME and spark.executorEnv.JAVA_HOME), "
            "or the same version as where the job is submitted.",
        )
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


def _class_of_spark(found: re.Match[str], text: str) -> SaidOfEnd:
    named = next((one for one in found.groups() if one), "")
    if "main class" in found[0] or not named:
        return _class(found, text)
    return SaidOfEnd(
        f"The class {named.replace('/', '.').rstrip('.:')} was not found: no jar on the class path "
        "of that process has it (the application's own jar, --jars, --packages), or another "
        "version of a library is there. No memory had run out.",
        "jar tf APPLICATION.jar shows whether it is inside; the page Environment of the "
        "application's web page lists the jars that its executors were given (Classpath Entries).",
    )


def _another_version(found: re.Match[str], _text: str) -> SaidOfEnd:
    member = (found["member"] or "").replace("/", ".")
    what = f"{member}, which is not in" if member else "a class that is not so in"
    return SaidOfEnd(
        f"Code calls {what} the version of that library which was loaded: another one comes first "
        "on the class path, as a rule that of Hadoop. mapreduce.job.user.classpath.first=true puts "
        "the job's own first (of Spark spark.executor.userClassPathFirst). No memory had run out."
    )


def _of_another_type(found: re.Match[str], _text: str) -> SaidOfEnd:
    short = {one: found[one].rpartition(".")[2] for one in ("wanted", "got")}
    method = f"setMapOutput{found['what'].capitalize()}Class"
    own = (
        " A LongWritable as key is what the reader gives: map() of the job's class may have other "
        "parameters than Mapper's, so that it was never called."
        if found["what"] == "key" and short["got"] == "LongWritable"
        else ""
    )
    return SaidOfEnd(
        f"map() wrote a {found['what']} of {short['got']}, and the job declares {short['wanted']}: "
        f"job.{method}({short['got']}.class), or another type in map().{own} No memory had run out."
    )


def _driver(found: re.Match[str], text: str) -> SaidOfEnd:
    what = f"The JDBC driver {found[1]}" if found[1] else f"A JDBC driver for {found[2]}"
    of_oozie = "org.apache.oozie." in text
    where = (
        "the folder lib beside the workflow.xml, or the share lib's folder sqoop"
        if of_oozie
        else "$SQOOP_HOME/lib of a sqoop command (/var/lib/sqoop of CDH), lib beside the "
        "workflow.xml or the share lib of an action of Oozie, --jars of Spark"
    )
    return SaidOfEnd(
        f"{what} was not found: its jar has to be where that process runs, in {where}. No memory "
        "had run out."
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


def _no_number(found: re.Match[str], _text: str) -> SaidOfEnd:
    megabytes = int(found["number"]) * _MB_OF[found["unit"].lower()]
    whole = f" ({megabytes} for {found['value']})" if megabytes else ""
    return SaidOfEnd(
        f"Hadoop reads a whole number from a property that has {found['value']}. Sizes in MB, such "
        "as mapreduce.map.memory.mb, mapreduce.reduce.memory.mb, mapreduce.task.io.sort.mb and "
        f"yarn.app.mapreduce.am.resource.mb, take no unit{whole}. No memory had run out.",
    )


_MB_OF: Final = {"k": 0, "m": 1, "g": 1024, "t": 1 << 20}


def _too_deep(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "The stack of a thread was full, and not the heap: calls were nested too deep, as by a "
        "recursion that does not end, a regular expression on a long text, or a long chain of "
        "objects that is serialised. A larger -Xmx does not help; a larger -Xss (-Xss4m in the "
        "JVM options) does where the nesting has an end."
    )


def _not_read_to_its_end(_found: re.Match[str], _text: str) -> SaidOfEnd:
    return SaidOfEnd(
        "The program of the Streaming job had ended, or closed its input, before all records were "
        "written to it. Why, its own standard error says: an error in it, a wrong interpreter, or "
        "a kill. The heap of the JVM has no part in that."
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


ENDS: Final = (
    *files_of_containers.ENDS,
    *storage.ENDS,
    *addresses.ENDS,
    *hbase.ENDS,
    *network.ENDS,
    *taken_away.ENDS,
    *start_up.ENDS,
    *refused_sizes.ENDS,
    KnownEnd(
        id="token_refused",
        title="A delegation token was refused",
        words=(
            r"SecretManager\$InvalidToken\)?: |Unauthorized request to start container\. |"
            r"Failed to renew token: |"
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
        not_proven=MEMORY_IS_NOT_IT,
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
            r"Could not find or load main class ([\w$.]+(?:=[\w-]+)?)"
        ),
        says=_class,
        says_in={"spark": _class_of_spark},
        first="A class is not on the class path of the process that wants it.",
        means=(
            "Tasks run on other machines than the command that submits the job, and see the job's "
            "jar, what `-libjars` names, and Hadoop's own libraries. A main class that is not "
            "found, `MRAppMaster` or `YarnChild`, says that a node does not know where Hadoop is."
        ),
        not_proven=MEMORY_IS_NOT_IT,
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
        id="another_version_of_a_library",
        title="Another version of a library was loaded",
        words=(
            r"(?:NoSuchMethodError|NoSuchFieldError|AbstractMethodError): '?"
            r"(?:[\w.$\[\]]+ )?(?P<member>[\w.$/<>]+)|IncompatibleClassChangeError: "
        ),
        says=_another_version,
        first="Code was compiled against a library of which another version is loaded.",
        means=(
            "A class is taken from the first jar on the class path that has it. Hadoop's own "
            "libraries come before those of the job (Guava, Jackson, Avro, Lucene, Protobuf and "
            "others of an older version), so that a method which the job's version has is missing."
        ),
        not_proven="Which jar the class came from.",
        change=(
            "`mapreduce.job.user.classpath.first=true`, or `mapreduce.job.classloader=true`, which "
            "gives the job a class loader of its own; of Spark "
            "`spark.{driver,executor}.userClassPathFirst=true`. Surest is to move the library to "
            "another package inside the job's jar (maven-shade-plugin, relocation), or to build "
            "with the version that the cluster has."
        ),
        more="`-verbose:class` in the JVM options of the task logs from which jar each class came.",
        next_step="-verbose:class in the JVM options of the task logs the jar of each class.",
        sources=(
            Source("JDK", "java.lang.NoSuchMethodError"),
            Source(
                "2.2 to 3.5",
                "org.apache.hadoop.mapreduce.MRJobConfig",
                "mapreduce.job.user.classpath.first",
            ),
        ),
    ),
    KnownEnd(
        id="type_of_map_output",
        title="The output of map() is of another type than the job declares",
        words=(
            r"Type mismatch in (?P<what>key|value) from map: expected (?P<wanted>[\w.$]+), "
            r"rec(?:ei|ie)ved (?P<got>[\w.$]+)"
        ),
        says=_of_another_type,
        first="A mapper wrote a key or a value of another class than the job was told.",
        means=(
            "`setMapOutputKeyClass` and `setMapOutputValueClass` name the types between map() and "
            "reduce(); without them they are those of the job's output (`setOutputKeyClass`, "
            "`setOutputValueClass`). Where a class extends Mapper and its map() has other "
            "parameters, that of Mapper itself runs, and hands on what was read: a LongWritable "
            "as key."
        ),
        not_proven=MEMORY_IS_NOT_IT,
        change=(
            "`job.setMapOutputKeyClass` and `job.setMapOutputValueClass`, or the parameters of "
            "map(), with `@Override` above it, which the compiler then checks."
        ),
        more="The code that sets up the job, beside the types of the mapper.",
        next_step="compare the types of the mapper with what the job's set-up declares.",
        sources=(
            Source(
                "1.2 to 3.5",
                "org.apache.hadoop.mapred.MapTask.MapOutputBuffer.collect",
                "Type mismatch in key from map: expected ",
            ),
        ),
    ),
    KnownEnd(
        id="jdbc_driver_not_found",
        title="A JDBC driver was not found",
        words=r"Could not load db driver class: ([\w.$]+)|No suitable driver found for (jdbc:\w+)",
        says=_driver,
        first="The driver of a database is not on the class path of the process that asks for it.",
        means=(
            "The jar of a driver comes with the database, not with Hadoop, Hive or Sqoop. It has "
            "to be where the process runs: `sqoop` on a command line reads `$SQOOP_HOME/lib` "
            "(`/var/lib/sqoop` of CDH), an action of Oozie runs on any node and sees the folder "
            "`lib` beside its workflow.xml and the share lib, Spark what `--jars` names."
        ),
        not_proven=MEMORY_IS_NOT_IT,
        change=(
            "Put the jar there. Of Oozie into `lib` beside workflow.xml, or into the share lib's "
            "folder `sqoop`, with `oozie.use.system.libpath=true` in job.properties, and `oozie "
            "admin -sharelibupdate`."
        ),
        more="`unzip -l DRIVER.jar | grep Driver` lists the classes that a jar of a driver has.",
        next_step="look for the jar of the driver where that process runs.",
        sources=(
            Source(
                "Sqoop 1.4",
                "org.apache.sqoop.manager.SqlManager.makeConnection",
                "Could not load db driver class: CLASS",
            ),
            Source("JDK", "java.sql.DriverManager.getConnection", "No suitable driver found for"),
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
        not_proven=MEMORY_IS_NOT_IT,
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
        id="size_with_a_unit",
        title="A number of Hadoop's has a unit",
        words=(
            r"NumberFormatException: For input string: "
            r'"(?P<value>(?P<number>\d{1,9}) ?(?P<unit>[kKmMgGtT])[bB]?)"'
        ),
        says=_no_number,
        first="A property that Hadoop reads as a whole number has a unit behind it.",
        means=(
            "`Configuration.getInt` and `getLong` take digits alone. Sizes in MB are such numbers "
            "(`mapreduce.map.memory.mb`); units belong into the options of a JVM (`-Xmx4g`) and "
            "into properties of Spark and of block sizes."
        ),
        not_proven="Which property has it: the text of the error names the value alone.",
        change="The value: 4096 instead of `4g` where the property is in MB.",
        more="The frames above `Configuration` say what was read.",
        next_step="search the configuration of the job for that value.",
        sources=(Source("1.2 to 3.5", "org.apache.hadoop.conf.Configuration.getInt"),),
        engine=r"\borg\.apache\.hadoop\.conf\.Configuration\b",
    ),
    KnownEnd(
        id="stack_overflow",
        title="The stack of a thread was full",
        words=r"java\.lang\.StackOverflowError",
        says=_too_deep,
        first="Calls were nested deeper than the stack of a thread allows.",
        means=(
            "Each thread has a stack of a fixed size beside the heap (`-Xss`, 1 MB as a rule on "
            "64-bit Linux). A method that calls itself without end fills any stack; one that does "
            "so for each character, node or element fills it on a large enough input: "
            "`java.util.regex` with a repeated group, trees and linked objects that are "
            "serialised, a deep plan of a query."
        ),
        not_proven="Whether the nesting has an end: the frames that repeat in the stack show it.",
        change=(
            "The code or pattern whose frames repeat. `-Xss4m` in the JVM options of the process "
            "(`mapreduce.{map,reduce}.java.opts`) where the nesting has an end."
        ),
        more="The stack in full: which frames repeat.",
        next_step="read which frames repeat in the whole stack: that code goes too deep.",
        sources=(Source("HotSpot", "sharedRuntime.cpp", "java.lang.StackOverflowError"),),
    ),
    KnownEnd(
        id="streaming_pipe_closed",
        title="The program of a Streaming job had closed its input",
        words=r"java\.io\.IOException: (?:Broken pipe|Stream closed)",
        says=_not_read_to_its_end,
        first="The program that Streaming ran did not read its input to the end.",
        means=(
            "Streaming writes each record to the standard input of the program. Where that has "
            "ended, crashed or was never able to start, the next write fails with `Broken pipe`."
        ),
        not_proven="Why the program ended; it may have been killed for its memory, too.",
        change="Nothing in the JVM: the program, or how it is started.",
        more=(
            "The standard error of the attempt has what the program printed; run it by hand on a "
            "part of the input."
        ),
        next_step="read the standard error of the attempt, which has what the program printed.",
        sources=(
            Source("1.2 to 3.5", "org.apache.hadoop.streaming.io.TextInputWriter.writeKey"),
            Source("JDK", "java.io.FileOutputStream.writeBytes", "Broken pipe"),
        ),
        engine=r"\borg\.apache\.hadoop\.streaming\.",
    ),
    KnownEnd(
        id="heap_option_without_unit",
        title="A size of the heap without a unit",
        words=r"(?<![\w-])(-Xm[xs])(\d{1,6})(?=[\s\"'`<,;)]|\.?$|\.\s)",
        says=_without_a_unit,
        first="The maximum or initial size of the heap is given without a unit.",
        means=(
            "A size without a unit is in bytes. A maximum below 2 MB ends HotSpot while it starts "
            "(`Too small maximum heap`, `Too small initial heap`), so each attempt ends with exit "
            "code 1, those that set up or clean up the job included."
        ),
        not_proven="That the process which failed was started with this option.",
        change="Write the unit: `-Xmx512m`.",
        more="The standard output or error of an attempt that failed so has the words of the JVM.",
        next_step="write the unit; of an attempt that failed so, the standard output or error has "
        "the words of the JVM.",
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
    step = (
        f"name {command} to mprof diagnose."
        if is_of_hadoop_1(evidence)
        else f"{command} > logs.txt, and mprof diagnose logs.txt."
    )
    one = "of the task that is named" if "Task failed" in death.evidence else "of the job"
    return Reading(
        f"Only the end is told here, not why: that stands in the logs {one}. Nothing says that it "
        "was for memory, and nothing that it was not.",
        "suggests",
        step,
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
