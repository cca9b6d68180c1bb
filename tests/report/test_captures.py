"""Two captures beside each other: what is said of them is what was changed between them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from builders.evidence import map_attempt, with_growth
from typer.testing import CliRunner

from development.json_schema import json_schema
from mprof.advice import advise
from mprof.cli.subcommands import app
from mprof.diagnosis import Diagnosed, diagnose
from mprof.errors import EvidenceError, UsageError
from mprof.evidence import Death, Evidence, Job
from mprof.report.captures import CaptureComparison, compare_diagnoses
from mprof.report.captures_page import captures_page
from mprof.report.captures_text import captures_text
from mprof.units import MIB

ROOT = Path(__file__).parents[2]
CASES = ROOT / "cases"
SPLIT = "mapreduce.input.fileinputformat.split.maxsize"


def _died(**changes: Any) -> Diagnosed:
    """A mapper whose map grew to 170 MB over 4,000 records of a split of 64 MB."""
    grown = with_growth(map_attempt(**changes), "this.counts", 170 * MIB)
    return advise(diagnose(grown))


def _passed(evidence: Evidence, **changes: Any) -> Diagnosed:
    """The same job, that finished."""
    return diagnose(
        replace(
            evidence, job=Job("job_1_0002", "words", state="SUCCEEDED"),
            attempt=replace(evidence.attempt, attempt_id=None, finished=True),
            death=Death("none", ""), position=None, holders=(), stack=(), series=(), **changes,
        )
    )  # fmt: skip


def _compared(before: Diagnosed, after: Diagnosed) -> CaptureComparison:
    return compare_diagnoses(before, after, names=("a", "b"))


def test_advice_that_was_followed_explains_why_the_cause_is_gone() -> None:
    before = _died(conf={SPLIT: "67108864", "same": "1"})
    (advised,) = {one.new for one in before.diagnosis.advice if one.property == SPLIT}
    after = _passed(before.evidence, conf={SPLIT: advised, "same": "1"})
    found = _compared(before, after)
    (setting,) = found.settings
    assert (SPLIT, "67108864", advised, advised) == (
        setting.name, setting.before, setting.after, setting.advised)  # fmt: skip
    assert "The first died (heap), the second finished." == found.explained[0]
    assert found.explained[1] == (
        f"{SPLIT} is {advised}, was 67108864 (as advised), against {setting.cause}, "
        "which is no longer named."
    )
    changed = {one.cause for one in found.verdicts}
    assert setting.cause in changed
    assert len(changed) + found.verdicts_alike == len(before.diagnosis.verdicts)


def test_another_value_than_the_advised_one_is_said_to_be_another() -> None:
    before = _died(conf={SPLIT: "67108864"})
    again = _died(conf={SPLIT: "33554432"})
    found = _compared(before, again)
    assert "Both died (heap)." == found.explained[0]
    assert f"{found.settings[0].advised} was advised), against " in found.explained[1]
    assert found.explained[1].endswith("is still named.")


def test_growth_by_as_much_for_each_record_is_the_datas_and_not_the_codes() -> None:
    before = advise(diagnose(with_growth(map_attempt(), "this.counts", 170 * MIB, last_x=4000)))
    more = advise(diagnose(with_growth(map_attempt(), "this.counts", 85 * MIB, last_x=2000)))
    (growth,) = _compared(before, more).growth
    assert (4001, 2001) == (growth.taken_before, growth.taken_after)
    assert growth.per_unit_before == pytest.approx(170 * MIB / 4000, rel=0.01)
    assert growth.per_unit_before == pytest.approx(growth.per_unit_after, rel=0.01)
    assert any(
        "what differs is how many there were" in one for one in _compared(before, more).explained
    )
    other = advise(diagnose(with_growth(map_attempt(), "this.counts", 170 * MIB, last_x=2000)))
    assert any("where it grew by" in one for one in _compared(before, other).explained)


def test_figures_that_differ_are_said_and_equal_ones_are_not() -> None:
    before = _died()
    larger = _died(memory=replace(before.evidence.memory, heap_max_bytes=512 * MIB))
    said = _compared(before, larger).explained[-1]
    assert said == "Compared with the first, the second has 2.0 times the heap at most."
    alike = _compared(before, before).explained
    assert "No setting differs, nor any figure of data or memory that both have." == alike[-1]


def test_of_two_jobs_nothing_is_explained() -> None:
    before = _died(conf={SPLIT: "67108864"})
    other = _died(job=Job("job_2_0001", "sort"), conf={SPLIT: "1"})
    explained = _compared(before, other).explained
    assert 2 == len(explained)
    assert "two different jobs, words and sort" in explained[1]


def test_what_names_the_run_or_is_mprofs_own_is_no_setting() -> None:
    before = _died(
        conf={
            "mapreduce.job.id": "1", "mapreduce.job.tags": "mprof-ab12", "yarn.log.dir": "/a",
            "mapreduce.task.profile.params": "-javaagent:./mprof-agent.jar=x", "window": "2",
        }
    )  # fmt: skip
    after = _died(
        conf={
            "mapreduce.job.id": "2", "mapreduce.job.tags": "mprof-cd34", "yarn.log.dir": "/b",
            "mapreduce.task.profile.params": "-javaagent:./mprof-agent.jar=y", "window": "3",
        }
    )  # fmt: skip
    assert ["window"] == [one.name for one in _compared(before, after).settings]


def test_a_name_that_others_chose_is_text_on_the_page() -> None:
    before = _died(conf={"x": "<script>alert(1)</script>"}, job=Job("j", "<b>words</b>"))
    page = captures_page(_compared(before, _died(job=Job("j", "<b>words</b>"))))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<b>words" not in page


# --- the command, over recorded cases -------------------------------------------------------------

WORDS, STRIPES = (
    str(CASES / name / "evidence") for name in ("in-mem-word-count", "cooccur-matrix")
)


def _mprof(*words: str) -> Any:
    return CliRunner().invoke(app, ["compare", *words])


def test_recorded_cases_are_compared_in_text_json_and_a_page(tmp_path: Path) -> None:
    result = _mprof(WORDS, STRIPES, "--json")
    assert 0 == result.exit_code, result.output
    value = json.loads(result.stdout)
    assert value["before"]["causes"] == ["large_accumulated_results.map", "large_input_split"]
    assert "hotspot_key" in value["after"]["causes"]
    figures = {one["what"]: (one["before"], one["after"]) for one in value["data"]}
    assert (1, 2) == figures["map tasks"]
    assert (1572865, 5012716) == figures["map output records"]
    assert msgspec.convert(value["cost"], list[dict[str, Any]])

    text = _mprof(WORDS, STRIPES).stdout
    assert "VERDICTS THAT DIFFER" in text
    assert "hotspot_key: silent  ->  fires" in text or "hotspot_key: cannot tell" in text
    page = tmp_path / "page.html"
    assert 0 == _mprof(WORDS, STRIPES, "--html", str(page)).exit_code
    content = page.read_text(encoding="utf-8")
    assert "hotspot_key" in content
    assert "http" not in content.split("<style")[1].split("</style>")[0]
    assert isinstance(_mprof(WORDS, STRIPES, "--html", str(page)).exception, UsageError)


def test_with_itself_a_case_has_no_difference() -> None:
    found = json.loads(_mprof(WORDS, WORDS, "--json").stdout)
    assert [] == found["settings"] == found["verdicts"]
    for one in (*found["data"], *found["memory"], *found["cost"]):
        assert one["before"] == one["after"]


def test_what_is_not_there_is_missing_evidence(tmp_path: Path) -> None:
    assert isinstance(_mprof(WORDS, str(tmp_path / "none")).exception, EvidenceError)
    (tmp_path / "empty").mkdir()
    assert isinstance(_mprof(str(tmp_path / "empty"), WORDS).exception, EvidenceError)


def test_text_has_every_part() -> None:
    text = captures_text(_compared(_died(conf={"a": "1"}), _died(conf={"a": "2"})))
    for title in ("THE FIRST", "THE SECOND", "MEMORY", "SETTINGS THAT DIFFER", "HOW IT GREW"):
        assert f"\n{title}\n" in text


def test_the_schema_is_made_from_the_types() -> None:
    written = (ROOT / "docs/reference/captures.schema.json").read_text(encoding="utf-8")
    title = "What mprof compare --json prints"
    assert written == json_schema(CaptureComparison, title), "run: make docs"
