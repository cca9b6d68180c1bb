"""Ends of a class or library that is missing, or another than the code was written for."""

from __future__ import annotations

import re
from typing import Final

from mprof.messages.ends import MEMORY_IS_NOT_IT, KnownEnd, SaidOfEnd
from mprof.messages.message import Source

__all__ = ["ENDS"]


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
            f"java took {name}, part of an option such as --add-opens, for the name of the class "
            "that it has to run. As a rule it is a java before version 9, which does not know the "
            "option, and goes on because Spark gives it -XX:+IgnoreUnrecognizedVMOptions. No jar "
            "is missing, and no memory had run out.",
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


ENDS: Final = (
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
)
