"""Compiles Java sources and packs them, so that the same sources give the same bytes."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from mprof.errors import ClusterError
from mprof.hadoop import java_home

__all__ = ["compile_sources", "find_compiler", "write_jar"]

# The earliest time in a ZIP file, for every entry: the same sources give the same bytes.
_JAR_TIME = (1980, 1, 1, 0, 0, 0)

# A few sources take 2 s of processor time with these options, and 5 s without.
_SOON_OVER = ("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC")


def compile_sources(
    sources: Mapping[str, Path], classes: Path, *, class_path: str, what: str
) -> None:
    """Compile Java sources into a folder.

    Args:
        sources: files by the path that they have in the source tree.
        classes: folder of the classes.
        class_path: as javac takes it.
        what: is compiled, in messages.

    Raises:
        ClusterError: if there is no compiler, or they do not compile.
    """
    compiler = find_compiler(what)
    with tempfile.TemporaryDirectory(prefix="mprof-src-") as scratch:
        for name, file in sources.items():
            target = Path(scratch, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        command = [str(compiler), *_SOON_OVER, "--release", "8", "-Xlint:-options"]
        command += ["-proc:none", "-g"]
        command += ["-cp", class_path, "-d", str(classes)]
        command += [str(Path(scratch, name)) for name in sources]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if ": error:" in line]
        first = lines[0] if lines else done.stderr.strip() or f"exit {done.returncode}"
        raise ClusterError(
            f"the {what} does not compile: {first.strip()}", next_step="correct its Java files"
        )


def find_compiler(what: str) -> Path:
    """The program javac.

    Raises:
        ClusterError: if there is no Java, or a runtime without a compiler.
    """
    compiler = java_home() / "bin" / "javac"
    if not compiler.is_file():
        raise ClusterError(
            f"the {what} cannot be compiled: {compiler.parent} holds no javac",
            next_step="install a JDK (such as openjdk-17-jdk-headless), or set JAVA_HOME to one",
        )
    return compiler


def write_jar(jar: Path, classes: Path, *, libraries: Iterable[Path] = ()) -> None:
    """Pack all classes of a folder, and the jars that they need.

    Args:
        jar: file to write.
        classes: the folder.
        libraries: put into the jar's ``lib/``, which ``hadoop jar`` and the tasks of a job have on
            their class path.
    """
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as out:
        for file in sorted(classes.rglob("*.class")):
            entry = zipfile.ZipInfo(file.relative_to(classes).as_posix(), _JAR_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, file.read_bytes())
        for library in libraries:
            entry = zipfile.ZipInfo(f"lib/{library.name}", _JAR_TIME)  # stored: a jar is compressed
            with library.open("rb") as content, out.open(entry, "w", force_zip64=True) as packed:
                shutil.copyfileobj(content, packed)
