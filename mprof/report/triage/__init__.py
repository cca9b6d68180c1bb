"""A triage as text, JSON and HTML."""

from __future__ import annotations

from mprof.report.json_text import json_text
from mprof.report.lines import in_lines
from mprof.report.triage.html import page_of
from mprof.report.triage.json import to_json
from mprof.report.triage.text import text_of
from mprof.report.triage.view import view_of
from mprof.triage import Triage

__all__ = ["render_html", "render_json", "render_text"]


def render_text(triage: Triage) -> str:
    """The report for a terminal."""
    return text_of(in_lines(view_of(triage)))


def render_html(triage: Triage, *, link: str | None = None) -> str:
    """The report as one offline page; ``link`` leads to the job among the others of its cluster."""
    return page_of(in_lines(view_of(triage)), link)


def render_json(triage: Triage) -> str:
    """The triage as its public JSON object, indented."""
    return json_text(to_json(triage))
