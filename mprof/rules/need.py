"""What the attempt would have needed: at another amount of data, or without one of its parts."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Evidence, Unknown, known
from mprof.evidence.fences import compare_with_fence
from mprof.evidence.growing import Growing
from mprof.evidence.growth import noise_floor_bytes
from mprof.rules.rule import Where, where_of, where_of_key
from mprof.rules.thresholds import NEARLY_FINISHED, VERIFIED
from mprof.units import format_bytes

__all__ = [
    "Accumulated",
    "accumulated",
    "asked_for_record",
    "asker_of",
    "capacity_of",
    "end_of_data",
    "fits",
    "live_of",
    "name_of",
    "need_at",
    "need_at_death",
    "of_ordinary_size",
    "place_of",
    "refused",
    "refused_object",
    "room_of_user_code",
    "unknown_rest",
    "verified_share",
    "where_of_growing",
]

_LEAST_ROOM = 0.4
_NEXT_ARRAY = 4.0
"""Room that was free, as times what a container holds, when its next array was refused: that array
is at most twice as large, and half of the room may lie in pieces (G1 refused 26 MB in 39)."""
_IN_ONE_PIECE = 0.5
"""Share of the room that one object finds at least. Serial and Parallel move everything together;
G1 places a large object in adjacent regions, and moves no large one to make room."""
_JUMP = 1.5
"""A growing object larger at death than 1.5 times its last measured size has jumped."""


def capacity_of(evidence: Evidence) -> int | None:
    """Bytes that live objects may take before this collector gives up."""
    return known(evidence.memory.capacity_bytes)


def room_of_user_code(evidence: Evidence) -> float | None:
    """What the framework's buffers leave of the heap, at least two fifths of it."""
    capacity, composition = capacity_of(evidence), known(evidence.composition)
    if capacity is None:
        return None
    taken = composition.framework_bytes if composition is not None else 0
    return max(capacity - taken, _LEAST_ROOM * capacity)


def live_of(evidence: Evidence) -> int | None:
    """Live bytes at death; where no dump says, the heap was full, so its capacity."""
    live = known(evidence.memory.live_bytes_at_death)
    return live if live is not None else capacity_of(evidence)


def place_of(evidence: Evidence) -> str:
    """Where the attempt stood, `unknown` where nothing says."""
    return "unknown" if isinstance(evidence.place, Unknown) else evidence.place


def fits(need_bytes: float, evidence: Evidence) -> bool | None:
    """Whether that much would fit; None where the capacity is not known."""
    capacity = capacity_of(evidence)
    return None if capacity is None else need_bytes <= capacity


def need_at(evidence: Evidence, growing: Growing, x: float) -> float | None:
    """Bytes needed when the growing objects had met x, everything else as at death.

    Where less than the capacity was live at death, the allocation that failed was a large one: a
    container being enlarged. It is counted with what grows, in proportion, so that the need at
    death is the capacity.
    """
    live, capacity = live_of(evidence), capacity_of(evidence)
    if live is None or capacity is None:
        return None
    rest = max(0, live - growing.held_bytes)
    scale = need_at_death(evidence, growing) / growing.held_bytes if growing.held_bytes else 1.0
    return rest + scale * max(0.0, growing.at(x))


def need_at_death(evidence: Evidence, growing: Growing) -> float:
    """What the growing objects held, and were refused on top of it where the heap was not full."""
    live, capacity = live_of(evidence) or 0, capacity_of(evidence) or 0
    rest = max(0, live - growing.held_bytes)
    return float(max(growing.held_bytes, capacity - rest))


def end_of_data(evidence: Evidence, growing: Growing) -> float | None:
    """X at the end of the split, of the partition or of G_m; None where that is not known."""
    if growing.unit == "record_in_group":
        groups = known(evidence.groups)
        verification = known(evidence.verification)
        total = verification.group_total if verification else None
        if total is not None and total.whole:
            return float(max(total.records, growing.x_now))
        current = groups.current if groups is not None else None
        whole = current is not None and current.whole
        return float(max(current.records, growing.x_now)) if whole and current else None
    progress = known(evidence.progress)
    if place_of(evidence) == "cleanup":
        return growing.x_now
    if progress is None or progress.done <= 0 or place_of(evidence) == "combine":
        # In combine() the progress is that of the pass, not of the split or the partition.
        return None
    end = growing.x_now / min(progress.done, 1.0)
    if not growing.by_group:
        return end
    # Progress counts records: where the large groups came first, most groups are still to come.
    partitions = known(evidence.partitions)
    keys = known(partitions.keys_in_one_map) if partitions is not None else None
    return end if partitions is None or keys is None else max(end, float(keys[partitions.own]))


def unknown_rest(evidence: Evidence) -> Unknown | None:
    """What is missing to say how much of the split or partition was to come, if anything is.

    Of combine() it is never asked: the progress is that of a pass.
    """
    if place_of(evidence) in ("combine", "cleanup") or not isinstance(evidence.progress, Unknown):
        return None
    return evidence.progress


def verified_share(evidence: Evidence, jump_bytes: float | None = None) -> float | None:
    """Growth with R_n alone as a share of the growth at R_n; None where it was not measured.

    Args:
        evidence: of the attempt.
        jump_bytes: the growth at R_n, where it is not the measured one.
    """
    verification = known(evidence.verification)
    if verification is None or not verification.met:
        return None
    alone = known(verification.growth_bytes)
    if alone is None:
        return 1.0 if verification.died else None
    if jump_bytes is None:
        growth = known(evidence.record_growth)
        jump_bytes = growth.last_bytes if growth is not None else None
    if jump_bytes is None or jump_bytes <= 0:
        return None
    return max(0.0, alone / jump_bytes)


@dataclass(frozen=True, slots=True)
class Accumulated:
    """Bytes that growing objects need: at least, and at most.

    They differ where the size jumped at R_n and nothing says whether that was the container or
    the record.
    """

    at_least: float
    at_most: float


def accumulated(evidence: Evidence, growing: Growing) -> Accumulated:
    """What the growing objects hold, or would hold at the end of their data, if that is far."""
    end = end_of_data(evidence, growing)
    low = max(growing.measured_bytes, growing.at(growing.x_now))
    if end is not None and growing.x_now < NEARLY_FINISHED.value * end:
        # Of a task that was nearly finished, what it held is what it needed.
        low = max(low, growing.at(end))
    high = max(low, float(growing.held_bytes))
    share = verified_share(evidence)
    growth = known(evidence.record_growth)
    if growth is not None:
        # What was there before R_n, within its group too, is no jump of R_n.
        low = max(low, min(high, high - growth.last_bytes))
    if _was_enlarged(evidence, growing):
        # It died of the larger array that was asked for: that is part of what it needed.
        high = max(high, need_at_death(evidence, growing))
    doubling = any(one.doubling for one in growing.holders) or (
        growth is not None and growth.doubling
    )
    if share is not None:
        # R_n alone: either it shows the jump again, then it is the record's, or the container's.
        return Accumulated(low, low) if share >= VERIFIED.value else Accumulated(high, high)
    if doubling or high <= _JUMP * low:
        return Accumulated(high, high)
    return Accumulated(low, high)


def _was_enlarged(evidence: Evidence, growing: Growing) -> bool:
    """Whether the allocation that failed was a container's next array, and no larger than that.

    A record appended whole may ask for far more, and what it asks for is not accumulated.
    """
    held = growing.held_bytes
    return any(one.doubling for one in growing.holders) and _room(evidence) <= _NEXT_ARRAY * held


def _room(evidence: Evidence) -> int:
    """Bytes for one object more that the heap at death had, some of it perhaps in pieces."""
    live, capacity = live_of(evidence), capacity_of(evidence)
    if live is None or capacity is None:
        return 0
    return max(0, min(known(evidence.memory.largest_block_bytes) or capacity, capacity) - live)


def asked_for_record(evidence: Evidence) -> int:
    """Bytes that the work on R_n asked for at once and was refused, at least; 0 for a small object.

    A heap with room refuses only what does not fit into it. The object is in no dump: that it was
    the work on R_n that asked says the stack, where no container that lives longer was enlarged.
    """
    if evidence.death.kind != "heap" or isinstance(evidence.composition, Unknown):
        return 0
    if place_of(evidence) not in ("map", "combine", "reduce"):
        return 0
    room = _room(evidence)
    lasting = (
        one
        for one in known(evidence.holders) or ()
        if one.doubling and one.lifecycle in ("map", "reduce", "group")
    )
    if any(room <= _NEXT_ARRAY * one.bytes for one in lasting):
        return 0
    if not any(frame.user for frame in known(evidence.stack) or ()):
        return 0
    moves = evidence.attempt.collector in ("Serial", "Parallel")
    return room if moves else round(_IN_ONE_PIECE * room)


def refused_object(evidence: Evidence) -> str:
    """What the work on R_n asked for, as a phrase."""
    return f"one object that found no place in the {format_bytes(_room(evidence))} that were free"


def asker_of(evidence: Evidence) -> Where | None:
    """The topmost user frame of the dying thread: it asked for the object that was refused.

    Nothing holds that object, so the path is empty.
    """
    frame = next((one for one in known(evidence.stack) or () if one.user), None)
    if frame is None:
        return None
    return Where(frame.class_name, frame.method, frame.file, frame.line, "")


def of_ordinary_size(evidence: Evidence) -> bool:
    """Whether R_n is known to be no larger than the records before it."""
    records = known(evidence.records)
    size = known(records.bytes) if records is not None else None
    before = known(records.before) if records is not None else None
    if size is None or before is None or before.count == 0:
        return False
    floor = noise_floor_bytes(capacity_of(evidence))
    stands = compare_with_fence(size, before, noise_floor=floor).stands
    return stands == "below" or size <= before.largest


def refused(evidence: Evidence, growing: Growing) -> str:
    """A phrase for a container that was being enlarged in a heap with room, else nothing."""
    free = need_at_death(evidence, growing) - growing.held_bytes
    if not _was_enlarged(evidence, growing) or free < 0.5 * growing.held_bytes:
        return ""
    return (
        f"; it was being enlarged when it died: {format_bytes(free)} were free, and not enough "
        "for the larger copy"
    )


def where_of_growing(growing: Growing) -> Where | None:
    """The code that holds the largest of them; without a dump at death, as their keys say."""
    if growing.holders:
        return where_of(growing.holders[0])
    return where_of_key(growing.keys[0]) if growing.keys else None


def name_of(growing: Growing, otherwise: str) -> str:
    """Holder path of the largest of them, or other words."""
    where = where_of_growing(growing)
    return where.path if where is not None else otherwise
