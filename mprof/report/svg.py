"""The strokes of which pictures are made: inline SVG, with colours from the style sheet.

Lengths are in units of the picture, which is `WIDTH` wide and is scaled to the page. A style is
one or more classes of the style sheet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from mprof.report.markup import element

__all__ = ["LETTER", "WIDTH", "circle", "drawing", "line", "polygon", "polyline", "rect", "text"]

WIDTH = 680
# Mean width of a letter of the 12-pixel font that the style sheet sets.
LETTER = 6.2


def line(style: str, *, x1: float, x2: float, y1: float, y2: float) -> Markup:
    """A straight line."""
    ends = {"x1": x1, "x2": x2, "y1": y1, "y2": y2}
    return element("line", style=style, **_lengths(ends))


def polyline(style: str, points: Iterable[tuple[float, float]]) -> Markup:
    """A line through points (x, y)."""
    return element("polyline", style=style, points=_corners(points))


def polygon(style: str, points: Iterable[tuple[float, float]]) -> Markup:
    """A closed shape through points (x, y)."""
    return element("polygon", style=style, points=_corners(points))


def rect(
    style: str, *, x: float, y: float, width: float, height: float, title: str | None = None
) -> Markup:
    """A rectangle; its title shows where a pointer rests on it."""
    place = _lengths({"x": x, "y": y, "width": width, "height": height})
    titles = () if title is None else (element("title", title),)
    return element("rect", *titles, style=style, **place, rx=2)


def circle(style: str, *, x: float, y: float, radius: int) -> Markup:
    """A circle around a point."""
    return element("circle", style=style, **_lengths({"cx": x, "cy": y}), r=radius)


def text(words: str, *, x: float, y: float, anchor: str = "start") -> Markup:
    """One line of text, on a base line."""
    return element("text", words, **_lengths({"x": x, "y": y}), text_anchor=anchor)


def drawing(height: float, parts: Sequence[Markup], title: str) -> Markup:
    """The whole picture; its title is for those who do not see it."""
    body = Markup("\n").join(["", *parts, ""])
    box = f"0 0 {WIDTH} {height:.0f}"
    return element("svg", body, viewBox=box, role="img", aria_label=title)


def _lengths(lengths: dict[str, float]) -> dict[str, str]:
    return {name: f"{length:.1f}" for name, length in lengths.items()}


def _corners(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
