"""Compiles the testbed's few Java sources into jars."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

__all__ = ["build_jar"]

_RELEASE: Final = "17"
_WIDTH: Final = 70
"""No line of a manifest is longer than 72 bytes; the next goes on after a space."""


def build_jar(
    jar: Path, sources: Path, *, class_path: str = "", manifest: Mapping[str, str] | None = None
) -> Path:
    """Compile every source of a folder into a jar, and give its path back.

    Args:
        jar: to be made, with its folder.
        sources: the folder, whose folders are packages.
        class_path: for the compiler.
        manifest: what the jar says of itself, beside its version.
    """
    classes = jar.with_suffix(".classes")
    classes.mkdir(parents=True)
    files = sorted(sources.rglob("*.java"))
    given = ["-cp", class_path] if class_path else []
    subprocess.run(["javac", "--release", _RELEASE, *given, "-d", classes, *files], check=True)
    said = {"Manifest-Version": "1.0", **(manifest or {})}
    lines = [line for name, value in said.items() for line in _folded(f"{name}: {value}")]
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "\r\n".join([*lines, ""]))
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes))
    return jar


def _folded(line: str) -> list[str]:
    rest = range(_WIDTH, len(line), _WIDTH - 1)
    return [line[:_WIDTH], *(f" {line[at : at + _WIDTH - 1]}" for at in rest)]
