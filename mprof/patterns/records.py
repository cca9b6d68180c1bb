"""R_n beside the records before it, and beside the heap."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Distribution, Evidence, RecordSizes, Unknown, known
from mprof.patterns.finding import Absent
from mprof.patterns.growth import NOISE, NOISE_SHARE, noise_floor_bytes
from mprof.patterns.memory_model import MemoryModel
from mprof.patterns.passed import BEYOND_THRESHOLDS, Beyond, beyond_what_passed
from mprof.threshold import Threshold
from mprof.units import KIB, format_count

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
        is_ordinary: it is known to be no larger than the records before it.
        is_room_of_another: it stands in room that a larger record before it took.
    """

    is_there: bool
    ordinal: int | None
    group: int | None
    bytes: int | None
    being_read: bool | None
    heap_bytes: int | None
    is_ordinary: bool
    is_room_of_another: bool

    @property
    def name(self) -> str:
        """It in words."""
        if self.ordinal is None:
            return "the record in flight"
        return f"record {format_count(self.ordinal)}"


def record_in_flight_of(evidence: Evidence, memory: MemoryModel | None) -> RecordInFlight:
    """R_n, as far as anything is known of it."""
    records, position = known(evidence.records), known(evidence.position)
    composition = known(evidence.composition)
    ordinal = records.ordinal if records is not None else None
    if ordinal is None and position is not None:
        ordinal = position.record_in_group or position.record
    return RecordInFlight(
        is_there=evidence.records is not None,
        ordinal=ordinal,
        group=position.group if position is not None else None,
        bytes=known(records.bytes) if records is not None else None,
        being_read=_is_being_read(evidence),
        heap_bytes=composition.record_bytes if composition is not None else None,
        is_ordinary=_is_ordinary(records, memory),
        is_room_of_another=_is_room_of_another(
            records, composition.record_bytes if composition is not None else None
        ),
    )


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


def _is_ordinary(records: RecordSizes | None, memory: MemoryModel | None) -> bool:
    """Whether R_n is known to be no larger than the records before it."""
    size = known(records.bytes) if records is not None else None
    before = known(records.before) if records is not None else None
    if size is None or before is None or before.count == 0:
        return False
    in_heap = records is not None and records.in_heap
    return _against(size, before, memory, in_heap=in_heap).stands == "below"


def _is_room_of_another(records: RecordSizes | None, heap_bytes: int | None) -> bool:
    """Whether R_n stands in room that a larger record before it took, and that went well.

    The objects that are read anew for each record keep the arrays of the largest so far.
    """
    size = known(records.bytes) if records is not None else None
    before = known(records.before) if records is not None else None
    if size is None or before is None or heap_bytes is None or before.count == 0:
        return False
    times = ROOM_OF_A_RECORD.value
    return size <= before.largest / times and heap_bytes <= times * before.largest


def _against(
    size: int, before: Distribution, memory: MemoryModel | None, *, in_heap: bool
) -> Beyond:
    floor = LEAST_LARGE_RECORD.value
    if in_heap:  # what probes compare is as rough as all that they measure
        floor = noise_floor_bytes(memory.capacity_bytes if memory is not None else None)
    return beyond_what_passed(size, before, noise_floor=floor)
