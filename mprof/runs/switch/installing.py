"""The agent's archive and the capture area on the cluster's file system: put there, and found.

The archive stands in a folder named after its version, its content and the Hadoop it is for, and is
never replaced: YARN fails tasks whose archive has changed since their job was submitted.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from mprof.errors import ClusterError, EvidenceError
from mprof.hadoop import Cluster, agent_jar
from mprof.io.files import read_file
from mprof.io.ownership import OtherWriter, check_writers
from mprof.runs.agent_archive import (
    MOST_JAR_BYTES,
    agent_checksum,
    patch_classes,
    write_agent_archive,
)
from mprof.runs.agent_injection import AGENT_JAR, PATCHED_CLASSES, archive_facts
from mprof.runs.switch.owners import other_writer_of
from mprof.runs.switch.properties import SITE_ARCHIVE, Places, Switch
from mprof.version import __version__

__all__ = [
    "AREA_MODE",
    "Installed",
    "agent_build",
    "fetch_members",
    "install",
    "installed",
    "is_agent",
    "is_area",
    "next_step_of",
]

AREA_MODE = 0o1777
"""As of a staging area: everybody may make a folder, nobody may take away another's."""


@dataclass(frozen=True, slots=True)
class Installed:
    """What a switch needs on the cluster's file system.

    Attributes:
        switch: where agent and captures are.
        made: URIs of what was made just now; empty where all of it was there.
        for_nodes: where every node has the jar, the local folder with the files to copy there.
    """

    switch: Switch
    made: tuple[str, ...]
    for_nodes: Path | None


def agent_build() -> str:
    """Version and digest of the agent's jar."""
    return f"{__version__}-{_digest()[:12]}"


def is_agent(jar: bytes) -> bool:
    """Whether a jar is the agent's of this mprof."""
    return hashlib.sha256(jar).hexdigest() == _digest()


def _digest() -> str:
    jar = read_file(agent_jar(), limit_bytes=MOST_JAR_BYTES)
    return hashlib.sha256(jar).hexdigest()


def install(cluster: Cluster, places: Places) -> Installed:
    """Put the agent's archive and the capture area where they are missing.

    Raises:
        ClusterError: if one of them cannot be made, or the area is there and not open to all; or if
            somebody else could have written what is there, or what is being put there.
        OSError: if the folder for the nodes cannot be made here.
    """
    made, for_nodes = [], None
    if places.agent is not None:
        archive = _archive(cluster, places.agent)
        if not cluster.exists(archive):
            _check_writers(cluster, archive)
            _put_archive(cluster, archive)
            made.append(cluster.status(archive).uri)
    if places.jar is not None:
        for_nodes = _write_for_nodes(cluster)
    if not cluster.exists(places.captures):
        made.append(cluster.make_folder(places.captures, AREA_MODE))
    return Installed(installed(cluster, places), tuple(made), for_nodes)


def installed(cluster: Cluster, places: Places) -> Switch:
    """The switch for what is installed, its URIs as the cluster writes them.

    Raises:
        ClusterError: if something is missing: a site that names a missing archive keeps every job
            from being submitted. Or if somebody else could have written it, or it is not of this
            mprof: every user's tasks would run it.
    """
    archive, facts = None, {}
    try:
        if places.agent is not None:
            file = cluster.status(_archive(cluster, places.agent))
            archive = file.uri
            facts = archive_facts(modified_ms=file.modified_ms, size_bytes=file.size_bytes)
            _check_writers(cluster, archive)
            _check_content(cluster, archive)
        area = cluster.status(places.captures)
    except EvidenceError as error:
        raise ClusterError(
            f"not installed on this cluster: {error.what}",
            next_step="put it there first: mprof switch install, with the same options",
        ) from error
    if not is_area(area.mode):
        raise ClusterError(
            f"{area.uri} has the permissions {area.mode or 0:o}: not everybody can write there "
            "and keep it",
            next_step=f"hadoop fs -chmod 1777 {area.uri}",
        )
    _check_writers(cluster, area.uri, shared=True)
    if places.jar is not None and Path(places.jar).exists():
        check_writers(Path(places.jar), what=places.jar)
    return Switch(
        archive=archive,
        jar=places.jar,
        jar_checksum=agent_checksum(),
        captures=area.uri,
        facts=facts,
    )


def is_area(mode: int | None) -> bool:
    """Whether everybody may make a folder in a folder of that mode, and keep it."""
    return mode is not None and mode & AREA_MODE == AREA_MODE


def fetch_members(cluster: Cluster, archive: str) -> dict[str, bytes] | None:
    """Name -> content of an archive's members; None where it is none that `install` puts there."""
    known = {AGENT_JAR, PATCHED_CLASSES}
    with tempfile.TemporaryDirectory(prefix="mprof-switch-") as scratch:
        try:
            with zipfile.ZipFile(cluster.fetch(archive, Path(scratch))) as packed:
                members = packed.infolist()
                names = [each.filename for each in members]
                size = sum(each.file_size for each in members)
                if len(names) > len(known) or not known.issuperset(names) or size > MOST_JAR_BYTES:
                    return None
                return {name: packed.read(name) for name in names}
        except (zipfile.BadZipFile, NotImplementedError):
            return None


def next_step_of(other: OtherWriter) -> str:
    """What to do where somebody else could have written a file on the cluster's file system."""
    return (
        f"see who did; then let only the superuser own and write {other.path} (hadoop fs -chown, "
        "-chmod go-w), delete what was in it, and run mprof switch install as the superuser"
    )


def _check_writers(cluster: Cluster, uri: str, *, shared: bool = False) -> None:
    other = other_writer_of(cluster, uri, shared=shared)
    if other is not None:
        raise ClusterError(
            f"{uri} is not used, because others could write it: {other}",
            next_step=next_step_of(other),
        )


def _check_content(cluster: Cluster, archive: str) -> None:
    jar = (fetch_members(cluster, archive) or {}).get(AGENT_JAR, b"")
    if not is_agent(jar):
        raise ClusterError(
            f"{archive} does not hold the agent of this mprof ({agent_build()})",
            next_step="see who put it there, delete it, and run mprof switch install",
        )


def _archive(cluster: Cluster, agent: str) -> str:
    return f"{agent}/{_folder_name(cluster)}/{SITE_ARCHIVE}"


def _folder_name(cluster: Cluster) -> str:
    """For what depends on the agent and on the classes that are patched for it."""
    return f"{agent_build()}-hadoop-{cluster.version}"


def _put_archive(cluster: Cluster, uri: str) -> None:
    with tempfile.TemporaryDirectory(prefix="mprof-switch-") as scratch:
        archive = Path(scratch) / SITE_ARCHIVE
        write_agent_archive(archive, patched=patch_classes(cluster, archive.parent))
        folder = cluster.make_folder(uri.rpartition("/")[0], 0o755)
        cluster.put(archive, f"{folder}/{SITE_ARCHIVE}", 0o444)


def _write_for_nodes(cluster: Cluster) -> Path:
    folder = Path(f"mprof-agent-{_folder_name(cluster)}").absolute()
    folder.mkdir(exist_ok=True)
    check_writers(folder, what=str(folder))
    shutil.copyfile(agent_jar(), folder / AGENT_JAR)
    patch_classes(cluster, folder)
    return folder
