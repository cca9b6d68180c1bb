"""The jobs, attempts and nodes of a whole store."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import pandas as pd

from mprof.peers.tables.order import in_order_of_start
from mprof.store import Store

__all__ = ["ATTEMPT_COLUMNS", "Cluster", "cluster_of"]

ATTEMPT_COLUMNS: Final = (
    "job", "attempt", "kind", "host", "rack", "started_s", "finished_s", "state", "error",
    "read_bytes", "written_bytes", "slices_ms",
)  # fmt: skip
_JOB_COLUMNS: Final = (
    "job", "name", "user", "submitted_s", "launched_s", "finished_s", "state", "maps", "reduces",
)  # fmt: skip
_WORK: Final = ("map", "reduce")
_DIGITS: Final = re.compile(r"([0-9]+)")


@dataclass(frozen=True, slots=True)
class Cluster:
    """What a store says of jobs.

    Attributes:
        jobs: a row a job, in order of submission: the columns of the table ``jobs``.
        attempts: a row an attempt of a map or a reduce task whose host is known; the columns of
            the table ``attempts`` without ``counters``, ``shuffled_s`` and ``sorted_s``.
        racks: rack of each host, by its name; hosts whose rack is not known are missing.
        hosts: every host that is known of, whether or not anything ran there, in natural order.
    """

    jobs: pd.DataFrame
    attempts: pd.DataFrame
    racks: pd.Series[str]
    hosts: tuple[str, ...]


def cluster_of(store: Store) -> Cluster:
    """Read the jobs, attempts and nodes of a store."""
    attempts = store.read("attempts", columns=ATTEMPT_COLUMNS)
    jobs = store.read("jobs", columns=_JOB_COLUMNS)
    nodes = store.read("nodes", columns=["host", "rack"])
    placed = pd.concat([attempts[["host", "rack"]], nodes]).dropna(subset="host")
    racks = placed.dropna(subset="rack").drop_duplicates("host").set_index("host")["rack"]
    attempts = attempts[attempts["host"].notna() & attempts["kind"].isin(_WORK)]
    return Cluster(
        jobs=jobs.sort_values(["submitted_s", "job"], ignore_index=True),
        attempts=in_order_of_start(attempts).reset_index(drop=True),
        racks=racks,
        hosts=tuple(sorted(placed["host"].unique(), key=_natural)),
    )


def _natural(name: str) -> tuple[str | int, ...]:
    """Key by which ``node2`` stands before ``node10``: texts and numbers in turn."""
    parts = _DIGITS.split(name)
    return tuple(int(part) if number % 2 else part for number, part in enumerate(parts))
