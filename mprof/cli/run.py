"""``mprof run``: run a job in watch mode, and if it runs out of memory, say why."""

from __future__ import annotations

from typing import Annotated

import typer

from mprof.cli.options import (
    CaptureOption,
    CommandArgument,
    ConfigOption,
    EmbeddedFlag,
    FailOn,
    HeadroomOption,
    JsonFlag,
    KeysFlag,
)

__all__ = ["run"]


def run(
    command: CommandArgument = None,
    capture: CaptureOption = None,
    embedded: EmbeddedFlag = False,
    config: ConfigOption = None,
    keys: KeysFlag = False,
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
