"""Pictures of a diagnosis as inline SVG: no script, no network, colours from the style sheet.

The functions place numbers on paper and decide nothing about them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from mprof.report.svg import LETTER, WIDTH, circle, drawing, line, polyline, rect, text
from mprof.report.ticks import ticks
from mprof.units import GIB, KIB, MIB, format_bytes, format_count

__all__ = ["Bar", "Curve", "Part", "bars_svg", "composition_svg", "curves_svg"]

HEIGHT = 260
LEFT, RIGHT, TOP, BOTTOM = 74, 34, 16, 42
LEGEND_HEIGHT = 18
LEGEND_GAP = 10
BAR_HEIGHT = 20
BAR_GAP = 6
BAR_LABEL, BAR_TEXT = 136, 90


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a growth picture.

    Attributes:
        points: (x, bytes), in order of x.
        style: class of the line in the style sheet: ``user``, ``live`` or ``other``.
        death: (x, bytes) at death, drawn as a ring, or None.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    style: str
    death: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a skew picture."""

    label: str
    value: float
    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a stacked bar.

    Attributes:
        ratio: of the whole bar.
        legend: what is said of it, None for a piece too small to be looked up.
    """

    style: str
    ratio: float
    legend: str | None


def curves_svg(
    curves: Sequence[Curve], *, x_title: str, limit_bytes: float | None, limit_title: str
) -> Markup:
    """Bytes over records or groups, with the heap's limit as a dashed line."""
    everything = [p for c in curves for p in (*c.points, *((c.death,) if c.death else ()))]
    if not everything:
        return Markup()
    x_most = max(x for x, _ in everything) or 1.0
    y_most = max([y for _, y in everything] + ([limit_bytes] if limit_bytes else [])) * 1.06 or 1.0

    def at(point: tuple[float, float]) -> tuple[float, float]:
        x, y = point
        return (
            LEFT + (WIDTH - LEFT - RIGHT) * x / x_most,
            HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / y_most,
        )

    parts = _grid(x_most, y_most, x_title)
    if limit_bytes:
        _, y = at((0, limit_bytes))
        parts.append(line("limit", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y))
        parts.append(text(limit_title, x=WIDTH - RIGHT, y=y - 4, anchor="end"))
    for number, curve in enumerate(curves):
        placed = [at(p) for p in (*curve.points, *((curve.death,) if curve.death else ()))]
        parts.append(polyline(f"curve {curve.style}", placed))
        dots = [at(p) for p in curve.points]
        parts += [circle(f"dot {curve.style}", x=x, y=y, radius=3) for x, y in dots]
        if curve.death:
            x, y = at(curve.death)
            parts.append(circle("death", x=x, y=y, radius=6))
        # Below the picture, where no curve can cross it.
        y = HEIGHT + LEGEND_GAP + LEGEND_HEIGHT * (number + 0.5)
        parts.append(line(f"curve {curve.style}", x1=LEFT, x2=LEFT + 24, y1=y - 4, y2=y - 4))
        parts.append(text(curve.name, x=LEFT + 32, y=y))
    height = HEIGHT + LEGEND_GAP + LEGEND_HEIGHT * len(curves)
    return drawing(height, parts, f"Growth over {x_title}")


def bars_svg(bars: Sequence[Bar], *, title: str) -> Markup:
    """Horizontal bars, the marked ones in the colour of a finding."""
    most = max(bar.value for bar in bars) or 1.0
    parts = []
    for number, bar in enumerate(bars):
        y = (BAR_HEIGHT + BAR_GAP) * number
        width = (WIDTH - BAR_LABEL - BAR_TEXT) * bar.value / most
        style = "bar marked" if bar.marked else "bar"
        parts.append(text(bar.label, x=BAR_LABEL - 8, y=y + 14, anchor="end"))
        parts.append(rect(style, x=BAR_LABEL, y=y, width=max(width, 1), height=BAR_HEIGHT))
        parts.append(text(bar.text, x=BAR_LABEL + width + 8, y=y + 14))
    return drawing((BAR_HEIGHT + BAR_GAP) * len(bars), parts, title)


def composition_svg(pieces: Sequence[Part], *, title: str) -> Markup:
    """One stacked bar as wide as the picture, with a legend below."""
    parts = []
    x, legend_x, legend_y = 0.0, 0.0, 58
    for piece in pieces:
        width = WIDTH * piece.ratio
        parts.append(rect(f"owner {piece.style}", x=x, y=4, width=width, height=28))
        x += width
        if piece.legend is None:
            continue
        needed = 17 + LETTER * len(piece.legend)
        if legend_x + needed > WIDTH:
            legend_x, legend_y = 0.0, legend_y + 20
        style = f"owner {piece.style}"
        parts.append(rect(style, x=legend_x, y=legend_y - 10, width=12, height=12))
        parts.append(text(piece.legend, x=legend_x + 17, y=legend_y))
        legend_x += needed + 18
    return drawing(legend_y + 10, parts, title)


def _grid(x_most: float, y_most: float, x_title: str) -> list[Markup]:
    """Lines at round values, so that a reader can tell what lies between two of them."""
    parts = []
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    unit = next((unit for unit in (GIB, MIB, KIB) if unit <= y_most), 1)
    for size in ticks(y_most, unit):
        y = bottom - (bottom - TOP) * size / y_most
        parts.append(line("grid", x1=LEFT, x2=right, y1=y, y2=y))
        parts.append(text(format_bytes(size), x=LEFT - 8, y=y + 4, anchor="end"))
    for count in ticks(x_most, 1):
        x = LEFT + (right - LEFT) * count / x_most
        parts.append(text(format_count(count), x=x, y=bottom + 16, anchor="middle"))
    parts.append(text(x_title, x=(LEFT + right) / 2, y=HEIGHT - 6, anchor="middle"))
    return parts
