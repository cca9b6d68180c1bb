"""What fills a heap where the stack says what the task was at, and the text how much of it is."""

from __future__ import annotations

import re
from typing import Final

from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.full_heap import crawled_to_its_timeout, died_in_configure, twice_the_heap
from mprof.messages.message import Reading, Source, message
from mprof.messages.pasted_code import code_keeps
from mprof.messages.reckoned import (
    heap_for,
    needed_heap,
    row_of_a_file,
    start_on_stack,
    whole_file_reader,
)
from mprof.messages.said import heap_is_unseen, site_in_words
from mprof.units import format_count

__all__ = ["MESSAGES", "bag_of_a_key", "loaded_at_the_start"]


@message(
    "The heap ran out before the first record, in the job's own code",
    Source("2.2 to 3.5", "org.apache.hadoop.mapreduce.Mapper.run", "setup(context);"),
    Source("2.2 to 3.5", "org.apache.hadoop.mapreduce.Reducer.run", "setup(context);"),
    causes=("large_external_data",),
)
def loaded_at_the_start(evidence: Evidence) -> Reading | None:
    """The heap was full while the job's own code ran in setup(), before the first record.

    What it means
        A mapper or reducer loads what it needs in `setup()` before it gets a record: a table, a
        model, a dictionary. No record has been read, so nothing but that and the buffers of Hadoop
        can fill the heap. A file of text takes several times its size as Java objects: in Java 8
        two bytes for each character, and forty or more for each text, entry and object.

    What it does not prove
        Which of the things that are loaded there took the memory.

    What to change
        What is loaded: fewer columns, a compact form (arrays of numbers, bytes instead of texts),
        or a join in reducers instead. Where its size is known, a heap that holds it: it has to hold
        it in every task, whatever the size of its split.

    What would tell more
        A class histogram of the process (`jmap -histo PID`) beside the number of lines of the file
        says how much the whole of it takes; `mprof run` makes a heap dump at the death.
    """
    death = evidence.death
    if death.kind not in HEAP_KINDS or not heap_is_unseen(evidence) or death.program is not None:
        return None
    if evidence.attempt.mode != "none" or evidence.death_snapshot is not None:
        return None
    found = start_on_stack(evidence)
    if found is None or any(
        one.reads(evidence) is not None for one in (code_keeps, died_in_configure)
    ):
        return None
    asked, begun = found
    by = f", called by {begun.method}()" if asked is not begun else ""
    need = needed_heap(evidence)
    row = row_of_a_file(death.needs.histogram)
    counted = (
        f" The histogram of that process in the text has {format_count(row.instances)} of "
        f"{row.name}."
        if row is not None
        else ""
    )
    reckoned = f" {need.sentence}" if need is not None else ""
    settings = twice_the_heap(evidence)[0] if death.error_class is None else ()
    crawled = crawled_to_its_timeout.reads(evidence)
    first = f"{crawled.sentence} It was full" if crawled is not None else "The heap was full"
    return Reading(
        f"{first} in {site_in_words(asked)}{by}, before the first record: what is "
        f"loaded there has to fit into every task, whatever its split.{counted}{reckoned} Keep no "
        "more of it than is asked for (fewer columns, a compact form), or join in reducers "
        "instead.",
        "suggests",
        ""
        if need is not None
        else "jmap -histo PID while it loads, beside the number of lines of the file, says how "
        "much all of it takes; mprof run makes a heap dump at the death.",
        settings,
    )


@message(
    "A whole file was collected in one array",
    Source("JDK 6 and later", "java.io.ByteArrayOutputStream.grow"),
    causes=("large_single_record",),
)
def whole_file_in_an_array(evidence: Evidence) -> Reading | None:
    """A reader of whole files collects one in an array that doubles as it grows.

    What it means
        A record is a whole file. A `ByteArrayOutputStream` makes an array of twice the size
        whenever it is full and copies the old one into it: at the last step up to three times the
        file are alive, and `toByteArray()` makes one copy more. No array holds more than 2 GB.

    What it does not prove
        What the mapper makes of the bytes then: a tree of XML takes several times as much.

    What to change
        Read the file as a stream, record by record (for XML a reader that splits at a tag). Where
        it has to be whole, an array of the length that the split says
        (`new byte[(int) split.getLength()]`) is filled once and never copied.

    What would tell more
        The sizes of the files: `hdfs dfs -ls` of the input, sorted by size.
    """
    if evidence.death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    reader = whole_file_reader(evidence)
    if reader is None or evidence.death.program is not None:
        return None
    need = needed_heap(evidence)
    site, doubles = reader
    size = (
        f" {need.sentence} -Xmx{heap_for(need)}m or more holds that"
        f"{'; what is made of it comes on top' if need.is_least else ''}."
        if need is not None
        else f" The largest file has to fit{', up to three times' if doubles else ''}; mprof found "
        "no size of it."
    )
    how = (
        "collects a whole file in a ByteArrayOutputStream, whose array doubles whenever it is full."
        if doubles
        else "makes an array for a whole file."
    )
    once = ", or into one array of the length that the split says, which is made once"
    return Reading(
        f"{site_in_words(site)} {how}{size} Read it as a stream, record by record"
        f"{once if doubles else ''}.",
        "suggests",
        "" if need is not None else "hdfs dfs -ls of the input has the size of the largest file.",
    )


_PIG_REDUCES: Final = re.compile(
    r"org\.apache\.pig\.backend\.hadoop\.executionengine\.mapReduceLayer\."
    r"PigGenericMapReduce\$Reduce\w*$"
)
_NEXT_VALUE: Final = (
    "org.apache.hadoop.mapreduce.task.ReduceContextImpl$ValueIterator",
    "org.apache.hadoop.mapreduce.ReduceContext$ValueIterator",
)


@message(
    "A reducer of Pig was gathering the bag of a key",
    Source("Pig 0.9 to 0.17", "org.apache.pig.backend.hadoop.executionengine.physicalLayer."
           "relationalOperators.POPackage"),
    causes=("large_accumulated_results.group", "hotspot_key"),
)  # fmt: skip
def bag_of_a_key(evidence: Evidence) -> Reading | None:
    """A reducer of Pig ran out of heap while it read the values of a key into a bag.

    What it means
        `GROUP`, `COGROUP` and `JOIN` of Pig hand the script the values of a key as a bag. Pig
        spills large bags to disk, but a nested `ORDER` or `DISTINCT`, a UDF that reads the bag as a
        whole, and what it makes of it hold them in the heap. One key with many values is enough: an
        empty one, a default, a robot. `GROUP` puts all nulls into one bag.

    What it does not prove
        Which key it is, and that its bag is what fills the heap.

    What to change
        Leave such a key out before the group (`FILTER ... BY key IS NOT NULL AND key != ''`), or
        treat it apart. A UDF that implements `Accumulator` or `Algebraic` gets a bag in parts.
        `pig.cachedbag.memusage` (0.2) smaller lets bags spill earlier. A larger `PARALLEL` divides
        no key.

    What would tell more
        The counts of the keys: `FOREACH (GROUP a BY key) GENERATE group, COUNT_STAR(a)`, sorted.
    """
    death = evidence.death
    if death.kind not in HEAP_KINDS or not heap_is_unseen(evidence):
        return None
    names = [one.class_name for one in death.stack]
    if not any(map(_PIG_REDUCES.match, names)) or not any(one in _NEXT_VALUE for one in names):
        return None
    groups = death.needs.groups
    counted = ""
    if groups is not None:
        counted = (
            f" By the counters in the text it had read {format_count(groups[1])} records in "
            f"{format_count(groups[0])} groups, {format_count(groups[1] // groups[0])} a group."
        )
    return Reading(
        "A reducer of Pig was reading the values of a key, which GROUP, COGROUP and JOIN gather in "
        "a bag: one key with very many values (a null, an empty or a default one) is the "
        f"likeliest to fill a heap so.{counted} GROUP puts all nulls into one bag: leave such keys "
        "out before it (FILTER), or treat them apart. A UDF that is an Accumulator gets a bag in "
        "parts, and a smaller pig.cachedbag.memusage lets bags spill earlier. A larger PARALLEL "
        "divides no key. The frames that read a value are where the heap ran out, and not what "
        "fills it.",
        "suggests",
        "the counts of the keys, sorted: FOREACH (GROUP a BY key) GENERATE group, COUNT_STAR(a).",
    )


MESSAGES = (loaded_at_the_start, whole_file_in_an_array, bag_of_a_key)
