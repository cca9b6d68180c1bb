"""Which growth curves a report shows."""

from __future__ import annotations

from mprof.evidence import Evidence, Point, Series
from mprof.report.view.model import CurveView, ViewPoint

__all__ = ["curves_of"]

MOST_CURVES = 3
"""Curves; a fourth could not be told from the others in one small picture."""

_NEAREST_FIRST = {"dump": 0, "histogram": 1, "passive": 2}
"""A dump measures one object, a histogram its class, a collection only the whole live heap."""


def curves_of(evidence: Evidence) -> tuple[CurveView, ...]:
    """The curves worth showing: of the most exact source first, then the largest at the end."""
    measured = [one for one in evidence.series if one.points]
    measured.sort(key=lambda one: (_NEAREST_FIRST[one.source], -_last(one).size_bytes))
    return tuple(_curve(evidence, one) for one in measured[:MOST_CURVES])


def _last(series: Series) -> Point:
    return series.at_death or max(series.points, key=lambda point: point.x)


def _curve(evidence: Evidence, series: Series) -> CurveView:
    holder = evidence.holder(series.holder)
    of_class = series.holder is None and series.class_name is not None
    of = series.class_name if series.holder is None else str(series.holder)
    of = holder.path if holder is not None else of
    points = sorted(series.points, key=lambda point: (point.x, point.size_bytes))
    death = series.at_death
    return CurveView(
        of=of,
        of_class=of_class,
        unit=series.unit,
        source=series.source,
        points=tuple(ViewPoint(one.x, one.size_bytes) for one in points),
        death=ViewPoint(death.x, death.size_bytes) if death is not None else None,
        by_histogram=series.by_histogram > 0,
    )
