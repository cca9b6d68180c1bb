"""Two samples compared: the Kolmogorov-Smirnov distance, many pairs at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mprof.kernels.two_samples import largest_leads

__all__ = ["distances_beyond"]


def distances_beyond(
    own: NDArray[np.float32], others: NDArray[np.float32], tolerance: float
) -> NDArray[np.float64]:
    """Of each row, the Kolmogorov-Smirnov distance that no shift by up to ``tolerance`` explains.

    It is the largest share of the time in which the one sample is below (or above) what the other
    shows by more than the tolerance. With tolerance 0 it is the two-sample statistic D, and as D
    it depends on ranks alone: without a tolerance, two nodes with 201 and 203 processes all the
    time are as far apart as two samples can be.

    Cost: one sort of each sample; 1.1 ms for 400 rows of 120 + 120 samples on one core.

    Args:
        own: a sample a row; NaN is no sample.
        others: the sample that the same row of ``own`` is compared with; NaN is no sample.
        tolerance: in the unit of the samples.

    Returns:
        A distance from 0 to 1 for each row; NaN where one of the samples is empty.
    """
    own_count = (~np.isnan(own)).sum(axis=1)
    other_count = (~np.isnan(others)).sum(axis=1)
    own, others = np.sort(own, axis=1), np.sort(others, axis=1)  # NaN goes to the end
    shift = np.float32(tolerance)
    below = largest_leads(own, others - shift, first_count=own_count, second_count=other_count)
    above = largest_leads(others, own - shift, first_count=other_count, second_count=own_count)
    share = np.full(len(own), np.nan)
    np.divide(
        np.maximum(below, above), own_count * other_count, out=share,
        where=(own_count > 0) & (other_count > 0),
    )  # fmt: skip
    return share
