"""The catalogue of causes: one rule, one file, three verdicts."""

from __future__ import annotations

from mprof.rules.catalogue import RULES, ask_all, rule_of
from mprof.rules.deaths import DEATHS, DeathPage
from mprof.rules.pages import (
    death_page,
    explain_topic,
    page,
    rule_page,
    thresholds_of,
    topics,
    what_to_change,
    write_pages,
)
from mprof.rules.rule import (
    CannotTell,
    Category,
    Confidence,
    ErrorData,
    EvidenceLevel,
    Fires,
    Rule,
    Silent,
    Verdict,
    Verdicts,
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
    "Verdict",
    "Verdicts",
    "ask_all",
    "death_page",
    "explain_topic",
    "page",
    "rule_of",
    "rule_page",
    "thresholds_of",
    "topics",
    "what_to_change",
    "write_pages",
]
