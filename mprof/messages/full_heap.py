"""The heap was full: what the words and the topmost frame say of it, where no dump shows it."""

from __future__ import annotations

from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence, known
from mprof.messages.growing import collection_was_enlarged
from mprof.messages.message import Reading, SaidSetting, Source, message
from mprof.messages.pasted_code import code_keeps
from mprof.messages.reckoned import heap_for, needed_heap
from mprof.messages.said import (
    cap_in_words,
    code_that_asked,
    container_bytes,
    container_mb_at_most,
    error_like,
    heap_bytes,
    heap_in_words,
    heap_is_unseen,
    heap_setting_of_program,
    is_of_a_task,
    is_of_hadoop_1,
    is_only_named,
    logs_command,
    may_be_any_process,
    megabytes_up,
    name_of,
    options_name,
    options_of,
    setting_of,
    side_is_known,
    side_of,
    stands_on_stack,
    top_frame,
    tried,
    with_heap,
)
from mprof.messages.thresholds import HEAP_OF_CONTAINER, TIMES_A_LIMIT
from mprof.messages.unset_heap import heap_of_its_container
from mprof.trace.timeout import parse_timeout
from mprof.units import MIB, format_bytes, format_ratio, list_in_words

__all__ = ["MESSAGES", "room_that_is_idle"]

_TEXT: Final = "org.apache.hadoop.io.Text"
_GROWS: Final = frozenset({"setCapacity", "ensureCapacity", "append"})
_READER: Final = "org.apache.hadoop.util.LineReader"


@message(
    "A line of the input does not fit into the heap",
    Source("1.2", "org.apache.hadoop.io.Text.setCapacity", "byte[] newBytes = new byte[len]"),
    Source("2.2 to 3.5", "org.apache.hadoop.io.Text.append"),
    Source(
        "1.2 to 3.5",
        "org.apache.hadoop.util.LineReader.readLine",
        "Too many bytes before newline: ",
    ),
    causes=("large_single_record",),
)
def line_does_not_fit(evidence: Evidence) -> Reading | None:
    """A line of the input did not fit into the heap.

    What it means
        The heap ran out while the text of one line was made longer. A line is read whole; a file
        without line ends, or with others than the job expects (`textinputformat.record.delimiter`),
        is one line.

    What it does not prove
        How long the line is: in a heap that is full already a line of a few kilobytes is the last
        straw.

    What to change
        The delimiter (`textinputformat.record.delimiter`), or the file.
        `mapreduce.input.linerecordreader.line.maxlength` drops longer lines without a word in the
        output, so it is for those who can do without them.

    What would tell more
        Look at the longest line of the split that the log names (`Processing split: ...`): `hdfs
        dfs -cat FILE | awk '{ if (length > m) m = length } END { print m }'`.
    """
    top = top_frame(evidence)
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence) or top is None:
        return None
    if (
        top.class_name != _TEXT
        or top.method not in _GROWS
        or not stands_on_stack(evidence, _READER)
    ):
        return None
    too_long = evidence.death.kind == "array-limit"
    what = (
        "A line of the input is longer than an array can be"
        if too_long
        else "The heap ran out while more room was made for a line of the input"
    )
    return Reading(
        f"{what}: a file without the line ends that the job expects is one line, however long, and "
        "smaller splits make no line shorter. A line has to fit into the heap, and into an array "
        "of 2 GB at most. textinputformat.record.delimiter sets another end of a record, and "
        "mapreduce.input.linerecordreader.line.maxlength (in bytes) leaves longer lines out, with "
        "their data.",
        "suggests",
        "look at the file of the split that the log names (Processing split: ...): hdfs dfs -cat "
        "FILE | wc -l counts its lines, hdfs dfs -cat FILE | head -c 1000 shows how they end.",
    )


_WORDS = "Requested array size exceeds VM limit"


@message(
    "An array longer than the JVM can make",
    Source("HotSpot", "objArrayKlass.cpp, typeArrayKlass.cpp", _WORDS),
    Source(
        "JDK 17 and later",
        "jdk.internal.util.ArraysSupport.hugeLength",
        "Required length exceeds implementation limit",
    ),
    Source("2.2 to 3.5", "org.apache.hadoop.io.DataOutputBuffer$Buffer.write"),
    causes=("large_single_record", "large_intermediate_results"),
)
def array_limit(evidence: Evidence) -> Reading | None:
    """An array longer than the JVM can make.

    What it means
        Something asked for an array of more than about 2^31 elements: a text, a buffer or a
        collection that grew by doubling. The heap need not be full, and no -Xmx helps.

    What it does not prove
        Which record it was, unless the log names the split and the position.

    What to change
        Split the record or the output; let a writer flush before its buffer is 1 GB long.

    What would tell more
        The frames say who asked: the first that is no class of the JDK's. `mprof run` tells the
        record.
    """
    if evidence.death.kind != "array-limit" or not heap_is_unseen(evidence):
        return None
    top = top_frame(evidence)
    line = f":{top.line}" if top is not None and top.line else ""
    who = f" in {top.class_name}.{top.method}{line}" if top is not None else ""
    step = "mprof run tells at which record."
    if may_be_any_process(evidence):
        frames = "the frames below say" if evidence.death.stack else "its stack, in its log, says"
        step = (
            f"{frames} which text or buffer grew, and of what; of a map or reduce task, mprof run "
            "tells at which record."
        )
    return Reading(
        f"An array of more than about 2^31 elements was asked for{who}: a larger -Xmx does not "
        "help, one record, text or buffer is too large.",
        "proves",
        step,
    )


@message(
    "Killed for a full heap by the timeout",
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl",
        "AttemptID:ATTEMPT Timed out after N secs",
    ),
)
def crawled_to_its_timeout(evidence: Evidence) -> Reading | None:
    """A task whose heap was full collected without end, until it was killed for its silence.

    What it means
        The collections themselves say so: one followed the other, each left the heap nearly full,
        and the task had no time for its records. It did not hang. Or one of its threads met an
        OutOfMemoryError and caught it, as that does which reports progress (`Communication
        exception`), and the task went on in a full heap.

    What it does not prove
        What filled the heap.

    What to change
        The same as for `Java heap space`. A longer `mapreduce.task.timeout` only delays the end.

    What would tell more
        A heap dump. The JVM makes none by itself, because no OutOfMemoryError is thrown: `mprof
        run`, or `jcmd PID GC.heap_dump FILE` while the task crawls.
    """
    if not heap_is_unseen(evidence):
        return None
    if evidence.death.crawl is None:
        return _caught_before_its_timeout(evidence)
    stuck = "" if evidence.death.crawl.is_cut else ", and no call was stuck"
    return Reading(
        f"The heap was full{stuck}: {evidence.death.evidence}. A longer timeout only delays the "
        "end.",
        "suggests" if evidence.death.crawl.is_cut else "proves",
        "mprof run makes a heap dump, or jcmd PID GC.heap_dump FILE while it crawls; the JVM makes "
        "none by itself, because no OutOfMemoryError is thrown.",
    )


def _caught_before_its_timeout(evidence: Evidence) -> Reading | None:
    """No collection is shown, and one of the task's threads had met the full heap."""
    death = evidence.death
    if death.kind not in ("heap", "gc-overhead") or parse_timeout(death.message) is None:
        return None
    return Reading(
        f"The heap was full, as an error that the task had caught says: {death.evidence}. A longer "
        "timeout only delays the end.",
        "suggests",
        "mprof run makes a heap dump; so does -XX:+HeapDumpOnOutOfMemoryError "
        "-XX:HeapDumpPath=DIR in the options of the task, at the first such error.",
    )


_GAVE_UP = "GC overhead limit exceeded"


@message(
    "The collector gave up",
    Source("HotSpot", "gcOverheadChecker.cpp, psScavenge.cpp", _GAVE_UP),
)
def gc_overhead(evidence: Evidence) -> Reading | None:
    """The collector gave up: nearly all time for nearly no memory.

    What it means
        The Parallel collector took more than 98 % of the time and freed less than 2 % of the heap,
        several times in a row. The heap is full, only not to the last byte.

    What it does not prove
        What filled it: the frame is of the code that ran when the collector gave up.

    What to change
        The same as for `Java heap space`. `-XX:-UseGCOverheadLimit` only makes the task slower
        before it dies.

    What would tell more
        A heap dump at the death names what filled it: `mprof run`, or
        `-XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=DIR` in the JVM options.
    """
    message = evidence.death.message or ""
    if evidence.death.kind != "gc-overhead" or not heap_is_unseen(evidence):
        return None
    if not message.startswith("GC overhead limit exceeded"):
        return None  # a task that crawled to its timeout
    return Reading(
        f"The collector gave up because the heap was full ({heap_in_words(evidence)}); the code "
        "that ran then need not be what filled it, and -XX:-UseGCOverheadLimit only delays that.",
        "suggests",
        "a heap dump at the death names what filled it: mprof run, or "
        "-XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=DIR in the options of that JVM.",
    )


@message(
    "Java heap space, and no frame beside it",
    Source("1.2", "org.apache.hadoop.mapred.Child.main", "Error running child : "),
    Source("1.2", "org.apache.hadoop.mapred.TaskTracker.fatalError", "Error: "),
    Source("2.2 to 3.5", "org.apache.hadoop.mapred.YarnChild.main", "Error running child : "),
    Source("2.2 to 3.5", "org.apache.hadoop.mapred.TaskAttemptListenerImpl.fatalError", "Error: "),
)
def heap_words_only(evidence: Evidence) -> Reading | None:
    """Java heap space, and no frame beside it.

    What it means
        The history, the console and the cluster's diagnostics keep the message of an Error without
        its class and frames (`Error: Java heap space`). It says that the heap was full and no more.

    What it does not prove
        Where: neither the step of the task nor the code.

    What to change
        Nothing yet, where the container has no idle room: see the first aid of the report.

    What would tell more
        The container's syslog has the stack: `yarn logs -applicationId APPLICATION`; in Hadoop 1 it
        lies in `userlogs/` on the node of the attempt.
    """
    death = evidence.death
    watched = evidence.attempt.mode != "none" or evidence.death_snapshot is not None
    by_engine = death.error_class is None  # whose own words say more
    if death.kind != "heap" or death.stack or not heap_is_unseen(evidence) or watched or by_engine:
        return None
    if evidence.place == "shuffle":
        return None  # then the step is known
    if may_be_any_process(evidence):
        return None
    sets = f"; {options_name(evidence)} sets it" if side_is_known(evidence) else ""
    return Reading(
        f"The heap was full ({heap_in_words(evidence)}{sets}). The message says neither what "
        "filled it nor in which step of the task it filled up.",
        "suggests",
        f"the stack is in the task's syslog: {logs_command(evidence)}",
    )


@message(
    "An OutOfMemoryError without its message",
    Source("HotSpot", "memory/universe.cpp", "java.lang.OutOfMemoryError"),
)
def error_without_its_message(evidence: Evidence) -> Reading | None:
    """Of an OutOfMemoryError no more than its class stands in the text.

    What it means
        The JVM throws none without a message, which says what was short: the heap as a rule (`Java
        heap space`), but also direct buffers, the memory of classes, or threads. Neither it nor
        the frames stand in what was read.

    What it does not prove
        That the heap was full.

    What to change
        Nothing, before the message is known.

    What would tell more
        The whole line, and the stack below it, in the log of that process.
    """
    if not is_only_named(evidence):
        return None
    program = evidence.death.program
    is_task = program is None and not may_be_any_process(evidence)
    where = f": {logs_command(evidence)}" if is_task else ""
    whose = "" if program is None else f" The heap of {program.one} is set by {program.heap}."
    if is_task and side_is_known(evidence):
        whose = _heap_of_its_side(evidence)
    return Reading(
        "The message of the OutOfMemoryError, which says what was short, does not stand in the "
        f'text: as a rule it is the heap ("Java heap space").{whose}',
        "suggests",
        f"read the whole line, and the stack below it, in the log of that process{where}.",
    )


def _heap_of_its_side(evidence: Evidence) -> str:
    """What sets the heap of a map or reduce task, and with which heaps it died."""
    name = options_name(evidence)
    died = evidence.stated.died_with.get(name, ())
    if len(died) > 1:
        return (
            f" The heap of that task is set by -Xmx in {name}: with {list_in_words(died)} it died, "
            "as the text says, so a larger one alone is no remedy; find out what fills it."
        )
    was = "it was " if heap_bytes(evidence) is not None else ""
    return f" The heap of that task is set by -Xmx in {name}; {was}{heap_in_words(evidence)}."


@message(
    "What sets the heap of a task",
    Source("1.2", "org.apache.hadoop.mapred.TaskRunner.getVMArgs", "mapred.child.java.opts"),
    Source("2.2 to 3.5", "org.apache.hadoop.mapred.MapReduceChildJVM.getChildJavaOpts"),
)
def heap_of_a_task(evidence: Evidence) -> Reading | None:
    """A task ran out of heap, and no dump shows of what.

    What it means
        `-Xmx` in `mapreduce.{map,reduce}.java.opts` is the heap of a task, and has to fit into its
        container, `mapreduce.{map,reduce}.memory.mb`, with a quarter to spare. In Hadoop 1 it is
        `-Xmx` in `mapred.child.java.opts`.

    What it does not prove
        That the task needs more: what fills a heap may grow with the input.

    What to change
        As first aid both together. It lasts until the input is larger, where what fills the heap
        grows with it.

    What would tell more
        A heap dump at the death: `mprof run`, or `-XX:+HeapDumpOnOutOfMemoryError
        -XX:HeapDumpPath=DIR` in the options. Without a path the dump goes into the task's working
        folder, which is deleted with its container.
    """
    death = evidence.death
    watched = evidence.attempt.mode != "none" or evidence.death_snapshot is not None
    if death.kind not in HEAP_KINDS - {"array-limit"} or watched or not heap_is_unseen(evidence):
        return None
    if not is_of_a_task(evidence) or death.error_class is None:
        return None
    of_child = is_of_hadoop_1(evidence)
    sides = [side_of(evidence)] if side_is_known(evidence) else ["map", "reduce"]
    heaps = " or ".join(name_of(evidence, f"mapreduce.{side}.java.opts") for side in sides)
    rooms = " or ".join(name_of(evidence, f"mapreduce.{side}.memory.mb") for side in sides)
    set_by = (
        f"-Xmx in {options_name(evidence)}"
        if of_child
        else f"-Xmx in {heaps}, and has to fit into its container, {rooms}, with a quarter to spare"
    )
    settings, cap = twice_the_heap(evidence)
    was = f"; it was {heap_in_words(evidence)}" if settings or cap else ""
    settings = settings or (() if cap else heap_of_its_container(evidence))
    named = any(one.reads(evidence) is not None for one in (collection_was_enlarged, code_keeps))
    own = None if named else code_that_asked(evidence)
    asked = f" The code that asked for the last of it is {own}" if own else ""
    by_chance = death.kind == "gc-overhead"  # which is thrown at any allocation
    asked += ", which need not have filled it." if asked and by_chance else "." if asked else ""
    names = [name_of(evidence, f"mapreduce.{side}.java.opts") for side in sides]
    larger = next((one for name in names if (one := tried(evidence, name)) is not None), None)
    aid = "A larger one is first aid: what fills it may grow with the input."
    died = [one for name in names for one in evidence.stated.died_with.get(name, ())]
    if died and not settings:
        aid = (
            f"With {' and '.join(died)} for it, it died as well, as the text says: a larger one "
            "alone is no remedy; find out what fills it."
        )
    elif larger is not None and not settings and not evidence.stated.passed_with:
        aid = (
            f"The text names {larger}: where the task died with that, a larger one alone is "
            "no remedy; find out what fills it."
        )
    return Reading(
        f"The heap of the task is set by {set_by}{was}. {aid}{cap}{asked}",
        "suggests",
        "mprof run, or -XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=DIR in the same options, "
        "makes a heap dump.",
        settings,
    )


def twice_the_heap(evidence: Evidence) -> tuple[tuple[SaidSetting, ...], str]:
    """First aid where somebody states the heap, and what the cluster gives where that is less.

    A heap that is measured is advised with the rest. Nothing is advised of one that is larger than
    its container: it cannot have been in force.
    """
    heap, options = heap_bytes(evidence), options_of(evidence)
    measured = known(evidence.memory.heap_max_bytes) is not None
    has, need = container_bytes(evidence), needed_heap(evidence)
    if heap is None and options is None and need is not None and not need.is_least:
        heap, options = 0, ""  # what is wanted does not depend on what it had
    if measured or heap is None or options is None or not side_is_known(evidence):
        return (), ""
    if has is not None and heap > has and not is_of_hadoop_1(evidence):
        return (), ""
    new_mb, much = int(TIMES_A_LIMIT.value * heap / MIB), "twice the heap that it had"
    if need is not None and need.is_least and heap_for(need) > new_mb:
        return (), f" {need.sentence} Twice the heap that it had, -Xmx{new_mb}m, is too little."
    if need is not None and not need.is_least and heap_for(need) * MIB > heap:
        new_mb, much = heap_for(need), _RECKONED
    options_are, new = options_name(evidence), with_heap(options, new_mb)
    was = setting_of(evidence, options_are)
    text = f"First aid: {options_are}={new}, {much}"
    guess = _GUESS if much != _RECKONED else ""
    if is_of_hadoop_1(evidence):
        return (SaidSetting(options_are, was, new, f"{text}.{guess}", first_aid=True),), ""
    room = name_of(evidence, f"mapreduce.{side_of(evidence)}.memory.mb")
    old, wanted = setting_of(evidence, room), megabytes_up(new_mb * MIB / HEAP_OF_CONTAINER)
    cap = cap_in_words(evidence, wanted)
    if cap:  # as much as the largest container holds
        wanted = container_mb_at_most(evidence, wanted)
        new_mb = int(HEAP_OF_CONTAINER * wanted)
        if new_mb * MIB <= heap:
            return (), f"{cap} No larger heap fits into that with a quarter to spare."
        if need is not None and heap_for(need) > new_mb:
            return (), f"{cap} That is less than the -Xmx{heap_for(need)}m that it needs."
        new = with_heap(options, new_mb)
        text = f"First aid: {options_are}={new}, as much as the largest container holds"
    if has is not None and has >= new_mb * MIB / HEAP_OF_CONTAINER:
        holds = f"{text}; its container of {format_bytes(has)} has room for it.{guess}"
        room_mb = int(HEAP_OF_CONTAINER * has / MIB)
        if room_mb > new_mb:  # which is granted already, and which the heap does not use
            new = with_heap(options, room_mb)
            holds = (
                f"First aid: {options_are}={new}, {format_ratio(HEAP_OF_CONTAINER)} of its "
                f"container of {format_bytes(has)}. The size of the container alone gives the heap "
                "nothing more: -Xmx does."
            )
        return (SaidSetting(options_are, was, new, holds, first_aid=True),), cap
    return (
        SaidSetting(options_are, was, new, f"{text}, with {room}={wanted}.{guess}", first_aid=True),
        SaidSetting(room, old, str(wanted), "The container has to hold it.", first_aid=True),
    ), cap


_RECKONED: Final = "by that reckoning"
_GUESS: Final = " It is a value to try: mprof cannot tell how much is needed."


def room_that_is_idle(evidence: Evidence) -> tuple[str, tuple[SaidSetting, ...]]:
    """That a container has room for twice the heap in it, and the heap that takes it.

    Empty where it has not: a larger heap then takes a larger container.
    """
    heap, container = heap_bytes(evidence), container_bytes(evidence)
    if heap is None or container is None or container < TIMES_A_LIMIT.value * heap:
        return "", ()
    settings, _ = twice_the_heap(evidence)
    if not settings:
        return "", ()
    said = (
        f" Its container of {format_bytes(container)} has room for a larger heap, which -Xmx alone "
        "gives it."
    )
    return said, settings


@message(
    "The heap is larger than its container",
    Source(
        "2.2 to 3.5",
        "org.apache.hadoop.yarn.server.nodemanager.containermanager.monitor."
        "ContainersMonitorImpl.isProcessTreeOverLimit",
    ),
)
def heap_larger_than_its_container(evidence: Evidence) -> Reading | None:
    """A heap was full that is set larger than the container it is in.

    What it means
        `-Xmx` is larger than the container that is set beside it. The NodeManager kills a container
        whose processes take more than its limit, so a heap of that size is never full: one of the
        two settings was not in force for this process (another job, session or file set it), or the
        check is off (`yarn.nodemanager.pmem-check-enabled=false`).

    What it does not prove
        Which of the two was in force.

    What to change
        Both together: `-Xmx` at 0.8 of the container.

    What would tell more
        The job's configuration (`job_..._conf.xml` beside its history) has what was in force.
    """
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    if is_of_hadoop_1(evidence) or evidence.attempt.mode != "none":
        return None  # which has no containers; or the heap was measured
    had, room = heap_setting_of_program(evidence), setting_of(evidence, "hive.tez.container.size")
    of_tez = evidence.death.program is not None and evidence.death.program.id == "tez-task"
    heap, container = heap_bytes(evidence), container_bytes(evidence)
    if of_tez:
        heap = had[2] if had is not None else None
        is_size = room is not None and room.isdecimal() and len(room) < _DIGITS
        container = int(room) * MIB if room is not None and is_size else None
    elif evidence.death.program is not None or not side_is_known(evidence):
        return None
    if heap is None or container is None or heap <= container:
        return None
    return Reading(
        f"-Xmx{heap // MIB}m is larger than its container of {format_bytes(container)}: YARN kills "
        "a container at its limit before such a heap is full, unless that check is off. One of "
        "the two was not in force, and a larger heap makes it worse; -Xmx at "
        f"{format_ratio(HEAP_OF_CONTAINER)} of the container fits.",
        "suggests",
        "read both values as they were in force, in the configuration of the job or session.",
    )


_DIGITS: Final = 10  # of a number of MB


_CONFIGURING: Final = r"Error in configuring object"


@message(
    "The heap ran out before the first record, in configure()",
    Source(
        "1.2 to 3.5",
        "org.apache.hadoop.util.ReflectionUtils.setJobConf",
        "Error in configuring object",
    ),
)
def died_in_configure(evidence: Evidence) -> Reading | None:
    """The heap ran out while the mapper or reducer was configured, before its first record.

    What it means
        A mapper or reducer of the old API is handed the job's configuration in `configure()` before
        it gets a record. What is loaded or allocated there, a table, a model, an array, did not fit
        into the heap. No record of the input had a part in it: the task dies in the same way
        however small its split is.

    What it does not prove
        Which of the things that are made there took the memory.

    What to change
        What is loaded in `configure()`: less of it, a smaller form, or a join in reducers instead.
        A larger heap where its size is fixed and known.

    What would tell more
        `mprof run` makes a heap dump at the death, which names what was loaded.
    """
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    if error_like(evidence, r"java\.lang\.RuntimeException", _CONFIGURING) is None:
        return None
    return Reading(
        "The heap ran out in configure(), before the first record: what the job's code loads or "
        "allocates there did not fit, and the size of the input has no part in it.",
        "suggests",
        "mprof run makes a heap dump at the death, which names what was loaded.",
    )


MESSAGES = (
    heap_larger_than_its_container,
    line_does_not_fit,
    array_limit,
    died_in_configure,
    crawled_to_its_timeout,
    gc_overhead,
    heap_words_only,
    error_without_its_message,
    heap_of_a_task,
)
