"""The evidence of the newest run, or of an older one that left more to look at; and what it lacks.

A dump may come too late (another thread met the OutOfMemoryError) or not at all (a full disk); the
run before is then the better witness, and the report says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from mprof.evidence.assemble.assemble import assemble
from mprof.evidence.assemble.choice import is_far
from mprof.evidence.facts import Evidence, Unknown, known
from mprof.evidence.heap_death import is_heap_death
from mprof.evidence.thresholds import GIVEN_UP
from mprof.job_run import JobRun
from mprof.trace import parse_attempt_id
from mprof.units import format_bytes

__all__ = ["assemble_best", "losses_of"]


def assemble_best(runs: Sequence[JobRun]) -> Evidence:
    """Evidence of the newest run, of an older one where the newest left no heap to look at."""
    newest = assemble(runs)
    evidence, left = newest, list(runs)
    while isinstance(evidence.holders, Unknown) and not _has_curves(evidence):
        failed = [one for one in left if one.mode != "verify"]
        if len(failed) <= 1 or not is_heap_death(evidence):
            return newest
        left.remove(failed[-1])
        evidence = assemble(left)
    return evidence


def _has_curves(evidence: Evidence) -> bool:
    """Whether its dumps alone show how its holders grew.

    Where most probes were class histograms, they do not: without a dump at death nothing says whose
    the classes are.
    """
    probes = evidence.probes
    if probes is not None and probes.histograms > probes.dumps:
        return False
    return any(one.source == "dump" for one in evidence.series)


def losses_of(runs: Sequence[JobRun], evidence: Evidence) -> tuple[str, ...]:
    """What could not be read of the runs, what the attempt shown lacks, and whether it is older."""
    losses: list[str] = []
    for one in runs:
        losses += one.losses
        losses += one.history.losses if one.history is not None else ()
        losses += one.conf.losses if one.conf is not None else ()
    losses += _of_the_attempt(runs, evidence)
    losses += _shown_is_older(runs, evidence)
    losses += _died_elsewhere(runs, evidence)
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
    if newest.state != "SUCCEEDED":
        why, besides = "says less about a memory failure", ""
        probed = parse_attempt_id(evidence.probes.attempt_id) if evidence.probes else None
        if probed is not None and probed.job_id == jobs[-1]:
            why = "left no heap dump of the death"
            besides = ", with what the probes of the newest showed"
        told = f"the newest run, {jobs[-1]}, {why}"
        return [f"{told}: this report is on {shown}, recorded before it{besides}"]
    return [
        f"the newest run, {jobs[-1]}, succeeded: this report is on {shown}, recorded before it",
        *_how_near(newest, evidence),
    ]


def _died_elsewhere(runs: Sequence[JobRun], evidence: Evidence) -> list[str]:
    """That the same task died in another run where it had read far more, or far less.

    What is named of one death does not explain the other, and a cure of it may lead to that.
    """
    position, attempt = known(evidence.position), evidence.attempt
    if position is None or not position.records or not is_heap_death(evidence):
        return []
    every = [trace for one in runs for trace in one.traces]
    shown = next((one for one in every if one.attempt_id == attempt.attempt_id), None)
    at = shown.position if shown is not None else None
    # Inside combine() the position has that call's own counts.
    records = (at.records_in if at is not None else None) or position.records
    return [
        f"in {one.job_id} the same task died elsewhere, at record {there.records_in:,}"
        + (f" (group {there.group:,})" if there.group else "")
        + f": that death is not explained here; mprof diagnose runs/{one.number:03d} in the folder "
        "of this capture explains it"
        for one in runs
        if one.mode != "verify" and one.number is not None
        for trace in one.traces
        if (trace.task_type, trace.index) == (attempt.task_type, attempt.index)
        if trace.attempt_id != attempt.attempt_id and trace.failure is not None
        if (there := trace.position) is not None and there.records_in
        if is_far(there.records_in, records)
    ]


def _how_near(run: JobRun, evidence: Evidence) -> list[str]:
    """How full the heap of the task was that did not die this time."""
    attempt = evidence.attempt
    if evidence.death.container is not None and evidence.death.container.limit is not None:
        return []  # its container ended it, whatever its heap: what it took there says more
    heaps = [
        (used, trace.heap_max)
        for trace in run.traces
        if (trace.task_type, trace.index) == (attempt.task_type, attempt.index) and trace.heap_max
        if (used := trace.peak_live_bytes) is not None
    ]
    if not heaps:
        return []
    live, most = max(heaps)
    died = known(evidence.memory.live_bytes_at_death)
    before = f"; {format_bytes(died)} were live when it died" if died is not None else ""
    size = f"{format_bytes(live)} live of {format_bytes(most)} ({live / most:.0%})"
    meaning = _means(live, most, evidence)
    return [f"where it succeeded the same task had up to {size}{before}: {meaning}"]


def _means(live: int, most: int, evidence: Evidence) -> str:
    """What it means that the task did not die this time."""
    heap = known(evidence.memory.heap_max_bytes)
    if heap is not None and heap != most:
        return f"it ran with other settings, its heap was {format_bytes(heap)} before"
    if live >= GIVEN_UP.value * most:
        return (
            "it is at its limit, and what differs from run to run, such as the moment of a spill, "
            "decides whether it dies"
        )
    return "what filled the heap was not there this time: other data, or another order of it"
