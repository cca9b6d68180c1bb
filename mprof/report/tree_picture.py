"""A tree of sicknesses as a picture: SVG that needs nothing but itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from mprof.peers.synthesis.tree import HEALTHY, THE_MASTER, THIS, SicknessTree
from mprof.report.markup import element
from mprof.report.sickness import tree_text

__all__ = ["tree_picture"]

_WIDE: Final = 176
_HIGH: Final = 66
_LINE: Final = 17
_GAP_X: Final = 16
_GAP_Y: Final = 58
_MARGIN: Final = 16
_LETTER: Final = 7.2  # pixels of a letter of 13 px, a little more than most
_STYLE: Final = (
    "text{font:13px sans-serif;fill:#1a1a1a;text-anchor:middle}"
    "rect{stroke:#555;stroke-width:1}.paper{fill:#fff;stroke:none}"
    ".edge{fill:none;stroke:#777;stroke-width:1.5}"
    ".test{fill:#f4f4f2}.healthy{fill:#dcefdc}.this{fill:#f6d4cf}.master{fill:#e2d8f0}"
    ".other{fill:#dce6f2}"
)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the middle of a node is, in columns of leaves and in levels."""

    column: float
    level: int


def tree_picture(tree: SicknessTree) -> str:
    """The picture of a tree, from the root at the top to the leaves.

    Boxes say what is compared, edges which values go that way; leaves say the class, and how many
    of their training vectors were of it. Colours tell a healthy run, this node, another node and
    the master apart, as the words do.
    """
    places: dict[int, _Place] = {}
    leaves = _place(tree, 0, 0, 0, places)
    levels = 1 + max(each.level for each in places.values())
    width = 2 * _MARGIN + leaves * (_WIDE + _GAP_X) - _GAP_X
    height = 2 * _MARGIN + levels * (_HIGH + _GAP_Y) - _GAP_Y
    parts = [
        element("title", "Decision tree of sicknesses"),
        element("desc", tree_text(tree)),
        element("style", _STYLE),
        element("rect", style="paper", width=width, height=height),
    ]
    for number in sorted(places):
        parts += _edges(tree, number, places)
    parts += [_box(tree, number, places[number]) for number in sorted(places)]
    body = Markup("\n").join(["", *parts, ""])
    drawn = element(
        "svg",
        body,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
    )
    return f"{drawn}\n"


def _place(
    tree: SicknessTree, number: int, level: int, column: int, places: dict[int, _Place]
) -> int:
    """Put a node and all below it; the number of columns that they take."""
    node = tree.nodes[number]
    if node.value is None:
        places[number] = _Place(column, level)
        return 1
    left = _place(tree, node.left, level + 1, column, places)
    right = _place(tree, node.right, level + 1, column + left, places)
    middle = (places[node.left].column + places[node.right].column) / 2
    places[number] = _Place(middle, level)
    return left + right


def _middle(place: _Place) -> tuple[float, float]:
    x = _MARGIN + place.column * (_WIDE + _GAP_X) + _WIDE / 2
    y = _MARGIN + place.level * (_HIGH + _GAP_Y) + _HIGH / 2
    return x, y


def _edges(tree: SicknessTree, number: int, places: dict[int, _Place]) -> list[Markup]:
    node = tree.nodes[number]
    if node.value is None:
        return []
    x, y = _middle(places[number])
    parts = []
    for below, sign, missing in (
        (node.left, "≤", node.missing_left),
        (node.right, ">", not node.missing_left),
    ):
        to_x, to_y = _middle(places[below])
        top, bottom = y + _HIGH / 2, to_y - _HIGH / 2
        bend = (top + bottom) / 2
        way = f"M{x:.1f} {top:.1f}V{bend:.1f}H{to_x:.1f}V{bottom:.1f}"
        parts.append(element("path", style="edge", d=way))
        if node.cut is None:
            words = "not known" if missing else "known"
        else:
            words = f"{sign} {node.cut:.3g}{' or not known' if node.missing and missing else ''}"
        parts.append(element("text", words, x=f"{to_x:.1f}", y=f"{bend - 5:.1f}"))
    return parts


def _box(tree: SicknessTree, number: int, place: _Place) -> Markup:
    node = tree.nodes[number]
    x, y = _middle(place)
    if node.value is not None:
        kind, words = "test", tree.values[node.value].split(", ")
    else:
        best = max(range(len(tree.classes)), key=lambda one: node.counts[one])
        name = tree.classes[best]
        fault, _, whose = name.rpartition(": ")
        kind = _kind(name)
        words = [
            *filter(None, (fault, whose)),
            f"{node.counts[best]} of {sum(node.counts)} vectors",
        ]
    middle = (len(words) - 1) / 2
    return element(
        "g",
        element("title", ", ".join(words)),
        element(
            "rect",
            style=kind,
            x=f"{x - _WIDE / 2:.1f}",
            y=f"{y - _HIGH / 2:.1f}",
            width=_WIDE,
            height=_HIGH,
            rx=5,
        ),
        *(
            element("text", _shown(word), x=f"{x:.1f}", y=f"{y + (at - middle) * _LINE + 4:.1f}")
            for at, word in enumerate(words)
        ),
    )


def _shown(word: str) -> str:
    fits = int(_WIDE / _LETTER)
    return word if len(word) <= fits else word[: fits - 1] + "…"


def _kind(name: str) -> str:
    if name == HEALTHY:
        return "healthy"
    whose = name.rpartition(": ")[2]
    return {THIS: "this", THE_MASTER: "master"}.get(whose, "other")
