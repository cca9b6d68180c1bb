"""Moments and durations in words."""

from __future__ import annotations

import math
from datetime import UTC, datetime

__all__ = ["duration_text", "moment_text"]

_DATED_S = 1e9  # what is earlier counts from the begin of a recording
_LATEST_S = 253402300799.0  # the last second of the year 9999
_MINUTE, _HOUR = 60, 3600


def moment_text(seconds: float) -> str:
    """A moment of the store; one of a recording without a date counts from its begin.

    >>> moment_text(1.6e9)
    '2020-09-13 12:26:40 UTC'
    >>> moment_text(90.0)
    '90 s after the start of the recording'
    """
    if math.isfinite(seconds) and _DATED_S <= seconds <= _LATEST_S:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
    return f"{seconds:,.0f} s after the start of the recording"


def duration_text(seconds: float) -> str:
    """A duration, as exactly as a reader wants it.

    >>> duration_text(4.25), duration_text(131.0), duration_text(7384.0)
    ('4.2 s', '131 s', '2 h 3 min')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 10 * _MINUTE:
        return f"{seconds:,.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:,.0f} min"
    hours, minutes = divmod(round(seconds / _MINUTE), 60)
    return f"{hours:,} h {minutes} min"
