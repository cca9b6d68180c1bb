"""`hb-rate`: nodes that complete less than their peers do with as much work in hand.

Definition. Blimey (Pan, Tan, Kavulya, Gandhi and Narasimhan: *Blind Men and the Elephant: Piecing
Together Hadoop for Diagnosis*, section IV-C) smooths the heartbeats of each node into a rate by a
Gaussian kernel, and compares it with the median of the nodes: a TaskTracker sent a heartbeat when a
task ended, so the rate reflected the work.

In YARN it does not. A NodeManager sends one heartbeat a second whether its containers work or hang,
and the interval may be configured to follow the load of the processor. What the rate reflected then
is recorded in job histories and in the logs of NodeManagers: when each attempt and container ended.
So here the events are completions, and their smoothed rate is compared, within the time in which
jobs were running.

It departs from the paper in these points:

- A node is compared with what the median of the nodes completes *with as much work of the same
  kind in hand*. Schedulers fill nodes one after the other, slots are not fixed, and a reducer takes
  as long as many mappers: the plain rate would blame nodes that were given less or longer work.
- Only an attempt that succeeded is a completion. A node that fails every task in a second ends more
  of them than any other.
- An attempt counts as work in hand until it ends, or has run for several times as long as is usual
  for its job and kind: a node that holds some large tasks is not expected to complete as many as
  one with small tasks.
- A node that completes more than its peers is not blamed.

Nodes without work. A node that never had any is not judged, since it may not be a compute node; nor
is the time before its first work, when it may not have been there, nor a time in which others have
none either. A node that had work and has none, while nine tenths of the others have some, is in
alarm, as it would be in the paper. An idle cluster is not compared. If a node starts and ends
nothing for so long that chance does not explain it, while most others do, it is indicted for its
silence, from its last sign of work to the next one.

Logs of NodeManagers do not distinguish mappers from reducers; containers that took four times as
long as is usual in their job, or a quarter of it, on several nodes, are compared separately.
Containers that succeeded but were killed as they exited, as Hadoop did before 2.8 (MAPREDUCE-5465),
count as completions. The first container of a job, its ApplicationMaster, does not count. Jobs
whose history is known are not looked at a second time through their containers.

It cannot see a node that hangs when all others have nothing left to do: `wb-durations` can.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from mprof.peers.comparison import Comparison, Look, Observation
from mprof.peers.detectors.repeated_alarms import (
    FEWEST_NODES,
    Rounds,
    comparison_of,
    too_few_nodes,
    with_silences,
    withheld,
)
from mprof.peers.detectors.request import Asked, looks_of_pieces
from mprof.peers.statistics.completions import EFFECTIVE_WIDTH, Completions, smoothed
from mprof.peers.statistics.silence import SILENCE_THRESHOLDS, Silence, silences
from mprof.store import Rows
from mprof.threshold import Threshold

__all__ = ["DETECTOR", "THRESHOLDS", "WORK_COLUMNS", "compare_rates", "looks", "work_of"]

DETECTOR: Final = "hb-rate"

WORK_COLUMNS: Final = ("host", "group", "started_s", "until_s", "completed")
"""Of a table of work in hand: a row an attempt or container.

``group``: the job and kind, within which attempts take alike. ``until_s``: when it ended, or the
last time at which it is known to have run. ``completed``: whether it ended well.
"""

WIDTH: Final = Threshold(
    "hb-rate.width", 10, "mean times between two completions of a node",
    "of the Gaussian kernel, its standard deviation; free in Blimey. A count is then as certain as"
    " one of 35 completions: at half the rate a node is three standard deviations below its peers",
)  # fmt: skip
LEAST_WIDTH: Final = Threshold(
    "hb-rate.least-width", 10, "s",
    "completions are seen with the heartbeats of a second or three; ten intervals of one second",
)  # fmt: skip
STEPS: Final = Threshold(
    "hb-rate.steps", 2, "comparisons per width of the kernel",
    "between two comparisons the smoothed rate hardly moves",
)  # fmt: skip
LEAST_COMPLETIONS: Final = Threshold(
    "hb-rate.least-completions", 10, "completions of the median node",
    "with fewer, even a node at half the rate is within what chance does",
)  # fmt: skip
LEAST_EXPECTED: Final = Threshold(
    "hb-rate.least-expected", 5, "completions expected of a node, within the kernel",
    "if five are expected of a node, chance leaves it with none in 0.7 % of the comparisons",
)  # fmt: skip
LEAST_RATIO: Final = Threshold(
    "hb-rate.alarm-below", 0.67, "of the rate that is expected",
    "healthy nodes of one model differ by less than a third (as for wb-durations)",
)  # fmt: skip
LEAST_DEVIATIONS: Final = Threshold(
    "hb-rate.deviations", 2.5, "standard deviations of a count",
    "below what is expected; by chance alone six of 1,000 comparisons are, but only repeated ones"
    " indict",
)  # fmt: skip
MOST_OWN: Final = Threshold(
    "hb-rate.most-own", 0.5, "share of the work of a job and kind",
    "if most of the work is on one node, its peers cannot be compared with it",
)  # fmt: skip
LONG_SINCE: Final = Threshold(
    "hb-rate.long-since", 6, "times the median duration of a job and kind",
    "a node that is four times slower is expected to complete as much as its peers; one whose slots"
    " are taken by a few large tasks is not",
)  # fmt: skip
WITHOUT_WORK: Final = Threshold(
    "hb-rate.without-work", 0.1, "of the work that the node usually has in hand",
    "a tenth of its slots or fewer: the rest may be the end of an earlier attempt",
)  # fmt: skip
AT_WORK: Final = Threshold(
    "hb-rate.at-work", 0.5, "of the work that the node usually has in hand",
    "half of its slots are taken: the node is not waiting for work",
)  # fmt: skip
PEERS_AT_WORK: Final = Threshold(
    "hb-rate.peers-at-work", 0.9, "share of the other nodes",
    "if more than one in ten has little to do, there is not enough work for every node",
    most=1.0,
)  # fmt: skip
TWO_KINDS: Final = Threshold(
    "hb-rate.two-kinds", 4, "times the median duration of the job's containers, or a part of it",
    "one of 10,000 mappers whose durations are spread as usual (a factor of 1.4) takes so long, and"
    " reducers, which wait for all mappers, mostly take longer",
)  # fmt: skip
HALF_LIFE: Final = Threshold(
    "hb-rate.half-life", 8, "comparisons",
    "an alarm weighs half after four widths of the kernel, twice the length that it sees at once",
)  # fmt: skip
INDICTED_ABOVE: Final = Threshold(
    "hb-rate.indicted-above", 2.5, "weighted number of alarms",
    "three alarms in a row: longer than the kernel is wide",
)  # fmt: skip

THRESHOLDS: Final = (
    WIDTH, LEAST_WIDTH, STEPS, LEAST_COMPLETIONS, LEAST_EXPECTED, LEAST_RATIO, LEAST_DEVIATIONS,
    MOST_OWN, LONG_SINCE, WITHOUT_WORK, AT_WORK, PEERS_AT_WORK, TWO_KINDS, HALF_LIFE,
    INDICTED_ABOVE, *SILENCE_THRESHOLDS,
)  # fmt: skip
"""Every free parameter of the detector."""

_COLUMNS: Final = ("job", "attempt", "kind", "host", "started_s", "finished_s", "state")
_PER_MINUTE: Final = 60.0
_MASTER: Final = r"_000001$"  # ids of containers count from the ApplicationMaster's


def looks(asked: Asked) -> Iterator[Look]:
    """Compare the completions of all jobs, or of the one that is asked for.

    They are one piece: what a node completes is compared with what all work would let it complete.
    """
    rows = asked.attempts(_COLUMNS)
    yield from looks_of_pieces(asked.engine, partial(_of_work, asked.hosts), [rows])


def _of_work(hosts: frozenset[str], rows: Rows) -> Iterator[Look]:
    attempts = rows.read()
    of_history = attempts["kind"].notna()
    known = set(attempts.loc[of_history, "job"])
    of_containers = ~of_history & ~attempts["job"].isin(known)
    for chosen, what in ((of_history, "attempts"), (of_containers, "containers")):
        of_kind = attempts[chosen]
        work = work_of(of_kind)
        if work.empty:
            continue
        jobs = of_kind["job"].nunique()
        whose = f"{jobs:,} jobs" if jobs != 1 else str(of_kind["job"].iloc[0])
        found = compare_rates(work, hosts)
        yield Look(f"completed {what} of {whose}", found, of="attempts")


def work_of(attempts: pd.DataFrame) -> pd.DataFrame:
    """What nodes had in hand, from rows of the store's table ``attempts``."""
    rows = attempts[attempts["host"].notna() & attempts["started_s"].notna()]
    if rows.empty:
        return pd.DataFrame(columns=list(WORK_COLUMNS))
    container = rows["kind"].isna()
    rows = rows[~(container & rows["attempt"].str.contains(_MASTER, na=False))]
    container = rows["kind"].isna()
    # What runs still is known to have run until the last time of its job: each NodeManager's log
    # tells of one node only, and of a node that hangs nothing more.
    latest = rows[["started_s", "finished_s"]].max(axis=1)
    last = latest.groupby(rows["job"].fillna("")).transform("max")
    until = rows["finished_s"].fillna(last)
    well = (rows["state"] == "succeeded") | (container & (rows["state"] == "killed"))
    work = pd.DataFrame(
        {
            "host": rows["host"],
            "group": rows["job"].fillna("") + " " + rows["kind"].fillna("container"),
            "started_s": rows["started_s"],
            "until_s": until,
            "completed": well & rows["finished_s"].notna(),
        }
    )
    # A clock that was set back has made an end before the begin.
    work = work[work["until_s"] >= work["started_s"]]
    for name, containers in work[container.reindex(work.index)].groupby("group"):
        for kind, index in _other_kinds(containers).items():
            work.loc[index, "group"] = f"{name}, {kind}"
    return work.reset_index(drop=True)


def _other_kinds(containers: pd.DataFrame) -> dict[str, pd.Index[int]]:
    """Containers of a job that took so much longer or shorter that they are of another kind."""
    ended = containers[containers["completed"]]
    seconds = ended["until_s"] - ended["started_s"]
    usual = seconds.median()
    apart = {
        "longer": ended[seconds > TWO_KINDS.value * usual],
        "shorter": ended[seconds < usual / TWO_KINDS.value],
    }
    # A node whose containers all take longer is not their kind.
    return {
        kind: rows.index
        for kind, rows in apart.items()
        if rows["host"].nunique() >= FEWEST_NODES.value
    }


def compare_rates(work: pd.DataFrame, hosts: Iterable[str] = ()) -> Comparison:
    """Compare how much nodes complete of what they have in hand.

    Cost: linear in the attempts and in the length of the kernel; 0.4 s for 20,000 attempts of 60 s
    on 50 nodes.

    Args:
        work: columns as in ``WORK_COLUMNS``.
        hosts: nodes that should be there; those with work are added.
    """
    names = tuple(sorted(work["host"].unique()))
    if len(names) < FEWEST_NODES.value:
        return too_few_nodes(DETECTOR, len(names))
    completed = work[work["completed"]]
    counts = completed.groupby("host").size().reindex(names, fill_value=0)
    usual = float(counts.median())
    if usual < LEAST_COMPLETIONS.value:
        return withheld(
            DETECTOR,
            f"the median node completed {usual:.0f} attempts, and a comparison needs"
            f" {LEAST_COMPLETIONS.value:.0f}",
        )
    active = _active(work)
    active_s = float((active[:, 1] - active[:, 0]).sum())
    width_s = max(LEAST_WIDTH.value, WIDTH.value * active_s / usual)
    step_s = width_s / STEPS.value
    # Only where something was completed, so that a clock that was years off makes no years.
    first_s = float(completed["until_s"].min())
    steps = np.unique(np.floor((completed["until_s"].to_numpy() - first_s) / step_s))
    at_s = np.asarray(first_s + (steps + 0.5) * step_s, dtype=np.float64)
    seen_completions = smoothed(
        work, names, at_s, width_s=width_s, most_own=MOST_OWN.value, long_since=LONG_SINCE.value
    )
    own, expected = seen_completions.own, _expected(seen_completions)
    in_count = EFFECTIVE_WIDTH * width_s
    seen = expected * in_count >= LEAST_EXPECTED.value
    seen &= at_s[:, None] >= work.groupby("host")["started_s"].min().reindex(names).to_numpy()
    below = (expected - own) * in_count
    differs = seen & (own < LEAST_RATIO.value * expected)
    differs &= below > LEAST_DEVIATIONS.value * np.sqrt(expected * in_count)
    enough = seen.sum(axis=1) >= FEWEST_NODES.value
    agree = differs.sum(axis=1) <= (seen.sum(axis=1) - 1) / 2
    began_s = active[np.searchsorted(active[:, 0], at_s, side="right").clip(min=1) - 1, 0]
    rounds = Rounds(
        np.maximum(at_s - width_s, began_s)[enough], seen[enough], differs[enough], agree[enough]
    )

    def observe(node: int, when: NDArray[np.bool_]) -> tuple[Observation, ...]:
        minutes = _within(active, at_s[enough][when], width_s).sum() / _PER_MINUTE
        return (
            Observation(
                what="completions",
                own=float(own[enough][when, node].sum() / minutes),
                peers=float(expected[enough][when, node].sum() / minutes),
                unit="a minute",
            ),
        )

    found = comparison_of(
        rounds,
        detector=DETECTOR,
        hosts=names,
        half_life=HALF_LIFE.value,
        indicted_above=INDICTED_ABOVE.value,
        observe=observe,
        alarms_of_others=True,
    )
    return with_silences(found, _silences(work, names)).with_unseen(hosts, "no work was seen on it")


def _silences(work: pd.DataFrame, names: tuple[str, ...]) -> tuple[Silence, ...]:
    """The times in which a node began nothing and ended nothing, while its peers did."""
    node = pd.Index(names).get_indexer(pd.Index(work["host"]))
    began_s = work["started_s"].to_numpy(dtype=np.float64)
    ended_s = work["until_s"].where(work["completed"]).to_numpy(dtype=np.float64)
    return silences(node, began_s, ended_s, nodes=len(names))


def _active(work: pd.DataFrame) -> NDArray[np.float64]:
    """The stretches in which some node had work in hand: a row each, its begin and its end."""
    ordered = work[["started_s", "until_s"]].sort_values("started_s").to_numpy(dtype=np.float64)
    reached = np.maximum.accumulate(ordered[:, 1])
    new = np.append(True, ordered[1:, 0] > reached[:-1])
    ends = np.append(new[1:], True)
    return np.column_stack((ordered[new, 0], reached[ends]))


def _within(
    active: NDArray[np.float64], at_s: NDArray[np.float64], width_s: float
) -> NDArray[np.float64]:
    """The part of the kernel at each moment that lies within these stretches."""
    return np.asarray(
        sum(ndtr((end - at_s) / width_s) - ndtr((begin - at_s) / width_s) for begin, end in active),
        dtype=np.float64,
    )


def _expected(seen: Completions) -> NDArray[np.float64]:
    """What the median node would complete with the work of each; 0 where that is not known."""
    known = seen.expected > 0
    ratios = np.full(seen.own.shape, np.nan)
    np.divide(seen.own, seen.expected, out=ratios, where=known)
    usual = np.zeros(len(ratios))
    there = known.any(axis=1)
    usual[there] = np.nanmedian(ratios[there], axis=1)
    expected = seen.expected * usual[:, None]
    return np.where(_idle_among_busy(seen.in_hand), _of_the_median(expected), expected)


def _of_the_median(expected: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.broadcast_to(np.median(expected, axis=1, keepdims=True), expected.shape)


def _idle_among_busy(in_hand: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where a node has no work while nearly all others have theirs."""
    held = np.where(in_hand > in_hand.max(axis=0) * WITHOUT_WORK.value, in_hand, np.nan)
    usual = np.nanmedian(np.where(np.isnan(held).all(axis=0), 0.0, held), axis=0)
    idle = in_hand < WITHOUT_WORK.value * usual
    busy = in_hand >= AT_WORK.value * usual
    others = (busy.sum(axis=1, keepdims=True) - busy) / max(in_hand.shape[1] - 1, 1)
    return np.asarray(idle & (others >= PEERS_AT_WORK.value), dtype=np.bool_)
