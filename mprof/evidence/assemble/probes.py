"""What the probes of an attempt cost it, beside what was expected."""

from __future__ import annotations

from mprof.evidence.facts import Probes
from mprof.job_run import JobRun
from mprof.trace import Trace
from mprof.trace.events import DumpEvent, Histogram

__all__ = ["probes_of"]

_PROBE = "probe"


def probes_of(trace: Trace, run: JobRun) -> Probes | None:
    """The probes that the plan of the attempt's run asked for; None where none was made."""
    dumps = [each for each in trace.of(DumpEvent) if each.reason == _PROBE]
    histograms = [each for each in trace.of(Histogram) if each.reason == _PROBE]
    if not dumps and not histograms:
        return None
    pauses = [each.seconds or 0.0 for each in dumps] + [each.seconds or 0.0 for each in histograms]
    return Probes(
        dumps=len(dumps),
        histograms=len(histograms),
        seconds=sum(pauses),
        attempt_seconds=trace.seconds,
        planned=run.why,
        attempt_id=trace.attempt_id,
    )
