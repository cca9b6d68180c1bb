"""The application: its tasks fail wherever they run, with the same error.

A sick machine makes no difference between jobs, and a fault in the code makes none between
machines. An error that occurs on several nodes is the job's fault. If only one node has met the
error, this job alone cannot decide, unless the same tasks succeeded elsewhere: then it is the
node's fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

import pandas as pd

from mprof.patterns import Confidence
from mprof.threshold import Threshold
from mprof.triage.answer import Branch, Figure, Finding, NextStep
from mprof.triage.facts import JobFacts

__all__ = ["THRESHOLDS", "application_branch", "failed_by_the_application"]

MANY_NODES: Final = Threshold(
    "triage.failing-nodes", 3, "nodes that met the same error",
    "one may be sick, and two may be chance",
)  # fmt: skip

THRESHOLDS: Final = (MANY_NODES,)

_OF_CODE: Final = frozenset({"application", "timeout"})


def application_branch(facts: JobFacts, wherever: Iterable[Finding] = ()) -> Branch:
    """Whether tasks fail with the same error on several nodes, or on all that tried them.

    Args:
        facts: of the job.
        wherever: what `failing_jobs` says of it, which looks at no diagnostics.
    """
    groups = _groups(facts)
    findings = [
        found for signature, rows in groups.items() if (found := _finding(facts, signature, rows))
    ]
    kinds = {failure.kind for failure in facts.failures.values()}
    if findings or (kinds and kinds != {"memory"}):
        has_errors = bool(findings)
        findings += [
            replace(
                one,
                confidence="sure" if has_errors else one.confidence,
                ended_job=facts.job.has_failed,
            )
            for one in wherever
            if one.confidence is not None
        ]
    if findings:
        order = sorted(findings, key=lambda one: (not one.ended_job, -len(one.attempts)))
        return Branch("application", "fires", tuple(order), step=_step(facts))
    return _silent(facts, groups)


def failed_by_the_application(facts: JobFacts) -> frozenset[str]:
    """Attempts that failed by no fault of their node: for lack of memory, or as everywhere."""
    memory = {each for each, failure in facts.failures.items() if failure.kind == "memory"}
    for signature, rows in _groups(facts).items():
        if _finding(facts, signature, rows) is not None and len(set(rows["host"])) > 1:
            memory |= set(rows["attempt"])
    return frozenset(memory)


def _groups(facts: JobFacts) -> Mapping[str, pd.DataFrame]:
    """The attempts that failed by each error of Java, or by a timeout."""
    told = {a: one.signature for a, one in facts.failures.items() if one.kind in _OF_CODE}
    rows = facts.failed()
    rows = rows[rows["attempt"].isin(told)]
    return {str(name): part for name, part in rows.groupby(rows["attempt"].map(told), sort=True)}


def _finding(facts: JobFacts, signature: str, rows: pd.DataFrame) -> Finding | None:
    hosts = tuple(str(host) for host in rows["host"].dropna().value_counts().index)
    tasks = set(rows["task"])
    lost = tasks & facts.lost_tasks
    only_node = facts.job.hosts <= 1
    if len(hosts) < 2 and not only_node:
        return None
    confidence: Confidence = "possible"
    if not only_node:
        confidence = "sure" if len(hosts) >= MANY_NODES.value and lost else "likely"
    ended = facts.job.has_failed and bool(lost)
    noun = "attempt" if len(rows) == 1 else "attempts"
    task_noun = "task" if len(tasks) == 1 else "tasks"
    where = f"{len(hosts):,} nodes" if len(hosts) > 1 else "the only node of the job"
    never = f", of which {len(lost):,} never succeeded," if lost and len(tasks) > 1 else ""
    never = ", which never succeeded," if lost and len(tasks) == 1 else never
    first = facts.failures[str(rows["attempt"].iloc[0])].quoted
    return Finding(
        id="timeouts" if signature.startswith("no progress") else "same_error",
        sentence=(
            f"{len(rows):,} {noun} of {len(tasks):,} {task_noun}{never} failed on {where} with"
            f" {signature}: {first.rstrip('.')}."
        ),
        confidence=confidence,
        ended_job=ended,
        seconds=float(rows["seconds"].sum()),
        hosts=hosts,
        attempts=tuple(rows["attempt"]),
        figures=(
            Figure("failed attempts", len(rows), "attempts"),
            Figure("failed tasks", len(tasks), "tasks"),
            Figure("tasks that never succeeded", len(lost), "tasks"),
            Figure("nodes that met the error", len(hosts), "nodes", facts.job.hosts),
        ),
    )


def _silent(facts: JobFacts, groups: Mapping[str, pd.DataFrame]) -> Branch:
    kinds = [failure.kind for failure in facts.failures.values()]
    logs = NextStep("The logs of the attempts would show why.", facts.diagnose_command)
    unknown = kinds.count("not known")
    if unknown:
        return Branch(
            "application",
            "cannot tell",
            why=f"{unknown:,} attempt{'s'[: unknown != 1]} failed or had to be killed without an"
            " error that says why",
            step=logs,
        )
    if facts.job.has_failed and not facts.job.failed:
        return Branch(
            "application",
            "cannot tell",
            why="the job failed and none of its attempts did: its set-up, its commit or its"
            " application master did",
            step=logs,
        )
    remarks = [
        f"{len(rows):,} failed with {signature} on {rows['host'].iloc[0]} alone"
        for signature, rows in groups.items()
    ]
    if remarks:
        lost = any(set(rows["task"]) & facts.lost_tasks for rows in groups.values())
        if lost:
            return Branch(
                "application",
                "cannot tell",
                why="; ".join(remarks) + ": tasks that no other node has tried",
                step=logs,
            )
        return Branch(
            "application",
            "silent",
            why="; ".join(remarks) + ", and the same tasks succeeded elsewhere",
        )
    if "memory" in kinds:
        return Branch(
            "application", "silent", why="what failed, failed for lack of memory: see memory"
        )
    so_far = " so far" if facts.job.is_running else ""
    why = "what failed, failed by its node" if kinds else f"no attempt failed{so_far}"
    return Branch("application", "silent", why=why)


def _step(facts: JobFacts) -> NextStep:
    return NextStep(
        "Read the stack of a failed attempt in its log, starting with the first one.",
        facts.logs_command,
    )
