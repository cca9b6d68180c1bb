"""A pattern reads the facts that its row names, and no other."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path

import pytest
from builders.examples import examples_of

from development.sweep import load_witnesses
from mprof.catalogue import load_cases
from mprof.evidence import Evidence, Memory, Unknown
from mprof.patterns import FACTS_OF, Patterns, find_patterns
from mprof.rules import RULES

MISSING = Unknown("taken away", "run")
FACTS = {each for names in FACTS_OF.values() for each in names}
CASES = Path(__file__).parents[2] / "cases"


@lru_cache
def evidence_at_hand() -> tuple[tuple[Evidence, Patterns], ...]:
    """Every rule's examples, and what was recorded of every case; with what is found in them."""
    recorded = load_witnesses(load_cases(CASES))
    examples = (example.evidence() for rule in RULES for example in examples_of(rule))
    every = (*examples, *(each.evidence for each in recorded))
    return tuple((evidence, find_patterns(evidence)) for evidence in every)


def without(evidence: Evidence, facts: set[str]) -> Evidence:
    nothing = {"memory": Memory(), "series": (), "conf": {}}
    return replace(evidence, **{fact: nothing.get(fact, MISSING) for fact in facts})


def test_every_fact_in_the_table_is_one() -> None:
    assert {each.name for each in fields(Evidence)} >= FACTS
    assert {each.name for each in fields(Patterns)} == FACTS_OF.keys()


@pytest.mark.parametrize("pattern", FACTS_OF)
def test_a_pattern_is_the_same_without_the_facts_that_its_row_does_not_name(pattern: str) -> None:
    others = FACTS - set(FACTS_OF[pattern])

    for evidence, whole in evidence_at_hand():
        found = find_patterns(without(evidence, others))
        assert getattr(found, pattern) == getattr(whole, pattern)
