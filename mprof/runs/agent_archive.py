"""The zip archive in which tasks get the agent: its jar, classes patched ahead of time, the plan.

A task patches Hadoop's classes before it begins, which costs a new JVM more than the rest of the
agent's start. So they are patched here once, on the class path of the gateway. A task takes only
those whose originals are byte for byte the ones on its own class path, and patches the others.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

from mprof.errors import MprofError
from mprof.hadoop import Cluster, agent_jar
from mprof.runs.agent_injection import AGENT_JAR, PATCHED_CLASSES, PLAN_FILE

__all__ = ["patch_classes", "write_agent_archive"]


def write_agent_archive(
    cluster: Cluster, archive: Path, on_loss: Callable[[str], None], *, plan: str | None = None
) -> None:
    """Write the archive.

    Args:
        cluster: whose classes are patched.
        archive: the file to write.
        on_loss: told why no classes were patched: the agent works without.
        plan: of a run, or None.
    """
    patched = patch_classes(cluster, archive.parent, on_loss)
    with zipfile.ZipFile(archive, "w") as packed:
        packed.write(agent_jar(), AGENT_JAR)
        if patched is not None:
            packed.write(patched, PATCHED_CLASSES)
        if plan is not None:
            packed.writestr(PLAN_FILE, plan)


def patch_classes(cluster: Cluster, folder: Path, on_loss: Callable[[str], None]) -> Path | None:
    """Write the classes of the cluster's Hadoop as the agent patches them.

    Args:
        cluster: whose classes are patched.
        folder: where the file is written.
        on_loss: told why none were patched: the agent works without.

    Returns:
        The file, or None.
    """
    target = folder / PATCHED_CLASSES
    try:
        count = cluster.patch_classes(agent_jar(), target)
    except MprofError as error:
        on_loss(f"each task patches Hadoop's classes itself: {error}")
        return None
    return target if count else None
