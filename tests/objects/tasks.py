"""Compiles the jobs beside this file and runs them on stock Hadoop classes, inside one JVM each."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from builders.jvm import SOON_OVER

from mprof.errors import ClusterError
from mprof.hadoop.artifacts import class_path
from mprof.hadoop.java import java_home

_SOURCES = Path(__file__).with_name("java")


@cache
def hadoop_jars() -> str:
    """The class path of Hadoop, as ``-cp`` takes it."""
    try:
        return f"{class_path('3.4.3', lambda _line: None).lib}/*"
    except ClusterError as error:
        pytest.skip(str(error))


def compile_jobs(into: Path) -> None:
    """Compiles all jobs."""
    javac = java_home() / "bin" / "javac"
    if not javac.is_file():
        pytest.skip("no Java compiler on this machine")
    sources = sorted(str(path) for path in _SOURCES.rglob("*.java"))
    command = [javac, *SOON_OVER, "-nowarn", "-proc:none", "--release", "17"]
    command += ["-cp", hadoop_jars(), "-d", into]
    subprocess.run([*map(str, command), *sources], check=True, capture_output=True)


def run_java(classes: Path, work: Path, *arguments: str, options: tuple[str, ...] = ()) -> str:
    """Runs a main class; returns what it printed."""
    java = java_home() / "bin" / "java"
    work.mkdir(parents=True, exist_ok=True)
    command = [
        str(java), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *options,
        "-cp", f"{classes}:{hadoop_jars()}", *arguments,
    ]  # fmt: skip
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr


def die_of_memory(
    classes: Path,
    work: Path,
    *arguments: str,
    heap: str,
    job: str = "",
    options: tuple[str, ...] = (),
) -> Path:
    """Runs one job until it dies of memory; returns the dump."""
    dump = work / "oom.hprof"
    output = run_java(
        classes, work, "com.acme.jobs.Run", str(work), *arguments,
        options=(
            f"-Xmx{heap}", "-XX:+HeapDumpOnOutOfMemoryError", f"-XX:HeapDumpPath={dump}",
            "-XX:+ExitOnOutOfMemoryError", f"-Djob={job}", *options,
        ),
    )  # fmt: skip
    assert dump.is_file(), output[-2000:]
    return dump


def forget(folder: Path) -> None:
    """Removes dumps, which are large."""
    shutil.rmtree(folder, ignore_errors=True)
