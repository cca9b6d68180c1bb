"""The page of a triage: the docstrings of its branches, and their thresholds."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from mprof.triage import application, failing_jobs, node, settings, skew

__all__ = ["triage_page"]

_MODULES: Final = ("memory", "application", "failing_jobs", "skew", "node", "settings")
_THRESHOLDS: Final = (
    *application.THRESHOLDS, *failing_jobs.THRESHOLDS, *skew.THRESHOLDS, *node.THRESHOLDS,
    *settings.THRESHOLDS,
)  # fmt: skip


def triage_page() -> str:
    """The Markdown page."""
    lines = [
        "# How a job is judged",
        "",
        "The questions that `mprof triage` asks, one branch after the other.",
        "Each branch fires, is silent, or cannot tell.",
        "What ended the job comes first, then what is surer, then what cost more time.",
        "",
    ]
    for name in _MODULES:
        docstring = (import_module(f"mprof.triage.{name}").__doc__ or "").strip()
        first, _, rest = docstring.partition("\n")
        lines += [f"## {first.rstrip('.')}", ""]
        lines += [rest.strip(), ""] if rest.strip() else []
    lines += ["## Thresholds", "", "| name | value | unit | reason |", "|---|---|---|---|"]
    lines += [
        f"| {one.name} | {one.default:g} | {one.unit} | {one.reason} |" for one in _THRESHOLDS
    ]
    return "\n".join([*lines, ""])
