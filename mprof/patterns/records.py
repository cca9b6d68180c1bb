"""R_n beside the records before it, and beside the heap."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Distribution, Evidence, Unknown, known
from mprof.patterns.finding import Absent, found
from mprof.patterns.growth import NOISE, NOISE_SHARE, noise_floor_bytes
from mprof.patterns.memory_model import MemoryModel
from mprof.patterns.passed import BEYOND_THRESHOLDS, Beyond, beyond_what_passed
from mprof.threshold import Threshold
from mprof.units import KIB, format_bytes, format_count

__all__ = [
    "RECORD_SIZE_THRESHOLDS",
    "RECORD_THRESHOLDS",
    "RecordInFlight",
    "RecordSize",
    "record_in_flight_of",
    "record_size_of",
]

ROOM_OF_A_RECORD = Threshold(
    "room of a record",
    4.0,
    "times its bytes",
    "a buffer that doubles holds up to twice its bytes, and so does the object that is read anew "
    "from it for each record",
)

LEAST_LARGE_RECORD = Threshold(
    "least large record",
    float(64 * KIB),
    "bytes",
    "a line that nobody would call long is not what is wrong, however much is made of it",
)

RECORD_SIZE_THRESHOLDS = (*BEYOND_THRESHOLDS, LEAST_LARGE_RECORD, NOISE, NOISE_SHARE)
"""All that decide whether R_n is larger than the records before it."""

RECORD_THRESHOLDS = (*RECORD_SIZE_THRESHOLDS, ROOM_OF_A_RECORD)


@dataclass(frozen=True, slots=True)
class RecordSize:
    """Bytes of R_n, and how they stand to the records before it, which passed.

    Attributes:
        in_heap: of its objects in the heap; else of its key and value as they are serialised.
    """

    bytes: int
    beyond: Beyond
    in_heap: bool = False


@dataclass(frozen=True, slots=True)
class RecordInFlight:
    """R_n.

    Attributes:
        is_there: a record was being processed, as far as anything is known.
        ordinal: in its group or split; None where nothing counted it.
        group: ordinal of its group.
        bytes: of it, None where not known.
        being_read: it was still being read or handed over: user code had not seen it; None where
            that is not known.
        heap_bytes: what it holds of the heap; None where no dump says.
        is_next: it is the one after `ordinal`, which the framework was fetching already.
        is_ordinary: it is known to be no larger than the records before it.
        is_far_larger: it is known to be far larger than those.
        is_room_of_another: it stands in room that a larger record before it took.
        file: path, length and start of the split that it is of; "" where it is of none, or where
            that is not known.
    """

    is_there: bool
    ordinal: int | None
    group: int | None
    bytes: int | None
    being_read: bool | None
    heap_bytes: int | None
    is_ordinary: bool
    is_far_larger: bool
    is_room_of_another: bool
    file: str = ""
    is_next: bool = False

    @property
    def held_bytes(self) -> int:
        """What it holds of the heap; 0 where no dump says."""
        return self.heap_bytes or 0

    @property
    def largest_bytes(self) -> int | None:
        """What it holds of the heap, or its bytes if more; None where neither is known."""
        return max(self.held_bytes, self.bytes or 0) or None

    @property
    def name(self) -> str:
        """It in words."""
        if self.ordinal is None:
            return "the record in flight"
        if self.is_next:
            return f"the record after record {format_count(self.ordinal)}"
        return f"record {format_count(self.ordinal)}"

    @property
    def name_in_file(self) -> str:
        """It in words, with the file that it is in where that is known."""
        return f"{self.name} of {self.file}" if self.file else self.name


def record_in_flight_of(
    evidence: Evidence, compared: RecordSize | Absent | Unknown
) -> RecordInFlight:
    """R_n, as far as anything is known of it.

    Args:
        evidence: of the attempt.
        compared: its size against the records before it.
    """
    records, position = known(evidence.records), known(evidence.position)
    composition, size = known(evidence.composition), found(compared)
    held = composition.record_bytes if composition is not None else None
    stands = size.beyond.stands if size is not None else None
    ordinal = records.ordinal if records is not None else None
    if ordinal is None and position is not None:
        ordinal = position.record_in_group or position.record
    return RecordInFlight(
        is_there=evidence.records is not None,
        ordinal=ordinal,
        group=position.group if position is not None else None,
        bytes=known(records.bytes) if records is not None else None,
        being_read=_is_being_read(evidence),
        heap_bytes=held,
        is_ordinary=stands == "below",
        is_far_larger=stands == "above",
        is_room_of_another=size is not None and held is not None and _is_room(size, held),
        file=_file_of(evidence),
        is_next=records is not None and records.reads_next,
    )


def _file_of(evidence: Evidence) -> str:
    """The piece of a file that the mapper reads; a split of several files does not tell of which.

    Inside combine() the record is none of the input's.
    """
    split = known(evidence.split)
    if evidence.place != "map" or split is None or split.path is None or split.start is None:
        return ""
    start = format_count(split.start)
    return f"{split.path} ({format_bytes(split.length_bytes)} from byte {start})"


def _is_being_read(evidence: Evidence) -> bool | None:
    if isinstance(evidence.records, Unknown):
        return None
    return evidence.records is not None and evidence.records.being_read


def record_size_of(evidence: Evidence, memory: MemoryModel | None) -> RecordSize | Absent | Unknown:
    """R_n against the records before it."""
    records = evidence.records
    if records is None:
        return Absent("no record was being processed")
    if isinstance(records, Unknown):
        return records
    if isinstance(records.bytes, Unknown):
        return records.bytes
    if isinstance(records.before, Unknown):
        return records.before
    beyond = _against(records.bytes, records.before, memory, in_heap=records.in_heap)
    return RecordSize(records.bytes, beyond, records.in_heap)


def _is_room(size: RecordSize, heap_bytes: int) -> bool:
    """Whether R_n stands in room that a larger record before it took, and that went well.

    The objects that are read anew for each record keep the arrays of the largest so far.
    """
    times, largest = ROOM_OF_A_RECORD.value, size.beyond.largest
    return size.bytes * times <= largest and heap_bytes <= times * largest


def _against(
    size: int, before: Distribution, memory: MemoryModel | None, *, in_heap: bool
) -> Beyond:
    floor = LEAST_LARGE_RECORD.value
    if in_heap:  # what probes compare is as rough as all that they measure
        floor = noise_floor_bytes(memory.capacity_bytes if memory is not None else None)
    return beyond_what_passed(size, before, noise_floor=floor)
