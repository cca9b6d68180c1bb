"""All rules, and the order they are asked in."""

from __future__ import annotations

from mprof.evidence import Evidence
from mprof.patterns import Patterns
from mprof.rules import (
    accumulates_in_one_group,
    accumulates_over_groups,
    accumulates_over_the_split,
    external_data_fills_the_heap,
    hot_key,
    input_split_too_large,
    map_buffer_too_large,
    one_record_explodes,
    one_record_is_large,
    partitions_unbalanced,
    shuffle_buffer_too_large,
    too_few_reducers,
)
from mprof.rules.engine import ask_rules
from mprof.rules.rule import Rule, Verdict

__all__ = ["RULES", "ask_all", "rule_of"]

RULES: tuple[Rule, ...] = (
    accumulates_over_the_split.RULE,
    input_split_too_large.RULE,
    accumulates_over_groups.RULE,
    accumulates_in_one_group.RULE,
    one_record_explodes.RULE,
    external_data_fills_the_heap.RULE,
    too_few_reducers.RULE,
    partitions_unbalanced.RULE,
    hot_key.RULE,
    one_record_is_large.RULE,
    map_buffer_too_large.RULE,
    shuffle_buffer_too_large.RULE,
)
"""In the order of the paper's numbers, as pages and reports list them."""


def rule_of(cause: str) -> Rule:
    """The rule that names a cause.

    Raises:
        KeyError: if no rule does.
    """
    return _BY_CAUSE[cause]


_BY_CAUSE = {rule.cause: rule for rule in RULES}


def ask_all(evidence: Evidence, patterns: Patterns) -> dict[str, Verdict]:
    """The verdict of every rule, by cause, in the catalogue's order."""
    return ask_rules(RULES, evidence, patterns)
