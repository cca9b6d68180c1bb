"""The moments that the dumps of an attempt show, as the plan of its probes names them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from mprof.evidence.thresholds import OF_THE_DEATH
from mprof.objects import HeapObjects
from mprof.trace import Trace
from mprof.trace.events import DumpEvent, DumpRemoved
from mprof.units import parse_long

__all__ = [
    "BEFORE_GROUP",
    "BEFORE_RECORD",
    "IN_COMBINE",
    "IN_GROUP",
    "SETUP_BYTES",
    "Moment",
    "Snapshots",
    "snapshots_of",
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
        n: of the dump's event in the log, which says what came before what; None without one.
    """

    point: str | None
    ordinal: int | None
    group: int | None
    objects: HeapObjects
    records: int | None = None
    n: int | None = None

    @property
    def is_before_data(self) -> bool:
        """Whether it is the heap before R_1 or G_1."""
        return self.ordinal == 1 and (
            self.point in {BEFORE_RECORD, BEFORE_GROUP}
            or (self.point == IN_GROUP and self.group == 1)
        )


@dataclass(frozen=True, slots=True)
class Snapshots:
    """The heap of one attempt, as its dumps show it.

    Attributes:
        moments: before its death, in order.
        dump: made at its first OutOfMemoryError, None where none was made.
        of_death: whether that shows the heap which the task died of.
    """

    moments: tuple[Moment, ...]
    dump: HeapObjects | None
    of_death: bool

    @property
    def death(self) -> HeapObjects | None:
        """The dump, where it shows the heap which the task died of."""
        return self.dump if self.of_death else None


def snapshots_of(trace: Trace, snapshots: Iterable[HeapObjects]) -> Snapshots:
    """The snapshots with the points that the agent's dump events name, and that at death.

    The JVM dumps at its first OutOfMemoryError, which may hit another thread (one of the JVM's own,
    the status reporter) when the task's thread has died of the same and given its memory up: then
    the dump holds far less than the collections before it left behind.
    """
    events = {_stem(each.file): each for each in trace.of(DumpEvent)}
    removed = {_stem(each.file) for each in trace.of(DumpRemoved)}
    found: list[Moment] = []
    dump: HeapObjects | None = None
    for objects in snapshots:
        name = objects.point.name
        event = events.get(name)
        probe = _probe_name(name)
        if event is not None and not event.is_of_death:
            records = event.at.records_in if event.at is not None else None
            found.append(Moment(event.point, event.ordinal, event.group, objects, records, event.n))
        elif probe is not None and name not in removed:
            # its event was lost: the task died while that was being written
            found.append(Moment(*probe, objects))
        elif (event is not None or objects.point.at_death) and name not in removed:
            dump = objects
    peak = trace.peak_before_failure
    of_death = dump is not None and (peak is None or dump.live_bytes >= OF_THE_DEATH.value * peak)
    return Snapshots(tuple(sorted(found, key=_order)), dump, of_death)


def _order(moment: Moment) -> tuple[int, int]:
    """Before groups in general come points inside one; nothing later depends on more."""
    return (moment.group or 0, moment.ordinal or 0)


def _probe_name(name: str) -> tuple[str, int | None, int | None] | None:
    """Point, ordinal and group of ``probe-POINT[-GROUP][-ORDINAL]``, as the agent names dumps."""
    match = _PROBE.fullmatch(name)
    if match is None:
        return None
    group, ordinal = match["group"], match["ordinal"]
    return match["point"], parse_long(ordinal), parse_long(group)


def _stem(file: str) -> str:
    return file.removesuffix(".gz").removesuffix(".hprof")
