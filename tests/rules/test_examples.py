"""Every rule says on its own examples what they say it says."""

from __future__ import annotations

import pytest
from builders.examples import Example, every_example
from builders.verdicts import verdicts_of

from mprof.rules import CannotTell, Fires, Rule, Silent

WORDS = {Fires: "FIRES", Silent: "SILENT", CannotTell: "CANNOT_TELL"}
EVERY = every_example()


@pytest.mark.parametrize(
    ("rule", "example"), EVERY, ids=[f"{r.slug}: {e.says} {e.title}" for r, e in EVERY]
)
def test_an_example_comes_out_as_it_says(rule: Rule, example: Example) -> None:
    verdict = verdicts_of(example.evidence())[rule.cause]
    assert WORDS[type(verdict)] == example.says, verdict
