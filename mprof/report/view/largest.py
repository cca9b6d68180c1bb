"""What holds most of the heap. It is no cause, and all that can be said where none is named."""

from __future__ import annotations

from mprof.evidence import Evidence, known
from mprof.report.view.model import Largest, Share

__all__ = ["largest_of"]

LARGEST_SHARE = 0.3
"""Share of the live heap: what holds less leaves more than twice as much unexplained, so naming
it would point the reader at the wrong thing."""


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
    if unbuffered >= LARGEST_SHARE * total:
        return Largest(None, Share(unbuffered, unbuffered / total))
    held = [one for one in known(evidence.holders) or () if one.owner in {"user", "external"}]
    most = max(held, key=lambda one: one.bytes, default=None)
    if most is None or most.bytes < LARGEST_SHARE * total:
        return None
    return Largest(most.path, Share(most.bytes, most.bytes / total))
