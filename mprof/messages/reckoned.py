"""How much a heap has to hold, where a text has the numbers to reckon it from.

Twice of what was too small is a value to try, and may be too small again. Where the text has what a
need follows from, that is what is advised, and the reckoning is said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mprof.code_site import CodeSite
from mprof.engines import is_jdk_class
from mprof.evidence import HEAP_KINDS, Evidence
from mprof.messages.message import SaidSetting
from mprof.messages.said import (
    OF_LIBRARIES,
    container_bytes,
    heap_bytes,
    heap_in_words,
    options_name,
    options_of,
    setting_of,
    side_is_known,
    with_heap,
)
from mprof.messages.thresholds import (
    AS_MANY,
    AS_TEXTS,
    HARDLY_SMALLER,
    LEAST_LOADED,
    OLD_OF_HEAP,
    TIMES_A_QUIET_HEAP,
)
from mprof.trace import ClassRow, KeyAtWork
from mprof.units import MIB, format_bytes, format_count, format_ratio

__all__ = [
    "STARTS",
    "Need",
    "beside_a_quiet_heap",
    "heap_for",
    "key_at_work",
    "lists_of_floats_bytes",
    "needed_heap",
    "own_frames",
    "row_of_a_file",
    "start_on_stack",
    "whole_file_reader",
]

STARTS: Final = frozenset({"setup", "configure", "open", "initialize", "init"})
"""Methods that run before the first record."""
_STEP_MB: Final = 128


@dataclass(frozen=True, slots=True)
class Need:
    """What a heap has to hold.

    Attributes:
        bytes: in use at once.
        sentence: how that is reckoned.
        is_least: whether it is more than that, by an unknown amount.
    """

    bytes: int
    sentence: str
    is_least: bool = False


def heap_for(need: Need) -> int:
    """The MB of a heap that holds it beside what is young."""
    return -(-int(need.bytes / OLD_OF_HEAP) // (_STEP_MB * MIB)) * _STEP_MB


def needed_heap(evidence: Evidence) -> Need | None:
    """What the heap of a task has to hold, by what the text says; None where that is not enough."""
    if evidence.death.kind not in HEAP_KINDS or evidence.death.program is not None:
        return None
    return (
        _of_a_table(evidence)
        or _of_a_loaded_file(evidence)
        or _of_a_whole_file(evidence)
        or _of_a_key(evidence)
    )


def own_frames(evidence: Evidence) -> list[CodeSite]:
    """The frames of the thread that died which are of the job's own code."""
    return [
        one
        for one in evidence.death.stack
        if not is_jdk_class(one.class_name) and not one.class_name.startswith(OF_LIBRARIES)
    ]


def start_on_stack(evidence: Evidence) -> tuple[CodeSite, CodeSite] | None:
    """The job's own code that asked for the last memory before the first record, and its start.

    What stands below it has to be what runs a task: another `open()` is of a record.
    """
    own = own_frames(evidence)
    begun = next((one for one in reversed(own) if one.method in STARTS), None)
    if begun is None:
        return None
    below = evidence.death.stack[evidence.death.stack.index(begun) + 1 :]
    runs = next((one for one in below if not is_jdk_class(one.class_name)), None)
    if runs is None or (runs.class_name, runs.method) not in _RUN:
        return None
    return own[0], begun


_RUN: Final = {
    ("org.apache.hadoop.mapreduce.Mapper", "run"),
    ("org.apache.hadoop.mapreduce.Reducer", "run"),
    ("org.apache.hadoop.util.ReflectionUtils", "setJobConf"),
    ("org.apache.hadoop.util.ReflectionUtils", "setConf"),
}
_OF_A_TABLE: Final = ("java.util.HashMap$Node", "java.util.HashMap$Entry")


def _of_a_table(evidence: Evidence) -> Need | None:
    """A file that is loaded before the first record, of which a histogram shows a part."""
    needs, start = evidence.death.needs, start_on_stack(evidence)
    row = row_of_a_file(needs.histogram)
    if start is None or row is None or needs.rows_of_file is None:
        return None
    share = row.instances / needs.rows_of_file
    if not LEAST_LOADED.value <= share < 1:
        return None
    buffers = sum(one.bytes for one in needs.histogram if one.name == "[B")
    table = sum(one.bytes for one in needs.histogram) - buffers
    whole = int(table / share) + buffers
    return Need(
        whole,
        f"With {format_count(row.instances)} of its {format_count(needs.rows_of_file)} lines "
        f"({format_ratio(share)}) loaded, the largest classes of the heap had "
        f"{format_bytes(table + buffers)}, {format_bytes(buffers)} of it byte arrays: with all "
        f"lines it is about {format_bytes(whole)}.",
    )


def _of_a_loaded_file(evidence: Evidence) -> Need | None:
    """A file that is loaded before the first record, by its size on disk."""
    size, heap = evidence.death.needs.loaded_bytes, heap_bytes(evidence)
    if size is None or start_on_stack(evidence) is None:
        return None
    as_texts = int(AS_TEXTS.value * size)
    need = Need(
        as_texts,
        f"The file has {format_bytes(size)}, as the text says: where all of it is kept as texts, "
        f"that is some {AS_TEXTS.value:g} times as much in a heap, {format_bytes(as_texts)}, or "
        "more (two bytes a character before JDK 9, and 40 or more for each text).",
    )
    return need if heap is None or heap_for(need) * MIB > heap else None


def row_of_a_file(histogram: tuple[ClassRow, ...]) -> ClassRow | None:
    """The class of which there is one object for each line: the job's own, or the node of a map."""
    own = [
        one
        for one in histogram
        if not is_jdk_class(one.name)
        and not one.name.startswith(("[", "<", "sun.", "org.apache.hadoop."))
    ]
    nodes = [one for one in histogram if one.name in _OF_A_TABLE]
    most = max((*own, *nodes), key=lambda one: one.instances, default=None)
    alike = (one for one in own if most and one.instances >= AS_MANY.value * most.instances)
    return max(alike, key=lambda one: one.bytes, default=most)


_READS: Final = frozenset({"nextKeyValue", "next", "initialize", "getCurrentValue"})
_WHOLE: Final = re.compile(r"(?i)whole|entire")
_ARRAY: Final = "java.io.ByteArrayOutputStream"
_MOST_BYTES: Final = 2**31 - 1


def whole_file_reader(evidence: Evidence) -> tuple[CodeSite, bool] | None:
    """The reader of whole files, by its name, and whether it was at an array that doubles.

    Of one that makes its array by itself the frame stands at the top.
    """
    own = own_frames(evidence)
    if not own or own[0].method not in _READS:
        return None
    if not (_WHOLE.search(own[0].class_name) or evidence.death.needs.whole_files):
        return None
    above = evidence.death.stack[: evidence.death.stack.index(own[0])]
    doubles = any(one.class_name == _ARRAY for one in above)
    return (own[0], doubles) if doubles or not above else None


def _of_a_whole_file(evidence: Evidence) -> Need | None:
    """A file in an array that doubles while it grows, and is copied at the end."""
    size = evidence.death.needs.largest_file_bytes
    reader = whole_file_reader(evidence)
    if size is None or size >= _MOST_BYTES or reader is None:
        return None
    copied = size + size // 2 if evidence.death.needs.is_copied else 0
    copy = (
        f" BytesWritable.set() copies it into an array of 1.5 times as much: "
        f"{format_bytes(size + copied)} at once."
        if copied
        else ""
    )
    if not reader[1]:
        return Need(
            size + copied,
            f"For the largest file that is {format_bytes(size)} in one piece.{copy}",
            is_least=not copied,
        )
    array = 1 << (size - 1).bit_length()
    most = max(array + array // 2, array + size, size + copied)
    sort_mb = setting_of(evidence, "mapreduce.task.io.sort.mb") or ""
    buffer = int(sort_mb) * MIB if sort_mb.isdecimal() and evidence.is_map else 0
    beside = f" Beside it is the sort buffer of {format_bytes(buffer)}." if buffer else ""
    return Need(
        most + buffer,
        f"For the largest file, {format_bytes(size)}, such an array grows from "
        f"{format_bytes(array // 2)} to {format_bytes(array)}, both alive at once, and its copy "
        f"takes {format_bytes(size)} more: {format_bytes(most)} before anything is made of "
        f"it.{copy}{beside}",
    )


def _of_a_key(evidence: Evidence) -> Need | None:
    """All values of a key that is most of what the reducer was given."""
    death = evidence.death
    given, each, key = death.needs.reduce_bytes, death.needs.bytes_each, key_at_work(evidence)
    values = key.values if key is not None and key.name else death.of_one_key
    if not _keeps_a_key(evidence) or values is None:
        return None
    if each is not None and (given is None or values * each > given):
        return Need(
            values * each,
            f"{format_count(values)} values of {format_bytes(each)}, as the text has their size, "
            f"are {format_bytes(values * each)}; as objects they are more as a rule.",
            is_least=True,
        )
    if given is None or death.of_one_key is None:
        return None
    return Need(
        given,
        f"The reducer merged {format_bytes(given)}, and its counters have one key: as objects that "
        "is more as a rule, and a heap that keeps all of it has to be larger still.",
        is_least=True,
    )


def key_at_work(evidence: Evidence) -> KeyAtWork | None:
    """The key that a reducer logged last, where a class on the stack did, or none is named.

    Its name is empty where the line counts something, and no word says that it names a key.
    """
    key = evidence.death.needs.key
    classes = {one.class_name.partition("$")[0].rpartition(".")[2] for one in own_frames(evidence)}
    return (
        key
        if key is not None and (not key.logger or key.logger.rpartition(".")[2] in classes)
        else None
    )


def _keeps_a_key(evidence: Evidence) -> bool:
    return any(one.is_of_values and one.lives == "call" for one in evidence.kept_in_code)


_OF_A_FLOAT: Final = 32
"""Bytes of CPython of 64 bits: an object of 24, and 8 of the list that names it."""
_OF_A_ROW: Final = 200
"""The same: a list of its own, its key, and its part of a dict."""


def lists_of_floats_bytes(count: int, each: int) -> int:
    """What a dict of lists of so many floats each takes in Python."""
    return count * (each * _OF_A_FLOAT + _OF_A_ROW)


def beside_a_quiet_heap(evidence: Evidence) -> tuple[str, tuple[SaidSetting, ...]]:
    """What a text says of memory beside a heap that is not full, and the heap that leaves it room.

    Empty where it says neither.
    """
    needs = evidence.death.needs
    heap, container = heap_bytes(evidence), container_bytes(evidence)
    native = (
        f" The text names {needs.native}: such memory is outside the heap, -Xmx does not limit it, "
        "and it counts to the container."
        if needs.native
        else ""
    )
    if needs.native and needs.native_bytes is not None:
        words, size = needs.native_bytes
        native += f" By its options in the text it may take {format_bytes(size)} ({words}) or more."
    if needs.quiet_heap is None:
        return native, ()
    words, used = needs.quiet_heap
    quiet = (
        f" The text has {words}: what is in use of the heap is not what fills the container. A "
        "JVM may keep all that -Xmx allows, used or not, and a smaller -Xmx bounds that."
    )
    if needs.native:
        native += (
            " Objects that free it when they are collected seldom do so where the heap has room: "
            "close or release them in the code."
        )
    fits_mb = -(-int(TIMES_A_QUIET_HEAP.value * used) // (_STEP_MB * MIB)) * _STEP_MB
    most = heap if heap is not None else container
    if most is None or fits_mb * MIB >= HARDLY_SMALLER.value * most:
        return f"{quiet}{native}", ()
    was = f", instead of {heap_in_words(evidence)}," if heap is not None else ""
    left = f" and leaves {format_bytes(container - fits_mb * MIB)}" if container is not None else ""
    text = (
        f"-Xmx{fits_mb}m is half as much again as the {format_bytes(used)} that the text says are "
        f"in use{was}{left} to what is beside the heap; a larger -Xmx leaves it less. Whether "
        "that is enough is not known: where it is not, a larger container with this -Xmx."
    )
    if not side_is_known(evidence):
        return f"{quiet}{native} {text}", ()
    options = options_of(evidence)
    name, new = options_name(evidence), with_heap(options or "", fits_mb)
    setting = SaidSetting(name, setting_of(evidence, name), new, text, first_aid=True)
    return f"{quiet}{native}", (setting,)
