"""The public JSON object of real jobs, and that nothing in a report contradicts the rest."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest
from builders.report_numbers import contradictions

from mprof.catalogue import Case, load_cases, replay_case
from mprof.report import Report, render_json, render_text

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "reference" / "diagnosis.schema.json").read_text())
RECORDED = [case for case in load_cases(ROOT / "cases") if case.evidence.is_dir()]


@pytest.mark.parametrize("first_run", [False, True], ids=["all runs", "first run"])
@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case.slug)
def test_the_object_of_a_recorded_case_is_as_the_schema_says(case: Case, first_run: bool) -> None:
    diagnosed = replay_case(case, first_run=first_run).diagnosed

    written = render_json(diagnosed)
    found, report = json.loads(written), Report.of(diagnosed)

    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    assert [] == contradictions(report, render_text(diagnosed))
    assert report == msgspec.json.decode(written, type=Report)
    assert found["death"]["kind"] == diagnosed.evidence.death.kind
    assert [one["cause"] for one in found["causes"]] == [
        one.cause for one in diagnosed.diagnosis.causes
    ]


def test_a_recorded_case_of_every_kind_is_among_them() -> None:
    assert {case.kind for case in RECORDED} == {"case", "coverage", "control"}
