"""Pins the jars of the embedded cluster: what Maven resolves, with their digests."""

from __future__ import annotations

from mprof.hadoop.artifacts import EMBEDDED_POM, resolve
from mprof.hadoop.maven_settings import maven_settings
from mprof.hadoop.pinned import PINNED_VERSION, list_text, pin

__all__ = ["pinned_text"]


def pinned_text() -> str:
    """The text of the list of pinned jars.

    Raises:
        ClusterError: if Maven is missing, or cannot resolve the artifacts.
    """
    local = maven_settings().local.resolve()
    options = [f"-Dhadoop.version={PINNED_VERSION}"]
    jars = resolve(EMBEDDED_POM, f"Hadoop {PINNED_VERSION}", options)
    paths = sorted(jar.resolve().relative_to(local).as_posix() for jar in jars)
    return list_text(pin(local / path, path) for path in paths)
