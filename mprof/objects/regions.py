"""What a collector of regions loses to large objects: the ends of the regions that each has.

G1 gives an object of more than half a region regions of its own, and nothing else is placed in what
is left of the last one (`G1CollectedHeap::humongous_obj_allocate`). Objects of just above half a
region leave nearly half of the heap empty, which no object can have.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from mprof.kernels.select import differences_above
from mprof.units import MIB

__all__ = ["REGION_BYTES", "lost_at_ends"]

REGION_BYTES: Final = tuple(MIB << power for power in range(6))
"""The sizes that G1 chooses from by itself (`G1HeapRegionBounds`)."""


def lost_at_ends(prefix: NDArray[np.int64]) -> tuple[int, ...]:
    """Bytes that are lost with regions of each of `REGION_BYTES`.

    Args:
        prefix: int64, sizes of all live objects before each one, and of all at the end.
    """
    sizes = differences_above(prefix, REGION_BYTES[0] // 2)
    lost = []
    for region in REGION_BYTES:
        large = sizes[2 * sizes > region]  # G1: larger than half of it
        lost.append(int((-large % region).sum()))
    return tuple(lost)
