"""``mprof rerun``: run a failed job again, and profile its failed tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mprof.cli.options import (
    CommandArgument,
    ConfigOption,
    EmbeddedFlag,
    FailOn,
    HeadroomOption,
    JsonFlag,
    KeysFlag,
)

__all__ = ["rerun"]


def rerun(
    what: Annotated[
        str, typer.Argument(help="A capture folder, or a job id.", metavar="CAPTURE_OR_JOB")
    ],
    command: CommandArgument = None,
    embedded: EmbeddedFlag = False,
    config: ConfigOption = None,
    capture: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="With a job id: new folder for the capture."),
    ] = None,
    probes: Annotated[
        int,
        typer.Option("--probes", min=3, max=50, help="Number of points over the data of a task."),
    ] = 7,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify/--no-verify",
            help="If a verdict depends on it, run the record at death alone in a further run.",
        ),
    ] = True,
    keys: KeysFlag = False,
    advised: Annotated[
        bool,
        typer.Option(
            "--advised",
            help="Run it with the settings that the diagnosis advises, or with a larger heap if "
            "code or data has to change, and say how that went.",
        ),
    ] = False,
    headroom: HeadroomOption = None,
    json: JsonFlag = False,
    fail_on: FailOn = None,
) -> None:
    """Run a failed job again, profile its failed tasks, and say why they die.

    With --advised, run it as the diagnosis advises instead, and say whether it then finishes.
    """
    from mprof.runs import check_run_before

    check_run_before(what)
    from mprof.cli.outcome import finish
    from mprof.cli.terminal import TerminalObserver
    from mprof.hadoop import HEADROOM_MB
    from mprof.runs import rerun as rerun_job
    from mprof.runs import rerun_advised

    agent = {"keys": "text"} if keys else {}
    headroom_mb = HEADROOM_MB if headroom is None else headroom
    with TerminalObserver() as observer:
        if advised:
            result = rerun_advised(
                what,
                command or (),
                capture=capture,
                embedded=embedded,
                conf_dir=config,
                settings=agent,
                headroom_mb=headroom_mb,
                observer=observer,
            )
            finish(result, as_json=json, fail_on=fail_on)
            return
        result = rerun_job(
            what,
            command or (),
            capture=capture,
            embedded=embedded,
            conf_dir=config,
            probes=probes,
            verify=verify,
            settings=agent,
            headroom_mb=headroom_mb,
            observer=observer,
        )
    finish(result, as_json=json, fail_on=fail_on)
