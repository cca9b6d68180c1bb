"""Pictures of a diagnosis as inline SVG: no script, no network, colours from the style sheet.

The functions place numbers on paper and compute nothing about them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from mprof.units import format_bytes, format_count

__all__ = ["Bar", "Curve", "bars_svg", "composition_svg", "curves_svg"]

WIDTH = 680
HEIGHT = 260
LEFT, RIGHT, TOP, BOTTOM = 74, 34, 16, 42
LEGEND_HEIGHT = 18
GRID_LINES = 4
BAR_HEIGHT = 20
# More bars than this cannot be told apart; the caller passes the ones that matter.
MOST_BARS = 24


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a growth picture.

    Attributes:
        name: what grew.
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


def curves_svg(
    curves: Sequence[Curve], *, x_title: str, limit_bytes: float | None, limit_title: str
) -> str:
    """Bytes over records or groups, with the heap's limit as a dashed line."""
    everything = [p for c in curves for p in (*c.points, *((c.death,) if c.death else ()))]
    if not everything:
        return ""
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
        parts.append(_line("limit", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y))
        parts.append(_text(limit_title, x=WIDTH - RIGHT, y=y - 4, anchor="end"))
    for number, curve in enumerate(curves):
        placed = [at(p) for p in curve.points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        parts.append(f'<polyline class="curve {curve.style}" points="{line}"/>')
        parts += [_circle(f"dot {curve.style}", x=x, y=y, radius=3) for x, y in placed]
        if curve.death:
            x, y = at(curve.death)
            parts.append(_circle("death", x=x, y=y, radius=6))
        # Below the picture, where no curve can cross it.
        y = HEIGHT + LEGEND_HEIGHT * (number + 0.5)
        parts.append(_line(f"curve {curve.style}", x1=LEFT, x2=LEFT + 24, y1=y - 4, y2=y - 4))
        parts.append(_text(curve.name, x=LEFT + 32, y=y))
    height = HEIGHT + LEGEND_HEIGHT * (len(curves) + 0.5)
    return _svg(height, parts, f"Growth over {x_title}")


def bars_svg(bars: Sequence[Bar], *, title: str, fence: float | None = None) -> str:
    """Horizontal bars, the marked ones in the colour of a finding, a fence as a dashed line."""
    shown = list(bars)[:MOST_BARS]
    if not shown:
        return ""
    most = max([b.value for b in shown] + ([fence] if fence else [])) or 1.0
    left, right = 190, 120
    height = TOP + (BAR_HEIGHT + 6) * len(shown) + 10
    parts = []
    for number, bar in enumerate(shown):
        y = TOP + (BAR_HEIGHT + 6) * number
        width = (WIDTH - left - right) * bar.value / most
        style = "bar marked" if bar.marked else "bar"
        parts.append(_text(bar.label, x=left - 8, y=y + 14, anchor="end"))
        parts.append(_rect(style, x=left, y=y, width=max(width, 1), height=BAR_HEIGHT))
        parts.append(_text(bar.text, x=left + width + 8, y=y + 14))
    if fence:
        x = left + (WIDTH - left - right) * fence / most
        parts.append(_line("limit", x1=x, x2=x, y1=TOP - 6, y2=height - 6))
    return _svg(height, parts, title)


def composition_svg(parts_bytes: Sequence[tuple[str, str, float]], *, total: float) -> str:
    """One stacked bar: (name, style, bytes) of each owner, with a legend below."""
    parts = []
    x = float(LEFT)
    width = WIDTH - LEFT - RIGHT
    legend_x, legend_y = LEFT, 66
    for name, style, size in parts_bytes:
        if size <= 0:
            continue
        piece = width * size / total
        parts.append(_rect(f"owner {style}", x=x, y=TOP, width=max(piece, 1), height=28))
        x += piece
        text = f"{name} {format_bytes(size)}"
        if legend_x + 8 * len(text) > WIDTH - RIGHT:
            legend_x, legend_y = LEFT, legend_y + 20
        parts.append(_rect(f"owner {style}", x=legend_x, y=legend_y - 10, width=12, height=12))
        parts.append(_text(text, x=legend_x + 17, y=legend_y))
        legend_x += 36 + 7 * len(text)
    return _svg(legend_y + 16, parts, "What filled the heap")


def _grid(x_most: float, y_most: float, x_title: str) -> list[str]:
    parts = []
    for step in range(GRID_LINES + 1):
        y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * step / GRID_LINES
        x = LEFT + (WIDTH - LEFT - RIGHT) * step / GRID_LINES
        parts.append(_line("grid", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y))
        y_text, x_text = y_most * step / GRID_LINES, x_most * step / GRID_LINES
        parts.append(_text(format_bytes(y_text), x=LEFT - 8, y=y + 4, anchor="end"))
        parts.append(_text(format_count(x_text), x=x, y=HEIGHT - BOTTOM + 16, anchor="middle"))
    parts.append(_text(x_title, x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 6, anchor="middle"))
    return parts


def _line(style: str, *, x1: float, x2: float, y1: float, y2: float) -> str:
    return f'<line class="{style}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def _rect(style: str, *, x: float, y: float, width: float, height: float) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect class="{style}" {place} rx="2"/>'


def _circle(style: str, *, x: float, y: float, radius: int) -> str:
    return f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>'


def _text(text: str, *, x: float, y: float, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(height: float, parts: Sequence[str], title: str) -> str:
    body = "\n".join(parts)
    head = f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
    return f"{head}\n{body}\n</svg>"
