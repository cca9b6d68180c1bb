"""Not a task died but the application master, or the command that submits the job."""

from __future__ import annotations

import re
from typing import Final

from mprof.engines import OF_CLIENTS, Program
from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.ending import never_started
from mprof.messages.exit_codes import EXIT_SAYS, YARN_SAYS
from mprof.messages.message import Reading, SaidSetting, Source, message
from mprof.messages.said import (
    cap_in_words,
    container_mb_at_most,
    error_like,
    heap_in_options,
    heap_setting_of_program,
    is_launcher_of_oozie,
    is_of_hadoop_1,
    logs_command,
    set_to,
    setting_of,
    stands_on_stack,
    with_heap,
    words_like,
)
from mprof.messages.spark_exit_codes import code_of_spark
from mprof.messages.spark_memory import (
    container_in_words,
    heap_in_words_of,
    more_room_of_a_master,
    process_of,
)
from mprof.messages.thresholds import HEAP_OF_CONTAINER, HEAP_TOO_LARGE, TIMES_A_LIMIT
from mprof.trace import ContainerEnd, why_not_started
from mprof.units import GIB, MIB, format_bytes, format_count, format_ratio

__all__ = ["MESSAGES"]

_MEMORY: Final = re.compile(
    r"(?i)beyond (?:the '?)?physical|(?<!\w)OutOfMemoryError|Java heap space|"
    r"Exit ?code(?: is)?:? *-104\b"
)
_LOGGED: Final = re.compile(r"\bjava\.lang\.OutOfMemoryError\b")
"""An error that the process logged itself: its log was read."""
# org.apache.spark.deploy.yarn.ApplicationMaster, of the driver in cluster mode
_USER_CLASS: Final = re.compile(
    r"User class threw exception: ([^\n]{1,300}?)(?: \(diagnostics\)|$)", re.MULTILINE
)
_BESIDE_THE_HEAP: Final = re.compile(
    r"unable to create (?:new )?native thread|Metaspace|Compressed class space|PermGen space|"
    r"Direct buffer memory"
)
_RESOURCE: Final = "yarn.app.mapreduce.am.resource.mb"
_OPTIONS: Final = "yarn.app.mapreduce.am.command-opts"
_RESOURCE_DEFAULT: Final = 1536  # MRJobConfig.DEFAULT_MR_AM_VMEM_MB
_OPTIONS_DEFAULT: Final = "-Xmx1024m"  # MRJobConfig.DEFAULT_MR_AM_COMMAND_OPTS
_OF_EACH_ENGINE: Final = (
    "of MapReduce yarn.app.mapreduce.am.resource.mb and yarn.app.mapreduce.am.command-opts, of "
    "Spark spark.driver.memory with its overhead in cluster mode and spark.yarn.am.memory in "
    "client mode, of Tez tez.am.resource.memory.mb and tez.am.launch.cmd-opts, of Flink "
    "jobmanager.memory.process.size, of a launcher of Oozie the settings of its action"
)
"""What sets container and heap of the first container of an application."""


@message(
    "The application master was not started",
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptImpl",
        "AM Container for ATTEMPT exited with  exitCode: -1000",
    ),
)
def application_master_not_started(evidence: Evidence) -> Reading | None:
    """A node could not prepare the container of the application master, and started no process.

    What it means
        Before the NodeManager starts a container it copies the job's files to a local disk
        (localization). Where that fails the container ends with -1000
        (`ContainerExitStatus.INVALID`): a file that is missing or was changed, a token that is
        refused, a local disk that cannot be used. The words behind the code say which.

    What it does not prove
        Anything about memory: no process has run.

    What to change
        What the words behind the code name. `yarn.app.mapreduce.am.resource.mb` and `-Xmx` change
        nothing.

    What would tell more
        The NodeManager's log on that node. There is no log of the application master.
    """
    if evidence.death.kind != "application-master" or not never_started(evidence):
        return None
    why = why_not_started(evidence.death.evidence)
    reason = f": {why.rstrip('.')}" if why else ""
    return Reading(
        "The container of the application master was not started (exit status -1000): its node "
        f"could not prepare it, for the reason that stands behind the code{reason}. No process has "
        "run in it, so nothing says that memory was short.",
        "proves",
        "the NodeManager's log on that node names the file or disk; there is no log of the "
        "application master.",
    )


@message(
    "The application master died",
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptImpl",
        "AM Container for ATTEMPT exited with  exitCode: N",
    ),
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.yarn.YarnUncaughtExceptionHandler",
        "Halting due to Out Of Memory Error...",
    ),
)
def application_master_died(evidence: Evidence) -> Reading | None:
    """The application master died.

    What it means
        The process that leads the job ended, and the job with it. YARN starts it in the first
        container of every application, whatever its engine, and says so in the same words. That of
        MapReduce keeps the state and counters of every task, so jobs of tens of thousands of tasks,
        or with many counters, need more of it; in uber mode (`mapreduce.job.ubertask.enable`) the
        tasks themselves run in it. That of Spark is the driver in cluster mode.

    What it does not prove
        That it was for memory, unless its words say so: `running beyond physical memory limits`,
        `Java heap space`, exit code 255 with `Halting due to Out Of Memory Error` in its stderr.

    What to change
        For memory, of MapReduce: `yarn.app.mapreduce.am.resource.mb` (1536) and `-Xmx` in
        `yarn.app.mapreduce.am.command-opts` (`-Xmx1024m`) together; fewer tasks and counters. Of
        Spark `spark.driver.memory` and its overhead (in client mode `spark.yarn.am.memory`), of Tez
        `tez.am.resource.memory.mb`, of Flink `jobmanager.memory.process.size`. Where its words
        are `running beyond virtual memory limits`, it is address space, and neither: `mprof explain
        container_over_virtual_memory`.

    What would tell more
        Its own log, among those that `yarn logs -applicationId APPLICATION` prints.
    """
    if evidence.death.kind != "application-master" or never_started(evidence):
        return None
    end, program = evidence.death.container, evidence.death.program
    is_read = _LOGGED.search(evidence.death.evidence) is not None
    next_step = "" if is_read else f"its own log is among those of {logs_command(evidence)}"
    if end is not None and end.limit == "virtual":
        return None  # of address space, which the message about it is on
    thrown = _USER_CLASS.search(evidence.death.evidence)
    if thrown is not None and _MEMORY.search(evidence.death.evidence) is None:
        return Reading(
            "It was the driver of Spark, which runs in the application master in cluster mode, and "
            f"the application itself threw what ended it: {thrown[1].strip()}. Nothing of that "
            "says that memory was short.",
            "proves",
            next_step,
        )
    if program is not None and program.id == "other-master":
        return Reading(
            "It was the application master of another engine than MapReduce, whose command asks "
            "for its container and sets its heap: where -Xmx is nearly all of the container, the "
            "JVM has no room beside it. No setting of MapReduce reaches it.",
            "suggests",
            next_step,
        )
    if program is not None and program.id != "mapreduce-master":
        return _of_another_master(evidence, program, next_step)
    if program is None:
        return _of_any_engine(evidence, next_step)
    beside = _BESIDE_THE_HEAP.search(evidence.death.evidence)
    if beside is not None:
        flag = next((flag for words, flag in _OF_CLASSES if words in beside[0]), None)
        what = (
            f"the space for its classes was full, whose size is set by {flag} in {_OPTIONS} (for a "
            f"launcher of Oozie: in oozie.launcher.{_OPTIONS})"
            if flag is not None
            else "a limit of threads, classes or buffers beside it was reached"
        )
        return Reading(
            f"The application master, which leads the job, met an OutOfMemoryError ({beside[0]}), "
            f"which is not about its heap: {what}, and a larger -Xmx does not help.",
            "proves",
            next_step,
        )
    if _MEMORY.search(evidence.death.evidence) is None:
        return Reading(
            "The application master, which leads the job, ended; its words do not say that it was "
            f"for memory.{_by_code_alone(evidence)}",
            "suggests",
            next_step,
        )
    old = setting_of(evidence, _RESOURCE)
    size = int(old) if old is not None and old.isdecimal() and len(old) < 10 else _RESOURCE_DEFAULT
    is_known = old is not None
    if end is not None and end.physical_limit_bytes:  # what it had, whatever was asked for
        size, is_known = round(end.physical_limit_bytes / MIB), True
    old_options = setting_of(evidence, _OPTIONS)
    options = old_options or _OPTIONS_DEFAULT
    ran_with = end.task_heap_bytes if end is not None else None
    heap, fits_mb = ran_with or heap_in_options(options), int(HEAP_OF_CONTAINER * size)
    by_heap = is_known and (end is None or end.limit is None)  # and not by its container's limit
    if by_heap and heap is not None and fits_mb * MIB >= TIMES_A_LIMIT.value * heap:
        text = f"The container of {size} MB has room for it."
        new_options = with_heap(options, fits_mb)
        of_heap = (SaidSetting(_OPTIONS, old_options, new_options, text),)
        return _of_mapreduce(evidence, "", next_step, of_heap)
    twice_mb = int(TIMES_A_LIMIT.value * size)
    new_mb, cap = container_mb_at_most(evidence, twice_mb), cap_in_words(evidence, twice_mb)
    new_options = with_heap(options, int(HEAP_OF_CONTAINER * new_mb))
    full = ""
    is_told = old_options is not None or ran_with is not None
    if heap is not None and is_told and heap >= HEAP_TOO_LARGE.value * size * MIB:
        full = (
            f" -Xmx{heap // MIB}m alone is {format_ratio(heap / (size * MIB))} of its container of "
            f"{size} MB, and leaves what the JVM has beside its heap too little."
        )
    had = "its container of" if is_known else "what it has where nothing is set,"
    limit = end.physical_limit_bytes if end is not None and end.limit == "physical" else None
    killed = f" It was killed at its container's limit of {format_bytes(limit)}." if limit else ""
    killed = f"{killed}{full}"
    if new_mb <= size:
        return _of_mapreduce(evidence, f"{killed}{cap}", next_step)
    twice = "Twice" if not cap else "The largest container, instead of"
    why = f"{twice} {had} {size} MB: it keeps the state and counters of every task."
    settings = (
        SaidSetting(_RESOURCE, old, str(new_mb), why),
        SaidSetting(_OPTIONS, old_options, new_options, "Its heap goes with its container."),
    )
    return _of_mapreduce(evidence, f"{killed}{cap}", next_step, settings)


def _of_another_master(evidence: Evidence, program: Program, next_step: str) -> Reading:
    """Of the application master of Tez, Spark or Flink."""
    end = evidence.death.container
    if _MEMORY.search(evidence.death.evidence) is None:
        return Reading(
            f"It was {_what_led(evidence, program)}; its words do not say that it was for memory."
            f"{_by_code_alone(evidence)}",
            "suggests",
            next_step,
        )
    limit = end.physical_limit_bytes if end is not None and end.limit == "physical" else None
    more = ""
    settings: tuple[SaidSetting, ...] = ()
    if limit and program.id == "tez-master":
        name, twice_mb = program.container, int(TIMES_A_LIMIT.value * limit / MIB)
        text = (
            f"First aid: {name}={twice_mb}, twice its container, with "
            f"-Xmx{int(HEAP_OF_CONTAINER * twice_mb)}m in {program.options}."
        )
        had = str(round(limit / MIB))
        settings = (SaidSetting(name, had, str(twice_mb), text, first_aid=True),)
    if program.id == "spark-master":
        more, settings = more_room_of_a_master(evidence, limit)
    return Reading(
        f"It was {_what_led(evidence, program)}, and it {_how_it_ended(end)}: its container is set "
        f"by {container_in_words(evidence, program)}, its heap by "
        f"{heap_in_words_of(evidence, program)}.{more} No setting of tasks helps.",
        "proves",
        next_step,
        settings,
    )


def _what_led(evidence: Evidence, program: Program) -> str:
    """What it was; of Spark which of the two, where the mode is known."""
    process = process_of(evidence)
    return program.one if process is None else process.one


def _of_mapreduce(
    evidence: Evidence, more: str, next_step: str, settings: tuple[SaidSetting, ...] = ()
) -> Reading:
    """Of the application master of MapReduce, which ran out of memory."""
    count = evidence.job.maps
    maps = f" ({count:,} map tasks)" if count is not None else ""
    return Reading(
        "The application master, which leads the job, ran out of memory itself: it keeps the state "
        f"and counters of every task{maps}, and in uber mode runs them.{more} No memory of "
        "the tasks helps it; fewer of them do.",
        "proves",
        next_step,
        settings,
    )


def _by_code_alone(evidence: Evidence) -> str:
    """What its exit code says where it left no other word."""
    end = evidence.death.container
    code = end.exit_code if end is not None else None
    if code is None or evidence.death.message or evidence.death.chain:
        return ""
    if code in YARN_SAYS:
        return f" YARN ended it from outside (exit status {code}): {YARN_SAYS[code]}."
    if (by_signal := _BY_SIGNAL.get(code)) is not None:
        return f" Exit code {code} says that {by_signal}."
    says = code_of_spark(evidence.death.program, code) or EXIT_SAYS.get(code)
    return f" Its exit code alone says little: {says}." if says else ""


_BY_SIGNAL: Final = {
    137: "it was killed (SIGKILL), not by whom: the kernel, for lack of memory, or the NodeManager",
    143: "it was asked to end (SIGTERM), not why",
}


def _of_any_engine(evidence: Evidence, next_step: str) -> Reading:
    """What led an application of which nothing shows the engine, and what sets it in each."""
    end = evidence.death.container
    if _MEMORY.search(evidence.death.evidence) is not None:
        how = (
            f"It {_how_it_ended(end)}. What sets its memory: {_OF_EACH_ENGINE}. No setting of "
            "tasks or executors reaches it."
        )
    else:
        how = f"Its words do not say that it was for memory.{_by_code_alone(evidence)}"
    return Reading(
        "It was the first container of an application, in which YARN starts what leads it, and "
        f"mprof found nothing that shows of which engine. {how}",
        "suggests",
        next_step,
    )


def _how_it_ended(end: ContainerEnd | None) -> str:
    """That it was killed over the limit of its container, or its heap was full."""
    if end is None or end.limit != "physical":
        return "ran out of memory"
    limit = end.physical_limit_bytes
    if limit is None:
        return "was killed because its container exceeded its limit of physical memory"
    return f"was killed at its container's limit of {format_bytes(limit)} of memory"


_OF_SPLITS = "mapreduce.job.split.metainfo.maxsize"
_OF_SPLITS_OF_A_JOBTRACKER = "mapreduce.jobtracker.split.metainfo.maxsize"  # jobtracker.getConf()
_SPLITS_EXCEEDED = r"Split metadata size exceeded (\d{1,12})\. ?Aborting job "
_SPLIT_READER = "org.apache.hadoop.mapreduce.split.SplitMetaInfoReader.readSplitMetaInfo"


@message(
    "The list of splits is too large",
    Source("1.2 to 3.5", _SPLIT_READER, "Split metadata size exceeded N. Aborting job "),
)
def split_list_too_large(evidence: Evidence) -> Reading | None:
    """The list of the job's splits is larger than Hadoop reads.

    What it means
        The application master (in Hadoop 1 the JobTracker) reads the list of all splits and their
        hosts into memory, and refuses one of more than `mapreduce.job.split.metainfo.maxsize` bytes
        (10,000,000): the job has a few hundred thousand splits, mostly of small files.

    What it does not prove
        That memory was short: it is the guard against that.

    What to change
        Fewer splits: `CombineTextInputFormat`, larger splits, files put together beforehand. With
        `mapreduce.job.split.metainfo.maxsize=-1` the list is read whatever its size, and the
        application master needs the memory (`yarn.app.mapreduce.am.resource.mb`).

    What would tell more
        `hdfs dfs -count INPUT` counts the files.
    """
    found = error_like(evidence, r"java\.io\.IOException", _SPLITS_EXCEEDED) or words_like(
        evidence, r".{0,300}?\bSplit metadata size exceeded (\d{1,12})"
    )
    if found is None:
        return None
    old = is_of_hadoop_1(evidence)
    text = (
        "First aid: the list is read whatever its size. The application master then needs the "
        "memory for it; fewer splits are the cure."
    )
    name = _OF_SPLITS if not old else _OF_SPLITS_OF_A_JOBTRACKER
    stated = setting_of(evidence, name)
    unset = stated is not None and stated != found[1]
    later = (
        f" {name}={stated}, which the text has, was not in force here: the message names the limit."
        if unset
        else ""
    )
    return Reading(
        f"The list of the job's splits is larger than {format_count(int(found[1]))} bytes "
        f"({name}{', of the JobTracker' if old else ''}): there are too many splits, mostly of "
        "small files, of which CombineTextInputFormat takes many for one. No memory had run "
        f"out.{later}",
        "proves",
        settings=() if old or unset else (SaidSetting(name, found[1], "-1", text, first_aid=True),),
    )


_OF_CLASSES: Final = (
    ("PermGen", "-XX:MaxPermSize"),
    ("Metaspace", "-XX:MaxMetaspaceSize"),
)
_LISTS: Final = (
    "org.apache.hadoop.mapreduce.lib.input.FileInputFormat",
    "org.apache.hadoop.mapred.FileInputFormat",
    "org.apache.hadoop.mapred.LocatedFileStatusFetcher",
    "org.apache.hadoop.hive.ql.io.HiveInputFormat",
    "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat",
)
_COMMANDS: Final = frozenset({"command", "hive-cli", "pig-client"})
_SUBMITS: Final = ("org.apache.hadoop.mapreduce.JobSubmitter", "org.apache.hadoop.mapred.JobClient")


@message(
    "The submitting command ran out of heap",
    Source("1.2", "org.apache.hadoop.mapred.JobClient.writeSplits"),
    Source("2.2 to 3.5", "org.apache.hadoop.mapreduce.JobSubmitter.writeSplits"),
)
def client_heap(evidence: Evidence) -> Reading | None:
    """The command that submits the job ran out of memory, before any task.

    What it means
        The submitting process lists the input and makes the splits (`InputFormat.getSplits`): each
        file is a status with the hosts of its blocks, so a million small files take a gigabyte or
        so. Its heap is that of the `hadoop` command, 1000 MB or a quarter of the machine, not of
        the tasks.

    What it does not prove
        That the files are too many: the driver's own code runs in the same heap.

    What to change
        `export HADOOP_CLIENT_OPTS=-Xmx4g` before the command; `CombineTextInputFormat` or fewer
        files make the splits fewer, not the listing smaller. `-Xmx` there goes before
        `HADOOP_HEAPSIZE`, and an older `-Xmx` of `hadoop-env.sh` stands before it.

    What would tell more
        `hdfs dfs -count INPUT` counts the files.
    """
    submits = any(stands_on_stack(evidence, one) for one in _SUBMITS)
    lists = submits and any(
        stands_on_stack(evidence, one, "getSplits", "listStatus", "run", "generateSplitsInfo")
        for one in _LISTS
    )
    program = evidence.death.program
    is_command = program is None or program.id in _COMMANDS  # HiveServer2 and others submit, too
    died = evidence.death.kind in HEAP_KINDS and submits and is_command
    if not died and evidence.job.driver_error is None:
        return None
    combines = any("Combine" in one.class_name for one in evidence.death.stack)
    said = setting_of(evidence, _PATHS) or setting_of(evidence, _FILES) or 0
    paths = int(said) if lists else 0
    what = (
        "while it listed the input and made the splits; a million small files take a gigabyte or so"
        if lists
        else "not a task; it lists the input and makes the splits, and runs the driver's own code"
    )
    had = heap_setting_of_program(evidence)
    is_set = f" ({set_to(had[0], had[1])} in the text)" if had is not None else ""
    heap = had[2] if had is not None else 0
    new_gb = max(
        _LEAST_GB, -(-2 * paths // _FILES_OF_A_GB), -(-int(TIMES_A_LIMIT.value) * heap // GIB)
    )
    cure = (
        f" It had {paths:,} input files."
        if paths >= _MANY and combines
        else f" It had {paths:,} input files, and in the job each of them is a map task at least, "
        "which the application master then has to keep: CombineTextInputFormat, or another "
        "CombineFileInputFormat, takes many files for one."
        if paths >= _MANY
        else ""
    )
    return Reading(
        f"The command that submits the job ran out of heap, {what}. Its heap is set by {OF_CLIENTS}"
        f"{is_set}: export HADOOP_CLIENT_OPTS=-Xmx{new_gb}g raises it, and no setting of the job "
        f"does.{cure}",
        "proves" if lists else "suggests",
        "" if paths else "hdfs dfs -count INPUT counts the files.",
        _as_options(evidence, new_gb),
    )


def _as_options(evidence: Evidence, new_gb: int) -> tuple[SaidSetting, ...]:
    """The same as a value, with the other options that the text has there."""
    if is_launcher_of_oozie(evidence):  # which submits from a map task
        return ()
    old = setting_of(evidence, _CLIENT_OPTIONS)
    text = f"First aid: a heap of {new_gb} GB for the command that is started behind it."
    new = with_heap(old or "", new_gb * (GIB // MIB))
    return (SaidSetting(_CLIENT_OPTIONS, old, new, text, first_aid=True),)


_CLIENT_OPTIONS: Final = "HADOOP_CLIENT_OPTS"


_PATHS: Final = "input paths"
_FILES: Final = "files of a folder"
_FILES_OF_A_GB: Final = 1_000_000
_LEAST_GB: Final = 4
_MANY: Final = 100_000
"""Of so many map tasks an application master of the usual size runs short itself."""


MESSAGES = (
    split_list_too_large,
    application_master_not_started,
    application_master_died,
    client_heap,
)
