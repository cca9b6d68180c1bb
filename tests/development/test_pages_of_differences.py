"""The page of differences has the conditions that differ from the paper's, and no others."""

from __future__ import annotations

from development.pages.differences import differences_page
from mprof.rules import RULES


def test_each_condition_that_differs_is_a_row_of_its_rule() -> None:
    _, *sections = differences_page().split("\n## ")
    rows = {
        section.partition("](")[2].partition(".md)")[0]: [
            line for line in section.splitlines() if line.startswith("| ") and "| why |" not in line
        ]
        for section in sections
    }

    expected = {
        rule.cause: [
            f"| {row.paper} | {row.here} | {row.differs} |"
            for row in rule.conditions
            if row.differs
        ]
        for rule in RULES
    }
    assert {cause: lines for cause, lines in expected.items() if lines} == rows
    same = [row.here for rule in RULES for row in rule.conditions if not row.differs]
    assert same
    assert not any(
        f"| {here} |" in line for here in same for lines in rows.values() for line in lines
    )
