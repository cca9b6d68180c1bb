"""Logs that are read line by line, for comparison with what an excerpt of them says."""

from __future__ import annotations

from collections.abc import Iterable

from mprof.trace import Excerpt, read_log
from mprof.trace.logs import Logs, joined_logs

__all__ = ["parse_logs"]

_TAIL_LINES = 200


def parse_logs(texts: Iterable[tuple[str, str]]) -> Logs:
    """Parse logs given as (file name, text)."""
    split = ((file, tuple(text.replace("\r\n", "\n").split("\n"))) for file, text in texts)
    return joined_logs(
        [
            read_log(file, Excerpt(((1, lines),), lines[-_TAIL_LINES:], len(lines)))
            for file, lines in split
        ]
    )
