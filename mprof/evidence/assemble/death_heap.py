"""The heap at death: the dump made at it, or the last probe where that was as good as full."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mprof.evidence.assemble.memory import dump_is_of_death
from mprof.evidence.assemble.moments import BEFORE_RECORD, Moment, last_full_moment
from mprof.evidence.assemble.position import record_being_read
from mprof.evidence.facts import DeathPosition, Unknown
from mprof.objects import HeapObjects
from mprof.trace import Trace

__all__ = ["NO_DUMP", "death_heap_of", "handed_over", "with_record_being_read"]

NO_DUMP: Final = Unknown("a heap dump made at death", "run")

Moments = tuple[Moment, ...]


def death_heap_of(
    trace: Trace, moments: Moments, dump: HeapObjects | None, position: DeathPosition | None
) -> tuple[Moments, HeapObjects | Unknown]:
    """The moments before the death, and the heap at death.

    A dump that is not of the death is no better the next time; a rerun brings probes, and switches
    off scalar replacement, for which objects are missing in a dump.

    Args:
        trace: of the attempt.
        moments: that its probes show.
        dump: made at its first OutOfMemoryError.
        position: at death.
    """
    if dump is not None and dump_is_of_death(trace, dump):
        return moments, dump
    if trace.death.kind in {"heap", "gc-overhead"}:
        last = last_full_moment(moments, position, trace.heap_max)
        if last is not None:
            return tuple(each for each in moments if each is not last), last.objects
    if dump is None:
        return moments, NO_DUMP
    why = "was made after the task had released its memory"
    if any(frame.user for frame in dump.frames):
        why = (
            "lacks what the locals of user code held, because the JIT compiler had "
            "scalar-replaced it"
        )
    return moments, Unknown(f"a heap dump made at death: the one available {why}", "rerun")


def with_record_being_read(trace: Trace, moments: Moments, death: HeapObjects | None) -> Moments:
    """The moments, and the death as one more where R_n was still being read.

    User code had done all its work on the records before, and none on R_n: what it held by then is
    what it held right before R_n. Of a few large records no probe shows more.
    """
    unread = record_being_read(trace)
    if unread is None or death is None or not moments or not death.point.at_death:
        return moments
    return (*moments, Moment(BEFORE_RECORD, unread, None, death))


def handed_over(trace: Trace, position: DeathPosition | None) -> DeathPosition | None:
    """How far user code had come: not to the record that was still being read."""
    unread = record_being_read(trace)
    if unread is None or position is None:
        return position
    return replace(position, record=unread - 1)
