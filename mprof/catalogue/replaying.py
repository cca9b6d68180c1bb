"""A case from its recorded evidence: no Java, seconds, and every rule's verdict compared."""

from __future__ import annotations

import dataclasses
import time

import msgspec

from mprof.catalogue.case import Case
from mprof.catalogue.judge import judge
from mprof.catalogue.recording import expected_verdicts
from mprof.catalogue.result import CaseResult
from mprof.diagnosis import Diagnosed
from mprof.errors import EvidenceError
from mprof.runs import Observer, SilentObserver, diagnose_capture, open_capture

__all__ = ["replay_case"]


def replay_case(
    case: Case, *, first_run: bool = False, observer: Observer | None = None
) -> CaseResult:
    """Diagnose a case's recorded evidence and compare it with what the case expects.

    Args:
        case: the case.
        first_run: leave the rerun out, as if the job had only been watched; the verdicts of single
            rules are not compared then.
        observer: told how it goes.

    Raises:
        EvidenceError: if nothing was recorded yet.
    """
    if not case.evidence.is_dir():
        raise EvidenceError(
            f"no evidence of the case {case.slug} is recorded",
            next_step=f"record it with: mprof cases run {case.slug} --record",
        )
    start = time.monotonic()
    diagnosed = diagnose_capture(
        open_capture(case.evidence), observer or SilentObserver(), runs=1 if first_run else None
    )
    judgement = judge(case, diagnosed)
    if not first_run:
        others = _other_verdicts(case, diagnosed)
        judgement = dataclasses.replace(judgement, other_verdicts=others)
    return CaseResult(
        case=case.slug,
        way="first run" if first_run else "replay",
        seed=case.input.seed,
        judgement=judgement,
        diagnosed=diagnosed,
        seconds={"replay": round(time.monotonic() - start, 2)},
        capture=case.evidence,
    )


def _other_verdicts(case: Case, diagnosed: Diagnosed) -> tuple[str, ...]:
    """Where a rule says something else than is written in ``expected/``."""
    if not case.verdicts.is_file():
        return ()
    expected = msgspec.json.decode(case.verdicts.read_bytes(), type=dict[str, str])
    said = expected_verdicts(diagnosed)
    return tuple(
        f"the rule for {cause} says {said.get(cause, 'nothing')}, expected {verdict}"
        for cause, verdict in expected.items()
        if said.get(cause) != verdict
    )
