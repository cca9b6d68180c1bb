"""What holds most of the heap. It is no cause, and all that can be said where none is named."""

from __future__ import annotations

from dataclasses import dataclass

from mprof.evidence import Evidence, known
from mprof.threshold import Threshold

__all__ = ["LARGEST_SHARE", "Largest", "largest_of"]

LARGEST_SHARE = Threshold(
    "largest share",
    0.30,
    "share of the live heap",
    "what holds less leaves more than twice as much unexplained, so naming it would point the "
    "reader at the wrong thing",
)


@dataclass(frozen=True, slots=True)
class Largest:
    """What holds most of the live heap.

    Attributes:
        path: holder path of user code; None: objects of Hadoop's own, none of them in a buffer.
        bytes: held by it.
        share: of the live heap.
    """

    path: str | None
    bytes: int
    share: float


def largest_of(evidence: Evidence) -> Largest | None:
    """Hadoop's own objects outside its buffers, else the largest holder of user code.

    None where neither reaches `LARGEST_SHARE`, or without a dump at death.
    """
    composition = known(evidence.composition)
    if composition is None or not composition.total_bytes:
        return None
    total = composition.total_bytes
    buffer = known(evidence.map_buffer)
    sorting = buffer.requested_bytes if buffer is not None and buffer.allocated else 0
    unbuffered = composition.framework_bytes - sorting - composition.shuffle_bytes
    if unbuffered >= LARGEST_SHARE.value * total:
        return Largest(None, unbuffered, unbuffered / total)
    held = [one for one in known(evidence.holders) or () if one.owner in {"user", "external"}]
    most = min(held, key=lambda one: (-one.bytes, one.key), default=None)
    if most is None or most.bytes < LARGEST_SHARE.value * total:
        return None
    return Largest(most.path, most.bytes, most.bytes / total)
