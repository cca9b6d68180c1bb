"""The report for a terminal: the verdict first, then the evidence, then the detail."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from mprof.diagnosis import Diagnosed
from mprof.evidence import Composition, Evidence, Holder, Series, known
from mprof.report.verdict import verdict_paragraph, where_text
from mprof.report.words import (
    CAUSE_NAMES,
    OWNER_NAMES,
    RUN_NAMES,
    UNIT_NAMES,
    content_words,
    short_class,
)
from mprof.units import format_bytes, format_count, format_ratio

__all__ = [
    "held_text",
    "large_holders",
    "largest_held",
    "main_series",
    "owner_bytes",
    "render_text",
    "series_name",
]

WIDTH = 96
MOST_FRAMES = 14
MOST_POINTS = 9
MOST_HOLDERS = 5
# What holds less than this explains nothing and only makes the page longer.
LEAST_SHARE = 0.01
# A holder of less than this is not what fills the heap, whatever else does.
LARGEST_SHARE = 0.3
Json = Mapping[str, Any]


def render_text(diagnosed: Diagnosed) -> str:
    """The whole report as plain text."""
    diagnosis = diagnosed.to_json()
    evidence = diagnosed.evidence
    paragraph = verdict_paragraph(
        diagnosis, place=known(evidence.place), largest=largest_held(evidence)
    )
    sections = [
        ("", textwrap.wrap(paragraph, WIDTH)),
        ("CAUSES", list(_causes(diagnosis))),
        ("STACK OF THE DYING THREAD", list(_stack(diagnosis))),
        ("WHAT FILLED THE HEAP", list(_composition(evidence))),
        ("HOW IT GREW", list(_growth(evidence))),
        ("WHAT TO CHANGE", list(_advice(diagnosis))),
        ("ERROR-RELATED DATA", list(_related(diagnosis))),
        ("NOT KNOWN", list(_unknown(diagnosis))),
        ("OTHER FAILED ATTEMPTS", [f"  {a}" for a in _attempts(diagnosis)]),
        ("LOSSES", [f"  {line}" for line in diagnosed.losses]),
    ]
    parts = []
    for title, lines in sections:
        if lines:
            parts.append("\n".join([title, *lines] if title else lines))
    return "\n\n".join(parts)


def _causes(diagnosis: Json) -> Iterator[str]:
    for number, cause in enumerate(diagnosis["causes"], 1):
        size = f"  {format_bytes(cause['bytes'])} of heap" if cause.get("bytes") else ""
        name = CAUSE_NAMES.get(cause["cause"], cause["cause"])
        yield f"  {number}. {name}{size}"
        rule = f"rule {cause['published_as']}" if cause.get("published_as") else cause["rule"]
        yield (
            f"     {cause['cause']}: {cause['category']}, {rule}, "
            f"{cause['confidence']} (by {cause['evidence']})"
        )
        where = where_text(cause.get("where"))
        if where:
            yield f"     {where}"
        yield from textwrap.wrap(
            cause.get("sentence") or "", WIDTH, initial_indent=" " * 5, subsequent_indent=" " * 5
        )


def _stack(diagnosis: Json) -> Iterator[str]:
    frames = diagnosis["stack"]
    for frame in frames[:MOST_FRAMES]:
        line = f":{frame['line']}" if frame.get("line") else ""
        place = f"({frame['file']}{line})" if frame.get("file") else ""
        held = held_text(frame)
        yield f"  at {frame['class']}.{frame['method']}{place}{'  ' if held else ''}{held}"
    if len(frames) > MOST_FRAMES:
        yield f"  ... {len(frames) - MOST_FRAMES} more"


def held_text(frame: Json) -> str:
    """``=> 411 MB, 80 %`` for a frame whose locals reach a share worth showing."""
    share = frame.get("share") or 0
    if share < LEAST_SHARE:
        return ""
    return f"=> {format_bytes(frame['bytes'])}, {format_ratio(share)}"


def large_holders(evidence: Evidence) -> tuple[Holder, ...]:
    """The holders worth a line, largest first."""
    composition = known(evidence.composition)
    least = LEAST_SHARE * composition.total_bytes if composition is not None else 0
    return tuple(one for one in known(evidence.holders) or () if one.bytes >= least)


def largest_held(evidence: Evidence) -> str | None:
    """Who holds most of the heap, where one object of the user's or Hadoop does; it is no cause."""
    composition, holders = known(evidence.composition), known(evidence.holders)
    own = [one for one in holders or () if one.owner in {"user", "external"}]
    if composition is None or not composition.total_bytes:
        return None
    buffer = known(evidence.map_buffer) if evidence.map_buffer is not None else None
    sorting = buffer.requested_bytes if buffer is not None and buffer.allocated else 0
    no_buffer = composition.framework_bytes - sorting - composition.shuffle_bytes
    if no_buffer >= LARGEST_SHARE * composition.total_bytes:
        size = f"{format_bytes(no_buffer)}, {format_ratio(no_buffer / composition.total_bytes)}"
        return (
            f"Most of it are objects of Hadoop's own: {size} of what was live, none of it in a "
            "buffer. What user code opens there and never closes is among them: file systems, "
            "readers and writers."
        )
    if not own:
        return None
    most = max(own, key=lambda one: one.bytes)
    share = most.bytes / composition.total_bytes
    if share < LARGEST_SHARE:
        return None
    size = f"{format_bytes(most.bytes)}, {format_ratio(share)} of what was live"
    return f"Most of it is held through {most.path}: {size}."


def _composition(evidence: Evidence) -> Iterator[str]:
    composition = known(evidence.composition)
    if composition is None:
        return
    total = composition.total_bytes or 1
    for owner, size in owner_bytes(composition):
        if size >= LEAST_SHARE * total:
            name = OWNER_NAMES.get(owner, owner)
            yield f"  {name:<24}{format_bytes(size):>9}  {format_ratio(size / total):>5}"
    for holder in large_holders(evidence)[:MOST_HOLDERS]:
        entries = content_words(holder.class_name, holder.length, holder.element_class)
        site = f" in {holder.site.class_name}.{holder.site.method}" if holder.site else ""
        yield (
            f"  {format_bytes(holder.bytes):>9}  {short_class(holder.class_name)}{entries}: "
            f"{holder.path}{site}"
        )


def owner_bytes(composition: Composition) -> tuple[tuple[str, int], ...]:
    """(owner, bytes) from user objects down to the rest."""
    return (
        ("user", composition.user_bytes),
        ("external", composition.external_bytes),
        ("record", composition.record_bytes),
        ("output", composition.output_bytes),
        ("serialization", composition.serialization_bytes),
        ("framework", composition.framework_bytes),
        ("other", composition.other_bytes),
    )


def _growth(evidence: Evidence) -> Iterator[str]:
    for series in main_series(evidence):
        points = sorted(series.points, key=lambda p: p.x)
        if series.at_death is not None:
            points.append(series.at_death)
        over = UNIT_NAMES.get(series.unit, series.unit)
        yield f"  {series_name(evidence, series)}, over {over} ({series.source})"
        for point in points[-MOST_POINTS:]:
            yield f"    {format_count(point.x):>14}  {format_bytes(point.size_bytes):>9}"


def series_name(evidence: Evidence, series: Series) -> str:
    """Whose curve it is: a holder's, that of a class in histograms, or of the whole live heap."""
    holder = evidence.holder(series.holder)
    if holder is not None:
        return holder.path
    if series.class_name is not None and series.holder is None:
        return f"all objects of class {series.class_name}"
    return "live heap" if series.holder is None else str(series.holder)


def main_series(evidence: Evidence) -> tuple[Series, ...]:
    """The curves worth showing: measured ones first, the largest at their end first, three."""
    order = {"dump": 0, "histogram": 1, "passive": 2}

    def last(series: Series) -> float:
        at_end = [series.at_death] if series.at_death else list(series.points[-1:])
        return at_end[0].size_bytes if at_end else 0.0

    ranked = sorted(
        (s for s in evidence.series if s.points), key=lambda s: (order[s.source], -last(s))
    )
    return tuple(ranked[:3])


def _advice(diagnosis: Json) -> Iterator[str]:
    for advice in diagnosis["advice"]:
        if advice.get("property"):
            old = f"   (was {advice['old']})" if advice.get("old") is not None else ""
            yield f"  -D {advice['property']}={advice['new']}{old}"
        yield from textwrap.wrap(
            advice["text"], WIDTH, initial_indent="    ", subsequent_indent="    "
        )
        if advice.get("predicted_peak_bytes"):
            yield f"    predicted peak {format_bytes(advice['predicted_peak_bytes'])}"


def _related(diagnosis: Json) -> Iterator[str]:
    related = diagnosis.get("error_related_data")
    if related:
        yield f"  {related.get('text') or related} (no cause named)"


def _unknown(diagnosis: Json) -> Iterator[str]:
    for unknown in diagnosis["unknown"]:
        run = RUN_NAMES.get(unknown["run_that_would_tell"], "no run would tell")
        yield f"  rule {unknown['rule']}: cannot tell without {unknown['missing']} ({run})"


def _attempts(diagnosis: Json) -> Iterator[str]:
    for attempt in diagnosis["attempts"]:
        if isinstance(attempt, str):
            yield attempt
        else:
            yield f"{attempt.get('id') or 'one'}: {attempt.get('line') or attempt.get('death')}"
