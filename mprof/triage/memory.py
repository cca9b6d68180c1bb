"""Memory: attempts died for lack of it. The diagnosis of memory says what filled it.

Their diagnostics show which attempts these are, as the diagnosis reads them: an OutOfMemoryError of
the virtual machine, or a container killed for its memory. If a capture or the job's history is
available, the diagnosis is made, and its first cause is shown here.
"""

from __future__ import annotations

from collections import Counter

from mprof.diagnosis import Diagnosed
from mprof.evidence import is_heap_death
from mprof.trace import MEMORY_KINDS
from mprof.triage.answer import Branch, Figure, Finding, NextStep
from mprof.triage.facts import JobFacts

__all__ = ["memory_branch"]


def memory_branch(facts: JobFacts) -> Branch:
    """Whether attempts died for lack of memory, and the first cause that the diagnosis names."""
    deaths = {
        attempt: failure for attempt, failure in facts.failures.items() if failure.kind == "memory"
    }
    diagnosed = facts.diagnosed
    died = diagnosed is not None and diagnosed.evidence.death.kind in MEMORY_KINDS
    if deaths or died:
        findings = [*_deaths(facts, tuple(deaths))]
        if diagnosed is not None and died:
            findings += _causes(diagnosed, ended_job=facts.job.has_failed)
        return Branch("memory", "fires", tuple(findings), step=_step(facts))
    unknown = [a for a, failure in facts.failures.items() if failure.kind == "not known"]
    if unknown:
        return Branch(
            "memory",
            "cannot tell",
            why=f"{len(unknown):,} of {facts.job.failed:,} attempts that failed left no diagnostics"
            " that say why",
            step=NextStep("The logs of the attempts would show why.", facts.diagnose_command),
        )
    if facts.job.has_failed and not facts.job.failed:
        return Branch(
            "memory",
            "cannot tell",
            why="the job failed and none of its attempts did, so its own diagnostics say why",
            step=NextStep("Its application master's log would show why.", facts.diagnose_command),
        )
    if not facts.job.failed:
        so_far = " so far" if facts.job.is_running else ""
        return Branch("memory", "silent", why=f"no attempt failed{so_far}")
    return Branch(
        "memory",
        "silent",
        why="the attempt that failed did not do so for lack of memory"
        if facts.job.failed == 1
        else f"none of the {facts.job.failed:,} attempts that failed did so for lack of memory",
    )


def _deaths(facts: JobFacts, attempts: tuple[str, ...]) -> list[Finding]:
    if not attempts:
        return []
    kinds = Counter(facts.failures[each].signature for each in attempts)
    rows = facts.attempts[facts.attempts["attempt"].isin(attempts)]
    ended = facts.job.has_failed and bool(set(rows["task"]) & facts.lost_tasks)
    said = ", ".join(f"{kind} ({count})" if len(kinds) > 1 else kind for kind, count in
                     kinds.most_common())  # fmt: skip
    noun = "attempt" if len(attempts) == 1 else "attempts"
    hosts = tuple(rows["host"].dropna().value_counts().index)
    where = f"on {len(hosts)} nodes" if len(hosts) > 1 else f"on {', '.join(hosts) or 'one node'}"
    return [
        Finding(
            id="memory_deaths",
            sentence=(
                f"{len(attempts):,} {noun} of {rows['task'].nunique():,} "
                f"{'task' if rows['task'].nunique() == 1 else 'tasks'} ran out of memory {where}"
                f" ({said})."
            ),
            confidence="sure" if ended or not facts.job.has_failed else "likely",
            ended_job=ended,
            seconds=float(rows["seconds"].sum()),
            hosts=hosts,
            attempts=attempts,
            figures=(
                Figure("attempts that ran out of memory", len(attempts), "attempts"),
                Figure("tasks that ran out of memory", rows["task"].nunique(), "tasks"),
            ),
        )
    ]


def _causes(diagnosed: Diagnosed, *, ended_job: bool) -> list[Finding]:
    """What the diagnosis says of the death: its first cause, else that it names none."""
    evidence, causes = diagnosed.evidence, diagnosed.diagnosis.causes
    attempt = (evidence.attempt.attempt_id,) if evidence.attempt.attempt_id else ()
    if not causes:
        why = "" if is_heap_death(evidence) else ": its rules are for a full Java heap only"
        return [
            Finding(
                id=f"death.{evidence.death.kind}",
                sentence=f"The diagnosis of memory: {evidence.death.kind}, and no cause is named"
                f"{why}.",
                confidence="possible",
                ended_job=ended_job,
                attempts=attempt,
            )
        ]
    first, others = causes[0], len(causes) - 1
    size = first.finding.bytes
    more = f" It names {others} more." if others else ""
    return [
        Finding(
            id=first.cause,
            sentence=f"The diagnosis of memory ({first.confidence}): {first.finding.sentence}"
            f"{'' if first.finding.sentence.endswith('.') else '.'}{more}",
            confidence=first.finding.confidence,
            ended_job=ended_job,
            attempts=attempt,
            figures=(Figure("heap explained", size, "B"),) if size else (),
        )
    ]


def _step(facts: JobFacts) -> NextStep:
    diagnosed = facts.diagnosed
    if diagnosed is None or not diagnosed.diagnosis.causes:
        return NextStep(
            "The diagnosis of memory says what filled it, as far as the evidence goes.",
            facts.diagnose_command,
        )
    advice = next(iter(diagnosed.diagnosis.advice), None)
    what = "" if advice is None else f"{advice.text} "
    return NextStep(f"{what}The diagnosis of memory has the details.", facts.diagnose_command)
