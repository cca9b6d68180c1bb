"""A comparison of nodes as one offline HTML file."""

from __future__ import annotations

from collections.abc import Iterator

from mprof.peers.pictures import Pictures
from mprof.report.node_pictures import alarms_svg, band_svg, strip_svg
from mprof.report.nodes.view import NodesView
from mprof.report.page import Picture, page

__all__ = ["page_of"]


def page_of(view: NodesView, pictures: Pictures, *, store: str) -> str:
    """The comparison as a page."""
    return page(
        "nodes",
        title=f"mprof: nodes of {store}",
        heading=f"nodes of {store}",
        paragraph=view.headline,
        mood=view.mood,
        suspects=view.suspects,
        pictures=[*_pictures(pictures)],
        sections=[(one.title.capitalize(), one.lines) for one in view.sections],
    )


def _pictures(pictures: Pictures) -> Iterator[Picture]:
    for strip in pictures.strips:
        hidden = f" {strip.hidden:,} more nodes are not shown." if strip.hidden else ""
        yield Picture(
            f"How long {strip.state} takes on each node",
            strip_svg(strip),
            f"{strip.evidence}: the bar spans the middle three fifths of the durations, the tick is"
            f" their median.{hidden}",
        )
    for band in pictures.bands:
        yield Picture(
            f"{band.what} of {band.host}",
            band_svg(band),
            "The line is the node, the band the middle half of its peers; the shaded time is from"
            " its first alarm to its last.",
        )
    if pictures.alarms:
        yield Picture(
            "Since when",
            alarms_svg(pictures.alarms),
            "From the first to the last window in which a comparison had the node in alarm.",
        )
