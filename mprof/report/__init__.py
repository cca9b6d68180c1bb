"""A diagnosis as text, JSON and HTML.

Text and HTML put the view of a diagnosis (`report.view`) on paper: what to show and in which order
is decided there, and nowhere else. The JSON object is a contract of its own (`report.json`), and
needs none of the modules for text and HTML.
"""

from __future__ import annotations

from mprof.diagnosis import Diagnosed
from mprof.findings import Findings
from mprof.report.advised import advised_json, advised_sentences
from mprof.report.json import schema_of_today, to_json, verdict_of
from mprof.report.json_text import json_text

__all__ = [
    "advised_json",
    "advised_sentences",
    "render_findings",
    "render_findings_json",
    "render_html",
    "render_json",
    "render_text",
    "schema_of_today",
    "to_json",
    "verdict_of",
]


def render_text(diagnosed: Diagnosed) -> str:
    """The report for a terminal."""
    from mprof.report.text import text_of
    from mprof.report.view import in_lines, view_of

    return text_of(in_lines(view_of(diagnosed)))


def render_html(diagnosed: Diagnosed) -> str:
    """The report as one offline page."""
    from mprof.report.html import page_of
    from mprof.report.view import in_lines, view_of

    return page_of(in_lines(view_of(diagnosed)))


def render_json(diagnosed: Diagnosed) -> str:
    """The diagnosis as its public JSON object, indented."""
    return json_text(to_json(diagnosed))


def render_findings(findings: Findings) -> str:
    """Every death that was found, for a terminal."""
    from mprof.report.several import findings_text

    return findings_text(findings)


def render_findings_json(findings: Findings) -> str:
    """The same as a JSON object, indented; of one death it is that of its diagnosis."""
    from mprof.report.several import findings_json

    return json_text(findings_json(findings))
