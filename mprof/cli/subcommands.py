"""The list of subcommands.

Nothing slow is imported here: each subcommand imports what it needs when it is called.
"""

from __future__ import annotations

from typing import Annotated

import typer

from mprof.cli import (
    cases,
    clean,
    cluster,
    diagnose,
    docs,
    doctor,
    explain,
    heap,
    report,
    rerun,
    run,
    switch,
)
from mprof.version import __version__

__all__ = ["app"]


def _heap(context: typer.Context) -> None:
    heap.heap(context.args)  # it parses its arguments itself


app = typer.Typer(
    name="mprof",
    help="Find out why a Hadoop MapReduce job ran out of memory, and what to change.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run.run)
app.command("rerun")(rerun.rerun)
app.command("diagnose")(diagnose.diagnose)
app.command(
    "heap",
    help=heap.HELP,
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)(_heap)
app.command("report")(report.report)
app.command("explain")(explain.explain)
app.command("doctor")(doctor.doctor)
app.command("clean")(clean.clean)
app.command("docs", hidden=True)(docs.docs)
app.add_typer(cases.app, name="cases")
app.add_typer(cluster.app, name="cluster")
app.add_typer(switch.app, name="switch")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mprof {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    del version  # handled by the callback
