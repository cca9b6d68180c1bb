"""``mprof run``: run a job in watch mode, and if it runs out of memory, say why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mprof.cli.options import CommandArgument, FailOn, HeadroomOption, JsonFlag

__all__ = ["run"]


def run(
    command: CommandArgument = None,
    capture: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="New folder for the capture.", metavar="CAPTURE"),
    ] = None,
    embedded: Annotated[
        bool, typer.Option("--embedded", help="Use the embedded cluster of this machine.")
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option("--config", help="Client configuration folder; default: HADOOP_CONF_DIR."),
    ] = None,
    keys: Annotated[
        bool, typer.Option("--keys", help="Store keys, not only their digests.")
    ] = False,
    follow: Annotated[
        bool,
        typer.Option("--follow", help="While it runs, name the tasks that will run out of memory."),
    ] = False,
    headroom: HeadroomOption = None,
    json: JsonFlag = False,
    fail_on: FailOn = None,
) -> None:
    """Run a job in watch mode, and if it runs out of memory, say why."""
    from mprof.cli.terminal import TerminalObserver
    from mprof.hadoop import HEADROOM_MB
    from mprof.runs import default_capture_folder
    from mprof.runs import run as run_job

    with TerminalObserver() as observer:
        result = run_job(
            command or (),
            capture=capture or default_capture_folder(),
            embedded=embedded,
            conf_dir=config,
            settings={"keys": "text"} if keys else {},
            follow=follow,
            headroom_mb=HEADROOM_MB if headroom is None else headroom,
            observer=observer,
        )
    from mprof.cli.outcome import finish

    finish(result, as_json=json, fail_on=fail_on)
