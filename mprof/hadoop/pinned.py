"""The jars of the embedded cluster's Hadoop, pinned: their places in a repository and digests.

``embedded-jars.txt`` has a line for each: SHA-256, bytes, and the path in a Maven repository.
``python -m development jars`` writes it, from what Maven resolves of ``embedded-pom.xml``.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["PINNED_LIST", "PINNED_VERSION", "PinnedJar", "is_pinned", "pinned_jars", "sha256_of"]

PINNED_VERSION: Final = "3.4.3"
"""Of Hadoop."""

PINNED_LIST: Final = Path(__file__).with_name("embedded-jars.txt")


@dataclass(frozen=True, slots=True)
class PinnedJar:
    """A published jar.

    Attributes:
        path: in a repository with Maven's layout.
        sha256: of its content, in hex.
    """

    path: str
    bytes: int
    sha256: str


def pinned_jars(version: str) -> tuple[PinnedJar, ...]:
    """The jars of a Hadoop version; none where that version is not pinned."""
    if version != PINNED_VERSION:
        return ()
    lines = PINNED_LIST.read_text(encoding="ascii").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return tuple(PinnedJar(path, int(size), sha256) for sha256, size, path in rows)


def is_pinned(file: Path, jar: PinnedJar) -> bool:
    """Whether a file is there and has the content that is pinned; takes 1 ms per MB."""
    try:
        return file.stat().st_size == jar.bytes and sha256_of(file) == jar.sha256
    except OSError:
        return False


def sha256_of(file: Path) -> str:
    """The digest of a file, in hex."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
