"""Whether an ordinary group would fill the heap as well."""

from __future__ import annotations

from builders.examples import examples_of

from mprof.evidence import Unknown
from mprof.patterns.finding import Absent
from mprof.patterns.groups import ordinary_group_of
from mprof.rules import RULES


def test_growth_that_is_not_known_denies_no_ordinary_group() -> None:
    unknown = Unknown("the curve of a group", "rerun")
    for rule in RULES:
        for example in examples_of(rule):
            evidence = example.evidence()

            assert ordinary_group_of(evidence, unknown) == unknown
            assert isinstance(ordinary_group_of(evidence, Absent("it stays flat")), Absent)
