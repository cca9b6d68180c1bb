"""Whether the advice helps: runs a case with the advised settings, or else repaired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mprof.catalogue.case import Case
from mprof.catalogue.replaying import replay_case
from mprof.catalogue.result import CaseResult, Way
from mprof.catalogue.running import run_case
from mprof.diagnosis import Diagnosed
from mprof.runs import Observer, open_capture
from mprof.trace import read_trace
from mprof.trace.events import MemoryEvent

__all__ = ["Verification", "verify_case"]


@dataclass(frozen=True, slots=True)
class Verification:
    """What was tried, and its result.

    Attributes:
        case: slug of the case.
        tried: ``settings`` as advised, or the ``repair`` of the code.
        settings: property -> value; empty for the repair.
        result: of the run.
        predicted_peak_bytes: the highest peak predicted for the advised settings; None for the
            repair.
        measured_peak_bytes: the most live bytes after a full collection in any attempt of the type
            (map or reduce) that had died; None where there was no full collection.
    """

    case: str
    tried: str
    settings: Mapping[str, str]
    result: CaseResult
    predicted_peak_bytes: int | None = None
    measured_peak_bytes: int | None = None

    @property
    def finished(self) -> bool:
        """Whether the job succeeded and no cause was named."""
        return self.result.judgement.correct


def verify_case(
    case: Case,
    *,
    capture: Path,
    diagnosed: Diagnosed | None = None,
    observer: Observer | None = None,
) -> Verification:
    """Run a case with the advised settings if there are any, else repaired; it must succeed.

    Args:
        case: the case.
        capture: new folder for the capture.
        diagnosed: the diagnosis with the advice; None for that of the recorded evidence.
        observer: receives progress.

    Raises:
        EvidenceError: if there is neither a diagnosis nor recorded evidence.
    """
    judged = diagnosed or replay_case(case, observer=observer).diagnosed
    lines = [one for one in judged.diagnosis.advice if one.kind == "setting"]
    settings = {
        one.property: one.new for one in lines if one.property is not None and one.new is not None
    }
    predicted = [one.predicted_peak_bytes for one in lines if one.predicted_peak_bytes is not None]
    way: Way = "advised" if settings else "fixed"
    result = run_case(case, capture=capture, way=way, settings=settings, observer=observer)
    return Verification(
        case=case.slug,
        tried="settings" if settings else "repair",
        settings=settings,
        result=result,
        predicted_peak_bytes=max(predicted, default=None),
        measured_peak_bytes=_live_peak(capture, "reduce" if judged.evidence.is_reduce else "map"),
    )


def _live_peak(capture: Path, side: str) -> int | None:
    """The most live bytes after a full collection; young collections leave garbage behind."""
    sizes = [
        event.used_after
        for recorded in open_capture(capture).runs
        for job in recorded.jobs
        for attempt in job.attempts
        if (trace := read_trace(attempt.path)).task_type == side
        for event in trace.of(MemoryEvent)
        if event.major and event.used_after is not None
    ]
    return max(sizes, default=None)
