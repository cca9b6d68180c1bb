"""`wb-ends`: nodes on which attempts fail or hang that end well elsewhere.

The papers have no such detector. In Hadoop 0.18 a reducer that met a wrong checksum hung, and the
durations of Kahuna and Blimey showed it; since then it fails within seconds and is run again
elsewhere, which no duration shows. Theia compares the failures of a node with its successes
(Garduno, Kavulya, Tan, Gandhi and Narasimhan: *Theia*, LISA 2012, section 3); here they are
compared with those of the peers. Hanging attempts show in durations only if a node has enough of
them, and two slots that are both blocked never give enough.

Definition. Attempts of the same job and kind (map, reduce) are comparable.

- **Failures**: a task *failed here* if an attempt of it failed on this node, and none failed on
  another. A task that fails wherever it is run is the fault of the job. A node is indicted if so
  many of its tasks failed here that chance does not explain it (Fisher's exact test against the
  tasks of the other nodes).
  Nodes on which everything fails are no peers of each other; if they are no minority, no node is
  named, because the jobs may be at fault as well.
- **Hangs**: an attempt *hangs* if it was not seen to end, and ran several times as long as the
  longest of its kind that ended. A node is indicted if several attempts of different tasks hang on
  it, and none hangs on any other node. One task may be given far more data than all others; if two
  such tasks are on one node, and no third is elsewhere, the node is at fault.

- **No success**: an attempt was *overtaken* if another one of its task started later, on another
  node, and ended first. If none of several attempts of a kind ended well on a node, and each was
  overtaken or ran longer than all that ended, they are treated as hanging there: speculation ends
  hanging attempts before they have run for long.

If attempts hang on several nodes, no node is named: they may wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

import pandas as pd
from scipy.stats import hypergeom

from mprof.peers.comparison import Comparison, Look, NodeStanding, Observation
from mprof.peers.detectors.repeated_alarms import FEWEST_NODES, too_few_nodes, withheld
from mprof.peers.detectors.request import Asked, looks_of_pieces
from mprof.peers.tables.durations import LARGEST_MINORITY
from mprof.peers.tables.order import in_order_of_start
from mprof.store import Rows
from mprof.threshold import Threshold

__all__ = ["DETECTOR", "HANGS_ABOVE", "THRESHOLDS", "compare_ends", "looks"]

DETECTOR: Final = "wb-ends"

FAILED_ABOVE: Final = Threshold(
    "wb-ends.failed-above", 2, "tasks that failed on the node and nowhere else",
    "MapReduce gives no more attempts of a job to a node on which a third has failed"
    " (mapreduce.job.maxtaskfailures.per.tracker)",
)  # fmt: skip
SIGNIFICANCE: Final = Threshold(
    "wb-ends.significance", 0.01, "chance of so many failures on some node, of either kind",
    "failures are rare if nothing is wrong, and more than two are required in addition",
    most=1.0,
)  # fmt: skip
MOST_FAILED_ELSEWHERE: Final = Threshold(
    "wb-ends.most-failed-elsewhere", 0.33, "of the node's share of failed tasks",
    "a peer that fails a third as often is not well either, as with HDFS's rule of three times",
)  # fmt: skip
HANGS_ABOVE: Final = Threshold(
    "wb-ends.hangs-above", 3, "times the longest attempt of its kind that ended",
    "as HDFS's rule for slow peers; the longest, so that a job with skewed data sets its own bar",
)  # fmt: skip
LONG_ABOVE: Final = Threshold(
    "wb-ends.long-above", 1.5, "times the longest attempt of its kind that ended",
    "if none of several attempts of the kind ended well on the node; a node on which others ended"
    " must exceed hangs-above",
)  # fmt: skip
HUNG_ABOVE: Final = Threshold(
    "wb-ends.hung-above", 1, "attempts on the node, of different tasks",
    "one may have more data than all others",
)  # fmt: skip
LEAST_ENDED: Final = Threshold(
    "wb-ends.least-ended", 10, "attempts of the kind that ended well",
    "the longest of fewer says little about how long an attempt may take",
)  # fmt: skip

THRESHOLDS: Final = (
    FAILED_ABOVE, SIGNIFICANCE, MOST_FAILED_ELSEWHERE, HANGS_ABOVE, LONG_ABOVE, HUNG_ABOVE,
    LEAST_ENDED,
)  # fmt: skip
"""Every free parameter of the detector."""

_COLUMNS: Final = ("job", "attempt", "kind", "host", "started_s", "finished_s", "state")
_KINDS: Final = ("map", "reduce")
_ENDED: Final = ("succeeded", "failed")  # and not killed, nor running still
_TASK: Final = r"_\d+$"  # attempt_1_0001_m_000002_0 is the first attempt of its task


@dataclass(frozen=True, slots=True)
class _Failures:
    """Failures of the tasks of one kind; an element a node.

    Attributes:
        kind: of the tasks.
        tasks: of which the node had an attempt that ended.
        failed: those that failed here and nowhere else.
    """

    kind: str
    tasks: pd.Series[int]
    failed: pd.Series[int]


@dataclass(frozen=True, slots=True)
class _Hangs:
    """Attempts that hang, of different tasks; an element a node.

    Attributes:
        hung: how many.
        longest_s: the longest of them; NaN where there is none.
        usual_s: the longest attempt that ended, of the kinds in which some hang.
    """

    hung: pd.Series[int]
    longest_s: pd.Series[float]
    usual_s: float


def looks(asked: Asked) -> Iterator[Look]:
    """Compare the ends of the attempts of all jobs, which are one piece, or of one job."""
    rows = asked.attempts(_COLUMNS)
    yield from looks_of_pieces(asked.engine, partial(_of_attempts, asked.hosts), [rows])


def _of_attempts(hosts: frozenset[str], rows: Rows) -> Iterator[Look]:
    attempts = rows.read()
    attempts = attempts[attempts["kind"].isin(_KINDS)]
    if attempts.empty:
        return
    jobs = attempts["job"].nunique()
    whose = f"{jobs:,} jobs" if jobs != 1 else str(attempts["job"].iloc[0])
    yield Look(f"ends of attempts of {whose}", compare_ends(attempts, hosts), "attempts")


def compare_ends(attempts: pd.DataFrame, hosts: Iterable[str] = ()) -> Comparison:
    """Say on which nodes attempts fail or hang that end well elsewhere.

    Cost: a few passes over the attempts.

    Args:
        attempts: rows of the store's table, of mappers and reducers.
        hosts: nodes that should be there; those with an attempt are added.
    """
    rows = attempts[attempts["host"].notna() & attempts["started_s"].notna()]
    names = tuple(sorted(rows["host"].unique()))
    if len(names) < FEWEST_NODES.value:
        return too_few_nodes(DETECTOR, len(names))
    # What runs still is known to have run until the last time of its job.
    last_s = rows[["started_s", "finished_s"]].max(axis=1).groupby(rows["job"]).transform("max")
    # Of several attempts of a task the first one stands for it.
    rows = in_order_of_start(rows).assign(
        task=rows["attempt"].str.replace(_TASK, "", regex=True),
        seconds=rows["finished_s"].fillna(last_s) - rows["started_s"],
    )
    ends = _failed_and_well(rows)
    if (why := _why_no_majority(ends)) is not None:
        return withheld(DETECTOR, why, disputed=True)
    lost = set(ends.index[(ends["failed"] > FAILED_ABOVE.value) & (ends["succeeded"] == 0)])
    failed, hung = _failed(rows), _hung(rows)
    failures = [
        _failures(kind, rows[rows["kind"] == kind], failed[failed["kind"] == kind], names)
        for kind in _KINDS
    ]
    hangs = _hangs(hung, names)
    moments = pd.concat(
        [failed.assign(at_s=failed["finished_s"]), hung.assign(at_s=hung["started_s"])]
    )
    nodes = []
    for host in names:
        peers = [each for each in names if each != host and each not in lost]
        observations, score = _judged(host, failures, hangs, peers=peers)
        seen = hangs.hung[host] or any(each.tasks[host] for each in failures)
        mine = moments.loc[moments["host"] == host, "at_s"].dropna().sort_values()
        nodes.append(
            NodeStanding(
                host,
                indicted=score > 1 if seen else None,
                score=score,
                since_s=float(mine.min()) if observations and len(mine) else None,
                until_s=float(mine.max()) if observations and len(mine) else None,
                alarms_s=tuple(mine.tolist()) if observations else (),
                observations=observations,
                why_not=None if seen else "no attempt of it has ended",
            )
        )
    nodes.sort(key=lambda node: (-node.score, node.host))
    return Comparison(DETECTOR, tuple(nodes)).with_unseen(hosts, "no attempt was seen on it")


def _failed_and_well(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each node on which attempts ended: how many failed, and how many ended well."""
    ended = rows[rows["state"].isin(_ENDED)]
    return pd.crosstab(ended["host"], ended["state"]).reindex(columns=_ENDED, fill_value=0)


def _why_no_majority(ends: pd.DataFrame) -> str | None:
    """Why no node can be called the exception; None where most have attempts that ended well."""
    lost = int((ends["succeeded"] == 0).sum())
    if lost <= LARGEST_MINORITY.value * len(ends):
        return None
    where = (
        f"each of the {lost:,} nodes" if lost == len(ends) else f"{lost:,} of {len(ends):,} nodes"
    )
    return (
        f"no healthy majority: on {where} all attempts that ended failed, and nothing says whether"
        " the jobs or the nodes are at fault"
    )


def _failed(rows: pd.DataFrame) -> pd.DataFrame:
    """One failed attempt of each task that failed on one node alone."""
    failed = rows[rows["state"] == "failed"]
    alone = failed.groupby(["job", "task"])["host"].transform("nunique") == 1
    return failed[alone].drop_duplicates(["job", "task"])


def _failures(
    kind: str, rows: pd.DataFrame, failed: pd.DataFrame, names: tuple[str, ...]
) -> _Failures:
    ended = rows[rows["state"].isin(_ENDED)].drop_duplicates(["job", "task", "host"])
    return _Failures(
        kind,
        tasks=ended.groupby("host").size().reindex(names, fill_value=0),
        failed=failed.groupby("host").size().reindex(names, fill_value=0),
    )


def _hangs(hung: pd.DataFrame, names: tuple[str, ...]) -> _Hangs:
    return _Hangs(
        hung=hung.groupby("host").size().reindex(names, fill_value=0),
        longest_s=hung.groupby("host")["seconds"].max().reindex(names),
        usual_s=float(hung["longest_s"].max()),
    )


def _hung(rows: pd.DataFrame) -> pd.DataFrame:
    """One attempt of each task that hangs, with the longest of its kind that ended."""
    well = rows[rows["state"] == "succeeded"]
    ended = well.groupby(["job", "kind"])["seconds"]
    known = pd.DataFrame({"longest_s": ended.max(), "ended": ended.size()}).reset_index()
    known = known[known["ended"] >= LEAST_ENDED.value]
    running = rows[~rows["state"].isin(_ENDED)].merge(known, on=["job", "kind"], how="inner")
    hung = running[running["seconds"] > HANGS_ABOVE.value * running["longest_s"]]
    hung = pd.concat([hung, _without_success(running, well)])
    return hung.drop_duplicates(["job", "task"])


def _without_success(running: pd.DataFrame, well: pd.DataFrame) -> pd.DataFrame:
    """Attempts that were overtaken or are long, of nodes where none of their kind ended well."""
    first = well.drop_duplicates(["job", "task"])[["job", "task", "host", "started_s"]]
    both = running.merge(first, on=["job", "task"], how="left", suffixes=("", "_of_first"))
    overtaken = both["started_s_of_first"].between(both["started_s"], both["finished_s"])
    overtaken &= both["host_of_first"] != both["host"]
    long = both["seconds"] > LONG_ABOVE.value * both["longest_s"]
    found = both[overtaken | long].drop_duplicates(["job", "task"])
    place = ["job", "kind", "host"]
    with_success = pd.MultiIndex.from_frame(well[place].drop_duplicates())
    found = found[~pd.MultiIndex.from_frame(found[place]).isin(with_success)]
    several = found.groupby(place)["task"].transform("size") > HUNG_ABOVE.value
    return found.loc[several, running.columns]


def _judged(
    host: str, failures: Iterable[_Failures], hangs: _Hangs, *, peers: list[str]
) -> tuple[tuple[Observation, ...], float]:
    """What differs about a node, and its score; nodes on which everything fails are no peers."""
    found: list[tuple[float, Observation]] = []
    for each in failures:
        failed, tasks = int(each.failed[host]), int(each.tasks[host])
        all_failed, all_tasks = int(each.failed.sum()), int(each.tasks.sum())
        if not failed:
            continue
        own = failed / tasks
        elsewhere = int(each.failed[peers].sum()) / max(int(each.tasks[peers].sum()), 1)
        looked_at = len(each.tasks) * len(_KINDS)
        chance = looked_at * float(hypergeom.sf(failed - 1, all_tasks, all_failed, tasks))
        if chance < SIGNIFICANCE.value and elsewhere <= MOST_FAILED_ELSEWHERE.value * own:
            what = f"{each.kind} tasks that failed, and not elsewhere"
            found.append(
                (failed / FAILED_ABOVE.value, Observation(what, 100 * own, 100 * elsewhere, "%"))
            )
    hung = int(hangs.hung[host])
    if hung and hung == int(hangs.hung.sum()):
        longest_s = float(hangs.longest_s[host])
        what = "longest attempt without an end"
        found.append((hung / HUNG_ABOVE.value, Observation(what, longest_s, hangs.usual_s, "s")))
    found.sort(key=lambda one: -one[0])
    return tuple(observation for _, observation in found), max((s for s, _ in found), default=0.0)
