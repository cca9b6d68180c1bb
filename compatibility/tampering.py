"""Damage to the agent on its way to the tasks, done to the staged archive before a job starts.

Each way of `WAYS` maps the archive's members to other ones. Those of `INSTALLED` change the jar of
a copy of mprof instead, as an installation that has gone wrong would have it.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

from mprof.runs.agent_injection import AGENT_JAR, ARCHIVES, PATCHED_CLASSES

__all__ = ["INSTALLED", "WAYS", "tamper", "without_members"]

Members = dict[str, bytes]


def tamper(conf_dir: Path, way: Callable[[Members], Members]) -> bool:
    """Damage what a client configuration stages.

    Returns:
        Whether there was anything: not without mprof.
    """
    site = conf_dir / "mapred-site.xml"
    properties = {
        each.findtext("name"): each.findtext("value") or ""
        for each in ET.parse(site).getroot().iter("property")  # noqa: S314  our own file
    }
    found = re.search(r"file:/*(/[^,#\s]+\.zip)#mprof\b", properties.get(ARCHIVES, ""))
    if found is None:
        return False
    archive = Path(found[1])
    with zipfile.ZipFile(archive) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    changed = way(dict(members))
    with zipfile.ZipFile(archive, "w") as packed:
        for name, content in changed.items():
            packed.writestr(name, content)
    return True


def without_members(jar: bytes, pattern: str) -> bytes:
    """A jar without the members whose names a pattern finds."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(jar)) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.infolist():
            if not re.search(pattern, entry.filename):
                new.writestr(entry, old.read(entry))
    return target.getvalue()


def _jar(change: Callable[[bytes], bytes]) -> Callable[[Members], Members]:
    return lambda members: {**members, AGENT_JAR: change(members[AGENT_JAR])}


def _patched(change: Callable[[bytes], bytes]) -> Callable[[Members], Members]:
    return lambda members: {**members, PATCHED_CLASSES: change(members[PATCHED_CLASSES])}


def _garbled(content: bytes) -> bytes:
    """Every 997th byte in its middle half is another one."""
    changed = bytearray(content)
    for at in range(len(changed) // 4, 3 * len(changed) // 4, 997):
        changed[at] ^= 0xFF
    return bytes(changed)


WAYS: dict[str, Callable[[Members], Members]] = {
    "missing": lambda members: {k: v for k, v in members.items() if k != AGENT_JAR},
    "empty": _jar(lambda _: b""),
    "half": _jar(lambda jar: jar[: len(jar) // 2]),
    "garbled": _jar(_garbled),
    "another-version": _jar(lambda jar: without_members(jar, r"^META-INF/maven/")),
    "class-missing": _jar(lambda jar: without_members(jar, r"agent/Settings\.class")),
    "patched-half": _patched(lambda content: content[: len(content) // 2]),
    "patched-garbled": _patched(_garbled),
    "patched-empty": _patched(lambda _: b""),
    "patched-missing": lambda members: {k: v for k, v in members.items() if k != PATCHED_CLASSES},
}

INSTALLED: dict[str, Callable[[bytes], bytes]] = {
    "installed-half": lambda jar: jar[: len(jar) // 2],
    "installed-garbled": _garbled,
    "installed-without-start": lambda jar: without_members(jar, r"mprof/agent/Agent\.class"),
    "installed-without-settings": lambda jar: without_members(jar, r"mprof/agent/Settings\b"),
    "installed-without-hooks": lambda jar: without_members(jar, r"org/mprof/hadoop/"),
}
