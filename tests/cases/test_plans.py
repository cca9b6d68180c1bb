"""What is planned for a recorded job is planned for the attempt that its report is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from mprof.catalogue import Case, load_cases
from mprof.evidence.assemble import assemble
from mprof.plan import plan_verify
from mprof.runs import SilentObserver, open_capture
from mprof.runs.diagnosing import load_failed_job

CASES = [case for case in load_cases(Path(__file__).parents[2] / "cases") if case.evidence.is_dir()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.slug)
def test_the_attempt_that_is_verified_is_the_one_that_is_diagnosed(case: Case) -> None:
    jobs = load_failed_job(open_capture(case.evidence), SilentObserver())

    for number in range(1, len(jobs) + 1):
        plan = plan_verify(jobs[:number])
        attempt = assemble(jobs[:number]).attempt
        if plan is not None and attempt.task_type is not None:
            name = f"{attempt.task_type[0]}_{attempt.index:06d}"
            assert plan.tasks[0].task == name
