"""Where no rule fires: the steepest growth, and the records or groups it belongs to.

The paper reports the highest slope of all record and group intervals as error-related data
(section 5.2). It is no cause.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal

from mprof.evidence import Evidence, Series, known
from mprof.units import format_bytes, format_count

__all__ = ["Steepest", "steepest_growth"]


@dataclass(frozen=True, slots=True)
class Steepest:
    """Data between two points, and what grew there."""

    kind: Literal["records", "groups", "record"]
    first: int
    last: int
    group: int | None
    records: int | None
    bytes: int
    text: str


def steepest_growth(evidence: Evidence) -> Steepest | None:
    """Of each series' interval of highest slope the one that grew most; None without any growth.

    The growth at R_n stands for it where that is more.
    """
    growth = known(evidence.record_growth)
    position = known(evidence.position)
    found = [one for series in evidence.series if (one := _of_series(series)) is not None]
    best = max(found, key=lambda one: one.bytes, default=None)
    if growth is not None and growth.last_bytes > (best.bytes if best else 0):
        ordinal = (position.record_in_group or position.record or 0) if position else 0
        first = max(1, ordinal - growth.last_records + 1)
        return Steepest(
            kind="record" if growth.last_records <= 1 else "records",
            first=first,
            last=ordinal,
            group=position.group if position else None,
            records=growth.last_records,
            bytes=growth.last_bytes,
            text=f"memory grew most, by {format_bytes(growth.last_bytes)}, "
            f"{_span('record', first, ordinal)}",
        )
    return best


def _of_series(series: Series) -> Steepest | None:
    death = () if series.at_death is None else (series.at_death,)
    points = sorted((*series.points, *death), key=lambda point: point.x)
    pairs = [(a, b) for a, b in itertools.pairwise(points) if b.x > a.x]
    if not pairs or series.unit == "byte_read":
        return None
    a, b = max(pairs, key=lambda p: (p[1].size_bytes - p[0].size_bytes) / (p[1].x - p[0].x))
    grown = round(b.size_bytes - a.size_bytes)
    if grown <= 0:
        return None
    groups = series.unit == "group"
    first, last = round(a.x) + 1, round(b.x)
    return Steepest(
        kind="groups" if groups else "records",
        first=first,
        last=last,
        group=series.group,
        records=None if groups else last - first + 1,
        bytes=grown,
        text=f"memory grew fastest, by {format_bytes(grown)}, "
        f"{_span('group' if groups else 'record', first, last)}",
    )


def _span(word: str, first: int, last: int) -> str:
    if first == last:
        return f"at {word} {format_count(last)}"
    return f"from {word} {format_count(first)} to {word} {format_count(last)}"
