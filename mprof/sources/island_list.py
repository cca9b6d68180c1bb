"""Lists of islands: a host and the name of its island a line, with a tab or spaces between."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mprof.errors import EvidenceError
from mprof.io.files import read_file
from mprof.sources.reader import quotable

__all__ = ["islands_in"]

_MOST_BYTES: Final = 16 << 20  # half a million hosts


def islands_in(path: Path) -> dict[str, str]:
    """The island of each host of a list; comments begin with ``#``.

    Raises:
        EvidenceError: if a line is no host and island, a host has two islands, or there is none;
            or if it is too large for a list.
    """
    found: dict[str, str] = {}
    text = read_file(path, limit_bytes=_MOST_BYTES).decode("utf-8", "replace")
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.partition("#")[0].split(maxsplit=1)
        if not words:
            continue
        host, island = words[0], words[1].strip() if len(words) > 1 else ""
        if not island:
            raise EvidenceError(
                f"line {number} of {path} names no island: {quotable(line)}",
                next_step="write a host, a tab and the name of its island on each line",
            )
        if found.setdefault(host, island) != island:
            raise EvidenceError(
                f"{path} has {host} in two islands, {found[host]} and {island}",
                next_step="keep one of both lines",
            )
    if not found:
        raise EvidenceError(
            f"{path} lists no host",
            next_step="write a host, a tab and the name of its island on each line",
        )
    return found
