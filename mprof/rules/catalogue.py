"""All rules: every file in `mprof.rules.causes` is one."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from mprof.evidence import Evidence
from mprof.patterns import Patterns
from mprof.rules import causes
from mprof.rules.engine import ask_rules
from mprof.rules.rule import Rule, Verdict

__all__ = ["RULES", "ask_all", "rule_of"]


def _place(rule: Rule) -> tuple[bool, str, str]:
    """By the paper's number, those that it does not have last; then by the file's name."""
    return (rule.published_as is None, rule.published_as or "", rule.slug)


RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            import_module(f"{causes.__name__}.{module.name}").RULE
            for module in pkgutil.iter_modules(causes.__path__)
        ),
        key=_place,
    )
)
"""In the order of the paper's numbers, as pages and reports list them."""

_BY_CAUSE = {rule.cause: rule for rule in RULES}


def rule_of(cause: str) -> Rule:
    """The rule that names a cause.

    Raises:
        KeyError: if no rule does.
    """
    return _BY_CAUSE[cause]


def ask_all(evidence: Evidence, patterns: Patterns) -> dict[str, Verdict]:
    """The verdict of every rule, by cause, in the catalogue's order."""
    return ask_rules(RULES, evidence, patterns)
