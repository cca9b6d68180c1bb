"""``mprof diagnose``: diagnose from existing files, without running anything."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mprof.cli.options import FailOn, JsonFlag

__all__ = ["diagnose"]


def diagnose(
    what: Annotated[
        str,
        typer.Argument(
            help="A capture, a job id, a job history file, a folder with logs, or a heap dump."
        ),
    ],
    embedded: Annotated[
        bool, typer.Option("--embedded", help="Look up a job id on the embedded cluster.")
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option("--config", help="Client configuration folder; default: HADOOP_CONF_DIR."),
    ] = None,
    capture: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="With a job id: new folder for its files."),
    ] = None,
    json: JsonFlag = False,
    fail_on: FailOn = None,
) -> None:
    """Diagnose from existing files; say what is not known, and which run would find out."""
    from mprof.cli.outcome import check_confidence, print_diagnosis
    from mprof.cli.terminal import TerminalObserver
    from mprof.runs import diagnose as diagnose_what

    with TerminalObserver() as observer:
        diagnosed = diagnose_what(
            what, embedded=embedded, conf_dir=config, capture=capture, observer=observer
        )
    print_diagnosis(diagnosed, as_json=json)
    check_confidence(diagnosed, fail_on)
