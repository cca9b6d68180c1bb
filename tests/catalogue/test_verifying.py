"""What is tried: the advised settings where there are any, else the repair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from catalogue.test_judge import CASE, diagnosed

from mprof.catalogue import CaseResult, verify_case, verifying
from mprof.catalogue.judge import judge_repair
from mprof.diagnosis import Advice, Diagnosed

SPLIT_MAX = "mapreduce.input.fileinputformat.split.maxsize"
SETTING = Advice("large_input_split", "setting", "Smaller.", property=SPLIT_MAX, new="16777216")
CODE = Advice("large_accumulated_results.map", "code", "Do not keep it.")


def advised(*lines: Advice) -> Diagnosed:
    told = diagnosed()
    return replace(told, diagnosis=replace(told.diagnosis, advice=lines))


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
            capture=how["capture"],
        )

    monkeypatch.setattr(verifying, "run_case", run_case)

    done = verify_case(CASE, capture=Path("capture"), diagnosed=advised(*lines))

    assert asked == [(way, settings)]
    assert done.settings == settings
    assert done.tried == ("settings" if settings else "repair")
    assert done.finished is not job_failed
