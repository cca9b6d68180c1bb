"""Map output that a reducer holds in memory, and the peak of shuffling a partition."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Evidence, Holder, Unknown
from mprof.patterns.finding import Absent
from mprof.patterns.memory_model import MemoryModel
from mprof.patterns.sizes import HUGE

__all__ = [
    "SHUFFLE_THRESHOLDS",
    "ShuffledData",
    "UserCode",
    "death_in_shuffle_of",
    "shuffled_data_of",
    "user_code_of",
]

SHUFFLE_THRESHOLDS = (HUGE,)


@dataclass(frozen=True, slots=True)
class ShuffledData:
    """Map output in the reducer's heap.

    Attributes:
        held_bytes: found in the dump, else reserved by the shuffle.
        failed_bytes: reserved by fetchers and never allocated: they are in no dump.
        limit_bytes: most that the shuffle may keep in memory, as configured.
        in_dump: the bytes held were found in the dump at death.
        user_code: combine(), reduce(), setup() or cleanup() was running.
        beside: what the initializer of a class of the job was still filling: what is live beside
            the map output is then a least, and so is each peak; None where nothing is.
    """

    held_bytes: int
    failed_bytes: int
    limit_bytes: int
    in_dump: bool
    user_code: bool
    beside: Holder | None = None

    @property
    def wanted_bytes(self) -> int:
        """What it holds, and what it had asked for besides."""
        return self.held_bytes + self.failed_bytes

    @property
    def above_limit_bytes(self) -> int:
        """What it holds above its limit."""
        return max(0, self.held_bytes - self.limit_bytes)

    def peak_of(self, partition_bytes: float, memory: MemoryModel) -> float:
        """Live bytes at the peak of shuffling a partition of that size.

        Below the limit all of it lies in memory; from the limit on, the peak is what it was at
        death, because the same buffer fills.
        """
        rest = max(0, memory.live_bytes - self.held_bytes)
        if partition_bytes < self.limit_bytes:
            return rest + partition_bytes
        # It died there: whatever was asked for last came on top of what was live.
        at_limit = rest + float(max(self.held_bytes, self.limit_bytes))
        return max(at_limit, memory.capacity_bytes + 1.0)


def shuffled_data_of(evidence: Evidence) -> ShuffledData | Absent | Unknown:
    """The map output held, in whichever state."""
    shuffle = evidence.shuffle
    if evidence.is_map or shuffle is None:
        return Absent("this attempt has no shuffle")
    if isinstance(shuffle, Unknown):
        return shuffle
    held = shuffle.held_bytes
    if held is None:
        held = shuffle.used_bytes + shuffle.leftover_bytes
    if shuffle.used_bytes > held and isinstance(evidence.place, Unknown):
        # What was reserved and is not there was being fetched, or belongs to nobody any more.
        return evidence.place
    fetching = evidence.place == "shuffle"
    return ShuffledData(
        held_bytes=held,
        failed_bytes=max(0, shuffle.used_bytes - held) if fetching else 0,
        limit_bytes=shuffle.limit_bytes,
        in_dump=shuffle.held_bytes is not None,
        user_code=evidence.place in ("combine", "reduce", "setup", "cleanup"),
        beside=next((one for one in evidence.held if one.in_initializer), None),
    )


@dataclass(frozen=True, slots=True)
class UserCode:
    """Whether a reducer's user code ran at the death.

    Attributes:
        done: share of its input that combine(), reduce() or cleanup() had taken in; None where none
            of them ran.
    """

    done: float | None


def user_code_of(
    evidence: Evidence, shuffled: ShuffledData | Absent | Unknown
) -> UserCode | Absent | Unknown:
    """Whether user code ran beside the map output held, and how far it was."""
    if isinstance(shuffled, Absent | Unknown):
        return shuffled
    if not shuffled.user_code:
        if isinstance(evidence.place, Unknown):
            return evidence.place
        return UserCode(done=None)
    if evidence.place == "cleanup":
        return UserCode(done=1.0)
    if isinstance(evidence.progress, Unknown):
        return evidence.progress
    return UserCode(done=evidence.progress.done)


def death_in_shuffle_of(
    evidence: Evidence,
    shuffled: ShuffledData | Absent | Unknown,
    memory: MemoryModel | Unknown,
) -> ShuffledData | Absent | Unknown:
    """The map output held, where it is huge and no user code ran."""
    if isinstance(evidence.place, Unknown):
        return evidence.place
    not_there = Absent("the reducer neither accumulates over groups nor died of shuffled data")
    if evidence.place not in ("shuffle", "sort"):
        return not_there
    if not isinstance(shuffled, ShuffledData):
        return shuffled
    if isinstance(memory, Unknown):
        return memory
    is_huge = shuffled.wanted_bytes >= HUGE.value * memory.capacity_bytes
    return shuffled if is_huge and not shuffled.user_code else not_there
