"""Files on a cluster's file systems: any URI that its Hadoop can open."""

from __future__ import annotations

import contextlib
import uuid
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from mprof.errors import MprofError
from mprof.hadoop.gateway import Gateway
from mprof.hadoop.parsing import file_status
from mprof.hadoop.values import FileStatus, Space

__all__ = ["ClusterFiles", "folders_above"]


def folders_above(uri: str) -> tuple[str, ...]:
    """URIs of the folders on the way to a file or folder, from the root down."""
    parts = urlsplit(uri)
    parents = reversed(PurePosixPath(parts.path).parents)
    return tuple(parts._replace(path=str(folder)).geturl() for folder in parents)


class ClusterFiles:
    """What a connected cluster does with files; a plain path means its default file system."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    @property
    def user(self) -> str:
        """Who owns what is written there."""
        return str(self._gateway.call("user"))

    def exists(self, uri: str) -> bool:
        """Whether a file or folder exists."""
        return bool(self._gateway.call("exists", uri))

    def list(self, uri: str) -> tuple[FileStatus, ...]:
        """The entries of a folder, without those of its subfolders.

        Raises:
            EvidenceError: if it does not exist.
        """
        return tuple(file_status(row) for row in self._gateway.ask("list", uri))

    def status(self, uri: str) -> FileStatus:
        """A file or folder with its owner and mode.

        Raises:
            EvidenceError: if it does not exist.
        """
        return file_status(self._gateway.ask("status", uri))

    def space(self, uri: str) -> Space:
        """The space of the file system that holds a path."""
        row = self._gateway.ask("space", uri)
        return Space(used_bytes=row["used"], usable_bytes=row["usable"])

    def head(self, uri: str, most_bytes: int) -> bytes:
        """The first bytes of a file.

        Raises:
            EvidenceError: if it does not exist or cannot be read.
        """
        return str(self._gateway.call("head", uri, most_bytes)).encode("latin-1")

    def make_folder(self, uri: str, mode: int) -> str:
        """Make a folder, and its parents, and give it that mode; returns its qualified URI."""
        return str(self._gateway.call("makeFolder", uri, mode))

    def put(self, file: Path, uri: str, mode: int) -> None:
        """Copy a local file to a URI; it is there whole or not at all.

        Raises:
            ClusterError: if there is one already, or it cannot be written.
        """
        folder, _, name = uri.rpartition("/")
        part = f"{folder}/.{name}.{uuid.uuid4().hex[:8]}.part"
        try:
            self._gateway.call("put", str(file.resolve()), part)
            self._gateway.call("setMode", part, mode)
            self.rename(part, uri)
        except MprofError:
            with contextlib.suppress(MprofError):
                self.delete(part)
            raise

    def rename(self, source: str, target: str) -> None:
        """Rename a file or folder; an existing target is not replaced.

        Raises:
            EvidenceError: if the source does not exist.
            ClusterError: if the target exists.
        """
        self._gateway.call("rename", source, target)

    def delete(self, uri: str) -> None:
        """Delete a file, or a folder recursively; does nothing if it does not exist."""
        self._gateway.call("delete", uri)

    def delete_one(self, uri: str) -> None:
        """Delete a file, or a folder that must be empty.

        Raises:
            EvidenceError: if it does not exist.
            ClusterError: if it is a folder with something in it.
        """
        self._gateway.call("deleteOne", uri)

    def fetch(self, uri: str, into: Path) -> Path:
        """Copy one file into a local folder.

        Raises:
            EvidenceError: if it does not exist or cannot be read.
        """
        into.mkdir(parents=True, exist_ok=True)
        target = into / uri.rstrip("/").rpartition("/")[2]
        self._gateway.call("get", uri, str(target.resolve()))
        return target
