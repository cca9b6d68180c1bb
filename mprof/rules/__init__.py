"""The catalogue of causes: one rule, one file, three verdicts."""

from __future__ import annotations

from mprof.rules.catalogue import RULES, ask_all, rule_of
from mprof.rules.deaths import DEATHS, DeathPage
from mprof.rules.pages import death_page, page, page_names, rule_page, write_pages
from mprof.rules.rule import (
    CannotTell,
    Category,
    Confidence,
    ErrorData,
    EvidenceLevel,
    Fires,
    Rule,
    Silent,
    Threshold,
    Verdict,
    Verdicts,
    Where,
)

__all__ = [
    "DEATHS",
    "RULES",
    "CannotTell",
    "Category",
    "Confidence",
    "DeathPage",
    "ErrorData",
    "EvidenceLevel",
    "Fires",
    "Rule",
    "Silent",
    "Threshold",
    "Verdict",
    "Verdicts",
    "Where",
    "ask_all",
    "death_page",
    "page",
    "page_names",
    "rule_of",
    "rule_page",
    "write_pages",
]
