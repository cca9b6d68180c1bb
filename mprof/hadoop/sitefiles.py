"""Hadoop's site files as text: written from properties, or extended by properties."""

from __future__ import annotations

import xml.etree.ElementTree as ET  # only configuration files of the user
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from mprof.errors import ClusterError

__all__ = ["extended_site_text", "final_properties", "site_files", "site_text"]

_XINCLUDE = "http://www.w3.org/2001/XInclude"
ET.register_namespace("xi", _XINCLUDE)


def site_text(properties: Mapping[str, str]) -> str:
    """A site file with these properties."""
    root = ET.Element("configuration")
    _append(root, properties)
    return _text(root)


def site_files(properties: Mapping[str, str]) -> dict[str, str]:
    """The site files of a client folder: file name -> text, each property in its usual file.

    ``yarn.app.mapreduce.*`` belongs to MapReduce in spite of its prefix.
    """
    sorted_out: dict[str, dict[str, str]] = {
        "core-site.xml": {},
        "mapred-site.xml": {},
        "yarn-site.xml": {},
    }
    for key, value in sorted(properties.items()):
        if key.startswith(("mapreduce.", "yarn.app.mapreduce.")):
            sorted_out["mapred-site.xml"][key] = value
        elif key.startswith("yarn."):
            sorted_out["yarn-site.xml"][key] = value
        else:
            sorted_out["core-site.xml"][key] = value
    return {name: site_text(values) for name, values in sorted_out.items()}


def extended_site_text(site_file: Path, properties: Mapping[str, str]) -> str:
    """The text of a site file, which may not exist, with the properties added at its end.

    The last value of a property wins in Hadoop (``Configuration.loadResource``), unless an earlier
    one is final. Relative inclusions are made absolute, because the text goes to another folder.

    Raises:
        ClusterError: if the file is not valid XML.
    """
    if not site_file.is_file():
        return site_text(properties)
    root = _root_of(site_file)
    for include in root.iter(f"{{{_XINCLUDE}}}include"):
        href = include.get("href", "")
        if href and not urlsplit(href).scheme and not href.startswith("/"):
            include.set("href", (site_file.resolve().parent / href).as_uri())
    _append(root, properties)
    return _text(root)


def final_properties(site_file: Path) -> frozenset[str]:
    """Names of the properties that the file marks as ``final``, which no client can change.

    Raises:
        ClusterError: if the file is not valid XML.
    """
    root = _root_of(site_file)
    return frozenset(
        (entry.findtext("name") or "").strip()
        for entry in root.iter("property")
        if (entry.findtext("final") or "").strip() == "true"
    )


def _root_of(site_file: Path) -> ET.Element:
    try:
        return ET.parse(site_file).getroot()  # noqa: S314  the user's own configuration
    except (ET.ParseError, OSError, ValueError, LookupError) as fault:  # of an encoding: these two
        raise ClusterError(
            f"{site_file} cannot be read: {fault}", next_step="repair the configuration folder"
        ) from fault


def _append(root: ET.Element, properties: Mapping[str, str]) -> None:
    for key, value in properties.items():
        entry = ET.SubElement(root, "property")
        ET.SubElement(entry, "name").text = key
        ET.SubElement(entry, "value").text = value


def _text(root: ET.Element) -> str:
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
