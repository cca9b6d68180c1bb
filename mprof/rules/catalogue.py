"""All rules: every file in `mprof.rules.causes` is one."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import fields
from difflib import get_close_matches
from importlib import import_module

from mprof.errors import RuleError
from mprof.evidence import Evidence
from mprof.patterns import Patterns
from mprof.rules import causes
from mprof.rules.deference import DEFERENCES
from mprof.rules.engine import FROM_OTHER_RULES, ask_rules, taken_by
from mprof.rules.rule import Defer, Rule, Verdict

__all__ = ["RULES", "ask_all", "check_rule", "check_step", "load_rule", "rule_of"]

_KNOWN = {*(one.name for one in (*fields(Evidence), *fields(Patterns))), *FROM_OTHER_RULES}


def load_rule(module: str) -> Rule:
    """The rule of a module, by the module's full name.

    Raises:
        RuleError: if it defines none, or one of its steps takes what there is not.
    """
    rule = getattr(import_module(module), "RULE", None)
    if not isinstance(rule, Rule):
        raise RuleError(
            f"{module.replace('.', '/')}.py defines no RULE",
            next_step="see docs/guides/add-a-rule.md",
        )
    check_rule(rule)
    return rule


def check_rule(rule: Rule) -> None:
    """Check that there is what the steps of a rule take.

    Raises:
        RuleError: if a parameter names neither a fact nor a pattern.
    """
    for step in rule.asks:
        if not isinstance(step, Defer):
            check_step(step, f"rule {rule.module.rsplit('.', 1)[-1]}")


def check_step(step: Callable[..., object], of: str) -> None:
    """Check that there is what one step takes.

    Args:
        step: of a rule, or of a row of the table of deferences.
        of: whose it is, for the message.

    Raises:
        RuleError: if a parameter names neither a fact nor a pattern.
    """
    for taken in taken_by(step):
        if taken.name not in _KNOWN:
            near = get_close_matches(taken.name, _KNOWN, n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise RuleError(
                f"{of}, {step.__name__}: no fact or pattern is called {taken.name!r}{meant}",
                next_step="take a field of Evidence (mprof/evidence/facts.py) or of Patterns "
                "(mprof/patterns/find.py)",
            )


def _place(rule: Rule) -> tuple[bool, str, str]:
    """By the paper's number, those that it does not have last; then by the file's name."""
    return (rule.published_as is None, rule.published_as or "", rule.slug)


RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            load_rule(f"{causes.__name__}.{module.name}")
            for module in pkgutil.iter_modules(causes.__path__)
        ),
        key=_place,
    )
)
"""In the order of the paper's numbers, as pages and reports list them."""

for _row in DEFERENCES:
    for _step in (_row.says, _row.only_if):
        if callable(_step):
            check_step(_step, f"a row of {_row.rule} in mprof/rules/deference.py")

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
