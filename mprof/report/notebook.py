"""What a notebook shows of a diagnosis or of the summary of a heap: HTML that touches nothing else.

Names of classes, files and keys come from whoever ran the job; `mprof.report.markup` makes text of
them. A page with scripts stands in a frame of its own, from which it reaches neither the notebook
nor the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from mprof.diagnosis import Diagnosed
from mprof.heap import HeapSummary
from mprof.report import render_html
from mprof.report.markup import element
from mprof.units import format_bytes, format_ratio

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["diagnosis_html", "heap_html"]

_ROWS: Final = 20


def diagnosis_html(diagnosed: Diagnosed) -> str:
    """The page of a report, in a frame."""
    return element(
        "iframe", "", sandbox="allow-scripts", width="100%", height="640",
        srcdoc=render_html(diagnosed),
    )  # fmt: skip


def heap_html(summary: HeapSummary) -> str:
    """Who holds a heap, its largest classes and its largest objects."""
    holders = (
        (format_bytes(row.bytes), format_ratio(row.share), row.name, row.class_name)
        for row in summary.holders[:_ROWS]
    )
    classes = (
        (f"{row.objects:,}", format_bytes(row.shallow_bytes), format_bytes(row.retained_bytes),
         row.name)
        for row in summary.classes[:_ROWS]
    )  # fmt: skip
    largest = (
        (format_bytes(row.retained_bytes), row.class_name, " ← ".join(reversed(row.path)))
        for row in summary.dominators[:_ROWS]
    )
    total = f"{summary.objects:,} objects, {format_bytes(summary.shallow_bytes)}"
    parts = [
        element("p", element("b", total)),
        *(element("p", each) for each in summary.losses),
        _table(("bytes", "share", "held by", "container"), holders),
        _table(("objects", "shallow", "retained", "class"), classes),
        _table(("retained", "object of class", "held by"), largest),
    ]
    return "".join(parts)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    head = element("tr", *(element("th", each) for each in heads))
    body = [element("tr", *(element("td", each) for each in row)) for row in rows]
    return element("table", element("thead", head), element("tbody", *body))
