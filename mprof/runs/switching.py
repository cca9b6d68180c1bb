"""``switch``: what an administrator does to have the agent in every job of a cluster."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from mprof.errors import UsageError
from mprof.files import read_file
from mprof.hadoop import block_text, connect, replace_site_file, with_block, without_block
from mprof.runs.switch import (
    Expired,
    Installed,
    Places,
    expire,
    install,
    installed,
    switch_in,
)
from mprof.units import MIB

__all__ = ["SwitchedOn", "expire_captures", "switch_install", "switch_off", "switch_on"]

_MOST_BYTES = 64 * MIB  # of a site file


@dataclass(frozen=True, slots=True)
class SwitchedOn:
    """The outcome of ``mprof switch on``.

    Attributes:
        block: the properties, as text for a ``mapred-site.xml``.
        backup: the copy of the old site file; None where none was replaced, or nothing changed.
    """

    block: str
    backup: Path | None


def switch_install(places: Places, *, embedded: bool, conf_dir: Path | None) -> Installed:
    """Put agent and capture area on the cluster's file system, see `install`."""
    with connect(conf_dir, embedded=embedded) as cluster:
        return install(cluster, places)


def switch_on(
    places: Places,
    *,
    share: float | None,
    site_file: Path | None,
    embedded: bool,
    conf_dir: Path | None,
) -> SwitchedOn:
    """The properties that switch watch mode on for all jobs.

    Args:
        places: where agent and captures are.
        share: the share of first attempts that get the agent; None for all attempts.
        site_file: the ``mapred-site.xml`` to put them into; None to change nothing.
        embedded: look on the embedded cluster whether agent and area are there.
        conf_dir: otherwise on the cluster of this client configuration.

    Raises:
        ClusterError: if something is missing there, or the file has values of its own.
        UsageError: if the file cannot be read or replaced.
    """
    with connect(conf_dir, embedded=embedded) as cluster:
        switch = replace(installed(cluster, places), share=share)
    block = block_text({**switch.properties, **switch.lists})
    if site_file is None:
        return SwitchedOn(block, None)
    content = with_block(site_file, switch.properties, switch.lists)
    if site_file.is_file() and read_file(site_file, limit_bytes=_MOST_BYTES) == content:
        return SwitchedOn(block, None)
    return SwitchedOn(block, replace_site_file(site_file, content))


def switch_off(site_file: Path) -> Path | None:
    """Take the block of `switch_on` out of a site file.

    Returns:
        A copy of the file as it was; None where it had no block.

    Raises:
        UsageError: if the file cannot be read or replaced.
    """
    content = without_block(site_file)
    return None if content is None else replace_site_file(site_file, content)


def expire_captures(
    *,
    captures: str | None,
    older_than_seconds: float,
    pretend: bool,
    embedded: bool,
    conf_dir: Path | None,
) -> tuple[Expired, ...]:
    """Delete the captures of jobs that ended long ago, see `expire`.

    Args:
        captures: the capture area; None for the one of the site configuration.
        older_than_seconds: younger ones are left alone.
        pretend: delete nothing.
        embedded: on the embedded cluster.
        conf_dir: otherwise on the cluster of this client configuration.

    Raises:
        UsageError: if no area is named, and the site configuration has none.
    """
    with connect(conf_dir, embedded=embedded) as cluster:
        if captures is None:
            switch = switch_in(cluster.site_properties().values)
            captures = None if switch is None else switch.captures
        if captures is None:
            raise UsageError(
                "the site configuration names no capture area",
                next_step="name it with --captures",
            )
        return expire(cluster, captures, older_than_seconds=older_than_seconds, pretend=pretend)
