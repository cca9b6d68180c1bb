"""What pictures with a row a node have in common: its name before the row, and an axis of time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from markupsafe import Markup

from mprof.report.svg import line, text
from mprof.report.ticks import ticks
from mprof.report.times import duration_text

__all__ = ["LABEL", "node_label", "time_axis"]

LABEL: Final = 128
"""Width of the column with the names."""
_LONGEST: Final = 19


def node_label(host: str, *, y: float) -> Markup:
    """The name of a node, cut where it is longer than the column is wide."""
    shown = host if len(host) <= _LONGEST else f"{host[: _LONGEST - 3]}..."
    return text(shown, x=LABEL - 8, y=y, anchor="end")


def time_axis(most_s: float, *, width: float, bottom: float) -> Iterator[Markup]:
    """Lines at round durations behind the rows, and the durations below them."""
    for tick in ticks(most_s, 1):
        x = LABEL + width * tick / most_s
        yield line("grid", x1=x, x2=x, y1=0, y2=bottom)
        yield text(duration_text(tick) if tick else "0", x=x, y=bottom + 16, anchor="middle")
