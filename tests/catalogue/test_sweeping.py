"""The sweep finds the interval of a threshold, and the verdict that changes at each end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from mprof.catalogue import find_case
from mprof.catalogue.sweeping import load_witnesses, sweep, sweep_table, swept_thresholds
from mprof.evidence import EVIDENCE_THRESHOLDS
from mprof.rules import RULES, thresholds_of
from mprof.threshold import Threshold, thresholds_moved

ROOT = Path(__file__).parents[2] / "cases"
SHARE = Threshold("share", 0.3, "of the heap", "an example")


@dataclass(frozen=True)
class Measured:
    """Evidence of which one measurement decides one rule: whether it reaches the threshold."""

    name: str
    measured: float

    def verdicts(self, moved: Threshold | None = None) -> tuple[str, ...]:
        del moved
        first = "Fires" if self.measured >= SHARE.value else "Silent"
        return (first, *("Silent",) * (len(RULES) - 1))


def test_the_interval_ends_at_the_nearest_measurements() -> None:
    witnesses = [Measured("far below", 0.01), Measured("below", 0.2), Measured("above", 0.7)]

    (found,) = sweep(witnesses, [SHARE])  # type: ignore[arg-type]

    cause = RULES[0].cause
    assert found.low.value == pytest.approx(0.2, rel=0.011)
    assert found.low.change == f"below: {cause} silent → fires"
    assert found.high.value == pytest.approx(0.7, rel=0.011)
    assert found.high.change == f"above: {cause} fires → silent"
    assert SHARE.value == SHARE.default


def test_where_nothing_changes_the_ends_are_as_far_as_a_threshold_is_moved() -> None:
    (found,) = sweep([Measured("at zero", 0.0)], [SHARE])  # type: ignore[arg-type]

    assert found.low.change is None
    assert found.high.change is None
    assert found.high.value / found.low.value == pytest.approx(16 * 16)


def test_the_narrowest_interval_stands_first() -> None:
    loose = Threshold("loose", 1.0, "of the heap", "nothing depends on it")
    swept = sweep([Measured("above", 0.31)], [loose, SHARE])  # type: ignore[arg-type]

    rows = [line for line in sweep_table(swept, witnesses=1).splitlines() if "of the heap" in line]

    assert [row.split(" | ")[0] for row in rows] == ["| share", "| loose"]
    assert rows[1].endswith("| - | - |")


def test_a_rerun_gives_evidence_with_it_and_without_it() -> None:
    names = [one.name for one in load_witnesses([find_case(ROOT, "nlp-lemmatizer")])]

    assert names == ["nlp-lemmatizer", "nlp-lemmatizer, first run"]


def test_a_threshold_of_the_evidence_is_moved_before_the_evidence_is_assembled() -> None:
    (witness,) = load_witnesses([find_case(ROOT, "grep")])
    before = witness.evidence

    with thresholds_moved({one.name: one.default * 3 for one in EVIDENCE_THRESHOLDS}):
        assert witness.verdicts() == witness.verdicts(SHARE)
        assert len(witness.verdicts(EVIDENCE_THRESHOLDS[0])) == len(RULES)
    assert witness.evidence is before


def test_every_threshold_of_a_rule_or_a_fact_is_swept() -> None:
    every = swept_thresholds()

    assert len({one.name for one in every}) == len(every)
    assert {*EVIDENCE_THRESHOLDS, *(t for rule in RULES for t in thresholds_of(rule))} == {*every}
