"""What rules 1, 2 and 3 have in common: does it grow over its data, and is it huge?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from mprof.evidence import Evidence, Unknown, known
from mprof.evidence.facts import Lifecycle
from mprof.evidence.growing import Growing, NotGrowing, find_growth
from mprof.rules.need import (
    capacity_of,
    end_of_data,
    need_at_death,
    place_of,
    room_of_user_code,
    verified_share,
)
from mprof.rules.refused import was_enlarged
from mprof.rules.rule import CannotTell, Silent, Where, cannot_tell, where_of, where_of_key
from mprof.rules.thresholds import HUGE, JUMP, NEARLY_FINISHED, VERIFIED, WORTH_A_RUN
from mprof.units import format_bytes

__all__ = [
    "LIFECYCLE_OF",
    "Accumulated",
    "accumulated",
    "huge_growth",
    "name_of",
    "where_of_growing",
]

LIFECYCLE_OF: Final[dict[str, Lifecycle]] = {
    "large_accumulated_results.map": "map",
    "large_accumulated_results.reduce": "reduce",
    "large_accumulated_results.group": "group",
}
"""The causes of rules 1, 2 and 3, and how long what they name lives."""

_OVER: dict[Lifecycle, str] = {"map": "the records", "reduce": "the groups", "group": "the records"}


def huge_growth(
    evidence: Evidence, lifecycle: Lifecycle, *, beside_buffers: bool
) -> Growing | Silent | CannotTell:
    """The objects of a lifecycle, if they grow over their data and are huge, or will be.

    Args:
        evidence: of the attempt.
        lifecycle: `map`, `reduce` or `group`.
        beside_buffers: huge is a share of what the framework leaves of the heap, not of all of it.
    """
    found = find_growth(evidence, lifecycle)
    if isinstance(found, Unknown):
        return cannot_tell(found)
    if isinstance(found, NotGrowing):
        return Silent(f"{lifecycle}-level objects do not grow over {_OVER[lifecycle]}: {found.why}")
    room = room_of_user_code(evidence) if beside_buffers else capacity_of(evidence)
    if room is None:
        return CannotTell("the size of the heap", "run")
    bytes_ = accumulated(evidence, found)
    if bytes_.at_most < HUGE.value * room:
        missing = _unknown_rest(evidence, found, bytes_.at_most, room)
        if missing is not None:
            return cannot_tell(missing)
        of = "what the framework leaves of the heap" if beside_buffers else "the heap"
        return Silent(
            f"{lifecycle}-level objects grow, but to {format_bytes(bytes_.at_most)} only, "
            f"{bytes_.at_most / room:.0%} of {of}"
        )
    if bytes_.at_least < HUGE.value * room:
        return CannotTell("the growth that the last record shows alone", "verify")
    return found


def _unknown_rest(evidence: Evidence, found: Growing, bytes_: float, room: float) -> Unknown | None:
    """What is missing to say how much of the split, partition or group was to come, if anything is.

    In combine() the progress is that of a pass, and a group counts as far as it was counted; so it
    does where a verification could not count it.
    """
    if place_of(evidence) in ("combine", "cleanup"):
        return None
    if found.lifecycle == "group":
        # What a third of its group left below a tenth of the heap would have to grow threefold.
        small = bytes_ < WORTH_A_RUN.value * room or _at_most(evidence, found) < HUGE.value * room
        counted = end_of_data(evidence, found) is not None
        if small or counted or not isinstance(evidence.verification, Unknown):
            return None
        return Unknown("the records of the whole group", "verify")
    return evidence.progress if isinstance(evidence.progress, Unknown) else None


def _at_most(evidence: Evidence, found: Growing) -> float:
    """What grows over G_m, if all that is left of the partition belonged to it."""
    progress, position = known(evidence.progress), known(evidence.position)
    if progress is None or position is None or position.record is None or progress.done <= 0:
        return math.inf
    return found.at(found.x_now + position.record * max(0.0, 1 / progress.done - 1))


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
    if was_enlarged(evidence, growing):
        # It died of the larger array that was asked for: that is part of what it needed.
        high = max(high, need_at_death(evidence, growing))
    doubling = any(one.doubling for one in growing.holders) or (
        growth is not None and growth.doubling
    )
    if share is not None:
        # R_n alone: either it shows the jump again, then it is the record's, or the container's.
        return Accumulated(low, low) if share >= VERIFIED.value else Accumulated(high, high)
    if doubling or high <= JUMP.value * low:
        return Accumulated(high, high)
    return Accumulated(low, high)


def where_of_growing(growing: Growing) -> Where | None:
    """The code that holds the largest of them; without a dump at death, as their keys say."""
    if growing.holders:
        return where_of(growing.holders[0])
    return where_of_key(growing.keys[0]) if growing.keys else None


def name_of(growing: Growing, otherwise: str) -> str:
    """Holder path of the largest of them, or other words."""
    where = where_of_growing(growing)
    return where.path if where is not None else otherwise
