"""A triage as its reader needs it: chosen, ordered and in words; renderers put it on paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from mprof.report.times import duration_text, moment_text
from mprof.triage import Branch, BranchName, JobSummary, Timeline, Triage

__all__ = ["BranchView", "TriageView", "view_of"]

Mood = Literal["fine", "unknown", ""]

_ANSWERS: Final[dict[BranchName, str]] = {
    "memory": "its memory",
    "application": "the application itself",
    "data skew": "its data, which is skewed",
    "node": "a node",
    "settings": "its settings",
}
_MOST_SHOWN: Final = 5  # findings of a branch; of the others the nodes are named
_NAMES: Final[dict[BranchName, str]] = {
    "memory": "Memory",
    "application": "Application",
    "data skew": "Data skew",
    "node": "Node",
    "settings": "Settings",
}


@dataclass(frozen=True, slots=True)
class BranchView:
    """One branch.

    Attributes:
        name: as a title.
        verdict: in words: ``sure``, ``likely``, ``possible``; ``cannot tell``; ``no``.
        evidence: (confidence, sentence) of each finding, the strongest first.
        why: why it is none of it, or what is missing; "" of one that fires.
        remarks: what was not held against it, a sentence each.
        step: what to do next, "" for nothing.
        command: that does it, "" for none.
    """

    name: str
    verdict: str
    evidence: tuple[tuple[str, str], ...]
    why: str
    remarks: tuple[str, ...]
    step: str
    command: str


@dataclass(frozen=True, slots=True)
class TriageView:
    """A whole triage.

    Attributes:
        paragraph: the answer, as it is pasted into a ticket.
        mood: of the page.
        facts: (name, value) of the job.
        fired: branches that fire, the most likely first.
        unknown: branches that cannot tell.
        losses: what could not be read.
        timeline: of its attempts.
    """

    job: str
    paragraph: str
    mood: Mood
    facts: tuple[tuple[str, str], ...]
    fired: tuple[BranchView, ...]
    unknown: tuple[BranchView, ...]
    silent: tuple[BranchView, ...]
    losses: tuple[str, ...]
    timeline: Timeline | None


def view_of(triage: Triage) -> TriageView:
    """The view."""
    job = triage.job
    return TriageView(
        job=" ".join(part for part in (job.name, job.id) if part),
        paragraph=" ".join(_paragraph(triage)),
        mood=_mood(triage),
        facts=tuple(_facts(job)),
        fired=_views(triage, "fires"),
        unknown=_views(triage, "cannot tell"),
        silent=_views(triage, "silent"),
        losses=triage.losses,
        timeline=triage.timeline,
    )


def _views(triage: Triage, verdict: str) -> tuple[BranchView, ...]:
    return tuple(_branch(one) for one in triage.branches if one.verdict == verdict)


def _branch(branch: Branch) -> BranchView:
    said = {"cannot tell": "cannot tell", "silent": "no"}
    shown, others = branch.findings[:_MOST_SHOWN], branch.findings[_MOST_SHOWN:]
    hosts = ", ".join(dict.fromkeys(host for one in others for host in one.hosts))
    more = (f"{len(others):,} more like these: {hosts}",) if others else ()
    return BranchView(
        name=_NAMES[branch.name],
        verdict=branch.confidence or said[branch.verdict],
        evidence=tuple((one.confidence or "cannot tell", one.sentence) for one in shown),
        why=branch.why or "",
        remarks=(*more, *branch.left_out),
        step=branch.step.text if branch.step is not None else "",
        command=(branch.step.command or "") if branch.step is not None else "",
    )


def _paragraph(triage: Triage) -> Iterator[str]:
    yield _what_happened(triage.job)
    fired = triage.fired
    if fired:
        first, others = fired[0], fired[1:]
        # What the diagnosis of memory says belongs to what it is.
        told = first.findings if first.name == "memory" else first.findings[:1]
        sentences = " ".join(one.sentence for one in told)
        yield f"The problem is {_ANSWERS[first.name]} ({first.confidence}): {sentences}"
        if others:
            also = " and ".join(f"{_ANSWERS[one.name]} ({one.confidence})" for one in others)
            yield f"Also: {also}."
        if first.step is not None:
            yield first.step.text
        return
    unknown = [_NAMES[one.name].lower() for one in triage.branches if one.verdict == "cannot tell"]
    if unknown:
        named = f"{', '.join(unknown[:-1])} and {unknown[-1]}" if len(unknown) > 1 else unknown[0]
        yield f"Nothing was found; the evidence cannot tell about {named}."
    elif triage.job.has_failed:
        yield "The evidence does not say why: no branch fires."
    else:
        yield "Nothing is wrong with it that the evidence could show."


def _what_happened(job: JobSummary) -> str:
    name = f"Job {job.name!r} ({job.id})" if job.name else f"Job {job.id}"
    took = f" after {duration_text(job.seconds)}" if job.seconds is not None else ""
    where = f" on {job.hosts:,} {'node' if job.hosts == 1 else 'nodes'}" if job.hosts else ""
    match job.state:
        case "running":
            took = f" for {duration_text(job.seconds)}" if job.seconds is not None else ""
            return f"{name} has no end in the evidence: it was running{took}{where}."
        case "killed":
            return f"{name} was killed{took}{where}."
        case state:
            return f"{name} {state}{took}{where}."


def _mood(triage: Triage) -> Mood:
    if triage.fired:
        return ""
    unknown = any(one.verdict == "cannot tell" for one in triage.branches)
    return "unknown" if unknown or triage.job.state != "succeeded" else "fine"


def _facts(job: JobSummary) -> Iterator[tuple[str, str]]:
    yield "state", job.state
    if job.submitted_s is not None:
        yield "submitted", moment_text(job.submitted_s)
    if job.user is not None:
        yield "user", job.user
    yield "nodes", f"{job.hosts:,}"
    yield "attempts", f"{job.maps:,} of maps, {job.reduces:,} of reduces"
    if job.failed or job.killed:
        yield "failed", f"{job.failed:,}"
        yield "killed", f"{job.killed:,}"
    yield "time of all attempts", duration_text(job.task_seconds)
