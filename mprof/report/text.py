"""The report for a terminal: the headline first, then the evidence, then the detail."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from mprof.report.headline import headline, message_in_headline, place_text
from mprof.report.nearness import nearness_sentences, peak_part_name
from mprof.report.view import (
    CauseView,
    Change,
    ChildView,
    ContainerView,
    CurveView,
    DiagnosisView,
    FrameView,
    Nearness,
    ProbesView,
    ScriptView,
    Undecided,
)
from mprof.report.words import (
    EVIDENCE_NAMES,
    PROOF_NAMES,
    RUN_NAMES,
    UNIT_NAMES,
    bounds_text,
    curve_name,
    frame_text,
    probes_text,
    script_sentence,
    share_text,
    source_text,
    statement_words,
)
from mprof.units import format_bytes, format_count, format_ratio

__all__ = ["text_of", "wrapped"]

# What fits on a screen; the rest is in the page and in the JSON object.
WIDTH = 96
MOST_FRAMES = 14
MOST_POINTS = 9
MOST_PROCESSES = 8
_NO_BREAK = "\N{NO-BREAK SPACE}"
_OPTION = re.compile(r"(?<!\S)(-D|--hiveconf) ")


def text_of(view: DiagnosisView) -> str:
    """The whole report as plain text."""
    related = [view.related] if view.related is not None else []
    sections: list[tuple[str, Iterable[str]]] = [
        ("", wrapped(headline(view))),
        ("WHAT CAME OF THE ADVICE", (line for one in view.advised for line in wrapped(one, "  "))),
        ("HOW NEAR THE LIMIT", _nearness(view.nearness)),
        ("CAUSES", _causes(view.causes)),
        ("WHAT THE MESSAGE SAYS", _messages(view, known=False)),
        ("KNOWN OF SUCH CODE", _messages(view, known=True)),
        ("STACK OF THE FAILING THREAD", _stack(view.stack)),
        ("WHAT FILLED THE HEAP", _filled(view)),
        ("THE CHILD PROGRAM", _child(view.child)),
        (f"THE {view.script.unit.upper()}" if view.script else "", _script(view.script)),
        ("THE CONTAINER", _container(view.container)),
        ("HOW IT GREW", _growth(view.curves)),
        ("WHAT THE PROBES COST", _probes(view.probes)),
        ("WHAT TO CHANGE", _changes(view.changes)),
        ("ERROR-RELATED DATA (NOT A CAUSE)", (f"  {one}" for one in related)),
        ("UNDECIDED RULES", _undecided(view.undecided)),
        ("OTHER FAILED ATTEMPTS", (f"  {one.attempt_id}: {one.line}" for one in view.attempts)),
        ("GAPS IN THE EVIDENCE", (line for loss in view.losses for line in wrapped(loss, "  "))),
    ]
    parts = []
    for title, lines in sections:
        body = "\n".join(lines)
        if body:
            parts.append(f"{title}\n{body}" if title else body)
    return "\n\n".join(parts)


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


def _causes(causes: Iterable[CauseView]) -> Iterator[str]:
    for number, cause in enumerate(causes, 1):
        size = f"  {format_bytes(cause.bytes)} of heap" if cause.bytes else ""
        yield f"  {number}. {cause.name}{size}"
        rule = f"rule {cause.rule}" if cause.published else cause.rule
        yield (
            f"     {cause.cause} ({cause.category}, {rule}): "
            f"{cause.confidence}, {EVIDENCE_NAMES[cause.evidence]}"
        )
        place = place_text(cause.where)
        if place:
            yield f"     {place}"
        yield from wrapped(cause.sentence, " " * 5)


def _messages(view: DiagnosisView, *, known: bool) -> Iterator[str]:
    """What messages say, or what is known of such code; what the headline has is not said twice."""
    for one in view.messages:
        if (one.proof == "known to") is not known:
            continue
        yield f"  {one.title} ({PROOF_NAMES[one.proof]})"
        if one != message_in_headline(view):
            yield from wrapped(one.sentence, " " * 5)
        if one.next_step:
            yield from wrapped(f"Next step: {one.next_step}", " " * 5)
        yield f"     mprof explain {one.id}"


def _nearness(near: Nearness | None) -> Iterator[str]:
    if near is None:
        return
    for sentence in nearness_sentences(near):
        yield from wrapped(sentence, "  ")
    for part in near.parts:
        size, ratio = format_bytes(part.share.bytes), format_ratio(part.share.ratio)
        yield f"  {size:>9}  {ratio:>5}  {peak_part_name(part)}"


def _stack(frames: tuple[FrameView, ...]) -> Iterator[str]:
    for frame in frames[:MOST_FRAMES]:
        held = f"  => {share_text(frame.held)}" if frame.held is not None else ""
        yield f"  at {frame_text(frame)}{held}"
    hidden = frames[MOST_FRAMES:]
    if hidden:
        yield f"  ... {len(hidden)} more"


def _filled(view: DiagnosisView) -> Iterator[str]:
    for row in view.account:
        if row.listed:
            size, ratio = format_bytes(row.share.bytes), format_ratio(row.share.ratio)
            yield f"  {size:>9}  {ratio:>5}  {row.name}"
            yield from wrapped(row.detail, f"{'':>20}")


def _child(child: ChildView | None) -> Iterator[str]:
    for sentence in child.details if child is not None else ():
        yield from wrapped(sentence, "  ")


def _script(script: ScriptView | None) -> Iterator[str]:
    """Its statements, a line each; the named ones marked."""
    if script is None:
        return
    yield from wrapped(script_sentence(script), "  ")
    for one in script.statements:
        where, words = statement_words(one)
        yield f"    {where:<9}  {words}{'  <=' if one.named else ''}"


def _container(container: ContainerView | None) -> Iterator[str]:
    if container is None:
        return
    for part in (*container.parts, *container.processes[:MOST_PROCESSES]):
        yield f"  {bounds_text(part):<20}  {part.name}"
    hidden = container.processes[MOST_PROCESSES:]
    if hidden:
        size = format_bytes(sum(one.most_bytes for one in hidden))
        yield f"  {size:<20}  {len(hidden)} more processes"
    for sentence in container.room:
        yield from wrapped(sentence, "  ")


def _growth(curves: Iterable[CurveView]) -> Iterator[str]:
    for curve in curves:
        unit = UNIT_NAMES[curve.unit]
        yield f"  {curve_name(curve)}, by number of {unit} ({source_text(curve)})"
        points = [*curve.points, *([curve.death] if curve.death is not None else [])]
        for point in points[-MOST_POINTS:]:
            yield f"    {format_count(point.x):>14}  {format_bytes(point.bytes):>9}"


def _probes(probes: ProbesView | None) -> Iterator[str]:
    for sentence in probes_text(probes) if probes is not None else ():
        yield from wrapped(sentence, "  ")


def _changes(changes: Iterable[Change]) -> Iterator[str]:
    for change in changes:
        if change.setting is not None:
            setting = change.setting
            old = f"   (was {setting.old})" if setting.old is not None else ""
            yield f"  {setting.words}{old}"
        yield from wrapped(change.text, "    ")
        if change.predicted_peak_bytes is not None:
            yield f"    predicted peak: {format_bytes(change.predicted_peak_bytes)}"


def _undecided(rules: Iterable[Undecided]) -> Iterator[str]:
    for one in rules:
        run = RUN_NAMES.get(one.run, "no run")
        yield from wrapped(
            f"{', '.join(one.causes)}: cannot tell without {one.missing}; {run} would tell", "  "
        )
