"""The report as one offline HTML file: no script, no network, light and dark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jinja2
from markupsafe import Markup

from mprof import __version__
from mprof.diagnosis import Diagnosed
from mprof.evidence import Evidence, GroupSizes, Partitions, Unknown, known
from mprof.report.charts import Bar, Curve, bars_svg, composition_svg, curves_svg
from mprof.report.text import (
    held_text,
    large_holders,
    largest_held,
    main_series,
    owner_bytes,
    series_name,
)
from mprof.report.verdict import verdict_paragraph
from mprof.report.words import (
    CAUSE_NAMES,
    OWNER_NAMES,
    UNIT_NAMES,
    content_words,
    short_class,
)
from mprof.units import format_bytes, format_count, format_ratio

__all__ = ["render_html"]

MOST_HOLDERS = 6
MOST_FRAMES = 40
STYLES = ("user", "other", "live")
Json = Mapping[str, Any]

_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("mprof.report"),
    autoescape=True,
    trim_blocks=False,
    undefined=jinja2.StrictUndefined,
)


def render_html(diagnosed: Diagnosed) -> str:
    """The report as a page."""
    diagnosis = diagnosed.to_json()
    evidence = diagnosed.evidence
    job = diagnosis["job"] or {}
    job_line = " ".join(str(part) for part in (job.get("name"), job.get("id")) if part)
    return _ENVIRONMENT.get_template(
        "report.html.j2"
    ).render(
        title=f"mprof: {job_line or 'heap dump'}",
        job_line=job_line or "no job known",
        paragraph=verdict_paragraph(
            diagnosis, place=known(evidence.place), largest=largest_held(evidence)
        ),
        fine=diagnosis["death"]["kind"] == "none",
        facts=_facts(diagnosis, evidence),
        causes=[_cause(cause) for cause in diagnosis["causes"]],
        advice=list(dict.fromkeys(a["text"] for a in diagnosis["advice"])),
        settings=_settings(diagnosis),
        curve=Markup(_curve(evidence)),  # noqa: S704 - our own SVG, its texts are escaped
        curve_caption=_curve_caption(evidence),
        composition=Markup(_composition(evidence)),  # noqa: S704 - as above
        holders=_holders(evidence),
        skew=_skew(evidence),
        stack=[_frame(frame) for frame in diagnosis["stack"][:MOST_FRAMES]],
        related=(diagnosis.get("error_related_data") or {}).get("text"),
        unknown=diagnosis["unknown"],
        losses=diagnosed.losses,
        attempts=[a["id"] for a in diagnosis["attempts"]],
        version=__version__,
    )


def _facts(diagnosis: Json, evidence: Evidence) -> list[tuple[str, str]]:
    memory = evidence.memory
    facts = [("attempt", (diagnosis["attempt"] or {}).get("id"))]
    for name, size in (
        ("heap", memory.heap_max_bytes),
        ("live at death", memory.live_bytes_at_death),
        ("container", memory.container_bytes),
    ):
        facts.append((name, None if isinstance(size, Unknown) else format_bytes(size)))
    facts.append(("death", diagnosis["death"]["kind"]))
    progress = known(evidence.progress)
    facts.append(("input read", format_ratio(progress.done) if progress else None))
    return [(name, value) for name, value in facts if value]


def _cause(cause: Json) -> dict[str, Any]:
    where = cause.get("where") or {}
    steps = []
    if where.get("class"):
        line = f":{where['line']}" if where.get("line") else ""
        file = f" ({where['file']}{line})" if where.get("file") else ""
        method = f".{where['method']}" if where.get("method") else ""
        steps = [f"{short_class(where['class'])}{method}{file}"]
        steps += [step for step in (where.get("path") or "").split(" -> ") if step]
    return {
        "id": cause["cause"],
        "name": CAUSE_NAMES.get(cause["cause"], cause["cause"]),
        "size": f"{format_bytes(cause['bytes'])} of heap" if cause.get("bytes") else None,
        "confidence": cause["confidence"],
        "category": cause["category"],
        "evidence": f"by {cause['evidence']}",
        "sentence": cause.get("sentence"),
        "steps": steps,
    }


def _settings(diagnosis: Json) -> str:
    lines = []
    for advice in diagnosis["advice"]:
        if advice.get("property"):
            old = f"   # was {advice['old']}" if advice.get("old") is not None else ""
            lines.append(f"-D {advice['property']}={advice['new']}{old}")
    return "\n".join(lines)


def _curve(evidence: Evidence) -> str:
    shown = main_series(evidence)
    if not shown:
        return ""
    unit = shown[0].unit
    curves = []
    for style, series in zip(STYLES, (s for s in shown if s.unit == unit), strict=False):
        points = sorted((p.x, p.size_bytes) for p in series.points)
        curves.append(
            Curve(
                name=series_name(evidence, series),
                points=tuple(points),
                style="live" if series.holder is None else style,
                death=(series.at_death.x, series.at_death.size_bytes) if series.at_death else None,
            )
        )
    return curves_svg(
        curves,
        x_title=UNIT_NAMES.get(unit, unit),
        limit_bytes=known(evidence.memory.heap_max_bytes),
        limit_title="heap limit",
    )


def _curve_caption(evidence: Evidence) -> str:
    source = {
        "dump": "Sizes from heap dumps made at these points; the ring is the death.",
        "histogram": "Sizes from live class histograms; the ring is the death.",
        "passive": "Live heap after the collections that happened anyway; the ring is the death.",
    }
    shown = main_series(evidence)
    return source[shown[0].source] if shown else ""


def _composition(evidence: Evidence) -> str:
    composition = known(evidence.composition)
    if composition is None:
        return ""
    parts = [(OWNER_NAMES.get(o, o), o, float(size)) for o, size in owner_bytes(composition)]
    return composition_svg(parts, total=float(composition.total_bytes or 1))


def _holders(evidence: Evidence) -> list[dict[str, str]]:
    shown = []
    for holder in large_holders(evidence)[:MOST_HOLDERS]:
        entries = content_words(holder.class_name, holder.length, holder.element_class)
        shown.append(
            {
                "path": holder.path,
                "what": f"{short_class(holder.class_name)}{entries}",
                "size": format_bytes(holder.bytes),
            }
        )
    return shown


def _skew(evidence: Evidence) -> list[dict[str, Any]]:
    pictures = []
    partitions = known(evidence.partitions)
    if isinstance(partitions, Partitions):
        pictures.append(_partition_picture(partitions))
    groups = known(evidence.groups)
    if isinstance(groups, GroupSizes):
        pictures.append(_group_picture(groups))
    return [p for p in pictures if p and p["svg"]]


def _partition_picture(partitions: Partitions) -> dict[str, Any] | None:
    text: Callable[[float], str] = format_bytes
    sizes = known(partitions.bytes)
    if sizes is None:
        sizes, text = known(partitions.records), format_count
    if sizes is None or len(sizes) < 2:
        return None
    bars = [
        Bar(f"partition {i}", float(size), text(size), marked=i == partitions.own)
        for i, size in enumerate(sizes)
    ]
    ranked = sorted(bars, key=lambda b: (-b.marked, -b.value))
    return {
        "title": "Partitions",
        "svg": Markup(bars_svg(ranked, title="Partitions")),  # noqa: S704 - our own SVG
        "caption": f"What each reducer gets, from {partitions.source}; "
        "the marked one is the failed reducer's.",
    }


def _group_picture(groups: GroupSizes) -> dict[str, Any] | None:
    current, others = groups.current, known(groups.other_bytes)
    size = current.bytes if current is not None else None
    text: Callable[[float], str] = format_bytes
    if size is None or others is None:
        others = known(groups.other_records)
        size = current.records if current is not None else None
        text = format_count
    if size is None or others is None or not others.count:
        return None
    bars = [Bar("group at death", float(size), text(size), marked=True)]
    for label, share in (("largest other", 1.0), ("upper quartile", 0.75), ("median", 0.5)):
        value = others.quantile(share)
        bars.append(Bar(label, float(value), text(value)))
    return {
        "title": "Groups",
        "svg": Markup(bars_svg(bars, title="Groups")),  # noqa: S704 - our own SVG
        "caption": f"The group at death against {format_count(others.count)} others"
        f"{' of all reducers' if groups.all_reducers else ''}.",
    }


def _frame(frame: Json) -> dict[str, str]:
    line = f":{frame['line']}" if frame.get("line") else ""
    place = f"({frame['file']}{line})" if frame.get("file") else ""
    return {"text": f"{frame['class']}.{frame['method']}{place}", "held": held_text(frame)}
