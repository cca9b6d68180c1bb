"""One job: is it the application, its data, its settings, its memory, or a node?

Each branch is asked for itself and answers *fires*, *silent* or *cannot tell*; those that fire are
ranked. Memory hands over to the diagnosis, the node to the detectors of `mprof.peers`.
"""

from mprof.triage.asking import triage
from mprof.triage.facts import JobFacts, facts_of
from mprof.triage.model import (
    BRANCHES,
    Branch,
    BranchName,
    Figure,
    Finding,
    JobSummary,
    Lane,
    LaneAttempt,
    NextStep,
    Timeline,
    Triage,
)
from mprof.triage.node import Comparing
from mprof.triage.triaging import triage_job

__all__ = [
    "BRANCHES",
    "Branch",
    "BranchName",
    "Comparing",
    "Figure",
    "Finding",
    "JobFacts",
    "JobSummary",
    "Lane",
    "LaneAttempt",
    "NextStep",
    "Timeline",
    "Triage",
    "facts_of",
    "triage",
    "triage_job",
]
