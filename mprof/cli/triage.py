"""``mprof triage``: application, data skew, settings, memory, or node?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mprof.cli.options import FailOn, ForceFlag, HtmlOption, JsonFlag

__all__ = ["triage"]


def triage(
    what: Annotated[
        str, typer.Argument(help="A job id, a job history file, or a capture.", metavar="JOB")
    ],
    store: Annotated[
        Path | None,
        typer.Option(
            "--store",
            help="Folder of tables that mprof import filled: with the job, and what else is known"
            " of its time.",
        ),
    ] = None,
    html: HtmlOption = None,
    force: ForceFlag = False,
    json: JsonFlag = False,
    fail_on: FailOn = None,
) -> None:
    """Say what is wrong with a job: the application, its data, settings, memory, or a node.

    Exits with 0 whatever it finds, and with 3 if there is nothing of that job.
    """
    from mprof.cli.outcome import exit_if_sure
    from mprof.cli.output import check_new, say, say_json, say_text, write_file
    from mprof.cli.terminal import TerminalObserver
    from mprof.report.triage import render_html, render_json, render_text
    from mprof.triage import triage as triage_what

    check_new(html, force=force)
    with TerminalObserver() as observer:
        found = triage_what(what, store=store, observer=observer)
    if html is not None:
        write_file(html, render_html(found))
        say(str(html), on_stderr=json)
    if json:
        say_json(render_json(found))
    elif html is None:
        say_text(render_text(found))
    exit_if_sure((one.confidence for one in found.fired if one.confidence), fail_on)
