"""How near its limit an attempt came that did not fail, as a view."""

from __future__ import annotations

from mprof.diagnosis import Diagnosed
from mprof.evidence import Unknown, known
from mprof.patterns import Absent, Forecast
from mprof.report.view.model import ForecastView, Nearness, PeakPartView, Share

__all__ = ["nearness_of"]


def nearness_of(diagnosed: Diagnosed) -> Nearness | None:
    """None where an attempt failed, or where nothing says how full its heap was."""
    evidence = diagnosed.evidence
    peak, heap = known(evidence.peak), known(evidence.memory.capacity_bytes)
    if evidence.death.kind != "none" or peak is None or not heap:
        return None
    forecast = diagnosed.patterns.forecast
    return Nearness(
        attempt_id=evidence.attempt.attempt_id,
        live=Share(peak.live_bytes, peak.live_bytes / heap),
        at_most=peak.at_most,
        heap_bytes=heap,
        parts=tuple(
            PeakPartView(one.of, one.class_name, Share(one.bytes, one.bytes / peak.live_bytes))
            for one in peak.parts
        ),
        looked_at=peak.looked_at,
        forecast=_forecast(forecast) if isinstance(forecast, Forecast) else None,
        why_none=_why(forecast),
    )


def _forecast(found: Forecast) -> ForecastView:
    return ForecastView(
        unit=found.unit,
        at=found.at,
        times=found.times,
        input_bytes=found.input_bytes,
        at_the_earliest=found.at_the_earliest,
    )


def _why(forecast: Forecast | Absent | Unknown) -> str | None:
    if isinstance(forecast, Unknown):
        return f"cannot tell without {forecast.missing}"
    return forecast.why if isinstance(forecast, Absent) else None
