"""Tables of growth: the points that were measured, and the curves fitted to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Annotated

from mprof.diagnosis import Diagnosed
from mprof.evidence import Lifecycle, Point, Series, Source, Unit
from mprof.patterns import Confidence, Growing
from mprof.patterns.growth import Law
from mprof.tables.columns import as_table, words_of

__all__ = ["curves", "growth"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """A size that was measured.

    Attributes:
        series (index): the points of one series belong together
        holder: what was measured, as in `holders`; NA: a class, or the whole live heap
        class_name: class that was measured; NA: a holder, or the whole live heap
        lifecycle: map, reduce, group or record: how long it lives
        unit: what x counts: record, group, record_in_group or byte_read
        group (ordinal): group inside which x counts; NA: x counts in the whole task
        source: dump, histogram (of classes), or passive (after a collection)
        x (unit): taken in before the point: 0 before the first
        bytes (bytes): size at that point
        at_death: the last point, of the heap at death
        upper_bound: garbage may be among the bytes: at most so much was live
    """

    series: int
    holder: str | None
    class_name: str | None
    lifecycle: Lifecycle
    unit: Unit
    group: int | None
    source: Source
    x: float
    bytes: float
    at_death: bool
    upper_bound: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Curve:
    """A law of growth.

    Attributes:
        holder: what grows, as in `holders`; NA: the whole live heap or a class was measured
        lifecycle: map, reduce or group: how long it lives
        unit: what x counts
        source: of the points: dump, histogram or passive
        confidence: sure, likely or possible: whose growth it is
        shape: of the law that was chosen, as in growth-laws.md
        power: of x; NA: another law
        coefficient (bytes): for x to that power; NA: another law
        bytes_per_unit (bytes per unit): over the range of x in which it grew
        r_squared (share): of the variance that is explained, 0 to 1
        points (points): that were fitted
        first_x (unit): smallest x
        last_x (unit): largest x
        grown_bytes (bytes): size at the last point less that at the first
        last_bytes (bytes): size at the last point
        end_x (unit): x at the end of the split, partition or group; NA: not known
    """

    holder: str | None
    lifecycle: Lifecycle
    unit: Unit
    source: Source
    confidence: Confidence
    shape: Annotated[str, words_of(Law, "shape")]
    power: float | None
    coefficient: float | None
    bytes_per_unit: float
    r_squared: float
    points: int
    first_x: float
    last_x: float
    grown_bytes: float
    last_bytes: float
    end_x: float | None


@as_table(_Measured)
def growth(diagnosed: Diagnosed) -> Iterator[_Measured]:
    """Every size that was measured in the diagnosed attempt, by series and x."""
    for number, series in enumerate(diagnosed.evidence.series):
        for point in sorted(series.points, key=lambda one: (one.x, one.size_bytes)):
            yield _measured(number, series, point, at_death=False)
        if series.at_death is not None:
            yield _measured(number, series, series.at_death, at_death=True)


@as_table(_Curve)
def curves(diagnosed: Diagnosed) -> Iterator[_Curve]:
    """The laws of what grows with its data, as the rules read them: y = a + coefficient * x^power.

    What a single dump shows to grow has no points to fit, and no row.
    """
    for growing in diagnosed.patterns.growths:
        if isinstance(growing, Growing):
            for law, key in zip_longest(growing.laws, growing.keys[: len(growing.laws)]):
                yield _Curve(
                    holder=str(key) if key is not None else None,
                    lifecycle=growing.lifecycle,
                    unit=growing.unit,
                    source=growing.source,
                    confidence=growing.confidence,
                    shape=law.shape,
                    power=law.power,
                    coefficient=law.coefficient,
                    bytes_per_unit=law.slope,
                    r_squared=law.r_squared,
                    points=law.points,
                    first_x=law.first_x,
                    last_x=law.last_x,
                    grown_bytes=law.grown_bytes,
                    last_bytes=law.last_bytes,
                    end_x=growing.end_x,
                )


def _measured(number: int, series: Series, point: Point, *, at_death: bool) -> _Measured:
    return _Measured(
        series=number,
        holder=str(series.holder) if series.holder is not None else None,
        class_name=series.class_name,
        lifecycle=series.lifecycle,
        unit=series.unit,
        group=series.group,
        source=series.source,
        x=point.x,
        bytes=point.size_bytes,
        at_death=at_death,
        upper_bound=series.upper_bounds,
    )
