"""The evidence of the newest run, or of an older one that left more to look at; and what it lacks.

A dump may come too late (another thread met the OutOfMemoryError) or not at all (a full disk); the
run before is then the better witness, and the report says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from mprof.evidence.assemble.assemble import assemble
from mprof.evidence.facts import Evidence, Unknown
from mprof.evidence.heap_death import is_heap_death
from mprof.job_run import JobRun
from mprof.trace import parse_attempt_id

__all__ = ["assemble_best", "losses_of"]


def assemble_best(runs: Sequence[JobRun]) -> Evidence:
    """Evidence of the newest run, of an older one where the newest left no heap to look at."""
    newest = assemble(runs)
    evidence, left = newest, list(runs)
    while isinstance(evidence.holders, Unknown) and not any(
        one.source == "dump" for one in evidence.series
    ):
        failed = [one for one in left if one.mode != "verify"]
        if len(failed) <= 1 or not is_heap_death(evidence):
            return newest
        left.remove(failed[-1])
        evidence = assemble(left)
    return evidence


def losses_of(runs: Sequence[JobRun], evidence: Evidence) -> tuple[str, ...]:
    """What could not be read of the runs, what the attempt shown lacks, and whether it is older."""
    losses = [loss for one in runs for loss in one.losses]
    losses += _of_the_attempt(runs, evidence)
    losses += _shown_is_older(runs, evidence)
    return tuple(dict.fromkeys(losses))


def _of_the_attempt(runs: Sequence[JobRun], evidence: Evidence) -> list[str]:
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
    why = "succeeded" if newest.state == "SUCCEEDED" else "says less about a memory failure"
    return [f"the newest run, {jobs[-1]}, {why}: this report is on {shown}, recorded before it"]
