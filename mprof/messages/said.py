"""What a death says: its error, its frames, and the settings at hand beside it."""

from __future__ import annotations

import math
import re
from typing import Final, Literal

from mprof.code_site import CodeSite
from mprof.engines import is_jdk_class
from mprof.engines import is_of_hadoop_1 as is_class_of_hadoop_1
from mprof.evidence import Evidence, Holder, Unknown, known
from mprof.history import JobConf
from mprof.history.deprecated import OLD_NAMES
from mprof.messages.message import SaidSetting
from mprof.messages.thresholds import WORTH_TELLING
from mprof.trace import OUT_OF_MEMORY, parse_timeout
from mprof.units import MIB, parse_jvm_size

__all__ = [
    "OF_LIBRARIES",
    "OF_MEMORY",
    "Where",
    "cap_in_words",
    "code_that_asked",
    "container_bytes",
    "container_mb_at_most",
    "error_like",
    "exit_code",
    "heap_bytes",
    "heap_in_options",
    "heap_in_words",
    "heap_is_unseen",
    "heap_setting_of_program",
    "holder_of",
    "is_in_local_job",
    "is_launcher_of_oozie",
    "is_of_a_jobtracker",
    "is_of_a_pod",
    "is_of_a_task",
    "is_of_hadoop_1",
    "is_only_named",
    "logs_command",
    "may_be_any_process",
    "may_be_in_force",
    "megabytes_up",
    "name_of",
    "options_name",
    "options_of",
    "other_processes",
    "set_to",
    "setting_of",
    "side_is_known",
    "side_of",
    "site_in_words",
    "size_in",
    "stands_on_stack",
    "top_frame",
    "tried",
    "where_of",
    "with_heap",
    "with_option",
    "words_like",
]

Where = Literal["hadoop-1", "local-job", "spark"]
"""Where something ran for which other settings count than for a task of MapReduce."""

OF_MEMORY: Final = re.compile(
    r"(?i)\b(?:memory|heap|gc overhead|oom)\b|OutOfMemory|MemoryError|\bbad_alloc\b"
)
"""Words of an end, or of a text, that have to do with memory, whatever they say of it."""
_OF_A_LAUNCHER: Final = "oozie.launcher."
_STEP_MB: Final = 128
_DIGITS: Final = 10  # of a number of MB
_OPTIONS_OF_BOTH: Final = "mapred.child.java.opts"
_OF_A_JOBTRACKER: Final = re.compile(r"job_[12]\d{11}_\d+")
_CHILD_ERROR: Final = r"Task process exit with nonzero status of (-?\d{1,4})"


def side_of(evidence: Evidence) -> str:
    """`map` or `reduce`, as property names have it."""
    return "reduce" if evidence.is_reduce else "map"


def side_is_known(evidence: Evidence) -> bool:
    """Whether anything says that it was a map or a reduce task."""
    return evidence.attempt.task_type is not None


def is_of_a_pod(evidence: Evidence) -> bool:
    """Whether Kubernetes killed it, by the reason that it gives for a limit that was reached."""
    return "OOMKilled" in evidence.death.evidence


def is_of_a_jobtracker(job_id: str | None) -> bool:
    """Whether Hadoop 1 ran a job: its id has a JobTracker's minute, not YARN's milliseconds."""
    return _OF_A_JOBTRACKER.fullmatch(job_id or "") is not None


def is_of_hadoop_1(evidence: Evidence) -> bool:
    """Whether Hadoop 1 ran it, by the id of its job, by classes on its stack, or by its text."""
    logged = [one.class_name for one in (*evidence.death.stack, *evidence.death.callers)]
    dumped = [one.class_name for one in known(evidence.stack) or ()]
    return is_of_a_jobtracker(evidence.job.job_id) or (
        evidence.job.job_id is None
        and (evidence.death.of_hadoop_1 or any(map(is_class_of_hadoop_1, (*logged, *dumped))))
    )


def is_in_local_job(evidence: Evidence) -> bool:
    """Whether the whole job ran in one JVM, its tasks as threads (``LocalJobRunner``)."""
    program, job = evidence.death.program, evidence.job.job_id
    is_its_jvm = program is not None and program.id == "local-runner"
    return is_its_jvm or (job is not None and job.startswith("job_local"))


def where_of(evidence: Evidence) -> Where | None:
    """Where it ran, if that is not a task of MapReduce, or one of Hadoop 1."""
    program, frames = evidence.death.program, (*evidence.death.stack, *evidence.death.callers)
    if is_in_local_job(evidence):
        return "local-job"
    if program is not None and program.id.startswith("spark"):
        return "spark"
    if program is None and any(one.class_name.startswith("org.apache.spark.") for one in frames):
        return "spark"
    return "hadoop-1" if is_of_hadoop_1(evidence) else None


def is_launcher_of_oozie(evidence: Evidence) -> bool:
    """Whether the job starts another one, or a script, for a workflow of Oozie.

    By its name: the job that it starts may have the properties of the launcher, too. Or by its
    stack: `LauncherMapper` is the mapper of such a job.
    """
    by_name = (evidence.job.name or "").startswith("oozie:launcher")
    return by_name or stands_on_stack(evidence, "org.apache.oozie.action.hadoop.LauncherMapper")


def name_of(evidence: Evidence, name: str) -> str:
    """The name of a property in the line of Hadoop that ran the job, as its owner sets it.

    A job of a JobTracker knows none of the names that Hadoop 2 gave, and a text that states the
    setting under its old name is answered with that, which Hadoop 2 takes as well. A launcher of
    Oozie is a job that Oozie submits: it takes such properties of its action with a prefix, and
    those of the job that it starts without (``JavaActionExecutor.injectLauncherProperties``).
    """
    if is_launcher_of_oozie(evidence):
        return f"{_OF_A_LAUNCHER}{name}"
    old_names = OLD_NAMES.get(name, ())
    if is_of_hadoop_1(evidence):
        return next(iter(old_names), name)
    if name in evidence.stated.in_force:
        return name
    called = evidence.stated.called.get(name, name)
    return next((old for old in old_names if old in evidence.stated.in_force), called)


def options_name(evidence: Evidence) -> str:
    """The property that holds the JVM options of the attempt's side."""
    own = f"mapreduce.{side_of(evidence)}.java.opts"
    if is_of_hadoop_1(evidence) and setting_of(evidence, own) is None:
        return _OPTIONS_OF_BOTH  # which nearly every cluster of Hadoop 1 sets
    return name_of(evidence, own)


def heap_bytes(evidence: Evidence) -> int | None:
    """-Xmx; None where nothing at hand says, or where it is not that of a task."""
    if evidence.death.program is not None:
        return None
    stated = JobConf(evidence.stated.in_force).task_heap_bytes(side_of(evidence))
    return known(evidence.memory.heap_max_bytes) or stated


def container_bytes(evidence: Evidence) -> int | None:
    """What the container was granted; None where nothing at hand says."""
    stated = JobConf(evidence.stated.in_force).task_container_bytes(side_of(evidence))
    return known(evidence.memory.container_bytes) or stated


_HEAPS: Final = {
    "spark-executor": ("spark.executor.memory",),
    "spark-master": ("the command line of SparkSubmit", "spark.driver.memory"),
    "spark-local": ("spark.driver.memory",),
    "tez-task": ("hive.tez.java.opts", "tez.task.launch.cmd-opts"),
    "tez-master": ("tez.am.launch.cmd-opts",),
    **dict.fromkeys(
        ("hive-cli", "hive-session", "distcp"),
        ("the command line of RunJar", "HADOOP_CLIENT_OPTS", "HADOOP_OPTS", "HADOOP_HEAPSIZE"),
    ),
    "hive-local-task": (
        "the command line of RunJar",
        "HADOOP_CLIENT_OPTS",
        "HADOOP_OPTS",
        "hive.mapred.local.mem",
    ),
    "command": (
        "the command line of RunJar",
        "the command line of FsShell",
        "HADOOP_CLIENT_OPTS",
        "HADOOP_OPTS",
        "HADOOP_HEAPSIZE",
    ),
    **dict.fromkeys(("hiveserver2", "metastore"), ("HADOOP_HEAPSIZE",)),
    # bin/yarn, bin/hdfs: the options of a server stand behind its heap size; the last -Xmx counts
    "resourcemanager": ("YARN_RESOURCEMANAGER_OPTS", "YARN_RESOURCEMANAGER_HEAPSIZE"),
    "nodemanager": ("YARN_NODEMANAGER_OPTS", "YARN_NODEMANAGER_HEAPSIZE"),
    "timeline": ("YARN_TIMELINESERVER_OPTS", "YARN_TIMELINESERVER_HEAPSIZE"),
    "namenode": ("HDFS_NAMENODE_OPTS", "HADOOP_NAMENODE_OPTS"),
    "datanode": ("HDFS_DATANODE_OPTS", "HADOOP_DATANODE_OPTS"),
    "historyserver": ("MAPRED_HISTORYSERVER_OPTS", "HADOOP_JOB_HISTORYSERVER_HEAPSIZE"),
    "regionserver": ("HBASE_REGIONSERVER_OPTS", "HBASE_HEAPSIZE"),
    "hbase-master": ("HBASE_MASTER_OPTS", "HBASE_HEAPSIZE"),
    **dict.fromkeys(
        ("spark-history", "spark-standalone-master", "spark-standalone-worker"),
        ("SPARK_DAEMON_MEMORY",),
    ),
    "mapreduce-master": ("yarn.app.mapreduce.am.command-opts",),
    "mapreduce-uber": ("yarn.app.mapreduce.am.command-opts",),
}
"""What sets the heap of a program that is no map or reduce task, the first that is set."""
_SIZE: Final = re.compile(r"(\d{1,9})([kKmMgGtT]?)[bB]?")
_XMX: Final = re.compile(r"(?:^|\s)-Xmx(\d{1,15}[kKmMgGtT]?)(?=\s|$)")


def heap_setting_of_program(evidence: Evidence) -> tuple[str, str, int] | None:
    """The property of the heap of another program, with its value, also in bytes; None without."""
    program = evidence.death.program
    for name in _HEAPS.get(program.id if program is not None else "", ()):
        value = setting_of(evidence, name)
        if value is None:
            continue
        size = _SIZE.fullmatch(value)  # without a unit in MB (Spark's JavaUtils.byteStringAsMb)
        xmx = _XMX.findall(value)
        if size is not None:
            return name, value, parse_jvm_size(f"{size[1]}{size[2] or 'm'}")
        if xmx:
            return name, value, parse_jvm_size(xmx[-1])
    return None


def set_to(name: str, value: str) -> str:
    """``NAME=VALUE``; of what shows a value, and is no name, that it has it."""
    return f"{name}{' has ' if name.startswith('the ') else '='}{value}"


def heap_in_words(evidence: Evidence) -> str:
    """``-Xmx256m``, or that nothing at hand says it."""
    heap = heap_bytes(evidence)
    if heap is not None:
        return f"-Xmx{heap // MIB}m"
    names = (f"mapreduce.{side_of(evidence)}.java.opts", _OPTIONS_OF_BOTH, "-Xmx")
    has = dict.fromkeys(one for name in names for one in may_be_in_force(evidence, name))
    died = {one for name in names for one in evidence.stated.died_with.get(name, ())}
    if has and died.issuperset(has):
        return f"it died with {' and with '.join(has)}, as the text says"
    if has:
        return f"which -Xmx it had is not read from the text, which has {' and '.join(has)}"
    if is_of_hadoop_1(evidence):  # mapred-default.xml
        return f"-Xmx is not known; it is 200 MB where nothing sets {_OPTIONS_OF_BOTH}"
    return "-Xmx is not known"


def may_be_in_force(evidence: Evidence, name: str) -> tuple[str, ...]:
    """The values of a property that a text has, and with one of which somebody may have run."""
    stated = evidence.stated
    unused = {*stated.elsewhere.get(name, ()), *stated.proposed.get(name, ())}
    return tuple(one for one in stated.doubted.get(name, ()) if one not in unused)


def tried(evidence: Evidence, name: str) -> str | None:
    """The largest value that a text has for a heap or a container, and that may have been tried.

    Args:
        evidence: of the attempt.
        name: the new name of the property.
    """
    sizes = [(size, one) for one in may_be_in_force(evidence, name) if (size := size_in(one))]
    return max(sizes)[1] if sizes else None


def size_in(value: str) -> int | None:
    """A size that a heap or a container is set to, in bytes; None where it is none."""
    sized = _SIZE.fullmatch(value)
    if sized is not None and len(value) < _DIGITS:
        return parse_jvm_size(f"{sized[1]}{sized[2] or 'm'}")
    return heap_in_options(value)


def is_only_named(evidence: Evidence) -> bool:
    """Whether of an OutOfMemoryError neither its message nor a frame stands in what was read."""
    death = evidence.death
    return death.error_class == OUT_OF_MEMORY and not (death.message or death.stack)


def heap_is_unseen(evidence: Evidence) -> bool:
    """Whether no dump shows what was in the heap: then words are all there is."""
    return isinstance(evidence.holders, Unknown)


_LARGEST: Final = ("yarn.scheduler.maximum-allocation-mb", "yarn.nodemanager.resource.memory-mb")
"""What no container is larger than: the ResourceManager refuses more, and no node has more."""


def _largest(evidence: Evidence) -> tuple[int, str] | None:
    """The largest container that the cluster gives, and what sets it; None where nothing says."""
    said = ((setting_of(evidence, name) or "", name) for name in _LARGEST)
    return min(
        ((int(size), name) for size, name in said if size.isdecimal() and 0 < len(size) < _DIGITS),
        default=None,
    )


def container_mb_at_most(evidence: Evidence, wanted_mb: int) -> int:
    """A size of a container, as far as the cluster is known to give it."""
    largest = _largest(evidence)
    return wanted_mb if largest is None else min(wanted_mb, largest[0])


def cap_in_words(evidence: Evidence, wanted_mb: int) -> str:
    """That the cluster gives no container of that size, where it does not."""
    largest = _largest(evidence)
    if largest is None or wanted_mb <= largest[0]:
        return ""
    size, name = largest
    return f" The cluster gives a container {size} MB at most ({name}={size})."


def megabytes_up(size_bytes: float) -> int:
    """A size of a container in MB, rounded up to whole steps of 128 MB."""
    return math.ceil(size_bytes / MIB / _STEP_MB) * _STEP_MB


def setting_of(evidence: Evidence, name: str) -> str | None:
    """A property of the job under its new name or an old one; None where it is not at hand."""
    names = (name, *OLD_NAMES.get(name, ()))
    settings = (evidence.conf, evidence.stated.in_force)
    return next((conf[one] for conf in settings for one in names if one in conf), None)


def other_processes(evidence: Evidence) -> tuple[int, str]:
    """What the processes beside the JVM took of a container that was killed, and which they are.

    Nothing where the cluster's words do not list them.
    """
    facts = evidence.container
    processes = facts.processes if facts is not None else ()
    others = [one for one in processes if not (one.is_task or one.is_shell)]
    names = dict.fromkeys(one.program for one in others)
    return sum(one.resident_bytes for one in others), f"{len(others)} of {', '.join(names)}"


def heap_in_options(options: str) -> int | None:
    """-Xmx in JVM options, the last one; None without."""
    xmx = _XMX.findall(options)
    return parse_jvm_size(xmx[-1]) if xmx else None


def with_heap(options: str, heap_mb: int) -> str:
    """JVM options with another heap: HotSpot takes the last ``-Xmx``, so there is one."""
    flag, kept = f"-Xmx{heap_mb}m", options.split()
    places = [at for at, one in enumerate(kept) if one.startswith("-Xmx")]
    if not places:
        return " ".join([*kept, flag])
    return " ".join(
        flag if at == places[-1] else one
        for at, one in enumerate(kept)
        if at == places[-1] or at not in places
    )


def options_of(evidence: Evidence) -> str | None:
    """The JVM options of the attempt's side; None where they are not at hand."""
    own = setting_of(evidence, f"mapreduce.{side_of(evidence)}.java.opts")
    return own if own is not None else setting_of(evidence, _OPTIONS_OF_BOTH)


def with_option(evidence: Evidence, flag: str, text: str) -> tuple[SaidSetting, ...]:
    """First aid: the JVM options of the side with one more, in place of an older value of it.

    Empty where the job's options are not at hand: a new value would drop the others.
    """
    name = f"mapreduce.{side_of(evidence)}.java.opts"
    old = setting_of(evidence, name)
    options = options_of(evidence)
    if options is None:
        return ()
    option = flag.partition("=")[0] + "="
    kept = [one for one in options.split() if not one.startswith(option)]
    return (SaidSetting(name, old, " ".join([*kept, flag]), text, first_aid=True),)


def top_frame(evidence: Evidence) -> CodeSite | None:
    """The topmost frame of the dying thread that is no class of the JDK's."""
    stack = evidence.death.stack
    return next((one for one in stack if not is_jdk_class(one.class_name)), None)


OF_LIBRARIES: Final = (
    "org.apache.", "org.jboss.", "org.eclipse.", "scala.", "io.netty.", "com.google.", "py4j.",
    "com.mysql.", "org.mariadb.", "org.postgresql.", "oracle.jdbc.", "com.microsoft.sqlserver.",
)  # fmt: skip


def code_that_asked(evidence: Evidence) -> str | None:
    """The topmost frame of the dying thread that is of no library known here, with its line."""
    own = (
        one
        for one in evidence.death.stack
        if not is_jdk_class(one.class_name) and not one.class_name.startswith(OF_LIBRARIES)
    )
    site = next(own, None)
    if site is None:
        return None
    return site_in_words(site)


def site_in_words(site: CodeSite) -> str:
    """``com.acme.Job.map (Job.java:12)``."""
    at = f" ({site.file}:{site.line})" if site.file and site.line else ""
    return f"{site.class_name}.{site.method}{at}"


def stands_on_stack(evidence: Evidence, class_name: str, *methods: str) -> bool:
    """Whether a frame of the dying thread is of that class, or nested in it, and of a method.

    The constructor of a nested class makes another thing than its own.
    """
    logged = [(one.class_name, one.method) for one in evidence.death.stack]
    dumped = [(one.class_name, one.method) for one in known(evidence.stack) or ()]
    return any(
        (name == class_name or (name.startswith(f"{class_name}$") and method != "<init>"))
        and (not methods or method in methods)
        for name, method in (*logged, *dumped)
    )


def holder_of(evidence: Evidence, *classes: str) -> Holder | None:
    """The largest holder of objects of these classes, or held by them, that is worth telling."""
    capacity = known(evidence.memory.capacity_bytes)
    found = [
        one
        for one in known(evidence.holders) or ()
        if any(
            name in classes
            for name in (one.class_name, one.element_class, one.key.class_name, one.key.value_class)
        )
    ]
    if not found or capacity is None:
        return None
    largest = max(found, key=lambda one: one.bytes)
    return largest if largest.bytes >= WORTH_TELLING.value * capacity else None


def error_like(evidence: Evidence, class_name: str, words: str) -> re.Match[str] | None:
    """The message of an error of that class in the chain that ended the task, from its start.

    The class counts as much as the words: code of the job may say the same of something else.

    Args:
        evidence: of the attempt.
        class_name: a pattern for the full name.
        words: a pattern for the start of the message.
    """
    pattern = re.compile(rf"(?:{class_name}): (?:{words})")
    return next((found for one in evidence.death.chain if (found := pattern.match(one))), None)


def words_like(evidence: Evidence, words: str) -> re.Match[str] | None:
    """The cluster's own words of an end that no error of the task explains, from their start.

    A time in brackets may stand before them (Hadoop 3).
    """
    if evidence.death.chain or evidence.death.stack:
        return None
    return re.match(rf"(?:\[[^\]]*\] ?)?(?:{words})", evidence.death.evidence)


def exit_code(evidence: Evidence) -> int | None:
    """The exit code that is all the death leaves; None where an error or a limit says more.

    A timeout does, too: `TaskHeartbeatHandler` writes who ends the attempt and why, and the exit
    code behind it in the same line is that of the signal which it sends.
    """
    if evidence.death.kind != "not-memory" or parse_timeout(evidence.death.message) is not None:
        return None
    of_child = error_like(evidence, r"java\.io\.IOException", _CHILD_ERROR)
    if of_child is not None:
        return int(of_child[1])  # Hadoop 1: TaskRunner.run
    end = evidence.death.container
    by_code_alone = end is not None and evidence.death.evidence.startswith(end.line)
    return end.exit_code if end is not None and by_code_alone else None


def logs_command(evidence: Evidence) -> str:
    """The command that prints the logs of the job's containers; of Hadoop 1 where they lie.

    ``TaskLog.getAttemptDir``: below userlogs, since 0.20.203 in a folder of the job.
    """
    job = evidence.job.job_id or ""
    if is_of_hadoop_1(evidence):
        attempt = evidence.attempt.attempt_id or "the attempt"
        return f"the folder of {attempt} below logs/userlogs on the node that ran it"
    own = evidence.death.needs.spark.application
    if own and not job:
        return f"the folder work/{own} of Spark on the worker (a folder for each executor)"
    number = job.removeprefix("job_")
    application = f"application_{number}" if number and number != job else "APPLICATION"
    return f"yarn logs -applicationId {application}"


_RUN_TASKS: Final = (
    "org.apache.hadoop.mapred.",
    "org.apache.hadoop.mapreduce.",
    "org.apache.hadoop.streaming.",
    "org.apache.sqoop.mapreduce.",
    "org.apache.hadoop.util.LineReader",
)


_OF_THE_MASTER: Final = "org.apache.hadoop.mapred.TaskAttemptListenerImpl"  # MRAppMaster's alone


def _runs_tasks(frame: CodeSite) -> bool:
    """Whether a frame is of what runs in the JVM of a task."""
    return frame.class_name.startswith(_RUN_TASKS) and frame.class_name != _OF_THE_MASTER


def is_of_a_task(evidence: Evidence) -> bool:
    """Whether something says that it was a map or reduce task of MapReduce."""
    attempt, death = evidence.attempt, evidence.death
    if death.program is not None:
        return False
    frames = (*death.stack, *death.callers)
    return bool(
        attempt.attempt_id
        or attempt.task_type
        or death.in_task
        or "Error running child" in death.evidence
        or death.evidence.startswith("Error: ")
        or any(map(_runs_tasks, frames))
    )


_BY_THE_JVM: Final = re.compile(r"OutOf\w*MemoryError|emory allocation|insufficient memory|reserve")
"""What a JVM says by itself, whatever it runs."""


def may_be_any_process(evidence: Evidence) -> bool:
    """Whether nothing says that it was a map or reduce task: no id, no frame, no words of one.

    ``Error: Java heap space`` are words of Hadoop's own for a task; the class name before a
    message, or ``Exception in thread``, are words of every JVM.
    """
    attempt, death = evidence.attempt, evidence.death
    if (
        death.program is not None
        or death.in_task
        or death.from_dump
        or not heap_is_unseen(evidence)
    ):
        return False  # what a dump is of, it tells itself
    if attempt.attempt_id or attempt.container_id or attempt.task_type or attempt.mode != "none":
        return False
    if evidence.child is not None or "Error running child" in death.evidence:
        return False
    if any(map(_runs_tasks, (*death.stack, *death.callers))):
        return False
    if is_of_a_pod(evidence):
        return True  # MapReduce has none
    if evidence.job.job_id is not None or not _BY_THE_JVM.search(death.evidence):
        return False  # a task of that job, or the words of an engine
    return bool(death.stack) or not death.evidence.startswith("Error: ")
