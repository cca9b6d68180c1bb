"""Where the attempt stood when it died, and how much of its input it had taken in."""

from __future__ import annotations

from typing import Final

from mprof.dataflow import Dataflow, map_progress, task_progress
from mprof.evidence.facts import DeathPosition, Progress, Unknown
from mprof.trace import Trace

__all__ = ["absent", "position_of", "progress_of"]

_NO_LOG: Final = Unknown("the event log of this attempt", "run")


def absent(trace: Trace, what: str) -> Unknown:
    """A fact that the log does not hold: for want of an agent, or because it was not counted."""
    return _NO_LOG if trace.attach is None else Unknown(what, "rerun")


def position_of(trace: Trace, place: str | None) -> DeathPosition | None:
    """Where it stood, in the words of the report; inside combine() that call's own counts."""
    at = trace.position
    if at is None or at.phase is None:
        return None
    if place == "combine" and at.in_combine:
        return DeathPosition(
            phase="combine",
            record=at.combine_records_in,
            group=at.combine_group,
            record_in_group=at.combine_record_in_group,
            partition=at.combine_partition,
            spill=at.spill,
        )
    reduce = at.phase in {"reduce", "cleanup"} and trace.task_type == "reduce"
    unread = _record_being_read(trace)
    return DeathPosition(
        phase=at.phase,
        record=at.records_in if unread is None else unread,
        group=at.group or None if reduce else None,
        record_in_group=at.record_in_group or None if reduce else None,
        partition=at.partition,
        spill=at.spill,
        unread=unread is not None,
    )


def _record_being_read(trace: Trace) -> int | None:
    """Ordinal of the record that map() had not been given yet when its reader failed, else None.

    The counters of the position still stand at the record before it.
    """
    failure = trace.failure
    ordinal = failure.record.ordinal if failure and failure.record else None
    counted = trace.position.records_in if trace.position else None
    if trace.task_type != "map" or ordinal is None or counted is None:
        return None
    return ordinal if ordinal > counted else None


def progress_of(trace: Trace, flow: Dataflow) -> Progress | Unknown:
    """How far the running user code was."""
    found = task_progress(trace, flow)
    split = map_progress(trace) if trace.task_type == "map" else None
    if found is None and trace.death.place != "combine":
        found = split
    if found is None:
        return absent(trace, "how far the task was")
    return Progress(found.done, found.method, split.done if split is not None else None)
