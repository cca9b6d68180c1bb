"""A triage as one offline HTML file."""

from __future__ import annotations

from collections.abc import Iterator

from mprof.report.lanes import lanes_svg
from mprof.report.page import Picture, page
from mprof.report.triage.view import TriageView
from mprof.triage import Timeline

__all__ = ["page_of"]


def page_of(view: TriageView, link: str | None = None) -> str:
    """The triage as a page, with a link to the job in pages of ``mprof view`` where there are."""
    return page(
        "triage",
        title=f"mprof: {view.job}",
        heading=view.job,
        paragraph=view.paragraph,
        mood=view.mood,
        facts=view.facts,
        fired=view.fired,
        others=(("Cannot tell", view.unknown), ("Not it", view.silent)),
        pictures=[*_timeline(view.timeline)],
        losses=view.losses,
        link=link,
    )


def _timeline(timeline: Timeline | None) -> Iterator[Picture]:
    if timeline is None:
        return
    hidden = f" {timeline.hidden:,} more nodes are not shown." if timeline.hidden else ""
    caption = (
        "Each bar is an attempt, of a map in the upper half of its node's lane, of a reduce in the"
        f" lower. Framed: named by a finding.{hidden}"
    )
    yield Picture("Attempts over time", lanes_svg(timeline), caption)
