"""Asks the rules: gives each step what it takes, and answers for it where that is not there."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from graphlib import TopologicalSorter
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from mprof.evidence import Evidence, Unknown
from mprof.patterns import Absent, Patterns
from mprof.rules.deference import DEFERENCES, Deference
from mprof.rules.rule import CannotTell, Defer, Fires, Rule, Silent, Step, Verdict, Verdicts

__all__ = ["FROM_OTHER_RULES", "Taken", "ask_rules", "kinds_of", "taken_by"]

FROM_OTHER_RULES = ("parent", "referral", "others")
"""What a step may take besides facts and patterns, where the table gives it.

``parent``: the verdict of the rule that is followed, where that fires. ``referral``: the verdict of
the rule that referred its question here. ``others``: the verdicts to which a row gives way.
"""


@dataclass(frozen=True, slots=True)
class Taken:
    """One parameter of a step.

    Attributes:
        name: of a fact, of a pattern, or one of `FROM_OTHER_RULES`.
        is_needed: the step is not asked without it.
        takes_absent: it is told when the pattern is absent, instead of being silent.
        takes_unknown: it is told what is not known. Of what else it can do without, it is not told
            whether that is not known or absent.
    """

    name: str
    is_needed: bool
    takes_absent: bool
    takes_unknown: bool


def ask_rules(rules: Sequence[Rule], evidence: Evidence, patterns: Patterns) -> dict[str, Verdict]:
    """The verdict of every rule, by cause, in their order.

    A rule is asked after those it defers to, whatever the order of the catalogue.
    """
    known = _knowledge(evidence, patterns)
    by_cause = {rule.cause: rule for rule in rules}
    verdicts: dict[str, Verdict] = {}
    for cause in _order(tuple(by_cause)):
        verdicts[cause] = _verdict(by_cause[cause], known, verdicts)
    return {rule.cause: verdicts[rule.cause] for rule in rules}


def kinds_of(hint: object) -> tuple[object, ...]:
    """The members of a union; of any other annotation, a ``Literal`` too, that alone."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


@lru_cache
def taken_by(step: Callable[..., object]) -> tuple[Taken, ...]:
    """What a step takes, read off its signature."""
    hints = get_type_hints(step)
    return tuple(
        Taken(
            name=name,
            is_needed=parameter.default is inspect.Parameter.empty,
            takes_absent=Absent in kinds_of(hints[name]),
            takes_unknown=Unknown in kinds_of(hints[name]),
        )
        for name, parameter in inspect.signature(step).parameters.items()
    )


@lru_cache
def _order(causes: tuple[str, ...]) -> tuple[str, ...]:
    after = {cause: set[str]() for cause in causes}
    for row in DEFERENCES:
        after[row.rule].update(row.to, row.referrers)
    return tuple(TopologicalSorter(after).static_order())


def _knowledge(evidence: Evidence, patterns: Patterns) -> dict[str, object]:
    """Every fact and every pattern by name."""
    return {
        field.name: getattr(source, field.name)
        for source in (evidence, patterns)
        for field in fields(source)
    }


def _verdict(rule: Rule, known: Mapping[str, object], verdicts: Verdicts) -> Verdict:
    rows = [row for row in DEFERENCES if row.rule == rule.cause]
    known = {**known, **_from_others(rule, rows, verdicts)}
    for step in rule.asks:
        found = _answer(step, rows, known, verdicts)
        if found is not None:
            return found
    raise AssertionError(f"the last step of the rule {rule.slug} gave no verdict")


def _answer(
    step: Step, rows: Sequence[Deference], known: Mapping[str, object], verdicts: Verdicts
) -> Verdict | None:
    if not isinstance(step, Defer):
        found: Verdict | None = _call(step, known)
        return found
    for row in rows:
        if row.step is step:
            deferred = _defer(row, known, verdicts)
            if deferred is not None:
                return deferred
    return None


def _from_others(
    rule: Rule, rows: Sequence[Deference], verdicts: Verdicts
) -> dict[str, Verdict | None]:
    """The rule that is followed, and the one that referred its question here."""
    parents = [verdicts[cause] for row in rows if row.step is Defer.FOLLOW for cause in row.to]
    referrers = [verdicts[cause] for row in rows for cause in row.referrers]
    return {
        "parent": next((one for one in parents if isinstance(one, Fires)), None),
        "referral": next(
            (one for one in referrers if isinstance(one, Silent) and rule.cause in one.refers_to),
            None,
        ),
    }


def _defer(row: Deference, known: Mapping[str, object], verdicts: Verdicts) -> Verdict | None:
    """What a row makes of the verdicts of the others; None where it does not hold."""
    said = [verdicts[cause] for cause in row.to]
    if row.step is Defer.FOLLOW:
        if known["parent"] is not None or known["referral"] is not None:
            return None
        said += [verdicts[cause] for cause in row.referrers]
        waiting = next((one for one in said if isinstance(one, CannotTell)), None)
        return waiting or _say(row, known, ())
    wanted = Fires if row.step is Defer.YIELD else CannotTell
    others = tuple(one for one in said if isinstance(one, wanted))
    if not others or (row.only_if is not None and _call(row.only_if, known) is not True):
        return None
    return _say(row, known, others)


def _say(
    row: Deference, known: Mapping[str, object], others: tuple[Verdict, ...]
) -> Verdict | None:
    if row.says is None:
        return others[0]
    if isinstance(row.says, str):
        return Silent(row.says)
    found: Verdict | None = _call(row.says, {**known, "others": others})
    return found


def _call(step: Callable[..., Any], known: Mapping[str, object]) -> Any:
    """The step's answer; or that it cannot tell, or is silent, for want of what it needs."""
    arguments: dict[str, object] = {}
    for each in taken_by(step):
        value = known[each.name]
        if not each.is_needed:
            is_told = isinstance(value, Unknown) and each.takes_unknown
            value = None if isinstance(value, Absent | Unknown) and not is_told else value
        elif isinstance(value, Unknown):
            return CannotTell(value.missing, value.run_that_would_tell)
        elif isinstance(value, Absent) and not each.takes_absent:
            return Silent(value.why)
        arguments[each.name] = value
    return step(**arguments)
