"""The five stripes of a square: how slow what a node ran was, in each fifth of its time.

The time of a node is from the start of its first attempt of the job to the end of its last one, so
that a fifth in which nothing ran stays white (Theia, section 4.3). A stripe is as dark as the
slowest attempt that ran in it is slow among all attempts of the job.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.peers.tables.job_scores import critical_z
from mprof.views.columns import NOT_KNOWN, NOT_RUN, level_of

__all__ = ["STRIPES", "attempt_levels", "stripes_of"]

STRIPES: Final = 5
_JOB: Final = ["job", "kind"]


def attempt_levels(attempts: pd.DataFrame) -> NDArray[np.uint8]:
    """How slow each attempt is among all of its job and kind, as a level of darkness."""
    seconds = attempts["finished_s"] - attempts["started_s"]
    groups = seconds.groupby([attempts[name] for name in _JOB])
    number = groups.transform("count").to_numpy(dtype=np.float64)
    deviation = groups.transform("std", ddof=0)
    z = (seconds - groups.transform("mean")) / deviation.where(deviation > 0)
    # Where all took as long, none is slow.
    alike = seconds.notna() & (deviation.fillna(0) == 0)
    return level_of(z.mask(alike, 0.0), critical_z(np.maximum(number, 3)))


def stripes_of(
    attempts: pd.DataFrame, cell: NDArray[np.int64], levels: NDArray[np.uint8], cells: int
) -> NDArray[np.uint8]:
    """Levels of the stripes of each cell; `NOT_RUN` where nothing ran.

    Args:
        attempts: with ``started_s`` and ``finished_s``.
        cell: of each attempt.
        levels: of each attempt, from `attempt_levels`.
        cells: number of them.

    Returns:
        A row a cell, a column a stripe. `NOT_KNOWN` where no attempt has both times.
    """
    started = attempts["started_s"].to_numpy(dtype=np.float64)
    finished = attempts["finished_s"].to_numpy(dtype=np.float64)
    timed = ~np.isnan(started) & ~np.isnan(finished)
    first = np.full(cells, np.inf)
    last = np.full(cells, -np.inf)
    np.minimum.at(first, cell[timed], started[timed])
    np.maximum.at(last, cell[timed], finished[timed])
    known = np.isfinite(first)
    first, last = np.where(known, first, 0.0), np.where(known, last, 0.0)
    width = (last - first) / STRIPES
    # One more than the level, so that 0 is left for a stripe in which nothing ran.
    worst = np.zeros((cells, STRIPES), dtype=np.int16)
    for stripe in range(STRIPES):
        begin = first[cell] + stripe * width[cell]
        runs = timed & (started < begin + width[cell]) & (finished > begin)
        hit = runs | (timed & (width[cell] == 0))  # all within one tick of the clock
        np.maximum.at(worst[:, stripe], cell[hit], 1 + levels[hit].astype(np.int16))
    stripes = np.where(worst > 0, worst - 1, NOT_RUN)
    return np.where(known[:, None], stripes, NOT_KNOWN).astype(np.uint8)
