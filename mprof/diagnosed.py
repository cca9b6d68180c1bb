"""A diagnosis as values: the causes, what is not known, what to change, and the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mprof.advised import Advised
from mprof.code_site import CodeSite
from mprof.evidence import Evidence, HolderKey, is_heap_death, known
from mprof.job_run import JobRun
from mprof.messages import Message, Reading
from mprof.objects import HeapObjects
from mprof.patterns import ChildUse, ContainerUse, Patterns, Steepest
from mprof.rules import CannotTell, Fires, Rule, Verdict

__all__ = ["Advice", "Cause", "Conclusion", "Diagnosed", "Diagnosis", "End", "ReadCode", "Said"]

End = Literal["end unknown", "finished", "died"]
Conclusion = Literal[
    "causes",
    "no failure seen",
    "not memory",
    "application master",
    "not the heap",
    "pipe thread",
    "no task",
    "undecided",
    "no rule fires",
]
"""That causes are named, or why none is."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A rule that fired."""

    rule: Rule
    finding: Fires

    @property
    def cause(self) -> str:
        """Its id."""
        return self.rule.cause

    @property
    def confidence(self) -> str:
        """`sure`, `likely` or `possible`."""
        return self.finding.confidence


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the death, or a leak that is known, and what it says of this death."""

    message: Message
    reading: Reading


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing to change.

    Attributes:
        cause: the cause it removes, or the id of the message that proves what is wrong.
        kind: a setting, or a change of code or of data.
        text: one or two sentences.
        property: of a setting.
        old: its value, None where it was not set.
        new: its value to be.
        predicted_peak_bytes: live bytes at the peak with it, None where no model says.
        first_aid: it lets the task go on for a while, and removes no cause.
    """

    cause: str
    kind: Literal["setting", "code", "data"]
    text: str
    property: str | None = None
    old: str | None = None
    new: str | None = None
    predicted_peak_bytes: int | None = None
    first_aid: bool = False


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the rules said, and what it comes to.

    Attributes:
        verdicts: of every rule, by cause id, in the catalogue's order.
        causes: those named, the one that explains most bytes first.
        unknown: rules that cannot tell, and what they miss; empty where no cause is sought.
        error_related_data: the steepest growth, where no rule fires and no pipe thread died; it is
            no cause.
        container: where the memory of a container was that was killed for it, else None.
        child: which process ran out of memory, of a task that ran a child program; else None.
        room: how the container differs from the plain job's, and what became of the task in the
            runs where it had another, one sentence each.
        said: what the death's own message proves or suggests, where no cause was measured for the
            same, and the known leaks that its frames and holders are of.
        advice: filled in by package `advice`.
    """

    verdicts: Mapping[str, Verdict]
    causes: tuple[Cause, ...]
    unknown: tuple[tuple[Rule, CannotTell], ...]
    error_related_data: Steepest | None
    container: ContainerUse | None = None
    child: ChildUse | None = None
    room: tuple[str, ...] = ()
    said: tuple[Said, ...] = ()
    advice: tuple[Advice, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadCode:
    """What the job's own code says, as far as it was at hand.

    Attributes:
        fills: by holder, where its code adds to the container, in the order of the lines.
        text: what stands in a line of the source, without its indentation.
    """

    fills: Mapping[HolderKey, tuple[CodeSite, ...]] = field(default_factory=dict)
    text: Mapping[CodeSite, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """A diagnosis with the evidence it stands on.

    Attributes:
        losses: what could not be read, one sentence each.
        runs: the job as each run left it, oldest first: what the facts were taken from.
        advised: what came of the newest run with the advised settings; None where there was none.
        code: what the code says of the lines that are named; empty where none was at hand.
    """

    diagnosis: Diagnosis
    evidence: Evidence
    patterns: Patterns
    losses: tuple[str, ...] = ()
    runs: tuple[JobRun, ...] = field(default=(), repr=False)
    advised: Advised | None = None
    code: ReadCode = ReadCode()

    @property
    def heap_at_death(self) -> HeapObjects | None:
        """The snapshot that the evidence took for the heap at death, None where there is none.

        The last one before the death may stand for a dump at death that is missing or came late.
        """
        attempt, name = self.evidence.attempt.attempt_id or "", self.evidence.death_snapshot
        every = (each for run in self.runs for each in run.snapshots.get(attempt, ()))
        return next((each for each in every if each.point.name == name), None)

    @property
    def end(self) -> End:
        """Whether it died, finished, or left nothing that says how it ended."""
        job, attempt = self.evidence.job, self.evidence.attempt
        if self.evidence.death.kind != "none":
            return "died"
        finished = job.state == "SUCCEEDED" or (job.state is None and attempt.finished)
        return "finished" if finished else "end unknown"

    @property
    def conclusion(self) -> Conclusion:
        """What the verdicts come to."""
        diagnosis, kind = self.diagnosis, self.evidence.death.kind
        if diagnosis.causes:
            return "causes"
        if kind in {"none", "not-memory"}:
            return "no failure seen" if kind == "none" else "not memory"
        if kind == "application-master":
            return "application master"
        if diagnosis.child is not None and diagnosis.child.place == "pipe_thread":
            return "pipe thread"
        if self.evidence.program is not None or self.evidence.death.program is not None:
            return "no task"
        if diagnosis.unknown:
            return "undecided"
        return "no rule fires" if is_heap_death(self.evidence) else "not the heap"

    @property
    def hangs_on_verification(self) -> bool:
        """Whether a run with R_n only would decide a verdict."""
        if not is_heap_death(self.evidence) or _is_verified(self.evidence):
            return False
        one_record = self.diagnosis.verdicts["large_intermediate_results"]
        return isinstance(one_record, Fires) or any(
            verdict.run_that_would_tell == "verify" for _, verdict in self.diagnosis.unknown
        )


def _is_verified(evidence: Evidence) -> bool:
    """Whether R_n was run alone or not met again; that its group was counted is not enough."""
    return known(evidence.verification) is not None
