"""What is written for the user: harmless for a terminal, and whole, or said not to be.

Everything that a subcommand prints goes through this file; `mprof.cli.terminal` prints progress.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from mprof.errors import UsageError
from mprof.io.files import replace_file
from mprof.io.printable import clipped, encodable, in_json, one_line, printable

__all__ = [
    "MOST_CHARACTERS",
    "check_new",
    "lenient_stderr",
    "say",
    "say_json",
    "say_object",
    "say_part",
    "say_text",
    "whole_output",
    "write_file",
]

MOST_CHARACTERS = 900
"""Of a line on stderr: a screenful, however long a name is that it quotes."""

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def say(line: str = "", *, on_stderr: bool = False) -> None:
    """Print one line: whatever names it quotes, it stays one, and no terminal obeys it."""
    stream = sys.stderr if on_stderr else sys.stdout
    text = one_line(line)
    stream.write((clipped(text, MOST_CHARACTERS) if on_stderr else text) + "\n")


def say_text(text: str) -> None:
    """Print a text of several lines."""
    sys.stdout.write(printable(text) + "\n")


def say_json(text: str) -> None:
    """Print a JSON value, given as text; in ASCII where stdout has another encoding than UTF-8."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(json.loads(text), indent=2)
    sys.stdout.write(in_json(text) + "\n")


def say_object(value: object) -> None:
    """Print a value as JSON, indented."""
    from mprof.report.json_text import json_text

    say_json(json_text(value))


def say_part(text: str) -> None:
    """Print a part of a text that goes on, such as rows of CSV: exact, but on a terminal."""
    sys.stdout.write(printable(text) if sys.stdout.isatty() else encodable(text))


@contextlib.contextmanager
def whole_output() -> Iterator[None]:
    """Sees that all of stdout arrives before the program ends.

    Unbuffered (``PYTHONUNBUFFERED``), a file that takes only a part of the text takes it silently;
    buffered, the last part is written after the exit code has been decided.

    Raises:
        UsageError: if stdout, or another file, is on a full disk; if nobody reads stdout.
    """
    if sys.stdout is None or _is_file(sys.stdout, _STDOUT):
        encoding = "utf-8" if sys.stdout is None else sys.stdout.encoding
        sys.stdout = _Output(encoding=encoding, closed=sys.stdout is None)
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        raise UsageError(
            f"{error.filename or 'a file'} could not be written whole: {error.strerror}",
            next_step=_MAKE_ROOM,
        ) from error


def lenient_stderr() -> TextIO:
    """A stderr that drops what it cannot write, where the one there is may raise an error.

    A full disk or a closed terminal behind it ends neither the job that is watched nor this
    program, and changes no exit code: Python exits with 120 where it cannot flush stderr.
    """
    if sys.stderr is None or _is_file(sys.stderr, _STDERR):
        return _Stderr(encoding="utf-8" if sys.stderr is None else sys.stderr.encoding)
    return sys.stderr


_STDOUT, _STDERR = 1, 2  # their descriptors
_MAKE_ROOM = "make room on that disk, or write somewhere else"


class _Output(io.TextIOWrapper):
    """Stdout. Where it does not take something, that is an error in words, told once."""

    def __init__(self, *, encoding: str, closed: bool) -> None:
        """Take the place of stdout.

        Args:
            encoding: of its text; a character that it lacks is written out.
            closed: whoever started this has closed it.
        """
        raw = io.FileIO(_STDOUT, "w", closefd=False)
        super().__init__(
            io.BufferedWriter(raw),
            encoding=encoding,
            errors="backslashreplace",
            line_buffering=raw.isatty(),
        )
        self._was_closed = closed

    def write(self, text: str) -> int:
        try:
            if self._was_closed:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            return super().write(text)
        except OSError as error:
            raise self._failure(error) from error

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            raise self._failure(error) from error

    def _failure(self, error: OSError) -> UsageError | SystemExit:
        # What is stuck goes nowhere, so that the interpreter does not try it again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), _STDOUT)
        if error.errno == errno.EPIPE:
            # `mprof ... | head` has what it wants; a shell shows this of what SIGPIPE ends.
            return SystemExit(128 + signal.SIGPIPE)
        if error.errno in _NO_ROOM:
            return UsageError(
                f"the output could not be written whole: {error.strerror}", next_step=_MAKE_ROOM
            )
        return UsageError(
            f"the output was not read to its end: {error.strerror}",
            next_step="read all of it, or write it to a file",
        )


class _Stderr(io.TextIOWrapper):
    """Stderr. Buffered, so that what is not taken now is tried again with the next line."""

    def __init__(self, *, encoding: str) -> None:
        raw = io.FileIO(_STDERR, "w", closefd=False)
        super().__init__(
            io.BufferedWriter(raw),
            encoding=encoding,
            errors="backslashreplace",
            line_buffering=True,
        )

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            super().flush()


def _is_file(stream: TextIO, descriptor: int) -> bool:
    """Whether a stream writes to that descriptor, and is not caught by a test or a notebook."""
    try:
        return stream.fileno() == descriptor
    except (OSError, ValueError, AttributeError):
        return False


def check_new(path: Path | None, *, force: bool) -> None:
    """Make sure, before anything is done, that a file to be written is none that is there.

    Raises:
        UsageError: if it is, and is not to be overwritten, or there is no folder to hold it.
    """
    if path is None:
        return
    if (path.exists() or path.is_symlink()) and not force:  # a link may lead to what is to come
        raise UsageError(f"{path} already exists", next_step="choose another file, or add --force")
    # What else may be in the way, `write_file` says.
    with contextlib.suppress(OSError, ValueError, RuntimeError):
        if not path.resolve().parent.exists():
            raise UsageError(
                f"{path} cannot be written: its folder is not there",
                next_step="make the folder, or write somewhere else",
            )


def write_file(path: Path, text: str) -> None:
    """Write a file, replacing an older one only once the new one is complete.

    A link stays one; what is no plain file, such as a device, is written to if it takes it now.

    Raises:
        UsageError: if it cannot be written.
    """
    try:
        target = path.resolve()
        content = text.encode("utf-8", "backslashreplace")
        if target.exists() and not target.is_file():
            _write_into(target, content)
        else:
            replace_file(target, content)
    except (
        OSError,
        ValueError,
        RuntimeError,
    ) as error:  # ValueError: a NUL; RuntimeError: a circle
        reason = error.strerror if isinstance(error, OSError) else None
        raise UsageError(
            f"{path} cannot be written: {reason or error}",
            next_step="make room on that disk, or write somewhere else",
        ) from error


def _write_into(target: Path, content: bytes) -> None:
    # Without waiting for somebody who reads a pipe.
    descriptor = os.open(target, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    os.set_blocking(descriptor, True)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
