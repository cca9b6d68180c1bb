"""The moments that the dumps of an attempt show, as the plan of its probes names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from mprof.evidence.facts import DeathPosition
from mprof.evidence.thresholds import AS_GOOD_AS_FULL
from mprof.objects import HeapObjects
from mprof.trace import Trace
from mprof.trace.events import DumpEvent, DumpRemoved

__all__ = [
    "BEFORE_GROUP",
    "BEFORE_RECORD",
    "IN_COMBINE",
    "IN_GROUP",
    "SETUP_BYTES",
    "Moment",
    "first_moment",
    "last_full_moment",
    "moments_of",
]

# Points of a plan (docs/reference/probe-plan.md), as dump events name them
BEFORE_RECORD: Final = "before_record"
BEFORE_GROUP: Final = "before_group"
IN_GROUP: Final = "in_group"
IN_COMBINE: Final = "in_combine"
SETUP_BYTES: Final = "setup_bytes"

_PROBE: Final = re.compile(
    r"probe-(?P<point>[a-z_]+)(?:-(?P<group>\d+)(?=-))?(?:-(?P<ordinal>\d+))?"
)


@dataclass(frozen=True, slots=True)
class Moment:
    """What the task's heap looked like at one point.

    Attributes:
        point: name of the plan's point, ``death``, or None where no event tells.
        ordinal: of the record or group about to be handed over, or bytes read.
        group: ordinal of the group for points inside one.
        records: taken in by then, None where no event tells.
    """

    point: str | None
    ordinal: int | None
    group: int | None
    objects: HeapObjects
    records: int | None = None


def moments_of(
    trace: Trace, snapshots: Iterable[HeapObjects]
) -> tuple[tuple[Moment, ...], HeapObjects | None]:
    """The snapshots with the points that the agent's dump events name, and that at death."""
    events = {_stem(each.file): each for each in trace.of(DumpEvent)}
    removed = {_stem(each.file) for each in trace.of(DumpRemoved)}
    found: list[Moment] = []
    death: HeapObjects | None = None
    for objects in snapshots:
        name = objects.point.name
        event = events.get(name)
        probe = _probe_name(name)
        if event is not None and event.reason != "oom":
            records = event.at.records_in if event.at is not None else None
            found.append(Moment(event.point, event.ordinal, event.group, objects, records))
        elif probe is not None and name not in removed:
            # its event was lost: the task died while that was being written
            found.append(Moment(*probe, objects))
        elif event is not None or objects.point.at_death:
            death = objects
    return tuple(sorted(found, key=_order)), death


def last_full_moment(
    moments: Sequence[Moment], position: DeathPosition | None, heap_max_bytes: int | None
) -> Moment | None:
    """The last probe before the death, if the heap was as good as full by then.

    It stands for a dump at death that was not made or came too late: what happened after it is
    less than the fifth of the heap that any rule makes something of.
    """
    if position is None or heap_max_bytes is None:
        return None
    before = [each for each in moments if _is_before(each, position)]
    last = max(before, key=lambda each: each.ordinal or 0, default=None)
    if last is None or last.objects.live_bytes < AS_GOOD_AS_FULL.value * heap_max_bytes:
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


def _order(moment: Moment) -> tuple[int, int]:
    """Before groups in general come points inside one; nothing later depends on more."""
    return (moment.group or 0, moment.ordinal or 0)


def _probe_name(name: str) -> tuple[str, int | None, int | None] | None:
    """Point, ordinal and group of ``probe-POINT[-GROUP][-ORDINAL]``, as the agent names dumps."""
    match = _PROBE.fullmatch(name)
    if match is None:
        return None
    group, ordinal = match["group"], match["ordinal"]
    return match["point"], int(ordinal) if ordinal else None, int(group) if group else None


def _stem(file: str) -> str:
    return file.removesuffix(".gz").removesuffix(".hprof")


def first_moment(moments: Sequence[Moment]) -> HeapObjects | None:
    """The heap before R_1 or G_1."""
    for moment in moments:
        first = moment.ordinal == 1 and (
            moment.point in {BEFORE_RECORD, BEFORE_GROUP}
            or (moment.point == IN_GROUP and moment.group == 1)
        )
        if first:
            return moment.objects
    return None
