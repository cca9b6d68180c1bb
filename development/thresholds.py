"""Which numbers decide a rule: those of its own steps, and those of all that it takes."""

from __future__ import annotations

from collections.abc import Callable

from mprof.errors import RuleError
from mprof.evidence import THRESHOLDS_OF_FACTS
from mprof.patterns import FACTS_OF, THRESHOLDS_OF
from mprof.rules import Rule
from mprof.rules.deference import DEFERENCES, Deference
from mprof.rules.engine import taken_by
from mprof.rules.rule import Defer
from mprof.threshold import Threshold

__all__ = ["first_thresholds_of", "rows_of", "thresholds_of"]


def thresholds_of(rule: Rule) -> tuple[Threshold, ...]:
    """Every number that decides the rule, in its own steps or in what it takes.

    These are the numbers of the patterns, of the facts that these are found in, and of the facts
    that the steps take themselves.
    """
    steps: list[Callable[..., object]] = [step for step in rule.asks if not isinstance(step, Defer)]
    for row in rows_of(rule):
        steps += [each for each in (row.says, row.only_if) if callable(each)]
    taken = dict.fromkeys(each.name for step in steps for each in taken_by(step))
    facts = dict.fromkeys(fact for name in taken for fact in FACTS_OF.get(name, (name,)))
    of_patterns = [one for name in taken for one in THRESHOLDS_OF.get(name, ())]
    of_facts = [one for name in facts for one in THRESHOLDS_OF_FACTS.get(name, ())]
    return tuple(dict.fromkeys((*rule.thresholds, *of_patterns, *of_facts)))


def rows_of(rule: Rule) -> tuple[Deference, ...]:
    """The rows of the table of deferences in which the rule gives way."""
    return tuple(row for row in DEFERENCES if row.rule == rule.cause)


def first_thresholds_of(rule: Rule) -> tuple[Threshold, ...]:
    """The numbers of its own steps, and those that it names of what it takes.

    Raises:
        RuleError: if nothing that it takes has a threshold of a name.
    """
    by_name = {one.name: one for one in thresholds_of(rule)}
    wrong = next((name for name in rule.numbers if name not in by_name), None)
    if wrong is not None:
        raise RuleError(
            f"{rule.module.replace('.', '/')}.py: it takes nothing that {wrong!r} decides",
            next_step="name thresholds of what its questions take in its numbers",
        )
    return tuple(dict.fromkeys((*rule.thresholds, *(by_name[name] for name in rule.numbers))))
