"""The rule of the guide is one: it runs as it stands there, and keeps the laws of the catalogue."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from builders.evidence import growing_series
from builders.missing_facts import removals

from development.pages.rules import HEADINGS, rule_page
from development.thresholds import thresholds_of
from mprof.evidence import Attempt, Death, Evidence, Job
from mprof.patterns import find_patterns
from mprof.rules import (
    RULES,
    CannotTell,
    Fires,
    Rule,
    Silent,
    Verdict,
    deference,
    engine,
)
from mprof.rules.catalogue import check_rule
from mprof.rules.engine import ask_rules

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "add-a-rule.md"
NAME = "mprof.rules.causes.static_cache"
WORDS = {Fires: "FIRES", Silent: "SILENT", CannotTell: "CANNOT_TELL"}


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def rule(monkeypatch: pytest.MonkeyPatch) -> Rule:
    """The first code block of the guide, loaded as the file that it is about."""
    module = ModuleType(NAME)
    monkeypatch.setitem(sys.modules, NAME, module)
    exec(compile(blocks()[0], "static_cache.py", "exec"), module.__dict__)
    found_rule: Rule = module.RULE
    return found_rule


@pytest.fixture
def examples() -> ModuleType:
    """The file of its examples."""
    (text,) = [each for each in blocks() if "\nEXAMPLES = " in each]
    module = ModuleType("static_cache_examples")
    exec(compile(text, "static_cache_examples.py", "exec"), module.__dict__)
    return module


@pytest.fixture
def deferring(rule: Rule, examples: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rule]:
    """The rule as the guide changes it where it gives way to others."""
    (rows,) = [each for each in blocks() if each.startswith("Deference(")]
    (asks,) = [each for each in blocks() if each.startswith("asks=")]
    (cache,) = [each for each in blocks() if each.startswith("def _cache")]
    added = eval(f"({rows})", vars(deference))
    monkeypatch.setattr(engine, "DEFERENCES", (*deference.DEFERENCES, *added))
    engine._order.cache_clear()
    examples.__dict__["growing_series"] = growing_series
    exec(compile(cache, "static_cache_examples.py", "exec"), examples.__dict__)
    names = sys.modules[NAME].__dict__ | {"Defer": deference.Defer}
    yield replace(rule, **eval(f"dict({asks})", names))
    engine._order.cache_clear()


def says(rule: Rule, evidence: Evidence) -> Verdict:
    return ask_rules((*RULES, rule), evidence, find_patterns(evidence))[rule.cause]


def test_its_examples_come_out_as_they_say(rule: Rule, examples: ModuleType) -> None:
    found = [(one.says, WORDS[type(says(rule, one.evidence()))]) for one in examples.EXAMPLES]
    assert found == [(name, name) for name in ("FIRES", "SILENT", "CANNOT_TELL")]


def test_it_gives_way_as_the_guide_says(deferring: Rule, examples: ModuleType) -> None:
    every = [(one.says, one.evidence()) for one in examples.EXAMPLES]
    found = [(name, WORDS[type(says(deferring, evidence))]) for name, evidence in every]
    assert found == [(name, name) for name in ("FIRES", "SILENT", "CANNOT_TELL")]
    made_at_once = examples.EXAMPLES[0].evidence()
    assert isinstance(says(deferring, replace(made_at_once, series=())), CannotTell)
    (series,) = made_at_once.series
    grown = growing_series(None, [0, 20e6, 40e6, 60e6, 80e6, 100e6, 120e6], key=series.holder)
    verdict = says(deferring, replace(made_at_once, series=(grown,)))
    assert verdict == Silent("what static fields hold grows with the data")


def test_it_has_a_page_with_every_heading_and_its_thresholds(rule: Rule) -> None:
    check_rule(rule)
    page = rule_page(rule)
    assert [one for one in HEADINGS if f"## {one}\n" not in page] == ["Patterns"]
    assert set(rule.thresholds) <= set(thresholds_of(rule))
    assert rule.thresholds


def test_it_denies_nothing_for_want_of_a_fact_or_of_the_task(
    rule: Rule, examples: ModuleType
) -> None:
    evidence = examples.EXAMPLES[0].evidence()
    for name, remove in removals(evidence).items():
        assert not isinstance(says(rule, remove(evidence)), Silent), name
    dump = Evidence(Job(None), Attempt(None, None, None), Death("heap", "a dump"), place="other")
    assert isinstance(says(rule, dump), CannotTell)


def test_no_line_of_it_is_longer_than_those_of_the_house() -> None:
    assert max(len(line) for block in blocks() for line in block.splitlines()) <= 100
