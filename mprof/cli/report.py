"""``mprof report``: the diagnosis of a capture as text, JSON or one offline HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mprof.cli.options import ForceFlag, HtmlOption, JsonFlag, SourceOptions, check_sources

if TYPE_CHECKING:
    from mprof.runs import Capture

__all__ = ["report"]


def report(
    capture: Annotated[Path, typer.Argument(metavar="CAPTURE", help="A capture folder.")],
    html: HtmlOption = None,
    force: ForceFlag = False,
    json: JsonFlag = False,
    source: SourceOptions = None,
) -> None:
    """Print the report of a capture, or write it as one offline HTML file.

    The report that its newest run kept is printed unchanged; mprof diagnose CAPTURE diagnoses the
    capture again, and so does --source.
    """
    from mprof.cli.output import check_new, say, say_json, say_text, write_file
    from mprof.cli.stored import kept_report
    from mprof.runs import open_capture

    check_new(html, force=force)
    opened = open_capture(capture)
    as_page = html is not None
    sources = check_sources(source)
    kept = None if sources else kept_report(opened, html=as_page, json=json)
    found = kept or _made(opened, sources, html=as_page, json=json)
    if html is not None:
        write_file(html, found)
        say(str(html))
    elif json:
        say_json(found)
    else:
        say_text(found)


def _made(capture: Capture, sources: tuple[Path, ...], *, html: bool, json: bool) -> str:
    from mprof.cli.terminal import TerminalObserver
    from mprof.report import render_html, render_json, render_text
    from mprof.runs import diagnose_capture

    with TerminalObserver() as observer:
        diagnosed = diagnose_capture(capture, observer, sources=sources)
    if html:
        return render_html(diagnosed)
    return render_json(diagnosed) if json else render_text(diagnosed)
