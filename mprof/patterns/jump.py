"""The growth at R_n: what the work on one record added, was seen to add, or asked for in vain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mprof.evidence import Distribution, Evidence, Holder, RecordGrowth, Unknown, known
from mprof.patterns.end_of_group import is_last_of_group
from mprof.patterns.failed_allocation import IN_ONE_PIECE, NEXT_ARRAY, FailedAllocation
from mprof.patterns.finding import Absent, EvidenceLevel
from mprof.patterns.growth import Growing, noise_floor_bytes
from mprof.patterns.memory_model import MemoryModel
from mprof.patterns.passed import BEYOND_THRESHOLDS, Beyond, beyond_what_passed
from mprof.patterns.sizes import WORTH_A_RUN
from mprof.patterns.verified import Alone, alone_of
from mprof.threshold import Threshold

__all__ = ["JUMP_THRESHOLDS", "OWN", "SHARP", "Jump", "jump_of", "record_level_bytes"]

SHARP = Threshold(
    "sharp",
    0.20,
    "share of the heap that live objects may take",
    "the smallest record-level result that the paper diagnoses was 28 % (282 MB of 1 GB, "
    "case study 1); below a fifth another record would have done as well",
)

DOUBLING = Threshold(
    "doubling",
    2.0,
    "times what the container held before",
    "old and new array are alive together: at twice the size, that adds twice the old one",
)

ORDINARY_PACE = Threshold(
    "ordinary pace",
    1.5,
    "times the steepest growth per record before, beside accumulation",
    "it goes on as it was: the last interval is long where the task died earlier than the plan "
    "foresaw, and its mean may be half as much again",
)

MOSTLY_FAILED = Threshold(
    "mostly failed",
    0.50,
    "of the growth at R_n",
    "where half of it or more was asked for in vain, nothing holds it and no path leads to it",
)

OWN = Threshold(
    "of one record alone",
    0.50,
    "share of the growth at R_n that objects hold which can live for one record only",
    "they are then most of it, whatever a field or the group gained beside them",
)

JUMP_THRESHOLDS = (
    SHARP, DOUBLING, ORDINARY_PACE, MOSTLY_FAILED, OWN, *BEYOND_THRESHOLDS, NEXT_ARRAY,
    IN_ONE_PIECE,
)  # fmt: skip
"""All that decide how much memory grew at R_n, and how that stands to the growth before."""


@dataclass(frozen=True, slots=True)
class Jump:
    """The growth at R_n.

    Attributes:
        bytes: of it; below 0 where the heap shrank.
        source: what showed it.
        record_level_bytes: what objects hold that can live for one record only.
        holder: the largest of those, else of all user objects.
        failed_bytes: how much of it was asked for at once and not allocated: nothing holds it.
        measured: growth from point to point before R_n; None where only the dump at death says.
        before: bytes per record of each interval before R_n.
        floor_bytes: growth up to here is noise, over however many records it was measured.
        alone: what the run of R_n alone proved, None where it proved nothing.
        may_be_of_group: R_n is the last of several records of a group, so that what grew may have
            been made of all of them, in a method that was called after the last one was read.
        is_worth_a_run: it is so large that a run of R_n alone may show it to be what was too much.
    """

    bytes: int
    source: EvidenceLevel
    record_level_bytes: int
    holder: Holder | None
    failed_bytes: int
    measured: RecordGrowth | None
    before: Distribution
    floor_bytes: float
    alone: Alone | None
    may_be_of_group: bool = False
    is_worth_a_run: bool = False

    @property
    def is_mostly_failed(self) -> bool:
        """Whether most of it was never there."""
        return MOSTLY_FAILED.value * self.bytes <= self.failed_bytes

    @property
    def is_of_one_record(self) -> bool:
        """Whether most of it is in objects that can live for one record only."""
        return self.record_level_bytes >= OWN.value * self.bytes

    @property
    def against_before(self) -> Beyond:
        """How it stands, a record, to the growths a record before it."""
        records = max(self.measured.last_records, 1) if self.measured is not None else 1
        floor = self.floor_bytes / records
        return beyond_what_passed(self.bytes / records, self.before, noise_floor=floor)

    def is_enlargement_of(self, accumulated_bytes: int) -> bool:
        """Whether a container that accumulates was being copied into a larger one."""
        before = max(accumulated_bytes - self.bytes, 0)
        doubling = self.measured is not None and self.measured.doubling
        return doubling and self.bytes <= DOUBLING.value * max(before, 1)

    @property
    def keeps_pace(self) -> bool:
        """Whether what grew is in line with the growth per record before, no faster."""
        if self.measured is None:
            return False
        slope = self.measured.last_bytes / max(self.measured.last_records, 1)
        return slope <= ORDINARY_PACE.value * self.before.largest


def jump_of(
    evidence: Evidence,
    growths: Iterable[Growing | Absent | Unknown],
    memory: MemoryModel | Unknown,
    allocation: FailedAllocation,
) -> Jump | Absent | Unknown:
    """The growth at R_n, measured, else what can only live for one record.

    Args:
        evidence: of the attempt.
        growths: of objects of every lifecycle.
        memory: of the attempt.
        allocation: the one that failed.
    """
    if isinstance(memory, Unknown):
        return memory
    own = [one for one in evidence.held if one.is_of_user_code]
    of_record = [one for one in own if one.lifecycle == "record"]
    new = sorted(of_record, key=lambda one: (-one.bytes, one.key))
    failed = allocation.record_bytes
    record_level = sum(one.bytes for one in new) + failed
    growth = known(evidence.record_growth)
    source: EvidenceLevel
    sharp = SHARP.value * memory.capacity_bytes
    if growth is not None:
        bytes_, source = growth.last_bytes + failed, growth.source
    elif record_level >= sharp:
        bytes_, source = record_level, "dump"
    elif isinstance(evidence.holders, Unknown):
        return evidence.holders
    else:
        seen = (one for one in growths if isinstance(one, Growing) and one.confidence != "possible")
        grown = max((one.measured_bytes for one in seen), default=0)
        held = sum(one.bytes for one in own) - round(grown)
        if held >= sharp:
            assert isinstance(evidence.record_growth, Unknown)  # noqa: S101 - known() said so above
            return evidence.record_growth
        if record_level < WORTH_A_RUN.value * memory.capacity_bytes:
            little = "the user objects that a single record could have created hold little"
            return allocation.missing or Absent(little)
        bytes_, source = record_level, "dump"
    if bytes_ < sharp and allocation.missing is not None:
        return allocation.missing
    return Jump(
        bytes=bytes_,
        source=source,
        record_level_bytes=record_level,
        holder=new[0] if new else _largest_not_loaded(own),
        failed_bytes=failed,
        measured=growth,
        before=_paces(growth),
        floor_bytes=noise_floor_bytes(memory.capacity_bytes),
        alone=alone_of(evidence),
        may_be_of_group=_is_last_of_several(evidence),
        is_worth_a_run=bytes_ >= WORTH_A_RUN.value * memory.capacity_bytes,
    )


def record_level_bytes(evidence: Evidence, allocation: FailedAllocation) -> int:
    """What R_n and the work on it held, and asked for in vain, as far as that is known."""
    composition = known(evidence.composition)
    own = (one.bytes for one in evidence.held if one.is_of_user_code and one.lifecycle == "record")
    of_record = composition.record_bytes if composition is not None else 0
    return sum(own) + of_record + allocation.record_bytes


def _is_last_of_several(evidence: Evidence) -> bool:
    position = known(evidence.position)
    several = position is not None and position.records_of_group > 1
    return several and is_last_of_group(evidence) is True


def _largest_not_loaded(own: list[Holder]) -> Holder | None:
    late = (one for one in own if one.loaded_before_first_record is not True)
    return min(late, key=lambda one: (-one.bytes, one.key), default=None)


def _paces(growth: RecordGrowth | None) -> Distribution:
    """Bytes a record of each interval before R_n."""
    before = growth.before if growth is not None else ()
    return Distribution.of(size / max(records, 1) for records, size in before)
