"""Files by their addresses: listed, read, and written whole.

The file systems are those of fsspec, which asks HDFS by WebHDFS itself and needs a package more for
each other kind: s3fs, gcsfs, adlfs. Nothing here needs locks, nor that a file can be put in the
place of another: HDFS refuses that, and object stores have no renaming.
"""

from __future__ import annotations

import contextlib
import io
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mprof.errors import EvidenceError, MprofError, UsageError
from mprof.extras import need
from mprof.io.printable import one_line
from mprof.remote.address import Address

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

__all__ = [
    "Entry",
    "content_of",
    "entries",
    "get",
    "is_empty",
    "put",
    "put_whole",
    "reading",
    "reason_of",
    "remove",
    "system_of",
]

_LONGEST_REASON: Final = 200
_SERVER: Final = "check the address, and that its server answers from here"
_MODIFIED: Final = ("modificationTime", "LastModified", "mtime", "last_modified", "created")
"""What file systems call the time of a file: WebHDFS, S3, and Arrow, Google and this machine, then
Azure, and fsspec's own in memory."""
_IN_MS: Final = frozenset({"modificationTime"})


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in a folder.

    Attributes:
        bytes: of its content.
        modified_s: when it was written, by the clock of its server; None where that is not said.
    """

    bytes: int
    modified_s: float | None


def system_of(address: str) -> tuple[AbstractFileSystem, str]:
    """The file system of an address, and the path in it; no server is asked.

    Raises:
        UsageError: if a package is missing for this kind of file system.
    """
    need("remote", by=address.partition("://")[0] + "://")
    import fsspec

    from mprof.remote import webhdfs

    try:
        system, path = fsspec.url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise UsageError(
            f"{address} cannot be opened: {reason_of(error)}",
            next_step="webhdfs:// needs no other package; s3:// needs s3fs, gs:// gcsfs, abfs://"
            " adlfs: install it beside mprof",
        ) from error
    except OSError as error:  # of hdfs://, which looks for a library of Hadoop's and a JVM
        raise UsageError(
            f"{address} cannot be opened: {reason_of(error)}",
            next_step="use webhdfs://NAMENODE:9870/PATH, which needs nothing but the network",
        ) from error
    if webhdfs.is_webhdfs(system):
        webhdfs.limit(system)
    return system, path


def reason_of(error: Exception) -> str:
    """The first line of what went wrong; of a server that is silent, for how long it was."""
    import requests

    from mprof.remote import webhdfs

    if isinstance(error, requests.exceptions.ConnectTimeout):
        return f"its server did not take a connection within {webhdfs.CONNECT_S:.0f} s"
    if isinstance(error, requests.exceptions.Timeout):
        return f"its server did not answer within {webhdfs.ANSWER_S:.0f} s"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return one_line(lines[0] if lines else type(error).__name__)[:_LONGEST_REASON]


def entries(folder: Address) -> dict[str, Entry]:
    """The files in a folder, not of those below it, by their names; none where there is no folder.

    Raises:
        EvidenceError: if its server does not answer, or refuses.
    """
    return {
        one["name"].rpartition("/")[2]: Entry(int(one.get("size") or 0), _modified_s(one))
        for one, is_itself in _listed(folder)
        if one["type"] != "directory" and not is_itself
    }


def is_empty(folder: Address) -> bool:
    """Whether there is nothing in a folder, or no folder.

    Raises:
        EvidenceError: if its server does not answer, or refuses.
    """
    return not any(
        not is_itself or (one["type"] != "directory" and one["size"])
        for one, is_itself in _listed(folder)
    )


def _listed(folder: Address) -> list[tuple[dict[str, Any], bool]]:
    """What is in a folder, as fsspec describes it, and whether it is what was asked for itself.

    Object stores have files for folders, and a file that is listed is in its own list.
    """
    with _asked(folder, "listed"):
        system, path = system_of(folder.text)
        system.invalidate_cache()
        with contextlib.suppress(FileNotFoundError):
            found = system.ls(path, detail=True)
            return [(one, one["name"].strip("/") == path.strip("/")) for one in found]
    return []


def content_of(file: Address) -> bytes | None:
    """All of a small file; None where it is not there.

    Raises:
        EvidenceError: if it cannot be read.
    """
    try:
        with reading(file) as opened:
            return opened.read()
    except FileNotFoundError:
        return None


def get(file: Address, path: Path) -> None:
    """Copy a file to this machine.

    Raises:
        EvidenceError: if it cannot be read whole.
        FileNotFoundError: if it is not there.
    """
    with _asked(file, "read"):
        system, there = system_of(file.text)
        system.get_file(there, str(path))


def put(file: Address, content: bytes | Path) -> None:
    """Write a file under a name that nobody else uses; while it is written a part may be seen.

    Raises:
        EvidenceError: if it cannot be written.
        UsageError: if that is not permitted.
    """
    with _asked(file, "written"):
        system, path = system_of(file.text)
        try:
            _put(system, path, content)
        except FileNotFoundError:
            system.makedirs(path.rpartition("/")[0], exist_ok=True)
            _put(system, path, content)


def put_whole(file: Address, content: bytes | Path) -> None:
    """Write a file that is there whole or not at all; one that has the name already stays, or goes.

    It is written under another name, then renamed: of HDFS one step, which refuses where the name
    is taken; of object stores a copy, which is seen when it is whole.

    Raises:
        EvidenceError: if it cannot be written.
        UsageError: if that is not permitted.
    """
    beside = file.parent / f".{secrets.token_hex(8)}.new"
    put(beside, content)
    with _asked(file, "written"):
        system, path = system_of(file.text)
        _, other = system_of(beside.text)
        try:
            with contextlib.suppress(FileExistsError):
                system.mv(other, path)
            system.invalidate_cache()
            # WebHDFS answers false, which fsspec does not look at. What was renamed may have gone
            # since: another import of the same took it away.
            if not system.exists(path) and system.exists(other):
                raise OSError("its server did not rename it")
        finally:
            with contextlib.suppress(Exception):
                if system.exists(other):
                    system.rm_file(other)


def remove(file: Address) -> None:
    """Delete a file, if it is there.

    Raises:
        EvidenceError: if its server does not answer.
        UsageError: if that is not permitted.
    """
    with _asked(file, "deleted"), contextlib.suppress(FileNotFoundError):
        system, path = system_of(file.text)
        system.rm_file(path)


@contextlib.contextmanager
def reading(file: Address) -> Iterator[_Reading]:
    """A file in which can be sought; each read asks for its bytes and no more.

    Raises:
        EvidenceError: if it cannot be read; of a read too.
        FileNotFoundError: if it is not there.
    """
    from mprof.remote import webhdfs

    with _asked(file, "read"):
        system, path = system_of(file.text)
        opened = (
            webhdfs.opened(system, path, file.bytes)
            if webhdfs.is_webhdfs(system)
            else system.open(path, "rb", cache_type="none")
        )
    with contextlib.closing(_Reading(file, opened)) as wrapped:
        yield wrapped


class _Reading(io.RawIOBase):
    """A file of which a read gives all bytes that it asks for, or says why not.

    Attributes:
        size: in bytes.
    """

    def __init__(self, file: Address, opened: Any) -> None:
        self._file, self._opened = file, opened
        self.size: int = opened.size

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return int(self._opened.tell())

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._opened.seek(offset, whence))

    def read(self, size: int | None = -1) -> bytes:
        left = max(self.size - self.tell(), 0)
        wanted = left if size is None or size < 0 else min(size, left)
        with _asked(self._file, "read"):
            found = bytes(self._opened.read(wanted)) if wanted else b""
            if len(found) != wanted:
                raise OSError(f"of {wanted:,} bytes {len(found):,} came")
        return found

    def readall(self) -> bytes:
        return self.read()

    def readinto(self, buffer: Any) -> int:
        found = self.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        if not self.closed:
            with contextlib.suppress(Exception):
                self._opened.close()
        super().close()


def _put(system: AbstractFileSystem, path: str, content: bytes | Path) -> None:
    from mprof.remote import webhdfs

    if isinstance(content, bytes):
        if webhdfs.is_webhdfs(system):
            webhdfs.put(system, path, content)
        else:
            system.pipe_file(path, content)
    elif webhdfs.is_webhdfs(system):
        with content.open("rb") as file:
            webhdfs.put(system, path, file)
    else:
        system.put_file(str(content), path)


def _modified_s(info: Mapping[str, Any]) -> float | None:
    for name in _MODIFIED:
        value = info.get(name)
        if isinstance(value, datetime):
            return value.timestamp()
        if isinstance(value, int | float):
            return value / 1000 if name in _IN_MS else float(value)
    return None


@contextlib.contextmanager
def _asked(file: Address, done: str) -> Iterator[None]:
    """Say what a file system says when it does not do what it is asked for."""
    try:
        yield
    except (MprofError, FileNotFoundError):
        raise
    except PermissionError as error:
        if done in ("read", "listed"):
            raise EvidenceError(
                f"{file} cannot be {done}: {reason_of(error)}",
                next_step="read it as a user who may: export FSSPEC_WEBHDFS_USER=..., or as the"
                " file system wants it",
            ) from error
        raise UsageError(
            f"{file} cannot be {done}: {reason_of(error)}",
            next_step="write to it as a user who may, or choose another folder for the tables",
        ) from error
    except Exception as error:
        raise EvidenceError(
            f"{file} cannot be {done}: {reason_of(error)}", next_step=_SERVER
        ) from error
