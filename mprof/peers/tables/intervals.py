"""What nodes did and how long it took: the states of attempts and transfers, one row each.

The states of SALSA (Kahuna's and Blimey's white box) in today's records: of a map attempt its whole
time; of a reduce attempt the copy (to ``shuffleFinishTime``), the merge (to ``sortFinishTime``) and
the reduce; of HDFS each operation that is recorded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import numpy as np
import pandas as pd

__all__ = ["INTERVAL_COLUMNS", "intervals_of_attempts", "intervals_of_transfers"]

INTERVAL_COLUMNS: Final = ("host", "state", "group", "started_s", "seconds", "ended")
"""Of a table of intervals.

``group``: intervals are compared within it only (a job, a recording). ``seconds``: NaN where
neither the end nor the time at which it was last seen running is known. ``ended``: whether it came
to its own end; the others ran at least so long.
"""

_STATES: Final = (
    ("map", "map", "started_s", "finished_s"),
    ("reduce", "reduce copy", "started_s", "shuffled_s"),
    ("reduce", "reduce merge", "shuffled_s", "sorted_s"),
    ("reduce", "reduce", "sorted_s", "finished_s"),
)
"""Kind of the attempt, the state, and the columns with its begin and end."""


def intervals_of_attempts(
    attempts: pd.DataFrame, *, seen_until_s: float = math.nan, keep_row: bool = False
) -> pd.DataFrame:
    """The states of attempts, within their jobs.

    Args:
        attempts: rows of the store's table.
        keep_row: add a column ``row``, the label of the row that an interval is of.
        seen_until_s: time of the last look at attempts that are still running; where it is not
            given, the last time in these rows.
    """
    times = attempts[["started_s", "shuffled_s", "sorted_s", "finished_s"]]
    last = (
        seen_until_s
        if not math.isnan(seen_until_s)
        else float(np.nanmax(times.to_numpy(), initial=-math.inf))
    )
    parts = []
    for kind, state, begin, end in _STATES:
        rows = attempts[
            (attempts["kind"] == kind) & attempts[begin].notna() & attempts["host"].notna()
        ]
        came_to_end = rows[end].notna() & ((end != "finished_s") | (rows["state"] == "succeeded"))
        # What was killed or failed ran at least until then; what is in this state still, until now.
        until = rows[end].fillna(rows["finished_s"]).fillna(last)
        parts.append(
            pd.DataFrame(
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
        )
    return _whole(parts)


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
