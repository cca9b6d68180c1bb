"""Does the advice help? The advised settings, or the repair where the cause is code, tried out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mprof.catalogue.case import Case
from mprof.catalogue.replaying import replay_case
from mprof.catalogue.result import CaseResult, Way
from mprof.catalogue.running import run_case
from mprof.diagnosis import Diagnosed
from mprof.runs import Observer

__all__ = ["Verification", "verify_case"]


@dataclass(frozen=True, slots=True)
class Verification:
    """What was tried and what came of it.

    Attributes:
        case: its slug.
        tried: ``settings`` as advised, or the ``repair`` of the code.
        settings: property to value; empty for the repair.
        result: of the run.
    """

    case: str
    tried: str
    settings: Mapping[str, str]
    result: CaseResult

    @property
    def finished(self) -> bool:
        """The job finished, and no cause was found."""
        return self.result.judgement.correct


def verify_case(
    case: Case,
    *,
    capture: Path,
    diagnosed: Diagnosed | None = None,
    observer: Observer | None = None,
) -> Verification:
    """Run a case with what was advised for it; the job has to finish then.

    Settings are tried where there are any, else the repair.

    Args:
        case: the case.
        capture: new folder for the capture.
        diagnosed: the diagnosis with the advice; else that of the recorded evidence.
        observer: told how it goes.

    Raises:
        EvidenceError: if there is neither a diagnosis nor recorded evidence.
    """
    judged = diagnosed or replay_case(case, observer=observer).diagnosed
    settings = {
        one.property: one.new
        for one in judged.diagnosis.advice
        if one.kind == "setting" and one.property is not None and one.new is not None
    }
    way: Way = "advised" if settings else "fixed"
    result = run_case(case, capture=capture, way=way, settings=settings, observer=observer)
    return Verification(case.slug, "settings" if settings else "repair", settings, result)
