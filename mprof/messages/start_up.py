"""A JVM that did not start because it refused its own options."""

from __future__ import annotations

import re
from typing import Final

from mprof.messages.ends import KnownEnd, SaidOfEnd
from mprof.messages.message import Source

__all__ = ["ENDS"]

_WORDS: Final = (
    r"Invalid (?:maximum|initial) heap size: ?(?P<size>-Xm[xs][^\s;]*)|"
    r"Unrecognized VM option '?(?P<flag>[^'\s;]{1,200})|"
    r"Unrecognized option: (?P<option>-X[^\s;]{1,200})|"
    r"(?P<collectors>Conflicting collector combinations in option list|"
    r"Multiple garbage collectors selected)|"
    r"(?P<order>Initial heap size set to a larger value than the maximum heap size|"
    r"Incompatible (?:minimum|initial) and (?:minimum|initial|maximum) heap sizes specified)|"
    r"UnsupportedClassVersionError: (?P<class>[\w/.$]{1,200})[^\n]{0,200}?class file version "
    r"(?P<version>\d{2,3})\.\d[^\n]{0,100}?up to (?P<most>\d{2,3})\.\d|"
    r"(?P<small>Too small (?:initial|maximum) heap(?! size))"
)
_VERSIONS: Final = 44  # 52 is Java 8 (JVM specification, table 4.1-A)
_NO_CODE: Final = "It ended with 1 before any code of the job ran, and no memory had run out."


def _refused(found: re.Match[str], _text: str) -> SaidOfEnd:
    option = found["flag"] or found["option"]
    if found["size"] is not None:
        return SaidOfEnd(
            f"The JVM did not start: it does not take {found['size']} as a size of the heap. A "
            "size is a whole number with k, m, g or t behind it (-Xmx2048m), and no space stands "
            f"in it. {_NO_CODE}"
        )
    if option is not None:
        return SaidOfEnd(
            f"The JVM did not start: it knows no option {option}. It is of another version of "
            f"Java, or misspelt, and has to go from the options of that process. {_NO_CODE}"
        )
    if found["collectors"] is not None:
        return SaidOfEnd(
            "The JVM did not start: its options choose more than one collector (-XX:+UseG1GC, "
            "-XX:+UseParallelGC, -XX:+UseConcMarkSweepGC and their like). One of them has to go; "
            f"a value of the cluster and one of the job may both be in its command. {_NO_CODE}"
        )
    if found["version"] is not None:
        needs, has = int(found["version"]) - _VERSIONS, int(found["most"]) - _VERSIONS
        return SaidOfEnd(
            f"The class {found['class'].replace('/', '.')} is compiled for Java {needs}, and the "
            f"JVM that was to run it is of Java {has}. JAVA_HOME of the containers has to be of "
            f"Java {needs} or later, or the class compiled for {has} (javac --release {has}). No "
            "memory had run out.",
            "JAVA_HOME on that node, and java -version there; a container takes another one by "
            "its environment (JAVA_HOME in mapreduce.map.env and mapreduce.reduce.env; of Spark "
            "spark.executorEnv.JAVA_HOME and spark.yarn.appMasterEnv.JAVA_HOME).",
        )
    if found["order"] is not None:
        return SaidOfEnd(
            "The JVM did not start: the initial size of its heap (-Xms) is larger than the maximum "
            f"(-Xmx). Lower -Xms or raise -Xmx. {_NO_CODE}"
        )
    return SaidOfEnd(
        "The JVM did not start: the heap that its options ask for is too small for it. A size "
        "without a unit is in bytes: -Xmx1024m is 1,024 MB, and -Xmx1024 is 1,024 bytes. "
        f"{_NO_CODE}"
    )


ENDS: Final = (
    KnownEnd(
        id="jvm_options_refused",
        title="The JVM refused its options",
        words=_WORDS,
        says=_refused,
        first="A JVM did not start because it refused one of its options.",
        means=(
            "HotSpot reads its options before anything else. A size that it cannot read, an option "
            "that it does not know, two collectors, an `-Xms` above `-Xmx` or a heap too small to "
            "start end it with exit code 1, and each attempt in the same way."
        ),
        not_proven="Which property has the option: those of the cluster and of the job are joined.",
        change=(
            "The option, where it is set: `mapreduce.{map,reduce}.java.opts`, of an application "
            "master `yarn.app.mapreduce.am.command-opts`, of another program its own options. A "
            "larger container does not help."
        ),
        more=(
            "`launch_container.sh` in the container's folder has its whole command "
            "(`yarn.nodemanager.delete.debug-delay-sec` keeps it)."
        ),
        next_step=(
            "look for the option where the JVM options of that process are set "
            "(mapreduce.map.java.opts, mapreduce.reduce.java.opts, "
            "yarn.app.mapreduce.am.command-opts, or its environment)."
        ),
        sources=(
            Source("HotSpot", "arguments.cpp, Arguments::parse_each_vm_init_arg",
                   "Invalid maximum heap size: "),
            Source("HotSpot", "arguments.cpp, Arguments::process_argument",
                   "Unrecognized VM option 'OPTION'"),
            Source("HotSpot", "arguments.cpp, Arguments::parse_each_vm_init_arg",
                   "Unrecognized option: "),
            Source("JDK 8 and earlier", "arguments.cpp, Arguments::check_gc_consistency",
                   "Conflicting collector combinations in option list; "),
            Source("JDK 9 and later", "gcConfig.cpp, GCConfig::select_gc",
                   "Multiple garbage collectors selected"),
            Source("JDK 9 and later",
                   "gcArguments.cpp, GCArguments::initialize_heap_flags_and_sizes",
                   "Initial heap size set to a larger value than the maximum heap size"),
            Source("JDK 8 and earlier", "collectorPolicy.cpp, CollectorPolicy::initialize_flags",
                   "Incompatible initial and maximum heap sizes specified"),
            Source("HotSpot", "classFileParser.cpp, verify_class_version",
                   "has been compiled by a more recent version of the Java Runtime"),
            Source("HotSpot", "genArguments.cpp, collectorPolicy.cpp", "Too small maximum heap"),
        ),
    ),
)  # fmt: skip
"""In the words of HotSpot, of a JVM that ran no code."""
