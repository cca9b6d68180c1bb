"""What nodes did and how long it took: the states of attempts and transfers, one row each.

The states of SALSA (Kahuna's and Blimey's white box) in today's records: of a map attempt its whole
time; of a reduce attempt the copy (to ``shuffleFinishTime``), the merge (to ``sortFinishTime``) and
the reduce; of HDFS each operation that is recorded.

A reducer that starts before the last map has ended copies what there is and waits for the rest
(``ShuffleSchedulerImpl``), so how long that takes tells of the maps. Its copy counts from the end
of the last map on, as a state of its own: what is left then is less than what a reducer copies that
starts later.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = [
    "INTERVAL_COLUMNS", "NumberedIntervals", "intervals_of_attempts", "intervals_of_transfers",
    "numbered", "part_of_work",
]  # fmt: skip

INTERVAL_COLUMNS: Final = ("host", "state", "group", "started_s", "seconds", "ended")
"""Of a table of intervals.

``group``: intervals are compared within it only (a job, a recording). ``seconds``: NaN where
neither the end nor the time at which it was last seen running is known. ``ended``: whether it came
to its own end; the others ran at least so long.
"""

_COPY: Final = "reduce copy"
_REST_OF_COPY: Final = "rest of the reduce copy"
_STATES: Final = (
    ("map", "map", "started_s", "finished_s"),
    ("reduce", _COPY, "started_s", "shuffled_s"),
    ("reduce", "reduce merge", "shuffled_s", "sorted_s"),
    ("reduce", "reduce", "sorted_s", "finished_s"),
)
"""Kind of the attempt, the state, and the columns with its begin and end."""

_PARTS: Final = {
    **{state: (kind, state) for kind, state, _, _ in _STATES},
    _REST_OF_COPY: ("reduce", _COPY),
}


@dataclass(frozen=True, slots=True)
class NumberedIntervals:
    """Intervals with numbers for texts, which are compared and counted many times.

    Attributes:
        hosts: their names, ascending; not each of them needs to have an interval.
        kinds: group and state of what is compared with each other, ascending.
        host: number of the host of each interval.
        kind: number of its kind; -1 where group or state is missing.
        started_s: when it began.
        seconds: how long it took; NaN where that is not known.
        ended: whether it came to its own end.
    """

    hosts: tuple[str, ...]
    kinds: tuple[tuple[str, str], ...]
    host: NDArray[np.intp]
    kind: NDArray[np.intp]
    started_s: NDArray[np.float64]
    seconds: NDArray[np.float64]
    ended: NDArray[np.bool_]

    def among(self, places: NDArray[np.intp], hosts: NDArray[np.intp]) -> NumberedIntervals:
        """Some of them, with numbers of their own for some of the hosts.

        Args:
            places: of the intervals.
            hosts: numbers of the hosts, ascending; those of the intervals are among them.
        """
        return replace(
            self,
            hosts=tuple(self.hosts[one] for one in hosts.tolist()),
            host=np.searchsorted(hosts, self.host[places]),
            kind=self.kind[places],
            started_s=self.started_s[places],
            seconds=self.seconds[places],
            ended=self.ended[places],
        )


def part_of_work(state: str) -> tuple[str, str]:
    """The work that a state is a part of, and which part.

    Attempts of a kind are one work, whose parts follow each other; operations of HDFS are another.
    """
    return _PARTS.get(state, ("", state))


def numbered(intervals: pd.DataFrame, hosts: Iterable[str] = ()) -> NumberedIntervals:
    """Intervals with numbers for their texts.

    Args:
        intervals: columns as in ``INTERVAL_COLUMNS``.
        hosts: others that have a number too.
    """
    named, seen = pd.factorize(intervals["host"])
    known = sorted({*seen, *hosts})
    number = pd.Index(known, dtype=object).get_indexer(pd.Index(seen, dtype=object))
    group, groups = pd.factorize(intervals["group"], sort=True)
    state, states = pd.factorize(intervals["state"], sort=True)
    of_both = np.where((group < 0) | (state < 0), -1, group * max(len(states), 1) + state)
    occur, kind = np.unique(of_both, return_inverse=True)
    missing = int(len(occur) > 0 and occur[0] < 0)
    return NumberedIntervals(
        tuple(map(str, known)),
        tuple(
            (str(groups[one // len(states)]), str(states[one % len(states)]))
            for one in occur[missing:].tolist()
        ),
        number[named],
        kind - missing,
        intervals["started_s"].to_numpy(dtype=np.float64),
        intervals["seconds"].to_numpy(dtype=np.float64),
        intervals["ended"].to_numpy(dtype=np.bool_),
    )


def intervals_of_attempts(
    attempts: pd.DataFrame, *, seen_until_s: float | pd.Series[float] = math.nan,
    keep_row: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """The states of attempts, within their jobs.

    Args:
        attempts: rows of the store's table.
        keep_row: add a column ``row``, the label of the row that an interval is of.
        seen_until_s: time of the last look at attempts that are still running, of all or of each;
            where it is not given, the last time in these rows.
    """
    times = attempts[["started_s", "shuffled_s", "sorted_s", "finished_s"]]
    last = seen_until_s
    if not isinstance(last, pd.Series) and math.isnan(last):
        last = float(np.nanmax(times.to_numpy(), initial=-math.inf))
    parts = []
    for kind, state, begin, end in _STATES:
        rows = attempts[
            (attempts["kind"] == kind) & attempts[begin].notna() & attempts["host"].notna()
        ]
        came_to_end = rows[end].notna() & ((end != "finished_s") | (rows["state"] == "succeeded"))
        # What was killed or failed ran at least until then; what is in this state still, until now.
        until = rows[end].fillna(rows["finished_s"]).fillna(last)
        part = pd.DataFrame(
            {
                "host": rows["host"],
                "state": state,
                "group": rows["job"],
                "started_s": rows[begin],
                "seconds": until - rows[begin],
                "ended": came_to_end,
                **({"row": rows.index} if keep_row else {}),
            }
        )
        parts += _copies(part, attempts) if state == _COPY else [part]
    return _whole(parts)


def _copies(copies: pd.DataFrame, attempts: pd.DataFrame) -> list[pd.DataFrame]:
    """The copies, those of reducers that waited for maps from the end of the last of these on.

    A map that ended later than the copy, as one does that is run again, was not waited for.
    """
    until_s = copies["started_s"] + copies["seconds"]
    is_map = (attempts["kind"] == "map") & (attempts["state"] == "succeeded")
    maps = attempts[is_map & attempts["finished_s"].notna()]
    last_s = _last_before(copies["group"], until_s, maps["job"], maps["finished_s"])
    waited = last_s > copies["started_s"]
    rest = copies[waited].assign(
        state=_REST_OF_COPY, started_s=last_s[waited], seconds=(until_s - last_s)[waited]
    )
    # The reducer lived when it started, and how long it waited says nothing of its node.
    waiting = copies[waited].assign(seconds=math.nan, ended=False)
    return [copies[~waited], rest, waiting]


def _last_before(
    job: pd.Series[str], at_s: pd.Series[float], of_job: pd.Series[str], told_s: pd.Series[float]
) -> pd.Series[float]:
    """Of each job and time the last of the told times of that job that is not after it; else NaN.

    Cost: a sort of all times.
    """
    number = pd.factorize(pd.concat([job, of_job], ignore_index=True))[0]
    time_s = np.concatenate([at_s.to_numpy(np.float64), told_s.to_numpy(np.float64)])
    is_told = np.arange(len(time_s)) >= len(job)
    order = np.lexsort((~is_told, time_s, number))
    place = np.maximum.accumulate(np.where(is_told[order], np.arange(len(order)), -1))
    known = (place >= 0) & (number[order] >= 0)
    known &= number[order] == number[order][place]
    last_s = np.full(len(order), math.nan)
    last_s[order] = np.where(known, time_s[order][place], math.nan)
    return pd.Series(last_s[: len(job)], index=job.index)


def intervals_of_transfers(transfers: pd.DataFrame, *, keep_row: bool = False) -> pd.DataFrame:
    """Operations of HDFS nodes, within their recording; what failed is left out.

    Args:
        transfers: rows of the store's table.
        keep_row: add a column ``row``, the label of the row that an interval is of.
    """
    rows = transfers[transfers["status"].isna() | (transfers["status"] == "ok")]
    rows = rows[rows["host"].notna() & rows["seconds"].notna() & rows["operation"].notna()]
    part = pd.DataFrame(
        {
            "host": rows["host"],
            "state": rows["operation"],
            "group": rows["source"],
            "started_s": rows["started_s"],
            "seconds": rows["seconds"],
            "ended": True,
            **({"row": rows.index} if keep_row else {}),
        }
    )
    return _whole([part])


def _whole(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """One table, without intervals that clocks which jumped have made negative."""
    table = pd.concat(parts, ignore_index=True)
    return table[~(table["seconds"] < 0)].reset_index(drop=True)
