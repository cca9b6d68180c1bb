"""The sweep finds the interval of a threshold, and the verdict that changes at each end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from builders.examples import examples_of

from development.sweep import (
    CaseWitness,
    changes_within,
    load_witnesses,
    sweep,
    sweep_rows,
    sweep_table,
    swept_thresholds,
)
from development.thresholds import thresholds_of
from mprof.advice import ADVICE_THRESHOLDS, advise
from mprof.catalogue import find_case
from mprof.diagnosis import diagnose_runs
from mprof.evidence import EVIDENCE_THRESHOLDS, Evidence, Progress
from mprof.job_run import JobRun
from mprof.patterns import MOST_OF_THE_HEAP, OF_A_JVM
from mprof.plan import PLAN_THRESHOLDS
from mprof.rules import RULES, CannotTell, Fires
from mprof.runs import SilentObserver, open_capture
from mprof.runs.diagnosing import load_failed_job
from mprof.threshold import Threshold, thresholds_moved

ROOT = Path(__file__).parents[2] / "cases"
SHARE = Threshold("share", 0.3, "of the heap", "an example")
EVIDENCE = examples_of(RULES[0])[0].evidence()
CAUSE = RULES[0].cause


@dataclass(frozen=True)
class Measured:
    """Evidence of which one measurement decides one rule: whether it reaches the threshold."""

    name: str
    measured: float
    read: frozenset[str] = frozenset({"share"})

    @property
    def verdicts(self) -> dict[str, str]:
        return self.verdicts_with(SHARE, SHARE.default)

    def verdicts_with(self, threshold: Threshold, value: float) -> dict[str, str]:
        share = value if threshold is SHARE else SHARE.default
        return {CAUSE: "fires" if self.measured >= share else "silent", "another": "silent"}


def test_the_interval_ends_at_the_nearest_measurements() -> None:
    witnesses = [Measured("far below", 0.01), Measured("below", 0.2), Measured("above", 0.7)]

    (found,) = sweep(witnesses, [SHARE])

    assert found.low.value == pytest.approx(0.2, rel=0.011)
    assert found.low.change == f"below: {CAUSE} silent → fires"
    assert found.high.value == pytest.approx(0.7, rel=0.011)
    assert found.high.change == f"above: {CAUSE} fires → silent"
    assert SHARE.value == SHARE.default


def test_where_nothing_changes_the_ends_are_as_far_as_a_threshold_is_moved() -> None:
    (found,) = sweep([Measured("at zero", 0.0)], [SHARE])

    assert found.low.change is None
    assert found.high.change is None
    assert found.high.value / found.low.value == pytest.approx(16 * 16)


def test_the_narrowest_interval_stands_first() -> None:
    loose = Threshold("loose", 1.0, "of the heap", "nothing depends on it")
    swept = sweep([Measured("above", 0.31)], [loose, SHARE])

    rows = [line for line in sweep_rows(swept) if "of the heap" in line]

    assert [row.split(" | ")[0] for row in rows] == ["| share", "| loose"]
    assert rows[1].endswith("| - | - |")


def test_the_table_says_on_how_much_evidence_a_threshold_is_read() -> None:
    witnesses = [Measured("above", 0.7), Measured("another", 0.7, read=frozenset())]
    table = sweep_table(sweep(witnesses, [SHARE]), witnesses=2)

    (row,) = [line for line in table.splitlines() if line.startswith("| share ")]
    assert row.split(" | ")[5] == "1"


def test_a_share_either_way_names_the_threshold_and_the_verdict() -> None:
    witnesses = [Measured("just below", 0.27), Measured("far above", 0.7)]

    found = changes_within(witnesses, SHARE, 0.15)

    assert found == (f"0.85 times share: just below: {CAUSE} silent → fires",)
    assert not changes_within(witnesses, SHARE, 0.05)


def test_a_rerun_gives_evidence_with_it_and_without_it() -> None:
    whole, first = load_witnesses([find_case(ROOT, "nlp-lemmatizer")])

    assert (whole.name, first.name) == ("nlp-lemmatizer", "nlp-lemmatizer, first run")
    assert len(whole.load()) > len(first.load()) == 1


def said_from_the_start(case: str, threshold: Threshold, value: float) -> dict[str, str]:
    """As a command diagnoses the capture, with the threshold moved from its first line on.

    Of the advice only for which causes there is any.
    """
    words = {Fires: "fires", CannotTell: "cannot tell"}
    with thresholds_moved({threshold.name: value}):
        runs = load_failed_job(open_capture(find_case(ROOT, case).evidence), SilentObserver())
        found = advise(diagnose_runs(runs)).diagnosis
    advised = {f"advice for {one.cause}": "" for one in found.advice}
    return {c: words.get(type(v), "silent") for c, v in found.verdicts.items()} | advised


def test_what_is_done_again_says_the_same_as_a_diagnosis_from_the_start() -> None:
    (witness,) = load_witnesses([find_case(ROOT, "hot-key-shuffle")])[:1]
    changed = set()
    for one in swept_thresholds():
        expected = said_from_the_start("hot-key-shuffle", one, one.default / 4)
        found = said_of_causes(witness.verdicts_with(one, one.default / 4))
        assert found == expected, one.name
        changed |= {one.name} if found != said_of_causes(witness.verdicts) else set()

    assert changed
    assert changed < witness.read


def said_of_causes(said: Mapping[str, str]) -> dict[str, str]:
    """Without the plan; of the advice only for which causes there is any."""
    return {
        what: "" if what.startswith("advice for ") else word
        for what, word in said.items()
        if not what.startswith(("plan of ", "probes of ", "larger containers"))
    }


def test_with_a_threshold_moved_only_what_reads_it_is_done_again() -> None:
    done: list[str] = []
    early, late, never = (Threshold(name, 1.0, "", "an example") for name in "ABC")

    def load() -> tuple[JobRun, ...]:
        done.append("load")
        assert early.value
        return ()

    def assemble(_: Sequence[JobRun]) -> Evidence:
        done.append("assemble")
        return replace(EVIDENCE, progress=Progress(min(1.0, late.value), "bytes"))

    witness = CaseWitness("counted", load, assemble)
    assert witness.verdicts
    assert done == ["load", "assemble"]
    for threshold, again in ((early, ["load", "assemble"]), (late, ["assemble"]), (never, [])):
        done.clear()
        witness.verdicts_with(threshold, 0.5)
        assert done == again


def test_every_threshold_of_a_rule_a_fact_an_advice_or_a_plan_is_swept() -> None:
    every = swept_thresholds()

    assert len({one.name for one in every}) == len(every)
    of_rules = {t for rule in RULES for t in thresholds_of(rule)}
    of_others = {*ADVICE_THRESHOLDS, *PLAN_THRESHOLDS, OF_A_JVM, MOST_OF_THE_HEAP}
    assert {*EVIDENCE_THRESHOLDS, *of_others, *of_rules} == {*every}
