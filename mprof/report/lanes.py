"""A picture of the attempts of a job over time, a lane a node."""

from __future__ import annotations

from typing import Final

from markupsafe import Markup

from mprof.report.node_rows import LABEL, node_label, time_axis
from mprof.report.svg import LETTER, WIDTH, drawing, rect, text
from mprof.report.times import duration_text
from mprof.triage import LaneAttempt, Timeline

__all__ = ["lanes_svg"]

LANE_HEIGHT, LANE_GAP = 18, 4
RIGHT, AXIS, LEGEND = 16, 34, 26
BAR_HEIGHT = 8
STATES: Final = ("succeeded", "failed", "killed", "running")
_OTHER: Final = "other"  # a history may write anything as a state


def lanes_svg(timeline: Timeline) -> Markup:
    """The attempts as bars, in the colour of how they ended."""
    whole_s = timeline.seconds or 1.0
    width = WIDTH - LABEL - RIGHT
    bottom = (LANE_HEIGHT + LANE_GAP) * len(timeline.lanes)
    parts = list(time_axis(whole_s, width=width, bottom=bottom))
    for number, lane in enumerate(timeline.lanes):
        top = (LANE_HEIGHT + LANE_GAP) * number
        style = "lane marked" if lane.marked else "lane"
        parts.append(rect(style, x=LABEL, y=top, width=width, height=LANE_HEIGHT))
        parts.append(node_label(lane.host, y=top + 13))
        for one in lane.attempts:
            style = f"attempt {_style(one)}" + (" marked" if one.marked else "")
            parts.append(
                rect(
                    style,
                    x=LABEL + width * one.start_s / whole_s,
                    y=top + (1 if one.is_map else LANE_HEIGHT - BAR_HEIGHT - 1),
                    width=max(width * one.seconds / whole_s, 1),
                    height=BAR_HEIGHT,
                    title=f"{one.attempt}: {one.state}, {duration_text(one.seconds)}",
                )
            )
    legend = bottom + AXIS
    x = float(LABEL)
    shown = {_style(one) for lane in timeline.lanes for one in lane.attempts}
    for style, words in (*zip(STATES, STATES, strict=True), (_OTHER, "in another state")):
        if style in shown:
            parts.append(rect(f"attempt {style}", x=x, y=legend - 9, width=16, height=BAR_HEIGHT))
            parts.append(text(words, x=x + 22, y=legend))
            x += 22 + LETTER * len(words) + 24
    return drawing(legend + LEGEND - 16, parts, "Attempts over time")


def _style(one: LaneAttempt) -> str:
    return one.state if one.state in STATES else _OTHER
