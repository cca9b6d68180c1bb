"""Diagnoses, comparisons of nodes and triages as text, JSON and HTML.

Of a diagnosis there is one published value, `report.published.Report`. Its JSON and the schema of
that, the text and the page are made from it, and judge nothing.
"""

from __future__ import annotations

from typing import Any

from mprof.diagnosis import Diagnosed
from mprof.findings import Findings
from mprof.report.json_text import json_object, json_text
from mprof.report.published import FindingsReport, Report
from mprof.report.published.cause import verdict_of

__all__ = [
    "FindingsReport",
    "Report",
    "render_findings",
    "render_findings_json",
    "render_html",
    "render_json",
    "render_text",
    "to_json",
    "verdict_of",
]


def render_text(diagnosed: Diagnosed) -> str:
    """The report for a terminal."""
    from mprof.report.lines import in_lines
    from mprof.report.text import text_of

    return text_of(in_lines(Report.of(diagnosed)))


def render_html(diagnosed: Diagnosed) -> str:
    """The report as one offline page."""
    from mprof.report.html import page_of
    from mprof.report.lines import in_lines

    return page_of(in_lines(Report.of(diagnosed)))


def render_json(diagnosed: Diagnosed) -> str:
    """The diagnosis as its public JSON object, indented."""
    return json_text(Report.of(diagnosed))


def to_json(diagnosed: Diagnosed) -> dict[str, Any]:
    """The same as strings, numbers, lists, dicts and None."""
    found: dict[str, Any] = json_object(Report.of(diagnosed))
    return found


def render_findings(findings: Findings) -> str:
    """Every death that was found, for a terminal."""
    from mprof.report.findings import findings_text

    return findings_text(findings)


def render_findings_json(findings: Findings) -> str:
    """The same as a JSON object, indented; of one death it is that of its diagnosis."""
    return json_text(FindingsReport.of(findings))
