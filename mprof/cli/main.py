"""Runs a subcommand, and turns an error into a message and an exit code.

``mprof heap`` does not load the other subcommands: that takes 0.2 s of CPU time, most of it for
typer, which is as long as the analysis of a small dump.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

from mprof.cli.output import whole_output
from mprof.errors import EvidenceError, MprofError
from mprof.version import __version__

__all__ = ["main"]

FAULT_EXIT_CODE = 70


def _run() -> None:
    if sys.argv[1:2] == ["heap"]:
        from mprof.cli.heap import heap

        heap(sys.argv[2:])
    else:
        from mprof.cli.subcommands import app

        app()


def main() -> NoReturn:
    """Run one subcommand; an expected failure prints its message and exits with its code."""
    # A scheduler or a CI ends a program by SIGTERM: it must leave as little behind as Ctrl-C does.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with whole_output():
            _run()
    except MprofError as error:
        _say(f"mprof: {error.what}", f"next step: {error.next_step}")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        _say("mprof: interrupted")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of the pipe has gone, so a message would not be read either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except PermissionError as error:
        _say(
            f"mprof: permission denied: {error.filename or 'a file'}",
            "next step: change the permissions of that file or folder, or work on a copy",
        )
        sys.exit(EvidenceError.exit_code)
    except Exception as error:  # noqa: BLE001 - the last resort; the message says what to attach
        _say(
            f"mprof: internal error: {type(error).__name__}: {error}",
            f"next step: report it, and attach {_write_fault()}",
        )
        sys.exit(FAULT_EXIT_CODE)
    sys.exit(0)


def _interrupt(number: int, _frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # once is enough: what follows is clearing up
    raise KeyboardInterrupt


def _say(*lines: str) -> None:
    for line in lines:
        sys.stderr.write(line + "\n")


def _write_fault() -> Path:
    """Write a file with the stack trace and the versions, and none of the user's data."""
    import tempfile
    import traceback

    handle, name = tempfile.mkstemp(prefix="mprof-fault-", suffix=".txt", text=True)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"mprof {__version__}\npython {sys.version}\nplatform {sys.platform}\n\n")
        file.write(traceback.format_exc())
    return Path(name)
