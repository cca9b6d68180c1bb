"""Laws of the catalogue."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import fields, replace
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

import pytest
from builders.examples import examples_of

from development.pages.deaths import DEATHS
from development.pages.rules import HEADINGS, rule_page, write_pages
from development.thresholds import first_thresholds_of, thresholds_of
from mprof.errors import RuleError
from mprof.evidence import Evidence, Holder, Place, Split, Unknown
from mprof.patterns import THRESHOLDS_OF, Absent, Growing, MemoryModel, Patterns
from mprof.rules import RULES, Fires, Rule, Silent
from mprof.rules.catalogue import check_rule, load_rule
from mprof.rules.deference import DEFERENCES
from mprof.rules.engine import FROM_OTHER_RULES, kinds_of, taken_by
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
KINDS = [
    "heap", "gc-overhead", "array-limit", "direct", "native", "metaspace", "threads",
    "application-made", "container-physical", "container-virtual", "application-master",
    "not-memory", "none",
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


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.slug)
def test_a_rule_has_its_prose_under_the_fixed_headings(rule: Rule) -> None:
    page = rule_page(rule)  # raises where its docstring has others
    assert all(f"\n## {heading}\n" in page for heading in HEADINGS if heading != "Patterns")


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.slug)
def test_a_rule_has_examples_of_all_three_verdicts(rule: Rule) -> None:
    assert {e.says for e in examples_of(rule)} == {"FIRES", "SILENT", "CANNOT_TELL"}


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
def test_a_page_begins_with_the_conditions_beside_those_of_the_paper(rule: Rule) -> None:
    _, _, below, *rest = rule_page(rule).split("\n\n")
    head, _, *rows = below.split("\n")
    assert rest
    assert head == "| the paper | here | why it differs |"
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert {len(row) for row in cells} == {3}
    assert all(paper and here for paper, here, _ in cells)
    assert len(cells) == len(rule.conditions)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.slug)
def test_every_step_has_its_conditions_in_the_order_in_which_it_is_asked(rule: Rule) -> None:
    assert tuple(dict.fromkeys(row.asked_in for row in rule.conditions)) == rule.asks
    assert all(row.paper.strip() and row.here.strip() for row in rule.conditions)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.slug)
def test_what_a_condition_says_beside_other_words_than_the_paper_has_a_reason(rule: Rule) -> None:
    """A condition that the paper does not ask, or does not cover, differs, so it says why."""
    added = [row for row in rule.conditions if row.paper.startswith(("Not asked", "Not covered"))]
    assert [row.here for row in added if not row.differs] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.slug)
def test_a_number_in_a_condition_is_that_of_a_threshold(rule: Rule) -> None:
    values = {round(one.default, 6) for one in thresholds_of(rule)}
    here = " ".join(row.here for row in rule.conditions)
    shares = {round(int(one) / 100, 6) for one in re.findall(r"(\d+) %", here)}
    factors = {float(one) for one in re.findall(r"(\d+\.\d+) (?:times|to)", here)}
    assert shares | factors
    assert (shares | factors) - values == set()


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.slug)
def test_a_page_shows_a_handful_of_numbers_and_all_stand_on_one_page(
    rule: Rule, tmp_path: Path
) -> None:
    first = first_thresholds_of(rule)
    assert set(rule.thresholds) <= set(first) <= set(thresholds_of(rule))
    assert 1 <= len(first) <= 6
    shown = rule_page(rule).partition("## Numbers of this verdict")[2].partition("\n\n|")[2]
    shown = shown.partition("\n\n")[0]
    assert [line.split(" | ")[0] for line in shown.split("\n")[2:]] == [
        f"| {one.name}" for one in first
    ]
    write_pages(tmp_path)
    every = (tmp_path / "numbers.md").read_text()
    assert all(f"\n| {one.name} | " in every for one in thresholds_of(rule))


def test_a_number_that_decides_nothing_of_the_rule_is_named() -> None:
    wrong = replace(RULES[0], numbers=("few keys",))
    with pytest.raises(RuleError, match="takes nothing that 'few keys' decides"):
        first_thresholds_of(wrong)


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
    assert _wrongly_annotated(step) == []


def _wrongly_annotated(step: Any) -> list[str]:
    known = {**get_type_hints(Evidence), **get_type_hints(Patterns)}
    hints = get_type_hints(step)
    wrong = []
    for taken in taken_by(step):
        if taken.name in FROM_OTHER_RULES:
            continue
        possible = [one for one in kinds_of(known[taken.name]) if one not in (Unknown, Absent)]
        if taken.takes_absent:
            possible.append(Absent)
        if taken.takes_unknown:
            possible.append(Unknown)
        if not taken.is_needed and NoneType not in possible:
            possible.append(NoneType)
        wanted = set(kinds_of(hints[taken.name]))
        # A needed fact of which there may be none is narrowed by the step before.
        if wanted not in (set(possible), set(possible) - {NoneType}):
            expected = " | ".join(_in_words(one) for one in possible)
            wrong.append(f"{step.__name__}: annotate {taken.name} as {expected}")
    return wrong


def _in_words(kind: Any) -> str:
    if kind is NoneType:
        return "None"
    return kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)


def _takes(
    holders: tuple[Holder, ...], place: Place, split: Split | None, map_growth: Growing | Absent
) -> None:
    """Types of which some have arguments and are no union."""


def _takes_where_known(
    holders: tuple[Holder, ...] | None = None, place: Place | None = None
) -> None:
    """The same, where they are known."""


def _takes_wrong_types(holders: Holder, map_growth: int | Absent, split: int | None = None) -> None:
    """None is of the type that the fact has."""


def test_only_a_union_is_more_than_one_type() -> None:
    assert _wrongly_annotated(_takes) == []
    assert _wrongly_annotated(_takes_where_known) == []
    assert [taken.takes_absent for taken in taken_by(_takes)] == [False, False, False, True]


def test_a_wrong_annotation_is_answered_with_the_right_one() -> None:
    assert _wrongly_annotated(_takes_wrong_types) == [
        "_takes_wrong_types: annotate holders as tuple[mprof.evidence.facts.Holder, ...]",
        "_takes_wrong_types: annotate map_growth as Growing | Absent",
        "_takes_wrong_types: annotate split as Split | None",
    ]


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
    rows = {(row.rule, row.step) for row in DEFERENCES}
    names = {rule.cause: rule.module.rsplit(".", 1)[1] for rule in RULES}
    assert [f"name {step} in asks of {names[cause]}" for cause, step in rows - consulted] == []
    assert [f"no row has {step} of {names[cause]}" for cause, step in consulted - rows] == []


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
    assert made == kept, "run: make docs"


def test_pages_of_rules_that_there_are_no_more_are_deleted(tmp_path: Path) -> None:
    write_pages(tmp_path)
    (tmp_path / "renamed.md").write_text("the page of a rule")
    (tmp_path / "notes.txt").write_text("no page")
    write_pages(tmp_path)
    assert not (tmp_path / "renamed.md").exists()
    assert (tmp_path / "notes.txt").exists()


def test_pages_in_a_folder_that_is_not_ours_stay(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("somebody's")
    write_pages(tmp_path)
    assert (tmp_path / "notes.md").exists()


def _is_large(memory_modl: MemoryModel) -> Silent:
    """Does it hold much?"""
    return Silent("it does not")


def test_a_typo_in_a_parameter_is_answered_with_the_name_that_is_meant() -> None:
    broken = replace(RULES[0], asks=(_is_large,), module="mprof.rules.causes.static_cache")
    said = (
        "rule static_cache, _is_large: no fact or pattern is called 'memory_modl'; "
        "did you mean memory_model?"
    )
    with pytest.raises(RuleError) as caught:
        check_rule(broken)

    assert caught.value.what == said


def test_a_file_without_a_rule_is_named() -> None:
    with pytest.raises(RuleError, match=r"^mprof/rules/deference\.py defines no RULE"):
        load_rule("mprof.rules.deference")


def test_a_page_with_other_headings_is_named_with_the_first_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = import_module(RULES[0].module)
    other = (module.__doc__ or "").replace("\nWhy it happens\n", "\nWhy this happens\n")
    monkeypatch.setattr(module, "__doc__", other)
    with pytest.raises(RuleError) as caught:
        rule_page(RULES[0])

    path = RULES[0].module.replace(".", "/")
    said = f"{path}.py: 'Why this happens' stands where 'Why it happens' should stand"
    assert caught.value.what == said
