"""What a report says of the script that a job was compiled from."""

from __future__ import annotations

from mprof.diagnosis import Diagnosis
from mprof.evidence import Evidence, Script, ScriptSite
from mprof.report.view.model import ScriptView, StatementView

__all__ = ["script_of", "statement_text"]


def script_of(diagnosis: Diagnosis, evidence: Evidence) -> ScriptView | None:
    """The statements of the step at death, and those that a cause names, by line."""
    script = evidence.script
    if script is None or evidence.death.kind == "none":
        return None
    places = (one.finding.where for one in diagnosis.causes)
    named = {
        one.script.alias: one.script for one in places if one is not None and one.script is not None
    }
    sites = {**{one.alias: one for one in script.statements}, **named}
    return ScriptView(
        framework=script.framework,
        name=script.name or "",
        statements=tuple(
            StatementView(one.alias, one.line, script.text_of(one) or "", one.alias in named)
            for one in sorted(sites.values(), key=lambda one: (one.line or 0, one.alias))
        ),
    )


def statement_text(site: ScriptSite | None, script: Script | None) -> str:
    """``alias grouped (report.pig:4)``; empty without a statement."""
    if site is None:
        return ""
    name = script.name if script is not None else None
    if site.line is None:
        return f"alias {site.alias}"
    return (
        f"alias {site.alias} ({name}:{site.line})"
        if name
        else f"alias {site.alias} (line {site.line})"
    )
