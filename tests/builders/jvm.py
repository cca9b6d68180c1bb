"""Real JVMs for tests: compile a program, start it, dump its heap, end it."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SOON_OVER", "RunningJava", "compile_java", "installed_jdks", "running"]

SOON_OVER = ("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC")
"""Options of `javac`: of a few sources it takes 2 s of CPU time with them, and 5 s without."""

_PLACES = ("/usr/lib/jvm", "/Library/Java/JavaVirtualMachines")


def installed_jdks() -> dict[int, Path]:
    """Homes of the JDKs on this machine, by feature version."""
    found: dict[int, Path] = {}
    for place in map(Path, _PLACES):
        for home in sorted(place.glob("*")):
            home = home / "Contents/Home" if (home / "Contents/Home").exists() else home
            release = home / "release"
            if not (home / "bin/jcmd").exists() or not release.exists():
                continue
            for line in release.read_text(encoding="utf-8").splitlines():
                if line.startswith("JAVA_VERSION="):
                    parts = line.split('"')[1].split(".")
                    version = int(parts[1] if parts[0] == "1" else parts[0].split("-")[0])
                    found.setdefault(version, home.resolve())
    return dict(sorted(found.items()))


def compile_java(
    home: Path, sources: list[Path], folder: Path, *, premain: str | None = None
) -> Path:
    """Compiles programs into a folder; with ``premain`` also packs ``agent.jar`` there."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [home / "bin/javac", *SOON_OVER, "-nowarn", "-d", folder, *sources],
        check=True,
        capture_output=True,
    )
    if premain:
        with zipfile.ZipFile(folder / "agent.jar", "w") as jar:
            jar.writestr(
                "META-INF/MANIFEST.MF",
                f"Manifest-Version: 1.0\nPremain-Class: {premain}\nBoot-Class-Path: {folder}/\n\n",
            )
    return folder


@dataclass
class RunningJava:
    """A program that has said ``ready``; ``words`` is the rest of that line."""

    home: Path
    process: subprocess.Popen[str]
    words: list[str]

    def jcmd(self, *arguments: str) -> str:
        """Output of one diagnostic command."""
        return subprocess.run(
            [self.home / "bin/jcmd", str(self.process.pid), *arguments],
            check=True, capture_output=True, text=True, timeout=600,
        ).stdout  # fmt: skip

    def dump(self, path: Path, *options: str) -> Path:
        """A heap dump after a full collection."""
        output = self.jcmd("GC.heap_dump", *options, str(path))
        assert path.exists(), output
        return path


@contextmanager
def running(
    home: Path, folder: Path, main: str, *arguments: str, options: tuple[str, ...] = ()
) -> Iterator[RunningJava]:
    """Runs a program until the block ends."""
    command = [str(home / "bin/java"), "-Xmx512m", *options, "-cp", str(folder), main, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        seen = []
        for line in process.stdout:
            seen.append(line)
            if line.startswith("ready"):
                yield RunningJava(home, process, line.split()[1:])
                return
        raise AssertionError(f"{command} ended early:\n{''.join(seen)}")
    finally:
        process.terminate()  # so that it removes the socket that jcmd had it open
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
