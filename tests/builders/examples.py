"""The examples of the rules: evidence, and what one rule has to say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from mprof.evidence import Evidence
from mprof.rules import RULES, Rule


@dataclass(frozen=True, slots=True)
class Example:
    """Evidence on which the rule must say one thing."""

    says: Literal["FIRES", "SILENT", "CANNOT_TELL"]
    title: str
    evidence: Callable[[], Evidence]


def examples_of(rule: Rule) -> tuple[Example, ...]:
    """Those of a rule: `EXAMPLES` of the module that is called as its file."""
    name = rule.module.rsplit(".", 1)[-1]
    found: tuple[Example, ...] = import_module(f"builders.rule_examples.{name}").EXAMPLES
    return found


def every_example() -> list[tuple[Rule, Example]]:
    """Those of all rules, in the catalogue's order."""
    return [(rule, example) for rule in RULES for example in examples_of(rule)]
