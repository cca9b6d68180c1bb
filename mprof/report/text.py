"""The report for a terminal: the headline first, then the evidence, then the detail."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from mprof.report.account import account_rows
from mprof.report.names import (
    CONTAINER_PART_NAMES,
    EVIDENCE_NAMES,
    PROOF_NAMES,
    RUN_NAMES,
    UNIT_WORDS,
    bounds_text,
    curve_name,
    frame_text,
    held_text,
    shown_frames,
    source_text,
    stack_title,
)
from mprof.report.others import other_attempts
from mprof.report.published.container import Container
from mprof.report.published.heap import Curve, StackFrame
from mprof.report.published.report import Report
from mprof.report.sentences import (
    advised_sentences,
    line_words,
    live_part_name,
    messages_of,
    nearness_sentences,
    probes_sentences,
    script_sentence,
    untested,
)
from mprof.report.summary import (
    changes_title,
    code_lines,
    message_in_summary,
    place_text,
    setting_words,
    summary,
)
from mprof.units import format_bytes, format_count, format_ratio

__all__ = ["in_sections", "text_of", "wrapped"]

# What fits on a screen; the rest is in the page and in the JSON object.
WIDTH = 96
MOST_FRAMES = 14
MOST_POINTS = 9
MOST_PROCESSES = 8
_NO_BREAK = "\N{NO-BREAK SPACE}"
_OPTION = re.compile(r"(?<!\S)(-D|--hiveconf|--conf|--driver-memory|SET) ")


def text_of(report: Report) -> str:
    """The whole report as plain text."""
    script, child, related = report.script, report.child, report.error_related_data
    sections: list[tuple[str, Iterable[str]]] = [
        ("", wrapped(summary(report))),
        ("WHAT CAME OF THE ADVICE", _paragraphs(advised_sentences(report.advised))),
        ("HOW NEAR THE LIMIT", _nearness(report)),
        ("CAUSES", _causes(report)),
        ("WHAT THE MESSAGE SAYS", _messages(report, known=False)),
        ("KNOWN OF SUCH CODE", _messages(report, known=True)),
        (stack_title(report).upper(), _stack(report.stack)),
        ("WHAT FILLED THE HEAP", _filled(report)),
        ("THE CHILD PROGRAM", _paragraphs(child.details if child is not None else ())),
        (f"THE {script.unit.upper()}" if script is not None else "", _script(report)),
        ("THE CONTAINER", _container(report.container)),
        ("HOW IT GREW", _growth(report.curves)),
        ("WHAT THE PROBES COST", _paragraphs(probes_sentences(report.probes))),
        (changes_title(report).upper(), _changes(report)),
        ("ERROR-RELATED DATA (NOT A CAUSE)", [f"  {related.text}"] if related is not None else []),
        ("UNDECIDED RULES", _undecided(report)),
        ("OTHER FAILED ATTEMPTS", (f"  {who}: {how}" for who, how in other_attempts(report))),
        ("GAPS IN THE EVIDENCE", _paragraphs(report.losses)),
    ]
    return in_sections(sections)


def in_sections(sections: Iterable[tuple[str, Iterable[str]]]) -> str:
    """Titles with the lines below them; those without a line are left out."""
    bodies = ((title, "\n".join(lines)) for title, lines in sections)
    return "\n\n".join(f"{title}\n{body}" if title else body for title, body in bodies if body)


def wrapped(text: str, indent: str = "") -> list[str]:
    """Lines no wider than the screen; names, paths and settings stay whole, to be copied."""
    lines = textwrap.wrap(
        _OPTION.sub(rf"\1{_NO_BREAK}", text),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_NO_BREAK, " ") for line in lines]


def _paragraphs(sentences: Iterable[str]) -> Iterator[str]:
    for sentence in sentences:
        yield from wrapped(sentence, "  ")


def _causes(report: Report) -> Iterator[str]:
    for number, cause in enumerate(report.causes, 1):
        size = f"  {format_bytes(cause.bytes)} of heap" if cause.bytes else ""
        yield f"  {number}. {cause.name}{size}"
        rule = f"rule {cause.published_as}" if cause.published_as is not None else cause.rule
        yield (
            f"     {cause.cause} ({cause.category}, {rule}): "
            f"{cause.confidence}, {EVIDENCE_NAMES[cause.evidence]}"
        )
        place = place_text(cause.where)
        if place:
            yield f"     {place}"
        for line in code_lines(cause.where):
            yield from wrapped(line, " " * 7)
        yield from wrapped(cause.sentence, " " * 5)


def _messages(report: Report, *, known: bool) -> Iterator[str]:
    """What messages say, or what is known of such code; what the summary has is not said twice."""
    for one in messages_of(report, known=known):
        yield f"  {one.title} ({PROOF_NAMES[one.proof]})"
        if one != message_in_summary(report):
            yield from wrapped(one.sentence, " " * 5)
        if one.next_step:
            yield from wrapped(f"Next step: {one.next_step}", " " * 5)
        yield f"     mprof explain {one.id}"


def _nearness(report: Report) -> Iterator[str]:
    near = report.nearness
    yield from _paragraphs(nearness_sentences(report))
    if near is not None and near.heap_bytes:
        for part in near.parts:
            size, ratio = format_bytes(part.bytes), format_ratio(part.bytes / near.live_bytes)
            yield f"  {size:>9}  {ratio:>5}  {live_part_name(part)}"


def _stack(frames: tuple[StackFrame, ...]) -> Iterator[str]:
    for frame in shown_frames(frames, MOST_FRAMES):
        if isinstance(frame, int):
            yield f"  ... {frame} more"
            continue
        yield f"  at {frame_text(frame)}  {held_text(frame)}".rstrip()
        if frame.source is not None:
            yield f"       {frame.line}: {frame.source}"


def _filled(report: Report) -> Iterator[str]:
    for row in account_rows(report.account, report.position):
        if row.listed:
            yield f"  {format_bytes(row.bytes):>9}  {format_ratio(row.share):>5}  {row.name}"
            yield from wrapped(row.detail, f"{'':>20}")


def _script(report: Report) -> Iterator[str]:
    """Its statements, a line each; the named ones marked."""
    script = report.script
    if script is None or report.death.kind == "none":
        return
    yield from wrapped(script_sentence(script), "  ")
    for one in script.lines:
        where, words = line_words(one)
        yield f"    {where:<9}  {words}{'  <=' if one.named else ''}"


def _container(container: Container | None) -> Iterator[str]:
    if container is None:
        return
    for part in container.parts:
        yield f"  {bounds_text(part):<20}  {CONTAINER_PART_NAMES[part.place]}"
    processes = container.listed
    for one in processes[:MOST_PROCESSES]:
        yield f"  {format_bytes(one.bytes):<20}  {one.name}"
    hidden = processes[MOST_PROCESSES:]
    if hidden:
        size = format_bytes(sum(one.bytes for one in hidden))
        yield f"  {size:<20}  {len(hidden)} more processes"
    yield from _paragraphs(container.sentences)


def _growth(curves: Iterable[Curve]) -> Iterator[str]:
    for curve in curves:
        unit = UNIT_WORDS[curve.unit][1]
        yield f"  {curve_name(curve)}, by number of {unit} ({source_text(curve)})"
        points = [*curve.points, *([curve.death] if curve.death is not None else [])]
        for point in points[-MOST_POINTS:]:
            yield f"    {format_count(point.x):>14}  {format_bytes(point.bytes):>9}"


def _changes(report: Report) -> Iterator[str]:
    for one in report.advice:
        if one.property is not None and one.new is not None:
            old = f"   (was {one.old})" if one.old is not None else ""
            yield f"  {setting_words(report, name=one.property, value=one.new)}{old}"
        yield from wrapped(one.text, "    ")
        if one.predicted_peak_bytes is not None:
            yield f"    predicted peak: {format_bytes(one.predicted_peak_bytes)}"


def _undecided(report: Report) -> Iterator[str]:
    for (missing, run), causes in untested(report).items():
        tells = f"{RUN_NAMES.get(run, 'no run')} would tell"
        if run == "profiled":
            tells = "this mprof rerun did not bring it"
        yield from wrapped(f"{', '.join(causes)}: cannot tell without {missing}; {tells}", "  ")
