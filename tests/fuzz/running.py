"""Many tries, a few beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from builders.command_server import Server
from fuzz.trying import Tried, Try, try_out
from fuzz.worlds import WHOLE_CAPTURE

__all__ = ["run_all"]


def run_all(tries: Sequence[Try], worlds: Mapping[str, Path], *, servers: int) -> Iterator[Tried]:
    """Run them all, in their order; those whose damage does not fit are left out."""
    free: SimpleQueue[Server] = SimpleQueue()
    whole = (worlds["dump"] / "a.hprof", worlds["cases"] / WHOLE_CAPTURE, worlds["store"] / "store")
    started = [Server(whole) for _ in range(servers)]
    for server in started:
        free.put(server)

    def run(one: Try) -> Tried | None:
        server = free.get()
        try:
            return try_out(server, one, worlds)
        finally:
            free.put(server)

    try:
        with ThreadPoolExecutor(servers) as pool:
            yield from (tried for tried in pool.map(run, tries) if tried is not None)
    finally:
        for server in started:
            server.close()
