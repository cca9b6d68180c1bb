"""A comparison of nodes as text and JSON."""

from __future__ import annotations

from mprof.peers.looking import NodeFindings
from mprof.report.json_text import json_text
from mprof.report.nodes.changes import change_as_json, change_as_text
from mprof.report.nodes.json import to_json
from mprof.report.nodes.text import text_of

__all__ = ["change_as_json", "change_as_text", "render_json", "render_text"]


def render_text(found: NodeFindings) -> str:
    """The report for a terminal."""
    return text_of(found)


def render_json(found: NodeFindings) -> str:
    """The comparisons as their public JSON object, indented."""
    return json_text(to_json(found))
