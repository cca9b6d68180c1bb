"""What is written for the user: whole, or not at all and said so."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from mprof.errors import UsageError

__all__ = ["whole_output", "write_file"]

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


@contextlib.contextmanager
def whole_output() -> Iterator[None]:
    """Sees that all of stdout arrives before the program ends.

    Unbuffered (``PYTHONUNBUFFERED``), a file that takes only a part of the text takes it silently;
    buffered, the last part is written after the exit code has been decided.

    Raises:
        UsageError: if stdout, or another file, is on a full disk.
    """
    raw = getattr(sys.stdout, "buffer", None)
    if isinstance(raw, io.RawIOBase):
        encoding, errors = sys.stdout.encoding, sys.stdout.errors
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(raw), encoding=encoding, errors=errors)
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        _drop_what_is_stuck()
        raise UsageError(
            f"{error.filename or 'the output'} could not be written whole: {error.strerror}",
            next_step="make room on that disk, or write somewhere else",
        ) from error


def _drop_what_is_stuck() -> None:
    """Drop what stdout holds and cannot write, so that the interpreter does not try it again."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_file(path: Path, text: str) -> None:
    """Write a file, replacing an older one only once the new one is complete.

    A link stays one; what is no plain file, such as a device, is written to.

    Raises:
        UsageError: if it cannot be written.
    """
    target = path.resolve()
    temporary = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8")
            return
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(target)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise UsageError(
            f"{path} cannot be written: {error.strerror}",
            next_step="make room on that disk, or write somewhere else",
        ) from error
