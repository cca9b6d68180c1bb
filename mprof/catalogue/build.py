"""Compiles a case's Java sources into a job jar; javac and the Hadoop class path suffice."""

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
# The earliest time in a ZIP file, for every entry: the same sources give the same bytes.
_JAR_TIME = (1980, 1, 1, 0, 0, 0)


def job_sources(case: Case, *, fixed: bool) -> dict[str, Path]:
    """The job's Java files by relative path; files of the repair replace those of the job."""
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
        progress: called with a line of text at each step.

    Raises:
        ClusterError: if there is no compiler, or the sources do not compile.
    """
    compiler = java_home() / "bin" / "javac"
    if not compiler.is_file():
        raise ClusterError(
            f"{compiler.parent} holds no javac", next_step="install a JDK, or set JAVA_HOME to one"
        )
    libraries = class_path(HADOOP_VERSION, progress).lib
    sources = job_sources(case, fixed=fixed)
    with tempfile.TemporaryDirectory(prefix="mprof-job-") as scratch:
        source_root, classes = Path(scratch, "src"), Path(scratch, "classes")
        for name, file in sources.items():
            target = source_root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
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
