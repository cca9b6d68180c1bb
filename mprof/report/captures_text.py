"""Two captures beside each other, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mprof.report.captures import (
    CaptureComparison,
    CaptureSide,
    Figure,
    GrowthChange,
    SettingChange,
    VerdictChange,
)
from mprof.report.names import UNIT_WORDS
from mprof.report.text import in_sections, wrapped
from mprof.units import format_bytes, format_count

__all__ = ["captures_text", "figure_value", "growth_value", "rate_value", "side_in_words"]

NOT_KNOWN = "not known"


def captures_text(found: CaptureComparison) -> str:
    """The whole comparison as plain text."""
    alike = f"{found.verdicts_alike} other rules say the same of both."
    sections: list[tuple[str, Iterable[str]]] = [
        ("", wrapped(" ".join(found.explained))),
        ("THE FIRST", _side(found.before)),
        ("THE SECOND", _side(found.after)),
        ("DATA", map(_figure, found.data)),
        ("MEMORY", map(_figure, found.memory)),
        ("SETTINGS THAT DIFFER", _settings(found.settings)),
        ("HOW IT GREW", _growth(found.growth)),
        ("VERDICTS THAT DIFFER", (*_verdicts(found.verdicts), f"  {alike}")),
        ("WHAT IT COST", map(_figure, found.cost)),
    ]
    return in_sections(sections)


def side_in_words(side: CaptureSide) -> str:
    """``cases/a: wordcount, job_1, attempt_1``."""
    of = ", ".join(filter(None, (side.job_name, side.job, side.attempt)))
    return f"{side.name}: {of}" if of else side.name


def figure_value(value: float | None, unit: str) -> str:
    """A number with its unit."""
    if value is None:
        return NOT_KNOWN
    if unit == "bytes":
        return format_bytes(round(value))
    if unit == "ms":
        return f"{value / 1000:,.1f} s"
    return format_count(round(value))


def growth_value(size: float | None, taken: float | None, unit: str) -> str:
    """``12 MB after 4,000 records``."""
    if size is None or taken is None:
        return NOT_KNOWN
    word = UNIT_WORDS[unit][round(taken) != 1]
    return f"{format_bytes(round(size))} at {format_count(round(taken))} {word}"


def rate_value(rate: float | None, unit: str) -> str:
    """``3.1 KB for each record``."""
    return (
        NOT_KNOWN if rate is None else f"{format_bytes(round(rate))} for each {UNIT_WORDS[unit][0]}"
    )


def _side(side: CaptureSide) -> Iterator[str]:
    yield from wrapped(side_in_words(side), "  ")
    yield from wrapped(side.summary, "  ")
    for loss in side.losses:
        yield from wrapped(f"Gap in the evidence: {loss}", "  ")


def _figure(one: Figure) -> str:
    before, after = figure_value(one.before, one.unit), figure_value(one.after, one.unit)
    return f"  {one.what:<34} {before:>14}  ->  {after}"


def _settings(settings: Iterable[SettingChange]) -> Iterator[str]:
    for one in settings:
        advised = f"   ({one.advised} was advised)" if one.advised is not None else ""
        yield f"  {one.name}"
        yield f"      {one.before or 'not set'}  ->  {one.after or 'not set'}{advised}"


def _growth(growth: Iterable[GrowthChange]) -> Iterator[str]:
    for one in growth:
        yield f"  {one.of}"
        before = growth_value(one.bytes_before, one.taken_before, one.unit)
        after = growth_value(one.bytes_after, one.taken_after, one.unit)
        yield f"      {before}  ->  {after}"
        if one.per_unit_before is not None or one.per_unit_after is not None:
            rate = rate_value(one.per_unit_before, one.unit)
            yield f"      {rate}  ->  {rate_value(one.per_unit_after, one.unit)}"


def _verdicts(verdicts: Iterable[VerdictChange]) -> Iterator[str]:
    for one in verdicts:
        yield f"  {one.cause}: {one.before}  ->  {one.after}"
        yield from wrapped(f"first: {one.sentence_before}", " " * 6)
        yield from wrapped(f"second: {one.sentence_after}", " " * 6)
