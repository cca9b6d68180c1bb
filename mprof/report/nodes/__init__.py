"""A comparison of nodes as text, JSON and HTML, and changes of it as lines."""

from __future__ import annotations

from mprof.peers.findings import NodeFindings
from mprof.peers.pictures import Pictures
from mprof.report.json_text import json_text
from mprof.report.lines import in_lines
from mprof.report.nodes.changes import change_as_json, change_as_text, state_as_json, state_as_text
from mprof.report.nodes.html import page_of
from mprof.report.nodes.json import to_json
from mprof.report.nodes.text import text_of
from mprof.report.nodes.view import view_of

__all__ = [
    "change_as_json",
    "change_as_text",
    "render_html",
    "render_json",
    "render_text",
    "state_as_json",
    "state_as_text",
]


def render_text(found: NodeFindings) -> str:
    """The report for a terminal."""
    return text_of(in_lines(view_of(found)))


def render_html(found: NodeFindings, pictures: Pictures, *, store: str) -> str:
    """The report as one offline page."""
    view, shown = in_lines(view_of(found)), in_lines(pictures)
    return page_of(view, shown, store=in_lines(store))


def render_json(found: NodeFindings) -> str:
    """The comparisons as their public JSON object, indented."""
    return json_text(to_json(found))
