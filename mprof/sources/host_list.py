"""Lists of the nodes that should be there, a host a line: Hadoop's ``workers``, ``dfs.hosts``.

A node that nothing was heard of stands in no log. ``HostsFileReader`` of Hadoop: comments begin
with ``#``, names are separated by white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mprof.sources.reader import Losses, Part, Reader, lines_of
from mprof.store import frame_of

__all__ = ["HOST_LIST", "hosts_in"]

_NAMES: Final = re.compile(
    r"(workers|slaves|dfs\.(include|hosts)|.*\.hosts)(\.txt)?", re.IGNORECASE
)
_HOST: Final = re.compile(r"[\w.:-]+")


def hosts_in(path: Path, losses: Losses) -> tuple[str, ...]:
    """The hosts of a list, in its order."""
    found: dict[str, None] = {}
    for line in lines_of(path, losses, may_end_open=True):
        for word in line.partition("#")[0].split():
            if _HOST.fullmatch(word):
                found[word] = None
            else:
                losses.add("a word is no name of a host", word)
    return tuple(found)


def _read(path: Path, losses: Losses) -> Iterator[Part]:
    rows = [{"host": host, "known_from": path.name} for host in hosts_in(path, losses)]
    yield "nodes", frame_of("nodes", rows)


HOST_LIST: Final = Reader(
    kind="list of hosts",
    recognises=lambda path, _: _NAMES.fullmatch(path.name) is not None,
    read=_read,
    tables=("nodes",),
)
