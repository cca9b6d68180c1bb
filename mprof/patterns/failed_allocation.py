"""The object that could not be allocated: nothing holds it, and the stack says who asked for it.

It is in no dump. A heap that is not full fails only what does not fit into the room it has: the
next array of a container that grows, or one large object that the work on R_n asked for.
"""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Evidence, Unknown, known
from mprof.patterns.growth.growth import Growing
from mprof.patterns.growth.subject import SMALL_SHARE
from mprof.patterns.memory_model import MemoryModel
from mprof.patterns.where import Where, allocation_site
from mprof.threshold import Threshold
from mprof.units import format_bytes

__all__ = [
    "IN_ONE_PIECE",
    "NEXT_ARRAY",
    "FailedAllocation",
    "enlargement_phrase",
    "failed_allocation_of",
]

NEXT_ARRAY = Threshold(
    "next array",
    4.0,
    "times what a container holds, of room that was free",
    "the array that did not fit is at most twice as large, and half of the room may lie in "
    "pieces (G1 failed 26 MB where 39 MB were free)",
)

IN_ONE_PIECE = Threshold(
    "in one piece",
    0.50,
    "share of the free room that one object finds at least",
    "Serial and Parallel move everything together and leave all of it; G1 allocates a "
    "humongous object in contiguous regions and does not move humongous objects to make room",
)

WORTH_A_PHRASE = Threshold(
    "worth a phrase",
    0.50,
    "of what the container holds",
    "an array of doubled size asks for as much again; half of it free is what people wonder about",
)

_SPACES = ("the end of the old generation", "that of Eden", "one survivor space")


@dataclass(frozen=True, slots=True)
class FailedAllocation:
    """What is known of the allocation that failed.

    Attributes:
        free_bytes: bytes for one object more that the heap had, some of it perhaps in pieces.
        lost_bytes: beside them, what is empty and can be had by no object.
        record_bytes: what the work on R_n asked for at once, at least; 0 for a small object, and
            where a container that lives longer was being enlarged.
        site: the topmost user frame of the dying thread.
        missing: what would say how much the work on R_n asked for; None where that is known.
    """

    free_bytes: int
    record_bytes: int
    site: Where | None
    missing: Unknown | None = None
    lost_bytes: int = 0

    @property
    def phrase(self) -> str:
        """What the work on R_n asked for."""
        free = f"one object that did not fit into the {format_bytes(self.free_bytes)} free"
        if not self.lost_bytes:
            return free
        return (
            f"{free} ({format_bytes(self.lost_bytes)} more are empty at the ends of regions that "
            "G1 gives to one large object each)"
        )

    def enlarged(self, growing: Growing) -> bool:
        """Whether it was the next array of a growing container, and no larger than that.

        A record appended whole may ask for far more, and what it asks for is not accumulated.
        """
        return growing.doubling and self.free_bytes <= NEXT_ARRAY.value * growing.held_bytes


def failed_allocation_of(evidence: Evidence, memory: MemoryModel | None) -> FailedAllocation:
    """What the heap had no room for."""
    free, lost, small = 0, 0, 0.0
    if memory is not None:
        room = _room(evidence, memory)
        lost = min(evidence.memory.lost_bytes, room)
        free = room - lost
        small = SMALL_SHARE.value * memory.capacity_bytes
    missing = _missing(evidence)
    asked = _for_record(evidence, free) if missing is None else 0
    if asked and free >= small and evidence.attempt.collector is None:
        missing = Unknown("which collector the JVM ran", "run")
    return FailedAllocation(
        free_bytes=free,
        record_bytes=asked,
        site=allocation_site(known(evidence.stack)),
        missing=missing,
        lost_bytes=lost,
    )


def _room(evidence: Evidence, memory: MemoryModel) -> int:
    """Free bytes that one object could have had, but for the regions of G1.

    Serial and Parallel move what lives to the front of the old generation, and what it has no room
    for to the front of the young one. So what is free is the rest of the old generation, of Eden
    and of one survivor space, and the largest of the three has a third of it at least.
    """
    free = max(0, memory.capacity_bytes - memory.live_bytes)
    old = known(evidence.memory.largest_block_bytes)
    if old is None or old >= memory.capacity_bytes:
        return free
    return max(old - memory.live_bytes, free // len(_SPACES))


def _may_be_of_record(evidence: Evidence) -> bool:
    """Whether user code may have been at work on R_n when an allocation failed, or was to get it.

    A reader of Hadoop's that was reading R_n asks for it without any user code on the stack.
    """
    place, stack = evidence.place, evidence.stack
    at_work = isinstance(place, Unknown) or place in ("map", "combine", "reduce")
    asks = isinstance(stack, Unknown) or any(frame.user for frame in stack)
    return evidence.death.kind == "heap" and at_work and (asks or _may_be_being_read(evidence))


def _may_be_being_read(evidence: Evidence) -> bool:
    records = evidence.records
    return isinstance(records, Unknown) or (records is not None and records.being_read)


def _missing(evidence: Evidence) -> Unknown | None:
    """The first fact that is missing to say what the work on R_n asked for."""
    if not _may_be_of_record(evidence):
        return None
    memory = evidence.memory
    facts = (
        evidence.place, evidence.composition, evidence.stack, evidence.holders,
        memory.live_bytes_at_death, memory.usable_bytes,
    )  # fmt: skip
    return next((one for one in facts if isinstance(one, Unknown)), None)


def _for_record(evidence: Evidence, free: int) -> int:
    """Bytes that the work on R_n asked for at once, by the stack and the room that was left."""
    if not _may_be_of_record(evidence):
        return 0
    enlarged = any(
        one.doubling and one.lifecycle != "record" and free <= NEXT_ARRAY.value * one.bytes
        for one in evidence.held
    )
    if enlarged:
        return 0
    moves = evidence.attempt.collector in ("Serial", "Parallel")
    return free if moves else round(IN_ONE_PIECE.value * free)


def enlargement_phrase(
    allocation: FailedAllocation, memory: MemoryModel | None, growing: Growing
) -> str:
    """A phrase for a container that was being enlarged in a heap with room, else nothing."""
    if memory is None or not allocation.enlarged(growing):
        return ""
    free = memory.need_at_death(growing) - growing.held_bytes
    if free < WORTH_A_PHRASE.value * growing.held_bytes:
        return ""
    return (
        f"; it was being enlarged when the task died: the {format_bytes(free)} that were free did "
        "not suffice for the larger copy"
    )
