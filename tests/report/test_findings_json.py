"""The JSON object of `mprof diagnose` is as its schemas say, of one death and of several."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from builders.container_logs import attempt, container, died_in_map, done, found, yarn_logs

from mprof.findings import Findings, Unused
from mprof.report import FindingsReport, Report, render_findings_json

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "docs" / "reference"
_ONE = yarn_logs([(container(2), "syslog", died_in_map())])


def _object(findings: Findings, kind: type[Report | FindingsReport]) -> dict[str, Any]:
    """As it is printed, once it is what the schema and the types say."""
    written = render_findings_json(findings)
    value: dict[str, Any] = json.loads(written)
    name = "diagnosis" if kind is Report else "findings"
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(value)
    assert FindingsReport.of(findings) == msgspec.json.decode(written, type=kind)
    return value


@pytest.mark.parametrize(
    ("text", "diagnosis_of_each"),
    [
        (_ONE + yarn_logs([(container(3), "syslog", died_in_map())]), [0, 0]),
        (_ONE + yarn_logs([(container(3), "syslog", died_in_map(line=58))]), [0, 1]),
    ],
    ids=["two alike", "two"],
)
def test_of_several_deaths_each_names_its_diagnosis(
    text: str, diagnosis_of_each: list[int], tmp_path: Path
) -> None:
    (tmp_path / "a").write_text(text)
    (tmp_path / "of no use").write_bytes(b"\xca\xfe\xba\xbe\0")

    value = _object(found(tmp_path), FindingsReport)

    assert diagnosis_of_each == [one["diagnosis"] for one in value["deaths"]]
    assert max(diagnosis_of_each) + 1 == len(value["diagnoses"])
    assert ["a class file"] == [one["why"] for one in value["unused"]]


@pytest.mark.parametrize(
    "text",
    [_ONE, yarn_logs([(container(2), "syslog", done(attempt("m", 1)))])],
    ids=["one death", "none"],
)
def test_of_one_diagnosis_it_is_that_with_what_was_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(text)
    (tmp_path / "of no use").write_bytes(b"\xca\xfe\xba\xbe\0")

    value = _object(found(tmp_path), Report)

    assert ["a class file"] == [one["why"] for one in value["unused"]]


def test_where_nothing_speaks_of_an_end_there_is_no_diagnosis_in_it() -> None:
    value = _object(Findings((), unused=(Unused("x", "of no known kind"),)), FindingsReport)

    assert [] == value["deaths"] == value["diagnoses"]
