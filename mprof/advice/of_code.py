"""Changes of code and data: the paper's fix methods, said of the user's own operation.

The methods (footnote of Table 8): (a) streaming or secondary sort instead of accumulating,
(b) several light operations instead of a heavy one, (c) spilling and merging on disk.
"""

from __future__ import annotations

import math

from mprof.advice.of_emptied import empty_earlier, more_heap_of_emptied, room_to_fill
from mprof.advice.peaks import GROWING
from mprof.advice.properties import grouped_by, heap_setting, input_format, setting
from mprof.advice.thresholds import HEADROOM, LEAST_MORE_HEAP
from mprof.diagnosis import Advice, Cause
from mprof.evidence import HEAP_KINDS, Evidence, Holder, Owner, known
from mprof.patterns import (
    ONE_OF_SEVERAL,
    Growing,
    MemoryModel,
    Patterns,
    Where,
    counts_so_far,
)
from mprof.units import format_bytes, format_count, list_in_words, parse_long, rounded_down

__all__ = [
    "do_not_accumulate",
    "load_less",
    "make_less_of_a_record",
    "records_that_fit",
    "shrink_the_group",
    "split_the_record",
]

_DEFAULT_PARTS = 8  # of a group whose growth nobody measured

_KEY_CLASSES = ("mapreduce.map.output.key.class", "mapreduce.job.output.key.class")
"""The second holds where the first is not set (`JobConf.getMapOutputKeyClass`)."""

_FILE_BUFFER, _USUAL_FILE_BUFFER = "io.file.buffer.size", 4096  # core-default.xml
_OUTPUT = "mapreduce.output.fileoutputformat.outputdir"

_DELIMITER = "textinputformat.record.delimiter"

# What a container is usually for, told by a word of its class name, and the method that replaces
# it. The rules read lifecycles; here a class name only picks the wording.
_IN_PIECES = "write the output in pieces, several records per key, as they arrive"
_SORTED_APART = (
    "let the framework sort the values (secondary sort: put the value into the key, partition and "
    "group by the natural key) and drop duplicates by comparing each value with the previous one"
)
_LIGHT_JOB = (
    "count or sum in a small separate job that uses the map's key as its key, or "
    "spill the map to a file when it gets large and merge the files"
)
_READ_ONCE = (
    "read the values once, as they arrive; where their order matters, let the framework sort them "
    "(secondary sort)"
)
_OTHERWISE = "do it in one pass over sorted values (secondary sort), or spill to disk and merge"
_DISTINCT_OF_GROUPED = (
    "sort equal values of a group next to each other, by the rest of the key that {comparator} "
    "does not compare, and drop duplicates by comparing each value with the previous one"
)
_ONCE_OF_GROUPED = (
    "use each value as it arrives, and keep none that no later one needs: the job groups by "
    "{comparator}, so that the rest of its key can sort the values of a group"
)
_BY_KEY = "emit each record's result and let {who} bring equal keys together"
_WITHOUT_REDUCERS = (
    "write each record's result as it arrives, and bring equal keys together in a reduce step, "
    "which this job does not have"
)
_OF_PASSES = (
    "where map() fills it, emit each record's result and let the sort bring equal keys together; "
    "where the combiner does, clear it in cleanup() or close(), which end each of its passes"
)
_AS_IT_COMES = "write each record's part as it arrives instead of building one text of all of them"
_FIRST_FEW = (
    "where only the top N are wanted, drop the last one after each insertion; otherwise let the "
    "framework sort, with the sort criterion as the key"
)
_TEXT, _ORDERED = ("Builder", "Buffer", "ByteArray"), ("PriorityQueue", "Tree", "SkipList")
_METHODS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (_TEXT, _IN_PIECES, _IN_PIECES),
    (("Set",), _SORTED_APART, _DISTINCT_OF_GROUPED),
    (("Map", "Table", "Count"), _LIGHT_JOB, _LIGHT_JOB),
    (("List", "Deque", "Queue", "Vector", "[]"), _READ_ONCE, _ONCE_OF_GROUPED),
    (("",), _OTHERWISE, _ONCE_OF_GROUPED),
)
"""Words of a class, the method for what is kept of a group, and where the job groups by its own."""
_OF_OTHERS: dict[Owner, str] = {
    "writer": "Let the output send {what}more often{at}: its writer keeps all of it until it is "
    "closed. Use an output format that sends what it has gathered every so many records, or bytes.",
    "reader": "Do not read {what}ahead{at}: return each record as nextKeyValue() reaches it.",
    "library": "Close or release what each call opens{at}: {what}keeps all of it as long as the "
    "JVM lives.",
}
"""What to change where it is not the user's own code that keeps it."""
_OPEN_WRITERS = (
    "{count} record writers are open, and each keeps its buffers until it is closed. Close each "
    "after its last record{at}, or write fewer files. {order}."
)
_SORTED = "The records of one key come together, so a file of each key needs one open writer"
_UNSORTED = (
    "Let a reducer write them, with what a file is for as the key: then the records of each file "
    "come together"
)


def do_not_accumulate(
    evidence: Evidence,
    patterns: Patterns,
    cause: Cause,
) -> tuple[Advice, ...]:
    """The method that replaces what accumulates, and whether more heap would help."""
    lifecycle = GROWING[cause.cause]
    found, memory = patterns.growth(lifecycle), patterns.memory
    holder = found.holders[0] if found is not None and found.holders else None
    if holder is not None and holder.key.is_reused_record:
        return (Advice(cause.cause, "code", _begin_anew(holder)),)
    emptied = found.emptied if found is not None else None
    kept = found.kept if found is not None else None
    changes = []
    if emptied is None:
        changes.append(_instead(evidence, memory, found, cause, cause.finding.where))
    elif kept is not None:
        changes.append(_instead(evidence, memory, kept, cause, kept.where))
    if emptied is not None:
        what = f"{_what_grows(emptied)} "
        changes.append(empty_earlier(memory, emptied, what=what, at=_at(emptied.where)))
    more = _more_heap(memory, found, in_combine=evidence.place == "combine")
    advice = Advice(cause.cause, "code", " ".join((*changes, more)).strip())
    smaller = _smaller_file_buffers(evidence, memory, found, cause)
    return (advice, *smaller, *_release_spare_room(evidence, memory, cause))


def _instead(
    evidence: Evidence,
    memory: MemoryModel | None,
    found: Growing | None,
    cause: Cause,
    where: Where | None,
) -> str:
    """The method that replaces what is kept of all records or groups."""
    lifecycle = GROWING[cause.cause]
    holder = found.holders[0] if found is not None and found.holders else None
    at = _at(where)
    what = f"{_what_grows(found)} "
    if holder is not None and holder.open_writers:
        count = format_count(holder.open_writers)
        order = _UNSORTED if lifecycle == "map" else _SORTED
        change = _OPEN_WRITERS.format(at=at, count=count, order=order)
    elif holder is not None and holder.owner in _OF_OTHERS:
        change = _OF_OTHERS[holder.owner].format(what=what, at=at)
    elif lifecycle == "map":
        change = f"Do not keep {what}in memory{at}. Instead, {_method_of_map(evidence, holder)}"
        flush = _flush_every(memory, found) if evidence.place != "combine" else None
        often = "after each record" if flush == "1" else f"every {flush} records"
        change += f"; or emit its contents and clear it {often}." if flush else "."
    elif lifecycle == "reduce":
        change = (
            f"Do not carry {what}over from group to group{at}. Instead, write each group's part "
            "with that group, or spill it when it gets large and merge in cleanup()."
        )
    elif holder is None and where is not None:
        change = (
            f"Do not build {_named(where.path)} from the whole group at once{at}: "
            "write each part as it is produced."
        )
    else:
        method = _method_of_group(evidence, holder)
        change = f"Do not keep {what}for the whole group{at}. Instead, {method}."
    return change


def _smaller_file_buffers(
    evidence: Evidence, memory: MemoryModel | None, found: Growing | None, cause: Cause
) -> tuple[Advice, ...]:
    """The buffer of each open file of a local or mounted file system, which is as large as is set.

    Other file systems have buffers of their own.
    """
    holder = found.holders[0] if found is not None and found.holders else None
    if found is None or holder is None or memory is None or not holder.open_writers:
        return ()
    size = parse_long(evidence.conf.get(_FILE_BUFFER))
    need = memory.need_at_the_end(found)
    each = holder.bytes / holder.open_writers
    is_local = evidence.conf.get(_OUTPUT, "").startswith("file:")
    if not is_local or size is None or need is None or not _USUAL_FILE_BUFFER < size <= each:
        return ()
    rest = memory.rest_beside(found)
    peak = rest + (need - rest) * (1 - (size - _USUAL_FILE_BUFFER) / each)
    if peak > HEADROOM.value * memory.capacity_bytes:
        return ()
    text = (
        f"Each open file takes {format_bytes(each)}, of which its buffer is {format_bytes(size)}. "
        f"With a buffer of {format_bytes(_USUAL_FILE_BUFFER)} all files that the rest of the input "
        f"opens fit, with a peak of about {format_bytes(peak)} of the usable "
        f"{format_bytes(memory.capacity_bytes)}. The files still stay open, so a larger input "
        "fills the heap again."
    )
    new = str(_USUAL_FILE_BUFFER)
    return (setting(evidence, cause.cause, _FILE_BUFFER, new, text, peak_bytes=peak),)


def _release_spare_room(
    evidence: Evidence, memory: MemoryModel | None, cause: Cause
) -> tuple[Advice, ...]:
    """What to do about an array beside what grows that larger contents left behind.

    Emptying a collection, a builder or a stream keeps its array.
    """
    spare = [one for one in evidence.held if one.is_of_user_code and one.is_mostly_spare]
    most = max(spare, key=lambda one: one.spare_bytes, default=None)
    if most is None or memory is None:
        return ()
    if most.spare_bytes < ONE_OF_SEVERAL.value * memory.capacity_bytes:
        return ()
    text = (
        f"Release the room of {_named(most.path)}: {format_bytes(most.spare_bytes)} of its "
        f"{format_bytes(most.bytes)} are not in use. Larger contents before left its array so "
        "large, or it was made so large; clear() and setLength(0) keep the array. Make a new one "
        "where it is emptied now, or a smaller one at first."
    )
    return (Advice(cause.cause, "code", text),)


def _what_grows(found: Growing | None) -> str:
    """The objects by name; that only some of them may grow is said."""
    if found is None or not found.holders:
        return "what grows"
    names = list_in_words(tuple(_named(one.path) for one in found.named))
    return names if found.is_of_one else f"what grows of {names}"


def _named(path: str) -> str:
    """A path within a sentence: a local has a class and no name."""
    return f"the {path}" if path.startswith("local ") else path


def _begin_anew(holder: Holder) -> str:
    """What to do where the object that is handed out for each record never forgets one."""
    which = holder.key.inner_text
    inside = holder.path.rpartition(".")[2]
    return (
        f"Clear {inside} at the start of readFields(): Hadoop reuses one {which} object for every "
        f"record, so what readFields() adds without clearing stays ({format_bytes(holder.bytes)} "
        "so far), and results computed from it count it repeatedly."
    )


def _method_of_map(evidence: Evidence, holder: Holder | None) -> str:
    """What replaces what is kept of all records; nothing that the job has, or does, already."""
    if _is_one_of(holder, _TEXT):
        return _AS_IT_COMES
    # With fewer elements than records it drops some already, or brings equal keys together.
    counts = counts_so_far(evidence, "map")
    has_all = holder is not None and any(each.is_kept_by(holder) for each in counts)
    if has_all and _is_one_of(holder, _ORDERED):
        return _FIRST_FEW
    if known(evidence.reducers) == 0:  # there is neither a combiner nor a sort
        return _WITHOUT_REDUCERS
    if evidence.place == "combine":
        return _OF_PASSES
    return _BY_KEY.format(who="the combiner and the sort" if _combines(evidence) else "the sort")


def _method_of_group(evidence: Evidence, holder: Holder | None) -> str:
    """What replaces what is kept of a group."""
    comparator = grouped_by(evidence)
    usual, grouped = next(
        (usual, grouped) for words, usual, grouped in _METHODS if _is_one_of(holder, words)
    )
    return usual if comparator is None else grouped.format(comparator=comparator)


def _is_one_of(holder: Holder | None, words: tuple[str, ...]) -> bool:
    name = holder.class_name.rpartition(".")[2] if holder is not None else ""
    return any(word in name for word in words)


def _at(where: Where | None) -> str:
    if where is None or not where.method:
        return ""
    line = "" if where.line is None else f", line {where.line}"
    return f" ({where.class_name.rsplit('.', 1)[-1]}.{where.method}(){line})"


def _flush_every(memory: MemoryModel | None, found: Growing | None) -> str | None:
    records = records_that_fit(memory, found)
    return format_count(records) if records is not None else None


def records_that_fit(memory: MemoryModel | None, found: Growing | None) -> int | None:
    """Records that fill half of the room that is left, a round number; None where none fits."""
    if found is None or memory is None:
        return None
    room, each = room_to_fill(memory, found), _bytes_of_each(memory, found)
    if room <= 0 or each <= 0 or room < each:
        return None
    return rounded_down(room / each)


def _bytes_of_each(memory: MemoryModel, found: Growing) -> float:
    """Bytes a unit of x, the container's enlargement at the death included."""
    return max(found.bytes_per_unit, memory.need_at_death(found) / max(found.x_now, 1.0))


_PASSES = (
    "In a map task a pass of the combiner is over one partition of a spill; a task with three "
    "spills or more (mapreduce.map.combine.minspills) combines each partition of all of them again."
)


def _more_heap(memory: MemoryModel | None, found: Growing | None, *, in_combine: bool) -> str:
    """Whether a larger heap ends it, and for how long.

    What a pass of the combiner needs is bounded by the pass.
    """
    if found is None or memory is None:
        return ""
    kept = found.kept
    if kept is None:
        return more_heap_of_emptied()
    if found.is_full:
        return (
            "It is bounded, and the bound was reached: a lower bound, or a heap with room for it, "
            "prevents the failure."
        )
    need = memory.need_at_the_end(found)
    usable = format_bytes(memory.capacity_bytes)
    if in_combine and found.lifecycle == "reduce":
        if need is None:
            return _PASSES
        needed = format_bytes(need)
        return (
            f"This pass of the combiner would need {needed} in all, and {usable} are usable. "
            f"{_PASSES}"
        )
    if need is None:
        return "How large a heap would do is not known: it grows with the data."
    needed = format_bytes(need)
    if need > memory.capacity_bytes and needed != usable:
        numbers = f"The whole input would need {needed}, and {usable} are usable. A"
    elif need > HEADROOM.value * memory.capacity_bytes:
        # It died with nearly all of its input read, or of what one step asked for besides.
        numbers = f"The whole input would need about all of the {usable} that are usable. A"
    else:
        numbers = "A"
    if found.has_a_limit:
        return (
            f"{numbers} heap with room for its limit would prevent the failure: it "
            f"{found.complexity}."
        )
    if found.may_have_a_limit:
        return (
            f"{numbers} larger heap postpones the failure; whether it ends it, the points do not "
            f"tell, because it {found.complexity}, with or without a limit."
        )
    return f"{numbers} larger heap lasts until there is more data, because it {kept.complexity}."


def make_less_of_a_record(
    evidence: Evidence,  # noqa: ARG001 - every advisor takes the same
    patterns: Patterns,
    cause: Cause,
) -> tuple[Advice, ...]:
    """What is made of one record has to become smaller."""
    at = _at(cause.finding.where)
    size = cause.finding.bytes
    did = f"produced {format_bytes(size)}" if size else "asked for more than was free"
    record = patterns.record_in_flight
    if record.is_ordinary and record.bytes is not None:
        text = (
            f"Produce less from each record{at}: one of {format_bytes(record.bytes)}, no larger "
            f"than others, {did}. Process and emit it part by part, or limit what it leads to, "
            "such as rows of a join or steps of a search. A larger heap helps only until a record "
            "leads to more."
        )
    else:
        text = (
            f"Process each record in pieces{at}: a single one {did}. Process and emit it part by "
            "part, cap the length that is parsed, or reuse what is allocated. A larger heap helps "
            "only until a larger record arrives."
        )
    return (Advice(cause.cause, "code", text),)


def split_the_record(
    evidence: Evidence,
    patterns: Patterns,  # noqa: ARG001 - every advisor takes the same
    cause: Cause,
) -> tuple[Advice, ...]:
    """The record has to be split before user code sees it."""
    records = known(evidence.records)
    largest = known(records.before) if records is not None else None
    usual = ""
    if largest is not None and largest.count:
        usual = f" (the largest before it was {format_bytes(largest.largest)})"
    size = cause.finding.data.bytes if cause.finding.data else None
    held = cause.finding.bytes
    has = f", which takes {format_bytes(held)} of the heap" if held else ""
    has = has if size is None else f" of {format_bytes(size)}"
    upstream = "use an input format that cuts long records or files into several, or write smaller"
    if evidence.is_reduce:
        # Its records are the map side's: no input format comes between.
        who = "map() or the combiner" if _combines(evidence) else "map()"
        upstream = f"let {who} write it in several, each under a key of its own, or write smaller"
    text = f"Split the record{has}{usual} before user code sees it: {upstream} values upstream."
    at = _at(cause.finding.where)
    if held is None and at:
        text += (
            f" Or cap what is allocated for it{at}: a length read from a damaged record can ask "
            "for any size."
        )
    delimiter = evidence.conf.get(_DELIMITER)
    if delimiter and _reads_lines(evidence):
        # As a record it is one only if the data has it: of another one the reader takes in all.
        text = (
            f"See whether the data still has the delimiter of its records: {_DELIMITER} is "
            f"{delimiter!r}, and none came for so long. If it has: {text[0].lower()}{text[1:]}"
        )
    if _reads_lines(evidence):
        text += (
            " Lines longer than a limit can be dropped with -D mapreduce.input.linerecordreader."
            "line.maxlength=BYTES, if losing them is acceptable."
        )
    return (Advice(cause.cause, "data", text),)


def _combines(evidence: Evidence) -> bool:
    return any(
        evidence.conf.get(name) for name in ("mapreduce.job.combine.class", "mapred.combiner.class")
    )


def _reads_lines(evidence: Evidence) -> bool:
    """Whether the input of the map side is lines of text (``TextInputFormat`` is the default)."""
    told = input_format(evidence) or "TextInputFormat"
    return not evidence.is_reduce and told.endswith("TextInputFormat")


def load_less(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """Less external data, or a heap that holds it where it was loaded whole."""
    load = known(evidence.external)
    files = sorted(load.opened, key=lambda f: -(f.length_bytes or 0)) if load else []
    # An only file of the cache is what was loaded, even if it was read behind Hadoop's back.
    named = [one for one in files if one.seen] or (files if len(files) == 1 else [])
    of = f" of {named[0].path}" if named else ""
    at = _at(cause.finding.where)
    text = (
        f"Load less{of}{at}: only the fields and rows that are looked up, held in arrays or sorted "
        "bytes instead of boxed objects; a Bloom filter where only membership is tested; or join "
        "on the reduce side."
    )
    if load is not None and load.holders and load.holders[0].is_of_records:
        text = (
            f"Do not read ahead{at}: return each record as nextKeyValue() reaches it. What is read "
            "ahead grows with the split, so a smaller split is only a stopgap."
        )
    lines: tuple[Advice, ...] = (Advice(cause.cause, "code", text),)
    memory, heap = patterns.memory, known(evidence.memory.heap_max_bytes)
    if load is None or load.when == "loading" or memory is None or not heap:
        return lines
    if evidence.death.kind not in HEAP_KINDS:  # its heap was large enough for the data
        return lines
    peak = max(memory.live_bytes, memory.capacity_bytes)  # it died of an allocation on top of that
    wanted = heap * max(LEAST_MORE_HEAP.value, peak / (HEADROOM.value * memory.capacity_bytes))
    more = (
        "Or give it the memory: the data was loaded completely, so what it takes does not grow "
        "with the input."
    )
    return lines + heap_setting(evidence, cause.cause, wanted, more, peak_bytes=peak)


def shrink_the_group(evidence: Evidence, patterns: Patterns, cause: Cause) -> tuple[Advice, ...]:
    """Into how many parts the group has to fall, by a composite key or by salting."""
    found, memory = patterns.growth("group"), patterns.memory
    parts = None
    peak = None
    emptied = found is not None and found.kept is None
    if found is not None and memory is not None and not found.outgrew and not emptied:
        rest = memory.rest_beside(found)
        room = HEADROOM.value * memory.capacity_bytes - rest
        data = cause.finding.data
        counted = data.records if data is not None and data.kind == "group" else None
        need = max(counted or 0, found.x_now) * _bytes_of_each(memory, found)
        if room > 0:
            # A group that was not counted to its end is larger: twice as many parts are safe.
            groups = known(evidence.groups)
            whole = groups is not None and groups.current is not None and groups.current.whole
            parts = max(2, math.ceil(need / room) * (1 if whole else 2))
            peak = round(rest + need / parts)
    many = f" into {format_count(parts)} parts or more" if parts else ""
    salt = parts or _DEFAULT_PARTS
    comparator = grouped_by(evidence)
    key = (
        "use a composite key (k, k'), where k' is a field by which the values are processed"
        if comparator is None
        else f"group by more of the key than {comparator} compares"
    )
    text = (
        f"Split the group{many}: {key}; or salt the key: map() emits (k, hash of the value mod "
        f"{salt}), reduce() processes each part, and a second, small job combines the parts of "
        "each key."
    )
    if _has_no_key(evidence):
        text = (
            "All records have the same key, NullWritable, so that they make one group. Let map() "
            f"emit a key that splits them{many}: a field by which they are processed, or a hash of "
            f"the value mod {salt}; a second, small job combines what reduce() makes of each part."
        )
        return (Advice(cause.cause, "data", text, predicted_peak_bytes=peak),)
    if emptied:
        text += (
            " What it keeps of the group is emptied now and then: emptying it earlier does without "
            "any of that, and parts help only where they are smaller than what comes between."
        )
    if found is not None and found.outgrew:
        text += (
            " What grows by more and more with each record, such as all pairs or subsets, is more "
            "than what can be combined from parts: then limit the group instead."
        )
    text += _which_key(evidence, cause)
    return (Advice(cause.cause, "data", text, predicted_peak_bytes=peak),)


def _has_no_key(evidence: Evidence) -> bool:
    """Whether the map output has no keys: there is one group, and nothing to salt."""
    told = next((said for name in _KEY_CLASSES if (said := evidence.conf.get(name))), "")
    return told == "org.apache.hadoop.io.NullWritable"


def _which_key(evidence: Evidence, cause: Cause) -> str:
    """How to learn the key itself, where no more than its digest left the task."""
    groups = known(evidence.groups)
    ordinal = cause.finding.data.group if cause.finding.data else None
    seen = [one for one in (groups.current, groups.largest) if one is not None] if groups else []
    digest = next((one.digest for one in seen if one.ordinal == ordinal and one.digest), None)
    if digest is None or any(one.key is not None for one in seen):
        return ""
    return (
        f" Only the digest of its key, {digest}, was recorded; with --keys, mprof run and mprof "
        "rerun record keys as text."
    )
