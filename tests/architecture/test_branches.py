"""The command that counts the code on which a verdict hangs, on a package made for it."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest
from architecture.branches import (
    Count,
    Source,
    branches_in,
    code_lines_in,
    count_rules,
    reached_by,
    table_of,
)

from mprof.rules import RULES
from mprof.rules.rule import Defer

RULE = '''
"""A rule."""
from mprof.patterns import HUGE, Growing as Grown
from builders.evidence import build
from mprof.rules.rule import Defer, Rule


def _is_huge(growth: Grown, place=None):
    """Is it huge?"""
    # a comment, and a blank line below

    if growth.bytes > HUGE and place:  # 2
        return None
    return _words(growth)


def _words(growth):
    return "much" if growth.bytes else "little"  # 1


def _example():
    return build() if HUGE else None  # reached by no step


RULE = Rule(cause="kept", asks=(_is_huge, Defer.YIELD), examples=(_example,))
'''

FILES = {
    "patterns/__init__.py": "from mprof.patterns.growth import HUGE, Growing\n",
    "patterns/growth.py": '''
        HUGE = 3
        FIRST = {"a": (lambda: _first)}

        class Growing:
            """Growth.

            Two lines more.
            """

            bytes: int
            """Of it."""

            @property
            def all(self):
                return [one for one in (1, 2) if one]  # 1

        def growth_of(points):
            for one in points:  # 1
                return FIRST[one]

        def _first(): return 1

        def subject_of(evidence):
            while evidence:  # 1
                evidence = None

        def unused():
            if HUGE: return 1
        ''',
    "patterns/find.py": """
        from mprof.patterns.growth import growth_of, subject_of, unused

        class Patterns: ...

        def find_patterns(evidence):
            subject = subject_of(evidence)
            found = growth_of(subject)
            return Patterns(growth=found, other=unused())
        """,
    "rules/rule.py": "class Rule: ...\nclass Defer: ...\n",
    "rules/examples.py": "def build():\n    return 1 if 2 else 3\n",
    "rules/deference.py": """
        from mprof.rules.rule import Defer

        _KEPT = "kept"

        def _says(): return 1 or 2 or 3  # 2

        def _of_another(): return 1 or 2

        DEFERENCES = (
            Deference(_KEPT, Defer.YIELD, ("other",), _says),
            Deference("other", Defer.YIELD, (_KEPT,), _of_another),
        )
        """,
    "rules/causes/__init__.py": "",
    "rules/causes/kept.py": RULE,
}


@pytest.fixture
def source(tmp_path: Path) -> Source:
    for name, text in FILES.items():
        file = tmp_path / "mprof" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text))
    return Source(tmp_path)


def test_a_rule_hangs_on_its_steps_its_deferences_and_what_finds_its_patterns(
    source: Source,
) -> None:
    # _is_huge 4 lines, 2 branches; _words 2, 1; Growing 5, 1; growth_of 3, 1; _first 1, 0;
    # subject_of 3, 1; _says 1, 2
    of_rule = Count("kept", 3, 4 + 2 + 5 + 3 + 1 + 3 + 1, 2 + 1 + 1 + 1 + 0 + 1 + 2)
    assert count_rules(source) == [of_rule, Count("all rules", 3, of_rule.lines, of_rule.branches)]


@pytest.mark.parametrize(
    ("code", "branches"),
    [
        ("if a: b\nelif c: d\nelse: e", 2),
        ("for a in b: c\nelse: d", 1),
        ("while a: b", 1),
        ("a and b and c or d", 3),
        ("a if b else c", 1),
        ("[a for a in b if c if d]", 2),
        ("{a: b for a in c}", 0),
        ("match a:\n case 1: b\n case _: c", 2),
        ("try: a\nexcept E: b\nfinally: c", 0),
        ("assert a", 0),
    ],
)
def test_what_counts_as_a_branch(code: str, branches: int) -> None:
    assert branches_in(ast.parse(code)) == branches


def test_a_decorator_is_code_and_a_docstring_is_none() -> None:
    text = (
        '@once\ndef f(\n    a,\n):\n    """Says.\n\n    More.\n    """\n\n    # why\n    return a\n'
    )
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    assert code_lines_in(node, text) == 5


def test_rules_of_the_checkout_hang_on_what_finds_their_patterns() -> None:
    checkout = Source(Path(__file__).parents[2])
    accumulates = reached_by(checkout, "accumulates_over_the_split")
    assert ("mprof.patterns.accumulation", "accumulation_of") in accumulates
    assert ("mprof.patterns.growth.laws", "fit_law") in accumulates
    assert ("mprof.patterns.groups", "groups_beside_of") not in accumulates
    assert ("mprof.patterns.groups", "groups_beside_of") in reached_by(checkout, "hot_key")
    counts = count_rules(checkout)
    assert len(counts) == len(RULES) + 1
    for rule in RULES:
        reached = reached_by(checkout, rule.module.rsplit(".", 1)[1])
        steps = {(rule.module, step.__name__) for step in rule.asks if not isinstance(step, Defer)}
        assert steps <= reached


def test_the_table_is_markdown() -> None:
    assert table_of([Count("kept", 3, 19, 8)]).splitlines()[1:] == [
        "|---|--:|--:|--:|",
        "| kept | 3 | 19 | 8 |",
    ]
