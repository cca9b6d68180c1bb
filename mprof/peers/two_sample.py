"""Two samples compared: the Kolmogorov-Smirnov distance, many pairs at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["distances_beyond"]


def distances_beyond(
    own: NDArray[np.float32], others: NDArray[np.float32], tolerance: float
) -> NDArray[np.float64]:
    """Of each row, the Kolmogorov-Smirnov distance that no shift by up to ``tolerance`` explains.

    It is the largest share of the time in which the one sample is below (or above) what the other
    shows by more than the tolerance. With tolerance 0 it is the two-sample statistic D, and as D
    it depends on ranks alone: without a tolerance, two nodes with 201 and 203 processes all the
    time are as far apart as two samples can be.

    Cost: two sorts of each row; 3 ms for 400 rows of 120 + 120 samples on one core.

    Args:
        own: a sample a row; NaN is no sample.
        others: the sample that the same row of ``own`` is compared with; NaN is no sample.
        tolerance: in the unit of the samples.

    Returns:
        A distance from 0 to 1 for each row; NaN where one of the samples is empty.
    """
    shift = np.float32(tolerance)
    below = _largest_lead(own, others - shift)
    above = _largest_lead(others, own - shift)
    return np.maximum(below, above)


def _largest_lead(first: NDArray[np.float32], second: NDArray[np.float32]) -> NDArray[np.float64]:
    """Of each row, the most by which the distribution function of ``first`` is above the other."""
    values = np.concatenate((first, second), axis=1)
    known = ~np.isnan(values)
    width = first.shape[1]
    own, other = known[:, :width].sum(axis=1), known[:, width:].sum(axis=1)
    # In whole numbers, own * other times the share, so that 1 is 1 and ties are ties.
    steps = np.empty(values.shape, dtype=np.int64)
    steps[:, :width] = other[:, None]
    steps[:, width:] = -own[:, None]
    steps[~known] = 0
    order = np.argsort(values, axis=1)  # NaN goes to the end, where its step of 0 does nothing
    ordered = np.take_along_axis(values, order, axis=1)
    lead = np.cumsum(np.take_along_axis(steps, order, axis=1), axis=1)
    # Of equal values only the last tells the functions' difference.
    lead[:, :-1][ordered[:, 1:] == ordered[:, :-1]] = 0
    largest = np.maximum(lead.max(axis=1), 0).astype(np.float64)
    share = np.full(len(own), np.nan)
    np.divide(largest, own * other, out=share, where=own * other > 0)
    return share
