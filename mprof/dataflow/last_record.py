"""R_n: the record in flight at death, and how another run identifies it."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.trace import Trace, digest_text

__all__ = ["LastRecord", "last_record"]


@dataclass(frozen=True, slots=True)
class LastRecord:
    """What identifies R_n: its ordinal in map(), its digest in combine() and reduce().

    In combine() and reduce() the order of records with equal keys, and which segments are merged
    together, depend on the order of fetches.

    Attributes:
        place: ``map``, ``combine`` or ``reduce``.
        ordinal: 1-based; in map() only.
        digest: of key and value; in combine() and reduce() only.
        group: digest of its key; in combine() and reduce() only, None where it is not known.
    """

    place: str
    ordinal: int | None = None
    digest: str | None = None
    group: str | None = None


def last_record(trace: Trace) -> LastRecord | None:
    """R_n of an attempt; None if there was no record in flight, or it is not known which."""
    position = trace.position
    if position is None:
        return None
    failure = trace.failure
    record = failure.record if failure else None
    if trace.place == "combine":
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
