"""Tables of growth: the points that were measured, and the curves fitted to them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

import pandas as pd

from mprof.diagnosis import Diagnosed
from mprof.evidence import Point, Series
from mprof.patterns import Growing
from mprof.patterns.growth import Law
from mprof.tables.columns import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    STRING,
    Columns,
    Row,
    table_of,
    words_of,
)

__all__ = ["curves", "growth"]

_GROWTH: Final[Columns] = {
    "series": INTEGER,
    "holder": STRING,
    "class_name": STRING,
    "lifecycle": words_of(Series, "lifecycle"),
    "unit": words_of(Series, "unit"),
    "group": INTEGER,
    "source": words_of(Series, "source"),
    "x": FLOAT,
    "bytes": FLOAT,
    "at_death": BOOLEAN,
    "upper_bound": BOOLEAN,
}

_CURVES: Final[Columns] = {
    "holder": STRING,
    "lifecycle": words_of(Growing, "lifecycle"),
    "unit": words_of(Growing, "unit"),
    "source": words_of(Growing, "source"),
    "confidence": words_of(Growing, "confidence"),
    "shape": words_of(Law, "shape"),
    "power": FLOAT,
    "coefficient": FLOAT,
    "bytes_per_unit": FLOAT,
    "r_squared": FLOAT,
    "points": INTEGER,
    "first_x": FLOAT,
    "last_x": FLOAT,
    "grown_bytes": FLOAT,
    "last_bytes": FLOAT,
    "end_x": FLOAT,
}


def growth(diagnosed: Diagnosed) -> pd.DataFrame:
    """Every size that was measured in the diagnosed attempt, by series and x.

    ===========  ========  =======  ================================================================
    column       dtype     unit     meaning; what NA says
    ===========  ========  =======  ================================================================
    series       Int64     index    the points of one series belong together
    holder       string             what was measured, as in `holders`; NA: a class, or the whole
                                    live heap
    class_name   string             class that was measured; NA: a holder, or the whole live heap
    lifecycle    category           map, reduce, group or record: how long it lives
    unit         category           what x counts: record, group, record_in_group or byte_read
    group        Int64     ordinal  group inside which x counts; NA: x counts in the whole task
    source       category           dump, histogram (of classes), or passive (after a collection)
    x            Float64   unit     taken in before the point: 0 before the first
    bytes        Float64   bytes    size at that point
    at_death     boolean            the last point, of the heap at death
    upper_bound  boolean            garbage may be among the bytes: at most so much was live
    ===========  ========  =======  ================================================================
    """
    return table_of(
        _GROWTH,
        (
            row
            for number, series in enumerate(diagnosed.evidence.series)
            for row in _points(number, series)
        ),
    )


def curves(diagnosed: Diagnosed) -> pd.DataFrame:
    """The laws of what grows with its data, as the rules read them: y = a + coefficient * x^power.

    ==============  ========  ==============  ======================================================
    column          dtype     unit            meaning; what NA says
    ==============  ========  ==============  ======================================================
    holder          string                    what grows, as in `holders`; NA: the whole live heap
                                              or a class was measured
    lifecycle       category                  map, reduce or group: how long it lives
    unit            category                  what x counts
    source          category                  of the points: dump, histogram or passive
    confidence      category                  sure, likely or possible: whose growth it is
    shape           category                  of the law that was chosen, as in growth-laws.md
    power           Float64                   of x; NA: another law
    coefficient     Float64   bytes           for x to that power; NA: another law
    bytes_per_unit  Float64   bytes per unit  over the whole range of x
    r_squared       Float64   share           of the variance that is explained, 0 to 1
    points          Int64     points          that were fitted
    first_x         Float64   unit            smallest x
    last_x          Float64   unit            largest x
    grown_bytes     Float64   bytes           size at the last point less that at the first
    last_bytes      Float64   bytes           size at the last point
    end_x           Float64   unit            x at the end of the split, partition or group;
                                              NA: not known
    ==============  ========  ==============  ======================================================

    What a single dump shows to grow has no points to fit, and no row.
    """
    return table_of(
        _CURVES,
        (
            row
            for growing in diagnosed.patterns.growths
            if isinstance(growing, Growing)
            for row in _curves(growing)
        ),
    )


def _points(number: int, series: Series) -> Iterator[Row]:
    def row(point: Point, *, at_death: bool) -> Row:
        return {
            "series": number,
            "holder": str(series.holder) if series.holder is not None else None,
            "class_name": series.class_name,
            "lifecycle": series.lifecycle,
            "unit": series.unit,
            "group": series.group,
            "source": series.source,
            "x": point.x,
            "bytes": point.size_bytes,
            "at_death": at_death,
            "upper_bound": series.upper_bounds,
        }

    for point in sorted(series.points, key=lambda one: (one.x, one.size_bytes)):
        yield row(point, at_death=False)
    if series.at_death is not None:
        yield row(series.at_death, at_death=True)


def _curves(growing: Growing) -> Iterator[Row]:
    for law, key in zip_longest(growing.laws, growing.keys[: len(growing.laws)]):
        yield {
            "holder": str(key) if key is not None else None,
            "lifecycle": growing.lifecycle,
            "unit": growing.unit,
            "source": growing.source,
            "confidence": growing.confidence,
            "shape": law.shape,
            "power": law.power,
            "coefficient": law.coefficient,
            "bytes_per_unit": law.slope,
            "r_squared": law.r_squared,
            "points": law.points,
            "first_x": law.first_x,
            "last_x": law.last_x,
            "grown_bytes": law.grown_bytes,
            "last_bytes": law.last_bytes,
            "end_x": growing.end_x,
        }
