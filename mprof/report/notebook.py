"""What a notebook shows of a diagnosis or of the summary of a heap: HTML that touches nothing else.

Names of classes, files and keys come from whoever ran the job. All of them are escaped, and a page
with scripts stands in a frame of its own, from which it reaches neither the notebook nor the net.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from mprof.diagnosis import Diagnosed
from mprof.heap import HeapSummary
from mprof.report import render_html
from mprof.units import format_bytes

__all__ = ["diagnosis_html", "heap_html"]

_ROWS: Final = 20
_FRAME: Final = (
    '<iframe sandbox="allow-scripts" style="width:100%;height:40em;border:1px solid #ccc" '
    'srcdoc="{}"></iframe>'
)


def diagnosis_html(diagnosed: Diagnosed) -> str:
    """The page of a report, in a frame."""
    return _FRAME.format(escape(render_html(diagnosed)))


def heap_html(summary: HeapSummary) -> str:
    """The largest classes and the largest objects of a heap, with who holds them."""
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
    losses = "".join(f"<p>{escape(each)}</p>" for each in summary.losses)
    return (
        f"<p><b>{total}</b></p>{losses}"
        + _table(("objects", "shallow", "retained", "class"), classes)
        + _table(("retained", "object of class", "held by"), largest)
    )


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(each)}</td>" for each in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
