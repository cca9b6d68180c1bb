"""``mprof report``: the diagnosis of a capture as text, JSON or one offline HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mprof.cli.options import JsonFlag

__all__ = ["report"]


def report(
    capture: Annotated[Path, typer.Argument(help="A capture folder.")],
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write the report to this HTML file, which works offline."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the HTML file if it exists.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Print the report of a capture, or write it as one offline HTML file."""
    from mprof.cli.outcome import print_diagnosis
    from mprof.cli.output import say, write_file
    from mprof.cli.terminal import TerminalObserver
    from mprof.errors import UsageError
    from mprof.report import render_html
    from mprof.runs import diagnose_capture, open_capture

    if html is not None and html.exists() and not force:
        raise UsageError(f"{html} already exists", next_step="choose another file, or add --force")
    with TerminalObserver() as observer:
        diagnosed = diagnose_capture(open_capture(capture), observer)
    if html is None:
        print_diagnosis(diagnosed, as_json=json)
        return
    write_file(html, render_html(diagnosed))
    say(str(html))
