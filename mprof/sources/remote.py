"""Files on HDFS and in object stores: listed, and copied here one at a time to be read.

The file systems are those of fsspec, which asks HDFS by WebHDFS itself and needs a package more for
each other kind: s3fs, gcsfs, adlfs. Readers of files want a file that they can seek in, so a file
is copied first, and the copy goes when it has been read.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mprof.errors import EvidenceError, MprofError, UsageError
from mprof.extras import need
from mprof.io.files import UnreadableError
from mprof.io.printable import one_line

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

__all__ = ["RemoteFile", "RemoteTree", "copied", "remote_tree"]

_PASSWORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://[^/@]*:[^/@]*@")
_LONGEST_REASON: Final = 200


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
    if _PASSWORD.match(address):
        scheme, _, rest = address.partition("://")
        raise UsageError(
            f"{scheme}://...@{rest.rpartition('@')[2]} has a password in it, and addresses are"
            " stored with the tables",
            next_step=f"give it to fsspec: export FSSPEC_{scheme.upper()}_PASSWORD=...",
        )
    system, root = _system_of(address)
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
            f"{address} cannot be listed: {_reason(error)}",
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
            yield folder, 0, _reason(error)
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
        copy = Path(folder) / file.name
        try:
            system, path = _system_of(file.address)
            system.get_file(path, str(copy))
        except MprofError as error:
            raise UnreadableError(file.address, f"it was not copied: {error.what}") from error
        except Exception as error:
            reason = f"it was not copied: {_reason(error)}"
            raise UnreadableError(file.address, reason) from error
        yield copy


def _system_of(address: str) -> tuple[AbstractFileSystem, str]:
    need("remote", by=address.partition("://")[0] + "://")
    import fsspec

    try:
        system, path = fsspec.url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise UsageError(
            f"{address} cannot be opened: {_reason(error)}",
            next_step="webhdfs:// needs no other package; s3:// needs s3fs, gs:// gcsfs, abfs://"
            " adlfs: install it beside mprof",
        ) from error
    except OSError as error:  # of hdfs://, which looks for a library of Hadoop's and a JVM
        raise UsageError(
            f"{address} cannot be opened: {_reason(error)}",
            next_step="use webhdfs://NAMENODE:9870/PATH, which needs nothing but the network",
        ) from error
    return system, path


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return one_line(lines[0] if lines else type(error).__name__)[:_LONGEST_REASON]
