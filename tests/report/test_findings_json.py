"""The JSON object of `mprof diagnose` is as its schema says, whatever was found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from builders.container_logs import attempt, container, died_in_map, done, found, yarn_logs

from mprof.catalogue import load_cases, replay_case
from mprof.findings import Findings, Told, Unused
from mprof.report import FindingsReport, render_findings_json, render_json

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "reference" / "findings.schema.json").read_text())
_ONE = yarn_logs([(container(2), "syslog", died_in_map())])


def _object(findings: Findings) -> dict[str, Any]:
    """As it is printed, once it is what the schema and the types say."""
    written = render_findings_json(findings)
    value: dict[str, Any] = json.loads(written)
    jsonschema.Draft202012Validator(SCHEMA).validate(value)
    assert FindingsReport.of(findings) == msgspec.json.decode(written, type=FindingsReport)
    assert list(SCHEMA["properties"]) == list(value) == SCHEMA["required"]
    return value


@pytest.mark.parametrize(
    ("text", "diagnosis_of_each"),
    [
        (_ONE, [0]),
        (_ONE + yarn_logs([(container(3), "syslog", died_in_map())]), [0, 0]),
        (_ONE + yarn_logs([(container(3), "syslog", died_in_map(line=58))]), [0, 1]),
        (yarn_logs([(container(2), "syslog", done(attempt("m", 1)))]), []),
    ],
    ids=["one death", "two alike", "two", "none"],
)
def test_it_is_the_same_object_however_many_died(
    text: str, diagnosis_of_each: list[int], tmp_path: Path
) -> None:
    (tmp_path / "a").write_text(text)
    (tmp_path / "of no use").write_bytes(b"\xca\xfe\xba\xbe\0")

    value = _object(found(tmp_path))

    assert diagnosis_of_each == [one["diagnosis"] for one in value["deaths"]]
    assert max([1, *(number + 1 for number in diagnosis_of_each)]) == len(value["diagnoses"])
    assert ["a class file"] == [one["why"] for one in value["unused"]]


def test_where_nothing_speaks_of_an_end_there_is_no_diagnosis_in_it() -> None:
    value = _object(Findings((), unused=(Unused("x", "of no known kind"),)))

    assert [] == value["deaths"] == value["diagnoses"]


def test_of_a_capture_the_attempt_that_is_diagnosed_died() -> None:
    case = next(
        case
        for case in load_cases(ROOT / "cases")
        if case.evidence.is_dir() and case.kind == "case"
    )
    diagnosed = replay_case(case, first_run=False).diagnosed

    value = _object(Findings((Told(diagnosed),)))

    (report,) = value["diagnoses"]
    assert json.loads(render_json(diagnosed)) == report
    (dead,) = value["deaths"]
    assert (report["attempt"]["id"], report["death"]["kind"]) == (dead["attempt_id"], dead["kind"])
