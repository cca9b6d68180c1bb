"""Read this first: from what was recorded to a diagnosis, on one screen.

::

    runs ─assemble→ Evidence ─ask rules→ Verdicts ─name causes→ Diagnosis ─→ advice, report

`assemble` (package `evidence`) joins heap snapshots, event logs and the dataflow of the whole job
into facts about one failed attempt. Each rule answers *fires*, *silent* or *cannot tell*.
Verdicts are computed whatever the outcome of the job; causes are named for a memory death only.
`advice` stands above this file: it takes a diagnosis and computes settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from mprof.evidence import Evidence, Unknown, known
from mprof.evidence.assemble import assemble
from mprof.job_run import JobRun
from mprof.objects import HeapObjects
from mprof.patterns import Patterns, Steepest, find_patterns, steepest_growth
from mprof.rules import (
    HEAP_KINDS,
    CannotTell,
    Fires,
    Rule,
    Verdict,
    ask_all,
    rule_of,
)
from mprof.trace import parse_attempt_id

__all__ = ["Advice", "Cause", "Diagnosed", "Diagnosis", "diagnose", "diagnose_runs"]


def diagnose_runs(runs: Sequence[JobRun]) -> Diagnosed:
    """Diagnose one job from everything that was recorded of it, oldest first."""
    evidence = _most_telling(runs)
    losses = [loss for one in runs for loss in one.losses]
    losses += _losses_of_the_attempt(runs, evidence)
    losses += _shown_is_older(runs, evidence)
    return replace(diagnose(evidence, tuple(dict.fromkeys(losses))), runs=tuple(runs))


def diagnose(evidence: Evidence, losses: tuple[str, ...] = ()) -> Diagnosed:
    """Find the patterns in the facts, ask every rule, and name the causes."""
    patterns = find_patterns(evidence)
    verdicts = ask_all(evidence, patterns)
    memory = _is_memory_death(evidence)
    causes = _named(verdicts) if memory else ()
    diagnosis = Diagnosis(
        verdicts=verdicts,
        causes=causes,
        unknown=_unknown(verdicts) if memory else (),
        error_related_data=steepest_growth(evidence) if memory and not causes else None,
    )
    return Diagnosed(diagnosis, evidence, patterns, losses)


def _most_telling(runs: Sequence[JobRun]) -> Evidence:
    """Evidence of the newest run, of an older one where the newest left no heap to look at.

    A dump may come too late (another thread met the OutOfMemoryError) or not at all (a full disk);
    the run before is then the better witness.
    """
    newest = assemble(runs)
    evidence, left = newest, list(runs)
    while isinstance(evidence.holders, Unknown) and not any(
        one.source == "dump" for one in evidence.series
    ):
        runs = [one for one in left if one.mode != "verify"]
        if len(runs) < 2 or not _is_memory_death(evidence):
            return newest
        left.remove(runs[-1])
        evidence = assemble(left)
    return evidence


def _losses_of_the_attempt(runs: Sequence[JobRun], evidence: Evidence) -> list[str]:
    """What the log, the agent and the dump at death of an attempt that died say they lack."""
    shown = evidence.attempt.attempt_id if evidence.death.kind != "none" else None
    found: list[str] = []
    for one in runs if shown is not None else ():
        for trace in one.traces:
            found += trace.losses if trace.attempt_id == shown else ()
        for snapshot in one.snapshots.get(shown or "", ()):
            found += snapshot.losses if snapshot.point.at_death else ()
    return found


def _shown_is_older(runs: Sequence[JobRun], evidence: Evidence) -> list[str]:
    """That the attempt shown is of an older run than the newest, where it is."""
    jobs = [one.job_id for one in runs if one.mode != "verify"]
    attempt = parse_attempt_id(evidence.attempt.attempt_id)
    shown = attempt.job_id if attempt is not None else None
    if shown is None or shown not in jobs[:-1] or jobs[-1] in {shown, None}:
        return []
    newest = [one for one in runs if one.job_id == jobs[-1]][-1]
    why = "succeeded" if newest.state == "SUCCEEDED" else "tells less of a death of memory"
    return [f"the newest run, {jobs[-1]}, {why}: what is shown is of {shown}, recorded before it"]


def _is_memory_death(evidence: Evidence) -> bool:
    """Whether the Java heap is what ran out.

    A container killed for physical memory counts when live objects were at least half of what
    it was granted: then the heap, not native memory, is what filled it.
    """
    if evidence.death.kind in HEAP_KINDS:
        return True
    live, container = known(evidence.memory.live_bytes_at_death), known(
        evidence.memory.container_bytes
    )  # fmt: skip
    physical = evidence.death.kind == "container-physical"
    return physical and live is not None and container is not None and 2 * live >= container


def _is_verified(evidence: Evidence) -> bool:
    """Whether R_n was run alone or not met again; that its group was counted is not enough."""
    found = known(evidence.verification)
    if found is None or found.met or not isinstance(found.growth_bytes, Unknown):
        return found is not None
    return found.growth_bytes.run_that_would_tell != "verify"


def _named(verdicts: Mapping[str, Verdict]) -> tuple[Cause, ...]:
    """What fired, by the bytes it explains; equal ones in the order of the paper's numbers."""
    fired = [
        Cause(rule_of(cause), verdict)
        for cause, verdict in verdicts.items()
        if isinstance(verdict, Fires)
    ]
    return tuple(sorted(fired, key=lambda one: -(one.finding.bytes or 0)))


def _unknown(verdicts: Mapping[str, Verdict]) -> tuple[tuple[Rule, CannotTell], ...]:
    return tuple(
        (rule_of(cause), verdict)
        for cause, verdict in verdicts.items()
        if isinstance(verdict, CannotTell)
    )


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
class Advice:
    """One thing to change.

    Attributes:
        cause: the cause it removes.
        kind: a setting, or a change of code or of data.
        text: one or two sentences.
        property: of a setting.
        old: its value, None where it was not set.
        new: its value to be.
        predicted_peak_bytes: live bytes at the peak with it, None where no model says.
    """

    cause: str
    kind: Literal["setting", "code", "data"]
    text: str
    property: str | None = None
    old: str | None = None
    new: str | None = None
    predicted_peak_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the rules said, and what it comes to.

    Attributes:
        verdicts: of every rule, by cause id, in the catalogue's order.
        causes: those named, the one that explains most bytes first.
        unknown: rules that cannot tell, and what they miss; empty where no cause is sought.
        error_related_data: the steepest growth, where no rule fires; it is no cause.
        advice: filled in by package `advice`.
    """

    verdicts: Mapping[str, Verdict]
    causes: tuple[Cause, ...]
    unknown: tuple[tuple[Rule, CannotTell], ...]
    error_related_data: Steepest | None
    advice: tuple[Advice, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """A diagnosis with the evidence it stands on.

    Attributes:
        diagnosis: what was concluded.
        evidence: the facts.
        patterns: what was found in them.
        losses: what could not be read, one sentence each.
        runs: the job as each run left it, oldest first: what the facts were taken from.
    """

    diagnosis: Diagnosis
    evidence: Evidence
    patterns: Patterns
    losses: tuple[str, ...] = ()
    runs: tuple[JobRun, ...] = field(default=(), repr=False)

    @property
    def heap_at_death(self) -> HeapObjects | None:
        """The snapshot that the evidence took for the heap at death, None where there is none.

        It is known by its size. The dump at death will not do: one that was made too late tells
        nothing, and the last one before the death may stand for one that is missing.
        """
        if isinstance(self.evidence.holders, Unknown):
            return None
        attempt, size = self.evidence.attempt.attempt_id, self.evidence.memory.live_bytes_at_death
        every = (each for run in self.runs for each in run.snapshots.get(attempt or "", ()))
        same = (each for each in every if each.live_bytes == size)
        return max(same, key=lambda each: each.point.at_death, default=None)

    @property
    def hangs_on_verification(self) -> bool:
        """Whether a run with R_n only would decide a verdict."""
        if not _is_memory_death(self.evidence) or _is_verified(self.evidence):
            return False
        one_record = self.diagnosis.verdicts["large_intermediate_results"]
        return isinstance(one_record, Fires) or any(
            verdict.run_that_would_tell == "verify" for _, verdict in self.diagnosis.unknown
        )
