"""The zip archive in which tasks get the agent: its jar, classes patched ahead of time, the plan.

A task patches Hadoop's classes before it begins, which costs a new JVM more than the rest of the
agent's start. So they are patched here once, on the class path of the gateway. A task takes only
those whose originals are byte for byte the ones on its own class path, and patches the others.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

from mprof.errors import ClusterError
from mprof.hadoop import Cluster, agent_jar
from mprof.io.files import read_file
from mprof.runs.agent_injection import AGENT_JAR, PATCHED_CLASSES, PLAN_FILE, checksum
from mprof.units import MIB

__all__ = ["MOST_JAR_BYTES", "agent_checksum", "patch_classes", "write_agent_archive"]

MOST_JAR_BYTES = 64 * MIB
_START = "org/mprof/agent/Premain.class"  # its Premain-Class


def agent_checksum() -> str:
    """The `checksum` of the agent's jar.

    Raises:
        ClusterError: if the jar is damaged. Each task would be told that this is how it has to
            look, and no JVM starts with such an agent.
    """
    jar = agent_jar()
    content = read_file(jar, limit_bytes=MOST_JAR_BYTES)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            is_whole = packed.testzip() is None and _START in packed.namelist()
    except (zipfile.BadZipFile, OSError, zlib.error, NotImplementedError, EOFError):
        is_whole = False
    if not is_whole:
        raise ClusterError(
            f"{jar} is damaged: no JVM would start with it",
            next_step="reinstall mprof-hadoop, or run mvn package in the checkout",
        )
    return checksum(content)


def write_agent_archive(archive: Path, *, patched: Path | None, plan: str | None = None) -> None:
    """Write the archive."""
    with zipfile.ZipFile(archive, "w") as packed:
        packed.write(agent_jar(), AGENT_JAR)
        if patched is not None:
            packed.write(patched, PATCHED_CLASSES)
        if plan is not None:
            packed.writestr(PLAN_FILE, plan)


def patch_classes(cluster: Cluster, folder: Path) -> Path | None:
    """Write the classes of the cluster's Hadoop as the agent patches them.

    Returns:
        The file; None if the agent has no patches for this Hadoop.

    Raises:
        ClusterError: if they cannot be patched or written.
    """
    target = folder / PATCHED_CLASSES
    return target if cluster.patch_classes(agent_jar(), target) else None
