"""Published artifacts, fetched once: Hadoop's for the embedded cluster, and others.

The jars of one Hadoop version are pinned, and mprof fetches them itself, from where the user's
Maven would (`docs/decisions/0100-hadoop-is-fetched-by-mprof-itself.md`). The rest is Maven's.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mprof.errors import ClusterError, UsageError
from mprof.hadoop.maven_settings import REPOSITORY_VARIABLE, MavenSettings, maven_settings
from mprof.hadoop.pinned import PinnedJar, is_pinned, pinned_jars
from mprof.io.base_folders import cache_folder
from mprof.io.ownership import check_writers, other_writer

__all__ = ["EMBEDDED_POM", "ClassPath", "check_links", "class_path", "resolve"]

EMBEDDED_POM = Path(__file__).with_name("embedded-pom.xml")
MAVEN_CENTRAL = "https://repo.maven.apache.org/maven2"
_COMPLETE = "complete"
_VERSION = re.compile(r"\d+(\.\d+)+(-[\w.]+)?")

# Jars that only the JVM of the cluster needs; not on the class path of tasks and drivers, because a
# job may ship another version of them.
_CLUSTER_ONLY = re.compile(
    r".*-tests\.jar|(junit|hamcrest|mockito|byte-buddy|objenesis|hadoop-minicluster)[-\d].*\.jar"
)


@dataclass(frozen=True, slots=True)
class ClassPath:
    """Two folders of links to jars.

    Attributes:
        lib: Hadoop, as a client, an application master or a task needs it.
        cluster_lib: what the JVM of the embedded cluster needs in addition.
    """

    lib: Path
    cluster_lib: Path


def class_path(version: str, progress: Callable[[str], None]) -> ClassPath:
    """The class path for a Hadoop version, from the cache if it is complete there.

    Raises:
        UsageError: if ``version`` is not a version.
        ClusterError: if Maven is missing or cannot resolve the artifacts, or others could have
            written them.
    """
    if not _VERSION.fullmatch(version):
        raise UsageError(f"{version!r} is not a Hadoop version", next_step="use one such as 3.4.3")
    folder = cache_folder() / "hadoop" / version
    found = ClassPath(lib=folder / "lib", cluster_lib=folder / "cluster-lib")
    if not _is_complete(found, folder):
        jars = _jars(version, progress)
        try:
            _link(jars, folder)
        except OSError as error:
            from mprof.hadoop.download import cannot_keep

            raise cannot_keep(error, folder) from error
    check_links(found.lib, found.cluster_lib)
    return found


def _jars(version: str, progress: Callable[[str], None]) -> tuple[Path, ...]:
    pinned, settings = pinned_jars(version), maven_settings()
    named = os.environ.get(REPOSITORY_VARIABLE)
    by_maven = not pinned or (settings.beyond is not None and not named)
    if by_maven and (shutil.which("mvn") is not None or not pinned):
        progress(f"resolving Hadoop {version} with Maven (once)")
        return resolve(EMBEDDED_POM, f"Hadoop {version}", [f"-Dhadoop.version={version}"])
    return _fetched(pinned, version, named or settings.mirror or MAVEN_CENTRAL, settings, progress)


def _fetched(
    pinned: tuple[PinnedJar, ...],
    version: str,
    repository: str,
    settings: MavenSettings,
    progress: Callable[[str], None],
) -> tuple[Path, ...]:
    """The jars, in Maven's local repository where they are the pinned ones, else in the cache."""
    cache = cache_folder() / "jars"
    places = {jar: _place(jar, settings.local, cache) for jar in pinned}
    missing = [jar for jar, place in places.items() if place is None]
    if missing:
        # Here: what fetches is needed once, and takes its time to load.
        from mprof.hadoop.download import check_address, download, without_login

        check_address(repository)
        total = sum(jar.bytes for jar in missing)
        what = f"fetching Hadoop {version}, {total / 1e6:.0f} MB, from {without_login(repository)}"
        progress(f"{what} (once)")
        shown = 0

        def show(received: int) -> None:
            nonlocal shown
            tenths = 10 * received // total
            if shown < tenths < 10:
                shown = tenths
                progress(f"{what}: {10 * tenths} %")

        download(missing, repository=repository, folder=cache, progress=show)
    return tuple(place or cache / jar.path for jar, place in places.items())


def _place(jar: PinnedJar, *repositories: Path) -> Path | None:
    """Where a jar is already, of what nobody else could have written; None where it is not."""
    for repository in repositories:
        file = repository / jar.path
        if is_pinned(file, jar) and other_writer(file) is None:
            return file
    return None


def check_links(*folders: Path) -> None:
    """Refuse folders of links to jars if others could have written one of those, or the links.

    Raises:
        ClusterError: if they could.
    """
    for folder in folders:
        for path in (folder, *sorted(folder.iterdir())):
            check_writers(path, what=str(path))


def _is_complete(found: ClassPath, folder: Path) -> bool:
    """Whether all links exist and resolve; Maven's repository may have been emptied."""
    if not (folder / _COMPLETE).is_file():
        return False
    links = [*found.lib.iterdir(), *found.cluster_lib.iterdir()]
    return all(link.exists() for link in links)


def resolve(pom: Path, what: str, options: Sequence[str] = ()) -> tuple[Path, ...]:
    """The jars of all dependencies of a POM, in Maven's own repository.

    Raises:
        ClusterError: if Maven is missing or cannot resolve them.
    """
    maven = shutil.which("mvn")
    if maven is None:
        raise ClusterError(
            f"{what} is not in the cache, and Maven is not installed to fetch it",
            next_step="install Maven",
        )
    with tempfile.TemporaryDirectory(prefix="mprof-") as scratch:
        # A copy, so that Maven writes nothing into the installed package.
        copied = Path(shutil.copy(pom, scratch))
        listing = copied.with_name("class-path")
        command = [maven, "-q", "-B", "-f", str(copied), "dependency:build-classpath"]
        given = [*options, f"-Dmdep.outputFile={listing}"]
        # Offline first: it is faster, and works where Maven Central cannot be reached.
        for attempt in ([*command, "-o", *given], [*command, *given]):
            done = subprocess.run(attempt, cwd=scratch, capture_output=True, text=True, check=False)
            if done.returncode == 0 and listing.is_file():
                return tuple(Path(jar) for jar in listing.read_text().strip().split(":"))
    errors = [line for line in done.stdout.splitlines() if "ERROR" in line]
    reason = errors[0].replace("[ERROR]", "").strip() if errors else f"exit {done.returncode}"
    raise ClusterError(
        f"Maven could not resolve {what}: {reason}",
        next_step="check the version, and that Maven can reach its repository",
    )


def _link(jars: tuple[Path, ...], folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    for name in ("lib", "cluster-lib"):
        (fresh / name).mkdir()
    for jar in jars:
        folder_name = "cluster-lib" if _CLUSTER_ONLY.fullmatch(jar.name) else "lib"
        (fresh / folder_name / jar.name).symlink_to(jar)
    (fresh / _COMPLETE).touch()
    if folder.exists():
        shutil.rmtree(folder)
    fresh.rename(folder)
