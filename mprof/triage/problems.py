"""What is wrong in a whole cluster: nodes that differ, jobs that fail anywhere, skewed data."""

from __future__ import annotations

import pandas as pd

from mprof.peers.findings import NodeFindings
from mprof.triage.answer import Finding
from mprof.triage.cluster import Cluster
from mprof.triage.failing_jobs import failing_jobs
from mprof.triage.node import sick_nodes
from mprof.triage.skew import skewed_jobs

__all__ = ["problems_of"]


def problems_of(
    cluster: Cluster, scores: pd.DataFrame, nodes: NodeFindings | None
) -> tuple[Finding, ...]:
    """Every finding; of each kind those that fire first."""
    jobs = cluster.jobs
    named = [] if nodes is None else [*sick_nodes(nodes)]
    found = (
        named,
        failing_jobs(
            scores,
            cluster.attempts,
            set(jobs.loc[jobs["state"] == "failed", "job"]),
            {host for one in named if one.confidence is not None for host in one.hosts},
        ),
        skewed_jobs(cluster.attempts),
    )
    return tuple(
        one for kind in found for one in sorted(kind, key=lambda one: one.confidence is None)
    )
