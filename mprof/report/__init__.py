"""A diagnosis as text, JSON and HTML. No arithmetic happens here."""

from __future__ import annotations

import msgspec

from mprof.diagnosis import Diagnosed
from mprof.report.html import render_html
from mprof.report.text import render_text

__all__ = ["render_html", "render_json", "render_text"]


def render_json(diagnosed: Diagnosed) -> str:
    """The diagnosis as its public JSON object, indented."""
    return msgspec.json.format(msgspec.json.encode(diagnosed.to_json()), indent=2).decode()
