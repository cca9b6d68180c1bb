"""The book of the switch: one line for each job whose history has been read, in that order.

So every history is read once, and the evidence does not depend on when it is asked for.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from mprof.errors import UsageError
from mprof.io.files import UnreadableError, is_there, read_file
from mprof.io.json import decode_json
from mprof.runs.switch.trial import OUTCOMES, Trial
from mprof.units import GIB

__all__ = ["Book", "open_book"]

_MOST_BYTES = GIB  # some 4 million jobs


class _Line(msgspec.Struct, frozen=True, omit_defaults=True):
    job: str
    trial: Trial | None = None


class Book:
    """An open book; made by `open_book`.

    Attributes:
        jobs: ids of the jobs whose histories have been read.
        trials: those in which first attempts have been drawn, in the order of the lines.
    """

    def __init__(self, descriptor: int, lines: list[_Line]) -> None:
        self.jobs = {each.job for each in lines}
        self.trials = [each.trial for each in lines if each.trial is not None]
        self._descriptor = descriptor

    def add(self, job: str, trial: Trial | None) -> None:
        """Write the line of a job.

        Raises:
            OSError: if it cannot be written; the book is as it was then, or ends in half a line,
                which the next one to open it takes out.
        """
        line = memoryview(msgspec.json.encode(_Line(job, trial)) + b"\n")
        while line:
            line = line[os.write(self._descriptor, line) :]
        self.jobs.add(job)
        if trial is not None:
            self.trials.append(trial)


@contextlib.contextmanager
def open_book(path: Path) -> Iterator[Book]:
    """Open a book for reading and adding to it; one that is not there is made.

    Raises:
        UsageError: if it cannot be opened, or another mprof has it open.
        UnreadableError: if it is something else.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if is_there(path):
            read_file(path, limit_bytes=_MOST_BYTES)  # no pipe or device is opened for writing
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}", next_step="name another --state file"
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UsageError(
                f"another mprof switch check has {path} open", next_step="wait until it has ended"
            ) from error
        content = read_file(path, limit_bytes=_MOST_BYTES)
        whole = content[: content.rfind(b"\n") + 1]  # the rest was cut off as it was written
        lines = [decode_json(line, _Line, path) for line in whole.splitlines()]
        if any(each.trial and set(each.trial.outcomes) != set(OUTCOMES) for each in lines):
            raise UnreadableError(path, "it counts other outcomes than this mprof does")
        os.truncate(descriptor, len(whole))
        yield Book(descriptor, lines)
    finally:
        os.close(descriptor)
