"""By how much one sample is below another, many pairs at a time, as a kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.kernels._compile import kernel

__all__ = ["largest_leads"]


@kernel
def _largest_leads(
    first: NDArray[np.float32],
    second: NDArray[np.float32],
    first_count: NDArray[np.int64],
    second_count: NDArray[np.int64],
    leads: NDArray[np.int64],
) -> None:
    for row in range(first.shape[0]):
        own = first_count[row]
        other = second_count[row]
        passed = np.int64(0)
        largest = np.int64(0)
        for place in range(own):
            value = first[row, place]
            while passed < other and second[row, passed] <= value:
                passed += 1
            # Of equal values the last has the largest lead: the others need not be told apart.
            lead = (place + 1) * other - passed * own
            if lead > largest:
                largest = lead
        leads[row] = largest


def largest_leads(
    first: NDArray[np.float32],
    second: NDArray[np.float32],
    *,
    first_count: NDArray[np.int64],
    second_count: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Of each row, the most by which the distribution function of ``first`` is above the other.

    In whole numbers: the share times both counts, so that 1 is 1 and ties are ties.

    Time linear in the elements; 0.7 ms for 350 rows of 120 + 120. Largest input tried: 700 rows.

    Args:
        first: each row sorted, C-contiguous.
        second: likewise, with as many rows.
        first_count: of each row of ``first``, how many of its elements are samples.
        second_count: likewise.
    """
    leads = np.empty(len(first), np.int64)
    _largest_leads(first, second, first_count, second_count, leads)
    return leads
