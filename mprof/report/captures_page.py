"""Two captures beside each other, as one offline page."""

from __future__ import annotations

from mprof.report.captures import CaptureComparison
from mprof.report.captures_text import figure_value, growth_value, rate_value, side_in_words
from mprof.report.page import page

__all__ = ["captures_page"]


def captures_page(found: CaptureComparison) -> str:
    """The comparison as a page."""
    return page(
        "captures",
        title="mprof: two captures",
        heading="two captures",
        paragraph=found.explained[0],
        fine=found.after.end == "finished",
        sides=[
            (title, side_in_words(side), side)
            for title, side in (("The first", found.before), ("The second", found.after))
        ],
        figures=[
            ("Data", found.data), ("Memory", found.memory), ("What it cost", found.cost),
        ],
        found=found,
        value=figure_value,
        grown=growth_value,
        rate=rate_value,
    )  # fmt: skip
