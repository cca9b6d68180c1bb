"""Pins the jars of the embedded cluster: what Maven resolves, with their digests."""

from __future__ import annotations

from collections.abc import Iterable

from mprof.hadoop.artifacts import EMBEDDED_POM, resolve
from mprof.hadoop.maven_settings import maven_settings
from mprof.hadoop.pinned import PINNED_VERSION, PinnedJar, sha256_of

__all__ = ["list_text", "pinned_text"]


def pinned_text() -> str:
    """The text of the list of pinned jars.

    Raises:
        ClusterError: if Maven is missing, or cannot resolve the artifacts.
    """
    local = maven_settings().local.resolve()
    options = [f"-Dhadoop.version={PINNED_VERSION}"]
    jars = resolve(EMBEDDED_POM, f"Hadoop {PINNED_VERSION}", options)
    paths = sorted(jar.resolve().relative_to(local).as_posix() for jar in jars)
    files = ((path, local / path) for path in paths)
    return list_text(PinnedJar(path, file.stat().st_size, sha256_of(file)) for path, file in files)


def list_text(jars: Iterable[PinnedJar]) -> str:
    """The text of a list of jars."""
    lines = [f"{jar.sha256} {jar.bytes:>9} {jar.path}" for jar in jars]
    return "\n".join([f"# Hadoop {PINNED_VERSION}: python -m development jars", *lines, ""])
