"""The Java libraries whose classes are in mprof's jars: what the POMs and NOTICE say of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

__all__ = ["JARS", "Library", "bundled_libraries", "noticed_packages"]

# The jars with classes of others, and the module whose POM says what is shaded into each.
JARS = {
    "mprof-agent.jar": Path("jvm-agent/bundle"),
    "mprof-gateway.jar": Path("jvm-agent/gateway"),
}

_POM = {"": "http://maven.apache.org/POM/4.0.0"}
_NOTICE = re.compile(
    r"^(?P<title>\S[^(\n]*) \((?P<name>[\w.]+:[\w.-]+)\), \S+\n"
    r"(?:    Copyright .*\n)+"
    r"    Contained in: (?P<jar>[\w.-]+), package (?P<package>[\w.]+)\n"
    r"    Licence: (?P<licence>[\w.-]+), the file (?P<file>\S+)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Library:
    """A library of which a jar of mprof contains classes.

    Attributes:
        group: its Maven group.
        artifact: its Maven artifact.
        version: that Maven puts into the jar.
        sha256: of the library's own jar, in hexadecimal digits.
        jar: the jar of mprof.
        package: what its classes are called there.
        licence: its SPDX identifier.
        licence_file: the text of its licence, from the root of the project.
    """

    group: str
    artifact: str
    version: str
    sha256: str
    jar: str
    package: str
    licence: str
    licence_file: str


def bundled_libraries(root: Path) -> tuple[Library, ...]:
    """All of them, in the order of the jars.

    Args:
        root: of the project.

    Raises:
        ValueError: if the POMs and NOTICE do not tell of the same libraries.
    """
    parent = ET.parse(root / "pom.xml")  # noqa: S314 - our own file
    properties = {
        each.tag.partition("}")[2]: each.text or ""
        for each in parent.iterfind("properties/*", _POM)
    }
    noticed = _noticed(root)
    shaded = {(jar, name) for jar, module in JARS.items() for name in _shaded(root / module)}
    if shaded != set(noticed):
        differing = ", ".join(f"{name} in {jar}" for jar, name in sorted(shaded ^ set(noticed)))
        raise ValueError(f"NOTICE and what the POMs put into the jars differ: {differing}")
    found = []
    for (jar, name), notice in noticed.items():
        group, artifact = name.split(":")
        found.append(
            Library(
                group=group,
                artifact=artifact,
                version=properties[f"{artifact}.version"],
                sha256=properties[f"{artifact}.sha256"],
                jar=jar,
                package=notice["package"],
                licence=notice["licence"],
                licence_file=notice["file"],
            )
        )
    return tuple(found)


def noticed_packages(root: Path, jar: str) -> tuple[str, ...]:
    """The packages of other people's classes that NOTICE names for a jar."""
    return tuple(each["package"] for (where, _), each in _noticed(root).items() if where == jar)


def _noticed(root: Path) -> dict[tuple[str, str], re.Match[str]]:
    text = (root / "NOTICE").read_text(encoding="utf-8")
    return {(each["jar"], each["name"]): each for each in _NOTICE.finditer(text)}


def _shaded(module: Path) -> Iterator[str]:
    """What the shade plugin puts into the module's jar beside classes of mprof's own."""
    pom = ET.parse(module / "pom.xml")  # noqa: S314 - our own file
    for include in pom.iterfind(".//artifactSet/includes/include", _POM):
        if include.text and not include.text.startswith("org.mprof:"):
            yield include.text
