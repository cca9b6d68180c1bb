"""Runs a subcommand, and turns an error into a message and an exit code."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

from mprof.cli.output import MOST_CHARACTERS, lenient_stderr, whole_output
from mprof.errors import FAULT_EXIT_CODE, INTERRUPTED_EXIT_CODE, EvidenceError, MprofError
from mprof.io.printable import clipped, one_line
from mprof.io.truncation import raise_where_files_shrink
from mprof.version import __version__

__all__ = ["main"]


_STDERR = 2  # its descriptor
_CONTAINERS_BEFORE_COLLECTION = 50_000
"""Python's 700 take a tenth of the time in which a verb is imported, and find nothing there."""
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _run() -> int:
    """Run one subcommand; the exit code."""
    from mprof.cli.subcommands import run_subcommand

    return run_subcommand()


def main() -> NoReturn:
    """Run one subcommand; an expected failure prints its message and exits with its code."""
    # A scheduler or a CI ends a program by SIGTERM, a terminal that closes by SIGHUP: it must leave
    # as little behind as Ctrl-C does.
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup and `&` in a script set it
            signal.signal(number, _interrupt)
    gc.set_threshold(_CONTAINERS_BEFORE_COLLECTION)
    raise_where_files_shrink()
    # What was closed by whoever started this: the next file that is opened would take its place.
    while os.open(os.devnull, os.O_RDWR) <= _STDERR:
        pass
    sys.stderr = lenient_stderr()
    try:
        with whole_output():
            code = _run()
    except MprofError as error:
        code = _fail(error.what, error.next_step, error.exit_code)
    except KeyboardInterrupt:
        _say("mprof: interrupted")
        code = INTERRUPTED_EXIT_CODE
    except PermissionError as error:
        code = _fail(
            f"permission denied: {error.filename or 'a file'}",
            "change the permissions of that file or folder, or work on a copy",
            EvidenceError.exit_code,
        )
    except OSError as error:
        code = _fail(
            f"{error.filename or 'a file'}: {error.strerror or error}",
            "check that file or folder, and its name",
            EvidenceError.exit_code,
        )
    except MemoryError:
        code = _fail(
            "there is not enough memory for this evidence",
            "end other programs, raise the limit (ulimit -v), or use a larger machine",
            EvidenceError.exit_code,
        )
    except Exception as error:  # noqa: BLE001 - the last resort; the message says what to attach
        fault = _write_fault()
        code = _fail(
            f"internal error: {type(error).__name__}: {error}",
            f"report it, and attach {fault}" if fault else "make room on the disk, and try again",
            FAULT_EXIT_CODE,
        )
    sys.exit(code)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    """Raise once: what follows is clearing up, which takes a bounded time and is not cut short."""
    for number in _ENDING:
        # Not SIG_IGN, which the processes that are started from now on would inherit.
        signal.signal(number, lambda _number, _frame: None)
    raise KeyboardInterrupt


def _fail(what: str, next_step: str, code: int) -> int:
    _say(f"mprof: {what}", f"next step: {next_step}")
    return code


def _say(*lines: str) -> None:
    for line in lines:
        sys.stderr.write(clipped(one_line(line), MOST_CHARACTERS) + "\n")


def _write_fault() -> Path | None:
    """Write a file with the stack trace and the versions, and none of the user's data."""
    import tempfile
    import traceback

    try:
        handle, name = tempfile.mkstemp(prefix="mprof-fault-", suffix=".txt", text=True)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"mprof {__version__}\npython {sys.version}\nplatform {sys.platform}\n\n")
            file.write(traceback.format_exc())
    except OSError:
        return None
    return Path(name)
