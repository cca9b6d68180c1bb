"""Infrastructure problems: nodes, and racks, that fare badly with the jobs of several users."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.signatures.scores import CHANCE, far_above
from mprof.signatures.signature import (
    BAD_SHARE_OF_RACK,
    FEWEST_FAILING,
    FEWEST_JOBS,
    FEWEST_USERS,
    LEAST_RATIO,
    MANY_NODES,
    Figure,
    Signature,
)

__all__ = ["bad_machines", "chance_of_so_many"]

_JOB: Final = ["job", "kind"]


def bad_machines(
    scores: pd.DataFrame, users: pd.Series[str], racks: pd.Series[str]
) -> Iterator[Signature]:
    """Racks first, then nodes, each with the worst first.

    A node fares badly with a job where one of its attempts failed, or where its attempts took far
    longer than elsewhere, and it had not much more data than the others (Theia, section 4.3: dark
    or red, and small). How likely that is by chance is known from how the other nodes fared with
    the same job. A job that fares badly on most nodes tells nothing of any of them. A node is bad
    where chance would not give its number of bad jobs to any node of the cluster. Nodes that are
    bad then leave the others, and these are compared anew: many bad nodes do not hide each other.

    Args:
        scores: of `score_nodes`.
        users: whose each job was, by its id; jobs of unknown users are missing.
        racks: rack of each host; hosts of unknown racks are missing.
    """
    scores = scores[scores["nodes"] > 1]
    if scores.empty:
        return
    bad: frozenset[str] = frozenset()
    while True:
        cells = _judged(scores, bad)
        hosts = _by(cells, "host")
        found = hosts[(hosts["chance"] * len(hosts) <= CHANCE.value)
                      & (hosts["jobs"] >= FEWEST_JOBS.value)]  # fmt: skip
        if bad.issuperset(found.index):
            break
        bad |= set(found.index)
    cells = cells.assign(user=cells["job"].map(users), rack=cells["host"].map(racks))
    for rack, row in _racks(cells, bad):
        yield _signature(cells[(cells["rack"] == rack) & cells["host"].isin(bad)], row, rack=rack)
    worst = hosts[hosts.index.isin(bad)].sort_values(["chance", "bad"], ascending=[True, False])
    for host, row in worst.iterrows():
        yield _signature(cells[cells["host"] == host], row)


def _judged(scores: pd.DataFrame, bad_hosts: frozenset[str]) -> pd.DataFrame:
    """The scores of jobs that tell of nodes: what is bad, and how likely by chance."""
    usual = scores.groupby(_JOB)[["attempt_seconds", "volume"]].transform("median")
    small = ~(scores["volume"] > LEAST_RATIO.value * usual["volume"])
    slowness = scores["attempt_seconds"] / usual["attempt_seconds"]
    far = far_above(scores, "duration")
    cells = scores.assign(
        ended=scores["failed"] + scores["survived"],
        slowness=slowness,
        red=(scores["failed"] > 0) & small,
        dark=far & (slowness > LEAST_RATIO.value) & small,
    )
    cells["bad"] = cells["red"] | cells["dark"]
    # What the other nodes did; half an event more than was seen, so that never is rare.
    well = (~cells["host"].isin(bad_hosts)).astype("float64")
    failed = _elsewhere(cells["failed"] * well, cells)
    ended = _elsewhere(cells["ended"] * well, cells)
    dark = _elsewhere(cells["dark"] * well, cells)
    nodes = _elsewhere(well, cells)
    fails = 1 - (1 - (failed + 0.5) / (ended + 1)) ** cells["ended"]
    cells["expected"] = 1 - (1 - fails) * (1 - (dark + 0.5) / (nodes + 1))
    return cells[cells["expected"] < MANY_NODES.value]


def _elsewhere(counts: pd.Series[float], cells: pd.DataFrame) -> pd.Series[float]:
    """The sum over the other nodes of the job."""
    return counts.groupby([cells[name] for name in _JOB]).transform("sum") - counts


def _by(cells: pd.DataFrame, key: str) -> pd.DataFrame:
    """Of each host or rack: numbers of cells, of bad ones, and the chance of so many."""
    groups = cells.groupby(key)
    found = groups[["expected", "bad"]].sum()
    bad = cells[cells["bad"]].groupby(key)
    found["jobs"] = bad["job"].nunique().reindex(found.index, fill_value=0)
    found["chance"] = 1.0
    for name, number in found.loc[found["bad"] > found["expected"], "bad"].items():
        chances = groups["expected"].get_group(name).to_numpy()
        found.loc[name, "chance"] = chance_of_so_many(chances, number)
    return found


def chance_of_so_many(chances: NDArray[np.float64], number: int) -> float:
    """The chance that ``number`` or more of independent events happen (Poisson binomial).

    Time: number of events times ``number``.
    """
    exactly = np.zeros(number)  # the chance of 0 .. number - 1 of the events so far
    exactly[0] = 1.0
    so_many = 0.0
    for chance in chances:
        so_many += exactly[-1] * chance
        exactly[1:] = exactly[1:] * (1 - chance) + exactly[:-1] * chance
        exactly[0] *= 1 - chance
    return float(so_many)


def _racks(
    cells: pd.DataFrame, bad_hosts: frozenset[str]
) -> Iterator[tuple[str, pd.Series[float]]]:
    placed = cells[cells["rack"].notna()]
    if placed["rack"].nunique() < 2:
        return  # what all nodes share is no rack
    hosts = placed.drop_duplicates("host").set_index("host")["rack"]
    size = hosts.value_counts()
    sick = hosts[hosts.index.isin(bad_hosts)].value_counts().reindex(size.index, fill_value=0)
    suspect = size[(sick >= FEWEST_FAILING.value) & (sick >= BAD_SHARE_OF_RACK.value * size)]
    if suspect.sum() >= BAD_SHARE_OF_RACK.value * size.sum():
        return  # most of the cluster, and nothing left to compare with
    rows = _by(placed[placed["rack"].isin(suspect.index)], "rack")
    yield from ((str(rack), row) for rack, row in rows.iterrows())


def _signature(cells: pd.DataFrame, row: pd.Series[float], *, rack: str | None = None) -> Signature:
    bad = cells[cells["bad"]].sort_values("started_s")
    users = tuple(bad["user"].dropna().unique())
    hosts = tuple(bad["host"].value_counts().index)
    dark = bad[bad["dark"]]
    why_not = _why_not(cells, bad, users)
    return Signature(
        kind="infrastructure",
        pattern="node" if rack is None else "rack",
        verdict="fires" if why_not is None else "cannot tell",
        jobs=tuple(bad["job"].unique()),
        hosts=hosts,
        users=users,
        rack=rack,
        since_s=_moment(bad["started_s"].min()),
        until_s=_moment(bad["finished_s"].max()),
        figures=(
            Figure("jobs compared", cells["job"].nunique(), "jobs"),
            Figure("jobs that fared badly", bad["job"].nunique(), "jobs"),
            Figure("users of these", len(users), "users"),
            Figure("failed attempts", int(bad["failed"].sum()), "attempts"),
            Figure("attempts that ended", int(cells["ended"].sum()), "attempts"),
            *(
                (Figure("slowness", float(dark["slowness"].median()), "times the median"),)
                if len(dark)
                else ()
            ),
            Figure("expected by chance", float(row["expected"]), "comparisons"),
            Figure("seen", int(row["bad"]), "comparisons"),
            *((Figure("bad nodes", len(hosts), "nodes"),) if rack is not None else ()),
        ),
        why_not=why_not,
    )


def _why_not(cells: pd.DataFrame, bad: pd.DataFrame, users: tuple[str, ...]) -> str | None:
    if len(users) >= FEWEST_USERS.value:
        return None
    if bad["user"].isna().any():
        return "whose these jobs are is not known, so that a fault of one user's is not excluded"
    others = cells.loc[~cells["bad"], "user"].dropna().nunique()
    if cells["user"].nunique() < FEWEST_USERS.value:
        return f"all jobs that ran here are {users[0]}'s: the fault may be in them"
    return (
        f"only jobs of {users[0]} fare badly here, and none of {others} other"
        f" user{'s'[: others != 1]}: the fault may be in what they have in common"
    )


def _moment(seconds: float) -> float | None:
    return None if np.isnan(seconds) else float(seconds)
