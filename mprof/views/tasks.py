"""The attempts of one job, for the view of its tasks: times, states, and the twelve slices.

The slices of a job history say how long each twelfth of an attempt's progress took
(``mapreduce.job.counters``' ``clockSplits``, Rumen and MapReduce since 0.21). A slice is as dark as
it is long, compared with the same slice of the other attempts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mprof.io.printable import clipped, one_line
from mprof.peers.tables.job_scores import LEAST_RATIO, critical_robust_z
from mprof.views.columns import LEVELS_A_UNIT, NOT_KNOWN, level_of, packed, size_code

__all__ = ["SLICES", "JobTasks", "tasks_of"]

SLICES: Final = 12
_STATES: Final = {"succeeded": 0, "failed": 1, "killed": 2, "running": 3}
_OTHER_STATE: Final = 4
_NO_TIME: Final = 0xFFFFFFFF
_ID: Final = r"^attempt_\d+_\d+_[a-z]_(?P<task>\d{1,9})_(?P<number>\d{1,4})$"
_MOST_CHARACTERS: Final = 300
_MOST_ERRORS: Final = 3000


@dataclass(frozen=True, slots=True)
class JobTasks:
    """What the page of one job's tasks is made of.

    Attributes:
        job: its number.
        facts: that are no columns.
        columns: of its attempts, as `packed` takes them.
    """

    job: int
    facts: dict[str, Any]
    columns: list[tuple[NDArray[Any], str]]

    def as_json(self) -> dict[str, Any]:
        """As the page reads it; most of the time goes into deflating the columns."""
        return {**self.facts, "columns": packed(self.columns)}  # in the place of the empty one


def tasks_of(
    attempts: pd.DataFrame,
    job: NDArray[np.int64],
    host_number: NDArray[np.int64],
    kind_number: NDArray[np.int64],
    memory: Mapping[str, str],
) -> Iterator[JobTasks]:
    """What the pages of the jobs' tasks are made of, job by job.

    Cost: a few passes over the attempts; 3 s of one core for a million of them.

    Args:
        attempts: of all jobs, those of a job together; with ``cell``, ``level``.
        job: number of the job of each attempt.
        host_number: of all cells.
        kind_number: of all cells.
        memory: attempt -> the page with its memory diagnosis.
    """
    if attempts.empty:
        return
    first = np.flatnonzero(np.diff(job, prepend=-1))
    bounds = [*first.tolist(), len(job)]
    started_s, finished_s = (
        attempts[name].to_numpy(dtype=np.float64) for name in ("started_s", "finished_s")
    )
    began_s = np.fmin.reduceat(started_s, first)
    of_job = np.repeat(began_s, np.diff(bounds))
    names = attempts["attempt"].fillna("")
    is_named, task, number = _ids(names)
    cell = attempts["cell"].to_numpy()
    columns: list[tuple[NDArray[Any], str]] = [
        (_milliseconds(started_s, of_job), "u4"),
        (_milliseconds(finished_s, of_job), "u4"),
        (task, "u4"),
        (host_number[cell], "u4"),
        (number, "u2"),
        (size_code(attempts["read_bytes"].astype("float64")), "u2"),
        (size_code(attempts["written_bytes"].astype("float64")), "u2"),
        (kind_number[cell], "u1"),
        (attempts["state"].map(_STATES).fillna(_OTHER_STATE).to_numpy(), "u1"),
        (attempts["level"].to_numpy(), "u1"),
    ]
    columns = [(each.astype(f"<{type_}"), type_) for each, type_ in columns]
    sliced = attempts["slices_ms"].notna().to_numpy()
    failing = np.flatnonzero(attempts["error"].notna())
    errors = attempts["error"].iloc[failing].tolist()
    other = np.flatnonzero(~is_named)
    told = np.flatnonzero(names.isin(list(memory))) if memory else np.array([], dtype=np.intp)
    for began, (begin, end) in zip(began_s.tolist(), pairwise(bounds), strict=True):
        mine = slice(begin, end)
        slices, dark = _slices(attempts.iloc[mine] if sliced[mine].any() else attempts.iloc[:0])
        shown = np.searchsorted(failing, (begin, end))
        yield JobTasks(
            int(job[begin]),
            {
                "rows": end - begin,
                "began": None if np.isnan(began) else began,
                "slices": slices.shape[1],
                "columns": "",
                # Names that do not follow Hadoop's pattern stand for themselves.
                "names": {str(at - begin): names.iloc[at] for at in _within(other, begin, end)},
                "errors": {
                    str(failing[at] - begin): clipped(one_line(str(errors[at])), _MOST_CHARACTERS)
                    for at in range(shown[0], min(shown[1], shown[0] + _MOST_ERRORS))
                },
                "memory": {
                    str(at - begin): memory[names.iloc[at]] for at in _within(told, begin, end)
                },
            },
            [
                *((each[mine], type_) for each, type_ in columns),
                *((column, "u1") for column in slices.T),
                *((column, "u1") for column in dark.T),
            ],
        )


def _within(places: NDArray[np.intp], begin: int, end: int) -> list[int]:
    """Those of the ascending places that lie between two."""
    first, last = np.searchsorted(places, (begin, end))
    found: list[int] = places[first:last].tolist()
    return found


def _ids(names: pd.Series[str]) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """Whether names follow Hadoop's pattern, and the numbers of task and attempt; 0 if not."""
    parts = pc.extract_regex(pa.array(names, pa.string()), pattern=_ID)
    task, number = (
        pc.fill_null(pc.cast(pc.struct_field(parts, part), pa.int64()), 0).to_numpy()
        for part in ("task", "number")
    )
    return pc.is_valid(parts).to_numpy(zero_copy_only=False), task, number


def _milliseconds(seconds: NDArray[np.float64], began_s: NDArray[np.float64]) -> NDArray[np.int64]:
    relative = (seconds - began_s) * 1000
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
