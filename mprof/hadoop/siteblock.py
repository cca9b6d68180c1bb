"""A block of properties in a site file that somebody else keeps.

The block is put before the end of the file and found again by its first and last line. All other
bytes stay as they are, so that taking the block out restores the file: it may hold comments, an
encoding and an order that an XML library would not write again. The last value of a property wins
(``Configuration.loadResource``), so a list of the file's is extended in the block, and is itself
again without it.
"""

from __future__ import annotations

import contextlib
import html
import os
import re
import shutil
import tempfile
import xml.etree.ElementTree as ET  # only configuration files of the user
from collections.abc import Mapping
from pathlib import Path

from mprof.errors import ClusterError, UsageError

__all__ = ["block_in", "block_text", "replace_site_file", "with_block", "without_block"]

_BEGIN = b"<!-- mprof switch: begin; mprof switch off takes out all up to its end -->"
_END = b"<!-- mprof switch: end -->"
_BLOCK = re.compile(rb"[ \t]*" + re.escape(_BEGIN) + rb".*?" + re.escape(_END) + rb"\n?", re.DOTALL)
_LAST = re.compile(rb"</configuration\s*>(?!.*</configuration\s*>)", re.DOTALL)
_EMPTY = b"<configuration>\n</configuration>\n"
_INCLUDE = "{http://www.w3.org/2001/XInclude}include"


def block_text(properties: Mapping[str, str]) -> str:
    """The block with these properties, ready to be put into a site file."""
    lines = ["  " + _BEGIN.decode()]
    for key, value in properties.items():
        lines += [
            "  <property>",
            f"    <name>{html.escape(key, quote=False)}</name>",
            f"    <value>{html.escape(value, quote=False)}</value>",
            "  </property>",
        ]
    return "\n".join([*lines, "  " + _END.decode()]) + "\n"


def with_block(site_file: Path, properties: Mapping[str, str], lists: Mapping[str, str]) -> bytes:
    """The content of a site file with the block, in place of an older one.

    Args:
        site_file: the file; one that does not exist is made.
        properties: properties that the file must not have with another value.
        lists: list properties, and what is added to the value that the file has.

    Raises:
        ClusterError: if the file sets one of them itself, is not valid XML, or includes others.
        UsageError: if it cannot be read.
    """
    own = _BLOCK.sub(b"", _read(site_file) if site_file.exists() else _EMPTY)
    values, final = _properties(own, site_file)
    taken = sorted(key for key, value in properties.items() if values.get(key, value) != value)
    if taken:
        shown = ", ".join(f"{key}={values[key]}" for key in taken)
        raise ClusterError(
            f"{site_file} has values of its own: {shown}",
            next_step="take them out if they are not needed, or leave the switch off: "
            "mprof does not override a site's own settings",
        )
    barred = sorted(final & {*properties, *lists})
    if barred:
        raise ClusterError(
            f"{site_file} marks {', '.join(barred)} as final, so no later value counts",
            next_step="take out <final>true</final> there, or the whole property",
        )
    wanted = dict(properties)
    for key, addition in lists.items():
        present = values.get(key, "").strip().strip(",")
        wanted[key] = f"{present},{addition}" if present else addition
    text = re.sub(rb"<configuration\s*/>\s*$", _EMPTY, own)
    new = _LAST.sub(lambda end: block_text(wanted).encode() + end.group(), text, count=1)
    if not _holds(new, wanted):
        raise ClusterError(
            f"{site_file} is not laid out as a site file, so nothing was put into it",
            next_step="merge the properties by hand: mprof switch on prints them",
        )
    return new


def block_in(site_file: Path) -> str | None:
    """The text of the block in a site file, with the values as they are; None where it has none.

    Raises:
        UsageError: if it cannot be read.
    """
    found = _BLOCK.search(_read(site_file))
    return None if found is None else html.unescape(found[0].decode(errors="replace"))


def without_block(site_file: Path) -> bytes | None:
    """The content of a site file without the block; None where it has none.

    Raises:
        UsageError: if it cannot be read.
    """
    old = _read(site_file)
    new = _BLOCK.sub(b"", old)
    return None if new == old else new


def replace_site_file(site_file: Path, content: bytes) -> Path | None:
    """Replace a site file at once, keeping its mode and owner; a link stays a link.

    Returns:
        A copy of the old file beside it; None where there was none.

    Raises:
        UsageError: if that is not possible; the file is as it was then.
    """
    target = site_file.resolve()
    handle, fresh = None, None
    try:
        backup = _backup(target) if target.exists() else None
        handle, fresh = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        if backup is None:
            Path(fresh).chmod(0o644)
        else:
            before = target.stat()
            shutil.copymode(target, fresh)
            os.chown(fresh, before.st_uid, before.st_gid)
        Path(fresh).replace(target)
    except OSError as error:
        if fresh is not None:
            with contextlib.suppress(OSError):
                Path(fresh).unlink(missing_ok=True)
        raise UsageError(
            f"{site_file} cannot be replaced: {error.strerror}",
            next_step="run this as the owner of that file, or merge the properties by hand",
        ) from error
    return backup


def _read(site_file: Path) -> bytes:
    if site_file.exists() and not site_file.is_file():
        raise UsageError(f"{site_file} is not a file", next_step="name the site file")
    try:
        return site_file.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{site_file} cannot be read: {error.strerror}", next_step="name the site file"
        ) from error


def _holds(content: bytes, wanted: Mapping[str, str]) -> bool:
    try:
        found, _ = _properties(content, Path())
    except ClusterError:
        return False
    return all(found.get(key) == value for key, value in wanted.items())


def _backup(target: Path) -> Path:
    number = 1
    while True:
        backup = target.with_name(f"{target.name}.before-mprof-{number}")
        try:
            backup.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            number += 1
            continue
        shutil.copy2(target, backup)
        return backup


def _properties(content: bytes, site_file: Path) -> tuple[dict[str, str], frozenset[str]]:
    """Values and final names; of two values of a property the last, as Hadoop has it."""
    try:
        root = ET.fromstring(content)  # noqa: S314  the administrator's own configuration
    except (ET.ParseError, ValueError, LookupError) as fault:  # of an encoding: the latter two
        raise ClusterError(
            f"{site_file} cannot be read: {fault}", next_step="repair that file first"
        ) from fault
    if root.find(f".//{_INCLUDE}") is not None:
        raise ClusterError(
            f"{site_file} includes other files, which may set the same properties",
            next_step="merge the properties by hand: mprof switch on prints them",
        )
    values, final = {}, set()
    for entry in root.iter("property"):
        name = (entry.findtext("name") or "").strip()
        values[name] = entry.findtext("value") or ""
        if (entry.findtext("final") or "").strip() == "true":
            final.add(name)
    return values, frozenset(final)
