"""``mprof diagnose``: say what can be said from what is at hand."""

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
            help="A capture, a job id, a history file, a folder with logs, or a heap dump."
        ),
    ],
    embedded: Annotated[
        bool, typer.Option("--embedded", help="Ask the embedded cluster for a job id.")
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option("--config", help="Client configuration folder; default HADOOP_CONF_DIR."),
    ] = None,
    capture: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="With a job id: new folder to keep its files in."),
    ] = None,
    json: JsonFlag = False,
    fail_on: FailOn = None,
) -> None:
    """Diagnose without running anything; says which rules cannot tell, and what would let them."""
    from mprof.cli.outcome import check_confidence, print_diagnosis
    from mprof.cli.terminal import TerminalObserver
    from mprof.runs import diagnose as diagnose_what

    with TerminalObserver() as observer:
        diagnosed = diagnose_what(
            what, embedded=embedded, conf_dir=config, capture=capture, observer=observer
        )
    print_diagnosis(diagnosed, as_json=json)
    check_confidence(diagnosed, fail_on)
