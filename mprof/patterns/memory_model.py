"""What the attempt had in memory at its death, and what it would need of another amount of data."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Evidence, Unknown, known
from mprof.patterns.growth.growth import Growing
from mprof.threshold import Threshold

__all__ = ["LEAST_ROOM", "MemoryModel", "memory_model_of"]

LEAST_ROOM = Threshold(
    "least room",
    0.40,
    "share of the heap that counts as left by the framework, at least",
    "beside larger buffers a huge share of what they leave would be less than 12 % of the heap, "
    "which no accumulation worth naming is",
)


@dataclass(frozen=True, slots=True)
class MemoryModel:
    """The growing objects as a function of the data, everything else as it was at death.

    Attributes:
        capacity_bytes: what live objects may take before this collector gives up.
        live_bytes: live at death; where no dump says, the heap was full, so its capacity.
        is_live_known: a dump at death says what was live.
        framework_bytes: of them Hadoop's own, buffers included; 0 where no dump says.
        cleanup_bytes: of them what locals of cleanup() hold, where it died there.
    """

    capacity_bytes: int
    live_bytes: int
    is_live_known: bool
    framework_bytes: int
    cleanup_bytes: int

    @property
    def room_of_user_code(self) -> float:
        """What the framework's buffers leave of the heap, at least two fifths of it."""
        return max(
            self.capacity_bytes - self.framework_bytes, LEAST_ROOM.value * self.capacity_bytes
        )

    def rest_beside(self, growing: Growing) -> int:
        """Live bytes that are not those of the growing objects."""
        return max(0, self.live_bytes - growing.held_bytes)

    def fits(self, need_bytes: float) -> bool:
        """Whether so much would be live without the collector giving up: less than it died of."""
        return need_bytes < self.capacity_bytes

    def need_at_death(self, growing: Growing) -> float:
        """What the growing objects held, and asked for on top of it where the heap was not full."""
        return float(max(growing.held_bytes, self.capacity_bytes - self.rest_beside(growing)))

    def need_at_least(self, growing: Growing, x: float) -> float:
        """The smaller end of the interval of `need_at`."""
        return self._need_of(growing, _at_death_most(growing, x, growing.at_least(x)))

    def need_at_most(self, growing: Growing, x: float) -> float:
        """The larger end of the interval of `need_at`."""
        return self._need_of(growing, growing.at_most(x))

    def need_at(self, growing: Growing, x: float) -> float:
        """Bytes needed when the growing objects had met x, everything else as at death.

        Where less than the capacity was live at death, the allocation that failed was a large one:
        a container being enlarged. It is counted with what grows, in proportion, so that the need
        at death is the capacity. So is what cleanup() has made of it.
        """
        size = _at_death_most(growing, x, growing.at(x))
        if x >= growing.x_now:
            # It died here: no law predicts less of the same data, or of more.
            size = max(size, float(growing.held_bytes))
        return self._need_of(growing, size)

    def _need_of(self, growing: Growing, size_bytes: float) -> float:
        rest = max(0, self.live_bytes - growing.held_bytes - self.cleanup_bytes)
        grown = self.need_at_death(growing) + self.cleanup_bytes
        scale = grown / growing.held_bytes if growing.held_bytes else 1.0
        return rest + scale * max(0.0, size_bytes)

    def need_at_the_end(self, growing: Growing) -> float | None:
        """Bytes needed at the end of the split, partition or group; None where that is unknown."""
        return None if growing.end_x is None else self.need_at(growing, growing.end_x)


def _at_death_most(growing: Growing, x: float, size_bytes: float) -> float:
    """What is predicted at x; of less data than it died of, no more than it held then."""
    return min(size_bytes, float(growing.held_bytes)) if x < growing.x_now else size_bytes


def memory_model_of(evidence: Evidence) -> MemoryModel | Unknown:
    """The model of an attempt; unknown where the size of its heap is."""
    capacity = known(evidence.memory.capacity_bytes)
    if capacity is None:
        return Unknown("what live objects may take of the heap", "run")
    live = known(evidence.memory.live_bytes_at_death)
    composition = known(evidence.composition)
    return MemoryModel(
        capacity_bytes=capacity,
        live_bytes=live if live is not None else capacity,
        is_live_known=live is not None,
        framework_bytes=composition.framework_bytes if composition is not None else 0,
        cleanup_bytes=_made_in_cleanup(evidence),
    )


def _made_in_cleanup(evidence: Evidence) -> int:
    if evidence.place != "cleanup":
        return 0
    return sum(one.bytes for one in evidence.held if one.owner == "user" and one.lifecycle is None)
