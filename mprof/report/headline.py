"""The paragraph people paste into a ticket: which task, what filled it, who holds it, what to do.

Every number and name comes from the view; where it is silent, so is the paragraph.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mprof.report.view import (
    AccountRow,
    CauseView,
    Change,
    ChildView,
    Death,
    DiagnosisView,
    MessageView,
    Place,
)
from mprof.report.words import (
    DEATH_PHRASES,
    PLACE_NAMES,
    PLACE_NAMES_OF_MAP,
    PLACE_NAMES_WITH_CHILD,
    RUN_NAMES,
    share_text,
)
from mprof.units import format_bytes, format_count

__all__ = ["headline", "message_in_headline", "place_text"]


def headline(view: DiagnosisView) -> str:
    """The diagnosis in one paragraph."""
    container = view.container.sentence if view.container is not None else ""
    child = view.child.sentence if view.child is not None else ""
    happened = _what_happened(view.death, view.child)
    said = message_in_headline(view)
    proven = said is not None and said.proof == "proves"
    sentences = [happened, container, child, said.sentence if said is not None else ""]
    sentences += [*_causes(view.causes), "" if proven else _no_cause(view)]
    if view.conclusion in ("undecided", "no rule fires") and not proven:
        sentences.append(_filled(view.account))
    sentences.append(_change(view.changes))
    sentences[1:1] = _command(view.death)
    return " ".join(sentence for sentence in sentences if sentence)


def place_text(place: Place | None) -> str:
    """``WordMapper.map (WordMapper.java:49), held by this.counts``; empty where it is not known.

    Of a script's job: ``alias grouped (report.pig:4), by POPackage.getNextTuple (...), held by``.
    """
    if place is None:
        return ""
    method = f".{place.method}" if place.method else ""
    line = f":{place.line}" if place.line else ""
    file = f" ({place.file}{line})" if place.file else ""
    held = f", held by {place.path}" if place.path else ""
    statement = f"{place.script}, by " if place.script else ""
    called = f", called by {place.called_by}" if place.called_by and not statement else ""
    return f"{statement}{place.class_name}{method}{file}{called}{held}"


def _command(death: Death) -> Iterator[str]:
    """What is to be said of the command that submitted the job, a sentence each."""
    if death.local_jobs:
        jobs = ", ".join(death.local_jobs)
        yield f"{jobs} ran inside the command that submitted it, where mprof does not watch."
    if death.driver_error is not None:
        yield (
            f"The command that submitted it ran out of memory itself ({death.driver_error}): what "
            "it keeps is not in this report, and its heap is set by HADOOP_CLIENT_OPTS."
        )
    elif death.driver_failure is not None:
        yield (
            f"The command that submitted it {death.driver_failure} all the same: the reason is in "
            "its own output."
        )


def _what_happened(death: Death, child: ChildView | None) -> str:
    job = _job(death)
    if death.outcome == "end unknown":
        whose = job if death.job_id is not None or death.job_name else "the task"
        if death.container_id is not None:
            whose = f"container {death.container_id}"
        return f"How {whose} ended is not known."
    if death.outcome == "finished" and death.of_attempt:
        return f"{_subject(death, job)} did not fail, so there is no cause to name."
    if death.outcome == "finished":
        return f"{job[0].upper()}{job[1:]} did not fail, so there is no cause to name."
    if death.kind == "application-master":
        subject, (verb, because) = f"The application master of {job}", DEATH_PHRASES[death.kind]
        return f"{subject} {verb}{because}."
    subject = _subject(death, job)
    verb, because = DEATH_PHRASES[death.kind]
    if child is not None and child.ended is not None:
        because = f", because its child process {child.ended}"
    return f"{subject} {verb}{_where(death, child)}{because}."


def _subject(death: Death, job: str) -> str:
    container = f"ontainer {death.container_id}" if death.container_id is not None else ""
    if death.attempt_id is not None:
        return f"Attempt {death.attempt_id} {f'(c{container}) ' if container else ''}of {job}"
    if container:
        return f"C{container} of {job}"
    return f"A task of {job}" if death.job_id is not None else "The task"


def _job(death: Death) -> str:
    if death.job_name:
        return f"job {death.job_name!r}"
    return f"job {death.job_id}" if death.job_id is not None else "the job"


def _where(death: Death, child: ChildView | None) -> str:
    names = {**PLACE_NAMES, **PLACE_NAMES_OF_MAP} if death.is_map else dict(PLACE_NAMES)
    if child is not None:
        names.update(PLACE_NAMES_WITH_CHILD)
    place = f" {names[death.place]}" if death.place in names else ""
    if not death.record:
        return place
    group = f" of group {format_count(death.group)}" if death.group else ""
    return f" at record {format_count(death.record)}{group}{place}"


def _causes(causes: Sequence[CauseView]) -> Iterator[str]:
    """One sentence a cause; the place in code is said once where they share it."""
    said = ""
    for cause in causes:
        size = f", {format_bytes(cause.headline_bytes)}" if cause.headline_bytes else ""
        place = place_text(cause.where)
        where = f", in {place}" if place and place != said else ""
        said = place or said
        yield f"Cause ({cause.confidence}): {cause.name}{size}{where}."


def _no_cause(view: DiagnosisView) -> str:
    if view.child is not None and view.child.ended is not None:
        return ""
    if view.conclusion == "not memory":
        return f"The message was: {view.death.quoted}" if view.death.quoted else ""
    if view.conclusion == "application master":
        return (
            "No cause is named, because mprof watches only tasks, not the application master; "
            f"mprof explain {view.death.kind} says what to change. The message was: "
            f"{view.death.quoted}"
        )
    if view.conclusion == "not the heap":
        return (
            "No cause is named, because the rules only explain a full Java heap; "
            f"mprof explain {view.death.kind} says what to look for."
        )
    if view.conclusion == "pipe thread":
        return "No cause is named, because the rules only explain what the task's own threads do."
    if view.conclusion == "undecided":
        wanted = {one.run for one in view.undecided}
        runs = [name for run, name in RUN_NAMES.items() if run in wanted]
        more = f" More would come from {' or '.join(runs)}." if runs else ""
        return f"There is not enough evidence to name a cause.{more}"
    if view.conclusion == "no rule fires":
        return "No cause is named: no rule fires on what was measured."
    return ""


def message_in_headline(view: DiagnosisView) -> MessageView | None:
    """What the message says of the death, where nothing was measured that names a cause."""
    child_ended = view.child is not None and view.child.ended is not None
    if view.conclusion == "causes" or child_ended:
        return None
    return next((one for one in view.messages if one.proof != "known to"), None)


def _filled(account: Sequence[AccountRow]) -> str:
    """What filled the heap, where no cause says it."""
    told = [row for row in account if row.told]
    rows = [
        f"{row.name}{f' ({row.detail})' if row.detail else ''}, {share_text(row.share)}"
        for row in told
    ]
    return f"The heap held: {'; '.join(rows)}." if rows else ""


def _change(changes: Sequence[Change]) -> str:
    settings = [one.setting for one in changes if one.setting is not None and not one.first_aid]
    if settings:
        # No full stop: it would be pasted into the last value.
        return "Try: " + " ".join(one.words for one in settings)
    return f"Fix: {changes[0].text}" if changes else ""
