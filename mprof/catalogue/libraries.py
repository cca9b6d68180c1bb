"""Libraries that cases are written with: resolved once by Maven, kept in the cache, never shipped.

A family of libraries is a folder beside the cases: ``pom.xml`` names its artifacts, ``java/`` holds
classes to be compiled against them, ``bin/`` the commands that its users type, as scripts that
find the jars in ``../lib``, and ``conf/`` the configuration that those find in ``../conf``.
A library of Java jobs needs neither. One family has one class path; two never meet on one.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from mprof.catalogue.compiling import compile_sources, write_jar
from mprof.errors import UsageError
from mprof.hadoop.artifacts import check_links, resolve
from mprof.io.base_folders import cache_folder

__all__ = ["LIBRARIES", "install_library"]

LIBRARIES = "libraries"
"""Folder of the families, in the folder of cases."""

_OWN_CLASSES = "own-classes.jar"


def install_library(family: Path, progress: Callable[[str], None]) -> Path:
    """The folder with ``bin`` and ``lib`` of a family, made unless the cache has it.

    Raises:
        UsageError: if there is no such family.
        ClusterError: if Maven cannot resolve its artifacts, its classes do not compile, or others
            could have written what is in the cache.
    """
    pom = family / "pom.xml"
    if not pom.is_file():
        raise UsageError(
            f"there is no library {family.name!r}: {pom} is missing",
            next_step="correct library in case.toml",
        )
    folder = cache_folder() / LIBRARIES / f"{family.name}-{_digest(family)}"
    if _is_complete(folder):
        _check(folder)
        return folder
    progress(f"resolving {family.name} with Maven (once)")
    jars = resolve(pom, family.name)
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        _fill(fresh, family, jars)
        _put(fresh, folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    _check(folder)
    return folder


def _check(folder: Path) -> None:
    """Its commands and its jars are about to be executed."""
    check_links(*(each for each in (folder / "lib", folder / "bin") if each.is_dir()))


def _fill(fresh: Path, family: Path, jars: Iterable[Path]) -> None:
    lib = fresh / "lib"
    lib.mkdir()
    for jar in jars:
        (lib / jar.name).symlink_to(jar)
    sources = {
        file.relative_to(family / "java").as_posix(): file
        for file in sorted((family / "java").rglob("*.java"))
    }
    if sources:
        with tempfile.TemporaryDirectory(prefix="mprof-library-") as scratch:
            classes = Path(scratch)
            compile_sources(sources, classes, class_path=f"{lib}/*", what=f"library {family.name}")
            write_jar(lib / _OWN_CLASSES, classes)
    for name in ("bin", "conf"):
        if (family / name).is_dir():
            shutil.copytree(family / name, fresh / name)


def _put(fresh: Path, folder: Path) -> None:
    """Move it to its place, unless another process has put the same there meanwhile."""
    if folder.is_dir() and not _is_complete(folder):
        shutil.rmtree(folder, ignore_errors=True)
    try:
        fresh.rename(folder)
    except OSError:
        if not _is_complete(folder):
            raise


def _digest(family: Path) -> str:
    """Of all its files: a family that was changed is another one in the cache."""
    content = hashlib.sha256()
    for file in sorted(path for path in family.rglob("*") if path.is_file()):
        data = file.read_bytes()
        content.update(f"{file.relative_to(family).as_posix()} {len(data)}\n".encode())
        content.update(data)
    return content.hexdigest()[:12]


def _is_complete(folder: Path) -> bool:
    """Whether it exists and its links resolve; Maven's repository may have been emptied."""
    return folder.is_dir() and all(jar.exists() for jar in (folder / "lib").iterdir())
