"""Opens files that others wrote: what is a regular file only, without waiting, up to a size.

A path of evidence may lead to anything: a pipe that nobody writes to, a device without an end, a
folder, links in a circle, a file of ``/proc`` that says it is empty. Every reader of evidence opens
its files here, and hears of all of these in one way.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from mprof.errors import EvidenceError

__all__ = [
    "STANDARD_INPUT",
    "UnreadableError",
    "check_there",
    "is_address",
    "is_inside",
    "is_there",
    "new_file",
    "open_file",
    "read_ends",
    "read_file",
    "replace_file",
]

STANDARD_INPUT: Final = "-"
"""The name by which standard input is asked for."""

_PIECE_BYTES: Final = 1 << 20
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS})
_NEXT_STEP: Final = "check the name and the permissions"
_KINDS: Final = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISFIFO, "it is a pipe, not a file"),
    (stat.S_ISSOCK, "it is a socket, not a file"),
    (stat.S_ISCHR, "it is a device, not a file"),
    (stat.S_ISBLK, "it is a device, not a file"),
)


class UnreadableError(EvidenceError):
    """A file that cannot be read.

    Attributes:
        reason: why: ``Permission denied``, ``it is a pipe, not a file``.
        missing: whether there is nothing of that name; a link to nothing is not missing.
    """

    def __init__(self, path: Path | str, reason: str, *, missing: bool = False) -> None:
        super().__init__(f"{path} cannot be read: {reason}", next_step=_NEXT_STEP)
        self.reason = reason
        self.missing = missing


def is_there(path: Path) -> bool:
    """Whether there is anything of that name, be it a link to nothing."""
    try:
        return os.path.lexists(path)
    except ValueError:  # a NUL in the name
        return False


def is_address(what: str) -> bool:
    """Whether something is named by an address with a scheme, and not by a path of this machine.

    >>> is_address("s3://logs/2026"), is_address("logs/2026")
    (True, False)
    """
    return _ADDRESS.match(what) is not None


def check_there(path: Path) -> None:
    """Make sure that there is something of a name.

    Raises:
        EvidenceError: if there is nothing.
    """
    if not is_there(path):
        raise EvidenceError(f"there is no {path}", next_step="check the name")


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path that begins with that of a folder stays in it: no link leads out of it.

    A link may lead to the folder itself.
    """
    try:
        return path.resolve() == folder.resolve() / path.relative_to(folder)
    except (ValueError, OSError, RuntimeError):  # a NUL, a name that is too long, links in a circle
        return False


def open_file(path: Path) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        UnreadableError: if there is none, it may not be read, or it is something else.
    """
    descriptor = -1
    try:
        # First by name: to open a device may do something, such as to rewind a tape.
        _check_kind(path, path.stat())
        # Without waiting, in case it has become a pipe since.
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        descriptor = os.open(path, flags)
        _check_kind(path, os.fstat(descriptor))
        opened = os.fdopen(descriptor, "rb")
        descriptor = -1
    except OSError as error:
        raise UnreadableError(
            path, error.strerror or str(error), missing=not is_there(path)
        ) from error
    except ValueError as error:  # a NUL in the name
        raise UnreadableError(path, str(error), missing=True) from error
    finally:
        if descriptor >= 0:
            os.close(descriptor)
    return opened


def read_file(path: Path, *, limit_bytes: int) -> bytes:
    """All bytes of a regular file.

    Raises:
        UnreadableError: as `open_file`; or if it is larger.
    """
    pieces, size = [], 0
    with open_file(path) as file:
        try:
            # Not by its size: it may grow, and a file of /proc has none.
            while piece := file.read(_PIECE_BYTES):
                pieces.append(piece)
                size += len(piece)
                if size > limit_bytes:
                    raise UnreadableError(path, f"it is larger than {limit_bytes:,} bytes")
        except OSError as error:
            raise UnreadableError(path, error.strerror or str(error)) from error
    return b"".join(pieces)


def read_ends(path: Path, *, limit_bytes: int) -> tuple[bytes, int]:
    """A regular file, or the beginning and the end of a larger one.

    Args:
        path: the file.
        limit_bytes: how much is read, half of it from each end.

    Returns:
        What was read, with a line break between the halves, and how many bytes were left out.

    Raises:
        UnreadableError: as `open_file`.
    """
    with open_file(path) as file:
        try:
            size = os.fstat(file.fileno()).st_size
            head = file.read(limit_bytes if size <= limit_bytes else limit_bytes // 2)
            if size <= limit_bytes:
                return head, 0
            file.seek(size - limit_bytes // 2)
            return head + b"\n" + file.read(limit_bytes // 2), size - 2 * (limit_bytes // 2)
        except OSError as error:
            raise UnreadableError(path, error.strerror or str(error)) from error


def replace_file(path: Path, content: bytes) -> None:
    """Write a file that takes the place of an older one only once it is complete.

    Raises:
        OSError: if it cannot be written; the older one is there as it was.
    """
    with _made_beside(path) as temporary:
        temporary.write_bytes(content)
        temporary.replace(path)


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """An empty file beside a place, which gets its name once the block ends well, and goes else.

    Whatever has that name by then is not touched.

    Raises:
        FileExistsError: if something has it.
        OSError: if it cannot be written.
    """
    with _made_beside(path) as temporary:
        yield temporary
        try:
            os.link(temporary, path)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if os.path.lexists(path):  # a file system without hard links
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error
            temporary.rename(path)


@contextlib.contextmanager
def _made_beside(path: Path) -> Iterator[Path]:
    """A new file, of which nothing stays but under a name that the block gives it."""
    # A short name of its own: the file's may be as long as a name can be.
    temporary = path.with_name(f".mprof-{secrets.token_hex(8)}.new")
    try:
        temporary.touch(exist_ok=False)  # no link that somebody has put there is followed
        yield temporary
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _check_kind(path: Path, status: os.stat_result) -> None:
    for is_kind, reason in _KINDS:
        if is_kind(status.st_mode):
            raise UnreadableError(path, reason)
