"""The report as one offline HTML file: no script, no network, light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from markupsafe import Markup

from mprof.report.account import AccountRow, account_rows
from mprof.report.charts import Bar, Curve, Part, bars_svg, composition_svg, curves_svg
from mprof.report.names import (
    CONTAINER_PART_NAMES,
    EVIDENCE_NAMES,
    PROOF_NAMES,
    RUN_NAMES,
    UNIT_NAMES,
    bounds_text,
    curve_name,
    frame_text,
    held_text,
    source_text,
)
from mprof.report.page import Picture, page
from mprof.report.published.cause import Cause, Where
from mprof.report.published.container import Container
from mprof.report.published.data import Groups, Measure, Partitions
from mprof.report.published.report import Report
from mprof.report.sentences import (
    advised_sentences,
    line_words,
    live_part_name,
    nearness_sentences,
    probes_sentences,
    script_sentence,
    undecided,
)
from mprof.report.summary import called_text, code_text, setting_words, summary
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


def page_of(report: Report) -> str:
    """The report as a page."""
    job, script, related = report.job, report.script, report.error_related_data
    name = " ".join(filter(None, (job.name, job.id) if job is not None else ()))
    account = account_rows(report.account)
    if report.death.kind == "none":
        script = None
    return page(
        "report",
        title=f"mprof: {name or 'heap dump'}",
        heading=name or "no job",
        paragraph=summary(report),
        fine=report.death.end == "finished",
        facts=list(_facts(report)),
        advised=advised_sentences(report.advised),
        nearness=_nearness(report),
        causes=[_cause(one) for one in report.causes],
        messages=list(_messages(report)),
        settings="\n".join(_settings(report)),
        advice=list(dict.fromkeys(_advice(report))),
        growth=_growth(report),
        filled=_filled(account),
        child=report.child.details if report.child is not None else (),
        script=script_sentence(script) if script is not None else "",
        script_title=f"The {script.unit}" if script is not None else "",
        statements=[(*line_words(one), one.named)
                    for one in (script.lines if script is not None else ())],
        container=_container(report.container),
        room=report.container.sentences if report.container is not None else (),
        account=[(one.name, one.detail, format_bytes(one.bytes), format_ratio(one.share))
                 for one in account],
        skew=[*_partitions(report.partitions), *_groups(report.groups)],
        stack=[(frame_text(one), held_text(one)) for one in report.stack[:MOST_FRAMES]],
        related=related.text if related is not None else None,
        undecided=[(causes, missing, RUN_NAMES.get(run, "no run"))
                   for (missing, run), causes in undecided(report).items()],
        attempts=report.attempts,
        probes=probes_sentences(report.probes),
        losses=report.losses,
    )  # fmt: skip


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    if report.attempt is not None and report.attempt.id is not None:
        yield "attempt", report.attempt.id
    if report.death.end == "died":
        yield "kind of death", report.death.kind
    for name, size in (
        ("max heap", report.memory.max_heap_bytes),
        ("live at death", report.memory.live_bytes),
        ("container", report.memory.container_bytes),
    ):
        if size is not None:
            yield name, format_bytes(size)
    if report.input_read is not None:
        yield "input read", format_ratio(report.input_read)


def _messages(report: Report) -> Iterator[tuple[str, list[tuple[str, str, str, str, str]]]]:
    """What messages say, and apart from it what is known of such code."""
    for heading, known in (("What the message says", False), ("Known of such code", True)):
        said = [
            (one.title, PROOF_NAMES[one.proof], one.sentence, one.next_step or "", one.id)
            for one in report.messages
            if (one.proof == "known to") is known
        ]
        if said:
            yield heading, said


def _nearness(report: Report) -> dict[str, object] | None:
    near = report.nearness
    if near is None or not near.heap_bytes:
        return None
    parts = [
        (live_part_name(one), format_bytes(one.bytes), format_ratio(one.bytes / near.live_bytes))
        for one in near.parts
    ]
    return {"sentences": list(nearness_sentences(report)), "parts": parts}


def _cause(cause: Cause) -> _Cause:
    name = cause.name
    return _Cause(
        name=name[0].upper() + name[1:],
        size=f"{format_bytes(cause.bytes)} of heap" if cause.bytes else "",
        confidence=cause.confidence,
        tags=(cause.category, EVIDENCE_NAMES[cause.evidence]),
        id=cause.cause,
        sentence=cause.sentence,
        steps=tuple(filter(None, _steps(cause.where))),
    )


def _steps(where: Where | None) -> Iterator[str]:
    """From the step of the job to the object that it holds; empty for what is not known."""
    if where is None or not where.class_name:
        return
    statement = where.statement.words if where.statement is not None else ""
    yield statement or called_text(where)
    yield code_text(where)
    yield where.path


def _settings(report: Report) -> Iterator[str]:
    for one in report.advice:
        # What is copied from here is the cure; first aid stands beside its text.
        if one.property is not None and one.new is not None and not one.first_aid:
            old = f"   # was {one.old}" if one.old is not None else ""
            yield f"{setting_words(report, name=one.property, value=one.new)}{old}"


def _advice(report: Report) -> Iterator[str]:
    for one in report.advice:
        peak = one.predicted_peak_bytes
        predicted = f" Predicted peak: {format_bytes(peak)}." if peak is not None else ""
        setting = ""
        if one.first_aid and one.property is not None and one.new is not None:
            setting = f" {setting_words(report, name=one.property, value=one.new)}"
        yield f"{one.text}{predicted}{setting}"


def _growth(report: Report) -> Picture | None:
    # In one picture those over the unit of the first.
    shown = [one for one in report.curves if one.unit == report.curves[0].unit]
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
        curves, x_title=unit, limit_bytes=report.memory.max_heap_bytes, limit_title="max heap"
    )
    ringed = any(curve.death is not None for curve in curves)
    caption = f"Size by number of {unit}." + (" A ring marks the death." if ringed else "")
    return Picture("How it grew", svg, caption)


def _filled(account: tuple[AccountRow, ...]) -> Markup | None:
    if not account:
        return None
    parts = [
        Part(
            style=row.style,
            ratio=row.share,
            legend=f"{row.name} {format_bytes(row.bytes)}" if row.in_legend else None,
        )
        for row in account
    ]
    return composition_svg(parts, title="What filled the heap")


def _container(container: Container | None) -> list[tuple[str, str]]:
    """What each part of the container took, and each process in it."""
    if container is None:
        return []
    return [
        *((CONTAINER_PART_NAMES[one.place], bounds_text(one)) for one in container.parts),
        *((one.name, format_bytes(one.bytes)) for one in container.listed[:MOST_PROCESSES]),
    ]


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
