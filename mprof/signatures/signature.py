"""A signature: one pattern that says whose problem it is, with the figures that say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from mprof.signatures.scores import CHANCE
from mprof.threshold import Threshold

__all__ = ["THRESHOLDS", "Figure", "Signature"]

MANY_NODES: Final = Threshold(
    "signatures.many-nodes", 0.5, "share of the nodes of a job",
    "what most of the machines fail at, most of the machines are not to blame for",
)  # fmt: skip

SOME_NODES: Final = Threshold(
    "signatures.some-nodes", 0.2, "share of the nodes of a job",
    "more machines than are ever bad at once, fewer than a fault in the code would meet",
)  # fmt: skip

FEWEST_FAILING: Final = Threshold(
    "signatures.fewest-failing", 3, "nodes",
    "one is a single node, and two may share a rack, a switch or chance",
)  # fmt: skip

FAILING_SHARE: Final = Threshold(
    "signatures.failing-share", 0.05, "share of the attempts that failed",
    "in many waves a rare fault meets every node too; below one attempt in twenty the repetitions"
    " cost less than the job's own variation",
)  # fmt: skip

LEAST_RATIO: Final = Threshold(
    "signatures.least-ratio", 1.5, "times the median of the nodes",
    "half as long or half as much again is what an owner of a job notices; a statistic alone would"
    " call a second in a minute far, where all the others are equal",
)  # fmt: skip

STARK_RATIO: Final = Threshold(
    "signatures.stark-ratio", 3.0, "times the median of the nodes",
    "too few nodes to say what is usual: only what nobody would call usual is worth a remark",
)  # fmt: skip

FEWEST_COMPARED: Final = Threshold(
    "signatures.fewest-compared", 5, "nodes of a job",
    "the median absolute deviation of four values is decided by two of them",
)  # fmt: skip

FEWEST_JOBS: Final = Threshold(
    "signatures.fewest-jobs", 2, "jobs",
    "a fault of one job stays with that job",
)  # fmt: skip

FEWEST_USERS: Final = Threshold(
    "signatures.fewest-users", 2, "users",
    "all jobs of one user may have the same fault; a machine does not know whose job it runs",
)  # fmt: skip

BAD_SHARE_OF_RACK: Final = Threshold(
    "signatures.bad-share-of-rack", 0.5, "share of the nodes of a rack",
    "what most of a rack has in common is what the rack shares: its switch or its power",
)  # fmt: skip

THRESHOLDS: Final = (
    CHANCE, MANY_NODES, SOME_NODES, FEWEST_FAILING, FAILING_SHARE, LEAST_RATIO, STARK_RATIO,
    FEWEST_COMPARED, FEWEST_JOBS, FEWEST_USERS, BAD_SHARE_OF_RACK,
)  # fmt: skip
"""Every number that decides."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number of the evidence.

    Attributes:
        name: what it counts: ``failing nodes``.
        value: in the unit.
        unit: ``nodes``, ``attempts``, ``share``, ``times the median``, ``chance``.
    """

    name: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Signature:
    """One pattern in how nodes fared with jobs.

    Attributes:
        kind: ``application``: the code or the settings of the job; ``skew``: its data;
            ``infrastructure``: machines.
        pattern: ``spread``: failures on most nodes of a job; ``one task``: a task that failed on
            every node that tried it; ``large and slow``: nodes of a job with much more data that
            take much longer; ``node``: a node that fares badly with jobs of several users;
            ``rack``: a rack of which most nodes do.
        verdict: ``fires``, or ``cannot tell``: the pattern is there, and the evidence does not
            separate it from another cause, as ``why_not`` says. What is silent has no signature.
        jobs: those concerned, in order of submission.
        task_kind: ``map`` or ``reduce`` where only one is concerned.
        hosts: the nodes concerned, the worst first.
        users: whose jobs these are; unknown ones are left out.
        rack: the rack, of the pattern ``rack``.
        task: id of the task, of the pattern ``one task``.
        since_s: when the first attempt concerned started, seconds since the epoch.
        until_s: when the last one ended.
        figures: the evidence.
        why_not: why it cannot tell, None where it fires.
    """

    kind: Literal["application", "skew", "infrastructure"]
    pattern: Literal["spread", "one task", "large and slow", "node", "rack"]
    verdict: Literal["fires", "cannot tell"]
    jobs: tuple[str, ...]
    hosts: tuple[str, ...]
    users: tuple[str, ...]
    figures: tuple[Figure, ...]
    task_kind: Literal["map", "reduce"] | None = None
    rack: str | None = None
    task: str | None = None
    since_s: float | None = None
    until_s: float | None = None
    why_not: str | None = None

    def figure(self, name: str) -> float:
        """The value of one of its figures.

        Raises:
            KeyError: if it has none of that name.
        """
        for each in self.figures:
            if each.name == name:
                return each.value
        raise KeyError(name)
