"""Large intermediate results: the work on a single record fills the heap.

What it means
    While the user's code worked on R_n, memory grew by a fifth of the heap or more, out of line
    with its growth from record to record before, and the growth belongs to R_n alone.

Why it happens
    A record is parsed, split, joined or expanded into temporary objects many times its size.

What it asks
    1. Was user code at work on a record that it had been given (else rule 5 or 8)? How much did
       user objects grow from before R_n to the death, and how much was asked for at once and
       refused? Where nothing was measured before R_n: what do objects hold that can live for one
       record only? Under a fifth of the heap it is silent.
    2. Was R_n run alone (verify mode)? If it shows half of that growth again, it is R_n's: sure.
       If not, it was a container that doubled, or what had been accumulated. R_1 alone is all there
       was: what a field then holds may have been loaded once, and no run tells.
    3. Else: is the growth a record above the fence of those before? Six of them are needed; with
       fewer, locals that can only live for one record decide. *Likely* until R_n was run alone.
    4. Where something accumulates as well (rules 1 to 3), an unverified jump is not named:
       a container being enlarged explains it, or the verify run has to tell.

What to change
    Split the record, cap what is made of it, or process it in pieces. Rule 8 says whether the
    record itself is out of line.

For example
    A lemmatizer whose lists hold 282 MB for line 76, after a flat curve over 75 lines.

Sources
    Rule 4 of the paper (Table 5), section 4.2.2 and case study 1.

Where it departs from the paper
    An object that the heap had no place for is in no dump; that it was asked for counts as growth.
    Only growth of a fifth of the heap counts, because with a flat start the interquartile range is
    0 and any growth would be an outlier. Six growths are needed before R_n, else R_n alone.
    The paper edits the user's mapper to run R_n alone; mprof's reader drops the others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mprof.evidence import (
    Distribution,
    Evidence,
    RecordGrowth,
    StackFrame,
    Verification,
    known,
)
from mprof.evidence.facts import Holder, Lifecycle, Unknown
from mprof.evidence.fences import compare_with_fence
from mprof.evidence.growing import Growing, find_growth
from mprof.rules.accumulation import LIFECYCLE_OF
from mprof.rules.examples import holder, map_attempt, reduce_attempt, with_growth
from mprof.rules.need import capacity_of, place_of, verified_share
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
from mprof.rules.thresholds import FENCE_SAMPLES, IN_ONE_PIECE, NEXT_ARRAY, SHARP, VERIFIED
from mprof.units import MIB, format_bytes, format_count

__all__ = ["RULE"]

DOUBLING = Threshold(
    "doubling",
    2.0,
    "times what the container held before",
    "old and new array are alive together: at twice the size, that adds twice the old one",
)

OWN = Threshold(
    "of one record alone",
    0.50,
    "share of the growth at R_n that objects hold which can live for one record only",
    "they are then most of it, whatever a field or the group gained beside them",
)

ORDINARY = Threshold(
    "ordinary",
    1.5,
    "times the steepest growth a record before, beside accumulation",
    "it goes on as it was: the last interval is long where the task died earlier than the plan "
    "foresaw, and its mean may be half as much again",
)


@dataclass(frozen=True, slots=True)
class _Jump:
    """The growth at R_n: bytes, how it was seen, and what held it.

    `asked_bytes` of it were asked for at once and refused, so that nothing holds them.
    """

    bytes: int
    source: EvidenceLevel
    record_level_bytes: int
    holder: Holder | None
    asked_bytes: int = 0

    @property
    def is_refused(self) -> bool:
        """Whether most of it was never there."""
        return 0 < self.bytes <= 2 * self.asked_bytes


def _ask(evidence: Evidence, earlier: Verdicts) -> Verdict:
    silent = _no_record_at_work(evidence)
    if silent is not None:
        return silent
    capacity = capacity_of(evidence)
    if capacity is None:
        return CannotTell("the size of the heap", "run")
    accumulating = [v for c in LIFECYCLE_OF if isinstance(v := earlier[c], Fires)]
    jump = _jump(evidence, accumulating, capacity)
    if not isinstance(jump, _Jump):
        return jump
    if jump.bytes < SHARP.value * capacity:
        return Silent(f"the last record added {format_bytes(max(jump.bytes, 0))} only")
    if _is_the_first(evidence) and jump.record_level_bytes < OWN.value * jump.bytes:
        return CannotTell("a second record: what a field holds may have been loaded once", "none")
    share = _refused_again(evidence) if jump.is_refused else verified_share(evidence, jump.bytes)
    if share is not None:
        if share >= VERIFIED.value:
            return _fires(evidence, jump, "sure", "verified")
        alone = format_bytes(share * jump.bytes)
        return Silent(
            f"the last record alone adds {alone} of {format_bytes(jump.bytes)}: "
            "the rest belongs to the records before it"
        )
    if accumulating:
        return _beside_accumulation(evidence, jump, accumulating)
    return _unverified(evidence, jump)


def _no_record_at_work(evidence: Evidence) -> Silent | None:
    if place_of(evidence) in ("init", "setup", "shuffle", "sort", "cleanup"):
        return Silent("no record was being processed")
    records = known(evidence.records)
    decoded = asked_for_record(evidence) > 0 and of_ordinary_size(evidence)
    if records is not None and records.being_read and not decoded:
        return Silent("the record was still being read", refers_to=("large_single_record",))
    external = known(evidence.external)
    if external is not None and external.when == "loading":
        return Silent("external data was still being loaded")
    return None


def _refused_again(evidence: Evidence) -> float | None:
    """All of it or nothing: whether R_n alone died too; None where it was not run."""
    verification = known(evidence.verification)
    return None if verification is None or not verification.met else float(verification.died)


def _is_the_first(evidence: Evidence) -> bool:
    """R_1 alone is all there was, so running it alone would prove nothing."""
    position = known(evidence.position)
    return position is not None and position.record == 1


def _jump(
    evidence: Evidence, accumulating: list[Fires], capacity: int
) -> _Jump | Silent | CannotTell:
    """The growth at R_n, measured, else what can only live for one record."""
    holders = known(evidence.holders)
    own = [h for h in holders or () if h.owner in ("user", "output")]
    new = sorted((h for h in own if h.lifecycle == "record"), key=lambda one: (-one.bytes, one.key))
    asked = asked_for_record(evidence)
    record_level = sum(one.bytes for one in new) + asked
    largest = new[0] if new else max(
        (h for h in own if h.loaded_before_first_record is not True),
        key=lambda one: one.bytes,
        default=None,
    )  # fmt: skip
    growth = known(evidence.record_growth)
    if growth is not None:
        grown = growth.last_bytes + asked
        composition = known(evidence.composition)
        if growth.source == "passive" and composition is not None:
            # The whole live heap was measured: the record itself is not the user's result.
            grown -= composition.record_bytes
        return _Jump(grown, growth.source, record_level, largest, asked)
    if record_level >= SHARP.value * capacity:
        return _Jump(record_level, "dump", record_level, largest, asked)
    if isinstance(evidence.holders, Unknown):
        return cannot_tell(evidence.holders)
    explained = max(
        [one.bytes or 0 for one in accumulating]
        + [_held_by_growth(evidence, one) for one in LIFECYCLE_OF.values()]
    )
    if sum(one.bytes for one in own) - explained < SHARP.value * capacity:
        return Silent("user objects that a single record could have made hold little")
    missing = evidence.record_growth
    assert isinstance(missing, Unknown)  # noqa: S101 - known() said so above
    return CannotTell(missing.missing, missing.run_that_would_tell)


def _held_by_growth(evidence: Evidence, lifecycle: Lifecycle) -> int:
    """What objects hold that grew with the data, huge or not: no single record made them."""
    found = find_growth(evidence, lifecycle)
    return found.held_bytes if isinstance(found, Growing) else 0


def _slopes(growth: RecordGrowth) -> Distribution:
    return Distribution.of(size / max(records, 1) for records, size in growth.before)


def _beside_accumulation(
    evidence: Evidence, jump: _Jump, accumulating: list[Fires]
) -> Silent | CannotTell:
    growth = known(evidence.record_growth)
    if growth is not None:
        held = max((one.bytes or 0 for one in accumulating), default=0)
        before = max(held - jump.bytes, 0)
        if growth.doubling and jump.bytes <= DOUBLING.value * max(before, 1):
            return Silent("what accumulated was being copied into a larger container")
        slope = growth.last_bytes / max(growth.last_records, 1)
        before_it = _slopes(growth)
        ordinary = before_it.count > 0 and slope <= ORDINARY.value * before_it.largest
        if ordinary or compare_with_fence(slope, before_it).stands == "below":
            return Silent("the last record added no more than those before it")
    return CannotTell("the growth that the last record shows alone", "verify")


def _unverified(evidence: Evidence, jump: _Jump) -> Verdict:
    own = jump.record_level_bytes >= OWN.value * jump.bytes
    growth = known(evidence.record_growth)
    if growth is None:
        return _fires(evidence, jump, "likely", "dump")
    slope = jump.bytes / max(growth.last_records, 1)
    stands = compare_with_fence(slope, _slopes(growth)).stands
    if stands == "above":
        return _fires(evidence, jump, "likely", jump.source)
    if own:
        return _fires(evidence, jump, "likely", "dump")
    if stands == "below" and growth.source == "dump":
        return Silent("the last record added no more than those before it")
    return CannotTell("the growth that the last record shows alone", "verify")


def _fires(evidence: Evidence, jump: _Jump, confidence: Confidence, level: EvidenceLevel) -> Fires:
    position, records = known(evidence.position), known(evidence.records)
    ordinal = position.record if position else None
    if position is not None and position.record_in_group is not None:
        ordinal = position.record_in_group
    size = known(records.bytes) if records is not None else None
    record = "one record" if ordinal is None else f"record {format_count(ordinal)}"
    sized = "" if size is None else f" of {format_bytes(size)}"
    where = where_of(jump.holder) if jump.holder else None
    if jump.is_refused:
        where = asker_of(evidence)
        what = f"the work on {record}{sized} asks for {refused_object(evidence)}"
        tail = "; it does so when run alone" if level == "verified" else ""
    else:
        held = (
            f"{jump.holder.path} and what stands beside it" if jump.holder else "temporary objects"
        )
        what = f"the work on {record}{sized} adds {format_bytes(jump.bytes)}, "
        what += f"out of line with the records before it: {held}"
        tail = "; it grows the same when run alone" if level == "verified" else ""
    return Fires(
        confidence=confidence,
        evidence=level,
        sentence=what + tail,
        bytes=None if jump.is_refused else jump.bytes,
        where=where,
        data=ErrorData(
            "record",
            first=ordinal,
            last=ordinal,
            group=position.group if position else None,
            records=1,
            bytes=size,
        ),
        numbers={"bytes_at_the_record": jump.bytes},
    )


def _explodes(jump_bytes: int, flat_points: int = 7, **changes: object) -> Evidence:
    growth = RecordGrowth(
        before=tuple((10, 2000) for _ in range(flat_points)),
        last_records=1,
        last_bytes=jump_bytes,
        source="dump",
    )
    one = holder("local lemmas", jump_bytes, lifecycle="record", class_name="java.util.ArrayList")
    return replace(map_attempt(record_growth=growth, holders=(one,)), **changes)  # type: ignore[arg-type]


def _field_of_one_record(samples: int) -> Evidence:
    # a mapper's field that one record fills: only R_n alone can say so with so few before
    evidence = _explodes(150 * MIB, samples)
    return replace(evidence, holders=(holder("this.columns", 150 * MIB),))


def _refused(live_mib: int) -> Evidence:
    # map() asks for one array, in a heap of which so much is live; nothing grew before
    growth = RecordGrowth(tuple((10, 2000) for _ in range(7)), 1, 0, "dump")
    stack = (StackFrame("com.x.Words", "map", "Words.java", 18, user=True),)
    evidence = map_attempt(record_growth=growth, stack=stack)
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
    thresholds=(SHARP, FENCE_SAMPLES, VERIFIED, DOUBLING, OWN, ORDINARY, IN_ONE_PIECE, NEXT_ARRAY),
    ask=_ask,
    after=tuple(LIFECYCLE_OF),
    examples=(
        Example("FIRES", "flat, then 150 MB at R_n", lambda: _explodes(150 * MIB)),
        Example("FIRES", "R_n alone grows the same", lambda: _verified(149 * MIB)),
        Example("FIRES", "an array in map() finds no place in 170 free MB", lambda: _refused(70)),
        Example("SILENT", "a small array found no place in a full heap", lambda: _refused(235)),
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
