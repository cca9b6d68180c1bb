"""A comparison of nodes as text and JSON."""

from __future__ import annotations

from collections.abc import Sequence

from mprof.peers.look import Look
from mprof.peers.looking import suspects
from mprof.report.json_text import json_text
from mprof.report.nodes.json import to_json
from mprof.report.nodes.text import text_of

__all__ = ["render_json", "render_text"]


def render_text(looks: Sequence[Look]) -> str:
    """The report for a terminal."""
    return text_of(looks, suspects(looks))


def render_json(looks: Sequence[Look]) -> str:
    """The comparisons as their public JSON object, indented."""
    return json_text(to_json(looks, suspects(looks)))
