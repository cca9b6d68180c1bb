"""An overlay: a copy of a client configuration folder with some more properties."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from mprof.errors import ClusterError
from mprof.hadoop.sitefiles import extended_site_text

__all__ = ["effective_properties", "write_overlay"]

# A job's configuration loads mapred-site.xml before yarn-site.xml (ConfigUtil.loadResources), and
# the last value wins: both get the properties, so that neither file overrides them.
_EXTENDED = ("mapred-site.xml", "yarn-site.xml")


def effective_properties(
    *,
    overlay: Mapping[str, str],
    append: Mapping[str, str],
    site_values: Mapping[str, str],
    site_final: Collection[str],
) -> dict[str, str]:
    """The properties that the overlay must set.

    Args:
        overlay: property -> value.
        append: list property -> values to add, separated by commas.
        site_values: property -> value in the site files, variables not replaced.
        site_final: properties that the site files mark as final.

    Raises:
        ClusterError: if one of them is final and has another value.
    """
    wanted = dict(overlay)
    for key, addition in append.items():
        present = wanted.get(key, site_values.get(key, "")).strip().strip(",")
        wanted[key] = f"{present},{addition}" if present else addition
    barred = sorted(
        key for key, value in wanted.items() if key in site_final and site_values.get(key) != value
    )
    if barred:
        raise ClusterError(
            f"the cluster's configuration marks {', '.join(barred)} as final, "
            "so the agent cannot be injected",
            next_step="ask the administrator to allow it, or name another folder with --config",
        )
    return wanted


def write_overlay(conf_dir: Path, into: Path, properties: Mapping[str, str]) -> Path:
    """Create the overlay folder; files that do not change are links to the originals.

    Args:
        conf_dir: the client configuration folder.
        into: a folder that does not exist yet.
        properties: properties to add, see ``effective_properties``.

    Raises:
        ClusterError: if a site file is not valid XML.
    """
    into.mkdir(mode=0o700)
    for entry in conf_dir.resolve().iterdir():
        if entry.name not in _EXTENDED:
            (into / entry.name).symlink_to(entry)
    for name in _EXTENDED:
        text = extended_site_text(conf_dir / name, properties)
        target = into / name
        target.touch(mode=0o600)
        target.write_text(text, encoding="utf-8")
    return into
