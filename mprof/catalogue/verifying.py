"""Whether the advice helps: runs a case with the advised settings, or else repaired."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mprof.advice import advised_settings, what_came_of_it
from mprof.advised import Advised, Intervention
from mprof.catalogue.case import Case
from mprof.catalogue.replaying import replay_case
from mprof.catalogue.result import CaseResult, Way
from mprof.catalogue.running import run_case
from mprof.diagnosis import Diagnosed
from mprof.runs import Observer, open_capture
from mprof.trace import read_trace
from mprof.trace.events import MemoryEvent

__all__ = ["Verification", "has_settings", "share_of", "verify_case"]


_TRIED: Final[dict[Way, str]] = {
    "advised": "settings",
    "intervened": "intervention",
    "fixed": "repair",
}


@dataclass(frozen=True, slots=True)
class Verification:
    """What was tried, and its result.

    Attributes:
        tried: ``settings`` as advised, the ``repair`` of the code, or an ``intervention``: the job
            without the record or group at death, or with a larger heap.
        settings: property -> value; empty for the repair.
        predicted_peak_bytes: the highest peak predicted for the advised settings; None for the
            repair.
        measured_peak_bytes: the most live bytes after a full collection in any attempt of the type
            (map or reduce) that had died; None where there was no full collection.
        advised: what it says of the causes; None for the repair.
    """

    case: str
    tried: str
    settings: Mapping[str, str]
    result: CaseResult
    predicted_peak_bytes: int | None = None
    measured_peak_bytes: int | None = None
    advised: Advised | None = None

    @property
    def finished(self) -> bool:
        """Whether the job succeeded and no cause was named; of an intervention, as it says."""
        if self.tried == "intervention":
            return self.advised is not None and self.advised.outcome == "finished"
        return self.result.judgement.correct


def verify_case(
    case: Case,
    *,
    capture: Path,
    diagnosed: Diagnosed | None = None,
    intervene: bool = False,
    observer: Observer | None = None,
) -> Verification:
    """Run a case with the advised settings if there are any, else repaired; it must succeed.

    Args:
        case: the case.
        capture: new folder for the capture.
        diagnosed: the diagnosis with the advice; None for that of the recorded evidence.
        intervene: where no setting is advised, run the job as it is and then with what
            ``mprof rerun --advised`` does where code or data has to change, instead of repaired.
        observer: receives progress.

    Raises:
        EvidenceError: if there is neither a diagnosis nor recorded evidence.
    """
    judged = diagnosed or replay_case(case, observer=observer).diagnosed
    tried = Intervention("settings", advised_settings(judged.diagnosis.advice))
    settings, predicted = tried.given, [one.predicted_peak_bytes for one in tried.settings]
    way: Way = "advised" if settings else "intervened" if intervene else "fixed"
    result = run_case(case, capture=capture, way=way, settings=settings, observer=observer)
    came = (
        what_came_of_it(judged, result.diagnosed, tried, run=1)
        if settings
        else result.diagnosed.advised
    )
    return Verification(
        case=case.slug,
        tried=_TRIED[way],
        settings=settings,
        result=result,
        predicted_peak_bytes=max((one for one in predicted if one is not None), default=None),
        measured_peak_bytes=_live_peak(capture, "reduce" if judged.evidence.is_reduce else "map"),
        advised=came,
    )


def has_settings(case: Case) -> bool:
    """Whether the diagnosis of the recorded evidence advises any."""
    if not case.is_recorded:
        return False
    return bool(advised_settings(replay_case(case).diagnosed.diagnosis.advice))


def share_of(done: Sequence[Verification]) -> dict[str, float | None]:
    """How many of those with settings finished at the first try."""
    tried = [
        one.advised.outcome for one in done if one.advised is not None and one.tried == "settings"
    ]
    finished = tried.count("finished")
    return {
        "with_settings": len(tried),
        "finished": finished,
        "share": finished / len(tried) if tried else None,
    }


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
