"""Shares of the heap that frameworks of scripts and queries let one structure take."""

from __future__ import annotations

import math
from typing import Final

from mprof.advice.thresholds import HEADROOM, OF_THE_ROOM
from mprof.evidence import Evidence, Lifecycle, known
from mprof.patterns import Patterns

__all__ = ["smaller_share"]

_LEAST: Final = 0.01


def smaller_share(
    evidence: Evidence,
    patterns: Patterns,
    lifecycle: Lifecycle,
    *,
    name: str,
    default: float,
) -> str | None:
    """A share of the heap for what grows, where it may take more now.

    Returns:
        The share with two digits; None where the room is not known, or the share is small enough.
    """
    memory, growing = patterns.memory, patterns.growth(lifecycle)
    heap = known(evidence.memory.heap_max_bytes)
    if memory is None or growing is None or not heap:
        return None
    try:
        now = float(evidence.conf.get(name, default))
    except ValueError:
        return None
    room = HEADROOM.value * memory.capacity_bytes - memory.rest_beside(growing)
    share = math.floor(100 * OF_THE_ROOM.value * room / heap) / 100
    return f"{share:.2f}" if _LEAST <= share < now else None
