"""What is tried: the advised settings where there are any, else the repair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders.attempts import EventWriter
from catalogue.test_judge import CASE, diagnosed

from mprof.advised import Advised
from mprof.catalogue import CaseResult, Verification, share_of, verify_case, verifying
from mprof.catalogue.judging import judge_repair
from mprof.diagnosis import Advice, Diagnosed
from mprof.runs.capture import RunManifest, create_capture, write_manifest

JOB = "job_1_0001"
SPLIT_MAX = "mapreduce.input.fileinputformat.split.maxsize"
SETTING = Advice(
    "large_input_split",
    "setting",
    "Smaller.",
    property=SPLIT_MAX,
    new="16777216",
    predicted_peak_bytes=180,
)
CODE = Advice("large_accumulated_results.map", "code", "Do not keep it.")


def advised(*lines: Advice) -> Diagnosed:
    before = diagnosed()
    return replace(before, diagnosis=replace(before.diagnosis, advice=lines))


def write_capture(path: Path) -> Path:
    """Two map attempts, and a reduce attempt that has more live than both."""
    run = create_capture(path).new_run_folder()
    for name, sizes in (("m_000000_0", (90, 183)), ("m_000001_0", (99,)), ("r_000000_0", (400,))):
        writer = EventWriter(f"attempt_1_0001_{name}")
        for size in sizes:
            writer.add("memory", major=True, used_after=size)
        writer.add("memory", major=False, used_after=999)
        writer.write(run / "jobs" / JOB / "attempts")
    write_manifest(
        run,
        RunManifest(
            mode="watch",
            command=("hadoop",),
            job_ids=(JOB,),
            exit_code=0,
            seconds={},
            started_ms=1,
            why="a test",
        ),
    )
    return path


@pytest.mark.parametrize(
    ("lines", "way", "settings"),
    [
        ((CODE, SETTING), "advised", {SPLIT_MAX: "16777216"}),
        ((CODE,), "fixed", {}),
        ((), "fixed", {}),
    ],
)
@pytest.mark.parametrize("job_failed", [False, True])
def test_settings_are_tried_where_any_are_advised_and_the_job_has_to_finish(
    lines: tuple[Advice, ...],
    way: str,
    settings: dict[str, str],
    job_failed: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    asked: list[tuple[str, Mapping[str, Any]]] = []

    def run_case(case: Any, **how: Any) -> CaseResult:
        asked.append((how["way"], how["settings"]))
        outcome = diagnosed()
        return CaseResult(
            case=case.slug,
            way=how["way"],
            seed=1,
            judgement=judge_repair(outcome, job_failed=job_failed),
            diagnosed=outcome,
            seconds={},
            capture=write_capture(how["capture"]),
        )

    monkeypatch.setattr(verifying, "run_case", run_case)

    done = verify_case(CASE, capture=tmp_path / "capture", diagnosed=advised(*lines))

    assert asked == [(way, settings)]
    assert done.settings == settings
    assert done.tried == ("settings" if settings else "repair")
    assert done.finished is not job_failed
    assert done.predicted_peak_bytes == (180 if settings else None)
    assert done.measured_peak_bytes == 183


def test_first_aid_is_not_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    aid = replace(SETTING, cause=CODE.cause, property="mapreduce.map.java.opts",
                  new="-Xmx384m", text="First aid: more heap.", first_aid=True)  # fmt: skip
    ways: list[str] = []

    def run_case(case: Any, **how: Any) -> CaseResult:
        ways.append(how["way"])
        outcome = diagnosed()
        return CaseResult(
            case=case.slug, way=how["way"], seed=1,
            judgement=judge_repair(outcome, job_failed=False), diagnosed=outcome, seconds={},
            capture=write_capture(how["capture"]),
        )  # fmt: skip

    monkeypatch.setattr(verifying, "run_case", run_case)
    done = verify_case(CASE, capture=tmp_path / "capture", diagnosed=advised(CODE, aid))
    assert ways == ["fixed"]
    assert done.advised is None


@pytest.mark.parametrize("finished", [2, 0])
def test_the_share_is_of_the_cases_with_settings(finished: int) -> None:
    came = Advised(
        run=1, kind="settings", settings=(), outcome="died", death_kind="heap", same_death=True,
        predicted_peak_bytes=None, measured_peak_bytes=None, at_most=False, causes=(), sentence="",
    )  # fmt: skip
    outcome = diagnosed()
    result = CaseResult(
        case=CASE.slug, way="advised", seed=1, judgement=judge_repair(outcome, job_failed=False),
        diagnosed=outcome, seconds={}, capture=Path(),
    )  # fmt: skip
    repaired = Verification(CASE.slug, "repair", {}, result)
    tried = [
        replace(repaired, tried="settings", advised=replace(came, outcome=each))
        for each in ("finished",) * finished + ("finished late", "died")
    ]
    expected = {"with_settings": len(tried), "finished": finished, "share": finished / len(tried)}
    assert share_of([repaired, *tried]) == expected
    assert share_of([repaired]) == {"with_settings": 0, "finished": 0, "share": None}


@pytest.mark.parametrize("outcome", ["finished", "died"])
def test_an_intervention_takes_the_place_of_the_repair_where_it_is_asked_for(
    outcome: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    came = Advised(
        run=3, kind="left out", settings=(), outcome=outcome, death_kind=None, same_death=None,
        predicted_peak_bytes=None, measured_peak_bytes=None, at_most=False, causes=(), sentence="",
    )  # fmt: skip
    ways: list[str] = []

    def run_case(case: Any, **how: Any) -> CaseResult:
        ways.append(how["way"])
        before = replace(diagnosed(), advised=came)
        return CaseResult(
            case=case.slug, way=how["way"], seed=1,
            judgement=judge_repair(before, job_failed=True), diagnosed=before, seconds={},
            capture=write_capture(how["capture"]),
        )  # fmt: skip

    monkeypatch.setattr(verifying, "run_case", run_case)
    for lines, way in ((CODE,), "intervened"), ((CODE, SETTING), "advised"):
        done = verify_case(CASE, capture=tmp_path / way, diagnosed=advised(*lines), intervene=True)
        assert ways.pop() == way
        if way == "intervened":
            assert (done.tried, done.finished) == ("intervention", outcome == "finished")
            assert share_of([done])["with_settings"] == 0
