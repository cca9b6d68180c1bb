"""The heap at death: the dump made at it, or the last probe where that was as good as full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mprof.evidence.assemble.between_dumps import BetweenDumps
from mprof.evidence.assemble.memory import container_bytes, usable_bytes
from mprof.evidence.assemble.moments import (
    BEFORE_GROUP,
    BEFORE_RECORD,
    IN_COMBINE,
    IN_GROUP,
    Moment,
    Snapshots,
)
from mprof.evidence.facts import DeathPosition, Unknown, known
from mprof.evidence.thresholds import AS_GOOD_AS_FULL, HEAP_OF_A_KILL
from mprof.history import JobConf
from mprof.objects import HeapObjects
from mprof.trace import Trace

__all__ = ["NO_DUMP", "death_heap_of", "is_later"]

NO_DUMP: Final = Unknown("a heap dump made at death", "run")
_NOT_MADE: Final = Unknown("a heap dump made at death", "rerun")
"""The agent was in, and had its reasons: a rerun makes one of each profiled task, and probes."""

Moments = tuple[Moment, ...]


def death_heap_of(
    trace: Trace,
    snapshots: Snapshots,
    position: DeathPosition | None,
    conf: JobConf | None = None,
) -> tuple[Moments, HeapObjects | Unknown]:
    """The moments before the death, and the heap at death.

    A dump that is not of the death is no better the next time; a rerun brings probes, and switches
    off scalar replacement, for which objects are missing in a dump.

    Args:
        trace: of the attempt.
        snapshots: of its heap.
        position: at death.
        conf: the configuration of its job.
    """
    # where another run was probed, the task went on there
    moments = tuple(each for each in snapshots.moments if not is_later(each, position))
    dump = snapshots.dump
    if snapshots.death is not None:
        return moments, snapshots.death
    enough = _enough(trace, conf)
    last = _last_before(moments, position)
    if enough is not None and last is not None and last.objects.live_bytes >= enough:
        return tuple(each for each in moments if each is not last), last.objects
    if dump is None:
        return moments, NO_DUMP if trace.attach is None else _NOT_MADE
    why = "was made after the task had released its memory"
    if any(frame.user for frame in dump.frames):
        why = (
            "lacks what filled the heap: it had been released by then, or the JIT compiler had "
            "scalar-replaced what held it"
        )
    return moments, Unknown(f"a heap dump made at death: the one available {why}", "rerun")


def _enough(trace: Trace, conf: JobConf | None) -> float | None:
    """What a probe must show to stand for a dump at death that was not made or came too late.

    Of a heap that ran full, nearly all of it: what happened after the probe is less than the fifth
    of the usable heap that any rule makes something of. Of a container that was killed, so much
    that the heap is what filled it. None where no probe would do.
    """
    if trace.death.kind in {"heap", "gc-overhead"} and trace.heap_max is not None:
        usable = usable_bytes(trace, trace.peak_before_failure, trace.heap_max)
        return AS_GOOD_AS_FULL.value * usable
    container = known(container_bytes(trace, conf))
    if trace.death.kind == "container-physical" and container is not None:
        return HEAP_OF_A_KILL.value * container
    return None


def _last_before(moments: Sequence[Moment], position: DeathPosition | None) -> Moment | None:
    """The last probe before the death."""
    if position is None:
        return None
    before = [each for each in moments if _is_before(each, position)]
    return max(before, key=lambda each: each.ordinal or 0, default=None)


def is_later(moment: Moment | BetweenDumps, position: DeathPosition | None) -> bool:
    """Whether the task had not come so far when it died."""
    if position is None or position.phase == "combine" or moment.ordinal is None:
        return False  # a call of combine() has counts of its own
    if moment.point == BEFORE_RECORD:
        return moment.ordinal > (position.record or 0)
    if moment.point == BEFORE_GROUP:
        return moment.ordinal > (position.group or 0)
    if moment.point != IN_GROUP or moment.group is None or position.group is None:
        return False
    reached = (position.group, position.record_in_group or 0)
    return (moment.group, moment.ordinal) > reached


def _is_before(moment: Moment, position: DeathPosition) -> bool:
    """Whether the death followed while the same split, group or call of combine() was read."""
    reached = position.record_in_group
    if moment.point == BEFORE_RECORD and position.group is None:
        reached = position.record
    elif moment.point not in {IN_GROUP, IN_COMBINE} or moment.group not in {None, position.group}:
        return False
    return reached is not None and moment.ordinal is not None and moment.ordinal <= reached
