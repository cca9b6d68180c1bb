"""``mprof report``: the diagnosis of a capture as text, JSON or one offline HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mprof.cli.options import ForceFlag, HtmlOption, JsonFlag

__all__ = ["report"]


def report(
    capture: Annotated[Path, typer.Argument(help="A capture folder.")],
    html: HtmlOption = None,
    force: ForceFlag = False,
    json: JsonFlag = False,
) -> None:
    """Print the report of a capture, or write it as one offline HTML file."""
    from mprof.cli.outcome import print_diagnosis
    from mprof.cli.output import check_new, say, write_file
    from mprof.cli.terminal import TerminalObserver
    from mprof.report import render_html
    from mprof.runs import diagnose_capture, open_capture

    check_new(html, force=force)
    with TerminalObserver() as observer:
        diagnosed = diagnose_capture(open_capture(capture), observer)
    if html is None:
        print_diagnosis(diagnosed, as_json=json)
        return
    write_file(html, render_html(diagnosed))
    say(str(html))
