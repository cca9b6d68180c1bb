"""The signatures of a cluster: whose problem each pattern is."""

from __future__ import annotations

import pandas as pd

from mprof.signatures.cluster import Cluster
from mprof.signatures.jobs import application_problems, skewed_jobs
from mprof.signatures.machines import bad_machines
from mprof.signatures.scores import score_nodes
from mprof.signatures.signature import Signature

__all__ = ["find_signatures"]


def find_signatures(cluster: Cluster, scores: pd.DataFrame | None = None) -> tuple[Signature, ...]:
    """Every signature that fires or cannot tell; what is silent is not there.

    Machines are judged first: what fails on a node that fails everyone's attempts is not held
    against a job.

    Args:
        cluster: of `cluster_of`. Of one job alone no machine can be told.
        scores: of `score_nodes` for its attempts; computed where None.

    Returns:
        Infrastructure problems (racks, nodes), application problems, skew; of each those that fire
        first.
    """
    if scores is None:
        scores = score_nodes(cluster.attempts)
    users = cluster.jobs.dropna(subset="user").set_index("job")["user"]
    machines = tuple(bad_machines(scores, users, cluster.racks))
    bad = {host for one in machines if one.verdict == "fires" for host in one.hosts}
    found = (
        *machines,
        *application_problems(scores, cluster.attempts, cluster.jobs, bad),
        *skewed_jobs(scores, cluster.jobs, bad),
    )
    order = ("infrastructure", "application", "skew")
    return tuple(sorted(found, key=lambda one: (order.index(one.kind), one.verdict != "fires")))
