"""Builds the Java agent that makes faults inside the tasks of a node (`agent/FaultAgent.java`)."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path
from typing import Final

__all__ = ["build_agent"]

_SOURCE: Final = Path(__file__).parent / "agent" / "FaultAgent.java"
_RELEASE: Final = "17"


def build_agent(folder: Path, *, hadoop: Path, asm: Path) -> Path:
    """Compile the agent into a jar.

    Args:
        folder: for the jar; made if missing.
        hadoop: folder with Hadoop's jars.
        asm: the jar of ASM, which is not copied: the agent's manifest names it.
    """
    classes = folder / "classes"
    classes.mkdir(parents=True)
    subprocess.run(
        ["javac", "--release", _RELEASE, "-cp", f"{hadoop}/*:{asm}", "-d", classes, _SOURCE],
        check=True,
    )
    jar = folder / "faults.jar"
    manifest = (
        "Manifest-Version: 1.0",
        "Premain-Class: FaultAgent",
        *_folded(f"Class-Path: {asm.as_uri()}"),
        "",
    )
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "\r\n".join(manifest))
        for path in sorted(classes.glob("*.class")):
            archive.write(path, path.name)
    return jar


def _folded(line: str) -> list[str]:
    """No line of a manifest is longer than 72 bytes; the next goes on after a space."""
    width = 70
    rest = range(width, len(line), width - 1)
    return [line[:width], *(f" {line[at : at + width - 1]}" for at in rest)]
