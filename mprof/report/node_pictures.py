"""Pictures of nodes beside their peers: durations, a metric over time, alarms."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from markupsafe import Markup

from mprof.peers.pictures import Alarms, Band, Strip
from mprof.report.node_rows import LABEL, node_label, time_axis
from mprof.report.svg import LETTER, WIDTH, drawing, line, polygon, polyline, rect, text
from mprof.report.ticks import ticks
from mprof.report.times import duration_text, moment_text

__all__ = ["alarms_svg", "band_svg", "strip_svg"]

RIGHT, AXIS = 66, 24
ROW_HEIGHT, ROW_GAP = 16, 5
HEIGHT, LEFT, TOP, BOTTOM = 220, 74, 12, 30


def strip_svg(strip: Strip) -> Markup:
    """A bar a node, from its low to its high durations, with a tick at the median."""
    most = max(row.high for row in strip.rows) or 1.0
    width = WIDTH - LABEL - RIGHT
    bottom = (ROW_HEIGHT + ROW_GAP) * len(strip.rows)
    parts = list(time_axis(most, width=width, bottom=bottom))
    for number, row in enumerate(strip.rows):
        y = (ROW_HEIGHT + ROW_GAP) * number
        low, middle, high = (
            LABEL + width * each / most for each in (row.low, row.middle, row.high)
        )
        style = "bar marked" if row.is_suspect else "bar"
        parts.append(node_label(row.host, y=y + 12))
        title = f"{row.host}: median {duration_text(row.middle)} of {row.count:,}"
        parts.append(
            rect(style, x=low, y=y, width=max(high - low, 2), height=ROW_HEIGHT, title=title)
        )
        parts.append(line("tick", x1=middle, x2=middle, y1=y, y2=y + ROW_HEIGHT))
        parts.append(text(duration_text(row.middle), x=high + 8, y=y + 12))
    return drawing(bottom + AXIS, parts, f"Durations of {strip.state}")


def band_svg(band: Band) -> Markup:
    """A metric of a node over time, in front of the middle half of its peers."""
    known = [v for column in (band.own, band.high) for v in column if not math.isnan(v)]
    most = (max(known, default=0.0) or 1.0) * 1.05
    whole_s = band.at_s[-1] or 1.0
    right, bottom = WIDTH - 16, HEIGHT - BOTTOM

    def at(seconds: float, value: float) -> tuple[float, float]:
        return (
            LEFT + (right - LEFT) * seconds / whole_s,
            bottom - (bottom - TOP) * value / most,
        )

    parts = []
    if band.alarm_s is not None:
        first, last = (min(max(each, 0.0), whole_s) for each in band.alarm_s)
        x, _ = at(first, 0)
        wide = at(last, 0)[0] - x
        parts.append(rect("alarm", x=x, y=TOP, width=max(wide, 2), height=bottom - TOP))
    for tick in ticks(most, _unit_of(most)):
        _, y = at(0, tick)
        parts.append(line("grid", x1=LEFT, x2=right, y1=y, y2=y))
        parts.append(text(f"{tick:g} {band.unit}", x=LEFT - 8, y=y + 4, anchor="end"))
    for tick in ticks(whole_s, 60 if whole_s >= 240 else 1):
        x, _ = at(tick, 0)
        parts.append(
            text(duration_text(tick) if tick else "0", x=x, y=bottom + 16, anchor="middle")
        )
    for run in _runs(band.at_s, band.low, band.high):
        there = [at(seconds, low) for seconds, low, _ in run]
        back = [at(seconds, high) for seconds, _, high in reversed(run)]
        parts.append(polygon("band", [*there, *back]))
    parts += [
        polyline("curve own", [at(seconds, value) for seconds, value in run])
        for run in _runs(band.at_s, band.own)
    ]
    return drawing(HEIGHT, parts, f"{band.what} of {band.host} and its peers")


def alarms_svg(alarms: Sequence[Alarms]) -> Markup:
    """A bar a node and comparison, from the first alarm to the last."""
    begin_s = min(one.since_s for one in alarms)
    whole_s = max(one.until_s for one in alarms) - begin_s or 1.0
    width = WIDTH - LABEL - 16
    parts = []
    y = 0.0
    for host, group in groupby(alarms, key=lambda one: one.host):
        parts.append(node_label(host, y=y + 26))
        for one in group:
            x = LABEL + width * (one.since_s - begin_s) / whole_s
            wide = width * (one.until_s - one.since_s) / whole_s
            anchor, at = ("start", x) if LETTER * len(one.by) < WIDTH - x else ("end", WIDTH)
            parts.append(text(one.by, x=at, y=y + 10, anchor=anchor))
            parts.append(
                rect("bar marked", x=x, y=y + 15, width=max(wide, 3), height=12,
                     title=f"{moment_text(one.since_s)} to {moment_text(one.until_s)}")
            )  # fmt: skip
            y += 34
    parts.append(text(moment_text(begin_s), x=LABEL, y=y + 12))
    return drawing(y + 18, parts, "Alarms over time")


def _unit_of(most: float) -> float:
    """A power of ten of which the axis holds some, so that its marks are round."""
    return float(10 ** (math.floor(math.log10(most)) - 1))


def _runs(*columns: Sequence[float]) -> Iterator[list[tuple[float, ...]]]:
    """What is known without a gap, piece by piece."""
    rows = zip(*columns, strict=True)
    for unknown, run in groupby(rows, key=lambda row: any(math.isnan(each) for each in row)):
        if not unknown:
            yield list(run)
