"""The table of messages and of known leaks, and what those that a death bears say of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.history import JobConf
from mprof.history.deprecated import NEW_NAMES
from mprof.messages import (
    any_process,
    child_programs,
    columnar_writers,
    containers,
    exit_codes,
    framework_buffers,
    full_heap,
    growing,
    hash_tables,
    hive,
    hive_skew,
    holders,
    job_limits,
    leaks,
    native_memory,
    no_lack_of_memory,
    one_reducer,
    other_engines,
    other_processes,
    pasted_code,
    spark,
    spark_driver,
    spark_python,
    tez,
    user_code,
)
from mprof.messages.message import Message, Reading, SaidSetting
from mprof.messages.reach import beyond_reach
from mprof.messages.said import (
    container_bytes,
    heap_is_unseen,
    is_of_hadoop_1,
    may_be_any_process,
    name_of,
    options_of,
    setting_of,
    side_is_known,
    side_of,
    size_in,
    tried,
)
from mprof.messages.tried_before import GROWS, in_vain, what_it_was, what_passed
from mprof.units import format_bytes, list_in_words

__all__ = ["MESSAGES", "read_messages"]

MESSAGES: tuple[Message, ...] = (
    *framework_buffers.MESSAGES,
    *columnar_writers.MESSAGES,
    *pasted_code.MESSAGES,
    *holders.MESSAGES,
    *growing.MESSAGES,
    *one_reducer.MESSAGES,
    *full_heap.MESSAGES,
    *native_memory.MESSAGES,
    *containers.MESSAGES,
    *job_limits.MESSAGES,
    *hash_tables.MESSAGES,
    *child_programs.MESSAGES,
    *no_lack_of_memory.MESSAGES,
    *user_code.MESSAGES,
    *exit_codes.MESSAGES,
    *tez.MESSAGES,
    *spark.MESSAGES,
    *spark_driver.MESSAGES,
    *other_processes.MESSAGES,
    *hive.MESSAGES,
    *hive_skew.MESSAGES,
    *other_engines.MESSAGES,
    *spark_python.MESSAGES,
    *any_process.MESSAGES,
    *leaks.MESSAGES,
)
"""In the order in which a report prints them: what proves most first, known leaks last."""


_OF_TASKS: Final = frozenset(
    one.id
    for module in (
        framework_buffers,
        full_heap,
        one_reducer,
        native_memory,
        job_limits,
        child_programs,
        pasted_code,
        holders,
        user_code,
    )
    for one in module.MESSAGES
    if one
    not in (
        full_heap.heap_larger_than_its_container,  # of a task of Tez as well
        native_memory.native_memory_refused,  # as it is refused to any program
        full_heap.error_without_its_message,  # whose words are the JVM's
    )
) | {containers.heap_leaves_no_room.id, containers.container_over_its_limit.id}
"""What names settings of map and reduce tasks, which reach no other program."""
_OF_PAGES: Final = frozenset({job_limits.too_many_counters.id})
"""What a page that reads the history of a job, or a client that asks for it, meets as well."""
_OF_LOCAL_JOBS: Final = frozenset(
    one.id
    for one in (
        *framework_buffers.MESSAGES, *job_limits.MESSAGES, growing.collection_was_enlarged,
        pasted_code.code_keeps,
    )
)  # fmt: skip
"""What is the same where LocalJobRunner runs the tasks: the buffers and the code are the job's."""


_GENERAL: Final = frozenset(
    one.id
    for one in (
        full_heap.gc_overhead, full_heap.heap_words_only, full_heap.heap_of_a_task,
        full_heap.heap_larger_than_its_container,
        growing.collection_was_enlarged, pasted_code.code_keeps, holders.loaded_at_the_start,
        holders.whole_file_in_an_array, holders.bag_of_a_key, hive.hive_collects_a_group,
        *hive_skew.MESSAGES,
    )
)  # fmt: skip
"""What is true of any full heap: the settings of a heap are of use where nothing else is said."""


_LOADS_A_TABLE: Final = (
    *hash_tables.MESSAGES, hive.hive_map_join_does_not_fit, tez.tez_map_join_does_not_fit,
    spark.spark_broadcast_does_not_fit,
)  # fmt: skip
"""What grows while it is loaded, and stands on the stack: what ran when the collector gave up."""


def read_messages(evidence: Evidence) -> tuple[tuple[Message, Reading], ...]:
    """What the messages and frames of a death say, those that prove something first."""
    if evidence.death.kind == "none" and evidence.job.driver_error is None:
        return ()
    asked = MESSAGES
    program = evidence.death.program
    if program is not None:
        kept = _OF_PAGES if program.is_server or program.id == "command" else ()
        kept = _OF_LOCAL_JOBS if program.id in {"local-runner", "mapreduce-uber"} else kept
        asked = tuple(one for one in MESSAGES if one.id not in _OF_TASKS or one.id in kept)
    read = [(one, found) for one in asked if (found := _read(one, evidence)) is not None]
    if any(one.id not in _GENERAL and found.proof != "known to" for one, found in read):
        read = [(one, found) for one, found in read if one is not full_heap.heap_of_a_task]
    if any(one is other_engines.of_other_program for one, _ in read):  # which says the same
        read = [
            (one, found) for one, found in read if one is not native_memory.native_memory_refused
        ]
    if any(found.proof == "proves" for _, found in read):  # which is the reason for its code
        read = [(one, found) for one, found in read if one is not exit_codes.exit_failure]
    if is_of_hadoop_1(evidence):
        read = [(one, _by_a_task_tracker(found)) for one, found in read]
        if evidence.attempt.mode == "none":
            read = [(one, _without_a_run(found, evidence.death.kind)) for one, found in read]
    cures = (
        not setting.first_aid
        for one, found in read
        if one is not other_engines.of_other_program
        for setting in found.settings
    )
    if any(cures):  # then a larger heap is not wanted beside it
        read = [(one, _without_first_aid(one, found)) for one, found in read]
    # before the first record the buffer is empty: what was being loaded is told first
    loads = any(one is full_heap.died_in_configure for one, _ in read)
    aside = (framework_buffers.sort_buffer_takes_half,) if loads else ()
    read = [(one, replace(found, settings=()) if one in aside else found) for one, found in read]
    read.sort(key=lambda pair: pair[0] in aside)
    loads_a_table = any(one in _LOADS_A_TABLE for one, _ in read)
    read = [(one, _beyond_what_is_set(found, evidence)) for one, found in read]
    read = [(one, _with_what_was_before(found, evidence)) for one, found in read]
    read = [(one, _beyond_what_was_tried(found, evidence)) for one, found in read]
    beside = (
        beyond_reach(evidence), _proposed(evidence), _without_a_value(evidence),
        *evidence.stated.not_read,
    )  # fmt: skip
    if read and any(beside):
        first, said = read[0]
        sentence = " ".join((said.sentence, *filter(None, beside)))
        read[0] = (first, replace(said, sentence=sentence))
    if heap_is_unseen(evidence) and (written := _dump_written(evidence)):
        read = [(one, _with_the_dump(found, written)) for one, found in read]
    order = ("proves", "suggests", "known to")

    def rank(pair: tuple[Message, Reading]) -> tuple[bool, bool, int]:
        """What is known of such code last, before it what is said of every program."""
        of_all = pair[0] in (
            other_engines.of_other_program,
            full_heap.heap_of_a_task,
            *spark_python.MESSAGES,
            *aside,
        )
        of_all = of_all or (loads_a_table and pair[0] is full_heap.gc_overhead)
        return pair[1].proof == "known to", of_all, order.index(pair[1].proof)

    return tuple(_said_once(_led_by_what_passed(sorted(read, key=rank), evidence)))


def _said_once(read: Sequence[tuple[Message, Reading]]) -> Iterator[tuple[Message, Reading]]:
    """The same with where values are from said in the first entry alone that uses any."""
    is_said = False
    for one, found in read:
        without = found.sentence.replace(f" {_OF_A_TEXT}", "")
        yield one, replace(found, sentence=without) if is_said else found
        is_said = is_said or without != found.sentence


def _without_first_aid(message: Message, reading: Reading) -> Reading:
    """The same without what lets a process of another engine go on, where a cure is known."""
    if message is not other_engines.of_other_program:
        return reading
    return replace(reading, settings=tuple(one for one in reading.settings if not one.first_aid))


def _beyond_what_is_set(reading: Reading, evidence: Evidence) -> Reading:
    """The same without a value that the job had already."""
    same = [
        one
        for one in reading.settings
        if one.in_vain and one.new in (one.old, setting_of(evidence, one.property))
    ]
    if not same:
        return reading
    named = " and ".join(f"{one.property}={one.new}" for one in same)
    said = f"{reading.sentence} {named} is set already, and did not prevent it."
    left = tuple(one for one in reading.settings if one not in same)
    return replace(reading, sentence=said, settings=left)


def _beyond_what_was_tried(reading: Reading, evidence: Evidence) -> Reading:
    """The same without sizes that are no more than what the text says was tried."""
    if not reading.settings or _passed(evidence):
        return reading
    first = reading.settings[0]  # what else is set only goes with it
    name = NEW_NAMES.get(first.property, first.property)
    if first.new in evidence.stated.passed_with.get(name, ()):
        return reading
    if died := evidence.stated.died_with.get(name, ()):
        return _beyond_what_it_died_with(reading, died, evidence)
    grows = GROWS.fullmatch(name) and size_in(first.old or "") != size_in(first.new)
    value = tried(evidence, name) if grows else None
    new, had = size_in(first.new), container_bytes(evidence)
    if value is None or new is None or (size_in(value) or 0) < new:
        return reading
    also = f"{reading.sentence} The text has {first.property}={value} as well, which"
    if evidence.death.kind == "container-physical" and had is not None:
        said = (
            f"{also} was not in force here, since the container that was killed had "
            f"{format_bytes(had)}: what sets it last, a file, a session, -D or the code of the "
            "job, has to be found before a larger one is tried."
        )
    else:
        said = (
            f"{also} is no less than would be advised: where that was tried in vain, a larger "
            "size alone is no remedy."
        )
    return replace(reading, sentence=said, settings=())


def _beyond_what_it_died_with(reading: Reading, died: Sequence[str], evidence: Evidence) -> Reading:
    """The same where the text says with which values it died as well: more than that is advised."""
    first = reading.settings[0]
    if first.old is not None and size_in(first.old) == size_in(first.new) is not None:
        return reading  # another option than the heap is what is advised
    named = " and ".join(f"{first.property}={one}" for one in died)
    said = f"{reading.sentence} With {named} it died as well, as the text says."
    if in_vain(evidence, first.property, first.old, first.new):
        return replace(reading, sentence=f"{said} That alone is no remedy.", settings=())
    return replace(reading, sentence=said)


def _with_what_was_before(reading: Reading, evidence: Evidence) -> Reading:
    """The same with what was before a change in place of other values."""
    return replace(reading, settings=tuple(_taken_back(one, evidence) for one in reading.settings))


def _led_by_what_passed(
    read: Sequence[tuple[Message, Reading]], evidence: Evidence
) -> Sequence[tuple[Message, Reading]]:
    """The same with what a run went through with first, and nothing else to set or to find out."""
    pairs = _passed(evidence)
    if not pairs or not read:
        return read
    named = " and ".join(f"{name_of(evidence, name)}={new}" for name, _, new in pairs)
    text = f"With {named}, the text says, it went through."
    settings = tuple(
        SaidSetting(name_of(evidence, name), old, new, text) for name, old, new in pairs
    )
    (first, said), *others = (
        (one, replace(found, settings=(), next_step="")) for one, found in read
    )
    sentence = (
        f"With {named} it went through, as the text says: that is what to keep. {said.sentence}"
    )
    return [(first, replace(said, sentence=sentence, settings=settings)), *others]


def _passed(evidence: Evidence) -> list[tuple[str, str | None, str]]:
    """The properties that a run went through with: each with what it has, and with that value."""
    names = [
        name
        for name in sorted(evidence.stated.passed_with, key=lambda one: not one.endswith("opts"))
        if _is_of_it(name, evidence)
    ]
    return [
        (name, old, new)
        for name in names
        if (new := what_passed(evidence, name, old := setting_of(evidence, name))) is not None
    ]


_MOST_PROPOSED: Final = 6
"""Settings of which the values are repeated: more of them are a page that lists settings.

That of map tasks and that of reduce tasks are one.
"""
_SIDES: Final = re.compile(r"\.(?:map|reduce)\.")


def _proposed(evidence: Evidence) -> str:
    """What the text gives as a remedy, of settings that reach what died; "" of none."""
    program = evidence.death.program.id if evidence.death.program is not None else ""
    others = {"spark": "", "spark-executor": "spark.driver."}.get(program, "spark.executor.")
    others = "" if may_be_any_process(evidence) else others
    values = [
        f"{name_of(evidence, name)}={JobConf({name: one}).shown(name)}"
        for name, ones in evidence.stated.proposed.items()
        if _is_of_it(name, evidence) and not evidence.stated.passed_with.get(name)
        if not (others and name.startswith(others))
        for one in ones
        if one not in evidence.stated.died_with.get(name, ()) and _is_about_memory(name, one)
    ]
    settings = {_SIDES.sub(".", one.partition("=")[0]) for one in values}
    if not 0 < len(settings) <= _MOST_PROPOSED:
        return ""
    named = list_in_words(values, most=2 * _MOST_PROPOSED)
    return f"The text itself proposes {named}; mprof has not checked that."


def _without_a_value(evidence: Evidence) -> str:
    """What the text asks to raise or lower, and gives no value for; "" of nothing."""
    stated = evidence.stated
    known = {*stated.proposed, *stated.passed_with, *stated.in_force, *stated.died_with}
    ways = [
        f"a {way} {list_in_words(names, most=_MOST_PROPOSED)}"
        for way, asked in (("larger", stated.to_raise), ("smaller", stated.to_lower))
        if (
            names := [
                name_of(evidence, one)
                for one in asked
                if one not in known and _is_of_it(one, evidence)
            ]
        )
    ]
    if not ways:
        return ""
    return f"The text itself proposes {' and '.join(ways)}, without a value."


_OPTIONS_OF_MEMORY: Final = re.compile(r"-X(?:m[sxn]|ss|X:\S*(?:Size|Memory|GC|Ratio|Fraction))")


def _is_about_memory(name: str, value: str) -> bool:
    """Whether it is no option of a JVM for something else, such as an encoding."""
    of_a_jvm = name.lower().endswith(("opts", "javaoptions"))
    return not of_a_jvm or _OPTIONS_OF_MEMORY.search(value) is not None


_OF_PROGRAMS: Final = (
    ("spark", "spark."), ("tez", "tez."), ("tez", "hive."), ("tez-pig", "mapreduce."),
    ("mapreduce", "yarn.app.mapreduce.am."), ("command", "HADOOP_CLIENT_OPTS"),
    ("distcp", "HADOOP_CLIENT_OPTS"),
)  # fmt: skip
"""How the ids of programs begin, and the properties that reach them."""


_OF_A_SHELL: Final = frozenset(
    {"jdbc-client", "hive-cli", "hive-session", "command", "pig-client", "local-runner"}
)
_OF_SHELLS: Final = ("_OPTS", "_HEAPSIZE")


def _is_of_it(name: str, evidence: Evidence) -> bool:
    """Whether a property is of the process that died: of its program, or of its kind of task."""
    if name.startswith("yarn.nodemanager.vmem-"):
        end = evidence.death.container
        return end is not None and end.limit == "virtual"
    program = evidence.death.program
    if program is not None:
        return (
            name in program.options
            or name in program.heap
            or name in evidence.death.evidence  # of a refusal, which names what decides
            or (program.id in _OF_A_SHELL and name.endswith(_OF_SHELLS))
            or any(program.id.startswith(one) and name.startswith(of) for one, of in _OF_PROGRAMS)
        )
    if name.startswith(("spark.", "tez.")):  # whose process it was, the remedy may tell
        return may_be_any_process(evidence)
    others = {"map", "reduce"} - {side_of(evidence)} if side_is_known(evidence) else set[str]()
    of_tasks = name.startswith(("mapreduce.", "mapred.", "hive.", "pig.")) or name == "io.sort.mb"
    has_sides = name.startswith(("mapreduce.", "mapred."))
    return of_tasks and not (has_sides and any(f".{one}." in name for one in others))


def _taken_back(one: SaidSetting, evidence: Evidence) -> SaidSetting:
    """The value that a property had before it was changed, where that is the way to go."""
    was = what_it_was(evidence, one.property, one.old, one.new)
    if was is None or was == one.new:
        return one
    is_default = not evidence.stated.was.get(NEW_NAMES.get(one.property, one.property))
    text = (
        f"It was changed to {one.old}, as the text says: back to {was}, "
        f"{'its default' if is_default else 'which it had before'}. {one.new} only where it dies "
        "with that as well."
    )
    return replace(one, new=was, text=text)


_OF_A_TEXT: Final = "These values are as the text has them."


def _read(one: Message, evidence: Evidence) -> Reading | None:
    """What an entry says; where settings alone decide that somebody wrote down, suggested at most.

    Whether they decide is seen by what it would say without them. Where it says the same of the
    death without them, the death shows it by itself, and the settings are its sizes.
    """
    found = one.reads(evidence)
    if found is None or not evidence.stated.in_force:
        return found
    without = one.reads(replace(evidence, stated=replace(evidence.stated, in_force={})))
    if found == without:
        return found
    proof = "suggests" if found.proof == "proves" and without is None else found.proof
    return replace(found, sentence=f"{found.sentence} {_OF_A_TEXT}", proof=proof)


def _by_a_task_tracker(reading: Reading) -> Reading:
    """The same with the daemon that starts the tasks of Hadoop 1, where that of YARN is named."""
    return replace(
        reading,
        sentence=reading.sentence.replace("NodeManager", "TaskTracker"),
        next_step=reading.next_step.replace("NodeManager", "TaskTracker"),
    )


def _without_a_run(reading: Reading, kind: str) -> Reading:
    """The same of Hadoop 1, in which mprof runs no job (it does from 2.9 on).

    The JVM makes a heap dump only where its heap was full: of a process that was killed, and of
    memory outside the heap, there is none.
    """
    if "mprof run" not in reading.next_step:
        return reading
    if kind not in HEAP_KINDS:
        return replace(reading, next_step="")
    step = (
        "-XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=DIR in mapred.child.java.opts makes a "
        "heap dump, which mprof heap reads."
    )
    return replace(reading, next_step=step)


_DUMPS: Final = re.compile(r"(?:^|\s)-XX:([+-])HeapDumpOnOutOfMemoryError(?=\s|$)")
_DUMP_PATH: Final = re.compile(r"(?:^|\s)-XX:HeapDumpPath=(\S{1,500})")
_ASKS_FOR_DUMP: Final = "-XX:+HeapDumpOnOutOfMemoryError"


def _dump_written(evidence: Evidence) -> str:
    """Where the heap dump lies: as the JVM says, or as the task's options ask for; "" of neither.

    HotSpot takes the last of several options. Without a path it writes java_pidPID.hprof into the
    working directory, which a NodeManager or a TaskTracker deletes.
    """
    if evidence.death.dump:
        return f"the JVM wrote a heap dump where it ran: mprof heap {evidence.death.dump} reads it."
    options = (options_of(evidence) or "") if evidence.death.program is None else ""
    asked, paths = _DUMPS.findall(options), _DUMP_PATH.findall(options)
    if not asked or asked[-1] == "-":
        return ""
    if not paths:
        return (
            "the JVM options of the task ask for a heap dump without -XX:HeapDumpPath: it goes to "
            "the working directory, which is deleted with the task. Add -XX:HeapDumpPath=DIR, and "
            "mprof heap reads the next one."
        )
    return (
        "the JVM options of the task ask for a heap dump already: look for it on the node that ran "
        f"the attempt, at {paths[-1]} (java_pidPID.hprof where that is a folder); mprof heap FILE "
        "reads it."
    )


def _with_the_dump(reading: Reading, written: str) -> Reading:
    """The same where a dump was asked for already, instead of the advice to ask for one."""
    asks = _ASKS_FOR_DUMP in reading.next_step
    return replace(reading, next_step=written) if asks else reading
