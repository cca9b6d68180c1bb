"""What was found at the places named: every death, the most telling one in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mprof.findings import Findings, Told, was_preempted
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
    parts = ["\n".join(wrapped(one, "")) for one in findings.answers]
    parts += [_found(findings)] if findings.found else []
    several = len(findings.told) > 1
    if several:
        parts.append(_deaths(findings))
    elif findings.deaths > 1:
        title = f"{_counted(findings)}, ALIKE"
        parts.append("\n".join([title, *_named(findings.told[0], "  ")]))
    if findings.told:
        first = text_of(in_lines(Report.of(findings.told[0].diagnosed)))
        title = "NUMBER 1 IN FULL\n" if several else ""
        parts.append(title + first)
    if not (findings.told or findings.answers or findings.notes):
        parts.append("In what was read, no end of a task or a container was recognised.")
    parts += _section("NOTES", findings.notes)
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


def _counted(findings: Findings) -> str:
    taken = any(was_preempted(one.line) for told in findings.told for one in told.dead)
    return f"{format_count(findings.deaths)} {'FAILED OR KILLED' if taken else 'FAILURES'}"


def _deaths(findings: Findings) -> str:
    lines = [_counted(findings) if findings.deaths > 1 else "DIAGNOSES"]
    said: set[str] = set()
    for number, told in enumerate(findings.told, 1):
        report = in_lines(Report.of(told.diagnosed))
        # the first is told in full
        said_of = summary(report) if number > 1 else f"{headline(report)} Told in full below."
        lines += wrapped(f"{number}. {said_of}", "  ")
        message = message_in_summary(report)
        if message is not None and message.next_step and message.id not in said:
            said.add(message.id)
            if number > 1:
                lines += wrapped(f"Next step: {message.next_step}", " " * 5)
                lines.append(f"     mprof explain {message.id}")
        lines += _alike(told)
    return "\n".join(lines)


def _alike(told: Told) -> Iterator[str]:
    if len(told.dead) > 1:
        yield f"     {format_count(len(told.dead))} alike:"
        yield from _named(told, " " * 7)


def _named(told: Told, indent: str) -> Iterator[str]:
    for one in told.dead[:_LISTED]:
        yield f"{indent}{one.name}"
    if len(told.dead) > _LISTED:
        hidden = format_count(len(told.dead) - _LISTED)
        yield f"{indent}and {hidden} more, named in the JSON object (--json)"
