"""The heap at death: the dump made at it, or the last probe where that was as good as full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mprof.evidence.assemble.memory import usable_bytes
from mprof.evidence.assemble.moments import (
    BEFORE_RECORD,
    IN_COMBINE,
    IN_GROUP,
    Moment,
    Snapshots,
)
from mprof.evidence.facts import DeathPosition, Unknown
from mprof.evidence.thresholds import AS_GOOD_AS_FULL
from mprof.objects import HeapObjects
from mprof.trace import Trace

__all__ = ["NO_DUMP", "death_heap_of"]

NO_DUMP: Final = Unknown("a heap dump made at death", "run")

Moments = tuple[Moment, ...]


def death_heap_of(
    trace: Trace, snapshots: Snapshots, position: DeathPosition | None
) -> tuple[Moments, HeapObjects | Unknown]:
    """The moments before the death, and the heap at death.

    A dump that is not of the death is no better the next time; a rerun brings probes, and switches
    off scalar replacement, for which objects are missing in a dump.

    Args:
        trace: of the attempt.
        snapshots: of its heap.
        position: at death.
    """
    moments, dump = snapshots.moments, snapshots.dump
    if snapshots.death is not None:
        return moments, snapshots.death
    if trace.death.kind in {"heap", "gc-overhead"}:
        last = _last_full_moment(moments, position, trace)
        if last is not None:
            return tuple(each for each in moments if each is not last), last.objects
    if dump is None:
        return moments, NO_DUMP
    why = "was made after the task had released its memory"
    if any(frame.user for frame in dump.frames):
        why = (
            "lacks what filled the heap: it had been released by then, or the JIT compiler had "
            "scalar-replaced what held it"
        )
    return moments, Unknown(f"a heap dump made at death: the one available {why}", "rerun")


def _last_full_moment(
    moments: Sequence[Moment], position: DeathPosition | None, trace: Trace
) -> Moment | None:
    """The last probe before the death, if the heap was as good as full by then.

    It stands for a dump at death that was not made or came too late: what happened after it is
    less than the fifth of the usable heap that any rule makes something of.
    """
    if position is None or trace.heap_max is None:
        return None
    before = [each for each in moments if _is_before(each, position)]
    last = max(before, key=lambda each: each.ordinal or 0, default=None)
    usable = usable_bytes(trace, trace.peak_before_failure, trace.heap_max)
    if last is None or last.objects.live_bytes < AS_GOOD_AS_FULL.value * usable:
        return None
    return last


def _is_before(moment: Moment, position: DeathPosition) -> bool:
    """Whether the death followed while the same split, group or call of combine() was read."""
    reached = position.record_in_group
    if moment.point == BEFORE_RECORD and position.group is None:
        reached = position.record
    elif moment.point not in {IN_GROUP, IN_COMBINE} or moment.group not in {None, position.group}:
        return False
    return reached is not None and moment.ordinal is not None and moment.ordinal <= reached
