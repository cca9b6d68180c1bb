"""Growth seen in the whole live heap, or in a class, with the dump at death saying whose it is."""

from __future__ import annotations

from collections.abc import Sequence

from mprof.evidence import Holder, Point, Series, Source
from mprof.patterns.finding import Absent, Confidence
from mprof.patterns.growth.growth import GREW_FASTER, Growing
from mprof.patterns.growth.laws import Law
from mprof.patterns.growth.own_sizes import SHARE_OF_RISE
from mprof.patterns.growth.subject import Fitted, Subject, fitted
from mprof.patterns.verified import alone_of
from mprof.threshold import Threshold

__all__ = ["LIVE_HEAP_THRESHOLDS", "rose"]

POINTS_OF_SILENCE = Threshold(
    "points of silence",
    4.0,
    "points",
    "to deny growth takes one point more than to see it: three flat points may lie between steps",
)

EARLY = Threshold(
    "early",
    0.40,
    "of x",
    "collections that all came later say nothing about the way there: an even growth has by then "
    "made two fifths of what is live at the death",
)

LATE = Threshold(
    "late",
    2.0,
    "times the even pace",
    "what rises twice as fast at the end, where alone it was seen, did not rise before",
)

RISEN_IN_GROUP = Threshold(
    "risen in the group",
    0.30,
    "of what the group's objects hold",
    "minor collections leave garbage early in a group, which hides a part of a rise; with less "
    "than a third seen in the group, most was there when it began, or was hidden: the rise is no "
    "law of it",
)

LIVE_HEAP_THRESHOLDS = (SHARE_OF_RISE, POINTS_OF_SILENCE, EARLY, LATE, RISEN_IN_GROUP)


def rose(subject: Subject, source: Source) -> Growing | Absent | None:
    """From collections (passive) or class histograms; None where they cannot decide."""
    followed = [
        fitted(one, subject.floor_bytes) for one in subject.live_heap if one.source == source
    ]
    grew = [one for one in followed if one.grows]
    if not grew:
        # Classes that stay flat say nothing about a class outside the hundred largest.
        return _denied(subject, followed) if source == "passive" else None
    most = max(grew, key=lambda one: one.law.grown_bytes)
    series, law = most.series, most.law
    confidence: Confidence = "possible"
    held, outgrew = round(law.grown_bytes), False
    named: tuple[Holder, ...] = ()
    if isinstance(subject.holders, tuple):
        confidence, named = "likely", _that_may_grow(subject.holders, law.grown_bytes)
        held = sum(one.bytes for one in named)
        explains = held >= SHARE_OF_RISE.value * law.grown_bytes
        outgrew = _began_late(subject, most, held)
        if not explains or (outgrew and not _is_of_several_records(subject)):
            return None
        if source == "histogram" and law.grown_bytes < SHARE_OF_RISE.value * held:
            return None  # one class of several: how the rest grew it does not show
        if not outgrew and _may_be_of_groups_before(subject, most, held):
            return None
        if not outgrew and _may_be_of_one_record(named, most):
            confidence = "possible"
    words = "live heap" if source == "passive" else f"memory of {series.class_name}"
    return Growing(
        lifecycle=subject.lifecycle,
        unit=series.unit,
        laws=(law,),
        holders=named,
        held_bytes=held,
        x_now=_end(subject, series, law),
        source=series.source,
        confidence=confidence,
        how=f"the {words}, measured at {law.points} positions, "
        + (GREW_FASTER if outgrew else f"{law.complexity}{law.fit}"),
        outgrew=outgrew,
    )


def _that_may_grow(holders: tuple[Holder, ...], risen: float) -> tuple[Holder, ...]:
    """Without single objects, where others explain the rise; nor is a rise that of one entry."""
    others = tuple(one for one in holders if not one.is_one_object)
    if sum(one.bytes for one in others) >= SHARE_OF_RISE.value * risen:
        return others
    return tuple(one for one in holders if not (one.is_one_object and one.length == 1))


def _denied(subject: Subject, followed: list[Fitted]) -> Absent | None:
    """That nothing grew, where the live heap was seen early and often enough to say so."""
    alive = subject.evidence.death.kind == "none"
    for one in followed:
        # Between two collections many records are read: one step of the heap is any growth.
        if one.law.shape == "loaded":
            continue
        end = _end(subject, one.series, one.law)
        spans = one.law.points >= POINTS_OF_SILENCE.value
        spans = spans and one.law.first_x <= EARLY.value * end
        spans = spans and not _came_late(subject, one)
        if spans and not one.law.grows and (alive or not _hides_growth(subject, one.series)):
            return Absent(one.law.why)
    return None


def _came_late(subject: Subject, one: Fitted) -> bool:
    """Whether holders may have come between the last collection and the death, which no law saw."""
    if not isinstance(subject.holders, tuple) or one.series.at_death is None:
        return False
    risen = one.series.at_death.size_bytes - one.law.last_bytes
    held = sum(holder.bytes for holder in subject.holders)
    return not subject.is_small_size(min(risen, held))


def _hides_growth(subject: Subject, series: Series) -> bool:
    """Whether the holders may have grown evenly without showing in what collections left behind.

    Where a heap is nearly full, minor collections leave so much garbage that the sum stays flat;
    and where the first major one came late, what grew since may be no more than the noise.
    The early part decides: there an even growth is furthest below what is live at the death.
    """
    holders = subject.holders
    if not isinstance(holders, tuple) or series.at_death is None or series.at_death.x <= 0:
        return series.upper_bounds
    end, live = series.at_death.x, series.at_death.size_bytes
    held = sum(one.bytes for one in holders)
    # What was live before the death, as it would have been by then, against what was left behind.
    more = [
        point.size_bytes - (live - held * (1 - point.x / end))
        for point in series.points
        if point.x <= EARLY.value * end
    ]
    floor = subject.floor_bytes
    return all(-floor <= one and (series.upper_bounds or one <= floor) for one in more)


def _began_late(subject: Subject, one: Fitted, held: int) -> bool:
    """The live heap rose over the last part only, so not with all of the data.

    Collections may all come at the end. At an even pace a holder would have risen by the share of
    x that was seen then, and what rises far more had not risen before.
    """
    law, start = one.law, one.series.at_start
    end = _end(subject, one.series, law)
    if law.first_x > EARLY.value * end and start is None:
        return law.grown_bytes > LATE.value * held * (law.last_x - law.first_x) / end
    points = sorted(one.series.points, key=lambda point: (point.x, point.size_bytes))
    return _onset([*([start] if start else []), *points], subject.floor_bytes) >= EARLY.value * end


def _may_be_of_groups_before(subject: Subject, one: Fitted, held: int) -> bool:
    """Whether most of what a group is to have made may have been live when it began.

    Of the reducer's fields, which may have been carried into it; locals cannot.
    """
    if subject.lifecycle != "group" or not isinstance(subject.holders, tuple):
        return False
    of_fields = sum(each.bytes for each in subject.holders if each.lifecycle == "reduce")
    risen = one.law.rise(0.0, _end(subject, one.series, one.law))
    return of_fields > SHARE_OF_RISE.value * held and risen < RISEN_IN_GROUP.value * held


def _may_be_of_one_record(named: tuple[Holder, ...], one: Fitted) -> bool:
    """Whether the rise may be that of garbage, and what holds the memory be made for each record.

    A local of reduce() lives for the group or for one value, which no dump tells apart. What minor
    collections leave is made to rise, since each bound is lowered to those after it: where it
    follows no law well, or has too few points for one, nothing tells them apart.
    """
    others = sum(each.bytes for each in named if each.key.kind != "local")
    by_locals = bool(named) and others < SHARE_OF_RISE.value * one.law.grown_bytes
    is_rough = bool(one.law.fit) or one.law.points < POINTS_OF_SILENCE.value
    return by_locals and one.series.upper_bounds and is_rough


def _is_of_several_records(subject: Subject) -> bool:
    """R_n alone passed in the room that it had, so those before it made what came late."""
    return alone_of(subject.evidence) == "passes"


def _onset(points: Sequence[Point], floor: float) -> float:
    """Where a rise began that no point shows beginning: from its later pace, back to the flat part.

    Never before the last point that was flat, nor after the first that was not.
    """
    first = points[0]
    flat = max(at for at, one in enumerate(points) if one.size_bytes <= first.size_bytes + floor)
    onset, risen = points[flat].x, points[flat + 1 :]
    if not risen or risen[-1].x == risen[0].x:
        return onset
    pace = (risen[-1].size_bytes - risen[0].size_bytes) / (risen[-1].x - risen[0].x)
    if pace <= 0:
        return onset
    return max(onset, risen[0].x - (risen[0].size_bytes - first.size_bytes) / pace)


def _end(subject: Subject, series: Series, law: Law) -> float:
    """X at the death, else at the last point."""
    return series.at_death.x if series.at_death is not None else max(law.last_x, subject.x_at_death)
