"""`wb-jobs`: nodes that fare badly with the jobs of several users.

Theia draws how each node fared with each job, and leaves it to the reader to see a machine that is
dark or red with everybody's jobs (Garduno, Kavulya, Tan, Gandhi and Narasimhan: *Theia: Visual
Signatures for Problem Diagnosis in Large Hadoop Clusters*, LISA 2012, section 4.3). A single job
may show too little of a node for the other detectors; this detector looks at all jobs together.

Definition. A node *fares badly* with the maps, or reduces, of a job if one of its attempts failed
there, or if its attempts took far longer than elsewhere, and it did not have much more data than
the other nodes. How the other nodes fared with the same job shows how likely that is by chance; a
job that fares badly on most nodes says nothing about any of them. A node is indicted if chance
would not cause its number of bad jobs on any node of the cluster (the tail of a Poisson binomial
distribution, times the number of nodes), and if these jobs are of several users: all jobs of one
user may have the same fault. Nodes that are found bad are then left out, and the others are
compared again, so that many bad nodes do not hide each other. The score is the logarithm of the
chance, divided by that of the threshold: 2 is the chance of the threshold squared.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mprof.peers.comparison import Comparison, Look, NodeStanding, Observation
from mprof.peers.detectors.repeated_alarms import MOST_INDICTED, withheld
from mprof.peers.detectors.request import Asked, looks_of_pieces
from mprof.peers.tables.job_scores import CHANCE, LEAST_RATIO, far_above, score_nodes
from mprof.store import Rows
from mprof.threshold import Threshold

__all__ = ["DETECTOR", "THRESHOLDS", "chances_of_so_many", "compare_jobs", "looks"]

DETECTOR: Final = "wb-jobs"

MOST_NODES: Final = Threshold(
    "wb-jobs.most-nodes", 0.5, "chance that a node fares badly with a job",
    "if most of the machines fail at it, the machines are not to blame",
)  # fmt: skip

FEWEST_JOBS: Final = Threshold(
    "wb-jobs.fewest-jobs", 2, "jobs",
    "a fault of one job stays with that job",
)  # fmt: skip

FEWEST_USERS: Final = Threshold(
    "wb-jobs.fewest-users", 2, "users",
    "all jobs of one user may have the same fault; a machine does not know whose job it runs",
)  # fmt: skip

THRESHOLDS: Final = (CHANCE, LEAST_RATIO, MOST_NODES, FEWEST_JOBS, FEWEST_USERS)
"""Every free parameter of the detector."""

_COLUMNS: Final = (
    "job", "attempt", "kind", "host", "started_s", "finished_s", "state", "read_bytes",
    "written_bytes",
)  # fmt: skip
_JOB: Final = ["job", "kind"]


def looks(asked: Asked) -> Iterator[Look]:
    """Compare how nodes fared with all jobs, which are one piece; of one job nothing is told."""
    if asked.job is not None:
        return
    jobs = asked.store.read("jobs", columns=["job", "user"]).dropna()
    users = dict(zip(jobs["job"], jobs["user"], strict=True))
    rows = asked.attempts(_COLUMNS)
    yield from looks_of_pieces(asked.engine, partial(_of_attempts, users), [rows])


def _of_attempts(users: Mapping[str, str], rows: Rows) -> Iterator[Look]:
    attempts = rows.read()
    if attempts["job"].nunique() < FEWEST_JOBS.value:
        return  # and the scores need not be computed
    scores = score_nodes(attempts)
    jobs = scores.loc[scores["nodes"] > 1, "job"].nunique()
    if jobs >= FEWEST_JOBS.value:
        yield Look(f"how nodes fared with {jobs:,} jobs", compare_jobs(scores, users), "attempts")


def compare_jobs(scores: pd.DataFrame, users: Mapping[str, str]) -> Comparison:
    """Say which nodes fare badly with the jobs of several users.

    Args:
        scores: of `score_nodes`.
        users: whose each job was, by its id; jobs of unknown users are missing.
    """
    scores = scores[scores["nodes"] > 1]
    # A number: cells are grouped again and again, and texts would be compared each time.
    scores = scores.assign(of_job=scores.groupby(_JOB, sort=False).ngroup())
    bad: frozenset[str] = frozenset()
    while True:
        cells = _judged(scores, bad)
        hosts = _by_host(cells)
        found = hosts[(hosts["score"] > 1) & (hosts["jobs"] >= FEWEST_JOBS.value)]
        if bad.issuperset(found.index):
            break
        bad |= set(found.index)
    cells = cells.assign(user=cells["job"].map(users))
    bad_rows = hosts.loc[list(bad)].to_dict("index")
    nodes = [_standing(cells[cells["host"] == host], row) for host, row in bad_rows.items()]
    indicted = sum(node.indicted is True for node in nodes)
    if indicted > max(1, MOST_INDICTED.value * len(hosts)):
        return withheld(
            DETECTOR,
            f"{indicted} of {len(hosts)} nodes fare badly with the jobs of several users: they may"
            " be sick, or just another kind of machine",
            disputed=True,
        )
    others = hosts.drop(list(bad))["score"].clip(upper=1.0)
    nodes += [
        NodeStanding(str(host), indicted=False, score=float(score))
        for host, score in others.items()
    ]
    nodes += [
        NodeStanding(host, indicted=None, score=0.0, why_not="it ran none of the jobs that count")
        for host in sorted(set(scores["host"].unique()) - set(hosts.index))
    ]
    nodes.sort(key=lambda node: (-node.score, node.host))
    return Comparison(DETECTOR, tuple(nodes))


def _judged(scores: pd.DataFrame, bad_hosts: Collection[str]) -> pd.DataFrame:
    """The scores of jobs that tell of nodes: what is bad, and how likely by chance."""
    usual = scores.groupby("of_job")[["attempt_seconds", "volume"]].transform("median")
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
    cells["failing"] = (failed + 0.5) / (ended + 1)
    fails = 1 - (1 - cells["failing"]) ** cells["ended"]
    cells["expected"] = 1 - (1 - fails) * (1 - (dark + 0.5) / (nodes + 1))
    # Where nothing ended, nothing is known: what was killed with its job tells of no machine.
    told = (cells["ended"] > 0) | cells["dark"]
    return cells[told & (cells["expected"] < MOST_NODES.value)]


def _elsewhere(counts: pd.Series[float], cells: pd.DataFrame) -> pd.Series[float]:
    """The sum over the other nodes of the job."""
    return counts.groupby(cells["of_job"]).transform("sum") - counts


def _by_host(cells: pd.DataFrame) -> pd.DataFrame:
    """Of each host: numbers of cells that are expected to be bad and are, of jobs, and its score.

    Cost: of a host with more bad cells than expected, the number of its cells times that of the
    bad ones.
    """
    groups = cells.groupby("host")
    found = groups[["expected", "bad"]].sum()
    bad = cells[cells["bad"]].groupby("host")
    found["jobs"] = bad["job"].nunique().reindex(found.index, fill_value=0)
    expected, places = cells["expected"].to_numpy(), groups.indices
    scores = dict.fromkeys(found.index, 0.0)
    more = found.loc[found["bad"] > found["expected"], "bad"]
    chances = chances_of_so_many([expected[places[host]] for host in more.index], more.tolist())
    for host, chance in zip(more.index, chances.tolist(), strict=True):
        scores[host] = _score(len(found) * chance)
    return found.assign(score=pd.Series(scores))


def _score(chance: float) -> float:
    """The logarithm of a chance in those of the threshold; 0 of what may well be chance."""
    if chance <= 0:  # less than a double can say
        return math.inf
    return max(0.0, math.log(chance) / math.log(CHANCE.value))


def chances_of_so_many(
    chances: Sequence[NDArray[np.float64]], numbers: Sequence[int]
) -> NDArray[np.float64]:
    """The chance that so many or more of independent events happen (Poisson binomial).

    A sum of positive terms keeps the chances that tell nodes apart; of 13 events of 2 % each
    `scipy.stats.poisson_binom` finds 4e-16, which is what it rounds by, and not 8e-23.

    Time: the largest number of events; of each of them, the number of sets times the largest of
    ``numbers``. Memory: sets times events.

    Args:
        chances: of the events of each set.
        numbers: of events, one or more, for each set.

    Returns:
        A chance for each set.
    """
    sets = np.arange(len(numbers))
    so_many = np.zeros(len(numbers))
    if not len(numbers):
        return so_many
    padded = np.zeros((max(map(len, chances)), len(numbers)))  # what never happens changes nothing
    for place, each in enumerate(chances):
        padded[: len(each), place] = each
    last = np.asarray(numbers) - 1
    exactly = np.zeros((max(numbers), len(numbers)))  # the chance of 0, 1, ... events so far
    exactly[0] = 1.0
    for chance in padded:
        so_many += exactly[last, sets] * chance
        one_more = exactly[:-1] * chance
        exactly *= 1 - chance
        exactly[1:] += one_more
    return so_many


def _standing(cells: pd.DataFrame, found: Mapping[Any, Any]) -> NodeStanding:
    """A node that fares badly more often than by chance; whose jobs these are may speak for it."""
    bad = cells[cells["bad"]].sort_values("started_s")
    users = tuple(bad["user"].dropna().unique())
    why_not = _why_not(cells, bad, users)
    when_s = bad["started_s"].dropna()
    return NodeStanding(
        str(cells["host"].iloc[0]),
        indicted=True if why_not is None else None,
        score=float(found["score"]),
        since_s=float(when_s.min()) if len(when_s) else None,
        until_s=float(when_s.max()) if len(when_s) else None,
        alarms_s=tuple(when_s.tolist()),
        observations=tuple(_observations(cells, bad, found)),
        why_not=why_not,
        jobs=int(found["jobs"]),
    )


def _observations(
    cells: pd.DataFrame, bad: pd.DataFrame, found: Mapping[Any, Any]
) -> Iterator[Observation]:
    of_all = f"of {len(cells):,}"
    yield Observation(
        "phases of jobs with failed or slow attempts", len(bad), float(found["expected"]), of_all
    )
    ended = cells["ended"].sum()
    if cells["failed"].any():
        elsewhere = float((cells["failing"] * cells["ended"]).sum() / ended)
        own = float(cells["failed"].sum() / ended)
        yield Observation("attempts that failed", 100 * own, 100 * elsewhere, "%")
    dark = bad[bad["dark"]]
    if len(dark):
        times = float(dark["slowness"].median())
        yield Observation("how long its slow attempts took", times, 1.0, "times the median")


def _why_not(cells: pd.DataFrame, bad: pd.DataFrame, users: tuple[str, ...]) -> str | None:
    if len(users) >= FEWEST_USERS.value:
        return None
    if bad["user"].isna().any():
        return "the users of these jobs are not known, so a fault of one user is not excluded"
    others = cells.loc[~cells["bad"], "user"].dropna().nunique()
    if cells["user"].nunique() < FEWEST_USERS.value:
        return f"all jobs that ran here are {users[0]}'s: the fault may be in them"
    return (
        f"only jobs of {users[0]} fare badly here, and none of {others} other"
        f" user{'s'[: others != 1]}: the fault may be in what they have in common"
    )
