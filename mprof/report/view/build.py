"""From a diagnosis to its view.

What a report leaves out, and the order in which it says the rest, is decided here and in the files
beside this one.
"""

from __future__ import annotations

from dataclasses import replace

from mprof.diagnosis import Advice, Cause, Diagnosed, Diagnosis
from mprof.evidence import (
    Evidence,
    Holder,
    HolderKey,
    Probes,
    Script,
    StackFrame,
    is_heap_death,
    known,
)
from mprof.exit_code import end_in_words
from mprof.patterns import ChildUse, Where, caller_of
from mprof.report.advised import advised_sentences
from mprof.report.view.account import account_of
from mprof.report.view.container import container_of
from mprof.report.view.growth import curves_of
from mprof.report.view.model import (
    CauseView,
    Change,
    ChildView,
    Conclusion,
    Contents,
    Death,
    DiagnosisView,
    FailedAttempt,
    FrameView,
    Limits,
    MessageView,
    Place,
    ProbesView,
    Setting,
    Share,
    Undecided,
)
from mprof.report.view.nearness import nearness_of
from mprof.report.view.script import script_of
from mprof.report.view.skew import groups_of, partitions_of

__all__ = ["view_of"]

LEAST_SHARE = 0.01
"""Share of the live heap, or of a frame's user bytes, below which a line explains nothing: even a
hundred of them would not fill the heap, and they only make the page longer."""

_TEXTS = ("java.lang.String", "java.lang.StringBuffer", "java.lang.StringBuilder")


def view_of(diagnosed: Diagnosed) -> DiagnosisView:
    """The view of a diagnosis."""
    diagnosis, evidence = diagnosed.diagnosis, diagnosed.evidence
    death = _death(evidence)
    conclusion = _conclusion(diagnosis, evidence, death)
    related = diagnosis.error_related_data
    return DiagnosisView(
        death=death,
        limits=_limits(evidence),
        conclusion=conclusion,
        container=container_of(diagnosis, evidence),
        child=_child(diagnosis.child),
        script=script_of(diagnosis, evidence),
        causes=tuple(_cause(one, evidence) for one in diagnosis.causes),
        messages=tuple(
            MessageView(
                one.message.id,
                one.message.title,
                one.reading.proof,
                one.reading.sentence,
                one.reading.next_step,
            )
            for one in diagnosis.said
        ),
        account=account_of(
            diagnosed.patterns,
            _contents_of(evidence),
            records_at_once=evidence.records_at_once,
        ),
        stack=tuple(_frame(one) for one in known(evidence.stack) or ()),
        curves=curves_of(evidence),
        partitions=partitions_of(known(evidence.partitions)),
        groups=groups_of(known(evidence.groups)),
        changes=tuple(_change(one, evidence.script) for one in diagnosis.advice),
        related=related.text if related is not None else None,
        undecided=_undecided(diagnosis),
        attempts=tuple(FailedAttempt(one.attempt_id, one.line) for one in evidence.attempts),
        losses=diagnosed.losses,
        nearness=nearness_of(diagnosed),
        probes=_probes(evidence.probes),
        advised=advised_sentences(diagnosed.advised),
    )


def _probes(probes: Probes | None) -> ProbesView | None:
    if probes is None:
        return None
    return ProbesView(
        dumps=probes.dumps,
        histograms=probes.histograms,
        seconds=probes.seconds,
        attempt_seconds=probes.attempt_seconds,
        planned=probes.planned,
    )


def _contents_of(evidence: Evidence) -> dict[HolderKey, Contents | None]:
    return {one.key: _contents(one) for one in known(evidence.holders) or ()}


def _death(evidence: Evidence) -> Death:
    job, attempt, death = evidence.job, evidence.attempt, evidence.death
    position = known(evidence.position)
    in_group = position is not None and position.group and position.record_in_group
    finished = job.state == "SUCCEEDED" or (job.state is None and attempt.finished)
    return Death(
        kind=death.kind,
        quoted=death.evidence.strip(),
        outcome="died" if death.kind != "none" else "finished" if finished else "end unknown",
        job_name=job.name,
        job_id=job.job_id,
        attempt_id=attempt.attempt_id,
        container_id=attempt.container_id if attempt.mode == "none" else None,
        of_attempt=job.state is None and attempt.finished and attempt.mode == "none",
        is_map=evidence.is_map,
        place=known(evidence.place),
        record=None
        if position is None
        else position.record_in_group
        if in_group
        else position.record,
        group=position.group if position is not None and in_group else None,
        driver_error=job.driver_error,
        driver_failure=end_in_words(job.driver_exit_code)
        if job.driver_exit_code and death.kind == "none" and finished
        else None,
        local_jobs=job.local_jobs,
    )


def _conclusion(diagnosis: Diagnosis, evidence: Evidence, death: Death) -> Conclusion:
    if diagnosis.causes:
        return "causes"
    if death.kind in {"none", "not-memory"}:
        return "no failure seen" if death.kind == "none" else "not memory"
    if death.kind == "application-master":
        return "application master"
    if diagnosis.child is not None and diagnosis.child.place == "pipe_thread":
        return "pipe thread"
    if diagnosis.unknown:
        return "undecided"
    if is_heap_death(evidence):
        return "no rule fires"
    return "not the heap"


def _child(child: ChildUse | None) -> ChildView | None:
    return None if child is None else ChildView(child.sentence, child.details, child.ended)


def _limits(evidence: Evidence) -> Limits:
    memory, progress = evidence.memory, known(evidence.progress)
    return Limits(
        max_heap_bytes=known(memory.heap_max_bytes),
        live_bytes=known(memory.live_bytes_at_death),
        container_bytes=known(memory.container_bytes),
        input_read=progress.done if progress is not None else None,
    )


def _cause(cause: Cause, evidence: Evidence) -> CauseView:
    found, rule = cause.finding, cause.rule
    return CauseView(
        cause=cause.cause,
        name=rule.name,
        category=rule.category,
        rule=rule.published_as or rule.slug,
        published=rule.published_as is not None,
        confidence=found.confidence,
        evidence=found.evidence,
        bytes=found.bytes,
        headline_bytes=None if cause.cause == "large_input_split" else found.bytes,
        where=_place(found.where, evidence) if found.where is not None else None,
        sentence=found.sentence,
    )


def _place(where: Where, evidence: Evidence) -> Place | None:
    if not where.class_name:
        return None
    script, step = evidence.script, caller_of(where, known(evidence.stack))
    return Place(
        _short_class(where.class_name),
        where.method,
        where.file,
        where.line,
        where.path,
        script.shown(where.script) if script is not None and where.script is not None else "",
        f"{_short_class(step.class_name)}.{step.method}" if step is not None else "",
    )


def _short_class(name: str) -> str:
    """A class name without its package."""
    return name.rsplit(".", 1)[-1]


def _frame(frame: StackFrame) -> FrameView:
    share, size, held = frame.share, frame.user_bytes, None
    if share is not None and size is not None and share >= LEAST_SHARE:
        held = Share(size, share)
    return FrameView(frame.class_name, frame.method, frame.file, frame.line, held)


def _contents(holder: Holder) -> Contents | None:
    if not holder.length:
        return None
    if holder.class_name in _TEXTS:
        return Contents(holder.length, "characters")
    return Contents(holder.length, "bytes" if holder.element_class == "byte" else "entries")


def _change(advice: Advice, script: Script | None) -> Change:
    setting = None
    if advice.property is not None and advice.new is not None:
        setting = Setting(advice.property, advice.new, advice.old)
        if script is not None:
            setting = replace(setting, option=script.framework.option)
    return Change(advice.text, setting, advice.predicted_peak_bytes, first_aid=advice.first_aid)


def _undecided(diagnosis: Diagnosis) -> tuple[Undecided, ...]:
    """Rules that lack the same thing stand together, so that it is said once."""
    found: dict[tuple[str, str], list[str]] = {}
    proven = {
        cause
        for one in diagnosis.said
        if one.reading.proof == "proves"
        for cause in one.message.causes
    }
    for rule, verdict in diagnosis.unknown:
        if rule.cause in proven:
            continue  # the message proves what this rule would measure
        wanted = (verdict.missing, verdict.run_that_would_tell)
        found.setdefault(wanted, []).append(rule.cause)
    return tuple(Undecided(tuple(causes), *wanted) for wanted, causes in found.items())
