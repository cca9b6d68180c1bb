"""Changes of code and data: the paper's fix methods, said of the user's own operation.

The methods (footnote of Table 8): (a) streaming or secondary sort instead of accumulating,
(b) several light operations instead of a heavy one, (c) spilling and merging on disk.
"""

from __future__ import annotations

import math

from mprof.advice.properties import HEADROOM, heap_setting, input_format
from mprof.diagnosis import Advice, Cause
from mprof.evidence import Evidence, Holder, known
from mprof.evidence.growing import Growing, find_growth
from mprof.rules.accumulation import LIFECYCLE_OF
from mprof.rules.need import capacity_of, end_of_data, live_of, need_at, need_at_death
from mprof.rules.rule import Where
from mprof.units import format_bytes, format_count

__all__ = [
    "do_not_accumulate",
    "load_less",
    "make_less_of_a_record",
    "shrink_the_group",
    "split_the_record",
]

# What a container is usually for, told by a word of its class name, and the method that replaces
# it. The rules read lifecycles; here a class name only picks the wording.
_IN_PIECES = "write the output in pieces, several records a key, as they come (fix method c)"
_SORTED_APART = (
    "let the framework sort the values (secondary sort: value in the key, partition and group by "
    "the natural key) and drop repeats by comparing with the one before (fix method a)"
)
_LIGHT_JOB = (
    "count or sum in a light job of its own, keyed by what the map is keyed by (fix method b), or "
    "spill the map to a file when it is large and merge (fix method c)"
)
_READ_ONCE = (
    "read the values once as they come; where their order matters, have them sorted by the "
    "framework (secondary sort, fix method a)"
)
_BY_KEY = (
    "emit each record's result and let the combiner and the sort bring equal keys together "
    "(fix method a)"
)
_AS_IT_COMES = "write each record's part as it comes, in place of one text of all (fix method a)"
_FIRST_FEW = (
    "where only the first so many are wanted, drop the last after each that is added; else let the "
    "framework sort, with what they are ordered by as the key (fix method a)"
)
_METHODS_OF_MAP: tuple[tuple[tuple[str, ...], str], ...] = (
    (("Builder", "Buffer", "ByteArray"), _AS_IT_COMES),
    (("PriorityQueue", "Tree", "SkipList"), _FIRST_FEW),
)
_METHODS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("Builder", "Buffer", "ByteArray"), _IN_PIECES),
    (("Set",), _SORTED_APART),
    (("Map", "Table", "Count"), _LIGHT_JOB),
    (("List", "Deque", "Queue", "Vector", "[]"), _READ_ONCE),
)
_METHOD_OTHER = "do it in one pass over sorted values (fix method a), or spill and merge (c)"


def do_not_accumulate(evidence: Evidence, cause: Cause) -> tuple[Advice, ...]:
    """The method that replaces what accumulates, and whether more heap would help."""
    lifecycle = LIFECYCLE_OF[cause.cause]
    found = find_growth(evidence, lifecycle)
    holder = found.holders[0] if isinstance(found, Growing) and found.holders else None
    at = _at(cause.finding.where)
    what = f"{holder.path} " if holder else ""
    if holder is not None and holder.key.is_reused_record:
        return (Advice(cause.cause, "code", _begin_anew(holder)),)
    if lifecycle == "map":
        change = f"Do not keep {what}in memory{at}: {_method(holder, _METHODS_OF_MAP, _BY_KEY)}"
        flush = _flush_every(evidence, found)
        often = "after each record" if flush == "1" else f"every {flush} records"
        change += f"; or emit and clear it {often} (c)." if flush else "."
    elif lifecycle == "reduce":
        change = (
            f"Do not carry {what}from group to group{at}: write its part with each group "
            "(fix method a), or spill it when it is large and merge in cleanup() (c)."
        )
    elif holder is None and cause.finding.where is not None:
        change = (
            f"Do not make {cause.finding.where.path} of the whole group at once{at}: write each "
            "part of it as it is made (fix method a)."
        )
    else:
        method = _method(holder, _METHODS, _METHOD_OTHER)
        change = f"Do not keep {what}for the whole group{at}: {method}."
    return (Advice(cause.cause, "code", f"{change} {_more_heap(evidence, found)}".strip()),)


def _begin_anew(holder: Holder) -> str:
    """What to do where the object that is handed out for each record never forgets one."""
    which = holder.key.inner_text
    inside = holder.path.rpartition(".")[2]
    return (
        f"Begin {inside} anew in readFields(): Hadoop has one {which} object read every record, "
        f"and what readFields() adds to it without clearing it first stays "
        f"({format_bytes(holder.bytes)} so far); results made of it count it again and again."
    )


def _method(
    holder: Holder | None, methods: tuple[tuple[tuple[str, ...], str], ...], otherwise: str
) -> str:
    name = holder.class_name.rpartition(".")[2] if holder is not None else ""
    return next((m for words, m in methods if any(w in name for w in words)), otherwise)


def _at(where: Where | None) -> str:
    if where is None or not where.method:
        return ""
    line = "" if where.line is None else f", line {where.line}"
    return f" (in {where.class_name.rsplit('.', 1)[-1]}.{where.method}(){line})"


def _flush_every(evidence: Evidence, found: object) -> str | None:
    """Records after which half of the room that is left is filled."""
    capacity, live = capacity_of(evidence), live_of(evidence)
    if not isinstance(found, Growing) or capacity is None or live is None:
        return None
    room = 0.5 * (HEADROOM * capacity - max(0, live - found.held_bytes))
    each = max(found.bytes_per_unit, need_at_death(evidence, found) / max(found.x_now, 1.0))
    if room <= 0 or each <= 0:
        return None
    records = room / each
    if records < 1:
        return None
    digits = 10 ** max(0, len(str(int(records))) - 1)
    return format_count(math.floor(records / digits) * digits)


def _more_heap(evidence: Evidence, found: object) -> str:
    """Whether a larger heap ends it, and for how long."""
    capacity = capacity_of(evidence)
    if not isinstance(found, Growing) or capacity is None:
        return ""
    end = end_of_data(evidence, found)
    if end is None:
        return "More heap would only postpone the end: it grows with the data."
    need = need_at(evidence, found, end) or 0.0
    return (
        f"All of this input would need {format_bytes(need)} where {format_bytes(capacity)} are "
        f"usable; more heap only postpones the end, because it {found.complexity}."
    )


def make_less_of_a_record(evidence: Evidence, cause: Cause) -> tuple[Advice, ...]:  # noqa: ARG001
    """What is made of one record has to become smaller."""
    at = _at(cause.finding.where)
    size = cause.finding.bytes
    made = "a single one asked for more than was free"
    if size:
        made = f"{format_bytes(size)} were made of a single one"
    text = (
        f"Work on one record in pieces{at}: {made}. Process and emit "
        "part after part, cap the length that is parsed, or reuse what is allocated. More heap "
        "helps only up to the next larger record."
    )
    return (Advice(cause.cause, "code", text),)


def split_the_record(evidence: Evidence, cause: Cause) -> tuple[Advice, ...]:
    """The record has to be split before user code sees it."""
    records = known(evidence.records)
    largest = known(records.before) if records is not None else None
    usual = ""
    if largest is not None and largest.count:
        usual = f" (the largest before it had {format_bytes(largest.largest)})"
    size = cause.finding.data.bytes if cause.finding.data else None
    held = cause.finding.bytes
    has = f", which takes {format_bytes(held)} of the heap" if held else ""
    has = has if size is None else f" of {format_bytes(size)}"
    text = (
        f"Split the record{has}{usual}, before user code sees it: an input format that cuts long "
        "records or files into several, or smaller values written upstream."
    )
    at = _at(cause.finding.where)
    if held is None and at:
        text += (
            f" Or bound what is allocated for it{at}: a length that is read from a damaged record "
            "can ask for any size."
        )
    if _reads_lines(evidence):
        text += (
            " Lines beyond a length can be dropped with "
            "-D mapreduce.input.linerecordreader.line.maxlength=BYTES where losing them is right."
        )
    return (Advice(cause.cause, "data", text),)


def _reads_lines(evidence: Evidence) -> bool:
    """Whether the input of the map side is lines of text (``TextInputFormat`` is the default)."""
    told = input_format(evidence) or "TextInputFormat"
    return not evidence.is_reduce and told.endswith("TextInputFormat")


def load_less(evidence: Evidence, cause: Cause) -> tuple[Advice, ...]:
    """Less external data, or a heap that holds it where it was loaded whole."""
    load = known(evidence.external)
    files = sorted(load.opened, key=lambda f: -(f.length_bytes or 0)) if load else []
    # An only file of the cache is what was loaded, even if it was read behind Hadoop's back.
    named = [one for one in files if one.seen] or (files if len(files) == 1 else [])
    of = f" of {named[0].path}" if named else ""
    at = _at(cause.finding.where)
    text = (
        f"Load less{of}{at}: only the fields and rows that are looked up, in arrays or sorted "
        "bytes instead of boxed objects; a Bloom filter where only membership is asked; or join "
        "on the reduce side."
    )
    if load is not None and load.holders and load.holders[0].is_of_records:
        text = (
            f"Do not read ahead{at}: hand out each record as nextKeyValue() comes to it. What is "
            "read ahead grows with the split, so a smaller split helps for today only."
        )
    lines: tuple[Advice, ...] = (Advice(cause.cause, "code", text),)
    capacity, live = capacity_of(evidence), live_of(evidence)
    heap = known(evidence.memory.heap_max_bytes)
    if load is None or load.when == "loading" or not capacity or not live or not heap:
        return lines
    wanted = heap * max(1.25, live / (HEADROOM * capacity))
    more = (
        "Or give it the room: the data was loaded whole, so what it needs is known and does not "
        "grow with the input."
    )
    return lines + heap_setting(evidence, cause.cause, wanted, more, peak_bytes=float(live))


def shrink_the_group(evidence: Evidence, cause: Cause) -> tuple[Advice, ...]:
    """Into how many parts the group has to fall, by a composite key or by salting."""
    found, capacity, live = find_growth(evidence, "group"), capacity_of(evidence), live_of(evidence)
    parts = None
    peak = None
    if isinstance(found, Growing) and capacity is not None and live is not None:
        rest = max(0, live - found.held_bytes)
        room = HEADROOM * capacity - rest
        records = cause.finding.numbers.get("records", found.x_now)
        each = max(found.bytes_per_unit, need_at_death(evidence, found) / max(found.x_now, 1.0))
        need = max(records, found.x_now) * each
        if room > 0:
            # A group that was not counted to its end is larger: twice as many parts are safe.
            groups = known(evidence.groups)
            whole = groups is not None and groups.current is not None and groups.current.whole
            parts = max(2, math.ceil(need / room) * (1 if whole else 2))
            peak = round(rest + need / parts)
    many = f"{format_count(parts)} parts or more" if parts else "parts"
    salt = parts or 8
    text = (
        f"Shrink the group: let it fall into {many}. With a composite key (k, k'), where k' is a "
        "field that the values are worked on by; or salted: map() emits (k, hash of the value mod "
        f"{salt}), reduce() works on each part, and a second, small job brings the parts of a key "
        "together."
    )
    text += _which_key(evidence, cause)
    return (Advice(cause.cause, "data", text, predicted_peak_bytes=peak),)


def _which_key(evidence: Evidence, cause: Cause) -> str:
    """How to learn the key itself, where no more than its digest left the task."""
    groups = known(evidence.groups)
    ordinal = cause.finding.data.group if cause.finding.data else None
    seen = [one for one in (groups.current, groups.largest) if one is not None] if groups else []
    digest = next((one.digest for one in seen if one.ordinal == ordinal and one.digest), None)
    if digest is None or any(one.key is not None for one in seen):
        return ""
    return (
        f" Of its key only the digest {digest} was recorded; mprof run and mprof rerun record "
        "keys as text with --keys."
    )
