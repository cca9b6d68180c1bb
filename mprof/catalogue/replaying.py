"""Replays a case from its recorded evidence, without Java, and compares every verdict."""

from __future__ import annotations

import dataclasses
import time

from mprof.catalogue.case import Case, check_causes
from mprof.catalogue.judging import judge
from mprof.catalogue.recording import recorded_capture
from mprof.catalogue.result import CaseResult
from mprof.diagnosis import Diagnosed
from mprof.io.files import UnreadableError
from mprof.io.json import read_json
from mprof.report import verdict_of
from mprof.rules import RULES
from mprof.runs import Observer, SilentObserver, diagnose_capture, open_capture

__all__ = ["expected_verdicts", "replay_case"]


def replay_case(
    case: Case, *, first_run: bool = False, observer: Observer | None = None
) -> CaseResult:
    """Diagnose a case's recorded evidence and compare it with what the case expects.

    Args:
        case: the case.
        first_run: leave out the rerun, as if the job had only been watched; the verdicts of single
            rules are not compared then.
        observer: receives progress.

    Raises:
        UsageError: if the case names a cause of no rule.
        EvidenceError: if the case has no recorded evidence.
    """
    check_causes(case)
    start = time.monotonic()
    with recorded_capture(case) as capture:
        diagnosed = diagnose_capture(
            open_capture(capture), observer or SilentObserver(), runs=1 if first_run else None
        )
    judgement = judge(case, diagnosed)
    if not first_run:
        problems, new = _verdict_problems(case, diagnosed)
        judgement = dataclasses.replace(
            judgement, verdict_problems=(*problems, *new), new_verdicts=new
        )
    return CaseResult(
        case=case.slug,
        way="first run" if first_run else "replay",
        seed=case.input.seed,
        judgement=judgement,
        diagnosed=diagnosed,
        seconds={"replay": round(time.monotonic() - start, 2)},
        capture=case.evidence if case.evidence.is_dir() else case.packed_evidence,
    )


def expected_verdicts(diagnosed: Diagnosed) -> dict[str, str]:
    """The verdict of every rule, by cause: ``fires``, ``silent`` or ``cannot tell``."""
    verdicts = diagnosed.diagnosis.verdicts
    return {rule.cause: verdict_of(verdicts[rule.cause]) for rule in RULES}


def _verdict_problems(case: Case, diagnosed: Diagnosed) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Rules whose verdict is not the expected one; and those for which none is expected."""
    name = f"the expected verdicts ({case.verdicts.relative_to(case.folder)})"
    try:
        expected = read_json(case.verdicts, dict[str, str])
    except UnreadableError as error:
        missing = (f"{name} are missing",)
        return missing if error.missing else (f"{name} cannot be read: {error.reason}",), ()
    given = expected_verdicts(diagnosed)
    problems = [
        f"a verdict is expected for {cause}, but no rule names that cause"
        for cause in expected
        if cause not in given
    ]
    problems += [
        f"the verdict for {cause} is {verdict!r}, expected {expected[cause]!r}"
        for cause, verdict in given.items()
        if expected.get(cause, verdict) != verdict
    ]
    new = [
        f"no verdict is expected for {cause}; it is {verdict!r}"
        for cause, verdict in given.items()
        if cause not in expected
    ]
    return tuple(problems), tuple(new)
