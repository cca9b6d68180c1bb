"""What the attempt had at its death, and would have needed at another amount of data."""

from __future__ import annotations

from mprof.evidence import Evidence, Unknown, known
from mprof.evidence.growing import Growing
from mprof.rules.thresholds import LEAST_ROOM

__all__ = [
    "capacity_of",
    "end_of_data",
    "fits",
    "live_of",
    "need_at",
    "need_at_death",
    "place_of",
    "room_of_user_code",
    "verified_share",
]


def capacity_of(evidence: Evidence) -> int | None:
    """Bytes that live objects may take before this collector gives up."""
    return known(evidence.memory.capacity_bytes)


def room_of_user_code(evidence: Evidence) -> float | None:
    """What the framework's buffers leave of the heap, at least two fifths of it."""
    capacity, composition = capacity_of(evidence), known(evidence.composition)
    if capacity is None:
        return None
    taken = composition.framework_bytes if composition is not None else 0
    return max(capacity - taken, LEAST_ROOM.value * capacity)


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
    death is the capacity. So is what cleanup() has made of it.
    """
    live, capacity = live_of(evidence), capacity_of(evidence)
    if live is None or capacity is None:
        return None
    made = _made_in_cleanup(evidence)
    rest = max(0, live - growing.held_bytes - made)
    grown = need_at_death(evidence, growing) + made
    scale = grown / growing.held_bytes if growing.held_bytes else 1.0
    return rest + scale * max(0.0, growing.at(x))


def _made_in_cleanup(evidence: Evidence) -> int:
    """Bytes that locals of cleanup() hold."""
    if place_of(evidence) != "cleanup":
        return 0
    holders = known(evidence.holders) or ()
    return sum(one.bytes for one in holders if one.owner == "user" and one.lifecycle is None)


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
