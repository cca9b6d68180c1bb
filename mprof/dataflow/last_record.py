"""R_n: the record that user code had in hand at the end, and how another run can tell it."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.dataflow.progress import place_of
from mprof.trace import Trace, digest_text
from mprof.trace.events import Failure

__all__ = ["LastRecord", "last_record"]


@dataclass(frozen=True, slots=True)
class LastRecord:
    """How R_n is told again: by its ordinal in map(), by its digest in combine() and reduce().

    There the order of equal keys, and what is merged with what, depend on the order of fetches.

    Attributes:
        place: ``map``, ``combine`` or ``reduce``.
        ordinal: 1-based, in map() only.
        digest: of key and value, elsewhere.
        group: digest of its key, elsewhere; None where it is not known.
    """

    place: str
    ordinal: int | None = None
    digest: str | None = None
    group: str | None = None


def last_record(trace: Trace) -> LastRecord | None:
    """R_n of an attempt; None where no user code had a record, or nothing tells which."""
    position = trace.position
    if position is None:
        return None
    failure = trace.last(Failure)
    record = failure.record if failure else None
    if place_of(trace) == "combine":
        digest = digest_text(position.combine_record_digest)
        group = digest_text(position.combine_group_digest)
        return LastRecord("combine", digest=digest, group=group) if digest else None
    if position.phase == "map" and trace.task_type == "map":
        ordinal = record.ordinal if record and record.ordinal else position.records_in
        return LastRecord("map", ordinal=ordinal) if ordinal else None
    if position.phase == "reduce":
        digest = digest_text(record.digest if record else None) or digest_text(
            position.record_digest
        )
        group = digest_text(position.group_digest)
        return LastRecord("reduce", digest=digest, group=group) if digest else None
    return None
