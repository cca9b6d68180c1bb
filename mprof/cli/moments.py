"""Moments as a user writes them: with a date, in UTC or with an offset, or in seconds."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from mprof.errors import UsageError
from mprof.units import EARLIEST_S, LATEST_S

__all__ = ["moment_s"]


def moment_s(text: str | None, *, option: str) -> float | None:
    """A moment in seconds since 1970 UTC; None for none.

    >>> moment_s("2026-11-24 02:30", option="--since")
    1795487400.0
    >>> moment_s("2026-11-24T03:30:00+01:00", option="--since")
    1795487400.0
    >>> moment_s("90.5", option="--since")  # of a recording without a date
    90.5

    Raises:
        UsageError: if it is neither.
    """
    if text is None:
        return None
    try:
        # Four or eight digits are a year or a date without its dashes.
        seconds = math.nan if text.isdigit() and len(text) in (4, 8) else float(text)
    except ValueError:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            seconds = math.nan
        else:
            moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
            seconds = moment.timestamp()
    if not EARLIEST_S < seconds < LATEST_S:  # which NaN is not
        raise UsageError(
            f"{option} {text} is no moment",
            next_step="write it as in 2026-11-24T14:30:00 (UTC) or 2026-11-24T14:30:00+01:00",
        )
    return seconds
