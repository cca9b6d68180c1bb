"""Large single record: one record of the input is far larger than the others.

What it means
    R_n is above the fence of the records before it, and the work on it filled the heap (rule 4);
    or R_n itself, while it is read or handed over, fills the heap.

Why it happens
    A line without line breaks, a whole file read as one record, a value that collected the values
    of many (a list, a bag, a document).

What it asks
    1. Was R_n still being read into an array beyond what the JVM can make, or into an object that a
       fifth of the heap, free, had no place for? Or does it hold 30 % of the heap or more by itself
       (where something accumulates, only if it is larger than the records before it; and not the
       room that a larger record before it took)?
    2. Else, has rule 4 fired, and is R_n larger than the fence of the six or more before it, and
       than the noise floor?

What to change
    Split R_n into records before user code sees it: another input format, a limit on the length
    of a line, smaller values.

For example
    A line of 50 MB in compacted text whose second longest line has 12 MB.

Sources
    Rule 8 of the paper (Tables 6 and 7), its case study 1.

Where it departs from the paper
    A record that fills the heap by itself needs no rule 4: no user code has run on it.
    R_n is compared with the records before it, strictly, and six are needed.
"""

from __future__ import annotations

from dataclasses import replace

from mprof.evidence import (
    Composition,
    Distribution,
    Evidence,
    RecordGrowth,
    RecordSizes,
    StackFrame,
    Unknown,
    known,
)
from mprof.evidence.fences import compare_with_fence
from mprof.evidence.growth import noise_floor_bytes
from mprof.rules.accumulation import LIFECYCLE_OF
from mprof.rules.examples import holder, map_attempt
from mprof.rules.need import capacity_of
from mprof.rules.refused import asked_for_record, asker_of, of_ordinary_size, refused_object
from mprof.rules.rule import (
    CannotTell,
    Confidence,
    ErrorData,
    EvidenceLevel,
    Example,
    Fires,
    Rule,
    Silent,
    Threshold,
    Verdict,
    Verdicts,
    cannot_tell,
    where_of,
)
from mprof.rules.thresholds import FENCE_SAMPLES, HUGE, IN_ONE_PIECE, NOISE, SHARP
from mprof.units import MIB, format_bytes, format_count

__all__ = ["RULE"]

ROOM_OF_A_RECORD = Threshold(
    "room of a record",
    4.0,
    "times its bytes",
    "its bytes in a buffer that grew by half or to twice its size, and once more in the object "
    "that is handed over: 13 and 6.7 MB after a value of 6.6 MB",
)

_PARENT = "large_intermediate_results"


def _ask(evidence: Evidence, earlier: Verdicts) -> Verdict:
    records, fills = evidence.records, _fills_the_heap(evidence)
    if records is None and not fills:
        return Silent("no record was being processed")
    if _is_beyond_an_array(evidence):
        array = "one array of more elements than the JVM can make"
        return _refused(evidence, array, "sure", "passive")
    if fills and not _one_of_many(evidence, earlier) and not _is_room_of_another(evidence):
        return _fires(evidence, "sure", "dump", "by itself")
    if _is_refused(evidence):
        return _refused(evidence, refused_object(evidence), "likely", "dump")
    parent = earlier[_PARENT]
    if isinstance(parent, CannotTell):
        return parent
    if isinstance(parent, Silent):
        if fills is None:
            return CannotTell("what R_n itself held of the heap: a dump made at the death", "run")
        return Silent("the work on the last record did not fill the heap")
    if records is None:
        return Silent("no record was being processed")
    if isinstance(records, Unknown):
        return cannot_tell(records)
    if isinstance(records.bytes, Unknown):
        return cannot_tell(records.bytes)
    if isinstance(records.before, Unknown):
        return cannot_tell(records.before)
    floor = noise_floor_bytes(capacity_of(evidence))
    compared = compare_with_fence(records.bytes, records.before, noise_floor=floor)
    if compared.stands == "cannot tell":
        return CannotTell(f"sizes of more records before it ({compared.why})", "none")
    if compared.stands == "below":
        return Silent(f"its {format_bytes(records.bytes)} are {compared.why}")
    against = f"the fence of {format_count(compared.count)} records before it stands at "
    how = against + format_bytes(max(compared.fence or 0.0, 0.0))
    found = _fires(evidence, parent.confidence, parent.evidence, how)
    return replace(found, where=parent.where)


def _is_beyond_an_array(evidence: Evidence) -> bool:
    """R_n was being read into an array beyond the JVM's limit."""
    records = known(evidence.records)
    return evidence.death.kind == "array-limit" and records is not None and records.being_read


def _fills_the_heap(evidence: Evidence) -> bool | None:
    """Whether R_n itself holds a huge share; None where nothing says what it holds."""
    capacity, composition = capacity_of(evidence), known(evidence.composition)
    if capacity is None or composition is None:
        return None
    return composition.record_bytes >= HUGE.value * capacity


def _one_of_many(evidence: Evidence, earlier: Verdicts) -> bool:
    """Something accumulates, and R_n is no larger than the records that went well before."""
    accumulates = any(isinstance(earlier[cause], Fires) for cause in LIFECYCLE_OF)
    return accumulates and of_ordinary_size(evidence)


def _is_room_of_another(evidence: Evidence) -> bool:
    """R_n stands in room that a larger record before it took, and that went well.

    The objects that are read anew for each record keep the arrays of the largest so far.
    """
    records, composition = known(evidence.records), known(evidence.composition)
    size = known(records.bytes) if records is not None else None
    before = known(records.before) if records is not None else None
    if size is None or before is None or composition is None or before.count == 0:
        return False
    room = ROOM_OF_A_RECORD.value * before.largest
    return size <= before.largest / ROOM_OF_A_RECORD.value and composition.record_bytes <= room


def _is_refused(evidence: Evidence) -> bool:
    """R_n was being read into one object that the heap had no place for."""
    records, capacity = known(evidence.records), capacity_of(evidence)
    if records is None or not records.being_read or capacity is None or of_ordinary_size(evidence):
        return False
    return asked_for_record(evidence) >= SHARP.value * capacity


def _refused(evidence: Evidence, what: str, confidence: Confidence, level: EvidenceLevel) -> Fires:
    return replace(
        _fires(evidence, confidence, level, "by itself"),
        sentence=f"{_name_of_record(_ordinal(evidence))} asks for {what}, while it is read",
        where=asker_of(evidence),
        bytes=None,
    )


def _fires(evidence: Evidence, confidence: Confidence, level: EvidenceLevel, how: str) -> Fires:
    records, position = known(evidence.records), known(evidence.position)
    composition = known(evidence.composition)
    heap_bytes = composition.record_bytes if composition else 0
    size = known(records.bytes) if records else None
    ordinal = _ordinal(evidence)
    record = _name_of_record(ordinal)
    if how == "by itself":
        state = "while it is read" if records and records.being_read else "as it is handed over"
        sentence = f"{record} fills {format_bytes(heap_bytes)} of the heap by itself, {state}"
    else:
        sentence = f"{record} is far larger than the others: {format_bytes(size or 0)}, while {how}"
    held = [h for h in known(evidence.holders) or () if h.owner == "record" and h.site is not None]
    return Fires(
        confidence=confidence,
        evidence=level,
        sentence=sentence,
        where=where_of(max(held, key=lambda one: one.bytes)) if held else None,
        bytes=max(heap_bytes, size or 0) or None,
        data=ErrorData(
            "record",
            first=ordinal,
            last=ordinal,
            group=position.group if position else None,
            records=1,
            bytes=size,
        ),
        numbers={"record_bytes": float(size or heap_bytes)},
    )


def _ordinal(evidence: Evidence) -> int | None:
    records, position = known(evidence.records), known(evidence.position)
    if records is not None and records.ordinal is not None:
        return records.ordinal
    return None if position is None else position.record_in_group or position.record


def _name_of_record(ordinal: int | None) -> str:
    return "the record in flight" if ordinal is None else f"record {format_count(ordinal)}"


def _exploding(size_bytes: int, before: Distribution | Unknown) -> Evidence:
    growth = RecordGrowth(tuple((10, 2000) for _ in range(7)), 1, 150 * MIB, "dump")
    one = holder("local lemmas", 150 * MIB, lifecycle="record")
    return map_attempt(
        record_growth=growth, holders=(one,), records=RecordSizes(4001, size_bytes, before)
    )


_LINES = Distribution.of(range(10_000, 200_000, 5_000))


def _refused_while_read(live_mib: int) -> Evidence:
    # readFields() asks for an array, in a heap of which so much is live
    evidence = map_attempt(
        records=RecordSizes(3, Unknown("its size: it was never read whole", "none"),
                            Distribution.of([900, 1000]), being_read=True),
        stack=(StackFrame("com.x.Vector", "readFields", "Vector.java", 33, user=True),),
    )  # fmt: skip
    return replace(evidence, memory=replace(evidence.memory, live_bytes_at_death=live_mib * MIB))


def _whole_file() -> Evidence:
    return map_attempt(
        records=RecordSizes(3, Unknown("its size: it was never read whole", "none"),
                            Distribution.of([900, 1000]), being_read=True),
        composition=Composition(framework_bytes=60 * MIB, record_bytes=150 * MIB),
    )  # fmt: skip


def _room_of_another() -> Evidence:
    records = RecordSizes(4001, 100, Distribution.of([*range(90, 110), 40 * MIB]))
    composition = Composition(framework_bytes=60 * MIB, record_bytes=120 * MIB)
    return map_attempt(records=records, composition=composition)


RULE = Rule(
    cause="large_single_record",
    published_as="8",
    category="data",
    title="Large single record",
    thresholds=(FENCE_SAMPLES, NOISE, HUGE, SHARP, IN_ONE_PIECE, ROOM_OF_A_RECORD),
    ask=_ask,
    after=(_PARENT, *LIFECYCLE_OF),
    examples=(
        Example("FIRES", "a line of 12 MB among 200 KB", lambda: _exploding(12 * MIB, _LINES)),
        Example("FIRES", "a file that is read as one record", _whole_file),
        Example("FIRES", "an array for it finds no place in 170 free MB",
                lambda: _refused_while_read(70)),
        Example("SILENT", "a small array found no place in a full heap",
                lambda: _refused_while_read(235)),
        Example("SILENT", "100 B in the room of a record of 40 MB before it", _room_of_another),
        Example("SILENT", "a small record that explodes", lambda: _exploding(90_000, _LINES)),
        Example("SILENT", "rule 4 is silent", lambda: replace(
            map_attempt(), records=RecordSizes(4001, 12 * MIB, _LINES))),
        Example(
            "CANNOT_TELL",
            "only three records before it",
            lambda: _exploding(12 * MIB, Distribution.of([1, 2, 3])),
        ),
    ),
    module=__name__,
)  # fmt: skip
