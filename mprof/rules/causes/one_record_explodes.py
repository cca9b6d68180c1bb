"""Large intermediate results: the work on a single record fills the heap.

What it means
    While the user's code worked on R_n, memory grew by a fifth of the heap or more, an outlier
    against its growth from record to record before, and the growth belongs to R_n alone.

Why it happens
    A record is parsed, split, joined or expanded into temporary objects many times its size.

Patterns
    The growth at R_n is measured from the last dump before it to the death, with what was asked for
    at once and did not fit. Where nothing was measured before R_n it is what objects hold that can
    live for one record only. The fence is that of the growths per record before it. Where R_n is
    the last of its group, it may all be made of the group, which only R_n run alone tells.

What to change
    Split the record, cap what is made of it, or process it in pieces. Rule 8 says whether the
    record itself is an outlier.

For example
    A lemmatizer that holds a list of 232 MB and a string of 50 MB for line 76, after a flat curve
    over 75 lines.

Sources
    Rule 4 of the paper (Table 5), section 4.2.2 and case study 1.

Where it departs from the paper
    An object that did not fit into the heap is in no dump; that it was asked for counts as growth.
    It gives way to rules 1 to 3, and fires with nothing measured before R_n where objects of R_n
    alone hold that much.
    Only growth of a fifth of the heap counts, because with a flat start the interquartile range is
    0 and any growth would be an outlier. Six growths are needed before R_n, else R_n alone.
    The paper edits the user's mapper to run R_n alone; mprof's reader drops the others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mprof.evidence import (
    Composition,
    DeathPosition,
    Evidence,
    ExternalLoad,
    Place,
    RecordGrowth,
    StackFrame,
    Verification,
)
from mprof.patterns import (
    SHARP,
    VERIFIED,
    FailedAllocation,
    Jump,
    MemoryModel,
    RecordInFlight,
    where_of,
)
from mprof.rules.examples import holder, map_attempt, reduce_attempt, with_growth
from mprof.rules.rule import (
    CannotTell,
    Confidence,
    Defer,
    ErrorData,
    EvidenceLevel,
    Example,
    Fires,
    Rule,
    Silent,
    Verdict,
)
from mprof.threshold import Threshold
from mprof.units import MIB, format_bytes

__all__ = ["RULE"]

OWN = Threshold(
    "of one record alone",
    0.50,
    "share of the growth at R_n that objects hold which can live for one record only",
    "they are then most of it, whatever a field or the group gained beside them",
)

_ALONE = "the growth that the last record causes when run alone"


def _record_at_work(
    record_in_flight: RecordInFlight,
    failed_allocation: FailedAllocation,
    place: Place | None = None,
    external: ExternalLoad | None = None,
) -> Silent | CannotTell | None:
    """Was user code at work on a record that it had been given (else rule 5 or 8)?

    A record no larger than those before it, for which a large object was asked, had been read.
    """
    if place in ("init", "setup", "shuffle", "sort", "cleanup"):
        return Silent("no record was being processed")
    already_read = failed_allocation.record_bytes > 0 and record_in_flight.is_ordinary
    if record_in_flight.being_read and not already_read:
        missing = failed_allocation.missing if record_in_flight.is_ordinary else None
        if missing is not None and failed_allocation.at_most_bytes > 0:
            return CannotTell(missing.missing, missing.run_that_would_tell)
        return Silent("the record was still being read")
    if external is not None and external.when == "loading":
        return Silent("external data was still being loaded")
    return None


def _jumped(jump: Jump, memory_model: MemoryModel) -> Silent | None:
    """Did user objects grow by a fifth of the heap or more from before R_n to the death?"""
    if jump.bytes < SHARP.value * memory_model.capacity_bytes:
        return Silent(f"the last record added only {format_bytes(max(jump.bytes, 0))}")
    return None


def _not_the_first(jump: Jump, position: DeathPosition | None = None) -> CannotTell | None:
    """Is there a record before R_n?

    R_1 alone is all there was: what a field then holds may have been loaded once, and no run tells.
    """
    first = position is not None and position.record == 1
    if first and jump.record_level_bytes < OWN.value * jump.bytes:
        return CannotTell("a second record (what a field holds may have been loaded once)", "none")
    return None


def _alone(
    jump: Jump, record_in_flight: RecordInFlight, failed_allocation: FailedAllocation
) -> Fires | Silent | None:
    """Was R_n run alone (verify mode)?

    If it shows half of that growth again, it is R_n's: sure. If not, it was a container that
    doubled, or what had been accumulated.
    """
    if jump.share_alone is None:
        return None
    if jump.share_alone >= VERIFIED.value:
        return _finding(jump, record_in_flight, failed_allocation, "sure", "verified")
    alone = format_bytes(jump.share_alone * jump.bytes)
    return Silent(
        f"the last record alone added {alone} of {format_bytes(jump.bytes)}: "
        "the rest belongs to earlier records"
    )


def _of_the_group(jump: Jump) -> CannotTell | None:
    """Is R_n the last of several records of its group?

    What grew may then have been made of all of them, in a method called after the last was read.
    """
    return CannotTell(_ALONE, "verify") if jump.may_be_of_group else None


def _out_of_line(
    jump: Jump, record_in_flight: RecordInFlight, failed_allocation: FailedAllocation
) -> Verdict:
    """Else: is the growth per record above the fence of the growths before it?

    *Likely*, until verified. Six of them are needed; with fewer, objects that can live for one
    record only decide.
    """
    if jump.measured is None:
        return _finding(jump, record_in_flight, failed_allocation, "likely", "dump")
    stands = jump.against_before
    if stands == "above":
        return _finding(jump, record_in_flight, failed_allocation, "likely", jump.source)
    if jump.record_level_bytes >= OWN.value * jump.bytes:
        return _finding(jump, record_in_flight, failed_allocation, "likely", "dump")
    if stands == "below" and jump.source == "dump":
        return Silent("the last record added no more than those before it")
    return CannotTell(_ALONE, "verify")


def _finding(
    jump: Jump,
    record: RecordInFlight,
    allocation: FailedAllocation,
    confidence: Confidence,
    level: EvidenceLevel,
) -> Fires:
    sized = "" if record.bytes is None else f" ({format_bytes(record.bytes)})"
    where = where_of(jump.holder) if jump.holder else None
    verified = level == "verified"
    if jump.is_mostly_failed:
        where = allocation.site
        sentence = f"processing {record.name}{sized} asks for {allocation.phrase}"
        sentence += "; it does so when run alone as well" if verified else ""
    else:
        held = "temporary objects"
        if jump.holder is not None:
            held = f"{jump.holder.path} and related objects"
        sentence = f"processing {record.name}{sized} adds {format_bytes(jump.bytes)}, "
        sentence += f"far more than the records before it: {held}"
        sentence += "; run alone, the record adds as much" if verified else ""
    return Fires(
        confidence=confidence,
        evidence=level,
        sentence=sentence,
        bytes=None if jump.is_mostly_failed else jump.bytes,
        where=where,
        data=ErrorData(
            "record",
            first=record.ordinal,
            last=record.ordinal,
            group=record.group,
            records=1,
            bytes=record.bytes,
        ),
        numbers={"bytes_at_the_record": jump.bytes},
    )


def _explodes(jump_bytes: int, flat_points: int = 7, **changes: Any) -> Evidence:
    growth = RecordGrowth(
        before=tuple((10, 2000) for _ in range(flat_points)),
        last_records=1,
        last_bytes=jump_bytes,
        source="dump",
    )
    one = holder("local lemmas", jump_bytes, lifecycle="record", class_name="java.util.ArrayList")
    return replace(map_attempt(record_growth=growth, holders=(one,)), **changes)


def _field_of_one_record(samples: int) -> Evidence:
    # a mapper's field that one record fills: only R_n alone can say so with so few before
    evidence = _explodes(150 * MIB, samples)
    return replace(evidence, holders=(holder("this.columns", 150 * MIB),))


def _refused(live_mib: int) -> Evidence:
    # map() asks for one array, in a heap of which so much is live; nothing grew before
    growth = RecordGrowth(tuple((10, 2000) for _ in range(7)), 1, 0, "dump")
    stack = (StackFrame("com.x.Words", "map", "Words.java", 18, user=True),)
    composition = Composition(framework_bytes=60 * MIB, other_bytes=(live_mib - 60) * MIB)
    evidence = map_attempt(record_growth=growth, stack=stack, composition=composition)
    return replace(evidence, memory=replace(evidence.memory, live_bytes_at_death=live_mib * MIB))


def _doubling() -> Evidence:
    evidence = with_growth(
        reduce_attempt(), "local map", 180 * MIB, lifecycle="group", unit="record_in_group",
        last_x=50000,
    )  # fmt: skip
    growth = RecordGrowth(
        before=tuple((7000, 10 * MIB) for _ in range(7)), last_records=1, last_bytes=70 * MIB,
        source="dump", doubling=True, unit="record_in_group",
    )  # fmt: skip
    return replace(evidence, record_growth=growth)


def _verified(growth_bytes: int) -> Evidence:
    return _explodes(150 * MIB, 3, verification=Verification(met=True, growth_bytes=growth_bytes))


RULE = Rule(
    cause="large_intermediate_results",
    published_as="4",
    category="code",
    title="Large record-level intermediate results",
    name="large intermediate results for one record",
    asks=(
        _record_at_work,
        _jumped,
        _not_the_first,
        _alone,
        Defer.YIELD,
        _of_the_group,
        _out_of_line,
    ),
    thresholds=(SHARP, VERIFIED, OWN),
    examples=(
        Example("FIRES", "flat, then 150 MB at R_n", lambda: _explodes(150 * MIB)),
        Example("FIRES", "R_n alone grows the same", lambda: _verified(149 * MIB)),
        Example(
            "FIRES", "an array in map() does not fit into 170 MB of free heap", lambda: _refused(70)
        ),
        Example("SILENT", "a small array does not fit into a full heap", lambda: _refused(235)),
        Example("SILENT", "R_n alone grows by 30 of 150 MB", lambda: _verified(30 * MIB)),
        Example("SILENT", "R_n added 4 MB", lambda: _explodes(4 * MIB)),
        Example("SILENT", "a map that doubles while it accumulates", _doubling),
        Example(
            "CANNOT_TELL",
            "a field filled by one of the first records",
            lambda: _field_of_one_record(3),
        ),
    ),
    module=__name__,
)
