"""From the facts about a job to the five branches, ranked: the whole of a triage on one screen."""

from __future__ import annotations

from typing import Final

from mprof.peers.tables.job_scores import score_nodes
from mprof.triage.answer import BRANCHES, Branch, Triage
from mprof.triage.application import application_branch, failed_by_the_application
from mprof.triage.facts import JobFacts
from mprof.triage.failing_jobs import failing_jobs
from mprof.triage.memory import memory_branch
from mprof.triage.node import Comparing, compare_nodes, node_branch
from mprof.triage.settings import settings_branch
from mprof.triage.skew import large_attempts, skew_branch
from mprof.triage.timeline import timeline_of

__all__ = ["triage_job"]

_VERDICTS: Final = ("fires", "cannot tell", "silent")
_CONFIDENCES: Final = ("sure", "likely", "possible", None)


def triage_job(
    facts: JobFacts, losses: tuple[str, ...] = (), comparing: Comparing | None = None
) -> Triage:
    """Ask all branches, and put those that fire first.

    What ended the job comes before what slowed it down, then what is surer, then what cost more
    time. What memory, the code or the data explain is not held against a node.
    """
    nodes = compare_nodes(facts, comparing or Comparing())
    explained = failed_by_the_application(facts) | large_attempts(facts)
    wherever = failing_jobs(
        score_nodes(facts.attempts),
        facts.attempts[facts.attempts["host"].notna()],
        {facts.job.id} if facts.job.has_failed else (),
        {one.host for one in nodes.suspects},
    )
    branches = (
        memory_branch(facts),
        application_branch(facts, wherever),
        skew_branch(facts),
        node_branch(facts, nodes, explained),
        settings_branch(facts),
    )
    ranked = tuple(sorted(branches, key=_rank))
    return Triage(facts.job, ranked, losses, timeline_of(facts, ranked))


def _rank(branch: Branch) -> tuple[int, bool, int, float, int]:
    return (
        _VERDICTS.index(branch.verdict),
        not branch.ended_job,
        _CONFIDENCES.index(branch.confidence),
        -(branch.seconds or 0.0),
        BRANCHES.index(branch.name),
    )
