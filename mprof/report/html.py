"""The report as one offline HTML file: no script, no network, light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from markupsafe import Markup

from mprof.report.charts import Bar, Curve, Part, bars_svg, composition_svg, curves_svg
from mprof.report.headline import headline
from mprof.report.nearness import nearness_sentences, peak_part_name
from mprof.report.page import Picture, page
from mprof.report.view import (
    CauseView,
    ContainerView,
    DiagnosisView,
    FrameView,
    Groups,
    Limits,
    Measure,
    Nearness,
    Partitions,
    Place,
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

__all__ = ["page_of"]

MOST_FRAMES = 40
MOST_PROCESSES = 20
STYLES = ("user", "other", "third")
SIZE_TEXT: dict[Measure, Callable[[float], str]] = {
    "bytes": format_bytes,
    "records": format_count,
}


@dataclass(frozen=True, slots=True)
class _Cause:
    """A cause as the template prints it."""

    name: str
    size: str
    confidence: str
    tags: tuple[str, ...]
    id: str
    sentence: str
    steps: tuple[str, ...]


def page_of(view: DiagnosisView) -> str:
    """The report as a page."""
    death = view.death
    job = " ".join(part for part in (death.job_name, death.job_id) if part)
    return page(
        "report",
        title=f"mprof: {job or 'heap dump'}",
        heading=job or "no job",
        paragraph=headline(view),
        fine=death.outcome == "finished",
        facts=[*_task(view), *_limits(view.limits)],
        advised=view.advised,
        nearness=_nearness(view.nearness),
        causes=[_cause(one) for one in view.causes],
        messages=list(_messages(view)),
        settings="\n".join(_settings(view)),
        advice=list(dict.fromkeys(_advice(view))),
        growth=_growth(view),
        filled=_filled(view),
        child=view.child.details if view.child is not None else (),
        script=script_sentence(view.script) if view.script is not None else "",
        script_title=f"The {view.script.unit}" if view.script is not None else "",
        statements=[(*statement_words(one), one.named)
                    for one in (view.script.statements if view.script is not None else ())],
        container=_container(view.container),
        room=view.container.room if view.container is not None else (),
        account=[(one.name, one.detail, format_bytes(one.share.bytes),
                  format_ratio(one.share.ratio)) for one in view.account],
        skew=[*_partitions(view.partitions), *_groups(view.groups)],
        stack=[_frame(one) for one in view.stack[:MOST_FRAMES]],
        related=view.related,
        undecided=[(one.causes, one.missing, RUN_NAMES.get(one.run, "no run"))
                   for one in view.undecided],
        attempts=view.attempts,
        probes=probes_text(view.probes) if view.probes is not None else (),
        losses=view.losses,
    )  # fmt: skip


def _task(view: DiagnosisView) -> Iterator[tuple[str, str]]:
    if view.death.attempt_id is not None:
        yield "attempt", view.death.attempt_id
    if view.death.outcome == "died":
        yield "kind of death", view.death.kind


def _messages(view: DiagnosisView) -> Iterator[tuple[str, list[tuple[str, str, str, str, str]]]]:
    """What messages say, and apart from it what is known of such code."""
    for heading, known in (("What the message says", False), ("Known of such code", True)):
        told = [
            (one.title, PROOF_NAMES[one.proof], one.sentence, one.next_step, one.id)
            for one in view.messages
            if (one.proof == "known to") is known
        ]
        if told:
            yield heading, told


def _nearness(near: Nearness | None) -> dict[str, object] | None:
    if near is None:
        return None
    parts = [
        (peak_part_name(one), format_bytes(one.share.bytes), format_ratio(one.share.ratio))
        for one in near.parts
    ]
    return {"sentences": nearness_sentences(near), "parts": parts}


def _limits(limits: Limits) -> Iterator[tuple[str, str]]:
    for name, size in (
        ("max heap", limits.max_heap_bytes),
        ("live at death", limits.live_bytes),
        ("container", limits.container_bytes),
    ):
        if size is not None:
            yield name, format_bytes(size)
    if limits.input_read is not None:
        yield "input read", format_ratio(limits.input_read)


def _cause(cause: CauseView) -> _Cause:
    name = cause.name
    return _Cause(
        name=name[0].upper() + name[1:],
        size=f"{format_bytes(cause.bytes)} of heap" if cause.bytes else "",
        confidence=cause.confidence,
        tags=(cause.category, EVIDENCE_NAMES[cause.evidence]),
        id=cause.cause,
        sentence=cause.sentence,
        steps=tuple(_steps(cause.where)),
    )


def _steps(place: Place | None) -> Iterator[str]:
    if place is None:
        return
    method = f".{place.method}" if place.method else ""
    line = f":{place.line}" if place.line else ""
    file = f" ({place.file}{line})" if place.file else ""
    if place.script:
        yield place.script
    elif place.called_by:
        yield place.called_by
    yield f"{place.class_name}{method}{file}"
    if place.path:
        yield place.path


def _settings(view: DiagnosisView) -> Iterator[str]:
    for change in view.changes:
        setting = change.setting
        # What is copied from here is the cure; first aid stands beside its text.
        if setting is not None and not change.first_aid:
            old = f"   # was {setting.old}" if setting.old is not None else ""
            yield f"{setting.words}{old}"


def _advice(view: DiagnosisView) -> Iterator[str]:
    for change in view.changes:
        peak = change.predicted_peak_bytes
        predicted = f" Predicted peak: {format_bytes(peak)}." if peak is not None else ""
        aid = change.setting if change.first_aid else None
        setting = f" {aid.words}" if aid is not None else ""
        yield f"{change.text}{predicted}{setting}"


def _growth(view: DiagnosisView) -> Picture | None:
    shown = view.on_one_axis
    if not shown:
        return None
    curves = [
        Curve(
            name=f"{curve_name(curve)} ({source_text(curve)})",
            points=tuple((point.x, point.bytes) for point in curve.points),
            style="live" if curve.of is None else style,
            death=(curve.death.x, curve.death.bytes) if curve.death is not None else None,
        )
        for style, curve in zip(STYLES, shown, strict=False)
    ]
    unit = UNIT_NAMES[shown[0].unit]
    svg = curves_svg(
        curves, x_title=unit, limit_bytes=view.limits.max_heap_bytes, limit_title="max heap"
    )
    ringed = any(curve.death is not None for curve in curves)
    caption = f"Size by number of {unit}." + (" A ring marks the death." if ringed else "")
    return Picture("How it grew", svg, caption)


def _filled(view: DiagnosisView) -> Markup | None:
    if not view.account:
        return None
    parts = [
        Part(
            style=row.style,
            ratio=row.share.ratio,
            legend=f"{row.name} {format_bytes(row.share.bytes)}" if row.in_legend else None,
        )
        for row in view.account
    ]
    return composition_svg(parts, title="What filled the heap")


def _container(container: ContainerView | None) -> list[tuple[str, str]]:
    """What each part of the container took, and each process in it."""
    if container is None:
        return []
    shown = (*container.parts, *container.processes[:MOST_PROCESSES])
    return [(part.name, bounds_text(part)) for part in shown]


def _partitions(partitions: Partitions | None) -> Iterator[Picture]:
    if partitions is None:
        return
    text = SIZE_TEXT[partitions.measure]
    bars = [
        Bar(f"partition {one.index}", float(one.size), text(one.size), marked=one.own)
        for one in partitions.shown
    ]
    hidden = partitions.count - len(bars)
    largest = f" The {len(bars) - 1} largest others of {partitions.count - 1} are shown."
    caption = (
        f"Input of each reducer in {partitions.measure}, from {partitions.source}; the failed "
        f"reducer's partition is highlighted.{largest if hidden else ''}"
    )
    yield _picture("Partitions", bars, caption)


def _groups(groups: Groups | None) -> Iterator[Picture]:
    if groups is None:
        return
    text = SIZE_TEXT[groups.measure]
    bars = [
        Bar("group at death", groups.at_death, text(groups.at_death), marked=True),
        Bar("largest other group", groups.largest_other, text(groups.largest_other)),
        Bar("upper quartile", groups.upper_quartile, text(groups.upper_quartile)),
        Bar("median", groups.median, text(groups.median)),
    ]
    whose = " of all reducers" if groups.all_reducers else ""
    others = f"{format_count(groups.others)} other groups{whose}"
    caption = f"The group at death beside {others}, in {groups.measure}."
    yield _picture("Groups", bars, caption)


def _picture(title: str, bars: list[Bar], caption: str) -> Picture:
    return Picture(title, bars_svg(bars, title=title), caption)


def _frame(frame: FrameView) -> tuple[str, str]:
    held = f"=> {share_text(frame.held)}" if frame.held is not None else ""
    return frame_text(frame), held
