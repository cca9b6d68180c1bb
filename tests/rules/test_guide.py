"""The rule of the guide is one: it runs as it stands there, and keeps the laws of the catalogue."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from builders.missing_facts import removals

from mprof.evidence import Attempt, Death, Evidence, Job
from mprof.patterns import find_patterns
from mprof.rules import RULES, CannotTell, Fires, Rule, Silent, Verdict, rule_page
from mprof.rules.catalogue import check_rule
from mprof.rules.engine import ask_rules
from mprof.rules.pages import HEADINGS, thresholds_of

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "add-a-rule.md"
NAME = "mprof.rules.causes.static_cache"
WORDS = {Fires: "FIRES", Silent: "SILENT", CannotTell: "CANNOT_TELL"}


@pytest.fixture
def rule(monkeypatch: pytest.MonkeyPatch) -> Rule:
    """The first code block of the guide, loaded as the file that it is about."""
    found = re.search(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    module = ModuleType(NAME)
    monkeypatch.setitem(sys.modules, NAME, module)
    exec(compile(found[1], "static_cache.py", "exec"), module.__dict__)
    found_rule: Rule = module.RULE
    return found_rule


def says(rule: Rule, evidence: Evidence) -> Verdict:
    return ask_rules((*RULES, rule), evidence, find_patterns(evidence))[rule.cause]


def test_its_examples_come_out_as_they_say(rule: Rule) -> None:
    found = [(one.says, WORDS[type(says(rule, one.evidence()))]) for one in rule.examples]
    assert found == [(name, name) for name in ("FIRES", "SILENT", "CANNOT_TELL")]


def test_it_has_a_page_with_every_heading_and_its_thresholds(rule: Rule) -> None:
    check_rule(rule)
    page = rule_page(rule)
    assert [one for one in HEADINGS if f"## {one}\n" not in page] == ["Patterns"]
    assert set(rule.thresholds) <= set(thresholds_of(rule))
    assert rule.thresholds


def test_it_denies_nothing_for_want_of_a_fact_or_of_the_task(rule: Rule) -> None:
    evidence = rule.examples[0].evidence()
    for name, remove in removals(evidence).items():
        assert not isinstance(says(rule, remove(evidence)), Silent), name
    dump = Evidence(Job(None), Attempt(None, None, None), Death("heap", "a dump"), place="other")
    assert isinstance(says(rule, dump), CannotTell)


def test_no_line_of_it_is_longer_than_those_of_the_house() -> None:
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert max(len(line) for block in blocks for line in block.splitlines()) <= 100
