"""One mprof at a time adds to a capture.

Two would number their runs past each other, and a diagnosis would take the jobs of both for runs of
one. The lock is one of the operating system's on ``capture.json``: it ends with its process,
however that ends, so that nothing stale can stay.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator

from mprof.errors import UsageError
from mprof.runs.capture import Capture

__all__ = ["adding_to"]

_HELD = frozenset({errno.EAGAIN, errno.EACCES})


@contextlib.contextmanager
def adding_to(capture: Capture, *, new: bool) -> Iterator[None]:
    """Hold the capture while runs are added to it.

    Args:
        capture: the capture.
        new: it must not hold a finished run yet.

    Raises:
        UsageError: if another process holds it, or has finished a run in it just now.
    """
    # For writing, because a network file system grants an exclusive lock for nothing less.
    descriptor = os.open(capture.path / "capture.json", os.O_RDWR | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _HELD:
                raise _refusal(capture, "another mprof is working on") from error
            # This file system has no locks: to work there is worth more than to refuse.
        if new and capture.runs:
            raise _refusal(capture, "another mprof has just finished a run in")
        yield
    finally:
        os.close(descriptor)


def _refusal(capture: Capture, what: str) -> UsageError:
    return UsageError(
        f"{what} the capture {capture.path}",
        next_step="wait until it has ended, or name another folder with -o",
    )
