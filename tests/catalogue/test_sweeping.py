"""The sweep finds the interval of a threshold, and the verdict that changes at each end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mprof.catalogue import find_case
from mprof.catalogue.sweeping import (
    Witness,
    changes_within,
    load_witnesses,
    sweep,
    sweep_table,
    swept_thresholds,
)
from mprof.diagnosis import diagnose_runs
from mprof.evidence import EVIDENCE_THRESHOLDS, Evidence, Progress
from mprof.rules import RULES, CannotTell, Fires, thresholds_of
from mprof.runs import SilentObserver, open_capture
from mprof.runs.diagnosing import load_failed_job
from mprof.threshold import Threshold, thresholds_moved

ROOT = Path(__file__).parents[2] / "cases"
SHARE = Threshold("share", 0.3, "of the heap", "an example")
EVIDENCE = RULES[0].examples[0].evidence()


@dataclass(frozen=True)
class Measured:
    """Evidence of which one measurement decides one rule: whether it reaches the threshold."""

    name: str
    measured: float
    read: frozenset[str] = frozenset({"share"})

    @property
    def verdicts(self) -> tuple[str, ...]:
        return self.verdicts_with(SHARE, SHARE.default)

    def verdicts_with(self, threshold: Threshold, value: float) -> tuple[str, ...]:
        share = value if threshold is SHARE else SHARE.default
        first = "fires" if self.measured >= share else "silent"
        return (first, *("silent",) * (len(RULES) - 1))


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


def test_the_table_says_on_how_much_evidence_a_threshold_is_read() -> None:
    witnesses = [Measured("above", 0.7), Measured("another", 0.7, read=frozenset())]
    table = sweep_table(sweep(witnesses, [SHARE]), witnesses=2)  # type: ignore[arg-type]

    (row,) = [line for line in table.splitlines() if line.startswith("| share ")]
    assert row.split(" | ")[5] == "1"


def test_a_share_either_way_names_the_threshold_and_the_verdict() -> None:
    witnesses = [Measured("just below", 0.27), Measured("far above", 0.7)]

    found = changes_within(witnesses, SHARE, 0.15)  # type: ignore[arg-type]

    assert found == (f"0.85 times share: just below: {RULES[0].cause} silent → fires",)
    assert not changes_within(witnesses, SHARE, 0.05)  # type: ignore[arg-type]


def test_a_rerun_gives_evidence_with_it_and_without_it() -> None:
    whole, first = load_witnesses([find_case(ROOT, "nlp-lemmatizer")])

    assert (whole.name, first.name) == ("nlp-lemmatizer", "nlp-lemmatizer, first run")
    assert len(whole.load()) > len(first.load()) == 1


def verdicts_from_the_start(case: str, threshold: Threshold, value: float) -> tuple[str, ...]:
    """As a command diagnoses the capture, with the threshold moved from its first line on."""
    words = {Fires: "fires", CannotTell: "cannot tell"}
    with thresholds_moved({threshold.name: value}):
        runs = load_failed_job(open_capture(find_case(ROOT, case).evidence), SilentObserver())
        said = diagnose_runs(runs).diagnosis.verdicts
    return tuple(words.get(type(said[rule.cause]), "silent") for rule in RULES)


def test_what_is_done_again_says_the_same_as_a_diagnosis_from_the_start() -> None:
    (witness,) = load_witnesses([find_case(ROOT, "hot-key-shuffle")])[:1]
    changed = set()
    for one in swept_thresholds():
        expected = verdicts_from_the_start("hot-key-shuffle", one, one.default / 4)
        assert witness.verdicts_with(one, one.default / 4) == expected, one.name
        changed |= {one.name} if expected != witness.verdicts else set()

    assert changed
    assert changed < witness.read


def test_with_a_threshold_moved_only_what_reads_it_is_done_again() -> None:
    done = []
    early, late, never = (Threshold(name, 1.0, "", "an example") for name in "ABC")

    def load() -> float:
        done.append("load")
        return early.value

    def assemble(recorded: float) -> Evidence:
        done.append("assemble")
        return replace(EVIDENCE, progress=Progress(min(1.0, recorded * late.value), "bytes"))

    witness = Witness("counted", load, assemble)
    assert witness.verdicts
    assert done == ["load", "assemble"]
    for threshold, again in ((early, ["load", "assemble"]), (late, ["assemble"]), (never, [])):
        done.clear()
        witness.verdicts_with(threshold, 0.5)
        assert done == again


def test_every_threshold_of_a_rule_or_a_fact_is_swept() -> None:
    every = swept_thresholds()

    assert len({one.name for one in every}) == len(every)
    assert {*EVIDENCE_THRESHOLDS, *(t for rule in RULES for t in thresholds_of(rule))} == {*every}
