"""What is said of a job: five branches, each with its verdict, its evidence and the next step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from mprof.patterns import Confidence

__all__ = [
    "BRANCHES",
    "Branch",
    "BranchName",
    "Figure",
    "Finding",
    "JobSummary",
    "Lane",
    "LaneAttempt",
    "NextStep",
    "Timeline",
    "Triage",
    "Verdict",
]

BranchName = Literal["memory", "application", "data skew", "node", "settings"]
Verdict = Literal["fires", "silent", "cannot tell"]

BRANCHES: Final[tuple[BranchName, ...]] = (
    "memory", "application", "data skew", "node", "settings",
)  # fmt: skip
"""In the order in which equal ones are told."""

_CONFIDENCES: Final[tuple[Confidence, ...]] = ("sure", "likely", "possible")


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number of the evidence.

    Attributes:
        name: what it measures: ``largest task``.
        value: in the unit.
        unit: ``s``, ``B``, ``attempts``, ``share``, ``times``.
        usual: the same of those that it is compared with; None where it is compared with nothing.
    """

    name: str
    value: float
    unit: str
    usual: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that speaks for a branch, of one job or of a whole cluster.

    Attributes:
        id: of its kind: ``large_task``.
        sentence: the evidence, every number of it measured.
        confidence: how sure it is that this is what is wrong; None where the evidence does not
            separate it from another cause, as ``why_not`` says.
        ended_job: it is why the job failed.
        seconds: time of tasks that it cost, s; None where that cannot be measured.
        hosts: the nodes concerned, the worst first.
        attempts: ids of the attempts concerned, the worst first.
        figures: what the sentence was filled with, and more.
        job: the job concerned; None of nodes.
        kind: ``map`` or ``reduce`` where only one is concerned.
        since_s: when it began, seconds since the epoch; None where that is not known.
        until_s: when it ended.
        why_not: why it cannot be told, a phrase.
    """

    id: str
    sentence: str
    confidence: Confidence | None
    ended_job: bool = False
    seconds: float | None = None
    hosts: tuple[str, ...] = ()
    attempts: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    job: str | None = None
    kind: str | None = None
    since_s: float | None = None
    until_s: float | None = None
    why_not: str | None = None


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do about a branch.

    Attributes:
        text: one sentence.
        command: that does it, or tells more; None where no command does.
    """

    text: str
    command: str | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """One answer to the question what is wrong with a job.

    Attributes:
        findings: the evidence, the strongest first; empty unless it fires.
        why: of a silent branch, why it is none of it; of one that cannot tell, what is missing.
        left_out: what was not held against it, and why: a sentence each.
        step: what to do next; None where there is nothing to do.
    """

    name: BranchName
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    why: str | None = None
    left_out: tuple[str, ...] = ()
    step: NextStep | None = None

    @property
    def confidence(self) -> Confidence | None:
        """That of its surest finding; None unless it fires."""
        said = {one.confidence for one in self.findings}
        return next((each for each in _CONFIDENCES if each in said), None)

    @property
    def ended_job(self) -> bool:
        """Whether it is why the job failed."""
        return any(one.ended_job for one in self.findings)

    @property
    def seconds(self) -> float | None:
        """The most time of tasks that one of its findings cost, s; None where none was measured.

        Findings of a branch may speak of the same attempts, so their times are not added up.
        """
        return max((one.seconds for one in self.findings if one.seconds is not None), default=None)


@dataclass(frozen=True, slots=True)
class JobSummary:
    """The job in question; None for what its history does not say.

    Attributes:
        id: of the job.
        state: ``succeeded``, ``failed``, ``error``, ``killed``, or ``running``: no end is recorded.
        submitted_s: when it was submitted, seconds since the epoch.
        seconds: from its launch to its end, or to the last thing known of it.
        hosts: number of nodes on which it ran anything.
        maps: attempts of map tasks.
        reduces: attempts of reduce tasks.
        failed: attempts that failed.
        killed: attempts that were killed.
        task_seconds: time of all attempts, s.
    """

    id: str
    name: str | None
    user: str | None
    state: str
    submitted_s: float | None
    seconds: float | None
    hosts: int
    maps: int
    reduces: int
    failed: int
    killed: int
    task_seconds: float

    @property
    def is_running(self) -> bool:
        """Whether no end of it is recorded."""
        return self.state == "running"

    @property
    def has_failed(self) -> bool:
        """Whether it came to an end that nobody wanted."""
        return self.state in {"failed", "error"}


@dataclass(frozen=True, slots=True)
class LaneAttempt:
    """One attempt in the picture of a job.

    Attributes:
        is_map: of a map task, else of a reduce task.
        state: how it ended, in the words of its history; ``running`` where no end is recorded.
        start_s: after the start of the picture, s.
        marked: a finding names it.
    """

    attempt: str
    is_map: bool
    state: str
    start_s: float
    seconds: float
    marked: bool


@dataclass(frozen=True, slots=True)
class Lane:
    """One node in the picture of a job; ``marked``: a finding names it."""

    host: str
    marked: bool
    attempts: tuple[LaneAttempt, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """The attempts of a job over time, a lane a node.

    Attributes:
        seconds: from the start of the first attempt to the last thing known of the job.
        lanes: the nodes that findings name, then the busiest.
        hidden: nodes that are not shown.
    """

    seconds: float
    lanes: tuple[Lane, ...]
    hidden: int


@dataclass(frozen=True, slots=True)
class Triage:
    """Application, data skew, settings, memory, or node?

    Attributes:
        job: the job in question.
        branches: all five: those that fire first, the most likely before the others, then those
            that cannot tell, then the silent ones.
        losses: what could not be read, a sentence each.
        timeline: its attempts over time; None where no time of any is known.
    """

    job: JobSummary
    branches: tuple[Branch, ...]
    losses: tuple[str, ...] = ()
    timeline: Timeline | None = None

    @property
    def fired(self) -> tuple[Branch, ...]:
        """The branches that fire, the most likely first."""
        return tuple(one for one in self.branches if one.verdict == "fires")

    def branch(self, name: BranchName) -> Branch:
        """The branch of that name."""
        return next(one for one in self.branches if one.name == name)
