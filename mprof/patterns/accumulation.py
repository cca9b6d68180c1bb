"""Objects that grow over their data and are huge, or will be at its end: rules 1, 2 and 3.

Growth that stays small is no accumulation. And objects that are made of a whole group at once,
after the loop over its values, are accumulated without a curve: no point over the records shows
them. The run with R_n alone shows next to nothing of them; or, where it is the record that is
being written, its bytes are too many to be of R_n, and as many as those of the group.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from mprof.evidence import Evidence, Holder, Lifecycle, Unknown, known
from mprof.patterns.account import Account
from mprof.patterns.end_of_group import is_last_of_group
from mprof.patterns.failed_allocation import NEXT_ARRAY, FailedAllocation
from mprof.patterns.finding import Absent, Confidence, EvidenceLevel
from mprof.patterns.growth import GROWTH_THRESHOLDS, LEAST_CHARACTERS, MOST_CHARACTERS, Growing
from mprof.patterns.jump import OWN, SHARP, record_level_bytes
from mprof.patterns.memory_model import LEAST_ROOM, MemoryModel
from mprof.patterns.sizes import HUGE, ONE_OF_SEVERAL, WORTH_A_RUN
from mprof.patterns.verified import OF_THE_RECORD, alone_of
from mprof.patterns.where import Where, where_of
from mprof.threshold import Threshold
from mprof.units import format_bytes, format_ratio

__all__ = [
    "ACCUMULATION_THRESHOLDS",
    "GREW_AT_ONCE",
    "GROUP_ACCUMULATION_THRESHOLDS",
    "NEARLY_FINISHED",
    "AccumulatedNeed",
    "Accumulation",
    "accumulated_need",
    "accumulation_of",
    "group_accumulation_of",
]

NEARLY_FINISHED = Threshold(
    "nearly finished",
    0.80,
    "share of the input",
    'the paper\'s number (Table 7: "e.g., 80%")',
)

DOUBLING = Threshold(
    "doubled array",
    2.0,
    "times what is written so far",
    "ByteArrayOutputStream doubles its array, and copies the old one into it",
)

GREW_AT_ONCE = Threshold(
    "jump",
    1.5,
    "times the last measured size",
    "the last of seven even intervals adds a sixth to what grows in proportion to the data; half "
    "as much again is a container's enlargement, or one record's",
)

MOST_OF_ONE_RECORD = Threshold(
    "one record of the group, at most",
    0.25,
    "share of the bytes of the group",
    "what has 0.4 characters for each byte of the group was then made of more than one record",
)

MADE_OF_MANY = Threshold(
    "made of many",
    100.0,
    "bytes of the record in writing for each byte of R_n",
    "decompressing or expanding a record makes a few bytes of each of its bytes, seldom tens",
)

ACCUMULATION_THRESHOLDS = (
    HUGE, ONE_OF_SEVERAL, SHARP, NEARLY_FINISHED, GREW_AT_ONCE, NEXT_ARRAY, LEAST_ROOM, WORTH_A_RUN,
    *GROWTH_THRESHOLDS,
)  # fmt: skip
"""All that decide whether objects of a lifecycle accumulate."""

GROUP_ACCUMULATION_THRESHOLDS = (
    *ACCUMULATION_THRESHOLDS, MOST_OF_ONE_RECORD, MADE_OF_MANY, DOUBLING, OWN,
)  # fmt: skip
"""The same of a group, whose records may have been made into one."""

_OVER: Final[dict[Lifecycle, str]] = {
    "map": "the records",
    "reduce": "the groups",
    "group": "the records",
}
_BESIDE_LARGER = "what it would have become: something larger filled the heap first"

_ALONE = "a run of the last record alone, in the room that it had"


@dataclass(frozen=True, slots=True)
class Accumulation:
    """Objects of one lifecycle that accumulate.

    Attributes:
        lifecycle: theirs.
        held_bytes: what they hold at death, else at the last point.
        confidence: of the growth.
        source: what showed it.
        where: the code that holds the largest of them.
        growing: how they grow; None where they were made of the whole group at once.
        group_bytes: bytes of G_m, where the record that is being written was made of all of it.
        refused_bytes: size of the array that was to take its place, 0 where none was asked for.
    """

    lifecycle: Lifecycle
    held_bytes: int
    confidence: Confidence
    source: EvidenceLevel
    where: Where | None
    growing: Growing | None = None
    group_bytes: int | None = None
    refused_bytes: int = 0

    @property
    def grown(self) -> Growing:
        """How they grow, of a map or reduce: nothing is made of all of its data at once."""
        assert self.growing is not None  # noqa: S101 - only of a group it is
        return self.growing

    @property
    def at_most_likely(self) -> Accumulation:
        """The same, not *sure*: as what is predicted, or is a small share of the heap."""
        return replace(self, confidence="likely") if self.confidence == "sure" else self

    @property
    def path(self) -> str | None:
        """Holder path of the first, None where nothing names one."""
        return self.where.path if self.where is not None else None

    @property
    def paths(self) -> tuple[str, ...]:
        """Holder paths of all of them; empty where nothing names one."""
        return self.where.paths if self.where is not None else ()


def accumulation_of(
    evidence: Evidence,
    growth: Growing | Absent | Unknown,
    memory: MemoryModel | Unknown,
    allocation: FailedAllocation,
    account: Account | Unknown,
    lifecycle: Lifecycle,
) -> Accumulation | Absent | Unknown:
    """The objects of a lifecycle, if they grow over their data and are huge, or will be.

    Of what runs in combine(), and of a group, huge is a share of what the framework leaves: a full
    sort buffer or segments stand beside it. Where nothing in the heap is huge, several consumers
    fill it together, and it is what grows that will not fit.

    Args:
        evidence: of the attempt.
        growth: of the objects of the lifecycle.
        memory: of the attempt.
        allocation: the one that failed.
        account: of the heap at death.
        lifecycle: `map`, `reduce` or `group`.
    """
    nothing_yet = _no_data_yet(evidence, lifecycle)
    if nothing_yet is not None:
        return nothing_yet
    if isinstance(growth, Unknown):
        return growth
    if isinstance(growth, Absent):
        over = _OVER[lifecycle]
        return Absent(f"{lifecycle}-level objects do not grow over {over}: {growth.why}")
    if isinstance(memory, Unknown):
        return memory
    beside_buffers = lifecycle == "group" or evidence.place == "combine"
    room = memory.room_of_user_code if beside_buffers else float(memory.capacity_bytes)
    need = accumulated_need(evidence, growth, memory, allocation)
    found = Accumulation(
        lifecycle=lifecycle,
        held_bytes=growth.held_bytes,
        confidence=growth.confidence,
        source=growth.source,
        where=growth.where,
        growing=growth,
    )
    of_record = record_level_bytes(evidence, allocation)
    if of_record >= SHARP.value * memory.capacity_bytes:
        # The work on R_n takes much of the heap, and it is not known to have been needed before.
        if alone_of(evidence) == "dies" and _fits_beside_others(growth, memory, of_record):
            return Absent("R_n alone fills a heap, and what accumulates fits beside other records")
        found = found.at_most_likely
    if need.predicted >= HUGE.value * room and _is_overtaken(growth, account, memory):
        return _beside_larger(growth)
    if need.at_least >= HUGE.value * room:
        return found
    if need.predicted >= HUGE.value * room:
        return found.at_most_likely
    if need.at_most >= HUGE.value * room:
        return Unknown(_ALONE, "verify")
    missing = _unknown_rest(evidence, growth, need.at_most, room)
    missing = missing or _unseen_at_death(evidence, growth, memory)
    if missing is not None:
        return missing
    several = ONE_OF_SEVERAL.value * memory.capacity_bytes
    if need.at_most >= several and evidence.death.kind != "none":
        if isinstance(account, Unknown) or account.has_huge:
            return _beside_larger(growth)
        return found.at_most_likely
    of = "what the framework leaves of the heap" if beside_buffers else "the heap"
    return Absent(
        f"{lifecycle}-level objects grow, but only to {format_bytes(need.at_most)}, "
        f"{format_ratio(need.at_most / room)} of {of}"
    )


def _beside_larger(growing: Growing) -> Unknown:
    """What only sizes of its own may tell: of collections they are not."""
    return Unknown(_BESIDE_LARGER, "rerun" if growing.source == "passive" else "none")


def _is_overtaken(growing: Growing, account: Account | Unknown, memory: MemoryModel) -> bool:
    """Whether it holds less than one of several would, and another object more than it."""
    least = ONE_OF_SEVERAL.value * memory.capacity_bytes
    if isinstance(account, Unknown) or growing.held_bytes >= least:
        return False
    largest = max((one.bytes for one in account.holders), default=0)
    return largest > growing.held_bytes


def _fits_beside_others(growing: Growing, memory: MemoryModel, of_record: int) -> bool:
    """Whether what grows would fit to the end of its data, but for the work on R_n."""
    need = memory.need_at_the_end(growing)
    return need is not None and memory.fits(need - of_record)


def group_accumulation_of(
    evidence: Evidence,
    growth: Growing | Absent | Unknown,
    memory: MemoryModel | Unknown,
    allocation: FailedAllocation,
    account: Account | Unknown,
    holders: tuple[Holder, ...],
) -> Accumulation | Absent | Unknown:
    """Group-level objects that accumulate over the records of G_m, or were made of it at once.

    Args:
        evidence: of the attempt.
        growth: of group-level objects.
        memory: of the attempt.
        allocation: the one that failed.
        account: of the heap at death.
        holders: the large group-level objects at death, largest first.
    """
    found = accumulation_of(evidence, growth, memory, allocation, account, "group")
    if isinstance(found, Accumulation) or _no_data_yet(evidence, "group") is not None:
        return found
    if isinstance(memory, Unknown):
        return memory
    written = _written_whole(evidence, memory, allocation)
    if isinstance(written, Accumulation):
        return written
    return _made_at_once(evidence, memory, allocation, holders) or written or found


def _no_data_yet(evidence: Evidence, lifecycle: Lifecycle) -> Absent | None:
    """Where the attempt has no objects of that lifecycle, or had met none of their data.

    A map attempt may have died in combine() where its place is not known, if the job has reducers;
    one that ended well stands nowhere.
    """
    place = evidence.place
    may_combine = isinstance(place, Unknown) and evidence.death.kind != "none"
    is_map = evidence.is_map and not (may_combine and evidence.reducers != 0)
    if lifecycle == "map":
        if evidence.is_reduce:
            return Absent("a reduce attempt has no map-level objects")
        if place in ("init", "setup"):
            return Absent("no record had been handed to map()")
        return None
    if is_map and place != "combine":
        return Absent(f"a map attempt outside combine() has no {lifecycle}-level objects")
    if place in ("init", "setup", "shuffle", "sort"):
        return Absent("no group had been handed to reduce()")
    return None


@dataclass(frozen=True, slots=True)
class AccumulatedNeed:
    """Bytes that growing objects need.

    Attributes:
        at_least: what they held before R_n, or the least predicted for the end of their data.
        predicted: the same by the law that was chosen.
        at_most: with what came at R_n, where nothing says whether that is the container's or the
            record's.
    """

    at_least: float
    predicted: float
    at_most: float


def accumulated_need(
    evidence: Evidence, growing: Growing, memory: MemoryModel, allocation: FailedAllocation
) -> AccumulatedNeed:
    """What the growing objects hold, or would hold at the end of their data, if that is far."""
    low = max(growing.measured_bytes, growing.at(growing.x_now))
    high = max(low, float(growing.held_bytes))
    growth = known(evidence.record_growth)
    at_record = growth.last_bytes if growth is not None else _live_growth_at_record(evidence)
    if at_record is not None:
        # What was there before R_n, within its group too, is no jump of R_n.
        low = max(low, min(high, high - at_record))
    if allocation.enlarged(growing):
        # It died of the larger array that was asked for: that is part of what it needed.
        high = max(high, memory.need_at_death(growing))
    alone = alone_of(evidence)
    if alone is not None and alone != "dies in that room":
        # Either R_n alone runs out of memory, then the jump is the record's, or the container's.
        low = high = high if alone == "passes" else low
    elif growing.doubling or high <= GREW_AT_ONCE.value * low:
        low = high
    least, predicted = low, low
    if growing.end_x is not None and growing.x_now < NEARLY_FINISHED.value * growing.end_x:
        # Of a task that was nearly finished, what it held is what it needed.
        least = max(low, growing.at_least(growing.end_x))
        predicted = max(low, growing.at(growing.end_x))
    return AccumulatedNeed(least, predicted, max(high, predicted))


def _live_growth_at_record(evidence: Evidence) -> int | None:
    """By how much the live heap changed from a collection within G_m to the death at R_n.

    Where it has shrunk, so much was freed, and as much may have come.
    """
    memory = evidence.memory
    before, live = known(memory.live_bytes_before_record), known(memory.live_bytes_at_death)
    return None if before is None or live is None else abs(live - before)


def _unknown_rest(evidence: Evidence, found: Growing, bytes_: float, room: float) -> Unknown | None:
    """What is missing to say how much of the split, partition or group was to come.

    In combine() the progress is that of a pass, and a group counts as far as it was counted; so it
    does where a verification could not count it.
    """
    if evidence.place in ("combine", "cleanup"):
        return None
    if found.lifecycle == "group":
        # What a third of its group left below a tenth of the heap would have to grow threefold.
        small = bytes_ < WORTH_A_RUN.value * room or _at_most(evidence, found) < HUGE.value * room
        tried = not isinstance(evidence.verification, Unknown)
        if small or found.end_x is not None or tried:
            return None
        return Unknown("the records of the whole group", "verify")
    return evidence.progress if isinstance(evidence.progress, Unknown) else None


def _unseen_at_death(evidence: Evidence, found: Growing, memory: MemoryModel) -> Unknown | None:
    """What only the dump at death says, or the room in one piece that a larger array needed."""
    if evidence.death.kind == "none":
        return None
    if isinstance(evidence.holders, Unknown):
        return evidence.holders
    # What the live heap was seen to grow by may be a part of what holds them.
    nameless = sum(one.bytes for one in evidence.held if one.owner == "user" and not one.lifecycle)
    if found.source == "passive" and nameless >= HUGE.value * memory.capacity_bytes:
        return Unknown("the holder path of the largest objects", "rerun")
    block = evidence.memory.largest_block_bytes
    may_be_huge = memory.need_at_death(found) >= HUGE.value * memory.capacity_bytes
    return block if found.doubling and may_be_huge and isinstance(block, Unknown) else None


def _at_most(evidence: Evidence, found: Growing) -> float:
    """What grows over G_m, if all that is left of the partition belonged to it."""
    progress, position = known(evidence.progress), known(evidence.position)
    if progress is None or position is None or progress.done <= 0:
        return math.inf
    left = position.records * max(0.0, 1 / progress.done - 1)
    return found.at(found.x_now + left)


def _written_whole(
    evidence: Evidence, memory: MemoryModel, allocation: FailedAllocation
) -> Accumulation | Unknown | None:
    """The record that is being written, where it is huge and was made of the whole group.

    It has a byte for each byte of the group, or two of five; where its array was being doubled, it
    has more than were written, up to twice as many. That it was not made of R_n alone is known
    where that would be an inflation that no code does, or from the run of R_n alone.
    """
    if evidence.death.kind == "none":
        return None
    if isinstance(evidence.holders, Unknown):
        return evidence.holders
    in_writing = (one for one in evidence.holders if one.in_writing)
    largest = max(in_writing, key=lambda one: one.bytes, default=None)
    if largest is None:
        return None
    refused = _refused_of_written(largest, allocation)
    if largest.bytes + refused < HUGE.value * memory.room_of_user_code:
        return None
    if largest.length is None:
        return Unknown("how much of the record was written", "run")
    of_group, of_record = _bytes_of_group(evidence), _bytes_of_record(evidence)
    if isinstance(of_group, Unknown):
        return of_group
    at_most = largest.length * (DOUBLING.value if largest.doubling else 1.0)
    if not (
        LEAST_CHARACTERS.value * of_group <= at_most
        and largest.length <= MOST_CHARACTERS.value * of_group
    ):
        return None
    alone = alone_of(evidence)
    if alone in OF_THE_RECORD:
        return None
    if isinstance(of_record, Unknown):
        return of_record
    if of_record > MOST_OF_ONE_RECORD.value * of_group:
        return None  # an identity reducer writes it as it came
    if alone != "passes" and largest.length < MADE_OF_MANY.value * of_record:
        return Unknown(_ALONE, "verify")
    return Accumulation(
        lifecycle="group",
        held_bytes=largest.bytes,
        confidence="likely",
        source="dump",
        where=where_of(largest),
        group_bytes=of_group,
        refused_bytes=refused,
    )


def _refused_of_written(written: Holder, allocation: FailedAllocation) -> int:
    """The array of twice its size that it was to be copied into, where that did not fit."""
    if not written.doubling or allocation.free_bytes > NEXT_ARRAY.value * written.bytes:
        return 0
    return round(DOUBLING.value * written.bytes)


def _bytes_of_group(evidence: Evidence) -> int | Unknown:
    groups = evidence.groups
    if isinstance(groups, Unknown):
        return groups
    current = groups.current if groups is not None else None
    size = current.bytes if current is not None else None
    return Unknown("the bytes of the group", "rerun") if size is None else size


def _bytes_of_record(evidence: Evidence) -> int | Unknown:
    records = evidence.records
    if isinstance(records, Unknown):
        return records
    return Unknown("the size of the last record", "run") if records is None else records.bytes


def _made_at_once(
    evidence: Evidence,
    memory: MemoryModel,
    allocation: FailedAllocation,
    holders: tuple[Holder, ...],
) -> Accumulation | Unknown | None:
    """What came with R_n and is not of R_n: a product, a copy of all records of the group.

    Where R_n is the last record of the group, it may stand in methods that were called after the
    group's records had all been read, and what they asked for belongs to it.
    """
    own = [one for one in holders if one.lifecycle == "group"]
    room = memory.room_of_user_code
    of_group = sum(one.bytes for one in own)
    if of_group >= HUGE.value * room:
        return _not_of_one_record(evidence, own)
    own += (one for one in evidence.held if one.is_of_user_code and one.lifecycle == "record")
    need = sum(one.bytes for one in own) + allocation.record_bytes
    if not own:
        return None
    if need < HUGE.value * room:
        return allocation.missing if is_last_of_group(evidence) is not False else None
    found = _not_of_one_record(evidence, sorted(own, key=lambda one: (-one.bytes, one.key)))
    if found is None:
        return None
    at_the_end = is_last_of_group(evidence)
    return at_the_end if isinstance(at_the_end, Unknown) else found if at_the_end else None


def _not_of_one_record(evidence: Evidence, own: list[Holder]) -> Accumulation | Unknown | None:
    """Whether these came with R_n, and R_n alone does not make them.

    The run with R_n only is the proof: without the records before it, it passes.
    """
    held = sum(one.bytes for one in own)
    growth = evidence.record_growth
    if isinstance(growth, Unknown):
        return growth
    if growth.last_bytes < OWN.value * held:
        return None
    alone = alone_of(evidence)
    if alone is None or alone == "dies in that room":
        return Unknown(_ALONE, "verify")
    if alone in OF_THE_RECORD:
        return None
    return Accumulation(
        lifecycle="group",
        held_bytes=held,
        confidence="sure",
        source="verified",
        where=where_of(own[0]),
    )
