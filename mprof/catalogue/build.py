"""From a case's Java sources to a job jar: javac against the Hadoop class path, nothing else."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from mprof.catalogue.case import Case
from mprof.errors import ClusterError
from mprof.hadoop import java_home
from mprof.hadoop.artifacts import class_path

__all__ = ["build_jar", "job_sources"]

HADOOP_VERSION = "3.4.3"
# A fixed time in every jar, the first that a ZIP file can tell: the same sources, the same bytes.
_JAR_TIME = (1980, 1, 1, 0, 0, 0)


def job_sources(case: Case, *, fixed: bool) -> dict[str, Path]:
    """The job's Java files by relative name; the repair's own ones stand in for the job's."""
    found: dict[str, Path] = {}
    for folder in (case.folder / "job", *((case.folder / "fixed",) if fixed else ())):
        for file in sorted(folder.rglob("*.java")):
            found[file.relative_to(folder).as_posix()] = file
    return found


def build_jar(
    case: Case, jar: Path, *, fixed: bool, progress: Callable[[str], None] = lambda _: None
) -> None:
    """Compile a case's job into ``jar``.

    Args:
        case: the case.
        jar: file to write.
        fixed: build the repaired job.
        progress: told in words what is going on.

    Raises:
        ClusterError: if there is no compiler, or the sources do not compile.
    """
    compiler = java_home() / "bin" / "javac"
    if not compiler.is_file():
        raise ClusterError(f"there is no javac in {compiler.parent}", next_step="install a JDK")
    libraries = class_path(HADOOP_VERSION, progress).lib
    sources = job_sources(case, fixed=fixed)
    with tempfile.TemporaryDirectory(prefix="mprof-job-") as scratch:
        source_root, classes = Path(scratch, "src"), Path(scratch, "classes")
        for name, file in sources.items():
            place = source_root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
        command = [str(compiler), "--release", "8", "-Xlint:-options", "-proc:none", "-g"]
        command += ["-cp", f"{libraries}/*", "-d", str(classes)]
        command += [str(source_root / name) for name in sources]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if ": error:" in line]
            first = lines[0] if lines else done.stderr.strip() or f"exit {done.returncode}"
            raise ClusterError(
                f"the job of the case {case.slug} does not compile: {first.strip()}",
                next_step=f"correct it in {case.folder / 'job'}",
            )
        _write_jar(jar, classes)


def _write_jar(jar: Path, classes: Path) -> None:
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as out:
        for file in sorted(classes.rglob("*.class")):
            entry = zipfile.ZipInfo(file.relative_to(classes).as_posix(), _JAR_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, file.read_bytes())
