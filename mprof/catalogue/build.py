"""Makes a case's job ready to run: a jar of its Java classes, or the files of its script.

For Java, javac and the class paths of Hadoop and of the case's library suffice; the jar brings the
library along. A script is run by a command of its library, and finds functions of its own that are
written in Java in a jar beside it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mprof.catalogue.case import Case, Setting, setting_options, setting_texts
from mprof.catalogue.compiling import compile_sources, find_compiler, write_jar
from mprof.catalogue.libraries import LIBRARIES, install_library
from mprof.hadoop.artifacts import class_path

__all__ = ["ReadyJob", "build_jar", "job_sources", "prepare_job"]

HADOOP_VERSION = "3.4.3"

JAR_OF_FUNCTIONS = "job.jar"
"""Beside a script, with the classes of the Java files beside it."""


@dataclass(frozen=True, slots=True)
class ReadyJob:
    """A job that can be run.

    Attributes:
        place: the jar; of a script the folder with its files.
        command_line: the words of the command: a program with its path, and its arguments with
            places to fill; empty of a Java job.
    """

    case: Case
    place: Path
    command_line: tuple[str, ...] = ()

    def command(
        self, source: Path, output: Path, *, changed: Mapping[str, Setting]
    ) -> tuple[str, ...]:
        """The command a user would type.

        ``hadoop jar JAR MAIN -D... ARGUMENTS INPUT OUTPUT``, or what the case gives for its script.
        """
        job = self.case.job
        settings = {**job.settings, **changed}
        if not self.command_line:
            folders = (str(source), str(output))
            program = ("hadoop", "jar", str(self.place), job.main)
            return (*program, *setting_options(settings), *job.arguments, *folders)
        places = {"{job}": str(self.place), "{input}": str(source), "{output}": str(output)}
        words: list[str] = []
        for word in self.command_line:
            for name, place in places.items():
                word = word.replace(name, place)
            if "{setting}" not in word:
                words.append(word)
                continue
            parts = word.split(" ")
            for text in setting_texts(settings):
                words += [part.replace("{setting}", text) for part in parts]
        return tuple(words)


def prepare_job(
    case: Case, folder: Path, *, fixed: bool, progress: Callable[[str], None] = lambda _: None
) -> ReadyJob:
    """Build the job of a case, and install the library it is written with.

    Raises:
        UsageError: if there is no such library.
        ClusterError: if the job cannot be built, or its library cannot be had.
    """
    if not case.job.command:
        jar = folder / f"{case.slug}.jar"
        build_jar(case, jar, fixed=fixed, progress=progress)
        return ReadyJob(case, jar)
    library = _library(case, progress)
    files = folder / "job"
    sources = job_sources(case, fixed=fixed)
    for name, file in job_files(case, fixed=fixed).items():
        if name not in sources:
            target = files / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    if sources:
        build_jar(case, files / JAR_OF_FUNCTIONS, fixed=fixed, progress=progress)
    program, *words = (fixed and case.fixed.command) or case.job.command
    return ReadyJob(case, files, (str(library / "bin" / program), *words))


def _library(case: Case, progress: Callable[[str], None]) -> Path:
    return install_library(case.root / LIBRARIES / case.library, progress)


def job_files(case: Case, *, fixed: bool) -> dict[str, Path]:
    """The job's files by relative path; files of the repair replace those of the job."""
    found: dict[str, Path] = {}
    for folder in (case.folder / "job", *((case.folder / "fixed",) if fixed else ())):
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            found[file.relative_to(folder).as_posix()] = file
    return found


def job_sources(case: Case, *, fixed: bool) -> dict[str, Path]:
    """The Java files among them."""
    files = job_files(case, fixed=fixed).items()
    return {name: file for name, file in files if file.suffix == ".java"}


def build_jar(
    case: Case, jar: Path, *, fixed: bool, progress: Callable[[str], None] = lambda _: None
) -> None:
    """Compile a case's Java files into ``jar``.

    The library comes along, unless a command of the library runs the job.

    Raises:
        UsageError: if there is no such library.
        ClusterError: if there is no compiler, the sources do not compile, or the library cannot be
            had.
    """
    what = f"job of the case {case.slug}"
    find_compiler(what)  # before anything is fetched
    path = f"{class_path(HADOOP_VERSION, progress).lib}/*"
    jars: tuple[Path, ...] = ()
    if case.library != "none":
        library = _library(case, progress) / "lib"
        path = f"{library}/*:{path}"
        jars = () if case.job.command else tuple(sorted(library.iterdir()))
    sources = job_sources(case, fixed=fixed)
    with tempfile.TemporaryDirectory(prefix="mprof-job-") as scratch:
        classes = Path(scratch)
        compile_sources(sources, classes, class_path=path, what=what)
        write_jar(jar, classes, libraries=jars)
