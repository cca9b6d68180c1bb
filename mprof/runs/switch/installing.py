"""The agent's archive and the capture area on the cluster's file system: put there, and found.

The archive stands in a folder named after its version and its content, and is never replaced:
YARN fails tasks whose archive has changed since their job was submitted.
"""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from mprof.errors import ClusterError, EvidenceError
from mprof.hadoop import Cluster, agent_jar
from mprof.runs.agent_injection import AGENT_JAR
from mprof.runs.switch.properties import SITE_ARCHIVE, Switch, check_plain
from mprof.version import __version__

__all__ = ["AREA_MODE", "Installed", "archive_folder", "install", "installed", "is_area"]

AREA_MODE = 0o1777
"""As of a staging area: everybody may make a folder, nobody may take away another's."""


@dataclass(frozen=True, slots=True)
class Installed:
    """What a switch needs on the cluster's file system.

    Attributes:
        switch: where agent and captures are.
        made: URIs of what was made just now; empty where all of it was there.
    """

    switch: Switch
    made: tuple[str, ...]


def archive_folder() -> str:
    """The name of the folder of this version's archive: version and digest of the jar."""
    digest = hashlib.sha256(agent_jar().read_bytes()).hexdigest()
    return f"{__version__}-{digest[:12]}"


def install(cluster: Cluster, *, agent: str | None, captures: str) -> Installed:
    """Put the agent's archive and the capture area where they are missing.

    Args:
        cluster: where.
        agent: folder for archives, one folder for each version in it; None where every node has
            the jar on its disk.
        captures: the capture area.

    Raises:
        ClusterError: if one of them cannot be made, or the area is there and not open to all.
    """
    made = []
    archive = None
    if agent is not None:
        folder = f"{check_plain(agent, option='--agent')}/{archive_folder()}"
        archive = f"{folder}/{SITE_ARCHIVE}"
        if not cluster.exists(archive):
            _put_archive(cluster, cluster.make_folder(folder, 0o755))
            made.append(cluster.status(archive).uri)
    area = check_plain(captures, option="--captures")
    if not cluster.exists(area):
        made.append(cluster.make_folder(area, AREA_MODE))
    return Installed(_found(cluster, archive, None, area), tuple(made))


def installed(cluster: Cluster, *, agent: str | None, jar: str | None, captures: str) -> Switch:
    """The switch for what is installed, its URIs as the cluster writes them.

    Args:
        cluster: where.
        agent: folder for archives, see `install`.
        jar: absolute path of the agent's jar on every node, instead.
        captures: the capture area.

    Raises:
        ClusterError: if something is missing: a site that names a missing archive keeps every job
            from being submitted.
    """
    archive = None
    if agent is not None:
        folder = f"{check_plain(agent, option='--agent')}/{archive_folder()}"
        archive = f"{folder}/{SITE_ARCHIVE}"
    if jar is not None:
        jar = check_plain(jar, option="--jar-on-nodes")
    return _found(cluster, archive, jar, check_plain(captures, option="--captures"))


def is_area(mode: int | None) -> bool:
    """Whether everybody may make a folder in a folder of that mode, and keep it."""
    return mode is not None and mode & AREA_MODE == AREA_MODE


def _found(cluster: Cluster, archive: str | None, jar: str | None, area: str) -> Switch:
    try:
        if archive is not None:
            archive = cluster.status(archive).uri
        status = cluster.status(area)
    except EvidenceError as error:
        raise ClusterError(
            f"not installed on this cluster: {error.what}",
            next_step="put it there first: mprof switch install, with the same options",
        ) from error
    if not is_area(status.mode):
        raise ClusterError(
            f"{status.uri} has the permissions {status.mode or 0:o}: not everybody can write there "
            "and keep it",
            next_step=f"hadoop fs -chmod 1777 {status.uri}",
        )
    return Switch(archive=archive, jar=jar, captures=status.uri)


def _put_archive(cluster: Cluster, folder: str) -> None:
    with tempfile.TemporaryDirectory(prefix="mprof-switch-") as scratch:
        archive = Path(scratch) / SITE_ARCHIVE
        with zipfile.ZipFile(archive, "w") as packed:
            packed.write(agent_jar(), AGENT_JAR)
        cluster.put(archive, f"{folder}/{SITE_ARCHIVE}", 0o444)
