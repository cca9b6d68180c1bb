"""Jobs that fail wherever they run: on most nodes, or in one task that no node succeeds with.

Theia, figures 7 and 8 (Garduno, Kavulya, Tan, Gandhi and Narasimhan: *Theia: Visual Signatures for
Problem Diagnosis in Large Hadoop Clusters*, LISA 2012). This needs no diagnostics; if there are
some, `mprof.triage.application` reaches the same verdict from the errors.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

import pandas as pd

from mprof.patterns import Confidence
from mprof.threshold import Threshold
from mprof.triage.answer import Figure, Finding

__all__ = ["THRESHOLDS", "failing_jobs"]

MANY_NODES: Final = Threshold(
    "triage.many-nodes", 0.5, "share of the nodes of a job",
    "if most of the machines fail at it, the machines are not to blame",
)  # fmt: skip

SOME_NODES: Final = Threshold(
    "triage.some-nodes", 0.2, "share of the nodes of a job",
    "more machines than are ever bad at once, fewer than a fault in the code would affect",
)  # fmt: skip

FEWEST_FAILING: Final = Threshold(
    "triage.fewest-failing", 3, "nodes",
    "one is a single node, and two may share a rack, a switch or chance",
)  # fmt: skip

FAILING_SHARE: Final = Threshold(
    "triage.failing-share", 0.05, "share of the attempts that failed",
    "over many waves a rare fault also reaches every node; below one attempt in twenty the"
    " repetitions cost less than the job's own variation",
)  # fmt: skip

CHANCE: Final = Threshold(
    "triage.chance-of-a-task", 0.01, "chance that a task fails so often, if all were alike",
    "a month of a thousand jobs then has ten such tasks, each of which cost its job attempts",
    most=1.0,
)  # fmt: skip

THRESHOLDS: Final = (MANY_NODES, SOME_NODES, FEWEST_FAILING, FAILING_SHARE, CHANCE)

_JOB: Final = ["job", "kind"]


def failing_jobs(
    scores: pd.DataFrame,
    attempts: pd.DataFrame,
    failed_jobs: Collection[str],
    sick_hosts: Collection[str],
) -> Iterator[Finding]:
    """Jobs whose maps, or reduces, fail wherever they run, and those of which that may be.

    One task that fails on every node that tries it is the same on a smaller scale: one partition or
    split that the code does not survive. The paper's squares do not show it.

    Args:
        scores: of `score_nodes`.
        attempts: those that the scores are of.
        failed_jobs: those that came to a bad end.
        sick_hosts: nodes that differ from their peers; failures there say nothing of a job.
    """
    tried = scores[((scores["failed"] + scores["survived"]) > 0) & ~scores["host"].isin(sick_hosts)]
    counted = attempts[~attempts["host"].isin(sick_hosts)]
    doubtful = _with_failing_tasks(counted)
    keys = pd.MultiIndex.from_frame(counted[_JOB])
    by_job = counted[keys.isin(doubtful)].groupby(_JOB)
    for key, cells in _that_may_fail(tried, doubtful).groupby(_JOB, sort=False):
        found = _spread(cells, has_failed=cells["job"].iloc[0] in failed_jobs)
        if key in doubtful and (found is None or found.confidence is None):
            found = _one_task(by_job.get_group(key)) or found
        if found is not None:
            yield found


def _that_may_fail(tried: pd.DataFrame, doubtful: Collection[tuple[str, str]]) -> pd.DataFrame:
    """The scores of jobs with failures on enough nodes, or with a task that may always fail.

    Of thousands of jobs nearly all have none: these are told apart once for all of them.
    """
    groups = tried.assign(
        red=tried["failed"] > 0, ended=tried["failed"] + tried["survived"]
    ).groupby(_JOB, sort=False)  # fmt: skip
    summed = groups.agg(
        failed=("failed", "sum"), red=("red", "sum"), nodes=("red", "size"), ended=("ended", "sum")
    )
    of_enough = (summed["red"] / summed["nodes"] >= SOME_NODES.value) & (
        summed["failed"] >= FAILING_SHARE.value * summed["ended"]
    )
    may = (summed["failed"] > 0) & (of_enough | summed.index.isin(list(doubtful)))
    return tried[pd.MultiIndex.from_frame(tried[_JOB]).isin(summed.index[may])]


def _spread(cells: pd.DataFrame, *, has_failed: bool) -> Finding | None:
    red = cells[cells["failed"] > 0].sort_values("failed", ascending=False)
    failed, ended = int(cells["failed"].sum()), int((cells["failed"] + cells["survived"]).sum())
    share = len(red) / len(cells)
    why_not = None
    if share < SOME_NODES.value or failed < FAILING_SHARE.value * ended:
        return None
    if len(red) < FEWEST_FAILING.value:
        if not has_failed or share < MANY_NODES.value:
            return None
        why_not = "it failed on too few nodes to tell a fault of the job from one of the nodes"
    elif share < MANY_NODES.value:
        why_not = (
            "it failed on more nodes than are ever bad at once, and on fewer than a fault of the"
            " job would meet"
        )
    kind = str(cells["kind"].iloc[0])
    return Finding(
        id="failures.spread",
        sentence=f"{failed:,} of {ended:,} {kind} attempts failed, on {len(red):,} of"
        f" {len(cells):,} nodes.",
        confidence=_LIKELY if why_not is None else None,
        hosts=tuple(red["host"]),
        figures=(
            Figure("failing nodes", len(red), "nodes"),
            Figure("nodes", len(cells), "nodes"),
            Figure("failed attempts", failed, "attempts"),
            Figure("attempts that ended", ended, "attempts"),
        ),
        job=str(cells["job"].iloc[0]),
        kind=kind,
        since_s=_moment(red["started_s"].min()),
        until_s=_moment(red["finished_s"].max()),
        why_not=why_not,
    )


_LIKELY: Final[Confidence] = "likely"  # no diagnostics were looked at


def _with_failing_tasks(attempts: pd.DataFrame) -> set[tuple[str, str]]:
    """Jobs and kinds of which a task failed on several nodes: only these can have such a task."""
    failed = attempts[(attempts["state"] == "failed") & attempts["attempt"].notna()]
    hosts = failed.groupby([*_JOB, _tasks_of(failed["attempt"])])["host"].nunique()
    several = hosts[hosts >= FEWEST_FAILING.value]
    return {(str(job), str(kind)) for job, kind, _ in several.index}


def _tasks_of(attempts: pd.Series[str]) -> pd.Series[str]:
    return attempts.str.rsplit("_", n=1).str[0]


def _one_task(rows: pd.DataFrame) -> Finding | None:
    """The task that failed on most nodes and never succeeded, if chance does not explain it."""
    ended = rows[rows["state"].isin(("failed", "succeeded")) & rows["attempt"].notna()]
    tasks = _tasks_of(ended["attempt"])
    by_task = ended.assign(task=tasks, ok=ended["state"] == "succeeded").groupby("task")
    summed = by_task.agg(ok=("ok", "sum"), tries=("ok", "size"), hosts=("host", "nunique"))
    never = summed[(summed["ok"] == 0) & (summed["hosts"] >= FEWEST_FAILING.value)]
    if never.empty:
        return None
    task = str(never.sort_values("hosts", ascending=False).index[0])
    mine, others = ended[tasks == task], ended[tasks != task]
    # Half an event more than was seen, so that never is rare.
    rate = ((others["state"] == "failed").sum() + 0.5) / (len(others) + 1)
    if len(summed) * rate ** len(mine) > CHANCE.value:
        return None
    kind, nodes = str(mine["kind"].iloc[0]), mine["host"].nunique()
    return Finding(
        id="failures.one_task",
        sentence=f"{task.replace('attempt_', 'task_', 1)} failed {len(mine):,} times, on"
        f" {nodes:,} nodes, and never succeeded; {len(never):,} of {len(summed):,} {kind} tasks"
        " did not.",
        confidence=_LIKELY,
        hosts=tuple(mine["host"].unique()),
        figures=(
            Figure("failing nodes", nodes, "nodes"),
            Figure("failed attempts", len(mine), "attempts"),
            Figure("tasks that never succeeded", len(never), "tasks"),
            Figure("tasks", len(summed), "tasks"),
        ),
        job=str(mine["job"].iloc[0]),
        kind=kind,
        since_s=_moment(mine["started_s"].min()),
        until_s=_moment(mine["finished_s"].max()),
    )


def _moment(seconds: float) -> float | None:
    return None if pd.isna(seconds) else float(seconds)
