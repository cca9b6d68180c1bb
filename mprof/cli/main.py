"""The list of verbs, and what becomes of an error.

Nothing heavy is imported here: each verb imports what it needs when it is called, so that
``mprof heap`` of a small dump and ``mprof --version`` stay quick.
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from mprof import __version__
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
)
from mprof.errors import EvidenceError, MprofError

__all__ = ["app", "main"]

FAULT_EXIT_CODE = 70

app = typer.Typer(
    name="mprof",
    help="Says why a Hadoop MapReduce job ran out of memory, and what to change.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run.run)
app.command("rerun")(rerun.rerun)
app.command("diagnose")(diagnose.diagnose)
app.command("heap")(heap.heap)
app.command("report")(report.report)
app.command("explain")(explain.explain)
app.command("doctor")(doctor.doctor)
app.command("clean")(clean.clean)
app.command("docs", hidden=True)(docs.docs)
app.add_typer(cases.app, name="cases")
app.add_typer(cluster.app, name="cluster")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mprof {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and leave."
        ),
    ] = False,
) -> None:
    del version  # the callback has dealt with it


def main() -> NoReturn:
    """Run one verb; an expected failure ends in one line and the exit code of its kind."""
    try:
        app()
    except MprofError as error:
        _say(f"mprof: {error.what}", f"next step: {error.next_step}")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        _say("mprof: interrupted")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of a pipe left; there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except PermissionError as error:
        _say(
            f"mprof: no right to read or write {error.filename or 'a file'}",
            "next step: change the rights of that file or folder, or work on a copy",
        )
        sys.exit(EvidenceError.exit_code)
    except Exception as error:  # noqa: BLE001 - the last resort, and it says what to attach
        _say(
            f"mprof: a fault of mprof itself: {type(error).__name__}: {error}",
            f"next step: report it and attach {_write_fault()}",
        )
        sys.exit(FAULT_EXIT_CODE)
    sys.exit(0)


def _say(*lines: str) -> None:
    for line in lines:
        typer.echo(line, err=True)


def _write_fault() -> Path:
    """A file with the stack trace and the versions, and nothing of the user's data."""
    handle, name = tempfile.mkstemp(prefix="mprof-fault-", suffix=".txt", text=True)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"mprof {__version__}\npython {sys.version}\nplatform {sys.platform}\n\n")
        file.write(traceback.format_exc())
    return Path(name)
