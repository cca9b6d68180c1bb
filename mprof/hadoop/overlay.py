"""An overlay: a client's configuration folder with a few properties more."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from mprof.errors import ClusterError
from mprof.hadoop.sitefiles import extended

__all__ = ["effective", "write_overlay"]

# A job's configuration loads mapred-site.xml before yarn-site.xml (ConfigUtil.loadResources), and
# the last one wins: both get the properties, so that nothing in either stands against them.
_EXTENDED = ("mapred-site.xml", "yarn-site.xml")


def effective(
    *,
    overlay: Mapping[str, str],
    append: Mapping[str, str],
    site_values: Mapping[str, str],
    site_final: Collection[str],
) -> dict[str, str]:
    """The properties an overlay has to carry.

    Args:
        overlay: property to value.
        append: list property to the values to be added, comma between.
        site_values: what the site files say, unexpanded.
        site_final: the properties that nobody may change after the site files.

    Raises:
        ClusterError: if one of them is final with another value.
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
            "so that the agent cannot get in",
            next_step="ask the administrator to allow it, or give another --config folder",
        )
    return wanted


def write_overlay(conf_dir: Path, into: Path, properties: Mapping[str, str]) -> Path:
    """Make the overlay folder; everything that does not change is a link to the original.

    Args:
        conf_dir: the client's configuration folder.
        into: a folder that does not exist yet.
        properties: to be added, see ``effective``.

    Raises:
        ClusterError: if a site file is no XML.
    """
    into.mkdir(mode=0o700)
    for entry in conf_dir.resolve().iterdir():
        if entry.name not in _EXTENDED:
            (into / entry.name).symlink_to(entry)
    for name in _EXTENDED:
        text = extended(conf_dir / name, properties)
        target = into / name
        target.touch(mode=0o600)
        target.write_text(text, encoding="utf-8")
    return into
