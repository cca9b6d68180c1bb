"""Large intermediate results: the work on a single record fills the heap.

What it means
    While the user's code worked on R_n, memory grew by a fifth of the heap or more, an outlier
    against its growth from record to record before, and the growth belongs to R_n alone.

Why it happens
    A record is parsed, split, joined or expanded into temporary objects many times its size.

Patterns
    The growth at R_n is measured from the last dump before it to the death, with what was asked for
    at once and did not fit. Objects that can live for one record only are R_n's; of what a field
    or the group holds R_n must be far larger than the records that went well, and the growth far
    beyond the growths a record before it. Where R_n is the last of its group, it may all be made of
    the group. What R_n alone does, in the room that it had, is the proof.

What to change
    Split the record, cap what is made of it, or process it in pieces. Rule 8 says whether the
    record itself is an outlier.

For example
    A lemmatizer that holds a list of 232 MB and a string of 50 MB for line 76, after a flat curve
    over 75 lines.

Sources
    Rule 4 of the paper (Table 5), section 4.2.2 and case study 1.
"""

from __future__ import annotations

from mprof.evidence import DeathPosition, ExternalLoad, Place
from mprof.patterns import (
    OF_THE_RECORD,
    SHARP,
    Account,
    FailedAllocation,
    Jump,
    MemoryModel,
    RecordInFlight,
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
from mprof.units import format_bytes

__all__ = ["RULE"]

_ALONE = "a run of the last record alone, in the room that it had"


def _record_at_work(
    record_in_flight: RecordInFlight,
    failed_allocation: FailedAllocation,
    place: Place | None = None,
    external: ExternalLoad | None = None,
    account: Account | None = None,
) -> Silent | CannotTell | None:
    """Was user code at work on a record that it had been given (else rule 5 or 8)?

    A record no larger than those before it, for which a large object was asked, had been read. What
    was being loaded then is what counts where it is more than all that is of the record.
    """
    if place in ("init", "setup", "shuffle", "sort", "cleanup"):
        return Silent("no record was being processed")
    already_read = failed_allocation.record_bytes > 0 and record_in_flight.is_ordinary
    if record_in_flight.being_read and not already_read:
        missing = failed_allocation.missing if record_in_flight.is_ordinary else None
        being_read = Silent("the record was still being read")
        return CannotTell(missing.missing, missing.run_that_would_tell) if missing else being_read
    of_record = account.of_the_record if account is not None else 0
    if external is not None and external.when == "loading" and of_record <= external.bytes:
        return Silent("external data was still being loaded")
    return None


def _jumped(
    jump: Jump, memory_model: MemoryModel, record_in_flight: RecordInFlight
) -> Silent | CannotTell | None:
    """Did user objects grow by a fifth of the heap or more from before R_n to the death?

    Of less, where R_n is far larger than other records, only the run with R_n alone tells.
    """
    capacity = memory_model.capacity_bytes
    if jump.bytes < SHARP.value * capacity:
        worth = jump.is_worth_a_run and record_in_flight.is_far_larger
        if worth and jump.alone in OF_THE_RECORD:
            return None
        if worth and jump.alone is None:
            return CannotTell(_ALONE, "verify")
        return Silent(f"the last record added only {format_bytes(max(jump.bytes, 0))}")
    return None


def _at_once(jump: Jump, records_at_once: int) -> CannotTell | None:
    """Was it the only record at work?

    The threads of a multithreaded mapper work on one each: what they hold together is of no single
    record, unless one that is run alone dies in a heap of its own.
    """
    if records_at_once > 1 and jump.alone != "dies":
        return CannotTell(
            f"what each of the {records_at_once} records at work at once held", "none"
        )
    return None


def _not_the_first(jump: Jump, position: DeathPosition | None = None) -> CannotTell | None:
    """Is there a record before R_n?

    R_1 alone is all there was: what a field then holds may have been loaded once, and no run tells.
    """
    first = position is not None and position.record == 1
    if first and not jump.is_of_one_record:
        return CannotTell("a second record (what a field holds may have been loaded once)", "none")
    return None


def _alone(
    jump: Jump,
    memory_model: MemoryModel,
    record_in_flight: RecordInFlight,
    failed_allocation: FailedAllocation,
) -> Verdict | None:
    """Was R_n run alone (verify mode)?

    If it dies in a heap of its own it is R_n's: sure. What outlives R_n may have been loaded once,
    by whatever record came first: there R_n must be far larger than those before it. If it dies in
    the room that it had, so may others: sure where an ordinary record lived there before it, or
    where it is far larger, else it is asked further. Of less than a fifth of the heap it is likely:
    what had been kept before may have left the room too small. If it passes there, it was a
    container that doubled, or what had accumulated.
    """
    if jump.alone is None:
        return None
    if jump.alone == "passes":
        held = jump.record_level_bytes >= SHARP.value * memory_model.capacity_bytes
        if held and not jump.may_be_of_group:
            return CannotTell("what else the task had at the record: alone it fits", "none")
        return Silent(
            "run alone, in the room that it had when the task died, the last record passes: what "
            "filled the heap belongs to earlier records"
        )
    larger = record_in_flight.is_far_larger
    if not (jump.is_of_one_record or jump.is_mostly_failed or larger):
        missing = "what it loads once, and what it adds to what is kept"
        return CannotTell(f"a record like it ({missing} cannot be told apart)", "none")
    if jump.alone in OF_THE_RECORD or larger:
        sharp = jump.bytes >= SHARP.value * memory_model.capacity_bytes
        confidence: Confidence = "sure" if sharp else "likely"
        return _finding(jump, record_in_flight, failed_allocation, confidence, "verified")
    return None


def _of_the_group(jump: Jump) -> CannotTell | None:
    """Is R_n the last of several records of its group?

    What grew may then have been made of all of them, in a method called after the last was read.
    """
    return CannotTell(_ALONE, "verify") if jump.may_be_of_group else None


def _out_of_line(
    jump: Jump,
    record_in_flight: RecordInFlight,
    failed_allocation: FailedAllocation,
) -> Verdict:
    """Else: is most of it in objects that can live for one record only?

    Or R_n far larger than the records before it, and the growth too? *Likely*, until verified.
    What a field or the group holds of an ordinary record may have been loaded once, or accumulated.
    """
    if jump.is_of_one_record:
        return _finding(jump, record_in_flight, failed_allocation, "likely", jump.source)
    grew = jump.against_before.stands
    if grew == "below":
        return Silent("the last record added no more than those before it")
    if grew == "above" and record_in_flight.is_far_larger:
        return _finding(jump, record_in_flight, failed_allocation, "likely", jump.source)
    return CannotTell(_ALONE, "verify")


def _finding(
    jump: Jump,
    record: RecordInFlight,
    allocation: FailedAllocation,
    confidence: Confidence,
    level: EvidenceLevel,
) -> Fires:
    sized = "" if record.bytes is None else f" ({format_bytes(record.bytes)})"
    again = ""
    if level == "verified":
        again = "; run alone, it does so again"
        if jump.alone == "dies where another lives":
            again += ", in a room in which an ordinary record comes to its end"
    doing = f"processing {record.name}{sized}"
    data = ErrorData.of_record(record)
    if jump.is_mostly_failed:
        sentence = f"{doing} asks for {allocation.phrase}{again}"
        return Fires(confidence, level, sentence, where=allocation.site, data=data)
    where, held = None, "temporary objects"
    if jump.holder is not None:
        where, held = where_of(jump.holder), f"{jump.holder.path} and related objects"
    again = again.replace("it does so", "the record fills the heap")
    more = ", far more than the records before it" if jump.against_before.stands == "above" else ""
    return Fires(
        confidence=confidence,
        evidence=level,
        sentence=f"{doing} adds {format_bytes(jump.bytes)}{more}: {held}{again}",
        bytes=jump.bytes,
        where=where,
        data=data,
    )


RULE = Rule(
    cause="large_intermediate_results",
    published_as="4",
    category="code",
    title="Large record-level intermediate results",
    name="large intermediate results for one record",
    asks=(
        _record_at_work,
        _jumped,
        _at_once,
        _not_the_first,
        _alone,
        Defer.YIELD,
        _of_the_group,
        _out_of_line,
    ),
    thresholds=(SHARP,),
    conditions=(
        Condition(
            _record_at_work,
            "User code works on R_n",
            "Not in init, setup, shuffle, sort or cleanup; R_n was not still being read; no "
            "external data was being loaded that holds more than all that is of R_n",
            "Else rules 5 and 8 are asked",
        ),
        Condition(
            _jumped,
            "Sharp growth at R_n (no least size)",
            "From the last dump before R_n to the death, user objects and what was asked for "
            "and did not fit grew by 20 % of the heap or more",
            "What is smaller fills no heap, however steep; what did not fit is in no dump",
        ),
        Condition(
            _at_once,
            "Not asked: one mapper works on one record",
            "R_n was the only record at work, or dies alone in a heap of its own; else cannot tell",
            "Twelve threads at work on a record each fill a heap that one would not",
        ),
        Condition(
            _not_the_first,
            "Not asked",
            "R_n is not the first record, or half of the growth is in objects that can live "
            "for one record only; else cannot tell",
            "What a field holds after R_1 may have been loaded once",
        ),
        Condition(
            _alone,
            "R_n alone, run by editing the mapper, shows the same growth in a dump after it "
            "(4.2.2)",
            "R_n alone is given the room that it had: if it passes silent, or cannot tell where "
            "what can live for it alone held 20 % of the heap at the death, and it is not the last "
            "of its group; cannot tell where "
            "more than half of the growth outlives R_n, was not asked for in vain, and R_n is "
            "not far larger than what passed; else *sure* if it dies in a heap of its own, or "
            "where an ordinary record that had the same room before it lived, or if it is far "
            "larger (*likely* below 20 % of the heap)",
            "After R_n its temporary objects are garbage: only whether it dies again tells; "
            "what outlives it may have been loaded once",
        ),
        Condition(
            Defer.YIELD,
            "Not asked",
            "Where rule 1, 2 or 3 fires: silent if the growth is an enlargement of its "
            "container (at most twice what it had) or at most 1.5 times the steepest before; "
            "else cannot tell",
            "What accumulates explains a jump that no run has verified",
        ),
        Condition(
            _of_the_group,
            "Not asked",
            "R_n is not the last of several records of its group; else cannot tell",
            "A method called after the loop makes it of the whole group (rule 3)",
        ),
        Condition(
            _out_of_line,
            "The slope at R_n is above the upper inner fence of the slopes before it",
            "Half of the growth is in objects that can live for one record only; or growth "
            "and R_n are both 1.6 times the largest before them or more, and by no chance of "
            "ordinary skew (`passed.py`): *likely*; silent where dumps show that the growth "
            "is not, else cannot tell",
            "Fences call 5 to 18 % of ordinary draws outliers, and of a flat start every noise",
        ),
    ),
    numbers=(
        "of one record alone",
        "larger than what passed",
        "chance of an ordinary value",
        "doubling",
        "ordinary pace",
    ),
    module=__name__,
)
