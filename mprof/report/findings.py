"""What was found at the places named: every death, the most telling one in full."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mprof.evidence import Evidence
from mprof.findings import Findings, Told, alike_in, was_preempted
from mprof.report.lines import in_lines
from mprof.report.published import Report
from mprof.report.summary import headline, message_in_summary, summary
from mprof.report.text import text_of, wrapped
from mprof.units import format_count

__all__ = ["findings_text"]

_LISTED = 20
_UNUSED = 20


def findings_text(findings: Findings) -> str:
    """All of it for a terminal."""
    answers = ["\n".join(wrapped(one, "")) for one in findings.answers]
    # of a job that went well what its log warns of is no answer
    ends = {one.diagnosed.end for one in findings.told}
    is_well = ends == {"finished"} and not findings.deaths
    parts = [] if is_well else answers
    parts += [_found(findings)] if findings.found else []
    together = [*_together(findings.told)]
    several = len(together) > 1
    if several:
        parts.append(_deaths(findings, together))
    elif together and len(names := _names(together[0][1])) > 1:
        title = f"{_counted(findings, names)}, ALIKE{_common(together[0][1]).upper()}"
        parts.append("\n".join([title, *_listed(names, "  ")]))
    if together:
        first = text_of(together[0][0])
        title = "NUMBER 1 IN FULL\n" if several else ""
        parts.append(title + first)
    if not (findings.told or findings.answers or findings.notes):
        parts.append("In what was read, no end of a task or a container was recognised.")
    parts += _section("NOTES", (*(findings.answers if is_well else ()), *findings.notes))
    unused = [f"{one.name}: {one.why}" for one in findings.unused]
    parts += _section("NOT USED", unused)
    return "\n\n".join(parts)


def _section(title: str, lines: Iterable[str]) -> list[str]:
    told = list(lines)
    if not told:
        return []
    shown = [line for one in told[:_UNUSED] for line in wrapped(one, "  ")]
    if len(told) > _UNUSED:
        shown.append(f"  and {format_count(len(told) - _UNUSED)} more, in the JSON object (--json)")
    return [f"{title}\n" + "\n".join(shown)]


def _found(findings: Findings) -> str:
    lines = [
        f"  {one.kind}: {one.first}"
        + (f" and {format_count(one.files - 1)} more" if one.files > 1 else "")
        + (f" ({format_count(one.count)} in all)" if one.count > one.files else "")
        for one in findings.found
    ]
    return "FOUND\n" + "\n".join(lines)


def _counted(findings: Findings, names: Sequence[str] = ()) -> str:
    if not findings.deaths:
        return f"{format_count(len(names))} OF WHICH NO FAILURE IS TOLD"
    taken = any(was_preempted(one.line) for told in findings.told for one in told.dead)
    return f"{format_count(findings.deaths)} {'FAILED OR KILLED' if taken else 'FAILURES'}"


def _deaths(findings: Findings, together: Sequence[tuple[Report, Sequence[Told]]]) -> str:
    lines = [_counted(findings) if findings.deaths > 1 else "DIAGNOSES"]
    said: set[str] = set()
    for number, (report, same) in enumerate(together, 1):
        # the first is told in full
        said_of = summary(report) if number > 1 else f"{headline(report)} Told in full below."
        lines += wrapped(f"{number}. {said_of}", "  ")
        message = message_in_summary(report)
        if message is not None and message.next_step and message.id not in said:
            said.add(message.id)
            if number > 1:
                lines += wrapped(f"Next step: {message.next_step}", " " * 5)
                lines.append(f"     mprof explain {message.id}")
        lines += _alike(same)
    return "\n".join(lines)


def _together(told: Iterable[Told]) -> Iterator[tuple[Report, list[Told]]]:
    """What is told of one job after another in the same words, and with the same to change."""
    found: dict[tuple[object, ...], tuple[Report, list[Told]]] = {}
    for one in told:
        report = in_lines(Report.of(one.diagnosed))
        settings = [(each.property, each.old, each.new, each.text) for each in report.advice]
        words = (headline(report), report.death.evidence, *(m.id for m in report.messages))
        causes = [(each.cause, each.where, each.bytes) for each in report.causes]
        memory = one.diagnosed.evidence.memory
        frames = [(each.class_name, each.method, each.line) for each in report.stack]
        key = (*map(alike_in, words), *settings, *causes, *frames, memory.container_bytes)
        found.setdefault(key, (report, []))[1].append(one)
    yield from found.values()


def _alike(same: Sequence[Told]) -> Iterator[str]:
    names = _names(same)
    if len(names) > 1:
        yield f"     {format_count(len(names))} alike{_common(same)}:"
        yield from _listed(names, " " * 7)


_TASK: Final = re.compile(
    r"_\d+$"
)  # of the id of an attempt, what tells it from others of its task


def _common(same: Sequence[Told]) -> str:
    """Whether equal failures are of several jobs, or of one task that was tried again."""
    jobs = {one.diagnosed.evidence.job.job_id for one in same}
    if len(jobs) > 1:
        return f", in {format_count(len(jobs))} jobs"
    # then what it reads is what it has and other tasks have not
    tasks = {_TASK.sub("", dead.attempt_id or "") for one in same for dead in one.dead}
    return ", all attempts of one task" if len(tasks) == 1 and "" not in tasks else ""


def _names(same: Iterable[Told]) -> list[str]:
    """Of all that died in this way; of a job in which none is told to have, its own."""
    return [
        name
        for told in same
        for name in ([one.name for one in told.dead] or [_name_of(told.diagnosed.evidence)])
    ]


def _name_of(evidence: Evidence) -> str:
    ids = (evidence.attempt.container_id, evidence.attempt.attempt_id, evidence.job.job_id)
    return next(filter(None, ids), "one that nothing names")


def _listed(names: Sequence[str], indent: str) -> Iterator[str]:
    for one in names[:_LISTED]:
        yield f"{indent}{one}"
    if len(names) > _LISTED:
        hidden = format_count(len(names) - _LISTED)
        yield f"{indent}and {hidden} more, named in the JSON object (--json)"
