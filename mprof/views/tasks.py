"""The attempts of one job, for the view of its tasks: times, states, and the twelve slices.

The slices of a job history say how long each twelfth of an attempt's progress took
(``mapreduce.job.counters``' ``clockSplits``, Rumen and MapReduce since 0.21). A slice is as dark as
it is long, compared with the same slice of the other attempts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.io.printable import clipped, one_line
from mprof.peers.tables.job_scores import LEAST_RATIO, critical_robust_z
from mprof.views.columns import LEVELS_A_UNIT, NOT_KNOWN, level_of, packed, size_code

__all__ = ["SLICES", "tasks_of"]

SLICES: Final = 12
_STATES: Final = {"succeeded": 0, "failed": 1, "killed": 2, "running": 3}
_OTHER_STATE: Final = 4
_NO_TIME: Final = 0xFFFFFFFF
_ID: Final = re.compile(r"attempt_\d+_\d+_[a-z]_(\d{1,9})_(\d{1,4})")
_MOST_CHARACTERS: Final = 300
_MOST_ERRORS: Final = 3000


def tasks_of(
    attempts: pd.DataFrame,
    host_number: NDArray[np.int64],
    kind_number: NDArray[np.int64],
    memory: Mapping[str, str],
) -> dict[str, Any]:
    """What the page of one job's tasks is made of.

    Args:
        attempts: of the job, with ``cell``, ``level``.
        host_number: of all cells.
        kind_number: of all cells.
        memory: attempt -> the page with its memory diagnosis.
    """
    began = float(attempts["started_s"].min())
    names = attempts["attempt"].fillna("").tolist()
    parts = [_ID.fullmatch(name) for name in names]
    cell = attempts["cell"].to_numpy()
    slices, dark = _slices(attempts)
    columns = [
        (_milliseconds(attempts["started_s"], began), "u4"),
        (_milliseconds(attempts["finished_s"], began), "u4"),
        (np.array([int(part[1]) if part else 0 for part in parts], dtype=np.int64), "u4"),
        (host_number[cell], "u4"),
        (np.array([int(part[2]) if part else 0 for part in parts], dtype=np.int64), "u2"),
        (size_code(attempts["read_bytes"].astype("float64")), "u2"),
        (size_code(attempts["written_bytes"].astype("float64")), "u2"),
        (kind_number[cell], "u1"),
        (attempts["state"].map(_STATES).fillna(_OTHER_STATE), "u1"),
        (attempts["level"], "u1"),
        *((column, "u1") for column in slices.T),
        *((column, "u1") for column in dark.T),
    ]
    errors = attempts["error"].dropna()
    return {
        "rows": len(attempts),
        "began": None if np.isnan(began) else began,
        "slices": slices.shape[1],
        "columns": packed(columns),
        # Names that do not follow Hadoop's pattern stand for themselves.
        "names": {str(i): name for i, (name, part) in enumerate(zip(names, parts, strict=True))
                  if not part},
        "errors": {str(row): clipped(one_line(str(text)), _MOST_CHARACTERS)
                   for row, text in zip(np.flatnonzero(attempts["error"].notna())[:_MOST_ERRORS],
                                        errors[:_MOST_ERRORS], strict=True)},
        "memory": {str(row): memory[name] for row, name in enumerate(names) if name in memory},
    }  # fmt: skip


def _milliseconds(seconds: pd.Series[float], began: float) -> NDArray[np.int64]:
    relative = ((seconds - began) * 1000).to_numpy(dtype=np.float64)
    whole = np.clip(np.nan_to_num(np.rint(relative), nan=float(_NO_TIME)), 0, _NO_TIME)
    milliseconds: NDArray[np.int64] = whole.astype(np.int64)
    return milliseconds


def _slices(attempts: pd.DataFrame) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Share of the attempt's time and darkness of each slice; no columns where none is known."""
    given = [
        isinstance(each, list | np.ndarray) and len(each) == SLICES
        for each in attempts["slices_ms"]
    ]
    if not any(given):
        nothing = np.zeros((len(attempts), 0), dtype=np.uint8)
        return nothing, nothing
    lengths = np.full((len(attempts), SLICES), np.nan)
    lengths[given] = np.stack(attempts["slices_ms"][given].to_list()).astype(np.float64)
    whole = np.nansum(lengths, axis=1, keepdims=True)
    share = np.nan_to_num(np.rint(255 * lengths / np.where(whole > 0, whole, np.nan)))
    dark = np.full(lengths.shape, NOT_KNOWN, dtype=np.uint8)
    for kind in attempts["kind"].unique():
        rows = (attempts["kind"] == kind).to_numpy() & np.array(given)
        if rows.sum() < 3:
            continue
        logarithms = np.log2(1 + np.maximum(lengths[rows], 0))
        distance = logarithms - np.nanmedian(logarithms, axis=0)
        scale = 1.4826 * np.nanmedian(np.abs(distance), axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(distance == 0, 0.0, distance / scale)
        levels = level_of(z, critical_robust_z(rows.sum())[0])
        # A millisecond more where all others are alike is far by the figures, and nothing to see.
        slight = distance < np.log2(LEAST_RATIO.value)
        dark[rows] = np.where(slight, np.minimum(levels, LEVELS_A_UNIT // 2), levels)
    return share.astype(np.uint8), dark
