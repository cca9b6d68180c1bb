"""What a map task would need at the end of its split, everything else as it was at death."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Evidence, Holder, Source, Unknown, known
from mprof.patterns.finding import Absent
from mprof.patterns.growth import Growing
from mprof.patterns.memory_model import MemoryModel

__all__ = ["SplitNeed", "split_need_of"]


@dataclass(frozen=True, slots=True)
class SplitNeed:
    """Bytes that would be live at the end of the split.

    Attributes:
        bytes: of them, by the law of growth that was chosen.
        at_least: by the flattest law that the points support.
        at_most: by the steepest of them.
        source: of the growth; a dump where nothing grows.
        is_measured: growth was measured, or seen to be absent; else what may grow is taken to grow
            in proportion to the data, the worst that is usual.
    """

    bytes: float
    at_least: float
    at_most: float
    source: Source
    is_measured: bool


def split_need_of(
    evidence: Evidence,
    growth: Growing | Absent | Unknown,
    holders: tuple[Holder, ...],
    memory: MemoryModel | Unknown,
) -> SplitNeed | Unknown:
    """The need at the end of the split.

    Args:
        evidence: of the attempt.
        growth: of map-level objects.
        holders: the large ones at death.
        memory: of the attempt.
    """
    if isinstance(memory, Unknown):
        return memory
    if isinstance(growth, Growing):
        end = growth.end_x if growth.end_x is not None else growth.x_now
        need = memory.need_at(growth, end)
        most = max(need, memory.need_at_most(growth, end))
        least = min(need, memory.need_at_least(growth, end))
        return SplitNeed(need, least, most, growth.source, is_measured=True)
    if isinstance(growth, Absent):
        live = float(memory.live_bytes)
        return SplitNeed(live, live, live, "dump", is_measured=True)
    progress = known(evidence.progress)
    done = 1.0 if evidence.place == "cleanup" or progress is None else progress.done
    if done <= 0:
        return Unknown("how much of the split was done", "run")
    held = sum(one.bytes for one in holders)
    need = memory.live_bytes + held * (1 / done - 1)
    return SplitNeed(need, float(memory.live_bytes), need, "dump", is_measured=False)
