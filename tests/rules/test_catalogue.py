"""Laws of the catalogue."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from mprof.errors import UsageError
from mprof.rules import DEATHS, RULES, Rule, Threshold, explain_topic, topics, write_pages

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
    "What it means", "Why it happens", "What it asks", "What to change", "For example", "Sources",
    "Where it departs from the paper",
]  # fmt: skip
KINDS = [
    "heap", "gc-overhead", "array-limit", "direct", "native", "metaspace", "threads",
    "application-made", "container-physical", "container-virtual", "not-memory", "none",
]  # fmt: skip


def test_the_causes_are_those_of_the_contract() -> None:
    assert {r.cause: (r.published_as, r.category) for r in RULES} == CAUSE_IDS


def test_every_file_in_the_folder_that_is_a_rule_is_in_the_catalogue() -> None:
    folder = ROOT / "mprof" / "rules"
    files = {p.stem for p in folder.glob("*.py") if "\nRULE = Rule(" in p.read_text()}
    assert files == {r.module.rsplit(".", 1)[1] for r in RULES}


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.slug)
def test_a_rule_has_its_prose_under_the_fixed_headings(rule: Rule) -> None:
    lines = (import_module(rule.module).__doc__ or "").split("\n")
    assert [line for line in lines[1:] if line and not line.startswith(" ")] == HEADINGS


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.slug)
def test_a_rule_has_examples_of_all_three_verdicts(rule: Rule) -> None:
    assert {e.says for e in rule.examples} == {"FIRES", "SILENT", "CANNOT_TELL"}


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.slug)
def test_a_threshold_has_a_name_a_unit_and_a_reason(rule: Rule) -> None:
    assert rule.thresholds
    for threshold in rule.thresholds:
        assert threshold.name
        assert threshold.unit
        assert len(threshold.reason) > 20


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.slug)
def test_every_threshold_a_rule_uses_stands_on_its_page(rule: Rule) -> None:
    used = {v for v in vars(import_module(rule.module)).values() if isinstance(v, Threshold)}
    assert used <= set(rule.thresholds)


def test_no_number_decides_without_a_name_a_unit_and_a_reason() -> None:
    of_rules = [r.module for r in RULES]
    shared = [f"mprof.rules.{name}" for name in ("accumulation", "need", "partitions", "refused")]
    bare = [
        f"{module}.{name}"
        for module in (*of_rules, *shared)
        for name, value in vars(import_module(module)).items()
        if isinstance(value, int | float) and not isinstance(value, bool) and name != "MIB"
    ]
    assert bare == []


def test_a_rule_reads_the_verdicts_of_earlier_rules_only() -> None:
    causes = {r.cause for r in RULES}
    assert all(set(r.after) <= causes - {r.cause} for r in RULES)


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
