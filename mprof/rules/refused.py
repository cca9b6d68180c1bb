"""An object that the heap had no place for: nothing holds it, and the stack says who asked.

It is in no dump. A heap that is not full refuses only what does not fit into the room it has: the
next array of a container that grows, or one large object that the work on R_n asked for.
"""

from __future__ import annotations

from mprof.evidence import Evidence, Unknown, known
from mprof.evidence.fences import compare_with_fence
from mprof.evidence.growing import Growing
from mprof.evidence.growth import noise_floor_bytes
from mprof.rules.need import capacity_of, live_of, need_at_death, place_of
from mprof.rules.rule import Where
from mprof.rules.thresholds import IN_ONE_PIECE, NEXT_ARRAY
from mprof.units import format_bytes

__all__ = [
    "asked_for_record",
    "asker_of",
    "of_ordinary_size",
    "refused",
    "refused_object",
    "was_enlarged",
]


def was_enlarged(evidence: Evidence, growing: Growing) -> bool:
    """Whether the allocation that failed was a container's next array, and no larger than that.

    A record appended whole may ask for far more, and what it asks for is not accumulated.
    """
    held = growing.held_bytes
    return (
        any(one.doubling for one in growing.holders) and _room(evidence) <= NEXT_ARRAY.value * held
    )


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
    if any(room <= NEXT_ARRAY.value * one.bytes for one in lasting):
        return 0
    if not any(frame.user for frame in known(evidence.stack) or ()):
        return 0
    moves = evidence.attempt.collector in ("Serial", "Parallel")
    return room if moves else round(IN_ONE_PIECE.value * room)


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
    if not was_enlarged(evidence, growing) or free < 0.5 * growing.held_bytes:
        return ""
    return (
        f"; it was being enlarged when it died: {format_bytes(free)} were free, and not enough "
        "for the larger copy"
    )
