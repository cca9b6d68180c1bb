"""``mprof cases`` prints what its contract says (design section 7)."""

from __future__ import annotations

import json
import shutil
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mprof.catalogue import Case, CaseResult, find_case, replay_case, running
from mprof.catalogue.build import ReadyJob
from mprof.cli.cases import app
from mprof.errors import (
    ClusterError,
    EvidenceError,
    ExpectationError,
    MprofError,
    UsageError,
)

ROOT = Path(__file__).parents[2] / "cases"
RECORDED = "in-mem-word-count"


def call(*words: str) -> Any:
    result = CliRunner().invoke(app, [*words, "--cases", str(ROOT)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return json.loads(result.stdout)


def test_the_list_has_case_phase_and_expected_causes() -> None:
    listed = {one["case"]: one for one in call("list", "--json")}

    assert listed[RECORDED]["phase"] == "map"
    assert listed[RECORDED]["expected"] == ["large_accumulated_results.map", "large_input_split"]
    assert {"shuffle-in-memory", "cooccur-matrix"} < set(listed)


@pytest.mark.parametrize(
    ("kind", "some"),
    [("case", RECORDED), ("coverage", "small-record"), ("control", "own-exception")],
)
def test_a_kind_is_listed_alone(kind: str, some: str) -> None:
    listed = {one["case"]: one for one in call("list", "--kind", kind, "--json")}

    assert {one["kind"] for one in listed.values()} == {kind}
    assert some in listed
    assert bool(listed[some]["expected"]) == (kind != "control")


def test_a_replayed_control_names_its_death_and_no_cause() -> None:
    found = call("replay", "own-exception", "--json")

    assert found["death"]["kind"] == "not-memory"
    assert found["causes"] == found["expected"] == found["unknown"] == []
    assert found["correct"] is True


def test_a_replay_is_the_diagnosis_with_what_the_case_adds() -> None:
    found = call("replay", RECORDED, "--json")

    assert found["schema_version"] == 1
    assert found["case"] == RECORDED
    assert found["correct"] is True
    assert found["missed"] == found["false"] == []
    assert {one["cause"] for one in found["causes"]} == set(found["expected"])
    assert found["seconds"]["replay"] >= 0
    assert Path(found["capture"]).is_dir()


@pytest.mark.parametrize(
    ("words", "kind", "complaint"),
    [
        (("replay",), UsageError, "give one case, or --all"),
        (("replay", RECORDED, "--all"), UsageError, "give one case, or --all"),
        (("replay", "nope"), UsageError, "no case 'nope'"),
        (("run", RECORDED, "-D", "mapreduce.job.reduces"), UsageError, "is not a setting"),
        (("run", RECORDED, "--bytes", "0"), UsageError, "the input is 0 bytes"),
        (("run", RECORDED, "--bytes", "9", "--scale", "paper"), UsageError, "in its own scale"),
        (("run", "--all", "--bytes", "9"), UsageError, "in its own scale"),
        (("run", "own-exception", "--scale", "paper"), UsageError, "has no scale 'paper'"),
        (("run", "--all", "--scale", "moon"), UsageError, "no case has a scale 'moon'"),
        (("run", "own-exception", "--fixed"), UsageError, "is a control"),
        (("list", "--kind", "paper"), UsageError, "no kind 'paper'"),
    ],
)
def test_a_wrong_call_is_refused_before_anything_starts(
    words: tuple[str, ...], kind: type[MprofError], complaint: str
) -> None:
    with pytest.raises(kind, match=complaint):
        call(*words)


def test_settings_and_input_of_one_run_replace_the_cases_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands: list[tuple[str, ...]] = []
    sizes: list[int] = []

    def make_input(case: Case, *, seed: int) -> Path:
        sizes.append(case.input.bytes)
        return tmp_path

    def submit(command: tuple[str, ...], **_: Any) -> None:
        commands.append(command)
        raise ClusterError("far enough", next_step="none")

    monkeypatch.setattr(running, "connect", lambda **_: nullcontext())
    job = ReadyJob(find_case(ROOT, RECORDED), tmp_path / "job.jar")
    monkeypatch.setattr(running, "prepare_job", lambda *_, **__: job)
    monkeypatch.setattr(running, "make_input", make_input)
    monkeypatch.setattr(running, "run", submit)

    heap = "mapreduce.map.java.opts=-Xmx512m -Da=b"
    with pytest.raises(ClusterError):
        call("run", RECORDED, "--bytes", "123456789", "-D", heap, "-D", "x=1", "-D", "x=2")

    (command,) = commands
    given = [value for option, value in pairwise(command) if option == "-D"]
    assert sizes == [123456789]
    assert [one for one in given if one.startswith(("mapreduce.map.java.opts", "x"))] == [
        heap,
        "x=2",
    ]
    # what was not replaced stays
    assert "mapreduce.task.io.sort.mb=90" in given


def test_a_case_without_evidence_says_how_to_record_it(tmp_path: Path) -> None:
    folder = tmp_path / RECORDED
    folder.mkdir()
    (folder / "job").mkdir()
    for name in ("case.toml", "data.py"):
        (folder / name).write_text((ROOT / RECORDED / name).read_text())

    runner = CliRunner().invoke(app, ["replay", RECORDED, "--cases", str(tmp_path)])

    assert isinstance(runner.exception, EvidenceError)
    assert "python -m development record" in runner.exception.next_step


def test_where_only_the_verdict_of_a_new_rule_is_missing_it_is_said_how_to_accept_it(
    tmp_path: Path,
) -> None:
    folder = tmp_path / RECORDED
    shutil.copytree(ROOT / RECORDED, folder)
    file = folder / "expected" / "verdicts.json"
    expected = json.loads(file.read_text())
    del expected["hotspot_key"]
    file.write_text(json.dumps(expected))

    result = CliRunner().invoke(app, ["replay", RECORDED, "--cases", str(tmp_path)])

    assert isinstance(result.exception, MprofError)
    assert result.exception.next_step == "in a checkout: python -m development accept"


def test_a_case_that_comes_out_wrong_ends_with_6(tmp_path: Path) -> None:
    """The recorded evidence under another expectation."""
    folder = tmp_path / RECORDED
    folder.mkdir()
    (folder / "job").mkdir()
    (folder / "data.py").write_text("")
    (folder / "evidence").symlink_to(ROOT / RECORDED / "evidence")
    text = (ROOT / RECORDED / "case.toml").read_text()
    wrong = 'causes = ["large_accumulated_results.map", "hotspot_key"]'
    causes = 'causes = ["large_accumulated_results.map", "large_input_split"]'
    (folder / "case.toml").write_text(text.replace(causes, wrong, 1))

    result = CliRunner().invoke(app, ["replay", RECORDED, "--cases", str(tmp_path), "--json"])

    assert isinstance(result.exception, MprofError)
    assert result.exception.exit_code == 6
    found = json.loads(result.stdout)
    assert (found["missed"], found["false"]) == (["hotspot_key"], ["large_input_split"])


def test_with_discard_the_captures_stay_of_cases_that_are_wrong_or_do_not_end_as_they_should(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, wrong, fine = "own-exception", "array-limit", "direct-buffers"

    def run_case(case: Case, *, capture: Path, **_: Any) -> CaseResult:
        capture.mkdir(parents=True)
        if case.slug == own:
            raise ExpectationError("the job succeeded", next_step="change it")
        result = replay_case(case)
        if case.slug == wrong:
            result = replace(result, judgement=replace(result.judgement, false=("hotspot_key",)))
        return replace(result, capture=capture)

    monkeypatch.setattr("mprof.catalogue.run_case", run_case)
    cases = tmp_path / "cases"
    for slug in (own, wrong, fine):
        shutil.copytree(ROOT / "controls" / slug, cases / "controls" / slug)
    shutil.copytree(ROOT / RECORDED, cases / RECORDED)  # without one there is no folder of cases
    captures = tmp_path / "captures"
    words = [
        "run",
        "--all",
        "--kind",
        "control",
        "--discard",
        "-o",
        str(captures),
        "--cases",
        str(cases),
    ]

    result = CliRunner().invoke(app, words)

    assert isinstance(result.exception, ExpectationError)
    assert {each.name for each in captures.iterdir()} == {own, wrong}
    for slug in (own, wrong):
        assert f"capture  {captures / slug}" in result.output
