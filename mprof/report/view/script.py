"""What a report says of the script or query that a job was compiled from."""

from __future__ import annotations

from collections.abc import Sequence

from mprof.diagnosis import Diagnosis
from mprof.evidence import Evidence, Script, ScriptSite
from mprof.report.view.model import ScriptView, StatementView

__all__ = ["script_of"]


def script_of(diagnosis: Diagnosis, evidence: Evidence) -> ScriptView | None:
    """The statements of the step at death, and those that a cause names, by line."""
    script = evidence.script
    if script is None or evidence.death.kind == "none":
        return None
    places = (one.finding.where for one in diagnosis.causes)
    named = [one.script for one in places if one is not None and one.script is not None]
    listed = _lines if script.framework.unit == "query" else _statements
    return ScriptView(
        framework=script.framework.name,
        unit=script.framework.unit,
        name=script.name or "",
        statements=listed(script, named),
    )


def _statements(script: Script, named: Sequence[ScriptSite]) -> tuple[StatementView, ...]:
    sites = {one.alias: one for one in (*script.statements, *named)}
    aliases = {one.alias for one in named}
    return tuple(
        StatementView(
            one.alias, script.line_of(one), script.text_of(one) or "", one.alias in aliases
        )
        for one in sorted(sites.values(), key=lambda one: (script.line_of(one) or 0, one.alias))
    )


def _lines(script: Script, named: Sequence[ScriptSite]) -> tuple[StatementView, ...]:
    """The lines of a query; of a long one the clauses that a cause names."""
    found = (script.clause_of(one) for one in named)
    clauses = [one for one in found if one is not None]
    marked = {line for one in clauses for line in range(one.line, one.end + 1)}
    lines = script.shown_lines()
    if not lines:
        lines = tuple(dict.fromkeys((one.line, one.text) for one in clauses))
    return tuple(StatementView("", number, text, number in marked) for number, text in lines)
