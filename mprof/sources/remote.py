"""Files on HDFS and in object stores: listed, and copied here one at a time to be read.

The file systems are those of fsspec, which asks HDFS by WebHDFS itself and needs a package more for
each other kind: s3fs, gcsfs, adlfs. Readers of files want a file that they can seek in, so a file
is copied first, and the copy goes when it has been read.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mprof.errors import EvidenceError, MprofError
from mprof.io.files import UnreadableError
from mprof.remote.address import Place, check_address
from mprof.remote.systems import reason_of, system_of

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

__all__ = ["RemoteFile", "RemoteTree", "brought", "copied", "remote_tree"]


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of another file system.

    Attributes:
        address: with the scheme: ``webhdfs://namenode:9870/logs/datanode.log``.
        bytes: of its content, as its file system says.
        named: it was named itself, and not found in a folder.
        fault: why its folder cannot be listed, where it is one.
    """

    address: str
    bytes: int
    named: bool
    fault: str | None = None

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.address.rstrip("/").rpartition("/")[2]

    def __str__(self) -> str:
        return self.address


@dataclass(frozen=True, slots=True)
class RemoteTree:
    """A file of another file system, or all files in a folder of it.

    Attributes:
        address: by which it was asked for.
        files: in the order of their names.
    """

    address: str
    files: tuple[RemoteFile, ...]

    def __str__(self) -> str:
        return self.address


def remote_tree(address: str) -> RemoteTree:
    """What is at an address: asks its server.

    Raises:
        EvidenceError: if there is nothing, or its server does not answer.
        UsageError: if a package is missing for this kind of file system, or the address has a
            password in it, which would be stored with the tables.
    """
    check_address(address)
    system, root = system_of(address)
    start, cut = address.rstrip("/"), len(root.rstrip("/"))
    try:
        system.invalidate_cache()
        top = system.info(root)
        if top["type"] != "directory":
            return RemoteTree(address, (RemoteFile(address, _size_of(top), named=True),))
        found = sorted(_files_in(system, root))
    except FileNotFoundError as error:
        raise EvidenceError(f"there is no {address}", next_step="check the address") from error
    except Exception as error:
        raise EvidenceError(
            f"{address} cannot be listed: {reason_of(error)}",
            next_step="check the address, and that its server answers from here",
        ) from error
    files = (
        RemoteFile(start + path[cut:], size, named=False, fault=fault)
        for path, size, fault in found
    )
    return RemoteTree(address, tuple(files))


def _files_in(system: AbstractFileSystem, root: str) -> Iterator[tuple[str, int, str | None]]:
    """The files below a folder, with their sizes; and the folders that cannot be listed, and why.

    fsspec's own ``find`` leaves the latter out without a word.
    """
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            inside = system.ls(folder, detail=True)
        except Exception as error:
            if folder == root:
                raise
            yield folder, 0, reason_of(error)
            continue
        for one in inside:
            path = one["name"]
            if one["type"] == "directory":
                waiting.append(path)
            elif path.rstrip("/") != folder.rstrip("/"):  # object stores have files for folders
                yield path, _size_of(one), None


def _size_of(info: Mapping[str, Any]) -> int:
    return int(info.get("size") or 0)


@contextlib.contextmanager
def copied(file: RemoteFile) -> Iterator[Path]:
    """A copy on this machine for the time of a block, of the same name.

    Raises:
        UnreadableError: if it could not be copied.
    """
    with tempfile.TemporaryDirectory(prefix="mprof-") as folder:
        yield _copy(file, Path(folder))


def brought(file: Place, folder: Path) -> Path:
    """A file of this machine, or the copy of another one in a folder.

    Raises:
        UnreadableError: if it could not be copied.
    """
    if isinstance(file, Path):
        return file
    own = Path(tempfile.mkdtemp(dir=folder))  # two may have one name
    return _copy(RemoteFile(file.text, 0, named=True), own)


def _copy(file: RemoteFile, folder: Path) -> Path:
    copy = folder / file.name
    try:
        system, path = system_of(file.address)
        system.get_file(path, str(copy))
        if copy.stat().st_size < file.bytes:  # a log may have grown meanwhile
            raise OSError(f"of {file.bytes:,} bytes {copy.stat().st_size:,} came")
    except MprofError as error:
        raise UnreadableError(file.address, f"it was not copied: {error.what}") from error
    except Exception as error:
        reason = f"it was not copied: {reason_of(error)}"
        raise UnreadableError(file.address, reason) from error
    return copy
