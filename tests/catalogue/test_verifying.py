"""What is tried: the advised settings where there are any, else the repair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders.attempts import EventWriter
from catalogue.test_judge import CASE, diagnosed

from mprof.catalogue import CaseResult, verify_case, verifying
from mprof.catalogue.judge import judge_repair
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
