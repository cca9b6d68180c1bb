"""What a terminal shows of a comparison of nodes."""

from __future__ import annotations

from mprof.report.nodes.view import NodesView

__all__ = ["text_of"]


def text_of(view: NodesView) -> str:
    """The comparisons and the suspects that they name, as lines."""
    lines = [view.headline]
    if view.suspects:
        lines += ["", "SUSPECTS"]
        for one in view.suspects:
            lines += [f"  {one.host}  {one.how}"]
            lines += [f"    {line}" for line in (*one.reasons, *one.remarks)]
    for section in view.sections:
        lines += ["", section.title, *(f"  {line}" for line in section.lines)]
    return "\n".join(lines)
