"""Whose fault it is: the application's, its data's, its settings', its memory's, or a node's.

Of one job (`triage`) each branch is asked for itself and answers *fires*, *silent* or *cannot
tell*; those that fire are ranked. Memory hands over to the diagnosis, the node to the detectors of
`mprof.peers`. Of all jobs of a store (`problems_of`) the same is asked as far as no diagnosis and
no counters are needed for it. Both give a `Finding` a piece of evidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mprof.lazy_imports import import_on_demand

if TYPE_CHECKING:
    from mprof.triage.answer import (
        Branch,
        BranchName,
        Figure,
        Finding,
        JobSummary,
        LaneAttempt,
        Timeline,
        Triage,
    )
    from mprof.triage.cluster import Cluster, cluster_of
    from mprof.triage.node import Comparing
    from mprof.triage.problems import problems_of
    from mprof.triage.subject import triage

__all__ = [
    "Branch",
    "BranchName",
    "Cluster",
    "Comparing",
    "Figure",
    "Finding",
    "JobSummary",
    "LaneAttempt",
    "Timeline",
    "Triage",
    "cluster_of",
    "problems_of",
    "triage",
]

if not TYPE_CHECKING:  # with it, a name that does not exist would be any type
    __getattr__ = import_on_demand(__name__)
