"""The catalogue of causes: one rule, one file, three verdicts."""

from __future__ import annotations

from mprof.rules.catalogue import RULES, ask_all, rule_of
from mprof.rules.rule import CannotTell, Category, ErrorData, Fires, Rule, Silent, Verdict, Verdicts

__all__ = [
    "RULES",
    "CannotTell",
    "Category",
    "ErrorData",
    "Fires",
    "Rule",
    "Silent",
    "Verdict",
    "Verdicts",
    "ask_all",
    "rule_of",
]
