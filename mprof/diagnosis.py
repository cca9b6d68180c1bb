"""Read this first: from what was recorded to a diagnosis, on one screen.

::

    runs ─assemble→ Evidence ─find→ Patterns ─ask rules→ Verdicts ─name causes→ Diagnosed ─→ advice

`assemble` (package `evidence`) joins heap snapshots, event logs and the dataflow of the whole job
into facts about one failed attempt; package `patterns` finds in them what rules are stated over.
Each rule answers *fires*, *silent* or *cannot tell*, whatever the outcome of the job; causes are
named for a death of the heap only. `advice` stands above this file and computes settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mprof.diagnosed import Advice, Cause, Conclusion, Diagnosed, Diagnosis, End, Said
from mprof.evidence import Evidence, is_heap_death
from mprof.evidence.assemble import assemble, assemble_best, losses_of
from mprof.job_run import JobRun
from mprof.messages import read_messages
from mprof.patterns import (
    child_use_of,
    container_use_of,
    find_patterns,
    room_sentences,
    steepest_growth,
)
from mprof.rules import CannotTell, Fires, Rule, Verdict, ask_all, rule_of

__all__ = [
    "Advice",
    "Cause",
    "Conclusion",
    "Diagnosed",
    "Diagnosis",
    "End",
    "Said",
    "diagnose",
    "diagnose_runs",
]


def diagnose_runs(runs: Sequence[JobRun], attempt_id: str | None = None) -> Diagnosed:
    """Diagnose one job from everything that was recorded of it, oldest run first.

    Args:
        runs: of the job.
        attempt_id: the attempt that is diagnosed, None for the failed one with most evidence.
    """
    evidence = assemble_best(runs) if attempt_id is None else assemble(runs, attempt_id)
    return replace(diagnose(evidence, losses_of(runs, evidence)), runs=tuple(runs))


def diagnose(evidence: Evidence, losses: tuple[str, ...] = ()) -> Diagnosed:
    """Find the patterns in the facts, ask every rule, and name the causes.

    Args:
        evidence: the facts about one attempt.
        losses: what could not be read, one sentence each.
    """
    patterns = find_patterns(evidence)
    verdicts = ask_all(evidence, patterns)
    sought = is_heap_death(evidence) and evidence.death.program is None
    causes = _named(verdicts) if sought else ()
    container = container_use_of(evidence)
    child = child_use_of(evidence, container)
    told = bool(causes) or (child is not None and child.place == "pipe_thread")
    diagnosis = Diagnosis(
        verdicts=verdicts,
        causes=causes,
        unknown=_unknown(verdicts) if sought else (),
        error_related_data=steepest_growth(evidence) if sought and not told else None,
        container=container,
        child=child,
        room=room_sentences(evidence),
        said=_said(evidence, causes),
    )
    return Diagnosed(diagnosis, evidence, patterns, losses)


def _named(verdicts: Mapping[str, Verdict]) -> tuple[Cause, ...]:
    """What fired, by the bytes it explains; equal ones in the order of the paper's numbers."""
    fired = [
        Cause(rule_of(cause), verdict)
        for cause, verdict in verdicts.items()
        if isinstance(verdict, Fires)
    ]
    return tuple(sorted(fired, key=lambda one: -(one.finding.bytes or 0)))


def _said(evidence: Evidence, causes: Sequence[Cause]) -> tuple[Said, ...]:
    """What messages say, where no rule has measured the same."""
    measured = {one.cause for one in causes}
    return tuple(
        Said(message, reading)
        for message, reading in read_messages(evidence)
        if measured.isdisjoint(message.causes)
    )


def _unknown(verdicts: Mapping[str, Verdict]) -> tuple[tuple[Rule, CannotTell], ...]:
    """The rules that cannot tell, in the catalogue's order."""
    return tuple(
        (rule_of(cause), verdict)
        for cause, verdict in verdicts.items()
        if isinstance(verdict, CannotTell)
    )
