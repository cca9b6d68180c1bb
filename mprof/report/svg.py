"""The strokes of which pictures are made: inline SVG, with colours from the style sheet.

Lengths are in units of the picture, which is `WIDTH` wide and is scaled to the page. A style is a
class of the style sheet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["LETTER", "WIDTH", "circle", "drawing", "line", "polygon", "polyline", "rect", "text"]

WIDTH = 680
# Mean width of a letter of the 12-pixel font that the style sheet sets.
LETTER = 6.2


def line(style: str, *, x1: float, x2: float, y1: float, y2: float) -> str:
    """A straight line."""
    return f'<line class="{style}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def polyline(style: str, points: Iterable[tuple[float, float]]) -> str:
    """A line through points (x, y)."""
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline class="{style}" points="{corners}"/>'


def polygon(style: str, points: Iterable[tuple[float, float]]) -> str:
    """A closed shape through points (x, y)."""
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon class="{style}" points="{corners}"/>'


def rect(
    style: str, *, x: float, y: float, width: float, height: float, title: str | None = None
) -> str:
    """A rectangle; its title shows where a pointer rests on it."""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    shape = f'<rect class="{style}" {place} rx="2"'
    return f"{shape}/>" if title is None else f"{shape}><title>{escape(title)}</title></rect>"


def circle(style: str, *, x: float, y: float, radius: int) -> str:
    """A circle around a point."""
    return f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>'


def text(words: str, *, x: float, y: float, anchor: str = "start") -> str:
    """One line of text, on a base line."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def drawing(height: float, parts: Sequence[str], title: str) -> str:
    """The whole picture; its title is for those who do not see it."""
    body = "\n".join(parts)
    head = f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
    return f"{head}\n{body}\n</svg>"
