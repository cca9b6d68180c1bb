"""Runs a verb, and says what becomes of an error.

``mprof heap`` does not wait for the list of verbs: that takes 0.2 s of processor time, most of it
for typer, and a small dump is analysed in as much.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

from mprof.errors import EvidenceError, MprofError
from mprof.version import __version__

__all__ = ["main"]

FAULT_EXIT_CODE = 70


def _run() -> None:
    if sys.argv[1:2] == ["heap"]:
        from mprof.cli.heap import heap

        heap(sys.argv[2:])
    else:
        from mprof.cli.verbs import app

        app()


def main() -> NoReturn:
    """Run one verb; an expected failure ends in one line and the exit code of its kind."""
    try:
        _run()
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
        sys.stderr.write(line + "\n")


def _write_fault() -> Path:
    """A file with the stack trace and the versions, and nothing of the user's data."""
    import tempfile
    import traceback

    handle, name = tempfile.mkstemp(prefix="mprof-fault-", suffix=".txt", text=True)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(f"mprof {__version__}\npython {sys.version}\nplatform {sys.platform}\n\n")
        file.write(traceback.format_exc())
    return Path(name)
