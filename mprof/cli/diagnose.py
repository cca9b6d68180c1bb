"""``mprof diagnose``: diagnose from existing files, without running anything."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mprof.cli.options import ConfigOption, FailOn, JsonFlag, SourceOptions, check_sources
from mprof.errors import EvidenceError

__all__ = ["diagnose"]


def diagnose(
    what: Annotated[
        list[str],
        typer.Argument(
            help="Whatever there is of the job: output of yarn logs, logs of containers, console "
            "output, histories, heap dumps, captures, folders and archives with them, packed or "
            "not; - for standard input; or the id of a job.",
            metavar="WHAT...",
        ),
    ],
    embedded: Annotated[
        bool, typer.Option("--embedded", help="Look up a job id on the embedded cluster.")
    ] = False,
    config: ConfigOption = None,
    capture: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="With a job id: new folder for its files."),
    ] = None,
    json: JsonFlag = False,
    fail_on: FailOn = None,
    source: SourceOptions = None,
) -> None:
    """Diagnose from existing files; say what is not known, and which run would find out."""
    from mprof.runs import check_named

    for name in what:
        check_named(name)
    sources = check_sources(source)
    from mprof.cli.outcome import exit_if_sure
    from mprof.cli.output import say_json, say_text
    from mprof.cli.terminal import TerminalObserver
    from mprof.report import render_findings, render_findings_json
    from mprof.runs import diagnose_all

    with TerminalObserver() as observer:
        findings = diagnose_all(
            what,
            embedded=embedded,
            conf_dir=config,
            capture=capture,
            observer=observer,
            sources=sources,
        )
    if json:
        say_json(render_findings_json(findings))
    else:
        say_text(render_findings(findings))
    if not findings.told:
        has_step = any("Next step: " in one for one in findings.answers)
        first = "take the next step above; or " if has_step else ""
        raise EvidenceError(
            "in what was read, no end of a task or a container was recognised",
            next_step=f"{first}name the logs of the job's containers (yarn logs -applicationId ID "
            "> FILE; in Hadoop 1 the folder of the attempt below logs/userlogs), its history file, "
            "or what the command that submitted it printed",
        )
    causes = (one for told in findings.told for one in told.diagnosed.diagnosis.causes)
    exit_if_sure((one.confidence for one in causes), fail_on)
