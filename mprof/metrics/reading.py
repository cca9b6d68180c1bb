"""What a node's counters show at one moment, and the row that two such readings make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from mprof.metrics.columns import SAMPLED

__all__ = ["Reader", "Reading", "Row", "row_of"]

Row: TypeAlias = dict[str, float | None]
"""A value a metric, in the order of `SAMPLED`; None where it is not known."""

_PERCENT: Final = 100.0
_DIGITS: Final = 6
"""Of a value in a row: what float32 holds, which is what tables of metrics have."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The counters of a node at one moment; what is not known is not in the mappings.

    Attributes:
        at_s: seconds since the epoch, by the clock of the node.
        monotonic_s: by a clock that nobody sets.
        processors: how many processors the shares are of.
        totals: counted since some start, by metric: processor seconds of a share, and of a rate
            what it counts.
        levels: as they are now, by metric; of a rate that the back end takes itself, the rate.
    """

    at_s: float
    monotonic_s: float
    processors: float
    totals: Mapping[str, float]
    levels: Mapping[str, float]


class Reader(Protocol):
    """A back end: where the counters of a node are read."""

    def read(self) -> Reading:
        """What the counters show now."""
        ...


def row_of(before: Reading, now: Reading) -> Row:
    """The metrics over the time between two readings.

    A counter that went back, as one does whose interface was removed, is not known for that time.

    >>> before = Reading(0, 10, 2, {"user": 5.0, "ctxt": 100}, {})
    >>> now = Reading(0, 12, 2, {"user": 6.0, "ctxt": 700}, {"runq_sz": 3})
    >>> row = row_of(before, now)
    >>> row["user"], row["ctxt"], row["runq_sz"], row["iowait"]
    (25.0, 300.0, 3.0, None)
    """
    elapsed_s = now.monotonic_s - before.monotonic_s
    row: Row = {}
    for metric in SAMPLED:
        value: float | None
        if metric.kind == "level" or metric.name in now.levels:
            value = now.levels.get(metric.name)
        else:
            value = _growth(before.totals.get(metric.name), now.totals.get(metric.name))
            if value is not None:
                value = value / elapsed_s if elapsed_s > 0 else None
            if value is not None and metric.kind == "share":
                # Ticks of the kernel are coarser than the clock: 1 s may hold 101 of them.
                value = min(_PERCENT * value / now.processors, _PERCENT)
        row[metric.name] = None if value is None else float(f"{value:.{_DIGITS}g}")
    return row


def _growth(before: float | None, now: float | None) -> float | None:
    if before is None or now is None or now < before:
        return None
    return now - before
