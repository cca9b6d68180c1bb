"""Laws of the catalogue."""

from __future__ import annotations

import ast
import inspect
import json
from dataclasses import fields
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

import pytest

from mprof.errors import UsageError
from mprof.evidence import Evidence, Unknown
from mprof.patterns import THRESHOLDS_OF, Absent, Patterns
from mprof.report import schema_of_today
from mprof.rules import (
    DEATHS,
    RULES,
    Fires,
    Rule,
    explain_topic,
    thresholds_of,
    topics,
    write_pages,
)
from mprof.rules.deference import DEFERENCES
from mprof.rules.engine import FROM_OTHER_RULES, taken_by
from mprof.rules.rule import Defer
from mprof.threshold import Threshold

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "reference" / "rules"

CAUSE_IDS = {
    "large_accumulated_results.map": ("1", "code"),
    "large_input_split": ("1", "configuration"),
    "large_accumulated_results.reduce": ("2", "code"),
    "large_accumulated_results.group": ("3", "code"),
    "large_intermediate_results": ("4", "code"),
    "large_external_data": ("5", "code"),
    "improper_partition.few_reducers": ("6-1", "configuration"),
    "improper_partition.unbalanced": ("6-2", "configuration"),
    "hotspot_key": ("7", "data"),
    "large_single_record": ("8", "data"),
    "large_framework_buffer.map": ("9-1", "configuration"),
    "large_framework_buffer.shuffle": ("9-2", "configuration"),
}
HEADINGS = [
    "What it means", "Why it happens", "What to change", "For example", "Sources",
    "Where it departs from the paper",
]  # fmt: skip
KINDS = [
    "heap", "gc-overhead", "array-limit", "direct", "native", "metaspace", "threads",
    "application-made", "container-physical", "container-virtual", "not-memory", "none",
]  # fmt: skip


def test_the_causes_are_those_of_the_contract() -> None:
    given = {rule.cause: (rule.published_as, rule.category) for rule in RULES}
    assert {cause: given[cause] for cause in CAUSE_IDS} == CAUSE_IDS


def test_every_file_in_the_folder_is_a_rule_of_the_catalogue_in_the_order_of_the_paper() -> None:
    folder = ROOT / "mprof" / "rules" / "causes"
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert files == {rule.module.rsplit(".", 1)[1] for rule in RULES}
    numbers = [rule.published_as for rule in RULES if rule.published_as is not None]
    assert numbers == sorted(numbers)
    assert len({rule.cause for rule in RULES}) == len(RULES)


def test_the_schema_allows_the_causes_that_the_catalogue_names() -> None:
    schema = json.loads((ROOT / "docs/reference/diagnosis.schema.json").read_text())
    assert schema == schema_of_today(schema), "run: make docs"


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.slug)
def test_a_rule_has_its_prose_under_the_fixed_headings(rule: Rule) -> None:
    lines = (import_module(rule.module).__doc__ or "").split("\n")
    found = [line for line in lines[1:] if line and not line.startswith(" ")]
    assert [heading for heading in found if heading != "Patterns"] == HEADINGS


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.slug)
def test_a_rule_has_examples_of_all_three_verdicts(rule: Rule) -> None:
    assert {e.says for e in rule.examples} == {"FIRES", "SILENT", "CANNOT_TELL"}


QUESTIONS = [(rule, step) for rule in RULES for step in rule.asks if not isinstance(step, Defer)]
ASKED = [step for _, step in QUESTIONS] + [
    each for row in DEFERENCES for each in (row.says, row.only_if) if callable(each)
]


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.slug)
def test_a_threshold_has_a_name_a_unit_and_a_reason(rule: Rule) -> None:
    assert thresholds_of(rule)
    for threshold in thresholds_of(rule):
        assert threshold.name
        assert threshold.unit
        assert len(threshold.reason) > 20


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.slug)
def test_every_threshold_a_rule_uses_stands_on_its_page(rule: Rule) -> None:
    used = {v for v in vars(import_module(rule.module)).values() if isinstance(v, Threshold)}
    assert used <= set(thresholds_of(rule))


@pytest.mark.parametrize(("rule", "step"), QUESTIONS, ids=lambda one: getattr(one, "slug", ""))
def test_a_step_is_short_and_says_in_one_line_what_it_asks(rule: Rule, step: Any) -> None:
    doc = inspect.getdoc(step) or ""
    assert doc.partition("\n")[0].endswith((".", "?"))
    assert len(inspect.getsource(step).splitlines()) <= 45, (rule.slug, step.__name__)


@pytest.mark.parametrize("step", ASKED, ids=lambda step: f"{step.__module__}.{step.__name__}")
def test_what_a_step_takes_exists_and_is_of_that_type(step: Any) -> None:
    """A parameter names a fact or a pattern, and is annotated with what can come of it."""
    known = {**get_type_hints(Evidence), **get_type_hints(Patterns)}
    hints = get_type_hints(step)
    for taken in taken_by(step):
        if taken.name in FROM_OTHER_RULES:
            continue
        given = set(get_args(known[taken.name])) or {known[taken.name]}
        wanted = set(get_args(hints[taken.name])) or {hints[taken.name]}
        possible = given - {Unknown, Absent}
        if not taken.is_needed:
            possible |= {NoneType}
        if taken.takes_absent:
            possible |= {Absent}
        # A needed fact of which there may be none is narrowed by the step before.
        assert wanted == possible or wanted == possible - {NoneType}, taken.name


def test_the_two_rooms_that_a_step_takes_from_use_no_name_twice() -> None:
    assert not set(get_type_hints(Evidence)) & set(get_type_hints(Patterns))


def test_every_pattern_says_which_numbers_decide_it() -> None:
    assert set(THRESHOLDS_OF) == {field.name for field in fields(Patterns)}


def test_no_rule_asks_whether_something_is_unknown() -> None:
    """The engine does: a rule that lacks a fact is not asked."""
    asking = [
        rule.slug
        for rule in RULES
        for node in ast.walk(ast.parse(Path(import_module(rule.module).__file__ or "").read_text()))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "isinstance"
        and "Unknown" in ast.unparse(node.args[1])
    ]
    assert asking == []


def test_the_names_of_thresholds_are_unique() -> None:
    every = {one for rule in RULES for one in thresholds_of(rule)}
    assert len({one.name for one in every}) == len(every)


def test_rules_defer_in_no_circle_and_to_rules_that_there_are() -> None:
    causes = {rule.cause for rule in RULES}
    after = {cause: set[str]() for cause in causes}
    for row in DEFERENCES:
        assert {row.rule, *row.to, *row.referrers} <= causes
        after[row.rule] |= {*row.to, *row.referrers}
    TopologicalSorter(after).prepare()  # raises where there is a circle


def test_a_rule_consults_the_table_where_it_has_rows_and_only_there() -> None:
    consulted = {(r.cause, step) for r in RULES for step in r.asks if isinstance(step, Defer)}
    assert consulted == {(row.rule, row.step) for row in DEFERENCES}


def test_a_parameter_that_other_rules_give_is_typed_as_such() -> None:
    for step in ASKED:
        hint = get_type_hints(step).get("parent")
        assert hint in (None, Fires, Fires | None)


def test_the_kinds_of_death_are_those_of_the_contract() -> None:
    assert list(DEATHS) == KINDS


def test_the_committed_pages_are_those_the_rules_make(tmp_path: Path) -> None:
    write_pages(tmp_path)
    made = {p.name: p.read_text() for p in tmp_path.iterdir()}
    kept = {p.name: p.read_text() for p in PAGES.iterdir()}
    assert made == kept, "run: python -m mprof.rules docs/reference/rules"


@pytest.mark.parametrize("name", [name for name, _ in topics()])
def test_every_topic_has_a_page(name: str) -> None:
    assert name in explain_topic(name)


def test_a_number_of_the_paper_and_a_slug_are_topics_too() -> None:
    assert "`large_intermediate_results`" in explain_topic("4")
    assert "`hotspot_key`" in explain_topic("hot-key")
    assert "`large_input_split`" in explain_topic("1")  # the paper's second cause of rule 1


def test_an_unknown_topic_is_one_clear_line() -> None:
    with pytest.raises(UsageError, match="no rule, cause or kind of death called 'nonsense'"):
        explain_topic("nonsense")


@pytest.mark.parametrize(
    ("topic", "near"),
    [
        ("6", "6-1 or 6-2"),
        ("9", "9-1 or 9-2"),
        ("hotspot", "hotspot_key"),
        ("hotspt_key", "hotspot_key"),
        ("partition", "improper_partition.few_reducers or improper_partition.unbalanced"),
        ("meta", "metaspace"),
        ("treads", "threads"),
    ],
)
def test_an_unknown_topic_is_answered_with_those_near_it(topic: str, near: str) -> None:
    with pytest.raises(UsageError) as caught:
        explain_topic(topic)

    assert caught.value.next_step.startswith(f"try mprof explain {near}; ")
