"""The report as one offline HTML file: no script, no network, light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from markupsafe import Markup

from mprof.report import names, sentences
from mprof.report.account import AccountRow, account_rows
from mprof.report.charts import Bar, Curve, Part, bars_svg, composition_svg, curves_svg
from mprof.report.names import UNIT_WORDS, curve_name, source_text
from mprof.report.others import other_attempts
from mprof.report.page import Picture, page
from mprof.report.published.cause import Where
from mprof.report.published.data import Groups, Measure, Partitions
from mprof.report.published.report import Report
from mprof.report.summary import (
    called_text,
    changes_title,
    code_lines,
    code_text,
    setting_words,
    summary,
)
from mprof.units import format_bytes, format_count, format_ratio, list_in_words

__all__ = ["page_of"]

STYLES = ("user", "other", "third")
SIZE_TEXT: dict[Measure, Callable[[float], str]] = {
    "bytes": format_bytes,
    "records": format_count,
}


def page_of(report: Report) -> str:
    """The report as a page."""
    job, script = report.job, report.script
    name = " ".join(filter(None, (job.name, job.id) if job is not None else ()))
    account = account_rows(report.account, report.position)
    if report.death.kind == "none":
        script = None
    return page(
        "report",
        title=f"mprof: {name or 'heap dump'}",
        heading=name or "no job",
        paragraph=summary(report),
        fine=report.death.end == "finished",
        facts=list(_facts(report)),
        nearness=list(sentences.nearness_sentences(report)),
        messages=[
            (heading, sentences.messages_of(report, known=known))
            for heading, known in (("What the message says", False), ("Known of such code", True))
        ],
        settings="\n".join(_settings(report)),
        advice=list(dict.fromkeys(_advice(report))),
        growth=_growth(report),
        filled=_filled(account),
        script=script,
        account=account,
        skew=[*_partitions(report.partitions), *_groups(report.groups)],
        report=report,
        names=names,
        sentences=sentences,
        changes_title=changes_title,
        steps=_steps,
        code_lines=code_lines,
        other_attempts=other_attempts,
        size=format_bytes,
        ratio=format_ratio,
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


def _steps(where: Where | None) -> list[str]:
    """From the step of the job to the object that it holds."""
    if where is None or not where.class_name:
        return []
    statement = where.statement.words if where.statement is not None else ""
    held = list_in_words((where.path, *where.beside))
    return [*filter(None, (statement or called_text(where), code_text(where), held))]


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
    unit = UNIT_WORDS[shown[0].unit][1]
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
