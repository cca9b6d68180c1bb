"""``mprof demo``: a job that ran out of memory, and its report; recorded, or on this machine."""

from __future__ import annotations

import sys
import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mprof.cli.options import MavenRepositoryOption
from mprof.cli.output import say, say_text, write_file
from mprof.errors import ExpectationError, UsageError

if TYPE_CHECKING:
    from mprof.catalogue import Case
    from mprof.diagnosis import Diagnosed

__all__ = ["demo"]

_CASE_NUMBER: Final = 3
"""Number of the case that is shown: the simplest one, a map task that accumulates."""


def demo(
    live: Annotated[
        bool,
        typer.Option(
            "--live",
            help="The real thing: Hadoop runs on this machine, the job dies of memory and is rerun "
            "with profiling. It needs Java 17 or newer.",
        ),
    ] = False,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", help="Folder for the page, and for captures.", metavar="DIR"
        ),
    ] = Path("mprof-demo"),
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Do not open the page in a browser.")
    ] = False,
    maven_repository: MavenRepositoryOption = None,
) -> None:
    """Show the report of a job that ran out of memory: a recording, or with --live the real thing.

    The report is printed, and written as a page that works offline.
    """
    if maven_repository is not None and not live:
        raise UsageError(
            "--maven-repository is for --live: a recording needs no Hadoop",
            next_step="add --live, or leave it out",
        )
    from mprof.catalogue import load_cases, own_cases_root

    case = next(case for case in load_cases(own_cases_root()) if case.number == _CASE_NUMBER)
    diagnosed = _run(case, output) if live else _replay(case)
    sys.stdout.flush()  # a page that cannot be written must not cost the report that is printed
    _show_page(diagnosed, output, is_opened=not no_open)


def _replay(case: Case) -> Diagnosed:
    from mprof.catalogue import replay_case
    from mprof.cli.terminal import TerminalObserver
    from mprof.report import render_text

    say(
        f"This is the recording of a real failure ({case.title}). "
        "mprof demo --live is the real thing: it lets the same job fail on this machine."
    )
    sys.stdout.flush()
    with TerminalObserver() as observer:
        diagnosed = replay_case(case, observer=observer).diagnosed
    say()
    say_text(render_text(diagnosed))
    return diagnosed


def _run(case: Case, output: Path) -> Diagnosed:
    from mprof.catalogue import run_case
    from mprof.cli.outcome import show
    from mprof.cli.terminal import TerminalObserver
    from mprof.hadoop import demo_job_jar, java_home
    from mprof.runs import open_capture

    java_home()  # what is missing is said before anything is made
    capture = output / time.strftime("%Y%m%d-%H%M%S")
    with TerminalObserver() as observer:
        result = run_case(case, capture=capture, jar=demo_job_jar(), observer=observer)
    show(open_capture(capture), result.diagnosed)
    seconds = sum(result.seconds.values())
    if not result.judgement.correct:
        raise ExpectationError(
            f"the diagnosis of {case.slug} is not the expected one: "
            + "; ".join(result.judgement.problems),
            next_step=f"see its report: mprof report {capture}",
        )
    say(f"right    in {seconds:.0f} s: {', '.join(result.judgement.found)}")
    return result.diagnosed


def _show_page(diagnosed: Diagnosed, output: Path, *, is_opened: bool) -> None:
    """Write the page, open it where that is wanted and possible, and print its address last."""
    from mprof.cli.browser import open_page
    from mprof.report import render_html

    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"the page cannot be written: {output}: {error.strerror}",
            next_step="name a folder for it with --output",
        ) from error
    page = _new_name(output)
    write_file(page, render_html(diagnosed))
    address = page.resolve().as_uri()
    if is_opened:
        open_page(address)
    say()
    say(f"page  {address}")


def _new_name(folder: Path) -> Path:
    """``report.html``, or with a number behind it: what is there is not overwritten."""
    names = (folder / f"report{'' if n == 1 else f'-{n}'}.html" for n in count(1))
    return next(path for path in names if not (path.exists() or path.is_symlink()))
