"""Application problems and data skew: what goes wrong with one job, wherever it runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal, cast

import numpy as np
import pandas as pd

from mprof.signatures.scores import CHANCE, far_above
from mprof.signatures.signature import (
    FAILING_SHARE,
    FEWEST_COMPARED,
    FEWEST_FAILING,
    LEAST_RATIO,
    MANY_NODES,
    SOME_NODES,
    STARK_RATIO,
    Figure,
    Signature,
)

__all__ = ["application_problems", "skewed_jobs"]

_Kind = Literal["map", "reduce"]


def application_problems(
    scores: pd.DataFrame,
    attempts: pd.DataFrame,
    jobs: pd.DataFrame,
    bad_hosts: Collection[str],
) -> Iterator[Signature]:
    """Jobs whose maps, or reduces, fail wherever they run (Theia, figures 7 and 8).

    One task that fails on every node that tries it is the same on a smaller scale: one partition or
    split that the code does not survive. The paper's squares do not show it.

    Args:
        scores: of `score_nodes`.
        attempts: those that the scores are of.
        jobs: with the columns ``job``, ``user`` and ``state``.
        bad_hosts: nodes with an infrastructure problem; failures there say nothing of a job.
    """
    known = jobs.set_index("job")
    tried = scores[((scores["failed"] + scores["survived"]) > 0) & ~scores["host"].isin(bad_hosts)]
    counted = attempts[~attempts["host"].isin(bad_hosts)]
    doubtful = _with_failing_tasks(counted)
    keys = pd.MultiIndex.from_frame(counted[["job", "kind"]])
    by_job = counted[keys.isin(doubtful)].groupby(["job", "kind"])
    for key, cells in tried.groupby(["job", "kind"], sort=False):
        if not cells["failed"].any():
            continue
        job = str(cells["job"].iloc[0])
        spread = _spread(cells, known, job)
        if key in doubtful and (spread is None or spread.verdict != "fires"):
            one_task = _one_task(by_job.get_group(key), _users(known, job))
            spread = one_task if one_task is not None else spread
        if spread is not None:
            yield spread


def skewed_jobs(
    scores: pd.DataFrame, jobs: pd.DataFrame, bad_hosts: Collection[str]
) -> Iterator[Signature]:
    """Jobs of which some nodes have far more data and take far longer (Theia, figures 9 and 12).

    Args:
        scores: of `score_nodes`.
        jobs: with the columns ``job`` and ``user``.
        bad_hosts: nodes with an infrastructure problem: that these are slow is not their data's.
    """
    known = jobs.set_index("job")
    medians = scores.groupby(["job", "kind"])[["attempt_seconds", "volume"]].transform("median")
    cells = scores.assign(
        longer=scores["attempt_seconds"] / medians["attempt_seconds"],
        more=scores["volume"] / medians["volume"],
        dark=far_above(scores, "duration"),
        large=far_above(scores, "volume"),
    )
    many = cells["nodes"] >= FEWEST_COMPARED.value
    far_and_much = (
        cells["dark"] & cells["large"]
        & (cells["longer"] > LEAST_RATIO.value) & (cells["more"] > LEAST_RATIO.value)
    )  # fmt: skip
    stark = (cells["longer"] > STARK_RATIO.value) & (cells["more"] > STARK_RATIO.value)
    skewed_here = np.where(many, far_and_much, stark & (cells["nodes"] > 1))
    hits = cells[skewed_here & ~cells["host"].isin(bad_hosts)]
    for (job, kind), skewed in hits.groupby(["job", "kind"], sort=False):
        peers = cells[(cells["job"] == job) & (cells["kind"] == kind)]
        yield _skew(skewed.sort_values("volume", ascending=False), peers, _users(known, str(job)))


def _spread(cells: pd.DataFrame, jobs: pd.DataFrame, job: str) -> Signature | None:
    red = cells[cells["failed"] > 0].sort_values("failed", ascending=False)
    failed, ended = int(cells["failed"].sum()), int((cells["failed"] + cells["survived"]).sum())
    share = len(red) / len(cells)
    why_not = None
    if share < SOME_NODES.value or failed < FAILING_SHARE.value * ended:
        return None
    if len(red) < FEWEST_FAILING.value:
        if job not in _failed(jobs) or share < MANY_NODES.value:
            return None
        why_not = "it failed on too few nodes to tell a fault of the job from one of the nodes"
    elif share < MANY_NODES.value:
        why_not = (
            "it failed on more nodes than are ever bad at once, and on fewer than a fault of the"
            " job would meet"
        )
    return Signature(
        kind="application",
        pattern="spread",
        verdict="fires" if why_not is None else "cannot tell",
        jobs=(job,),
        hosts=tuple(red["host"]),
        users=_users(jobs, job),
        task_kind=cast("_Kind", cells["kind"].iloc[0]),
        since_s=_moment(red["started_s"].min()),
        until_s=_moment(red["finished_s"].max()),
        figures=(
            Figure("failing nodes", len(red), "nodes"),
            Figure("nodes", len(cells), "nodes"),
            Figure("failed attempts", failed, "attempts"),
            Figure("attempts that ended", ended, "attempts"),
        ),
        why_not=why_not,
    )


def _with_failing_tasks(attempts: pd.DataFrame) -> set[tuple[str, str]]:
    """Jobs and kinds of which a task failed on several nodes: only these can have such a task."""
    failed = attempts[(attempts["state"] == "failed") & attempts["attempt"].notna()]
    hosts = failed.groupby(["job", "kind", _tasks_of(failed["attempt"])])["host"].nunique()
    several = hosts[hosts >= FEWEST_FAILING.value]
    return {(str(job), str(kind)) for job, kind, _ in several.index}


def _tasks_of(attempts: pd.Series[str]) -> pd.Series[str]:
    return attempts.str.rsplit("_", n=1).str[0]


def _one_task(rows: pd.DataFrame, users: tuple[str, ...]) -> Signature | None:
    """The task that failed on most nodes and never succeeded, if chance does not explain it."""
    ended = rows[rows["state"].isin(("failed", "succeeded")) & rows["attempt"].notna()]
    tasks = _tasks_of(ended["attempt"])
    by_task = ended.assign(task=tasks, ok=ended["state"] == "succeeded").groupby("task")
    summed = by_task.agg(ok=("ok", "sum"), tries=("ok", "size"), hosts=("host", "nunique"))
    never = summed[(summed["ok"] == 0) & (summed["hosts"] >= FEWEST_FAILING.value)]
    if never.empty:
        return None
    task = str(never.sort_values("hosts", ascending=False).index[0])
    mine = ended[tasks == task]
    tries = len(mine)
    others = ended[tasks != task]
    rate = ((others["state"] == "failed").sum() + 0.5) / (len(others) + 1)
    if len(summed) * rate**tries > CHANCE.value:
        return None
    return Signature(
        kind="application",
        pattern="one task",
        verdict="fires",
        jobs=(str(mine["job"].iloc[0]),),
        hosts=tuple(mine["host"].unique()),
        users=users,
        task_kind=cast("_Kind", mine["kind"].iloc[0]),
        task=task.replace("attempt_", "task_", 1),
        since_s=_moment(mine["started_s"].min()),
        until_s=_moment(mine["finished_s"].max()),
        figures=(
            Figure("failing nodes", mine["host"].nunique(), "nodes"),
            Figure("failed attempts", tries, "attempts"),
            Figure("tasks that never succeeded", len(never), "tasks"),
            Figure("tasks", len(summed), "tasks"),
        ),
    )


def _skew(skewed: pd.DataFrame, peers: pd.DataFrame, users: tuple[str, ...]) -> Signature:
    first = skewed.iloc[0]
    rank = int((peers["volume"] > first["volume"]).sum()) + 1
    nodes = len(peers)
    few = nodes < FEWEST_COMPARED.value
    return Signature(
        kind="skew",
        pattern="large and slow",
        verdict="cannot tell" if few else "fires",
        jobs=(str(first["job"]),),
        hosts=tuple(skewed["host"]),
        users=users,
        task_kind=cast("_Kind", first["kind"]),
        since_s=_moment(skewed["started_s"].min()),
        until_s=_moment(skewed["finished_s"].max()),
        figures=(
            Figure("large and slow nodes", len(skewed), "nodes"),
            Figure("nodes", nodes, "nodes"),
            Figure("rank of the largest", rank, "in the order of I/O"),
            Figure(
                "share of the I/O", float(skewed["volume"].sum() / peers["volume"].sum()), "share"
            ),
            Figure("data of the largest", float(first["more"]), "times the median"),
            Figure("duration of the largest", float(first["longer"]), "times the median"),
        ),
        why_not=f"of {nodes} nodes it is not known what is usual" if few else None,
    )


def _failed(jobs: pd.DataFrame) -> pd.Index[str]:
    return jobs.index[jobs["state"] == "failed"]


def _users(jobs: pd.DataFrame, job: str) -> tuple[str, ...]:
    user = jobs["user"].get(job)
    return (user,) if isinstance(user, str) else ()


def _moment(seconds: float) -> float | None:
    return None if np.isnan(seconds) else float(seconds)
