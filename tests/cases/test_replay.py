"""Every recorded case, diagnosed anew from its evidence: all expected causes, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mprof.catalogue import Case, load_cases, replay_case
from mprof.rules import RULES

ROOT = Path(__file__).parents[2] / "cases"
RECORDED = [case for case in load_cases(ROOT) if case.evidence.is_dir()]
FIRST = {"in-mem-word-count", "cooccur-matrix", "shuffle-in-memory"}


def ids(case: Case) -> str:
    return case.slug


@pytest.mark.parametrize("case", RECORDED, ids=ids)
def test_a_recorded_case_names_its_causes_and_no_others(case: Case) -> None:
    result = replay_case(case)

    assert result.judgement.problems == ()
    assert set(result.judgement.found) == set(case.expected.causes)


@pytest.mark.parametrize("case", RECORDED, ids=ids)
def test_the_first_run_alone_names_nothing_false_and_says_what_it_cannot_tell(case: Case) -> None:
    result = replay_case(case, first_run=True)

    assert result.judgement.correct != result.needs_rerun
    assert result.judgement.false == ()


@pytest.mark.parametrize("case", RECORDED, ids=ids)
def test_the_verdict_of_every_rule_is_written_down(case: Case) -> None:
    verdicts = re.findall(r'"(\S+)": "(fires|silent|cannot tell)"', case.verdicts.read_text())

    assert {cause for cause, _ in verdicts} == {rule.cause for rule in RULES}
    assert len(verdicts) == len(RULES)
    if case.kind != "control":  # causes are named for a death of the heap, verdicts for any end
        fires = {cause for cause, verdict in verdicts if verdict == "fires"}
        assert fires == set(case.expected.causes)


@pytest.mark.parametrize("case", RECORDED, ids=ids)
def test_evidence_names_no_machine(case: Case) -> None:
    here = re.escape(str(ROOT.parent).encode())
    home = re.compile(here + rb"|/root\b|/home/(?!user\b)\w+|/Users/|/tmp/(?!hadoop)\w")
    for file in files(case.evidence):
        found = home.search(file.read_bytes())
        assert found is None, f"{file}: {found}"


@pytest.mark.parametrize("case", RECORDED, ids=ids)
def test_evidence_is_small_and_holds_no_dump(case: Case) -> None:
    sizes = {file: file.stat().st_size for file in files(case.evidence)}

    assert not [file for file in sizes if ".hprof" in file.name]
    assert sum(sizes.values()) < 3_000_000


@pytest.mark.parametrize("slug", ["hive-collect-list", "hive-percentile"])
def test_what_a_query_accumulates_is_not_told_to_merge_in_a_second_job(slug: str) -> None:
    # Both died again, of as much, with hive.groupby.skewindata (docs/reference/case-runs.md).
    [case] = [case for case in RECORDED if case.slug == slug]
    advice = replay_case(case).diagnosed.diagnosis.advice

    assert advice
    assert not [one for one in advice if one.property == "hive.groupby.skewindata"]


def test_the_first_cases_are_recorded() -> None:
    assert FIRST <= {case.slug for case in RECORDED}


def files(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.rglob("*")) if file.is_file())
