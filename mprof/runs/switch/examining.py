"""Whether the cluster-wide switch is on, and whether what it needs is there."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from mprof.hadoop import Cluster, SiteProperties, agent_jar, folders_above
from mprof.io.files import read_file
from mprof.io.ownership import OtherWriter, other_writer
from mprof.runs.agent_archive import MOST_JAR_BYTES, patch_classes
from mprof.runs.agent_injection import AGENT_JAR, PATCHED_CLASSES, checksum
from mprof.runs.check import Check, guarded
from mprof.runs.switch.installing import (
    agent_build,
    fetch_members,
    is_agent,
    is_area,
    next_step_of,
)
from mprof.runs.switch.owners import other_writer_of
from mprof.runs.switch.properties import ARCHIVES, Switch, switch_in
from mprof.units import format_bytes

__all__ = ["examine_switch"]

FULLEST = 0.80
"""Share of a file system in use above which the agent copies no dump (``disk.percent``)."""

_ON = "mapreduce.task.profile"

_RENEW = (
    "run mprof switch install and mprof switch on with this mprof, and leave the old one until "
    "all jobs that use it have ended"
)

# Where a kill switch for all jobs can have been left behind.
_OPTIONS = (
    "mapreduce.map.java.opts",
    "mapreduce.reduce.java.opts",
    "mapred.child.java.opts",
    "mapreduce.admin.map.child.java.opts",
    "mapreduce.admin.reduce.child.java.opts",
    "mapreduce.map.env",
    "mapreduce.reduce.env",
    "mapred.child.env",
    "mapreduce.admin.user.env",
)
_KILL_SWITCHES = ("-Dmprof.off=true", "MPROF_OFF=1", "MPROF_OFF=true")


def examine_switch(cluster: Cluster) -> tuple[Check, ...]:
    """One check that says it is off; or several of a switch that is on."""
    site = cluster.site_properties()
    switch = switch_in(site.values)
    if switch is None:
        found = "off: the agent is in no job but those that mprof run and mprof rerun start"
        return (Check("cluster-wide switch", ok=True, found=found),)
    looks: dict[str, Callable[[], Check]] = {
        "switch: properties": lambda: _properties(site.values, switch),
        "switch: users": lambda: _users(site, switch),
        "switch: agent": lambda: _agent(cluster, switch),
        "switch: captures": lambda: _captures(cluster, switch),
    }
    return (
        _state(site.values, switch.share),
        *(guarded(name, look) for name, look in looks.items()),
    )


def _state(values: Mapping[str, str], share: float | None) -> Check:
    name = "cluster-wide switch"
    if values.get(_ON) != "true":
        return Check(
            name,
            ok=False,
            found=f"off: the agent's properties are there, but {_ON} is {values.get(_ON)}",
            next_step=f"take that value of {_ON} out of the site files, or run mprof switch off",
        )
    killed = [
        key for key in _OPTIONS if any(each in (values.get(key) or "") for each in _KILL_SWITCHES)
    ]
    on = "on" if share is None else f"on, for {100 * share:.4g} % of first attempts"
    return Check(
        name,
        ok=not killed,
        found=f"off: the kill switch is in {', '.join(killed)}" if killed else on,
        next_step="take it out of the site files, or run mprof switch off",
    )


def _properties(values: Mapping[str, str], switch: Switch) -> Check:
    wanted = {key: value for key, value in switch.properties.items() if key != _ON}
    wrong = sorted(key for key, value in wanted.items() if values.get(key) != value)
    unset = [key for key in wrong if not values.get(key)]
    risk = (
        "; a range or a parameter that is not set gives tasks 0 to 2 an agent "
        "that no JVM since 9 has, and they die"
    )
    return Check(
        "switch: properties",
        ok=not wrong,
        found=f"not as mprof switch on writes them: {', '.join(wrong)}{risk if unset else ''}"
        if wrong
        else "both ranges and both parameters are set",
        next_step="run mprof switch on again, and merge what it prints",
    )


def _users(site: SiteProperties, switch: Switch) -> Check:
    final = sorted(site.final & {*switch.properties, *switch.lists})
    return Check(
        "switch: users",
        ok=not final,
        found=f"cannot switch it off for a job, because these are final: {', '.join(final)}"
        if final
        else f"switch it off for a job with -D{_ON}=false",
        next_step="make these properties non-final",
    )


def _agent(cluster: Cluster, switch: Switch) -> Check:
    if switch.jar is not None:
        return _jar_on_nodes(cluster, switch, Path(switch.jar))
    name = "switch: agent"
    if switch.archive is None:
        return Check(
            name,
            ok=False,
            found=f"{ARCHIVES} does not name the agent's archive: jobs run without it",
            next_step="see which later site file sets that property, and merge the values",
        )
    if not cluster.exists(switch.archive):
        return Check(
            name,
            ok=False,
            found=f"{switch.archive} is missing: NO JOB CAN BE SUBMITTED",
            next_step="run mprof switch install, or mprof switch off, now",
        )
    other = other_writer_of(cluster, switch.archive)
    if other is not None:
        return _written_by(other, name, switch.archive, next_step_of(other))
    closed = _closed_to_others(cluster, switch.archive)
    if closed is not None:
        return Check(
            name,
            ok=False,
            found=f"{closed} is not open to everybody: their jobs cannot be submitted",
            next_step=f"hadoop fs -chmod o+rX {closed}",
        )
    members = fetch_members(cluster, switch.archive) or {}
    jar, patched = (members.get(each) for each in (AGENT_JAR, PATCHED_CLASSES))
    return _versioned(cluster, switch, switch.archive, jar, patched)


def _written_by(other: OtherWriter, name: str, where: str, next_step: str) -> Check:
    return Check(
        name,
        ok=False,
        found=f"others could have written {where}, which every user's tasks run: {other}",
        next_step=next_step,
    )


def _jar_on_nodes(cluster: Cluster, switch: Switch, jar: Path) -> Check:
    name = "switch: agent"
    if not jar.is_file():
        return Check(
            name,
            ok=None,
            found=f"{jar} on every node; this machine has none, so it is not known from here",
            next_step=f"look on a node: it is to be a copy of {agent_jar()}",
        )
    beside = jar.with_name(PATCHED_CLASSES)
    other = other_writer(jar) or other_writer(beside)
    if other is not None:
        return _written_by(
            other,
            name,
            f"{jar} on this machine",
            f"see who did; let only root own and write {other.path}, here and on the nodes, "
            "and copy the files that mprof switch install writes there again",
        )
    return _versioned(
        cluster,
        switch,
        f"{jar} on this machine",
        read_file(jar, limit_bytes=MOST_JAR_BYTES),
        read_file(beside, limit_bytes=MOST_JAR_BYTES) if beside.is_file() else None,
    )


def _versioned(
    cluster: Cluster, switch: Switch, where: str, jar: bytes | None, patched: bytes | None
) -> Check:
    """Whether a jar and the patched classes beside it are what this mprof would install."""
    name = "switch: agent"
    if jar is None or checksum(jar) != switch.jar_checksum:
        return Check(
            name,
            ok=False,
            found=f"{where} does not hold the jar that the site's properties ask for "
            "(its checksum is another): tasks run without the agent",
            next_step=_RENEW,
        )
    if not is_agent(jar):
        return Check(
            name,
            ok=False,
            found=f"{where} is not the agent of this mprof ({agent_build()})",
            next_step=_RENEW,
        )
    with tempfile.TemporaryDirectory(prefix="mprof-switch-") as scratch:
        current = patch_classes(cluster, Path(scratch))
        fits = current is None or patched == read_file(current, limit_bytes=MOST_JAR_BYTES)
    return Check(
        name,
        ok=True if fits else None,
        found=f"{where}, of this version"
        if fits
        else f"{where}, of this version, but without this Hadoop's classes as it patches them: "
        "each task patches them itself, which takes longer",
        next_step="run mprof switch install and mprof switch on",
    )


def _captures(cluster: Cluster, switch: Switch) -> Check:
    name = "switch: captures"
    if switch.captures is None:
        return Check(
            name,
            ok=None,
            found="there is no capture area: evidence is in the logs only",
            next_step="run mprof switch on with --captures",
        )
    status = cluster.status(switch.captures)
    if not is_area(status.mode):
        return Check(
            name,
            ok=False,
            found=f"{status.uri} has the permissions {status.mode or 0:o}, not 1777",
            next_step=f"hadoop fs -chmod 1777 {status.uri}",
        )
    other = other_writer_of(cluster, switch.captures, shared=True)
    if other is not None:
        return Check(
            name,
            ok=False,
            found=f"others could put captures in the place of a job's: {other}",
            next_step=next_step_of(other),
        )
    space = cluster.space(switch.captures)
    used = space.share_used
    return Check(
        name,
        ok=None if used is None else used < FULLEST,
        found=f"{status.uri}, {format_bytes(space.usable_bytes)} free"
        + ("" if used is None else f", {used:.0%} in use; no dump is copied above {FULLEST:.0%}"),
        next_step="run mprof switch expire",
    )


def _closed_to_others(cluster: Cluster, archive: str) -> str | None:
    """The file, or the folder on the way to it, that not everybody may read."""
    if not (cluster.status(archive).mode or 0) & 0o004:
        return archive
    below_root = folders_above(archive)[1:]
    return next((uri for uri in below_root if not (cluster.status(uri).mode or 0) & 0o001), None)
