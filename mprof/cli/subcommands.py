"""The list of subcommands.

Nothing slow is imported here: each subcommand imports what it needs when it is called.
"""

from __future__ import annotations

import inspect
import os
from typing import Annotated, Any

import typer

from mprof.cli import (
    calibrate,
    cases,
    clean,
    cluster,
    collect,
    compare,
    completion,
    demo,
    diagnose,
    doctor,
    explain,
    heap,
    import_,
    nodes,
    report,
    rerun,
    run,
    switch,
    triage,
    view,
)
from mprof.cli.completion import COMPLETION_VARIABLE
from mprof.cli.loudness import add_loudness
from mprof.cli.output import say
from mprof.errors import INTERRUPTED_EXIT_CODE, UsageError
from mprof.version import __version__

__all__ = ["app", "command", "run_subcommand"]


app = typer.Typer(
    name="mprof",
    help="Find out why a Hadoop MapReduce job ran out of memory, and what to change.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.demo)
app.command("run")(run.run)
app.command("rerun")(rerun.rerun)
app.command("diagnose")(diagnose.diagnose)
app.command("heap")(heap.heap)
app.command("compare")(compare.compare)
app.command("report")(report.report)
app.command("import")(import_.import_)
app.command("nodes")(nodes.nodes)
app.command("triage")(triage.triage)
app.command("calibrate", cls=calibrate.CalibrateCommand)(calibrate.calibrate)
app.command("view")(view.view)
app.command("explain")(explain.explain)
app.command("collect")(collect.collect)
app.command("doctor")(doctor.doctor)
app.command("clean")(clean.clean)
app.command("completion")(completion.completion)
app.add_typer(cases.app, name="cases")
app.add_typer(cluster.app, name="cluster")
app.add_typer(switch.app, name="switch")


def command() -> Any:
    """All verbs with all of their options, as they are parsed."""
    found = typer.main.get_command(app)
    add_loudness(found)
    _flow_help(found)
    return found


def _flow_help(command: Any) -> None:
    """Let the help of a command and of all below it flow: typer keeps the ends of lines."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(each.split()) for each in paragraphs)
    for each in getattr(command, "commands", {}).values():
        _flow_help(each)


def run_subcommand() -> int:
    """Run the subcommand that the command line names.

    Returns:
        Its exit code.

    Raises:
        UsageError: if the command line is wrong.
        KeyboardInterrupt: if it was interrupted.
    """
    if COMPLETION_VARIABLE in os.environ:  # a shell asks what may come next
        from typer._completion_classes import completion_init

        completion_init()
    try:
        code: int | None = command().main(prog_name="mprof", standalone_mode=False)
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except Exception as error:
        # Told by what they can do: typer has moved these exceptions between its versions.
        if not hasattr(error, "format_message"):
            raise
        return _wrong_usage(error)
    if code == INTERRUPTED_EXIT_CODE:  # what typer makes of Ctrl-C, without a word
        raise KeyboardInterrupt
    return code or 0


def _wrong_usage(error: Any) -> int:
    message = str(error.format_message())
    if not message:  # called without arguments: the help has been printed
        return UsageError.exit_code
    if "\n" in message:  # or is what there is to say
        error.show()
        return UsageError.exit_code
    context = getattr(error, "ctx", None)
    command = "mprof" if context is None else context.command_path
    raise UsageError(
        message[:1].lower() + message[1:].rstrip(". "), next_step=f"{command} --help"
    ) from error


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"mprof {__version__}")
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
