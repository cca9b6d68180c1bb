"""How long each state took: of the log-extracted states of SALSA, those of Kahuna and Blimey."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

import pandas as pd

from mprof.peers.comparison import View
from mprof.peers.detectors.request import Asked

__all__ = ["BLOCKS", "TASKS", "durations_of"]

TASKS: Final = {
    "map": ("map", "started_s", "finished_s"),
    "reduce": ("reduce", "started_s", "finished_s"),
    "reduce copy": ("reduce", "started_s", "shuffled_s"),
    "reduce merge copy": ("reduce", "shuffled_s", "sorted_s"),
}
"""By state: the kind of attempt, and the columns with its begin and end."""

BLOCKS: Final = {
    "read block": ("HDFS_READ", "readBlock"),
    "write block": ("HDFS_WRITE", "writeBlock"),
}
"""By state: the operation of DataNodes, in their logs and in traces."""

_OF_ATTEMPTS: Final = (
    "job", "kind", "host", "state", "started_s", "shuffled_s", "sorted_s", "finished_s",
)  # fmt: skip
_OF_TRANSFERS: Final = ("source", "host", "operation", "started_s", "seconds", "status")


def durations_of(asked: Asked, states: Collection[str]) -> Iterator[tuple[str, View, pd.DataFrame]]:
    """The durations of each state that has any: its name, the table they are of, and a row each.

    Only what came to its own end has a duration, as in SALSA. The columns are ``host``,
    ``ended_s`` and ``seconds``.

    Args:
        asked: the store, and the job if only that counts; blocks are of no job.
        states: of `TASKS` and `BLOCKS`.
    """
    attempts = asked.attempts(_OF_ATTEMPTS).read()
    attempts = attempts[(attempts["state"] == "succeeded") & attempts["host"].notna()]
    for state, (kind, begin, end) in TASKS.items():
        if state in states:
            mine = attempts[attempts["kind"] == kind]
            yield from _some(state, "attempts", mine["host"], mine[begin], mine[end])
    if asked.job is not None or not set(BLOCKS) & set(states):
        return
    transfers = asked.store.rows("transfers", columns=_OF_TRANSFERS, by="source").read()
    well = transfers["status"].isna() | (transfers["status"] == "ok")
    transfers = transfers[well & transfers["host"].notna()]
    if asked.hosts:
        transfers = transfers[transfers["host"].isin(asked.hosts)]  # clients are no DataNodes
    for state, operations in BLOCKS.items():
        if state in states:
            mine = transfers[transfers["operation"].isin(operations)]
            end_s = mine["started_s"] + mine["seconds"]
            yield from _some(state, "transfers", mine["host"], mine["started_s"], end_s)


def _some(
    state: str, of: View, host: pd.Series[str], begin_s: pd.Series[float], end_s: pd.Series[float]
) -> Iterator[tuple[str, View, pd.DataFrame]]:
    seconds = end_s - begin_s
    known = seconds >= 0
    table = pd.DataFrame({"host": host, "ended_s": end_s, "seconds": seconds})[known]
    if not table.empty:
        yield state, of, table.reset_index(drop=True)
