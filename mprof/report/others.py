"""Who else failed: one line for all whose failure is the same but for ids, counts and addresses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mprof.findings import alike_in
from mprof.report.published.report import Report
from mprof.units import format_count

__all__ = ["other_attempts"]

_NAMED: Final = 3  # of those that failed in the same way: they are found, and the JSON has all
_LINES: Final = 20


def other_attempts(report: Report) -> Iterator[tuple[str, str]]:
    """The first ids and how many more there are, and the line that says how the first failed."""
    alike: dict[tuple[str, str], list[str]] = {}
    lines: list[str] = []
    for one in report.attempts:
        same = alike.setdefault((one.death, alike_in(one.line)), [])
        lines += [] if same else [one.line]
        same.append(one.id)
    groups = [*alike.values()]
    for ids, line in zip(groups[:_LINES], lines, strict=False):
        named = ", ".join(ids[:_NAMED])
        more = len(ids) - _NAMED
        yield f"{named} and {format_count(more)} more" if more > 0 else named, line
    left = sum(map(len, groups[_LINES:]))
    if left:
        yield f"and {format_count(left)} more", "in the JSON object (--json)"
