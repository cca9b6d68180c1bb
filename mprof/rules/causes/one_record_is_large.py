"""Large single record: one record of the input is far larger than the others.

What it means
    R_n is far larger than the records that went well, and the work on it filled the heap (rule 4);
    or R_n itself, while it is read or handed over, fills the heap.

Why it happens
    A line without line breaks, a whole file read as one record, a value that collected the values
    of many (a list, a bag, a document).

Patterns
    R_n is compared with the largest of the records before it, which passed, and with the least size
    that anyone would call large.
    Where nothing tells how many bytes a record has, because its class is the user's, the objects
    of R_n in the heap are compared with those of the records that probes met before it.
    What was asked for while it was read, and did not fit, counts as its own.

What to change
    Split R_n into records before user code sees it: another input format, a limit on the length
    of a line, smaller values.

For example
    A line of 50 MB in compacted text whose second longest line has 12 MB.

Sources
    Rule 8 of the paper (Tables 6 and 7), its case study 1.
"""

from __future__ import annotations

from dataclasses import replace

from mprof.evidence import Death, Holder, Place
from mprof.patterns import (
    HUGE,
    SHARP,
    Accumulation,
    FailedAllocation,
    MemoryModel,
    RecordInFlight,
    RecordSize,
    where_of,
)
from mprof.rules.rule import (
    CannotTell,
    Condition,
    Confidence,
    Defer,
    ErrorData,
    EvidenceLevel,
    Fires,
    Rule,
    Silent,
    Verdict,
)
from mprof.units import format_bytes, format_count

__all__ = ["RULE"]

_WHETHER_IT_IS_READ = "whether the record was still being read"


def _is_there(
    record_in_flight: RecordInFlight,
    memory_model: MemoryModel | None = None,
    place: Place | None = None,
) -> Silent | CannotTell | None:
    """Was a record being processed, or does one fill the heap?"""
    if record_in_flight.is_there or _is_huge(record_in_flight, memory_model):
        return None
    if record_in_flight.heap_bytes is None and place in ("map", "combine", "reduce"):
        return CannotTell("what a record held of the heap: a dump made at the death", "run")
    return Silent("no record was being processed")


def _beyond_an_array(
    record_in_flight: RecordInFlight, failed_allocation: FailedAllocation, death: Death
) -> Fires | CannotTell | None:
    """Was R_n still being read into an array beyond what the JVM can make?"""
    if death.kind != "array-limit" or record_in_flight.being_read is False:
        return None
    if record_in_flight.being_read is None:
        return CannotTell(_WHETHER_IT_IS_READ, "run")
    array = "one array of more elements than the JVM can make"
    return _asked_for(array, record_in_flight, failed_allocation, "sure", "passive")


def _fills_the_heap(
    record_in_flight: RecordInFlight,
    memory_model: MemoryModel | None = None,
    map_accumulation: Accumulation | None = None,
    reduce_accumulation: Accumulation | None = None,
    group_accumulation: Accumulation | None = None,
    holders: tuple[Holder, ...] | None = None,
) -> Fires | None:
    """Does R_n hold 30 % of the heap or more by itself?

    Not where it stands in the room that a larger record before it took. Records like it passed
    where it is ordinary: then only if nothing accumulates, and all the rest of the heap is less.
    """
    record = record_in_flight
    if not _is_huge(record, memory_model) or record.is_room_of_another:
        return None
    accumulations = (map_accumulation, reduce_accumulation, group_accumulation)
    state = "while it is being read" if record.being_read else "while user code works on it"
    held = format_bytes(record.held_bytes)
    sentence = f"{record.name_in_file} takes {held} of the heap by itself {state}"
    if not record.is_ordinary:
        return _finding(record, sentence, holders, "sure", "dump")
    share = _share(record, memory_model)
    if any(one is not None for one in accumulations) or share < 1 - share:
        return None
    return _finding(record, f"{sentence}, like the records before it", holders, "likely", "dump")


def _did_not_fit(
    record_in_flight: RecordInFlight,
    failed_allocation: FailedAllocation,
    memory_model: MemoryModel | None = None,
) -> Fires | CannotTell | None:
    """While it was read, did R_n ask for an object of a fifth of the heap that did not fit?"""
    record, allocation = record_in_flight, failed_allocation
    if record.being_read is False or record.is_ordinary:
        return None
    if memory_model is None:
        return CannotTell("what live objects may take of the heap", "run")
    sharp = SHARP.value * memory_model.capacity_bytes
    if allocation.record_bytes < sharp:
        unseen = allocation.missing
        return CannotTell(unseen.missing, unseen.run_that_would_tell) if unseen else None
    if record.being_read is None:
        return CannotTell(_WHETHER_IT_IS_READ, "run")
    return _asked_for(allocation.phrase, record, allocation, "likely", "dump")


def _is_ordinary(
    record_in_flight: RecordInFlight,
    record_size: RecordSize | None = None,
    memory_model: MemoryModel | None = None,
) -> Silent | CannotTell | None:
    """Is it known to be no larger than the records that passed, whatever the work on it did?

    One that holds 30 % of the heap all the same is not denied: each of them may be too large.
    """
    if record_size is None or record_size.beyond.stands != "below":
        return None
    record = record_in_flight
    if record.heap_bytes is None:
        record = replace(record, heap_bytes=record_size.bytes)
    if _is_huge(record, memory_model) and not record.is_room_of_another:
        return CannotTell("a smaller record to compare with: those before it are as large", "none")
    return Silent(f"its {format_bytes(record_size.bytes)} are {record_size.beyond.why}")


def _is_larger(
    record_in_flight: RecordInFlight,
    record_size: RecordSize,
    parent: Fires,
    holders: tuple[Holder, ...] | None = None,
) -> Verdict:
    """Rule 4 has fired: is R_n far larger than the records that passed, and large at all?"""
    beyond = record_size.beyond
    if beyond.stands == "cannot tell":
        return CannotTell(f"the sizes of more records before it ({beyond.why})", "none")
    largest = format_bytes(beyond.largest)
    of_heap, dumped = (" of heap", " that were dumped") if record_size.in_heap else ("", "")
    sentence = (
        f"{record_in_flight.name_in_file} is far larger than the others: "
        f"{format_bytes(record_size.bytes)}{of_heap}; the largest of the "
        f"{format_count(beyond.count)} records before it{dumped} had {largest}"
    )
    found = _finding(record_in_flight, sentence, holders, parent.confidence, parent.evidence)
    return replace(found, where=parent.where)


def _is_huge(record: RecordInFlight, memory: MemoryModel | None) -> bool:
    return _share(record, memory) >= HUGE.value


def _share(record: RecordInFlight, memory: MemoryModel | None) -> float:
    """Of the heap; 0 where its size is not known."""
    return record.held_bytes / memory.capacity_bytes if memory is not None else 0.0


def _asked_for(
    what: str,
    record: RecordInFlight,
    allocation: FailedAllocation,
    confidence: Confidence,
    level: EvidenceLevel,
) -> Fires:
    """What was asked for while R_n was read: nothing holds it, so the stack says who asked."""
    sentence = f"{record.name_in_file} asks for {what} while it is being read"
    found = _finding(record, sentence, None, confidence, level)
    return replace(found, where=allocation.site, bytes=None)


def _finding(
    record: RecordInFlight,
    sentence: str,
    holders: tuple[Holder, ...] | None,
    confidence: Confidence,
    level: EvidenceLevel,
) -> Fires:
    held = [
        one for one in holders or () if one.owner == "record_in_flight" and one.site is not None
    ]
    return Fires(
        confidence=confidence,
        evidence=level,
        sentence=sentence,
        where=where_of(min(held, key=lambda one: (-one.bytes, one.key))) if held else None,
        bytes=record.largest_bytes,
        data=ErrorData.of_record(record),
    )


RULE = Rule(
    cause="large_single_record",
    published_as="8",
    category="data",
    title="Large single record",
    name="a single record is very large",
    asks=(_is_there, _beyond_an_array, _fills_the_heap, _did_not_fit, _is_ordinary, Defer.FOLLOW,
          _is_larger),
    thresholds=(HUGE, SHARP),
    conditions=(
        Condition(
            _is_there,
            "R_n is a record of G_m, or of the split",
            "A record was being processed, or holds 30 % of the heap",
        ),
        Condition(
            _beyond_an_array,
            "Not covered",
            "R_n was being read into an array beyond what the JVM can make: *sure*",
            "User code never sees such a record, so rule 4 cannot fire",
        ),
        Condition(
            _fills_the_heap,
            "Not covered",
            "R_n holds 30 % of the heap by itself: *sure*; not in the room (4 times) that a "
            "larger record before it took. One no larger than what passed: *likely*, where it "
            "holds half of the heap or more and nothing accumulates",
            "A record that fills the heap needs neither rule 4 nor others beside it; one like "
            "those that passed does not by itself",
        ),
        Condition(
            _did_not_fit,
            "Not covered",
            "While it was read, R_n asked for an object of 20 % of the heap that did not fit,"
            " and is not known to be ordinary: *likely*",
            "What did not fit is in no dump",
        ),
        Condition(
            _is_ordinary,
            "Record skew is not matched",
            "Silent where R_n is at most 64 KB, or less than 1.6 times the largest that passed; "
            "cannot tell where it holds 30 % of the heap all the same",
            "Asked before rule 4, whose facts may be missing",
        ),
        Condition(
            Defer.FOLLOW,
            "Rule 4 has fired",
            "Rule 4 has fired; cannot tell while rule 4 cannot, where no dump shows what R_n "
            "held, or where it is far larger than what passed and holds 10 % of the heap with what "
            "was made of it",
            "Evidence that is missing denies nothing",
        ),
        Condition(
            _is_larger,
            "Record skew: R_n reaches the upper inner fence of R_1 to R_n",
            "R_n is above 64 KB (where its objects in the heap are compared: above the "
            "noise), 1.6 times the largest that passed or more, and ordinary skew makes it so"
            " once in a hundred at most (`passed.py`); else cannot tell; as sure as rule 4",
            "Fences call 5 to 18 % of ordinary skewed records outliers",
        ),
    ),
    numbers=(
        "larger than what passed",
        "chance of an ordinary value",
        "least large record",
        "room of a record",
    ),
    module=__name__,
)  # fmt: skip
