"""``mprof collect``: writes what this node's operating system counts, once a second."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from mprof.cli.options import time_given

__all__ = ["collect"]


class _BackEnd(StrEnum):
    HOST = "host"
    CGROUP = "cgroup"


def collect(
    folder: Annotated[
        Path, typer.Option("--dir", metavar="DIR", help="Folder for the files; made if missing.")
    ],
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds", min=0, callback=time_given, help="How long; default: until stopped."
        ),
    ] = None,
    interval_s: Annotated[
        float, typer.Option("--interval", callback=time_given, help="Seconds between samples.")
    ] = 1.0,
    back_end: Annotated[
        _BackEnd,
        typer.Option("--back-end", help="Whose counters: this machine's, or its own cgroups'."),
    ] = _BackEnd.HOST,
    host: Annotated[
        str | None, typer.Option("--host", metavar="NAME", help="Name of this node in the rows.")
    ] = None,
    ask: Annotated[
        list[str] | None,
        typer.Option(
            "--ask",
            metavar="URL",
            help="Every 3 s, time how long a daemon of this node, or its master, takes to answer.",
        ),
    ] = None,
) -> None:
    """Record what the operating system of this node counts, for a comparison with its peers."""
    import signal
    import socket
    from threading import Event

    from mprof.cli.output import say
    from mprof.metrics.collector import collect as collect_rows

    stop = Event()
    # A row is written whole, and the file ended, before the program is.
    handlers = {
        number: signal.signal(number, lambda _number, _frame: stop.set())
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        rows = collect_rows(
            folder, host=host or socket.gethostname(), back_end=back_end.value,
            interval_s=interval_s, seconds=seconds, ask=tuple(ask or ()), stop=stop,
        )  # fmt: skip
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    say(f"{rows} rows in {folder}")
